"""The options for registering features and for serving, with their types.

Type checkers use them, and so does option_check when a program runs.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal, TypedDict

from ..policy import Policy
from ..types import Annotations, Icon, ToolAnnotations

__all__ = [
    "CompletionOptions",
    "DirectoryOptions",
    "FeatureDetails",
    "FeatureOptions",
    "FileOptions",
    "HttpOptions",
    "MethodOptions",
    "PromptOptions",
    "ResourceOptions",
    "RunOptions",
    "ToolOptions",
]


class FeatureDetails(TypedDict, total=False):
    """Options of every feature, without its name."""

    title: str | None
    description: str | None
    icons: Sequence[Icon] | None
    meta: dict[str, Any] | None
    tags: Collection[str]  # for server.enable and server.disable; clients do not see them
    visible: Callable[[Any], bool] | None  # takes the principal
    requires: str | Collection[str] | Callable[[Any], Any] | None  # scopes, or a function of the request
    needs: dict[str, Any]  # the client capabilities without which it cannot run
    inline: bool  # run a plain function in the event loop, not in a thread
    timeout: float | None  # seconds
    replace: bool  # replace a feature of the same name


class FeatureOptions(FeatureDetails, total=False):
    """Options of every feature."""

    name: str | None


class ToolOptions(FeatureOptions, total=False):
    """Options of a tool."""

    input_schema: dict[str, Any] | None
    output_schema: dict[str, Any] | bool | None
    annotations: ToolAnnotations | Mapping[str, Any] | None
    render: Literal["json", "yaml", "table", "markdown", "csv"] | Callable[[Any], str] | None
    policy: Policy | str


class ResourceOptions(FeatureOptions, total=False):
    """Options of a resource."""

    mime_type: str | None
    size: int | None
    annotations: Annotations | Mapping[str, Any] | None
    cache: tuple[int, Literal["public", "private"]] | None


class FileOptions(ResourceOptions, total=False):
    """Options of a file that is offered as a resource."""

    root: Any  # the directory that it must be below
    links: Literal["inside", "refuse", "follow"]
    max_size: int  # bytes


class DirectoryOptions(ResourceOptions, total=False):
    """Options of a directory whose files are offered as resources."""

    links: Literal["inside", "refuse", "follow"]
    max_size: int  # bytes of one file
    hidden: bool  # also files whose names begin with a dot


class PromptOptions(FeatureOptions, total=False):
    """Options of a prompt."""


class MethodOptions(TypedDict, total=False):
    """Options of a method of an author's own."""

    params: Any  # the type of the parameters; by default the hint of the function's parameter
    revisions: Collection[str]  # that have it
    extension: str | None  # that a client must have declared
    mcp_name: str | None  # the parameter that the header Mcp-Name repeats
    requires: str | Collection[str] | Callable[[Any], Any] | None
    needs: dict[str, Any]
    inline: bool
    timeout: float | None


class CompletionOptions(TypedDict, total=False):
    """Options of a completion."""

    inline: bool
    timeout: float | None


# Serving ------------------------------------------------------------------------------------------


class HttpOptions(TypedDict, total=False):
    """Options of a server over HTTP: see Settings in transports/http/settings."""

    origins: Collection[str]
    hosts: Collection[str]
    max_body: int
    body_seconds: float
    stateless: bool
    sessions: Literal["memory", "signed"]
    store: Any
    max_sessions: int
    max_sessions_per_caller: int
    session_idle_seconds: float
    session_seconds: float
    replay_bytes: int
    replay_bytes_in_all: int
    max_running: int
    max_running_per_caller: int
    max_standing: int
    max_standing_per_caller: int
    max_questions: int
    max_questions_per_caller: int
    max_arriving: int
    max_arriving_per_caller: int
    max_unread: int
    max_unread_per_caller: int
    keep_alive_seconds: float
    retry_ms: int
    ask_seconds: float


class RunOptions(HttpOptions, total=False):
    """Options of a running server: for HTTP, and for standard input and output."""

    principal: Any  # over HTTP a function of the scope that returns the caller, otherwise the caller
    auth: Any  # verifiers of tokens or keys: see plainmcp.auth
    anonymous: bool  # with auth=: whether callers may come without a token
    max_line: int
    streams: Any
