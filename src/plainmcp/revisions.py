"""The protocol revisions and what each can carry, as frozen data: the only file with dates.

Ask `revision.structured`, never how old a revision is. How a result is changed for a revision is decided in project.
"""

from typing import Literal

from msgspec import Struct, json

from .errors import HTTP_STATUSES, AuthorError

__all__ = [
    "HTTP_DEFAULT",
    "LATEST",
    "LATEST_HANDSHAKE",
    "MODERN",
    "REVISIONS",
    "Content",
    "Revision",
    "http_status",
    "negotiate",
    "revision_of",
]


_METHODS = frozenset(
    {
        "completion/complete",
        "prompts/get",
        "prompts/list",
        "resources/list",
        "resources/read",
        "resources/templates/list",
        "tools/call",
        "tools/list",
    }
)
_HANDSHAKE_METHODS = _METHODS | {
    "initialize",
    "logging/setLevel",
    "ping",
    "resources/subscribe",
    "resources/unsubscribe",
}


_OLDEST_KINDS = frozenset({"image", "resource", "text"})
_KINDS = _OLDEST_KINDS | {"audio", "resource_link"}
_SAMPLING_KINDS = frozenset({"audio", "image", "text"})


class Content(Struct, frozen=True, kw_only=True):
    """What a revision knows of content blocks, resource contents and definitions. It is sent nothing else."""

    kinds: frozenset[str] = _KINDS  # the types of content blocks
    titles: bool = True  # title on definitions; an author's own fields inside resource contents
    last_modified: bool = True  # annotations.lastModified
    meta: bool = True  # _meta on content blocks, resource contents and definitions
    icons: bool = True  # icons on definitions and on links


class Revision(Struct, frozen=True, kw_only=True):
    """One protocol revision: a row of facts about what it knows and what its messages may hold."""

    name: str
    methods: frozenset[str] = _HANDSHAKE_METHODS

    # Messages.
    handshake: bool = True  # negotiated once by initialize; otherwise every request carries its own _meta
    batches: bool = False  # arrays of messages
    polling: bool = False  # an event stream opens with an empty event; it may be ended early and fetched later
    null_id: bool = False  # an error for an unreadable id has "id": null; otherwise it has no id
    resource_not_found: int = -32002  # the error code for a URI with nothing behind it
    progress_message: bool = True  # notifications/progress may carry a message
    elicitation: tuple[str, ...] = ()  # the modes in which a user may be asked
    elicitation_mode: bool = False  # elicitation/create has a mode
    rich_forms: bool = False  # forms may have titled and multiple choices, and defaults everywhere
    sampling_kinds: frozenset[str] = _SAMPLING_KINDS  # the types of blocks in sampling messages
    sampling_lists: bool = False  # sampling messages may hold several blocks, and tools may be offered

    # Results.
    content: Content = Content()
    structured: Literal["none", "object", "any"] = "object"  # what structuredContent may be
    result_type: bool = False  # every result has a resultType and the name of the server
    cache_hints: bool = False  # ttlMs and cacheScope on cacheable results

    # Definitions.
    tool_annotations: bool = True  # annotations on tools: `readOnlyHint` and the like
    implementation: tuple[str, ...] = ("name", "version")  # the fields of serverInfo
    completions: bool = True  # `completions` is announced as a capability
    extensions: bool = False  # `extensions` is announced as a capability


V2024_11_05 = Revision(
    name="2024-11-05",
    null_id=True,
    progress_message=False,
    sampling_kinds=frozenset({"image", "text"}),
    content=Content(kinds=_OLDEST_KINDS, titles=False, last_modified=False, meta=False, icons=False),
    structured="none",
    tool_annotations=False,
    completions=False,
)

V2025_03_26 = Revision(
    name="2025-03-26",
    batches=True,
    null_id=True,
    content=Content(kinds=_OLDEST_KINDS | {"audio"}, titles=False, last_modified=False, meta=False, icons=False),
    structured="none",
)

V2025_06_18 = Revision(
    name="2025-06-18",
    null_id=True,
    elicitation=("form",),
    content=Content(icons=False),
    implementation=("name", "title", "version"),
)

V2025_11_25 = Revision(
    name="2025-11-25",
    polling=True,
    elicitation=("form", "url"),
    elicitation_mode=True,
    rich_forms=True,
    sampling_kinds=_SAMPLING_KINDS | {"tool_result", "tool_use"},
    sampling_lists=True,
    implementation=("name", "title", "version", "description", "websiteUrl", "icons"),
)

V2026_07_28 = Revision(
    name="2026-07-28",
    methods=_METHODS | {"server/discover", "subscriptions/listen"},
    handshake=False,
    resource_not_found=-32602,
    elicitation=("form", "url"),
    elicitation_mode=True,
    rich_forms=True,
    sampling_kinds=_SAMPLING_KINDS | {"tool_result", "tool_use"},
    sampling_lists=True,
    structured="any",
    result_type=True,
    cache_hints=True,
    implementation=("name", "title", "version", "description", "websiteUrl", "icons"),
    extensions=True,
)

REVISIONS: dict[str, Revision] = {
    revision.name: revision for revision in (V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28)
}
"""Every revision by its wire name, oldest first."""

LATEST = V2026_07_28
LATEST_HANDSHAKE = V2025_11_25
HTTP_DEFAULT = V2025_03_26
"""The revision of a client that does not state one over HTTP (R2511-HDR-01)."""
MODERN = tuple(name for name, revision in REVISIONS.items() if not revision.handshake)
"""The names of the revisions without a handshake."""


def revision_of(name: "str | Revision") -> Revision:
    """The revision of this name; a Revision is returned unchanged.

    >>> revision_of("2025-06-18").structured
    'object'
    """
    if isinstance(name, Revision):
        return name
    try:
        return REVISIONS[name]
    except KeyError:
        raise AuthorError(f"unknown revision {name!r}; the known ones are {', '.join(REVISIONS)}") from None


def negotiate(requested: object) -> Revision:
    """The revision for initialize: the requested one, or else the newest with a handshake (VER-02, VER-04).

    >>> negotiate("2025-03-26").name, negotiate("2026-07-28").name
    ('2025-03-26', '2025-11-25')
    """
    revision = REVISIONS.get(requested) if isinstance(requested, str) else None
    return revision if revision is not None and revision.handshake else LATEST_HANDSHAKE


class _ErrorCode(Struct):
    code: int


class _ErrorResponse(Struct):
    error: _ErrorCode | None = None


def http_status(response: bytes | None, revision: "str | Revision") -> int:
    """The HTTP status of a response: 202 for None, by the error code on revisions without a handshake, else 200.

    >>> error = b'{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}'
    >>> http_status(error, "2026-07-28"), http_status(error, "2025-11-25"), http_status(None, "2026-07-28")
    (404, 200, 202)
    """
    if response is None:
        return 202
    error = None if revision_of(revision).handshake else json.decode(response, type=_ErrorResponse).error
    return 200 if error is None else HTTP_STATUSES.get(error.code, 200)
