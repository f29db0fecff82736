"""Open an envelope, close an envelope. Knows JSON-RPC 2.0, and of MCP only what its parameters are called.

What is inside stays raw JSON until a method wants it. A request's id is never decoded where it might be spelled in
several ways, so it comes back exactly as it was sent.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, Literal

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from ..errors import InvalidParams, InvalidRequest, ParseError, ProtocolError
from . import codec

__all__ = [
    "ABSENT",
    "HEAD",
    "Envelope",
    "Failure",
    "Id",
    "Meta",
    "Params",
    "Plain",
    "blamed",
    "close",
    "fail",
    "notification",
    "open_batch",
    "open_envelope",
    "read_plain",
    "request",
    "request_ids",
    "tail",
]

ABSENT = Raw(b"")
"""What stands where a message has nothing."""

Id = Raw | bytes
"""The id of a request, as JSON."""

_decoders: dict[Any, Any] = {}  # by type: a handful, one for each kind of parameter


_RESERVED = "io.modelcontextprotocol/"


class Meta(
    Struct,
    gc=False,
    rename={
        "version": f"{_RESERVED}protocolVersion",
        "capabilities": f"{_RESERVED}clientCapabilities",
        "client": f"{_RESERVED}clientInfo",
        "log_level": f"{_RESERVED}logLevel",
        "progress_token": "progressToken",
        "message": "",
    },
):
    """What a request says about itself."""

    version: Any = UNSET
    capabilities: Any = UNSET
    client: Any = UNSET
    log_level: Any = UNSET
    progress_token: Any = UNSET
    traceparent: Any = UNSET
    tracestate: Any = UNSET
    baggage: Any = UNSET
    message: Any = ABSENT  # the whole message it stands in, as JSON

    def whole(self) -> dict[str, Any]:
        """All of it, also what we know nothing of."""
        return _read_whole_meta(self.message).params._meta


class Params(Struct, gc=False):
    """Every parameter any method takes, as raw JSON; absent ones are empty.

    What a request is about, its name or its URI, and what it says about itself is asked for by all: that is data.
    """

    name: Any = UNSET
    uri: Any = UNSET
    _meta: Meta | UnsetType = UNSET
    arguments: Raw = ABSENT
    cursor: Raw = ABSENT
    inputResponses: Raw = ABSENT
    requestState: Raw = ABSENT
    ref: Raw = ABSENT
    argument: Raw = ABSENT
    context: Raw = ABSENT
    level: Raw = ABSENT
    notifications: Raw = ABSENT
    requestId: Raw = ABSENT
    reason: Raw = ABSENT
    protocolVersion: Raw = ABSENT
    capabilities: Raw = ABSENT
    clientInfo: Raw = ABSENT

    def get(self, name: str, kind: Any, default: Any = UNSET) -> Any:
        """One parameter as a type; raises InvalidParams when it is missing or of another type."""
        given = getattr(self, name)
        if type(given) is kind:
            return given
        if given is UNSET or given is ABSENT:
            if default is UNSET:
                raise InvalidParams(f"params.{name} is missing")
            return default
        try:
            if type(given) is not Raw:
                return msgspec.convert(given, kind)
            decoder = _decoders.get(kind)
            if decoder is None:
                decoder = _decoders[kind] = codec.reader(kind)
            return decoder(given)
        except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
            raise InvalidParams(f"params.{name}: {error}") from error


class Envelope(Struct, gc=False):
    """One message: a request, a notification or a response."""

    jsonrpc: Literal["2.0"]
    id: Raw = ABSENT
    method: str | UnsetType = UNSET
    params: Params | None = None
    result: Raw = ABSENT
    error: Raw = ABSENT

    @property
    def is_response(self) -> bool:
        """Whether it answers a request of ours."""
        return self.method is UNSET and bool(self.result or self.error)

    @property
    def meta(self) -> Meta | None:
        """What the request says about itself, if anything."""
        return None if self.params is None or self.params._meta is UNSET else self.params._meta


class _PlainParams(Struct, frozen=True, gc=False):
    name: Any = UNSET
    arguments: Raw = ABSENT
    _meta: Meta | UnsetType = UNSET
    uri: Any = UNSET  # whatever it is, it must be something that can be read


class Plain(Struct, gc=False):
    """What most messages are, and nothing is to be said of: a method, a name, arguments. Soon read.

    An id that is an integer, but for -0, has one spelling only, and may be decoded.
    """

    jsonrpc: Literal["2.0"]
    id: Any = UNSET
    method: Any = UNSET
    params: _PlainParams = _PlainParams()


class _Head(Struct, gc=False):
    """What an answer needs of a message, without a look at the rest."""

    id: Raw = ABSENT


class _WholeMeta(Struct):
    _meta: dict[str, Any] = {}


class _WithMeta(Struct):
    params: _WholeMeta = msgspec.field(default_factory=_WholeMeta)


class _Cancel(Struct):
    requestId: Raw = ABSENT
    reason: Raw = ABSENT


class _Notification(Struct):
    """What somebody acts upon of a message nobody may complain about."""

    jsonrpc: Literal["2.0"]
    method: str
    id: Raw = ABSENT
    params: _Cancel | None = None


_read = msgspec.json.Decoder(Envelope).decode
_read_plain = msgspec.json.Decoder(Plain).decode
_read_head = msgspec.json.Decoder(_Head).decode
_read_notification = msgspec.json.Decoder(_Notification).decode
_read_whole_meta = msgspec.json.Decoder(_WithMeta).decode
_read_batch = msgspec.json.Decoder(list[Raw]).decode


def read_plain(raw: bytes) -> Plain:
    """A message that is no more than that, perhaps; raises ParseError, and whatever msgspec raises."""
    codec.check_depth(raw)
    return _read_plain(raw)


def open_envelope(raw: bytes | Raw) -> Envelope:
    """A message's envelope; raises a ProtocolError that knows the id, where there is one to know."""
    try:
        codec.check_depth(raw)
        envelope = _read(raw)
    except (msgspec.MsgspecError, RecursionError, UnicodeError, ParseError) as error:
        return _salvaged(raw, error)
    id, params = envelope.id, envelope.params
    if params is not None and params._meta is not UNSET:
        params._meta.message = raw
    if envelope.method is not UNSET and (id is ABSENT or bytes(id)[0] in _NUMBER or _is_id(id)):
        return envelope
    if id is not ABSENT and not _is_id(id):
        raise InvalidRequest("a request's id is a string or a number")
    if not envelope.is_response:
        raise blamed(InvalidRequest("a message has a method, a result or an error"), envelope.id)
    return envelope


def open_batch(raw: bytes) -> list[Raw] | None:
    """The messages of a batch; None when the message is not an array."""
    if raw[:1] == b"{" or not raw.lstrip(b" \t\r\n").startswith(b"["):  # a large message is not copied to look at it
        return None
    codec.check_depth(raw)
    try:
        return _read_batch(raw)
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        raise ParseError(f"Parse error: {error}") from error


def request_ids(batch: Iterable[Raw]) -> Iterator[bytes]:
    """The ids of the requests in a batch, as they were written."""
    for part in batch:
        with suppress(ProtocolError):
            envelope = open_envelope(part)
            if envelope.id is not ABSENT and envelope.method is not UNSET:
                yield bytes(envelope.id)


_QUOTE = ord('"')
_NUMBER = frozenset(b"-0123456789")


def _is_id(raw: Raw) -> bool:
    first = bytes(raw)[0]
    if first in _NUMBER:
        return True
    if first == _QUOTE:
        try:
            str(raw, "utf-8")
        except UnicodeDecodeError:
            return False
        return True
    return False


def _salvaged(raw: bytes | Raw, error: Exception) -> Envelope:
    """A notification whose parameters make no sense, since nobody may be told so; else why it would not open."""
    with suppress(msgspec.MsgspecError, RecursionError, UnicodeError):
        said = _read_notification(raw)
        if said.id is ABSENT:
            cancel = said.params or _Cancel()
            params = Params(requestId=cancel.requestId, reason=cancel.reason)
            return Envelope(jsonrpc="2.0", method=said.method, params=params)
    try:
        if isinstance(error, ParseError):
            raise error
        data = codec.decode(bytes(raw))
    except ParseError as unreadable:  # a text or a number in it is one that nobody can read, or it nests too deep
        try:
            id = _read_head(raw).id
        except (msgspec.MsgspecError, RecursionError, UnicodeError):
            raise unreadable from error
        raise blamed(unreadable, id) from error
    if not isinstance(data, dict):
        raise InvalidRequest("a message is a JSON object") from error
    method, given = data.get("method"), data.get("id")
    named = isinstance(given, (str, int, float)) and not isinstance(given, bool)
    id = Raw(codec.encode(given)) if named else ABSENT
    if data.get("jsonrpc") != "2.0":
        raise blamed(InvalidRequest('a message says "jsonrpc": "2.0"'), id) from error
    sound = isinstance(method, str)
    if sound and "id" not in data:
        return Envelope(jsonrpc="2.0", method=str(method))
    raise blamed((InvalidParams if sound else InvalidRequest)(str(error)), id) from error


def blamed(error: ProtocolError, id: Raw) -> ProtocolError:
    """An error that knows which request it is about."""
    error.id = bytes(id) if id and _is_id(id) else None
    return error


# Closing ------------------------------------------------------------------------------------------


class _Response(Struct, gc=False):
    jsonrpc: str
    id: Raw
    result: Any


def close(id: Id, result: Any) -> bytes:
    """The response that carries a result."""
    return codec.encode(_Response("2.0", id if type(id) is Raw else Raw(id), result))


HEAD = b'{"jsonrpc":"2.0","id":'
"""What a response opens with, before its id."""


def tail(result: bytes) -> bytes:
    """What follows the id in a response that carries a result, for those who keep it."""
    return b',"result":%b}' % result


class Failure(bytes):
    """The bytes of a response that carries an error, and its code for those who must not read bytes."""

    code: int


def fail(id: Raw | bytes | None, code: int, message: str, data: Any = None, *, null_id: bool = False) -> Failure:
    """The response that carries an error; where no id was readable it has none, or null."""
    error: dict[str, Any] = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    shown = b'"id":%b,' % id if id else b'"id":null,' if null_id else b""
    failure = Failure(b'{"jsonrpc":"2.0",%b"error":%b}' % (shown, codec.encode(error)))
    failure.code = code
    return failure


def notification(method: str, params: Any = None) -> bytes:
    """A notification of ours."""
    message = {"jsonrpc": "2.0", "method": method}
    return codec.encode(message if params is None else {**message, "params": params})


def request(id: str, method: str, params: Any = None) -> bytes:
    """A request of ours."""
    message = {"jsonrpc": "2.0", "id": id, "method": method}
    return codec.encode(message if params is None else {**message, "params": params})
