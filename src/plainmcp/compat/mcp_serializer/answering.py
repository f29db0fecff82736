"""Requests in, response data out, as that package answers: ours, with its quirks put into the finished answer."""

from typing import Any

import msgspec

from ...errors import ProtocolError
from ...protocol.dispatch import check_batch, dispatch
from ...protocol.failures import error_response
from ...protocol.features import TemplateFeature
from ...protocol.request import Caller
from ...server import Server
from ...transports.run import run
from ...wire import codec, jsonrpc
from ...wire.jsonrpc import Envelope
from .registry import SPOKEN, Data, MCPInitializer, MCPRegistry

__all__ = [
    "JsonRpcError",
    "JsonRpcErrorResponse",
    "JsonRpcRequest",
    "JsonRpcSuccessResponse",
    "MCPSerializer",
    "ResponseContext",
    "ResponseEntry",
]


class _Model(msgspec.Struct, kw_only=True):
    def model_dump(self) -> Data:
        """All of it as plain data."""
        told: Data = msgspec.to_builtins(self)
        return told


class JsonRpcRequest(_Model, kw_only=True):
    """A request or a notification, as far as it could be read."""

    jsonrpc: Any = None
    id: Any = None
    method: Any = None
    params: Any = None


class JsonRpcSuccessResponse(_Model, kw_only=True):
    """A response that carries a result."""

    jsonrpc: str
    id: Any
    result: Any


class JsonRpcError(_Model, kw_only=True):
    """What went wrong."""

    code: int
    message: str
    data: Any = None


class JsonRpcErrorResponse(_Model, kw_only=True):
    """A response that carries an error; `id` is None where no id could be read."""

    jsonrpc: str
    id: Any
    error: JsonRpcError


class ResponseEntry:
    """One request and its response; `data` is the response as a dict, and None for a notification."""

    def __init__(self, data: Data | None, request: JsonRpcRequest) -> None:
        self.data = data
        self.request = request
        self.response: JsonRpcSuccessResponse | JsonRpcErrorResponse | None = None
        if data is not None:
            fields: Data = {"jsonrpc": data["jsonrpc"], "id": data.get("id")}
            self.response = (
                JsonRpcErrorResponse(**fields, error=JsonRpcError(**data["error"]))
                if "error" in data
                else JsonRpcSuccessResponse(**fields, result=data["result"])
            )

    @property
    def is_error(self) -> bool:
        """Whether the response carries an error."""
        return isinstance(self.response, JsonRpcErrorResponse)

    @property
    def is_notification(self) -> bool:
        """Whether there is no response to send."""
        return self.response is None


class ResponseContext:
    """What to send, None if nothing, and in `history` an entry for each request there was."""

    def __init__(self, response_data: Data | list[Data] | None, history: list[ResponseEntry]) -> None:
        self.response_data = response_data
        self.history = history


class MCPSerializer:
    """Requests in, response data out: what the registry offers, as the initializer announces it."""

    def __init__(self, initializer: MCPInitializer, registry: MCPRegistry, page_size: int | None = 10) -> None:
        self.initializer = initializer
        self.registry = registry
        info = initializer.server_info
        self._server = Server(
            info.get("name") or "mcp-serializer",
            info.get("version") or "0.0.0",
            title=info.get("title"),
            policy=registry.server.policy,
            page_size=page_size,
            batches=True,
        )
        self._server.registry = registry.server.registry  # one offer, however many answer for it

    def process_request(self, request_data: Any) -> ResponseContext:
        """Answer a request, a notification or a batch of them, given as data, text or bytes."""
        try:
            raw = codec.to_bytes(request_data)
            batch = jsonrpc.open_batch(raw)
            if batch is None:
                entry = self._entry(raw)
                return ResponseContext(entry.data, [entry])
            check_batch(self._server, batch, SPOKEN)
        except ProtocolError as error:
            entry = ResponseEntry(codec.decode(error_response(error, SPOKEN)), JsonRpcRequest())
            return ResponseContext(entry.data, [entry])
        history = [self._entry(bytes(part)) for part in batch]
        return ResponseContext([entry.data for entry in history if entry.data is not None] or None, history)

    def _entry(self, raw: bytes) -> ResponseEntry:
        request = _request(raw)
        try:
            envelope = jsonrpc.open_envelope(raw)
        except ProtocolError as error:
            return ResponseEntry(codec.decode(error_response(error, SPOKEN)), request)
        if envelope.method == "initialize" and envelope.id:
            return ResponseEntry(codec.decode(self._greeting(envelope, request.params or {})), request)
        answer = run(dispatch(self._server, envelope, Caller(revision=SPOKEN)))
        data: Data | None = None if answer is None else codec.decode(answer)
        # Who speaks a later revision says so in each request, and is answered in its words.
        if data is not None and "result" in data and "resultType" not in data["result"]:
            self._shape(request, data["result"])
        return ResponseEntry(data, request)

    def _greeting(self, envelope: Envelope, params: Data) -> bytes:
        """The answer to initialize: what the initializer says, of what there is by now."""
        try:
            # Taken apart first: what is changed here, or by the caller later, is not the initializer's.
            told = codec.decode(codec.encode(self.initializer.build_result(params)))
            kinds, there = ("tools", "resources", "prompts"), self._server.capabilities()
            said = told.get("capabilities", {})
            told["capabilities"] = {key: one for key, one in said.items() if key in there or key not in kinds}
            return jsonrpc.close(envelope.id, told)
        except Exception as error:
            return error_response(error, SPOKEN, envelope.id, "Method initialize")

    # The quirks, each in the answer of its method.

    def _shape(self, request: JsonRpcRequest, result: Data) -> None:
        match request.method:
            case "resources/list":
                for one in result["resources"]:
                    if one["uri"] in self.registry.unnamed:
                        del one["name"]  # S003-61
            case "resources/templates/list":
                for one in result["resourceTemplates"]:
                    one["uri"] = one.pop("uriTemplate")  # S003-63
            case "resources/read":
                self._shape_contents(request.params["uri"], result["contents"])
            case "prompts/list":
                for prompt in result["prompts"]:
                    for argument in prompt.get("arguments", ()):
                        argument["type"] = "string"  # S003-58; a prompt is given texts and nothing else

    def _shape_contents(self, uri: str, contents: list[Data]) -> None:
        """S003-64, S003-65: the first of them is called what the resource is, at the URI it was registered by."""
        feature, _ = self._server.registry.resource(uri, None)
        for first in contents[:1]:
            known = feature.definition
            told = {"name": known.name, "title": known.title}
            first |= {key: name for key, name in told.items() if name and key not in first}
            if isinstance(feature, TemplateFeature) and first["uri"] == uri:
                first["uri"] = self.registry.bases.get(feature.key, uri)


def _request(raw: bytes) -> JsonRpcRequest:
    try:
        data = codec.decode(raw)
    except ProtocolError:
        return JsonRpcRequest()
    if not isinstance(data, dict):
        return JsonRpcRequest()
    return JsonRpcRequest(**{name: data.get(name) for name in JsonRpcRequest.__struct_fields__})
