"""A store in Redis 6.2 or newer, or in Valkey, for several processes on any number of machines.

Needs the extra `plainmcp[redis]`. Knows the commands of Redis, not what is stored.
"""

import logging
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from time import monotonic
from typing import Any, TypeVar

from ..errors import AuthorError
from ..store.interface import MAX_READ, Entry, StoreError
from .pools import MAX_WAIT, RedisClients
from .urls import read_url

__all__ = ["RedisStore"]

_log = logging.getLogger("plainmcp")
T = TypeVar("T")

QUIET = 30.0
"""After how many seconds it is logged again that a value was removed."""

_APPEND = """\
local ids = {}
for at = 1, #KEYS do
  ids[at] = redis.call('XADD', KEYS[at], 'MAXLEN', '~', ARGV[1], '*', 'v', ARGV[at + 2])
  redis.call('PEXPIRE', KEYS[at], ARGV[2])
end
return ids
"""
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
_SEQUENCE_BITS = 20  # a position is the time in the id of an entry, and its number within that millisecond
_LARGEST_NUMBER = 2**_SEQUENCE_BITS - 1  # while the clock of Redis is set back, the time in the ids stands still
_END_OF_TIME = 2 ** (64 - _SEQUENCE_BITS)  # milliseconds since 1970, in the year 2527: positions have 64 bits
_DAMAGE = ("WRONGTYPE", "exhausted the last possible ID")
"""What Redis answers if a key of ours has what only another program can have written."""


class _Damaged(Exception):
    """A log has an id that only another program can have written."""


class RedisStore:
    """A store in Redis: `RedisStore("redis://127.0.0.1:6379/0")`.

    `redis://host:port/0` is one server, `unix:///path` one at a socket, `redis+cluster://host:port,host:port` a Redis
    Cluster, and `redis+sentinel://host:port,host:port/0?service=NAME` a server that Sentinel watches. With `rediss`
    in place of `redis`, the connections have TLS: `?ssl_ca_certs=FILE` and the like are options of redis-py.

    All keys start with `prefix`. A command that takes longer than `timeout` seconds fails, in a cluster perhaps after
    twice as long. Connections are opened when they are first used, so it may be created before a process forks.

    What another program has written over a key of ours, with another type, is removed, as if it had expired. A value
    is then missing; that a log has lost its entries is an error.
    """

    is_shared = True

    def __init__(self, url: str, *, prefix: str = "plainmcp:", timeout: float = 0.5) -> None:
        if not 0 < timeout <= 60:
            raise AuthorError("timeout is a number of seconds, more than 0 and at most 60")
        if set(prefix) & set("{}"):
            raise AuthorError("prefix must have no braces: those in a key say which node of a cluster has it")
        try:
            import redis  # an extra: most users do not have it
        except ImportError:
            raise AuthorError("a store in Redis needs redis-py: pip install 'plainmcp[redis]'") from None
        self._address = read_url(url)
        self._prefix, self._timeout = prefix, timeout
        self._denied: tuple[type[Exception], ...] = (redis.AuthenticationError,)
        self._refused: tuple[type[Exception], ...] = (redis.ResponseError,)
        self._closed: tuple[type[Exception], ...] = (redis.ConnectionError,)
        self._clients: dict[int, RedisClients] = {}  # by process: a child leaves those of its parent alone
        self._identity = url, prefix
        self._warned = -QUIET  # when the removal of a value was last logged

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RedisStore) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    def get(self, key: str) -> bytes | None:
        """The value of a key; None if there is none, or none any more."""
        value: bytes | None = self._do(lambda redis: redis.get(self._prefix + key), value=key)
        return value

    def put(self, key: str, value: bytes, seconds: float) -> None:
        """Set the value of a key, which expires after some seconds."""
        self._do(lambda redis: redis.set(self._prefix + key, value, px=_milliseconds(seconds)))

    def delete(self, key: str) -> None:
        """Remove the value of a key."""
        self._do(lambda redis: redis.execute_command("DEL", self._prefix + key))  # delete() of a cluster is slow

    def change(self, key: str, before: bytes | None, after: bytes, seconds: float) -> bool:
        """Set the value of a key if it still has the value `before` (None: no value); returns whether it had."""
        known = [] if before is None else [before]
        arguments = [self._prefix + key, after, _milliseconds(seconds), *known]
        return bool(self._do(lambda redis: redis.eval(_CHANGE, 1, *arguments), value=key))

    def append(self, entries: Sequence[tuple[str, bytes]], most: int, seconds: float) -> list[int]:
        """Append each value to its log; returns the positions."""
        keys = [self._prefix + log for log, _ in entries]
        arguments = [*keys, most, _milliseconds(seconds), *(value for _, value in entries)]
        ids = self._do(lambda redis: redis.eval(_APPEND, len(keys), *arguments), logs=dict(entries))
        return [_position_of(id) for id in ids]

    def advance(self, log: str, position: int, seconds: float) -> None:
        """Let the next positions of a log be greater than this one: its clock may be behind after a restart."""
        arguments = [self._prefix + log, _id_of(position), _milliseconds(seconds)]
        self._do(lambda redis: redis.eval(_ADVANCE, 1, *arguments), logs=[log])

    def last(self, log: str) -> int:
        """The position of the newest entry of a log; 0 if there is none."""

        def find(redis: Any) -> int:
            newest = redis.xrevrange(self._prefix + log, count=1)
            return _position_of(newest[0][0]) if newest else 0

        return self._do(find, logs=[log])

    def read(self, after: Mapping[str, int], seconds: float = 0) -> list[Entry]:
        """The next entries of each log after a position, the oldest first; waits some seconds if there are none."""
        ids: dict[Any, Any] = {self._prefix + log: _id_of(position) for log, position in after.items()}
        skip, until = len(self._prefix), monotonic() + min(seconds, 1)

        def read(redis: Any) -> list[Entry]:
            block = _milliseconds(min(until - monotonic(), MAX_WAIT)) if seconds > 0 else None
            return [
                Entry(name.decode()[skip:], _position_of(id), fields.get(b"v", b""))
                for name, entries in redis.xread(ids, count=MAX_READ, block=block) or ()
                for id, fields in entries
            ]

        entries = self._do(read, logs=after, waits=seconds > 0)
        while not entries and monotonic() < until:
            entries = self._do(read, logs=after, waits=True)
        return entries

    def close(self) -> None:
        """Close all connections; the next use opens new ones."""
        if os.getpid() in self._clients:
            self._clients[os.getpid()].close()

    def _do(
        self,
        work: Callable[[Any], T],
        *,
        value: str | None = None,
        logs: Iterable[str] = (),
        waits: bool = False,
    ) -> T:
        """What a command returns, which needs a value or some logs; raises StoreError."""
        try:
            return self._try(work, waits)
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
            return self._try(work, waits)
        except _Damaged as error:
            raise self._fail("refused a command", error) from error

    def _remove(self, key: str, kind: str) -> bool:
        """Remove what is at a key if it is not of a type; returns whether it was removed."""
        arguments = [self._prefix + key, kind, _END_OF_TIME]
        return bool(self._try(lambda redis: redis.eval(_REMOVE, 1, *arguments)))

    def _try(self, work: Callable[[Any], T], waits: bool = False) -> T:
        began = monotonic()
        try:
            try:
                return self._work(work, waits)
            except self._closed:
                if monotonic() - began > self._timeout / 2:
                    raise
                return self._work(work, waits)  # Redis has closed the connection, perhaps long ago, or is another one
        except (StoreError, _Damaged):
            raise
        except self._denied as error:
            raise self._fail("refused the login, check the user and password in its URL", error) from error
        except self._refused as error:
            if any(text in str(error) for text in _DAMAGE):
                raise _Damaged(str(error)) from error
            if "maxmemory" in str(error):
                raise self._fail("is full: it has as much as its setting maxmemory allows") from error
            raise self._fail("refused a command", error) from error
        except Exception as error:  # some versions of redis-py fail in other ways while a cluster is away
            raise self._fail("cannot be used", error) from error

    def _work(self, work: Callable[[Any], T], waits: bool) -> T:
        process = os.getpid()
        if process not in self._clients:
            self._clients.setdefault(process, RedisClients(self._address, self._timeout))
        with self._clients[process].use(waits=waits) as client:
            return work(client)

    def _fail(self, what: str, error: Exception | None = None) -> StoreError:
        """The error for the log, with what Redis answered, but without the password and what was to be written."""
        reason = "" if error is None else str(error).partition(", with args beginning with")[0]
        for secret in self._address.secrets:
            reason = reason.replace(secret, "***")
        return StoreError(f"{self._address.name} {what}{': ' * bool(reason)}{reason}")


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
