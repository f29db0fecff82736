"""One request and its answer: which revision it speaks, which method answers, how the envelope closes.

Where user code has to run the answer is steps: a generator that stops there, and whoever drives it brings the
value back.
"""

from types import GeneratorType
from typing import Any

from msgspec import UNSET

from ..context import LOG_LEVELS
from ..errors import InvalidParams, MethodNotFound, UnsupportedRevision
from ..revisions import LATEST_HANDSHAKE, MODERN, REVISIONS, Revision
from ..wire import jsonrpc
from ..wire.jsonrpc import ABSENT, Envelope, Meta, Params
from .methods import METHODS, shared, tools
from .methods.shared import Steps, failure
from .methods.tools import Single
from .request import Request
from .session import Session
from .steps import Cancelled, Link

__all__ = ["answer", "assumed", "begin", "failure", "leveled", "served", "shaped"]

_NO_PARAMS = Params()
_FIRST = frozenset({"initialize", "ping"})  # what may come before a handshake is done


def answer(server: Any, envelope: Envelope, **how: Any) -> Steps:
    """Steps that end in the bytes of the response, or in None; takes what `begin` takes."""
    begun = begin(server, envelope, **how)
    return begun if begun is None or isinstance(begun, bytes) else (yield from begun)


def begin(
    server: Any,
    envelope: Envelope,
    session: Session | None = None,
    link: Link | None = None,
    principal: Any = None,
    revision: Revision | None = None,
    settled: Revision | None = None,
) -> bytes | Single | Steps | None:
    """The bytes of the response, or None for what is not answered, or steps that end in one of them.

    Without a session the message stands alone, and `revision` says what it speaks if it does not say so itself.
    `settled` is what it does speak, where somebody has found that out already.
    """
    id, name = envelope.id, envelope.method
    known = settled or (LATEST_HANDSHAKE if session is None else session.revision)
    spoken = revision or known or LATEST_HANDSHAKE
    try:
        params = envelope.params or _NO_PARAMS
        meta = None if params._meta is UNSET else params._meta
        certain = revision is None and meta is None and known is not None
        if settled is None and not certain and name is not UNSET:
            spoken = _spoken(envelope, meta, session, revision)
        if name is UNSET or id is ABSENT:
            _noted(envelope, session)
            return None
        if name == "tools/call" and type(params.name) is str:
            # Most requests call a tool that is open to all and asks for nothing: no need to know who calls, or how.
            # Every revision has this method; that there is the tool shows that it is offered.
            tool = server.registry.tools.features.get(params.name)
            if tool is not None and tool.is_simple and tool.visible is None:
                if meta is not None:
                    leveled(meta)
                result = tools.bound(server, tool, id, params, spoken, link)
                return result if type(result) is Single else jsonrpc.close(id, result)
        method = METHODS.get(name) if name in spoken.methods else None
        # Without a handshake nothing tells a client beforehand what there is, so what is not there is no method.
        if method is None or not (spoken.handshake or server.offers(name)):
            raise _unknown(name, spoken)
        if meta is not None:
            leveled(meta)
        result = method(server, Request(id, name, params, meta, spoken, session, link, principal))
        if type(result) is Single:
            return result
        if type(result) is GeneratorType:
            return _steps(result, envelope, spoken)
        return result if type(result) is bytes else jsonrpc.close(id, result)
    except BaseException as error:
        return None if id is ABSENT else shared.unanswerable(error, id, name, spoken)


def assumed(session: Session | None, revision: Revision | None = None) -> Revision:
    """What is spoken as long as a message has not said so itself."""
    return revision or (session and session.revision) or LATEST_HANDSHAKE


def _steps(steps: Steps, envelope: Envelope, spoken: Revision) -> Steps:
    """The same for a method that stops where user code has to run."""
    try:
        result = yield from steps
        return result if type(result) is bytes else jsonrpc.close(envelope.id, result)
    except (GeneratorExit, Cancelled):
        raise
    except BaseException as error:  # whatever else the user's code raises fails this request and nothing more
        return shared.unanswerable(error, envelope.id, envelope.method, spoken)


def _spoken(envelope: Envelope, meta: Meta | None, session: Session | None, given: Revision | None) -> Revision:
    """The revision a message speaks: what its own _meta says, or what its connection settled on."""
    if meta is not None and meta.version is not UNSET:
        return _modern(meta)
    if given is not None:
        return given if given.handshake or not envelope.id else _modern(meta)
    if session is None:
        return LATEST_HANDSHAKE
    if session.revision is None and envelope.id and envelope.method not in _FIRST:
        raise InvalidParams(
            "send initialize first, or say io.modelcontextprotocol/protocolVersion in params._meta",
            {"supported": list(REVISIONS)},
        )
    return session.revision or LATEST_HANDSHAKE


def _modern(meta: Meta | None) -> Revision:
    """The revision of a request that speaks for itself; the order of the checks is the protocol's (META-04)."""
    return served(shaped(meta))


def shaped(meta: Meta | None) -> Meta:
    """What a request must say about itself, if it does; raises InvalidParams."""
    if meta is None or not isinstance(meta.version, str):
        raise InvalidParams("params._meta lacks io.modelcontextprotocol/protocolVersion")
    if not isinstance(meta.capabilities, dict):
        raise InvalidParams("params._meta lacks io.modelcontextprotocol/clientCapabilities")
    return meta


def served(meta: Meta) -> Revision:
    """The revision it names, if we speak that; raises UnsupportedRevision."""
    if meta.version not in MODERN:
        raise UnsupportedRevision(meta.version, list(MODERN))
    return REVISIONS[meta.version]


def leveled(meta: Meta) -> None:
    """Refuse a log level there is none of; raises InvalidParams."""
    if meta.log_level is not UNSET and meta.log_level not in LOG_LEVELS:
        raise InvalidParams(f"unknown log level; the levels are {', '.join(LOG_LEVELS)}")


def _unknown(name: Any, revision: Revision) -> MethodNotFound:
    # A client that tries the handshake of older revisions learns here what is served (VER-12).
    supported = {"supported": list(MODERN)} if name == "initialize" and not revision.handshake else {}
    return MethodNotFound("Method not found", {"method": name, **supported})


def _noted(envelope: Envelope, session: Session | None) -> None:
    """A notification: never answered (BASE-05), whatever it says."""
    if session is not None and envelope.method == "notifications/initialized":
        session.ready = True
