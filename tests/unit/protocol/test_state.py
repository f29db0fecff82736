"""Records that outlive a request: whose they are, how long they are kept, and how many there may be, on any store."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plainmcp import Server
from plainmcp.errors import InternalError
from plainmcp.protocol.request import Request
from plainmcp.protocol.state import OVERHEAD, Full, KeptRecord, Kind, RecordOwner, State, owner_of
from plainmcp.protocol.store_steps import UNAVAILABLE
from plainmcp.redis import RedisStore
from plainmcp.revisions import LATEST
from plainmcp.store import MemoryStore, Store, StoreError
from plainmcp.transports.http.headers import Headers
from plainmcp.wire.jsonrpc import Params
from redis_server import running_redis

KEY = b"the key of all replicas"
KIND = Kind("note", most=6, most_per_owner=4, most_bytes=6 * OVERHEAD + 60, most_bytes_per_owner=4 * OVERHEAD + 40)
ADA, BOB = RecordOwner("ada", "ada"), RecordOwner("bob", "bob")


class Clock:
    """The time of a server and of its store, which a test moves."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def state_of(store: Store | None = None, kind: Kind = KIND, clock: Any = None, name: str = "s") -> State:
    options = {} if clock is None else {"now": clock}
    return State(Server(name, key=KEY, store=store, **options), kind)


def pair(clock: Clock) -> list[State]:
    """The same records as two processes see them."""
    store = MemoryStore(now=clock)
    return [state_of(store, clock=clock) for _ in range(2)]


def test_a_record_is_found_by_its_owner_at_every_process_until_it_expires() -> None:
    clock = Clock()
    one, other = pair(clock)
    assert one.add(ADA, "x", b"value", 60)
    assert other.find(ADA, "x") == KeptRecord(b"value", 1_000_060.0)
    assert other.find(BOB, "x") is None and other.find(ADA, "y") is None
    clock.now += 59.9
    assert other.find(ADA, "x") is not None
    clock.now += 0.2
    assert other.find(ADA, "x") is None and one.add(ADA, "x", b"again", 60)


def test_of_several_records_with_one_id_the_first_stays() -> None:
    one, other = pair(Clock())
    assert one.add(ADA, "x", b"first", 60)
    assert not other.add(ADA, "x", b"second", 60) and not other.add(BOB, "x", b"third", 60)
    found = other.find(ADA, "x")
    assert found is not None and found.value == b"first"


def test_only_the_owner_changes_and_removes_a_record() -> None:
    one, other = pair(Clock())
    one.add(ADA, "x", b"value", 60)
    assert other.change(BOB, "x", lambda value: b"changed") is None
    other.remove(BOB, "x")
    assert one.find(ADA, "x") == KeptRecord(b"value", 1_000_060.0)
    assert other.change(ADA, "x", lambda value: value + b"!", 90) == KeptRecord(b"value!", 1_000_090.0)
    assert other.change(ADA, "x", lambda value: None) == KeptRecord(b"value!", 1_000_090.0)
    other.remove(ADA, "x")
    assert one.find(ADA, "x") is None


def test_one_owner_does_not_take_the_share_of_another() -> None:
    state = state_of()
    for id in "abcd":
        assert state.add(ADA, id, b"", 60)
    with pytest.raises(Full, match=r"^one caller may have 4 of these at a time$"):
        state.add(ADA, "e", b"", 60)
    assert state.add(BOB, "f", b"", 60) and state.add(BOB, "g", b"", 60)
    with pytest.raises(Full, match=r"^all callers together may have 6 of these at a time$"):
        state.add(BOB, "h", b"", 60)
    state.remove(ADA, "a")
    assert state.add(BOB, "h", b"", 60)


def test_bytes_are_bounded_also_when_a_record_grows() -> None:
    state = state_of()
    state.add(ADA, "x", b"1", 60)
    assert state.change(ADA, "x", lambda value: b"1" * 600) is not None
    with pytest.raises(Full, match=r"^one caller may have 840 bytes of these at a time$"):
        state.change(ADA, "x", lambda value: b"1" * 900)
    found = state.find(ADA, "x")
    assert found is not None and len(found.value) == 600
    assert state.change(ADA, "x", lambda value: b"") is not None and state.add(ADA, "y", b"1" * 400, 60)


def test_room_that_expired_is_free_again_also_that_of_others() -> None:
    clock = Clock()
    state = state_of(MemoryStore(now=clock), clock=clock)
    for id in "abc":
        state.add(ADA, id, b"", 10)
    state.add(ADA, "d", b"", 1_000)  # so that the share of ada does not expire as a whole
    for id in "ef":
        state.add(BOB, id, b"", 1_000)
    clock.now += 11
    for id in "gh":
        assert state.add(BOB, id, b"", 1_000)


def test_a_record_of_another_version_key_or_server_is_absent() -> None:
    store = MemoryStore()
    assert state_of(store).add(ADA, "x", b"old", 60)
    newer = state_of(store, msgspec.structs.replace(KIND, version=2))
    assert newer.find(ADA, "x") is None and newer.change(ADA, "x", lambda value: b"") is None
    assert state_of(store, name="other").find(ADA, "x") is None
    assert State(Server("s", key=b"the key of a stranger", store=store), KIND).find(ADA, "x") is None
    assert newer.add(ADA, "x", b"new", 60)
    assert state_of(store).find(ADA, "x") is None


Actions = st.lists(
    st.tuples(
        st.sampled_from(["add", "change", "remove", "wait"]),
        st.sampled_from([ADA, BOB]),
        st.sampled_from("abcdefgh"),
        st.integers(0, 50),
        st.integers(1, 30),
    ),
    max_size=40,
)


@given(Actions)
def test_the_limits_hold_and_nothing_is_lost_whatever_happens(actions: list[Any]) -> None:
    clock = Clock()
    states, kept = pair(clock), dict[str, tuple[RecordOwner, bytes, float]]()
    for number, (action, owner, id, size, seconds) in enumerate(actions):
        state, value = states[number % 2], b"v" * size
        kept = {one: entry for one, entry in kept.items() if entry[2] > clock.now}
        mine = kept.get(id) if id in kept and kept[id][0] == owner else None
        try:
            if action == "wait":
                clock.now += seconds
            elif action == "remove":
                state.remove(owner, id)
                if mine:
                    del kept[id]
            elif action == "add":
                assert state.add(owner, id, value, seconds) == (id not in kept)
                kept.setdefault(id, (owner, value, clock.now + seconds))
            else:
                found = state.change(owner, id, lambda before, value=value: value)  # type: ignore[misc]
                assert found == (KeptRecord(value, mine[2]) if mine else None)
                if mine:
                    kept[id] = (owner, value, mine[2])
        except Full:
            others = [entry for one, entry in kept.items() if one != id]
            mine_too = [entry for entry in others if entry[0] == owner]
            assert not _fits([*others, (owner, value, 0)], KIND.most, KIND.most_bytes) or not _fits(
                [*mine_too, (owner, value, 0)], KIND.most_per_owner, KIND.most_bytes_per_owner
            )
        alive = {one: entry for one, entry in kept.items() if entry[2] > clock.now}
        assert _fits(list(alive.values()), KIND.most, KIND.most_bytes)
        for one in "abcdefgh":
            for whose in (ADA, BOB):
                entry = alive.get(one)
                expected = KeptRecord(entry[1], entry[2]) if entry is not None and entry[0] == whose else None
                assert states[0].find(whose, one) == states[1].find(whose, one) == expected


def _fits(entries: list[tuple[RecordOwner, bytes, float]], most: int, most_bytes: int) -> bool:
    return len(entries) <= most and sum(len(value) + OVERHEAD for _, value, _ in entries) <= most_bytes


@pytest.fixture(scope="module", params=["memory", pytest.param("redis", marks=pytest.mark.slow)])
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    if request.param == "memory":
        yield MemoryStore()
        return
    with running_redis() as server:
        yield RedisStore(server.url)


def test_processes_that_work_at_the_same_time_lose_nothing(store: Store) -> None:
    """Each of four adds, counts up and removes; the limits and the counts are right in the end."""
    kind = Kind("count", most=20, most_per_owner=20)
    states = [state_of(store, kind) for _ in range(4)]
    states[0].add(ADA, "counter", b"0", 60)
    problems: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for turn in range(20):
                states[number].change(ADA, "counter", lambda value: b"%d" % (int(value) + 1))
                states[number].add(ADA, f"{number} {turn}", b"", 60)
                if turn % 5:
                    states[number].remove(ADA, f"{number} {turn}")
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert problems == []
    counter = states[3].find(ADA, "counter")
    assert counter is not None and counter.value == b"80"
    for id in range(3):  # 17 are there: the counter, and 4 of each
        assert states[0].add(ADA, f"free {id}", b"", 60)
    with pytest.raises(Full):
        states[0].add(ADA, "one more", b"", 60)


# Between the calls of two processes ------------------------------------------------------------------


class Between:
    """A store of one process, in which other work happens before some of its calls, or which fails then."""

    def __init__(self, store: Store, when: Callable[[str, str], bool], work: Callable[[], object]) -> None:
        self._store, self._when, self._work = store, when, work
        self._has_worked = False

    def __getattr__(self, name: str) -> Any:
        function = getattr(self._store, name)

        def call(key: str, *args: Any) -> Any:
            if not self._has_worked and self._when(name, key):
                self._has_worked = True
                self._work()
            return function(key, *args)

        return call


def writes_a_record(name: str, key: str) -> bool:
    return name in ("change", "delete") and ":record:" in key


def between(store: Store, when: Callable[[str, str], bool], work: Callable[[], object]) -> State:
    other: Any = Between(store, when, work)
    return state_of(other)


def fail() -> None:
    raise StoreError("it is down")


@pytest.mark.parametrize("is_there", [False, True])
def test_a_smaller_attempt_that_fails_leaves_the_space_of_a_larger_one_taken(is_there: bool) -> None:
    store = MemoryStore()

    def write(state: State, size: int) -> None:
        if is_there:
            state.change(ADA, "x", lambda value: b"1" * size)
        else:
            state.add(ADA, "x", b"1" * size, 60)

    def fail_to_write() -> None:
        with pytest.raises(StoreError):
            write(between(store, writes_a_record, fail), 1)

    if is_there:
        state_of(store).add(ADA, "x", b"", 60)
    write(between(store, writes_a_record, fail_to_write), 600)
    with pytest.raises(Full):
        state_of(store).add(ADA, "y", b"1" * 100, 60)


def test_what_is_removed_is_what_was_read_and_a_new_record_stays_counted() -> None:
    store = MemoryStore()
    first = state_of(store)
    first.add(ADA, "x", b"1", 60)
    other = between(store, writes_a_record, lambda: (first.remove(ADA, "x"), first.add(BOB, "x", b"2", 60)))
    other.remove(ADA, "x")
    assert first.find(BOB, "x") is not None
    for id in "abc":
        assert first.add(BOB, id, b"", 60)
    with pytest.raises(Full):
        first.add(BOB, "d", b"", 60)


def test_all_shares_together_are_counted_right_when_two_of_one_share_overtake() -> None:
    """The one that took space first counts it last."""
    store = MemoryStore()
    first = state_of(store)
    turns: list[str] = []

    def is_late(name: str, key: str) -> bool:
        turns.append(name)
        return name == "change" and key.endswith(":ledger:")

    slow = between(store, is_late, lambda: [first.add(ADA, id, b"", 60) for id in "abc"])
    assert slow.add(ADA, "d", b"", 60) and turns
    assert first.add(BOB, "e", b"", 60) and first.add(BOB, "f", b"", 60)
    with pytest.raises(Full, match="all callers together"):
        first.add(BOB, "g", b"", 60)


def test_space_that_a_failing_store_has_kept_is_free_when_the_record_would_have_expired() -> None:
    clock = Clock()
    store = MemoryStore(now=clock)
    failing: Any = Between(store, writes_a_record, fail)
    with pytest.raises(StoreError):
        state_of(failing, clock=clock).add(ADA, "x", b"1" * 600, 60)
    state = state_of(store, clock=clock)
    with pytest.raises(Full):
        state.add(ADA, "y", b"1" * 100, 90)
    assert state.add(ADA, "x", b"1" * 600, 50)  # the same record again
    clock.now += 61
    assert state.add(ADA, "y", b"1" * 600, 90)


def test_an_attempt_that_succeeds_late_is_counted() -> None:
    """The record that was there meanwhile is gone, and so is its mark."""
    clock = Clock()
    store = MemoryStore(now=clock)
    first = state_of(store, clock=clock)

    def add_and_remove() -> None:
        first.add(ADA, "x", b"", 60)
        first.remove(ADA, "x")
        clock.now += 1

    late: Any = Between(store, writes_a_record, add_and_remove)
    assert state_of(late, clock=clock).add(ADA, "x", b"1" * 600, 60)
    with pytest.raises(Full):
        first.add(ADA, "y", b"1" * 100, 60)


# Steps --------------------------------------------------------------------------------------------


def run(steps: Any) -> Any:
    """The value of steps, each taken in this thread."""
    value = None
    try:
        while True:
            step = steps.send(value)
            value = step.finish(step.feature.function(**step.kwargs))
    except StopIteration as end:
        return end.value


def test_with_a_store_work_waits_in_a_step_and_in_memory_it_does_not() -> None:
    for store, waits in ((None, False), (MemoryStore(), True)):
        state = state_of(store)
        steps = state.ask(lambda state=state: state.add(ADA, "x", b"", 60))  # type: ignore[misc]
        if waits:
            assert run(steps) is True
        else:
            with pytest.raises(StopIteration) as end:
                next(steps)
            assert end.value.value is True


def test_what_the_work_raises_comes_out_and_a_store_that_fails_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    state = state_of(store := MemoryStore())

    def fill() -> None:
        raise Full("no room")

    with pytest.raises(Full, match="no room"):
        run(state.ask(fill))

    def fail(key: str) -> bytes | None:
        raise StoreError("it is down")

    monkeypatch.setattr(store, "get", fail)
    with pytest.raises(InternalError) as caught:
        run(state.ask(lambda: state.find(ADA, "x")))
    assert caught.value.message == UNAVAILABLE


@pytest.mark.parametrize(
    ("principal", "address", "owner"),
    [
        ("ada", "192.0.2.7", RecordOwner('builtins.str "ada"', 'principal builtins.str "ada"')),
        (None, "192.0.2.7", RecordOwner("", "address 192.0.2.7")),
        (None, "2001:db8:1:2:3:4:5:6", RecordOwner("", "address 2001:db8:1:2::")),
        (None, None, RecordOwner("", "")),
    ],
)
def test_the_owner_is_the_principal_or_whoever_knows_the_id(
    principal: Any, address: str | None, owner: RecordOwner
) -> None:
    request = Request(
        msgspec.Raw(b"1"), "tools/call", Params(), None, LATEST, None, None, principal, Headers([], address)
    )
    assert owner_of(Server("s"), request) == owner
