"""The registry and the initializer of mcp-serializer, on top of a plainmcp server."""

from collections.abc import Callable
from typing import Any, Self, TypeAlias, TypeVar

from msgspec.structs import replace

from ... import revisions
from ...context import Context
from ...errors import AuthorError, ResourceNotFound
from ...protocol.files import FileSource
from ...protocol.option_check import with_checked_options
from ...revisions import Revision
from ...schema import signature
from ...server import Server
from ...types import Resource, ResourceTemplate
from ...wire import uri_template
from .results import WEB, AnnotationsLike, Openable, PromptsResult, to_annotations, to_message_content

__all__ = ["REVISION", "Data", "MCPInitializer", "MCPRegistry"]

F = TypeVar("F", bound=Callable[..., Any])

Data: TypeAlias = dict[str, Any]
"""A JSON object."""

REVISION: Revision = replace(revisions.LATEST_HANDSHAKE, name="2024-11-05", batches=True, null_id=True)
"""The revision of mcp-serializer: it has the name of the oldest one and features of later ones."""


class MCPRegistry:
    """Registers tools, prompts and resources; of two with the same name, the later one counts."""

    def __init__(self) -> None:
        self.server = Server("mcp-serializer", policy="serializer")
        self.bases: dict[str, str] = {}  # template -> the URI it was made from
        self.unnamed: set[str] = set()  # links without a name

    def tool(
        self,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        annotations: Any = None,
    ) -> Callable[[F], F]:
        """Offer a function as a tool."""
        options: Any = {"name": name, "title": title, "description": description, "annotations": annotations}
        return self.server.tool(replace=True, **options)

    @with_checked_options("@registry.resource", 'write @registry.resource("memo://notes")')
    def resource(self, uri: str, annotations: AnnotationsLike = None, **extra: Any) -> Callable[[F], F]:
        """Offer a function as a resource; parameters are added to the end of the URI as a template (S003-12).

        Also takes name, title, description, mime_type and size.
        """

        def register(function: F) -> F:
            read = signature.read(function, context_type=Context)
            names = uri_template.compile(uri).names if uri_template.is_template(uri) else ()
            missing = [one.name for one in read.parameters if one.required and one.name not in names]
            full_uri = uri
            if missing:
                slash = "" if uri.endswith("/") else "/"
                full_uri = uri + slash + "/".join(f"{{{name}}}" for name in missing)
                self.bases[full_uri] = uri if uri.endswith("://") else uri.rstrip("/")
            return self.server.resource(full_uri, replace=True, annotations=to_annotations(annotations), **extra)(
                function
            )

        return register

    def add_file_resource(
        self,
        file: Openable,
        uri: str | None = None,
        title: str | None = None,
        description: str | None = None,
        annotations: AnnotationsLike = None,
    ) -> str:
        """Offer a file as a resource and return its URI; takes a path or an open file."""
        options: Any = {"title": title, "description": description, "annotations": to_annotations(annotations)}
        return self.server.add_file(file, uri, replace=True, **options)

    def add_http_resource(
        self,
        uri: str,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        mime_type: str | None = None,
        size: int | None = None,
        annotations: AnnotationsLike = None,
    ) -> None:
        """List a web address, which the client fetches itself."""
        if not uri.startswith(WEB):
            raise AuthorError(f"{uri!r} is not on the web; it starts with http:// or https://")
        options: Any = {
            "title": title,
            "description": description,
            "size": size,
            "annotations": to_annotations(annotations),
        }
        self.server.add_link(uri, name=name, mime_type=mime_type, replace=True, **options)
        (self.unnamed.discard if name else self.unnamed.add)(uri)

    def prompt(
        self, name: str | None = None, title: str | None = None, description: str | None = None
    ) -> Callable[[F], F]:
        """Offer a function as a prompt."""
        return self.server.prompt(replace=True, name=name, title=title, description=description)

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
        result = PromptsResult(role).add_text(text, mime_type=mime_type)
        self.prompt(name, title, description)(lambda: result)

    def add_file_prompt(
        self,
        name: str,
        file: Openable,
        role: PromptsResult.Roles | str | None = None,
        title: str | None = None,
        description: str | None = None,
    ) -> None:
        """Offer the content of a file as a prompt; it is read for each request."""
        source = FileSource(file)

        def build() -> PromptsResult:
            return PromptsResult(role)._add_message(to_message_content(source.read(), None), None)

        build()  # a file that cannot be read fails now, where the author sees it
        self.prompt(name, title, description)(build)

    def definition(self, uri: str) -> Resource | ResourceTemplate | None:
        """The definition of the resource at a URI, or of a URI template; None if there is none."""
        registry = self.server.registry
        template = registry.templates.find(uri, None)
        if template is not None:
            return template.definition
        try:
            return registry.resource(uri, None)[0].definition
        except ResourceNotFound:
            return None


class MCPInitializer:
    """The announcements in the response to initialize; override `build_result` to vary them by client."""

    protocol_default_version = REVISION.name

    def __init__(self, protocol_version: str | None = None, instructions: str | None = None) -> None:
        self.protocol_version = protocol_version or self.protocol_default_version
        self.instructions = instructions
        self.server_info: Data = {}
        self.capabilities: Data = {}

    def add_server_info(self, name: str, version: str, title: str | None = None) -> Self:
        """Set the name, version and title of the server."""
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
        """The result of initialize for the client's parameters."""
        result: Data = {
            "protocolVersion": self.protocol_version,
            "capabilities": dict(self.capabilities),
            "serverInfo": dict(self.server_info),
        }
        return result | ({"instructions": self.instructions} if self.instructions else {})
