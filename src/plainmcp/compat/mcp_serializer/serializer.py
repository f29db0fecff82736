"""Answers requests as mcp-serializer does: plainmcp's response, with the differences applied to it."""

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
from .registry import REVISION, Data, MCPInitializer, MCPRegistry

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
        """The model as plain data."""
        data: Data = msgspec.to_builtins(self)
        return data


class JsonRpcRequest(_Model, kw_only=True):
    """A request or a notification; fields that could not be read are None."""

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
    """A JSON-RPC error."""

    code: int
    message: str
    data: Any = None


class JsonRpcErrorResponse(_Model, kw_only=True):
    """A response that carries an error; `id` is None if no id could be read."""

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
    """The data to send, or None, and in `history` an entry for each request."""

    def __init__(self, response_data: Data | list[Data] | None, history: list[ResponseEntry]) -> None:
        self.response_data = response_data
        self.history = history


class MCPSerializer:
    """Answers requests with the features of a registry and the announcements of an initializer."""

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
        self._server.registry = registry.server.registry  # several serializers may share one registry

    def process_request(self, request_data: Any) -> ResponseContext:
        """Answer a request, a notification or a batch of them, given as data, text or bytes."""
        try:
            raw = codec.to_bytes(request_data)
            batch = jsonrpc.decode_batch(raw)
            if batch is None:
                entry = self._answer(raw)
                return ResponseContext(entry.data, [entry])
            check_batch(self._server, batch, REVISION)
        except ProtocolError as error:
            entry = ResponseEntry(codec.decode(error_response(error, REVISION)), JsonRpcRequest())
            return ResponseContext(entry.data, [entry])
        history = [self._answer(bytes(part)) for part in batch]
        return ResponseContext([entry.data for entry in history if entry.data is not None] or None, history)

    def _answer(self, raw: bytes) -> ResponseEntry:
        request = _read_request(raw)
        try:
            envelope = jsonrpc.decode_message(raw)
        except ProtocolError as error:
            return ResponseEntry(codec.decode(error_response(error, REVISION)), request)
        if envelope.method == "initialize" and envelope.id:
            return ResponseEntry(codec.decode(self._initialize(envelope, request.params or {})), request)
        answer = run(dispatch(self._server, envelope, Caller(revision=REVISION)))
        data: Data | None = None if answer is None else codec.decode(answer)
        # A request on a later revision names it, and gets a response without differences.
        if data is not None and "result" in data and "resultType" not in data["result"]:
            self._apply_quirks(request, data["result"])
        return ResponseEntry(data, request)

    def _initialize(self, envelope: Envelope, params: Data) -> bytes:
        """The response to initialize: the initializer's result, with the capabilities that are really there."""
        try:
            # A copy: changes here, or by the caller later, must not reach the initializer.
            result = codec.decode(codec.encode(self.initializer.build_result(params)))
            kinds, present = ("tools", "resources", "prompts"), self._server.capabilities()
            capabilities = result.get("capabilities", {})
            result["capabilities"] = {
                key: one for key, one in capabilities.items() if key in present or key not in kinds
            }
            return jsonrpc.encode_result(envelope.id, result)
        except Exception as error:
            return error_response(error, REVISION, envelope.id, "Method initialize")

    # The differences, method by method.

    def _apply_quirks(self, request: JsonRpcRequest, result: Data) -> None:
        match request.method:
            case "resources/list":
                for one in result["resources"]:
                    if one["uri"] in self.registry.unnamed:
                        del one["name"]  # S003-61
            case "resources/templates/list":
                for one in result["resourceTemplates"]:
                    one["uri"] = one.pop("uriTemplate")  # S003-63
            case "resources/read":
                self._apply_content_quirks(request.params["uri"], result["contents"])
            case "prompts/list":
                for prompt in result["prompts"]:
                    for argument in prompt.get("arguments", ()):
                        argument["type"] = "string"  # S003-58; arguments of a prompt are always strings

    def _apply_content_quirks(self, uri: str, contents: list[Data]) -> None:
        """Give the first content its resource's name, title and registered URI (S003-64, S003-65)."""
        feature, _ = self._server.registry.resource(uri, None)
        for first in contents[:1]:
            names = {"name": feature.definition.name, "title": feature.definition.title}
            first |= {key: name for key, name in names.items() if name and key not in first}
            if isinstance(feature, TemplateFeature) and first["uri"] == uri:
                first["uri"] = self.registry.bases.get(feature.key, uri)


def _read_request(raw: bytes) -> JsonRpcRequest:
    try:
        data = codec.decode(raw)
    except ProtocolError:
        return JsonRpcRequest()
    if not isinstance(data, dict):
        return JsonRpcRequest()
    return JsonRpcRequest(**{name: data.get(name) for name in JsonRpcRequest.__struct_fields__})
