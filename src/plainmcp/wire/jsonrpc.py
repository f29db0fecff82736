"""JSON-RPC 2.0 messages, decoded and encoded. Of MCP it knows only the names of parameters.

Parameters stay raw JSON until a method needs them. A request's id is not decoded where it could be written in several
ways, so that it comes back exactly as it was sent.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, Generic, Literal, TypeVar

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from ..errors import InvalidParams, InvalidRequest, ParseError, ProtocolError
from . import codec

__all__ = [
    "ABSENT",
    "RESPONSE_HEAD",
    "Envelope",
    "Failure",
    "Id",
    "Meta",
    "Params",
    "decode",
    "decode_batch",
    "decode_message",
    "encode_error",
    "encode_notification",
    "encode_request",
    "encode_result",
    "request_ids_of",
    "result_tail",
    "with_request_id",
]

ABSENT = Raw(b"")
"""The value of a member that a message does not have."""

T = TypeVar("T")

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
    },
):
    """The `_meta` of a request."""

    version: Any = UNSET
    capabilities: Any = UNSET
    client: Any = UNSET
    log_level: Any = UNSET
    progress_token: Any = UNSET
    traceparent: Any = UNSET
    tracestate: Any = UNSET
    baggage: Any = UNSET


class Params(Struct, gc=False, rename={"message": ""}):
    """Every parameter of the methods of the protocol, as raw JSON; absent ones are empty.

    Nearly every request needs `name`, `uri` and `_meta`, so these are decoded. Others are in `message`.
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
    message: Any = b'{"params":{}}'  # the whole message that they are part of, as JSON

    def get(self, name: str, kind: Any, default: Any = UNSET) -> Any:
        """One parameter as a type; raises InvalidParams when it is missing or of another type."""
        value = getattr(self, name)
        if type(value) is kind:
            return value
        if value is UNSET or value is ABSENT:
            if default is UNSET:
                raise InvalidParams(f"params.{name} is missing")
            return default
        try:
            if type(value) is not Raw:
                return msgspec.convert(value, kind)
            decoder = _decoders.get(kind)
            if decoder is None:
                decoder = _decoders[kind] = codec.decoder_of(kind)
            return decoder(value)
        except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
            raise InvalidParams(f"params.{name}: {error}") from error

    def read(self, kind: Any) -> Any:
        """All parameters as a type; raises InvalidParams."""
        decoder = _decoders.get(_Whole[kind])
        if decoder is None:
            decoder = _decoders[_Whole[kind]] = codec.decoder_of(_Whole[kind])
        try:
            return decoder(self.message).params
        except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
            raise InvalidParams(str(error)) from error

    def as_dict(self) -> dict[str, Any]:
        """The parameters as plain data, also those that have no field here; raises InvalidParams."""
        members: dict[str, Any] = self.read(dict[str, Any])
        return members

    def meta_as_dict(self) -> dict[str, Any]:
        """All members of `_meta`, also those that have no field here; raises InvalidParams."""
        members: dict[str, Any] = self.read(_WholeMeta)._meta
        return members

    def without_meta(self) -> "Params":
        """The same parameters, to be read as a whole, without `_meta`; raises InvalidParams."""
        members: dict[str, Raw] = self.read(dict[str, Raw])
        return Params(
            message=codec.encode({"params": {name: raw for name, raw in members.items() if name != "_meta"}})
        )

    def with_changes(self, params: dict[str, Any]) -> "Params":
        """Other parameters with the same `_meta`; raises InvalidParams."""
        try:
            meta = {} if self._meta is UNSET else {"_meta": self.meta_as_dict()}
            message = codec.encode({"params": {**params, **meta}})
            changed: Params = _decode_params(message).params
        except (msgspec.MsgspecError, TypeError, ValueError, RecursionError) as error:
            raise InvalidParams(f"the parameters cannot be written as JSON: {error}") from error
        changed._meta, changed.message = self._meta, message
        return changed


class _Whole(Struct, Generic[T]):
    """A message, decoded as far as its parameters are needed."""

    params: T


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
        """The request's `_meta`, if it has one."""
        return None if self.params is None or self.params._meta is UNSET else self.params._meta


class _OnlyId(Struct, gc=False):
    """The id of a message; the rest is not decoded."""

    id: Raw = ABSENT


class _WholeMeta(Struct):
    _meta: dict[str, Any] = {}


class _Cancel(Struct):
    requestId: Raw = ABSENT
    reason: Raw = ABSENT


class _Notification(Struct):
    """The parts of a notification that have an effect; it is never answered with an error."""

    jsonrpc: Literal["2.0"]
    method: str
    id: Raw = ABSENT
    params: _Cancel | None = None


_decode = msgspec.json.Decoder(Envelope).decode
_decode_head = msgspec.json.Decoder(_OnlyId).decode
_decode_notification = msgspec.json.Decoder(_Notification).decode
_decode_params = msgspec.json.Decoder(_Whole[Params]).decode
_decode_batch = msgspec.json.Decoder(list[Raw]).decode


def decode(raw: bytes) -> "Envelope | list[Raw]":
    """A message, or the messages of a batch; raises a ProtocolError."""
    if raw[:1] != b"{":
        batch = decode_batch(raw)
        if batch is not None:
            return batch
    return decode_message(raw)


def decode_message(raw: bytes | Raw) -> Envelope:
    """A message as an Envelope; raises a ProtocolError, which has the id of the request if it can be read."""
    try:
        if len(raw) > 2 * codec.MAX_DEPTH:  # what is shorter cannot nest so deep
            codec.check_depth(raw)
        envelope = _decode(raw)
    except (msgspec.MsgspecError, RecursionError, UnicodeError, ParseError) as error:
        return _recover_notification(raw, error)
    id, params = envelope.id, envelope.params
    if params is not None:
        params.message = raw
    if envelope.method is not UNSET and (id is ABSENT or memoryview(id)[0] in _NUMBER or _is_id(id)):
        return envelope
    if id is not ABSENT and not _is_id(id):
        raise InvalidRequest("a request's id is a string or a number")
    if not envelope.is_response:
        raise with_request_id(InvalidRequest("a message has a method, a result or an error"), envelope.id)
    return envelope


def decode_batch(raw: bytes) -> list[Raw] | None:
    """The messages of a batch; None when the message is not an array."""
    if raw[:1] == b"{" or not raw.lstrip(b" \t\r\n").startswith(b"["):  # a large message is not copied to look at it
        return None
    codec.check_depth(raw)
    try:
        return _decode_batch(raw)
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        raise ParseError(f"Parse error: {error}") from error


def request_ids_of(batch: Iterable[Raw]) -> Iterator[bytes]:
    """The ids of the requests in a batch, as they were written."""
    for part in batch:
        with suppress(ProtocolError):
            envelope = decode_message(part)
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


def _recover_notification(raw: bytes | Raw, error: Exception) -> Envelope:
    """A notification with unusable parameters, which is never answered; for a request, raise why it is refused."""
    with suppress(msgspec.MsgspecError, RecursionError, UnicodeError):
        message = _decode_notification(raw)
        if message.id is ABSENT:
            cancel = message.params or _Cancel()
            params = Params(requestId=cancel.requestId, reason=cancel.reason)
            return Envelope(jsonrpc="2.0", method=message.method, params=params)
    try:
        if isinstance(error, ParseError):
            raise error
        data = codec.decode(bytes(raw))
    except ParseError as unreadable:  # a text or a number in it cannot be decoded, or it nests too deep
        try:
            id = _decode_head(raw).id
        except (msgspec.MsgspecError, RecursionError, UnicodeError):
            raise unreadable from error
        raise with_request_id(unreadable, id) from error
    if not isinstance(data, dict):
        raise InvalidRequest("a message is a JSON object") from error
    method, data_id = data.get("method"), data.get("id")
    has_id = isinstance(data_id, (str, int, float)) and not isinstance(data_id, bool)
    id = Raw(codec.encode(data_id)) if has_id else ABSENT
    if data.get("jsonrpc") != "2.0":
        raise with_request_id(InvalidRequest('a message says "jsonrpc": "2.0"'), id) from error
    has_method = isinstance(method, str)
    if has_method and "id" not in data:
        return Envelope(jsonrpc="2.0", method=str(method))
    raise with_request_id((InvalidParams if has_method else InvalidRequest)(str(error)), id) from error


def with_request_id(error: ProtocolError, id: Raw) -> ProtocolError:
    """The error, with the id of the request it is about."""
    error.id = bytes(id) if id and _is_id(id) else None
    return error


# Encoding -----------------------------------------------------------------------------------------


class _Response(Struct, gc=False):
    jsonrpc: str
    id: Raw
    result: Any


def encode_result(id: Id, result: Any) -> bytes:
    """A response with a result."""
    return codec.encode(_Response("2.0", id if type(id) is Raw else Raw(id), result))


RESPONSE_HEAD = b'{"jsonrpc":"2.0","id":'
"""The beginning of a response, before its id."""


def result_tail(result: bytes) -> bytes:
    """The part of a response with a result that follows its id."""
    return b',"result":%b}' % result


class Failure(bytes):
    """The bytes of a response with an error, and its code."""

    code: int
    cause: Any = None
    """The exception, if more than its code has to be known."""


def encode_error(
    id: Raw | bytes | None, code: int, message: str, data: Any = None, *, null_id: bool = False
) -> Failure:
    """A response with an error; where the id could not be read it has none, or null."""
    error: dict[str, Any] = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    id_member = b'"id":%b,' % id if id else b'"id":null,' if null_id else b""
    failure = Failure(b'{"jsonrpc":"2.0",%b"error":%b}' % (id_member, codec.encode(error)))
    failure.code = code
    return failure


def encode_notification(method: str, params: Any = None) -> bytes:
    """A notification from us; raises ParseError where it nests too deep for a client to read."""
    message = {"jsonrpc": "2.0", "method": method}
    raw = codec.encode(message if params is None else {**message, "params": params})
    if len(raw) > 2 * codec.MAX_DEPTH:  # what is shorter cannot nest so deep
        codec.check_depth(raw)
    return raw


def encode_request(id: str, method: str, params: Any = None) -> bytes:
    """A request of ours."""
    message = {"jsonrpc": "2.0", "id": id, "method": method}
    return codec.encode(message if params is None else {**message, "params": params})
