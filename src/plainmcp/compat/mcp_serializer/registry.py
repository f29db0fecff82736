"""What is registered and announced in that package: its registry and its initializer, on a server of ours."""

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
from .results import WEB, Noted, Openable, PromptsResult, noted, spoken_file

__all__ = ["SPOKEN", "Data", "MCPInitializer", "MCPRegistry"]

F = TypeVar("F", bound=Callable[..., Any])

Data: TypeAlias = dict[str, Any]
"""A JSON object."""

SPOKEN: Revision = replace(revisions.LATEST_HANDSHAKE, name="2024-11-05", batches=True, null_id=True)
"""What that package speaks: the oldest revision's name, and what later ones brought."""


class MCPRegistry:
    """What tools, prompts and resources are registered on; of two with the same name the later one counts."""

    def __init__(self) -> None:
        self.server = Server("mcp-serializer", policy="serializer")
        self.bases: dict[str, str] = {}  # by template: the URI it was made from
        self.unnamed: set[str] = set()  # links that nobody named

    def tool(
        self,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        annotations: Any = None,
    ) -> Callable[[F], F]:
        """Offer a function as a tool."""
        told: Any = {"name": name, "title": title, "description": description, "annotations": annotations}
        return self.server.tool(replace=True, **told)

    @with_checked_options("@registry.resource", 'write @registry.resource("memo://notes")')
    def resource(self, uri: str, annotations: Noted = None, **extra: Any) -> Callable[[F], F]:
        """Offer a function as a resource; one that takes parameters as a template that ends in them (S003-12).

        Takes besides name, title, description, mime_type and size.
        """

        def register(function: F) -> F:
            read = signature.read(function, context_type=Context)
            there = uri_template.compile(uri).names if uri_template.is_template(uri) else ()
            missing = [one.name for one in read.parameters if one.required and one.name not in there]
            found = uri
            if missing:
                slash = "" if uri.endswith("/") else "/"
                found = uri + slash + "/".join(f"{{{name}}}" for name in missing)
                self.bases[found] = uri if uri.endswith("://") else uri.rstrip("/")
            return self.server.resource(found, replace=True, annotations=noted(annotations), **extra)(function)

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
        told: Any = {"title": title, "description": description, "annotations": noted(annotations)}
        return self.server.add_file(file, uri, replace=True, **told)

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
        if not uri.startswith(WEB):
            raise AuthorError(f"{uri!r} is not on the web; it starts with http:// or https://")
        told: Any = {"title": title, "description": description, "size": size, "annotations": noted(annotations)}
        self.server.add_link(uri, name=name, mime_type=mime_type, replace=True, **told)
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
            return PromptsResult(role)._said(spoken_file(source.read(), None), None)

        said()  # what would fail whenever it is asked for fails now, where the author sees it
        self.prompt(name, title, description)(said)

    def definition(self, uri: str) -> Resource | ResourceTemplate | None:
        """What is listed under a URI or a template, or is read at the URI."""
        offer = self.server.registry
        listed = offer.templates.find(uri, None)
        if listed is not None:
            return listed.definition
        try:
            return offer.resource(uri, None)[0].definition
        except ResourceNotFound:
            return None


class MCPInitializer:
    """What is told to a client that begins; override `build_result` to tell each something else."""

    protocol_default_version = SPOKEN.name

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
