"""The one door: what a server is, what it offers, and the steps that answer a message. Does no I/O.

Running the steps is for the edges: see transports.drive, and app for the server people use.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from os import urandom
from time import time
from typing import Any, Literal, TypeVar, Unpack, overload

import msgspec

from .. import media, results
from ..errors import AuthorError, InvalidParams, OptionError
from ..policy import Policy
from ..revisions import Revision
from ..types import Icon, Implementation, ToolAnnotations
from ..values.encode import Rules
from ..wire import codec, mime
from . import describe, features, files
from .option_check import with_checked_options
from .options import (
    CompletionOptions,
    DirectoryOptions,
    FeatureDetails,
    FileOptions,
    PromptOptions,
    ResourceOptions,
    ToolOptions,
)
from .registry import Registry

__all__ = ["Core"]

F = TypeVar("F", bound=Callable[..., Any])
_log = logging.getLogger("plainmcp")

_NOT_GIVEN: Any = object()
_BRACE = ord("{")
MAX_BATCH = 100
"""How many messages one batch may hold."""


class Core:
    """A server without I/O: features go in by decorator, messages by `receive`."""

    @with_checked_options("Server", 'write Server("weather", version="1.0.0")')
    def __init__(
        self,
        name: str,
        version: str = "0.0.0",
        *,
        title: str | None = None,
        description: str | None = None,
        instructions: str | None = None,
        website_url: str | None = None,
        icons: Sequence[Icon] | None = None,
        policy: Policy | str = Policy.standard,
        page_size: int | None = None,
        lenient_arguments: bool = True,
        cache: tuple[int, str] = (0, "private"),
        extensions: dict[str, Any] | None = None,
        key: bytes | None = None,
        state_seconds: float = 600,
        timeout: float | None = None,
        threads: int = 32,
        batches: bool = False,
        now: Callable[[], float] = time,
    ) -> None:
        if not name:
            raise AuthorError("a server needs a name")
        if page_size is not None and page_size < 1:
            raise AuthorError("page_size is at least 1, or None for lists in one piece")
        if threads < 1:
            raise AuthorError("threads is at least 1")
        _check_seconds("timeout", timeout)
        _check_seconds("state_seconds", state_seconds)
        self.info = Implementation(
            name=name,
            title=title,
            version=version,
            description=description,
            websiteUrl=website_url,
            icons=list(icons) if icons else None,
        )
        self.instructions = instructions
        self.policy = Policy.of(policy)
        self.page_size = page_size
        self.cache = features.checked_cache(cache)
        self.extensions = extensions or {}
        if key is not None and len(key) < 16:
            raise AuthorError("a key is at least 16 bytes, such as secrets.token_bytes(32) once made and kept")
        self._key = key or urandom(32)  # drawn before any process is forked: workers open what others have sealed
        self._is_key_drawn = key is None
        self.state_seconds = state_seconds
        self.timeout = timeout
        self.threads = threads  # how many plain functions may run at a time
        self.batches = batches
        self.now = now
        self.rules = Rules()
        self.registry = Registry(self.policy)
        self._lenient = lenient_arguments
        self._infos: dict[str, Any] = {}

    # Registering ----------------------------------------------------------------------------------

    @overload
    def tool(self, function: F, /, **options: Unpack[ToolOptions]) -> F: ...
    @overload
    def tool(self, /, **options: Unpack[ToolOptions]) -> Callable[[F], F]: ...
    @with_checked_options("@server.tool", "write @server.tool, or @server.tool(name=…)")
    def tool(self, function: Any = _NOT_GIVEN, /, **options: Unpack[ToolOptions]) -> Any:
        """Offer a function as a tool: `@server.tool`, or `@server.tool(name=…, render="table", …)`.

        Takes name, title, description, input_schema, output_schema, annotations, icons, meta, render, policy,
        visible, needs, inline, timeout and replace.
        """

        def register(function: F) -> F:
            given, replace = self._common_options(options)
            if isinstance(given.get("annotations"), dict):
                given["annotations"] = _convert_option(ToolAnnotations, given["annotations"], "annotations")
            policy = Policy.of(given.pop("policy", self.policy))
            feature = features.tool(function, policy, self.rules, lenient=self._lenient, **given)
            self.registry.tools.add(feature, replace)
            return function

        return register if function is _NOT_GIVEN else register(_function(function, "@server.tool"))

    @with_checked_options("@server.resource", 'write @server.resource("memo://notes")')
    def resource(self, uri: str, **options: Unpack[ResourceOptions]) -> Callable[[F], F]:
        """Offer a function as the resource at a URI, or, where the URI has {variables}, as a family of them.

        Takes name, title, description, mime_type, size, annotations, icons, meta, cache, visible, needs, inline,
        timeout and replace.
        """

        def register(function: F) -> F:
            given, replace = self._common_options(options)
            given["annotations"] = media.annotations_of(given.get("annotations"))
            feature = features.resource(uri, function, self.policy, self.rules, **given)
            shelf: Any = (
                self.registry.templates if isinstance(feature, features.TemplateFeature) else self.registry.resources
            )
            shelf.add(feature, replace)
            return function

        return register

    @overload
    def prompt(self, function: F, /, **options: Unpack[PromptOptions]) -> F: ...
    @overload
    def prompt(self, /, **options: Unpack[PromptOptions]) -> Callable[[F], F]: ...
    @with_checked_options("@server.prompt", "write @server.prompt, or @server.prompt(name=…)")
    def prompt(self, function: Any = _NOT_GIVEN, /, **options: Unpack[PromptOptions]) -> Any:
        """Offer a function as a prompt: `@server.prompt`, or `@server.prompt(name=…, title=…, …)`."""

        def register(function: F) -> F:
            given, replace = self._common_options(options)
            self.registry.prompts.add(features.prompt(function, self.policy, self.rules, **given), replace)
            return function

        return register if function is _NOT_GIVEN else register(_function(function, "@server.prompt"))

    def _common_options(self, options: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
        """The options of a feature, and whether it replaces another; raises AuthorError."""
        given: dict[str, Any] = {"timeout": self.timeout, **options}
        _check_seconds("timeout", given["timeout"])
        if given.get("icons"):
            given["icons"] = list(given["icons"])
        return given, bool(given.pop("replace", False))

    @with_checked_options("@server.completion", 'write @server.completion("prompt", "argument")')
    def completion(self, ref: str, argument: str, **options: Unpack[CompletionOptions]) -> Callable[[F], F]:
        """Suggest values for an argument of a prompt (by its name) or of a resource template (by its URI).

        The function is given what was typed and, if it takes a second parameter, the other arguments so far.
        """

        _check_seconds("timeout", options.get("timeout"))

        def register(function: F) -> F:
            feature = features.completion(function, ref, argument, **options)
            if feature.key in self.registry.completions:
                raise AuthorError(f"{argument!r} of {ref!r} is completed already")
            self.registry.completions[feature.key] = feature
            return function

        return register

    @with_checked_options("server.serializer", "write server.serializer(Class, function)")
    def serializer(self, kind: type, to_jsonable: Callable[[Any], Any]) -> None:
        """Send values of a class as whatever a function makes of them."""
        if kind is str:
            raise AuthorError("a str is sent as it is; give a class of your own a serializer")
        self.rules.add(kind, to_jsonable)
        for tool in list(self.registry.tools):  # what a class becomes is no longer told by its hints
            self.registry.tools.add(features.redeclare(tool, tool.policy), replace=True)

    @with_checked_options("server.add_file", 'write server.add_file("notes.md")')
    def add_file(self, file: Any, uri: str | None = None, **options: Unpack[FileOptions]) -> str:
        """Offer a file as a resource, read again each time; gives its URI. Takes what `resource` takes, and root."""
        given: dict[str, Any] = {**options}
        reading = {name: given.pop(name) for name in ("root", "links", "max_size") if name in given}
        source = files.FileSource(file, **reading)
        uri = uri or source.uri

        def read() -> Any:
            return source.read(uri)

        found: dict[str, Any] = {"name": source.name, "mime_type": source.mime_type, "size": source.size()}
        self.resource(uri, **(found | given))(read)
        return uri

    @with_checked_options("server.add_directory", 'write server.add_directory("docs://", "docs")')
    def add_directory(self, prefix: str, root: Any, **options: Unpack[DirectoryOptions]) -> None:
        """Offer the files below a directory, each at the prefix and its path; none outside it can be reached."""
        given: dict[str, Any] = {**options}
        reading = {name: given.pop(name) for name in ("links", "max_size", "hidden") if name in given}
        directory = files.Directory(root, **reading)

        def read(path: str) -> Any:
            return directory.read(path, prefix + path)

        given.setdefault("name", prefix.rstrip("/:").rpartition("/")[2] or prefix)
        self.resource(f"{prefix}{{+path}}", **given)(read)

    @with_checked_options("server.add_link", 'write server.add_link("https://example.com/page")')
    def add_link(self, uri: str, **options: Unpack[ResourceOptions]) -> None:
        """List a resource that the client fetches by itself, such as a page on the web."""
        given: dict[str, Any] = {**options}
        given["name"] = given.get("name") or uri.rstrip("/").rpartition("/")[2] or uri
        given["mime_type"] = given.get("mime_type") or mime.mime_of_name(uri)

        def elsewhere() -> Any:
            raise InvalidParams(f"{uri} is not read through this server; fetch it directly")

        self.resource(uri, **given)(elsewhere)

    @with_checked_options("server.add_text_prompt", 'write server.add_text_prompt("greeting", "Say hello.")')
    def add_text_prompt(
        self,
        name: str,
        text: str,
        *,
        role: Literal["user", "assistant"] = "user",
        **options: Unpack[FeatureDetails],
    ) -> None:
        """Offer a fixed text as a prompt."""
        turn = results.Turn(role, text)

        def read() -> Any:
            return results.PromptResult([turn])

        self.prompt(name=name, **options)(read)

    @with_checked_options("server.add_file_prompt", 'write server.add_file_prompt("review", "review.md")')
    def add_file_prompt(
        self,
        name: str,
        file: Any,
        *,
        role: Literal["user", "assistant"] = "user",
        **options: Unpack[FeatureDetails],
    ) -> None:
        """Offer the text of a file, read again each time, as a prompt."""
        source = files.FileSource(file)
        results.Turn(role, "")  # what cannot be a role fails now, where the author sees it

        def read() -> Any:
            return results.PromptResult([results.Turn(role, source.read(), as_text=True)])

        self.prompt(name=name, **options)(read)

    def remove_tool(self, name: str) -> None:
        """No longer offer a tool."""
        self.registry.tools.remove(name)

    def remove_resource(self, uri: str) -> None:
        """No longer offer a resource or a template."""
        shelf: Any = self.registry.resources if uri in self.registry.resources else self.registry.templates
        shelf.remove(uri)

    def remove_prompt(self, name: str) -> None:
        """No longer offer a prompt."""
        self.registry.prompts.remove(name)

    def resource_updated(self, uri: str) -> None:
        """Tell those who subscribed to a resource that it changed."""
        self.registry.publish("resources/updated", uri)

    @cached_property
    def key(self) -> bytes:
        """What state that travels through clients is sealed with."""
        if self._is_key_drawn:
            _log.info(
                "no key= was given: what is sealed here can be opened by workers of this server only, until it ends"
            )
        return self._key

    # What the methods ask of us -------------------------------------------------------------------

    def capabilities(self) -> dict[str, Any]:
        """What is on offer, as capabilities; only what there is (TOOL-01, RES-01, PROM-01, COMP-01)."""
        registry, offered = self.registry, {}
        if len(registry.tools):
            offered["tools"] = {"listChanged": True}
        if len(registry.resources) or len(registry.templates):
            offered["resources"] = {"subscribe": True, "listChanged": True}
        if len(registry.prompts):
            offered["prompts"] = {"listChanged": True}
        if registry.completions:
            offered["completions"] = {}
        offered["logging"] = {}
        if self.extensions:
            offered["extensions"] = self.extensions
        return offered

    def info_for(self, revision: Revision) -> Any:
        """Who we are, as a revision says it."""
        found = self._infos.get(revision.name)
        if found is None:
            found = self._infos[revision.name] = describe.implementation(self.info, revision)
        return found


def _function(given: Any, where: str) -> Any:
    """What was given by position in the place of a function, if it may be one; raises OptionError."""
    if isinstance(given, str):
        raise OptionError(
            f"{where} takes a function by position, and its options by name: write {where}(name={given!r})"
        )
    return given


def _check_seconds(name: str, given: float | None) -> None:
    if given is not None and not given > 0:
        raise AuthorError(f"{name} is a number of seconds, more than 0; not {given!r}")


def _convert_option(kind: Any, given: dict[str, Any], what: str) -> Any:
    try:
        return codec.convert(given, kind)
    except msgspec.ValidationError as error:
        raise AuthorError(f"{what}: {error}") from None
