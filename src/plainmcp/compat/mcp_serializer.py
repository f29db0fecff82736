"""mcp-serializer's names: change the imports, and what was written for that package answers the same JSON.

Names and quirks only; every rule is plainmcp's own, under the policy "serializer". The quirks that are no choice of
a policy are put into the finished answer, a method at a time: see MCPSerializer.

>>> registry = MCPRegistry()
>>> @registry.tool()
... def greet(name: str):
...     return f"Hello, {name}!"
>>> serializer = MCPSerializer(MCPInitializer().add_server_info("greeter", "1.0").add_tools(), registry)
>>> call = {"name": "greet", "arguments": {"name": "Ada"}}
>>> answer = serializer.process_request({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
>>> answer.response_data["result"]
{'content': [{'type': 'text', 'text': 'Hello, Ada!'}]}
"""

from binascii import a2b_base64
from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import StrEnum
from os import PathLike
from typing import IO, Any, Self, TypeAlias, TypeVar

import msgspec

from .. import codec, exchange, jsonrpc, media, results, revisions, signature, uritemplate
from ..app import Server
from ..context import Context
from ..errors import AuthorError, InternalError, ProtocolError, ResourceNotFound
from ..features import TemplateFeature
from ..files import FileSource
from ..jsonrpc import Envelope
from ..media import Audio, File, Image
from ..methods.answering import incident
from ..revisions import Revision
from ..transports import drive
from ..types import (
    Annotations,
    ContentBlock,
    EmbeddedResource,
    Resource,
    ResourceContents,
    ResourceTemplate,
)

__all__ = [
    "JsonRpcError",
    "JsonRpcErrorResponse",
    "JsonRpcRequest",
    "JsonRpcSuccessResponse",
    "MCPInitializer",
    "MCPRegistry",
    "MCPSerializer",
    "PromptsResult",
    "ResourceResult",
    "ResponseContext",
    "ResponseEntry",
    "ToolsResult",
]

F = TypeVar("F", bound=Callable[..., Any])
Openable: TypeAlias = str | PathLike[str] | IO[str] | IO[bytes]
Noted: TypeAlias = Annotations | Mapping[str, Any] | None
Data: TypeAlias = dict[str, Any]

# What that package speaks: the oldest revision's name, and what later ones brought.
_SPOKEN: Revision = replace(revisions.LATEST_HANDSHAKE, name="2024-11-05", batches=True, null_id=True)
_WEB = ("http://", "https://")


# Results --------------------------------------------------------------------------------------------


class ToolsResult(results.ToolResult):
    """A tool's answer, piece by piece; every `add_…` returns the result itself."""

    def __init__(self, is_error: bool = False) -> None:
        super().__init__([], is_error=is_error)

    def add_text_content(self, text: str, annotations: Noted = None) -> Self:
        """Add a text."""
        return self.add_text(text, annotations=_noted(annotations))

    def add_image_content(self, data: str | bytes, mime_type: str | None = None, annotations: Noted = None) -> Self:
        """Add a picture: base64, or bytes."""
        return self.add_image(data=_bytes(data), format=mime_type, annotations=_noted(annotations))

    def add_audio_content(self, data: str | bytes, mime_type: str | None = None, annotations: Noted = None) -> Self:
        """Add a sound: base64, or bytes."""
        return self.add_audio(data=_bytes(data), format=mime_type, annotations=_noted(annotations))

    def add_file(  # type: ignore[override]
        self,
        file: Openable,
        uri: str | None = None,
        name: str | None = None,
        title: str | None = None,
        annotations: Noted = None,
    ) -> Self:
        """Embed a file, a path or an open one, as text or blob by its type."""
        return self._add(_embedded_file(file, annotations, uri=uri, name=name, title=title))

    def add_resource_link(
        self,
        uri: str,
        registry: "MCPRegistry | None" = None,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        mime_type: str | None = None,
        annotations: Noted = None,
    ) -> Self:
        """Link a resource; what is not said of it here is taken from the registry it is in."""
        known = None if registry is None else registry._definition(uri)
        if known is None and registry is not None and not uri.startswith(_WEB):
            raise AuthorError(f"no resource {uri!r} is registered, so it cannot be linked")
        told: Any = {
            "name": name,
            "title": title,
            "description": description,
            "mime_type": mime_type,
            "annotations": _noted(annotations),
        }
        if known is not None:
            found = (known.name, known.title, known.description, known.mimeType, known.annotations)
            told = {key: one or other for (key, one), other in zip(told.items(), found, strict=True)}
        return self.add_link(uri, **told)

    def add_embedded_resource(
        self,
        uri: str,
        text: str | None = None,
        blob: str | bytes | None = None,
        mime_type: str | None = None,
        name: str | None = None,
        title: str | None = None,
        annotations: Noted = None,
    ) -> Self:
        """Embed text or blob, which is base64 or bytes."""
        fields: Any = {"text": text, "blob": blob, "mime_type": mime_type, "name": name, "title": title}
        return self.add_resource(uri, annotations=_noted(annotations), **fields)

    def add_structured_content(self, content: Any) -> Self:
        """Say what the structured content is: a pydantic model, a dict, or any other object."""
        self.structured_content = content
        return self


class ResourceResult(results.ResourceResult):
    """A resource in several pieces; the first of them is called what the resource is, unless it has a name."""

    def add_text_content(
        self,
        text: str,
        mime_type: str | None = None,
        uri: str | None = None,
        name: str | None = None,
        title: str | None = None,
        annotations: Noted = None,
    ) -> Self:
        """Add a text."""
        told = _noted(annotations)
        return self.add_text(text, mime_type=mime_type, uri=uri, name=name, title=title, annotations=told)

    def add_binary_content(
        self,
        blob: str | bytes,
        mime_type: str | None = None,
        uri: str | None = None,
        name: str | None = None,
        title: str | None = None,
        annotations: Noted = None,
    ) -> Self:
        """Add bytes, as they are or in base64."""
        told = _noted(annotations)
        return self.add_bytes(_bytes(blob), mime_type=mime_type, uri=uri, name=name, title=title, annotations=told)

    def add_file(  # type: ignore[override]
        self,
        file: Openable,
        uri: str | None = None,
        name: str | None = None,
        title: str | None = None,
        annotations: Noted = None,
    ) -> Self:
        """Add a file, a path or an open one, as text or blob by its type."""
        source = FileSource(file)
        return self._add(
            results.Part(
                payload=source.read(),
                uri=uri or source.uri,
                mime_type=source.mime_type,
                name=name,
                title=title,
                annotations=_noted(annotations),
            )
        )


class PromptsResult(results.PromptResult):
    """A prompt of several messages; what says no role has that of the result, which is the user's if not given."""

    class Roles(StrEnum):
        """Who speaks."""

        USER = "user"
        ASSISTANT = "assistant"

    def __init__(self, role: Roles | str | None = None, description: str | None = None) -> None:
        super().__init__(description=description)
        self.default_role = role or self.Roles.USER

    def add_text(  # type: ignore[override]
        self,
        text: str,
        role: Roles | str | None = None,
        mime_type: str | None = None,
        annotations: Noted = None,
    ) -> Self:
        """Add a text."""
        super().add_text(text, self._role(role), annotations=_noted(annotations))
        self.messages[-1].content.mimeType = mime_type
        return self

    def add_image(  # type: ignore[override]
        self,
        data: str | bytes,
        mime_type: str | None = None,
        role: Roles | str | None = None,
        annotations: Noted = None,
    ) -> Self:
        """Add a picture: base64, or bytes."""
        return self._said(Image(data=_bytes(data), format=mime_type, annotations=_noted(annotations)), role)

    def add_audio(  # type: ignore[override]
        self,
        data: str | bytes,
        mime_type: str | None = None,
        role: Roles | str | None = None,
        annotations: Noted = None,
    ) -> Self:
        """Add a sound: base64, or bytes."""
        return self._said(Audio(data=_bytes(data), format=mime_type, annotations=_noted(annotations)), role)

    def add_file_message(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, file: Openable, role: Roles | str | None = None, annotations: Noted = None
    ) -> Self:
        """Add what a file holds as a message: a text, a picture or a sound."""
        return self._said(_spoken_file(FileSource(file).read(), _noted(annotations)), role)

    def add_file_resource(
        self,
        file: Openable,
        uri: str | None = None,
        role: Roles | str | None = None,
        mime_type: str | None = None,
        name: str | None = None,
        title: str | None = None,
        annotations: Noted = None,
    ) -> Self:
        """Embed a file, a path or an open one, as text or blob by its type."""
        told: Any = {"uri": uri, "mime_type": mime_type, "name": name, "title": title}
        return self._said(_embedded_file(file, annotations, **told), role)

    def add_embedded_resource(
        self,
        uri: str,
        role: Roles | str | None = None,
        name: str | None = None,
        title: str | None = None,
        mime_type: str | None = None,
        text: str | None = None,
        blob: str | bytes | None = None,
        annotations: Noted = None,
    ) -> Self:
        """Embed text or blob, which is base64 or bytes."""
        fields: Any = {"text": text, "blob": blob, "mime_type": mime_type, "name": name, "title": title}
        return self.add_resource(uri, self._role(role), annotations=_noted(annotations), **fields)

    def _said(self, content: Any, role: Roles | str | None) -> Self:
        return self._add(results.Turn(self._role(role), content))

    def _role(self, role: Roles | str | None) -> Any:
        return str(role or self.default_role)


def _noted(given: Noted) -> Annotations | None:
    """Annotations, whose audience may also be one role by itself."""
    if isinstance(given, Mapping) and isinstance(given.get("audience"), str):
        given = {**given, "audience": [given["audience"]]}
    return media.annotations_of(given)


def _bytes(data: str | bytes) -> bytes:
    if not isinstance(data, str):
        return data
    try:
        return a2b_base64(data, strict_mode=True)
    except ValueError as error:
        raise AuthorError(f"bytes or base64 are wanted, and this text is not base64: {error}") from None


def _embedded_file(
    file: Openable, annotations: Noted, *, uri: str | None, mime_type: str | None = None, **names: str | None
) -> EmbeddedResource:
    source = FileSource(file)
    found: ResourceContents = media.contents(source.read(), uri or source.uri, mime_type, extras=True)
    given: Data = {key: name for key, name in names.items() if name is not None}
    return EmbeddedResource(resource=msgspec.structs.replace(found, **given), annotations=_noted(annotations))


def _spoken_file(file: File, annotations: Annotations | None) -> ContentBlock:
    family = (file.mime_type or "").partition("/")[0]
    kind = {"image": Image, "audio": Audio}.get(family)
    if kind is not None:
        return media.block(kind(data=file.data, format=file.mime_type, annotations=annotations))
    return msgspec.structs.replace(media.text_block(file, extras=True), annotations=annotations)


# Registering ----------------------------------------------------------------------------------------


class MCPRegistry:
    """What tools, prompts and resources are registered on; of two with the same name the later one counts."""

    def __init__(self) -> None:
        self._server = Server("mcp-serializer", policy="serializer")
        self._bases: dict[str, str] = {}  # by template: the URI it was made from
        self._unnamed: set[str] = set()  # links that nobody named

    def tool(
        self,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        annotations: Any = None,
    ) -> Callable[[F], F]:
        """Offer a function as a tool."""
        told: Any = {"name": name, "title": title, "description": description, "annotations": annotations}
        return self._server.tool(replace=True, **told)

    def resource(self, uri: str, annotations: Noted = None, **extra: Any) -> Callable[[F], F]:
        """Offer a function as a resource; one that takes parameters as a template that ends in them (S003-12).

        Takes besides name, title, description, mime_type and size.
        """

        def register(function: F) -> F:
            read = signature.read(function, context_type=Context)
            there = uritemplate.compile(uri).names if uritemplate.is_template(uri) else ()
            missing = [one.name for one in read.parameters if one.required and one.name not in there]
            found = uri
            if missing:
                slash = "" if uri.endswith("/") else "/"
                found = uri + slash + "/".join(f"{{{name}}}" for name in missing)
                self._bases[found] = uri if uri.endswith("://") else uri.rstrip("/")
            return self._server.resource(found, replace=True, annotations=_noted(annotations), **extra)(function)

        return register

    def add_file_resource(
        self,
        file: Openable,
        uri: str | None = None,
        title: str | None = None,
        description: str | None = None,
        annotations: Noted = None,
    ) -> str:
        """Offer a file, a path or an open one, as a resource; gives its URI."""
        told: Any = {"title": title, "description": description, "annotations": _noted(annotations)}
        return self._server.add_file(file, uri, replace=True, **told)

    def add_http_resource(
        self,
        uri: str,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        mime_type: str | None = None,
        size: int | None = None,
        annotations: Noted = None,
    ) -> None:
        """List something on the web, which the client fetches by itself."""
        if not uri.startswith(_WEB):
            raise AuthorError(f"{uri!r} is not on the web; it starts with http:// or https://")
        told: Any = {"title": title, "description": description, "size": size, "annotations": _noted(annotations)}
        self._server.add_link(uri, name=name, mime_type=mime_type, replace=True, **told)
        (self._unnamed.discard if name else self._unnamed.add)(uri)

    def prompt(
        self, name: str | None = None, title: str | None = None, description: str | None = None
    ) -> Callable[[F], F]:
        """Offer a function as a prompt."""
        return self._server.prompt(replace=True, name=name, title=title, description=description)

    def add_text_prompt(
        self,
        name: str,
        text: str,
        role: PromptsResult.Roles | str | None = None,
        mime_type: str | None = None,
        title: str | None = None,
        description: str | None = None,
    ) -> None:
        """Offer a fixed text as a prompt."""
        said = PromptsResult(role).add_text(text, mime_type=mime_type)
        self.prompt(name, title, description)(lambda: said)

    def add_file_prompt(
        self,
        name: str,
        file: Openable,
        role: PromptsResult.Roles | str | None = None,
        title: str | None = None,
        description: str | None = None,
    ) -> None:
        """Offer what a file holds, read anew each time, as a prompt."""
        source = FileSource(file)

        def said() -> PromptsResult:
            return PromptsResult(role)._said(_spoken_file(source.read(), None), None)

        said()  # what would fail whenever it is asked for fails now, where the author sees it
        self.prompt(name, title, description)(said)

    def _definition(self, uri: str) -> Resource | ResourceTemplate | None:
        """What is listed under a URI or a template, or is read at the URI."""
        offer = self._server.registry
        listed = offer.templates.find(uri, None)
        if listed is not None:
            return listed.definition
        try:
            return offer.resource(uri, None)[0].definition
        except ResourceNotFound:
            return None


class MCPInitializer:
    """What is told to a client that begins; override `build_result` to tell each something else."""

    protocol_default_version = _SPOKEN.name

    def __init__(self, protocol_version: str | None = None, instructions: str | None = None) -> None:
        self.protocol_version = protocol_version or self.protocol_default_version
        self.instructions = instructions
        self.server_info: Data = {}
        self.capabilities: Data = {}

    def add_server_info(self, name: str, version: str, title: str | None = None) -> Self:
        """Say who the server is."""
        self.server_info = {"name": name, "version": version, **({"title": title} if title else {})}
        return self

    def add_prompt(self, list_changed: bool = False) -> Self:
        """Announce prompts, if any are registered."""
        self.capabilities["prompts"] = {"listChanged": list_changed}
        return self

    def add_resources(self, subscribe: bool = False, list_changed: bool = False) -> Self:
        """Announce resources, if any are registered."""
        self.capabilities["resources"] = {"subscribe": subscribe, "listChanged": list_changed}
        return self

    def add_tools(self, list_changed: bool = False) -> Self:
        """Announce tools, if any are registered."""
        self.capabilities["tools"] = {"listChanged": list_changed}
        return self

    def build_result(self, client_params: Data) -> Data:
        """The result of initialize, given what the client said."""
        told: Data = {
            "protocolVersion": self.protocol_version,
            "capabilities": dict(self.capabilities),
            "serverInfo": dict(self.server_info),
        }
        return told | ({"instructions": self.instructions} if self.instructions else {})


# Answering ------------------------------------------------------------------------------------------


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
            policy=registry._server.policy,
            page_size=page_size,
            batches=True,
        )
        self._server.registry = registry._server.registry  # one offer, however many answer for it

    def process_request(self, request_data: Any) -> ResponseContext:
        """Answer a request, a notification or a batch of them, given as data, text or bytes."""
        try:
            raw = codec.to_bytes(request_data)
            batch = jsonrpc.open_batch(raw)
            if batch is None:
                entry = self._entry(raw)
                return ResponseContext(entry.data, [entry])
            self._server.check_batch(batch, _SPOKEN)
        except ProtocolError as error:
            entry = ResponseEntry(codec.decode(exchange.failure(error, _SPOKEN)), JsonRpcRequest())
            return ResponseContext(entry.data, [entry])
        history = [self._entry(bytes(part)) for part in batch]
        return ResponseContext([entry.data for entry in history if entry.data is not None] or None, history)

    def _entry(self, raw: bytes) -> ResponseEntry:
        request = _request(raw)
        try:
            envelope = self._server.open_part(raw)
        except ProtocolError as error:
            return ResponseEntry(codec.decode(exchange.failure(error, _SPOKEN)), request)
        if envelope.method == "initialize" and envelope.id:
            return ResponseEntry(codec.decode(self._greeting(envelope, request.params or {})), request)
        answer = drive.run(exchange.begin(self._server, envelope, revision=_SPOKEN))
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
            return jsonrpc.close(envelope.id, codec.encode(told))
        except ProtocolError as error:
            return exchange.failure(error, _SPOKEN, envelope.id)
        except Exception:
            return exchange.failure(InternalError(incident("Method initialize")), _SPOKEN, envelope.id)

    # The quirks, each in the answer of its method.

    def _shape(self, request: JsonRpcRequest, result: Data) -> None:
        match request.method:
            case "resources/list":
                for one in result["resources"]:
                    if one["uri"] in self.registry._unnamed:
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
                first["uri"] = self.registry._bases.get(feature.key, uri)


def _request(raw: bytes) -> JsonRpcRequest:
    try:
        data = codec.decode(raw)
    except ProtocolError:
        return JsonRpcRequest()
    if not isinstance(data, dict):
        return JsonRpcRequest()
    return JsonRpcRequest(**{name: data.get(name) for name in JsonRpcRequest.__struct_fields__})
