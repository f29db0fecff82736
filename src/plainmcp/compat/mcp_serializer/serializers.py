"""Answers requests as mcp-serializer does: plainmcp's response, with the differences applied to it."""

from typing import Any

from msgspec.structs import replace

from ... import revisions
from ...errors import MethodNotFound, ProtocolError
from ...protocol.dispatch import check_batch
from ...protocol.failures import error_response
from ...protocol.request import Caller
from ...revisions import Revision
from ...server import Server
from ...transports.run import run
from ...wire import codec, jsonrpc
from ...wire.jsonrpc import Envelope
from .blocks import Data, Model
from .calls import PROMPTS, TOOLS, Kind, unknown_error
from .initializer import DEFAULT_VERSION, MCPInitializer
from .registry import MCPRegistry

__all__ = [
    "JsonRpcError",
    "JsonRpcErrorResponse",
    "JsonRpcRequest",
    "JsonRpcSuccessResponse",
    "MCPSerializer",
    "ResponseContext",
    "ResponseEntry",
]


REVISION: Revision = replace(revisions.LATEST_HANDSHAKE, name=DEFAULT_VERSION, batches=True, null_id=True)
"""The revision of mcp-serializer: it has the name of the oldest one and features of later ones."""


class JsonRpcRequest(Model, kw_only=True):
    """A request or a notification; fields that could not be read are None."""

    jsonrpc: Any = None
    id: Any = None
    method: Any = None
    params: Any = None


class JsonRpcSuccessResponse(Model, kw_only=True):
    """A response that carries a result."""

    jsonrpc: str
    id: Any
    result: Any


class JsonRpcError(Model, kw_only=True):
    """A JSON-RPC error."""

    code: int
    message: str
    data: Any = None


class JsonRpcErrorResponse(Model, kw_only=True):
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
        try:
            if envelope.id:
                self._check_known(envelope)
            answer = run(self._server.dispatch(self._server, envelope, Caller(revision=REVISION)))
        except ProtocolError as error:
            answer = error_response(error, REVISION, envelope.id)
        data: Data | None = None if answer is None else codec.decode(answer)
        if data is not None:
            self._apply_quirks(request, data)
        return ResponseEntry(data, request)

    def _check_known(self, envelope: Envelope) -> None:
        """Refuse methods without features, and names of features that do not exist, with mcp-serializer's errors."""
        method, params, registry = envelope.method, envelope.params, self._server.registry
        feature_lists = registry.features_of.get(str(method))
        if feature_lists is not None and not any(feature_lists):
            raise MethodNotFound("Method not found", {"method": method})
        if not params:
            return
        if method == "tools/call":
            _check_name(params, TOOLS, registry.tools.registered)
        elif method == "prompts/get":
            _check_name(params, PROMPTS, registry.prompts.registered)
        elif method == "resources/read" and isinstance(params.uri, str):
            container = self.registry.resource_container
            assert container is not None  # there are resources
            entry, _ = container.find(params.uri)
            if entry.template is None:
                params.uri = entry.full_uri  # it may have a slash more or less at its end

    def _initialize(self, envelope: Envelope, params: Data) -> bytes:
        """The response to initialize: the initializer's result, with the capabilities that are really there."""
        try:
            # A copy: changes here, or by the caller later, must not reach the initializer.
            result = codec.decode(codec.encode(self.initializer.build_result(params)))
            kinds, present = ("tools", "resources", "prompts"), self._server.announced_capabilities()
            capabilities = result.get("capabilities", {})
            result["capabilities"] = {
                key: one for key, one in capabilities.items() if key in present or key not in kinds
            }
            return jsonrpc.encode_result(envelope.id, result)
        except Exception as error:
            return error_response(error, REVISION, envelope.id, "Method initialize")

    # The differences, method by method.

    def _apply_quirks(self, request: JsonRpcRequest, data: Data) -> None:
        """Change a response to what mcp-serializer sends; on a later revision, which a request names, only errors."""
        if "error" in data:
            details = data["error"].get("data")
            if request.method == "resources/read" and isinstance(details, dict) and details.get("uri", "") is None:
                details["uri"] = request.params["uri"]  # the function does not know it
            return
        result = data["result"]
        if "resultType" in result:
            return
        match request.method:
            case "resources/list":
                for one in result["resources"]:
                    if self._is_unnamed(one["uri"]):
                        del one["name"]  # S003-61
            case "resources/templates/list":
                for one in result["resourceTemplates"]:
                    one["uri"] = one.pop("uriTemplate")  # S003-63

    def _is_unnamed(self, uri: str) -> bool:
        container = self.registry.resource_container
        entry = None if container is None else container.entries.get(uri)
        return entry is not None and entry.metadata is None and not entry.extra.get("name")


def _check_name(params: Any, kind: Kind, registered: Any) -> None:
    if isinstance(params.name, str) and params.name not in registered:
        arguments = codec.decode(bytes(params.arguments)) if params.arguments else {}
        raise unknown_error(kind, params.name, arguments)


def _read_request(raw: bytes) -> JsonRpcRequest:
    try:
        data = codec.decode(raw)
    except ProtocolError:
        return JsonRpcRequest()
    if not isinstance(data, dict):
        return JsonRpcRequest()
    return JsonRpcRequest(**{name: data.get(name) for name in JsonRpcRequest.__struct_fields__})
