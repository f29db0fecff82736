"""A store in Redis 6.2 or newer, or in Valkey, for several processes on any number of machines.

Needs the extra `plainmcp[redis]`. Knows the commands of Redis, not what is stored.
"""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from time import monotonic
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlsplit

from ..errors import AuthorError
from ..store.interface import MAX_READ, Entry, StoreError

__all__ = ["RedisStore"]

_log = logging.getLogger("plainmcp")
T = TypeVar("T")

MAX_CONNECTIONS = 64
"""How many connections a process has for commands, and as many for reads that wait."""

QUIET = 30.0
"""After how many seconds it is logged again that a value was removed."""

_CHANGE = """\
if redis.call('GET', KEYS[1]) ~= (ARGV[3] or false) then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
"""
_ADVANCE = """\
local added = redis.pcall('XADD', KEYS[1], ARGV[1], 'v', '')
if type(added) ~= 'table' then redis.call('XDEL', KEYS[1], ARGV[1]) end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
"""
_REMOVE = """\
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then return 0 end
if kind == ARGV[1] then
  if kind ~= 'stream' then return 0 end
  local info = redis.call('XINFO', 'STREAM', KEYS[1])
  for at = 1, #info, 2 do
    if info[at] == 'last-generated-id' then
      if tonumber(string.match(info[at + 1], '^%d+')) < tonumber(ARGV[2]) then return 0 end
    end
  end
end
return redis.call('DEL', KEYS[1])
"""
_OWN_OPTIONS = {
    "protocol", "decode_responses", "encoding", "encoding_errors", "retry", "retry_on_error", "retry_on_timeout",
    "timeout", "socket_timeout", "socket_connect_timeout", "max_connections",
}  # fmt: skip
"""Options of redis-py that have to be as they are set here."""
_SEQUENCE_BITS = 20  # a position is the time in the id of an entry, and its number within that millisecond
_LARGEST_NUMBER = 2**_SEQUENCE_BITS - 1  # while the clock of Redis is set back, the time in the ids stands still
_END_OF_TIME = 2 ** (64 - _SEQUENCE_BITS)  # milliseconds since 1970, in the year 2527: positions have 64 bits
_DAMAGE = ("WRONGTYPE", "exhausted the last possible ID")
"""What Redis answers if a key of ours has what only another program can have written."""


class _Damaged(Exception):
    """A log has an id that only another program can have written."""


class RedisStore:
    """A store in Redis: `RedisStore("redis://127.0.0.1:6379/0")`.

    Takes the URLs of redis-py, also rediss:// for TLS and unix://. All keys start with `prefix`. A command that takes
    longer than `timeout` seconds fails. Connections are opened when they are first used, so it may be created before
    a process forks.

    What another program has written over a key of ours, with another type, is removed, as if it had expired. A value
    is then missing; that a log has lost its entries is an error.
    """

    is_shared = True

    def __init__(self, url: str, *, prefix: str = "plainmcp:", timeout: float = 0.5) -> None:
        if not 0 < timeout <= 60:
            raise AuthorError("timeout is a number of seconds, more than 0 and at most 60")
        try:
            import redis  # an extra: most users do not have it
        except ImportError:
            raise AuthorError("--redis and RedisStore need redis-py: pip install 'plainmcp[redis]'") from None
        from redis.backoff import NoBackoff
        from redis.retry import Retry

        self._prefix = prefix
        self._failures: tuple[type[Exception], ...] = (redis.RedisError, OSError)
        self._denied: tuple[type[Exception], ...] = (redis.AuthenticationError,)
        self._refused: tuple[type[Exception], ...] = (redis.ResponseError,)
        # A connection that Redis has closed since its last use is opened again, once; a time-out is not repeated.
        retry = Retry(NoBackoff(), 1, supported_errors=(redis.ConnectionError,))
        options: dict[str, Any] = {
            "socket_connect_timeout": timeout,
            "retry": retry,
            "max_connections": MAX_CONNECTIONS,
            "timeout": timeout,  # for a connection, if all of them are in use
            "protocol": 2,  # its answers are the same in all versions of redis-py
        }
        connect = redis.BlockingConnectionPool.from_url
        _check_url(url)
        try:
            self._redis: Any = redis.Redis(connection_pool=connect(url, socket_timeout=timeout, **options))
            self._waiting: Any = redis.Redis(connection_pool=connect(url, socket_timeout=timeout + 1, **options))
            pool = self._redis.connection_pool
            pool.connection_class(**pool.connection_kwargs)  # takes the options without connecting
        except (TypeError, ValueError, redis.RedisError):  # the text may show a part of the password
            raise _wrong_url(url, "it has an option, after the question mark, that redis-py does not take") from None
        kept = pool.connection_kwargs
        self._secrets = [str(kept[name]) for name in ("password", "username") if kept.get(name)]
        self._address = kept.get("path") or f"{kept.get('host', 'localhost')}:{kept.get('port', 6379)}"
        self._identity = url, prefix
        self._warned = -QUIET  # when the removal of a value was last logged

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RedisStore) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    def get(self, key: str) -> bytes | None:
        """The value of a key; None if there is none, or none any more."""
        value: bytes | None = self._do(lambda: self._redis.get(self._prefix + key), value=key)
        return value

    def put(self, key: str, value: bytes, seconds: float) -> None:
        """Set the value of a key, which expires after some seconds."""
        self._do(lambda: self._redis.set(self._prefix + key, value, px=_milliseconds(seconds)))

    def delete(self, key: str) -> None:
        """Remove the value of a key."""
        self._do(lambda: self._redis.delete(self._prefix + key))

    def change(self, key: str, before: bytes | None, after: bytes, seconds: float) -> bool:
        """Set the value of a key if it still has the value `before` (None: no value); returns whether it had."""
        known = [] if before is None else [before]
        arguments = [self._prefix + key, after, _milliseconds(seconds), *known]
        return bool(self._do(lambda: self._redis.eval(_CHANGE, 1, *arguments), value=key))

    def append(self, entries: Sequence[tuple[str, bytes]], most: int, seconds: float) -> list[int]:
        """Append each value to its log; returns the positions."""
        return self._do(lambda: self._append(entries, most, seconds), logs=dict(entries))

    def _append(self, entries: Sequence[tuple[str, bytes]], most: int, seconds: float) -> list[int]:
        with self._redis.pipeline(transaction=False) as pipeline:
            for log, value in entries:
                pipeline.xadd(self._prefix + log, {b"v": value}, maxlen=most, approximate=True)
            for log in dict.fromkeys(log for log, _ in entries):
                pipeline.pexpire(self._prefix + log, _milliseconds(seconds))
            results = pipeline.execute()
        return [_position_of(id) for id in results[: len(entries)]]

    def advance(self, log: str, position: int, seconds: float) -> None:
        """Let the next positions of a log be greater than this one: its clock may be behind after a restart."""
        arguments = [self._prefix + log, _id_of(position), _milliseconds(seconds)]
        self._do(lambda: self._redis.eval(_ADVANCE, 1, *arguments), logs=[log])

    def last(self, log: str) -> int:
        """The position of the newest entry of a log; 0 if there is none."""

        def find() -> int:
            newest = self._redis.xrevrange(self._prefix + log, count=1)
            return _position_of(newest[0][0]) if newest else 0

        return self._do(find, logs=[log])

    def read(self, after: Mapping[str, int], seconds: float = 0) -> list[Entry]:
        """The next entries of each log after a position, the oldest first; waits some seconds if there are none."""
        ids: dict[Any, Any] = {self._prefix + log: _id_of(position) for log, position in after.items()}
        client, block = (self._waiting, _milliseconds(min(seconds, 1))) if seconds > 0 else (self._redis, None)
        skip = len(self._prefix)

        def read() -> list[Entry]:
            return [
                Entry(name.decode()[skip:], _position_of(id), fields.get(b"v", b""))
                for name, entries in client.xread(ids, count=MAX_READ, block=block) or ()
                for id, fields in entries
            ]

        return self._do(read, logs=after)

    def close(self) -> None:
        """Close all connections; the next use opens new ones."""
        for client in (self._redis, self._waiting):
            client.connection_pool.disconnect()

    def _do(self, work: Callable[[], T], *, value: str | None = None, logs: Iterable[str] = ()) -> T:
        """What a command returns, which needs a value or some logs; raises StoreError."""
        try:
            return self._try(work)
        except _Damaged as error:
            keys = {value: "string"} if value is not None else dict.fromkeys(logs, "stream")
            removed = [ascii(self._prefix + key) for key, kind in keys.items() if self._remove(key, kind)]
            problem = self._fail(
                f"had something of another program at {', '.join(removed) or 'a key'}: it is removed"
            )
            if value is None:
                raise problem from error
            if removed and monotonic() - self._warned >= QUIET:
                self._warned = monotonic()
                _log.warning("%s", problem)
        try:
            return self._try(work)
        except _Damaged as error:
            raise self._fail("refused a command", error) from error

    def _remove(self, key: str, kind: str) -> bool:
        """Remove what is at a key if it is not of a type; returns whether it was removed."""
        arguments = [self._prefix + key, kind, _END_OF_TIME]
        return bool(self._try(lambda: self._redis.eval(_REMOVE, 1, *arguments)))

    def _try(self, work: Callable[[], T]) -> T:
        try:
            return work()
        except self._refused as error:
            if any(text in str(error) for text in _DAMAGE):
                raise _Damaged(str(error)) from error
            if "maxmemory" in str(error):
                raise self._fail("is full: it has as much as its setting maxmemory allows") from error
            raise self._fail("refused a command", error) from error
        except self._denied as error:
            raise self._fail("refused the login, check the user and password in its URL", error) from error
        except self._failures as error:
            raise self._fail("cannot be used", error) from error

    def _fail(self, what: str, error: Exception | None = None) -> StoreError:
        """The error for the log, with what Redis answered, but without the password and what was to be written."""
        reason = "" if error is None else str(error).partition(", with args beginning with")[0]
        reason = reason.rpartition("of pipeline caused error: ")[2]
        for secret in self._secrets:
            reason = reason.replace(secret, "***")
        return StoreError(f"Redis at {self._address} {what}{': ' * bool(reason)}{reason}")


def _check_url(url: Any) -> None:
    """Refuse a URL that redis-py would take in another sense, or refuse with a part of the password."""
    if not isinstance(url, str):  # None, if an environment variable is not set
        raise AuthorError(f"RedisStore takes the URL of Redis as a str, not {type(url).__name__}")
    scheme, separator, _ = url.partition("://")
    if scheme in ("valkey", "valkeys"):
        raise _wrong_url(url, "for Valkey, too, it starts with redis:// or rediss://")
    if not separator or scheme not in ("redis", "rediss", "unix"):
        raise _wrong_url(url, "it starts with neither redis:// nor rediss:// nor unix://")
    try:
        parts = urlsplit(url)
        path, _ = parts.path, parts.port
    except ValueError:
        raise _wrong_url(url, "its host or port cannot be read") from None
    for name in parse_qs(parts.query):
        if name in _OWN_OPTIONS:
            raise _wrong_url(url, f"{name} is not an option here: RedisStore sets it itself, see its timeout")
    database = path.strip("/")
    if scheme != "unix" and database and not (database.isascii() and database.isdecimal()):
        raise _wrong_url(url, "what follows the host and the slash is not the number of a database")


def _wrong_url(url: str, reason: str) -> AuthorError:
    advice = "; in a password, / is written as %2F, # as %23 and @ as %40" if "@" in url else ""
    return AuthorError(
        f"this is not an address of Redis: {reason}. Write redis://host:6379/0, or rediss:// for TLS{advice}"
    )


def _milliseconds(seconds: float) -> int:
    return max(1, int(seconds * 1000))


def _position_of(id: Any) -> int:
    time, _, number = bytes(id).partition(b"-")
    if int(time) >= _END_OF_TIME:
        raise _Damaged("an id is of a time that has not come")
    if int(number) > _LARGEST_NUMBER:
        raise StoreError("the clock of Redis was set back, and too much was written since then")
    return int(time) << _SEQUENCE_BITS | int(number)


def _id_of(position: int) -> str:
    return f"{position >> _SEQUENCE_BITS}-{position & _LARGEST_NUMBER}"
