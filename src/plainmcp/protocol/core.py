"""The server without I/O: its settings, and the registration of its features.

`protocol.dispatch` answers messages, the modules of `transports` run what is to be run, and `server` puts all this
together in the class that users create.
"""

import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from os import urandom
from time import time
from typing import Any, Literal, Protocol, TypeVar, Unpack, overload

import msgspec

from .. import media, results
from ..errors import AuthorError, InvalidParams, OptionError
from ..policy import Policy
from ..revisions import Revision
from ..types import Icon, Implementation, ToolAnnotations
from ..values.encode import Rules
from ..wire import codec, mime, uri_template
from ..wire.jsonrpc import Envelope
from . import describe, features, files, mount
from .exchange import Exchange
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
from .prefix import Prefix
from .registry import Registry
from .request import Caller
from .scopes import Implies, check_requirement, compile_missing
from .switches import selection_of

__all__ = ["Core"]

F = TypeVar("F", bound=Callable[..., Any])
_log = logging.getLogger("plainmcp")

_NOT_GIVEN: Any = object()


class Life(Protocol):
    """What starts before the first request of a server and ends with it, as transports use it: its lifespan."""

    def start(self) -> None:
        """Start it, unless it has started, and wait until it has."""

    async def start_async(self) -> None:
        """Start it in this loop, unless it has started, and wait until it has."""

    def close(self) -> None:
        """End it, if it has started."""

    async def close_async(self) -> None:
        """End it, if it has started, and wait for its end."""


class EnteredLife(Life, Protocol):
    """A lifespan, which the first request starts where nothing else has."""

    @property
    def middleware(self) -> Any:
        """Starts it before a request."""


def is_store(value: Any) -> bool:
    """Whether a value is a `plainmcp.store.Store`."""
    return not isinstance(value, type) and all(hasattr(value, name) for name in ("append", "change", "read"))


def check_store(store: Any) -> Any:
    """A store, or None; raises AuthorError for anything else."""
    if store is None or is_store(store):
        return store
    raise AuthorError(
        'store= must be an object such as RedisStore("redis://…"), or another plainmcp.store.Store; '
        f"not {getattr(store, '__name__', type(store).__name__)}"
    )


def check_key(core: "Core", option: str) -> None:
    """Refuse an option that needs a key which all processes have, where there is none; raises AuthorError."""
    if not core.is_key_shared:
        raise AuthorError(
            f"{option} needs the same Server(key=…) in all processes: draw it once with secrets.token_bytes(32), "
            "and keep it where you keep other secrets"
        )


class Core:
    """A server without I/O: its settings, and the features that its decorators register."""

    methods: Mapping[str, Any]
    """The rows of the methods that it answers, by name (see methods); middleware is in there."""
    dispatch: Callable[["Core", Envelope, Caller], Exchange]
    """The function that starts to answer a message; observers are in there."""
    observers: tuple[Callable[[Any], Any], ...] = ()
    """The functions that see each request begin and end."""
    session_observers: tuple[Callable[[Any], Any], ...] = ()
    """The functions that see each session begin and end."""
    added_methods: Mapping[str, Any] = {}
    """The rows of the methods that its author has added, by name."""
    own_methods: Mapping[str, Callable[..., Any]] = {}
    """Functions of a server's own that answer methods in place of those of the protocol."""
    own_notifications: Mapping[str, Callable[["Core", Envelope, Caller], Exchange]] = {}
    """Functions of a server's own that start to handle notifications of clients, by method."""
    allows_new_handshake: bool = False
    """Whether a client may initialize a connection again."""
    caches: Mapping[str, tuple[int, Any]] = {}
    """How long clients may keep the results of a method, and for whom, where that is not as `cache` says."""
    prefix_class: type[Prefix] = Prefix
    """How the prefix of a mounted server is put into its URIs."""
    allows_any_name: bool = False
    """Whether tools may have names that some clients refuse."""
    compile_uri: Callable[[str], Any] = staticmethod(uri_template.compile)
    """Makes the template of a resource from its URI: an object with `names` and `match`."""
    first_log_level: str = "warning"
    """The lowest level of log messages that are sent to a client of a handshake revision before it sets one."""
    chain: tuple[Any, ...] = ()
    """The middleware that is around the features, also where the server is mounted in another one."""
    life: "EnteredLife | None" = None
    """The lifespan of the server, if it has one."""
    presence: "Life | None" = None
    """The place of this process among those that share the store, if there is one."""

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
        policy: Policy | str = "standard",
        page_size: int | None = None,
        lenient_arguments: bool = True,
        cache: tuple[int, str] = (0, "private"),
        extensions: dict[str, Any] | None = None,
        key: bytes | None = None,
        state_seconds: float = 600,
        timeout: float | None = None,
        threads: int = 88,
        threads_per_caller: int | None = None,
        max_waiting_threads: int = 256,
        batches: bool = False,
        mask_errors: bool = True,
        now: Callable[[], float] = time,
        lifespan: Callable[..., Any] | None = None,
        middleware: Sequence[Callable[..., Any]] = (),
        observe: Callable[..., Any] | Sequence[Callable[..., Any]] = (),
        implies: Implies | None = None,
        offers: Collection[str] = (),
        store: Any = None,
    ) -> None:
        if not name:
            raise AuthorError("a server needs a name")
        if page_size is not None and page_size < 1:
            raise AuthorError("page_size is at least 1, or None for lists in one piece")
        if threads < 1:
            raise AuthorError("threads is at least 1")
        if threads_per_caller is not None and threads_per_caller < 1:
            raise AuthorError("threads_per_caller is at least 1, or None for a share of those that are free")
        if max_waiting_threads < 0:
            raise AuthorError("max_waiting_threads is at least 0")
        check_seconds("timeout", timeout)
        check_seconds("state_seconds", state_seconds)
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
        self.cache = features.check_cache(cache)
        self.extensions = extensions or {}
        if key is not None and len(key) < 16:
            raise AuthorError("a key is at least 16 bytes, such as secrets.token_bytes(32) once made and kept")
        self._key = key or urandom(32)  # set before any fork: workers open what other workers have sealed
        self._is_key_drawn = key is None
        self.is_key_shared = key is not None  # whether other processes have the same key
        self.state_seconds = state_seconds
        self.timeout = timeout
        self.threads = threads  # how many plain functions may run at the same time
        self.threads_per_caller = threads_per_caller  # over HTTP; None for a share of those that are free
        self.max_waiting_threads = max_waiting_threads  # beside these: for answers, or after they were given up
        self.batches = batches
        self.mask_errors = mask_errors  # whether clients are not sent the text of unexpected exceptions
        self.now = now
        self.implies = implies
        self.is_missing = compile_missing(implies)
        """Whether the scopes of a caller lack one of those that are required."""
        self.store = check_store(store)
        """What several processes of this server share; None if there is one process."""
        self.lifespan: Any = None  # the value of the lifespan, once it has started
        self.rules = Rules()
        self.registry = Registry(self.policy, offers)
        self.mounted: list[Core] = []
        """The servers that are mounted in this one, in their order."""
        self._parents: list[Core] = []  # the servers in which this one is mounted
        self._lenient = lenient_arguments
        self._infos: dict[str, Any] = {}
        self._set_up(lifespan, middleware, (observe,) if callable(observe) else observe)

    def _set_up(
        self,
        lifespan: Callable[..., Any] | None,
        middleware: Sequence[Callable[..., Any]],
        observers: Sequence[Callable[..., Any]],
    ) -> None:
        """Compile the lifespan, the middleware and the observers: a task of the class that knows how they run."""

    def _compile_methods(self) -> None:
        """Put the middleware around the methods again: a task of the same class."""

    # Registering ----------------------------------------------------------------------------------

    @overload
    def tool(self, function: F, /, **options: Unpack[ToolOptions]) -> F: ...
    @overload
    def tool(self, /, **options: Unpack[ToolOptions]) -> Callable[[F], F]: ...
    @with_checked_options("@server.tool", "write @server.tool, or @server.tool(name=…)")
    def tool(self, function: Any = _NOT_GIVEN, /, **options: Unpack[ToolOptions]) -> Any:
        """Offer a function as a tool: `@server.tool`, or `@server.tool(name=…, render="table", …)`.

        Takes name, title, description, input_schema, output_schema, annotations, icons, meta, render, policy,
        visible, requires, needs, inline, timeout and replace.
        """

        def register(function: F) -> F:
            details, replace = self._common_options(options)
            if isinstance(details.get("annotations"), dict):
                details["annotations"] = _convert_option(ToolAnnotations, details["annotations"], "annotations")
            policy = Policy.of(details.pop("policy", self.policy))
            details |= {"lenient": self._lenient, "any_name": self.allows_any_name}
            feature = features.tool(function, policy, self.rules, **details)
            self.registry.tools.add(feature, replace)
            return function

        return register if function is _NOT_GIVEN else register(_check_function(function, "@server.tool"))

    @with_checked_options("@server.resource", 'write @server.resource("memo://notes")')
    def resource(self, uri: str, **options: Unpack[ResourceOptions]) -> Callable[[F], F]:
        """Offer a function as the resource at a URI, or, where the URI has {variables}, as a resource template.

        Takes name, title, description, mime_type, size, annotations, icons, meta, cache, visible, requires, needs,
        inline, timeout and replace.
        """

        def register(function: F) -> F:
            details, replace = self._common_options(options)
            details |= {
                "annotations": media.annotations_of(details.get("annotations")),
                "compile_uri": self.compile_uri,
            }
            feature = features.resource(uri, function, self.policy, self.rules, **details)
            is_template = isinstance(feature, features.TemplateFeature)
            feature_list: Any = self.registry.templates if is_template else self.registry.resources
            feature_list.add(feature, replace)
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
            details, replace = self._common_options(options)
            self.registry.prompts.add(features.prompt(function, self.policy, self.rules, **details), replace)
            return function

        return register if function is _NOT_GIVEN else register(_check_function(function, "@server.prompt"))

    def _common_options(self, options: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
        """The options of a feature, and whether it replaces another; raises AuthorError."""
        details: dict[str, Any] = {"timeout": self.timeout, **options}
        check_seconds("timeout", details["timeout"])
        details["tags"] = _check_tags(details.get("tags") or ())
        details["requires"] = check_requirement(details.get("requires"))
        if details.get("icons"):
            details["icons"] = list(details["icons"])
        return details, bool(details.pop("replace", False))

    @with_checked_options("@server.completion", 'write @server.completion("prompt", "argument")')
    def completion(self, ref: str, argument: str, **options: Unpack[CompletionOptions]) -> Callable[[F], F]:
        """Suggest values for an argument of a prompt (by its name) or of a resource template (by its URI).

        The function gets the text typed so far and, if it has a second parameter, the other arguments that are known.
        """

        check_seconds("timeout", options.get("timeout"))

        def register(function: F) -> F:
            feature = features.completion(function, ref, argument, **options)
            if feature.key in self.registry.completions:
                raise AuthorError(f"{argument!r} of {ref!r} is completed already")
            self.registry.completions.add(feature)
            return function

        return register

    @with_checked_options("server.serializer", "write server.serializer(Class, function)")
    def serializer(self, kind: type, to_jsonable: Callable[[Any], Any]) -> None:
        """Send values of a class as the JSON data that a function returns for them."""
        if kind is str:
            raise AuthorError("a str is sent as it is; give a class of your own a serializer")
        self.rules.add(kind, to_jsonable)
        for tool in list(self.registry.tools.registered.values()):  # their output schemas may change
            if not tool.through:  # a mounted server has serializers of its own
                self.registry.tools.add(features.redeclare(tool, tool.policy), replace=True)

    @with_checked_options("server.add_file", 'write server.add_file("notes.md")')
    def add_file(self, file: Any, uri: str | None = None, **options: Unpack[FileOptions]) -> str:
        """Offer a file as a resource, read for each request; returns its URI.

        Takes the options of `resource`, and root, links and max_size.
        """
        details: dict[str, Any] = {**options}
        settings = {name: details.pop(name) for name in ("root", "links", "max_size") if name in details}
        source = files.FileSource(file, **settings)
        uri = uri or source.uri

        @files.reads_file
        def read() -> Any:
            return source.read(uri)

        defaults: dict[str, Any] = {"name": source.name, "mime_type": source.mime_type, "size": source.size()}
        self.resource(uri, **(defaults | details))(read)
        return uri

    @with_checked_options("server.add_directory", 'write server.add_directory("docs://", "docs")')
    def add_directory(self, prefix: str, root: Any, **options: Unpack[DirectoryOptions]) -> None:
        """Offer the files below a directory, but none outside it. The URI of each is the prefix and its path."""
        details: dict[str, Any] = {**options}
        settings = {name: details.pop(name) for name in ("links", "max_size", "hidden") if name in details}
        directory = files.Directory(root, **settings)

        @files.reads_file
        def read(path: str) -> Any:
            return directory.read(path, prefix + path)

        details.setdefault("name", prefix.rstrip("/:").rpartition("/")[2] or prefix)
        self.resource(f"{prefix}{{+path}}", **details)(read)

    @with_checked_options("server.add_link", 'write server.add_link("https://example.com/page")')
    def add_link(self, uri: str, **options: Unpack[ResourceOptions]) -> None:
        """List a resource that the client fetches by itself, such as a page on the web."""
        details: dict[str, Any] = {**options}
        details["name"] = details.get("name") or uri.rstrip("/").rpartition("/")[2] or uri
        details["mime_type"] = details.get("mime_type") or mime.mime_of_name(uri)

        def refuse() -> Any:
            raise InvalidParams(f"{uri} is not read through this server; fetch it directly")

        self.resource(uri, **details)(refuse)

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
        """Offer the text of a file, read for each request, as a prompt."""
        source = files.FileSource(file)
        results.Turn(role, "")  # a wrong role fails now, where the author sees it

        @files.reads_file
        def read() -> Any:
            return results.PromptResult([results.Turn(role, source.read(), as_text=True)])

        self.prompt(name=name, **options)(read)

    def remove_tool(self, name: str) -> None:
        """No longer offer a tool."""
        self.registry.tools.remove(name)

    def remove_resource(self, uri: str) -> None:
        """No longer offer a resource or a template."""
        registry = self.registry
        feature_list: Any = registry.resources if uri in registry.resources.registered else registry.templates
        feature_list.remove(uri)

    def remove_prompt(self, name: str) -> None:
        """No longer offer a prompt."""
        self.registry.prompts.remove(name)

    # Composition ----------------------------------------------------------------------------------

    @with_checked_options("server.mount", 'write server.mount(other, prefix="weather")')
    def mount(self, other: "Core", prefix: str | None = None) -> None:
        """Offer the features of another server, also those that it registers or removes later.

        With a prefix, the names of its tools and prompts become `prefix_name`, and its URIs `scheme://prefix/rest`.
        The other server's policy, serializers, time limits, middleware and lifespan still apply to them. Raises
        AuthorError if two features would have the same name, now or when one is registered later.
        """
        before = self.prefix_class(prefix or "")
        mount.check_mount(self.registry, other.registry, before)
        mount.add_copies(self.registry, other.registry, before, other)
        self.mounted.append(other)
        other._parents.append(self)
        self._compile_methods()

    def _mounted_servers(self) -> Iterator["Core"]:
        """The servers that are mounted in this one, also indirectly."""
        for server in self.mounted:
            yield server
            yield from server._mounted_servers()

    def lives(self) -> list["Life"]:
        """The lifespans of this server and of those that are mounted in it; a transport that serves starts them."""
        return [life for server in (self, *self._mounted_servers()) for life in server.own_lives()]

    def own_lives(self) -> list["Life"]:
        """The lifespan of this server, if it has one, and its place among the processes that share its store."""
        return [life for life in (self.presence, self.life) if life is not None]

    @with_checked_options("server.enable", 'write server.enable(tags=["admin"])')
    def enable(
        self,
        *,
        tags: Collection[str] | None = None,
        names: Collection[str] | None = None,
        kinds: Collection[Literal["tool", "resource", "template", "prompt"]] | None = None,
        only: bool = False,
    ) -> None:
        """Offer features that were disabled: those with one of the tags, and one of the names (or URIs) if given.

        The rule also holds for features that are registered later; a later rule outranks an earlier one. With `only`,
        all other features are disabled, and earlier rules are forgotten.
        """
        self.registry.switch(selection_of("server.enable", tags, names, kinds), True, only)

    @with_checked_options("server.disable", 'write server.disable(tags=["admin"])')
    def disable(
        self,
        *,
        tags: Collection[str] | None = None,
        names: Collection[str] | None = None,
        kinds: Collection[Literal["tool", "resource", "template", "prompt"]] | None = None,
    ) -> None:
        """Do not offer features until they are enabled again: clients neither see them nor can use them.

        Takes the options of `enable`, without `only`.
        """
        self.registry.switch(selection_of("server.disable", tags, names, kinds), False)

    def resource_updated(self, uri: str) -> None:
        """Notify the subscribers of a resource that it changed.

        With a store, those at all processes. A process that has not started the server may end as soon as this
        returns: then the store has the change. Raises StoreError if the store does not take it there.
        """
        self.registry.publish("resources/updated", uri)

    @cached_property
    def key(self) -> bytes:
        """The key that seals state which clients carry from request to request."""
        if self._is_key_drawn:
            _log.info(
                "no key= was given: what is sealed here can be opened by workers of this server only, until it ends"
            )
        return self._key

    # Facts for the methods ------------------------------------------------------------------------

    def cache_of(self, method: str) -> tuple[int, Any]:
        """For how many milliseconds clients may keep the result of a method, and for whom."""
        return self.caches.get(method, self.cache)

    def announced_capabilities(self) -> dict[str, Any]:
        """The capabilities of the server, by its features (TOOL-01, RES-01, PROM-01, COMP-01), and what it offers.

        Features that are disabled count: clients have to know that the list may change.
        """
        offered = {name: {**details} for name, details in _CAPABILITIES.items() if self.registry.is_offered(name)}
        offered["logging"] = {}
        of_methods: dict[str, Any] = {row.extension: {} for row in self.methods.values() if row.extension is not None}
        if self.extensions or of_methods:
            offered["extensions"] = {**of_methods, **self.extensions}
        return offered

    def info_for(self, revision: Revision) -> Any:
        """The serverInfo of the server, in the shape of a revision."""
        info = self._infos.get(revision.name)
        if info is None:
            info = self._infos[revision.name] = describe.implementation(self.info, revision)
        return info


_CAPABILITIES: dict[str, dict[str, Any]] = {
    "tools": {"listChanged": True},
    "resources": {"subscribe": True, "listChanged": True},
    "prompts": {"listChanged": True},
    "completions": {},
}


def _check_function(function: Any, where: str) -> Any:
    """The argument at the position of a function; raises OptionError if it is a name."""
    if isinstance(function, str):
        raise OptionError(
            f"{where} takes a function by position, and its options by name: write {where}(name={function!r})"
        )
    return function


def check_seconds(name: str, seconds: float | None) -> None:
    if seconds is not None and not seconds > 0:
        raise AuthorError(f"{name} is a number of seconds, more than 0; not {seconds!r}")


def _check_tags(tags: Collection[Any]) -> frozenset[str]:
    for tag in tags:
        if not isinstance(tag, str) or not tag:
            raise AuthorError(f'tags= takes texts, such as tags=["admin"]; not {tag!r}')
    return frozenset(tags)


def _convert_option(kind: Any, value: dict[str, Any], what: str) -> Any:
    try:
        return codec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise AuthorError(f"{what}: {error}{media.fields_advice(kind)}") from None
