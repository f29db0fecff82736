"""docs/reference/limits.md: every limit on what comes from outside, its default, and what happens beyond it."""

from collections.abc import Iterator
from typing import Any

from plainmcp import Server
from plainmcp.files.regular import MAX_SIZE
from plainmcp.limits.turns import Turns
from plainmcp.protocol.dispatch import MAX_BATCH
from plainmcp.protocol.methods.subscriptions import MAX_CHARACTERS, MAX_SUBSCRIPTIONS
from plainmcp.protocol.store_keys import MAX_ID
from plainmcp.replicas.keys import MAX_CHANGES
from plainmcp.replicas.replica import MAX_ALL, MAX_EACH
from plainmcp.transports.held_threads import LATE
from plainmcp.transports.http.sessions.signed_ids import MAX_FACTS
from plainmcp.transports.http.settings import Settings
from plainmcp.transports.http.shared.session import MAX_COPY, MAX_FORWARDED
from plainmcp.transports.http.shared.standing_streams import MAX_REPLAY
from plainmcp.transports.http.stream import MAX_BYTES, MAX_EVENTS
from plainmcp.transports.stdio import MAX_LINE, MAX_RUNNING
from plainmcp.transports.threads import FILE_THREADS
from plainmcp.ui import preview_route
from plainmcp.wire import codec

from .markdown import code, headed, table

__all__ = ["SHARES", "page"]

_CALLERS = """\
Limits with a second number are shares: no caller gets more than its own, so that there is something left for the
others. A caller is the principal that `auth=` or `principal=` returns; without one, the session; without a session,
the address of the client. Behind a proxy all clients have the address of the proxy, unless the HTTP server uses
`X-Forwarded-For`; uvicorn does so for the proxies that `forwarded_allow_ips` names. Sessions are counted by
principal or address.

Anyone can open many sessions. So the anonymous callers at one address have at most three quarters of each limit
together; IPv6 addresses with the same first half are one. The same holds for callers whose `principal=` gives objects
that compare by identity.

These shares hold also while the rest is not used. Nothing here can be taken back soon from a caller who has it:
a request may run and a stream stay open for hours, a question waits for minutes, a body arrives for up to a minute,
and bytes that wait for a client could only be thrown away. [Threads](#threads-for-plain-functions) are lent.

A refusal names the option, and has the header `Retry-After`. The status is 429 for the share of a caller or an
address, and 503 for the limit of all. If you set a limit below its share of one caller, set that one too."""

_LENT = """\
Idle threads are lent. Over HTTP a caller gets another thread as long as it then has at most three times as many as
are left: {alone} of {most} if it is alone, and {both} each if two want all that they can get. The anonymous callers
at one address count as one caller. No function is interrupted: a caller who has more than that gets no other thread,
and the threads whose functions end go to callers who have fewer. So another caller's function starts at once while a
thread is left, and it takes five callers whose functions never end to hold all.

`threads_per_caller` is a fixed number instead: one caller gets as many, whatever is left, and never more."""

SHARES = {
    "max_running": ("requests that run, or that wait for a thread", "429 or 503"),
    "max_standing": ("streams that stay open for later messages", "429 or 503"),
    "max_sessions": (
        "sessions of the handshake revisions",
        "one that was never used is closed. A known caller also closes an idle one: its own, or an anonymous one. "
        "Otherwise 429 or 503; a session in use is never closed",
    ),
    "max_questions": ("questions to clients that wait for answers", "the question fails, and the tool may go on"),
    "max_arriving": ("bytes of bodies that arrive in several parts, until they are whole", "429 or 503"),
    "max_unread": (
        "bytes that wait for clients that do not read",
        "the oldest messages of a stream are dropped, but never its response; new requests: 429 or 503",
    ),
}

_MESSAGES = {
    "max_body": ("bytes of a request", "413"),
    "body_seconds": ("seconds until a body has arrived; no effect under WSGI", "408"),
    "ask_seconds": ("seconds that a question waits for its answer", "the question fails"),
    "session_idle_seconds": ("seconds until an unused session ends", "404: the client initializes again"),
    "session_seconds": ("seconds until any session ends", "404"),
    "replay_bytes": ("bytes that one session keeps for clients that reconnect", "the oldest events are dropped"),
    "replay_bytes_in_all": ("the same, of all sessions", "the sessions unused for longest forget theirs"),
}


def page() -> str:
    """The page."""
    return headed(
        "Limits",
        "Everything that comes from outside is bounded. Where an option is named, it changes the limit.",
        "## Shares of callers over HTTP",
        _CALLERS,
        table(["option", "limit", "of one caller", "what", "beyond it"], _share_rows()),
        "The options of the shares of one caller have the same names with `_per_caller` at the end.",
        "## Threads for plain functions",
        "Options of `Server`:",
        table(["option", "default", "what"], _thread_rows()),
        _lent(),
        f"If a request waits {LATE:g} seconds for a thread, the log says which functions hold them, and the option.",
        "## Messages and sessions over HTTP",
        table(["option", "default", "what", "beyond it"], _message_rows()),
        "## With several processes",
        "The id of a session carries its facts. With a store, there is a limit for what callers let a process write.",
        table(["what", "limit", "beyond it"], _shared_rows()),
        "## On every transport",
        table(["what", "limit"], _fixed_rows()),
    )


def _share_rows() -> Iterator[list[str]]:
    settings = Settings()
    for name, (what, beyond) in SHARES.items():
        limits = (getattr(settings, name), getattr(settings, f"{name}_per_caller"))
        yield [code(name), *(f"{limit:,}" for limit in limits), what, beyond]


def _thread_rows() -> Iterator[list[str]]:
    server: Any = Server("s")
    rows = {
        "threads": "plain functions that run at a time; others wait, and callers take turns",
        "threads_per_caller": "of these, those of one caller over HTTP; `None` lends what is idle",
        "max_waiting_threads": "more threads: they wait for a client, or their function did not end in time",
    }
    for name, what in rows.items():
        value = getattr(server, name)
        yield [code(name), code("None") if value is None else f"{value:,}", what]
    yield ["", str(FILE_THREADS), "threads that read files, besides; they are lent as the others are"]


def _lent() -> str:
    most = Server("s").threads
    return _LENT.format(most=most, alone=_share_among(most, 1), both=_share_among(most, 2))


def _share_among(most: int, callers: int) -> int:
    """How many threads each caller has if all want all."""
    turns: Turns[Any] = Turns(most)
    while able := [caller for caller in range(callers) if turns.may_have(caller)]:
        turns.add(min(able, key=lambda caller: turns.held.get(caller, 0)), 1)
    return turns.held[0]


def _message_rows() -> Iterator[list[str]]:
    settings = Settings()
    for name, (what, beyond) in _MESSAGES.items():
        yield [code(name), f"{getattr(settings, name):,}", what, beyond]


def _shared_rows() -> Iterator[list[str]]:
    facts = "bytes of the capabilities and the name of a client, in a signed session id"
    yield [facts, f"{MAX_FACTS:,}", "icons and other details are left out; then `initialize` fails"]
    written = "bytes written in ten minutes"
    yield [f"{written} for one caller", f"{MAX_EACH:,}", "429; streams are not copied beyond three quarters of it"]
    yield [f"{written} for all callers", f"{MAX_ALL:,}", "503, likewise"]
    yield ["bytes of a stream that are copied", f"{MAX_COPY:,}", "it cannot be continued at another replica"]
    yield ["changes that are kept", f"{MAX_CHANGES:,}", "the oldest are dropped"]
    yield ["changes that a client gets when it comes back", f"{MAX_REPLAY:,}", "it gets the newest"]
    forwarded = "cancellations and repeated answers of a session for other replicas, in ten seconds"
    yield [forwarded, f"{MAX_FORWARDED:,}", "429"]
    yield ["bytes of the id of a request that is cancelled at another replica", f"{MAX_ID:,}", "it goes on"]


def _fixed_rows() -> Iterator[list[str]]:
    yield ["levels of a JSON value", f"{codec.MAX_DEPTH:,}"]
    yield ["messages in a batch", f"{MAX_BATCH:,}"]
    yield ["resources that one session, or one listen request, subscribes to", f"{MAX_SUBSCRIPTIONS:,}"]
    yield ["characters of their URIs", f"{MAX_CHARACTERS:,}"]
    yield ["bytes of a line on standard input: `max_line`", f"{MAX_LINE:,}"]
    yield ["requests that run on standard input and output", f"{MAX_RUNNING:,}"]
    yield ["bytes of a file that is offered, or sent as `File`, `Image` or `Audio`: `max_size`", f"{MAX_SIZE:,}"]
    yield ["messages that wait in one stream", f"{MAX_EVENTS:,}"]
    yield ["bytes that wait in one stream", f"{MAX_BYTES:,}"]
    yield ["comparisons of [the page](../how-to/page.md) that run; more are a 503", f"{preview_route.MAX_RUNNING:,}"]
