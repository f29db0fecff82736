"""The shares of callers: below, at and above each limit."""

from typing import Any

import pytest

from plainmcp.limits.shares import AtAddress, Budget, Limit, OwnShare, Share, caller_of
from plainmcp.replicas.replica import MAX_ALL, MAX_EACH, PERIOD


def test_one_caller_and_all_callers_have_a_limit() -> None:
    share = Share("requests", "running", "max_running", 5, 2)
    assert share.find_limit("ann") is None
    share.add("ann")
    assert share.find_limit("ann") is None
    share.add("ann")
    limit = share.find_limit("ann")
    assert limit is not None and limit.is_own
    assert limit.text == "too many requests of this caller are running (max_running_per_caller=2)"
    assert share.find_limit("bob") is None
    share.add("bob", 3)
    limit = share.find_limit("eve")
    assert limit is not None and not limit.is_own
    assert limit.text == "too many requests are running (max_running=5)"
    share.remove("ann")
    assert share.find_limit("ann") is None and share.count_of("ann") == 1
    share.remove("ann")
    assert share.count_of("ann") == 0 and share.count == 3


def test_without_a_caller_only_the_limit_of_all_applies() -> None:
    share = Share("requests", "running", "max_running", 5, 2)
    share.add(None, 4)
    assert share.find_limit(None) is None
    share.add(None)
    assert share.find_limit(None) is not None


def test_the_share_of_one_caller() -> None:
    own = OwnShare(Share("bytes", "unread", "max_unread", 100, 10), "ann")
    own.add(10)
    assert own.find_limit() is not None
    own.add(-1)
    assert own.find_limit() is None


class User:
    """Compared by identity: on each request it is another one."""

    def __repr__(self) -> str:
        return "a user"


USER = User()


@pytest.mark.parametrize(
    ("principal", "session", "address", "key"),
    [
        (None, None, None, None),
        (None, b"s", None, b"s"),
        (None, None, "192.0.2.1", AtAddress("192.0.2.1", None)),
        (None, b"s", "192.0.2.1", AtAddress("192.0.2.1", b"s")),
        ("ann", b"s", "192.0.2.1", caller_of("ann", None, None)),
        ({"name": "ann"}, b"s", "192.0.2.1", caller_of({"name": "ann"}, None, None)),
        (USER, b"s", "192.0.2.1", AtAddress("192.0.2.1", caller_of(USER, None, None))),
    ],
)
def test_a_caller_is_its_principal_else_its_session_else_its_address(
    principal: object, session: bytes | None, address: str | None, key: object
) -> None:
    assert caller_of(principal, session, address) == key


def test_a_principal_is_no_session_and_no_address() -> None:
    assert caller_of("192.0.2.1", None, None) not in ("192.0.2.1", caller_of(None, None, "192.0.2.1"))
    assert caller_of("ann", b"s", None) != caller_of("bob", b"s", None)


def test_callers_with_the_same_repr_or_the_same_hash_are_not_the_same() -> None:
    assert caller_of(User(), None, None) != caller_of(User(), None, None)
    ann, bob = ({"name": name, "text": float("nan")} for name in ("ann", "bob"))
    assert caller_of(ann, None, None) != caller_of(bob, None, None)
    assert hash(caller_of({"a": 1, "b": 2}, None, None)) == hash(caller_of({"b": 2, "a": 1}, None, None))


@pytest.mark.parametrize("key_of", [lambda number: (None, b"%d" % number), lambda number: (User(), None)])
def test_anonymous_callers_at_one_address_have_a_limit_together(key_of: Any) -> None:
    """Below, at and above: with a session for each request, one client took all."""
    share = Share("requests", "running", "max_running", 8, 2)
    callers = [caller_of(*key_of(number), "192.0.2.1") for number in range(7)]
    for caller in callers[:6]:
        assert share.find_limit(caller) is None
        share.add(caller)
    assert share.find_limit(callers[6]) == Limit(
        "too many requests of anonymous callers at this address are running (6 of max_running=8)", True
    )
    assert share.find_limit(caller_of(None, None, "192.0.2.1")) is not None
    for other in (caller_of(None, None, "192.0.2.2"), caller_of("ann", None, "192.0.2.1")):
        assert share.find_limit(other) is None
    share.remove(callers[0])
    assert share.find_limit(callers[6]) is None
    for caller in callers[1:6]:
        share.remove(caller)
    assert not share._counts and share.count == 0


def test_the_addresses_of_one_ipv6_client_are_one() -> None:
    share = Share("requests", "running", "max_running", 8, 2)
    callers = [caller_of(None, None, address) for address in ("2001:db8::1", "2001:db8::2", "2001:db8:0:1::1")]
    assert callers[0] == callers[1] != callers[2]
    for caller in callers[:2]:
        share.add(caller)
    assert share.find_limit(caller_of(None, None, "2001:db8::ffff")) is not None
    assert share.find_limit(callers[2]) is None
    assert caller_of(None, None, "fe80::1%eth0") == caller_of(None, None, "fe80::2%eth0")
    assert caller_of(None, None, "unix:/run/a:b") == AtAddress("unix:/run/a:b", None)


def test_one_anonymous_caller_may_have_its_own_share_where_that_is_larger() -> None:
    share = Share("requests", "running", "max_running", 4, 250)
    for _ in range(4):
        assert share.find_limit(caller_of(None, b"s", "192.0.2.1")) is None
        share.add(caller_of(None, b"s", "192.0.2.1"))
    assert share.find_limit(None) == Limit("too many requests are running (max_running=4)", False)


class Faulty:
    """Its hash changes, it cannot be compared, and it has no text."""

    hashes = iter(range(1_000))

    def __hash__(self) -> int:
        return next(self.hashes)

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no")

    def __repr__(self) -> str:
        raise RuntimeError("no")


class Same(Faulty):
    def __hash__(self) -> int:
        return 1


class Bare(Faulty):
    __hash__ = None  # type: ignore[assignment]


class Exits(Faulty):
    """Tries to end the server."""

    def __hash__(self) -> int:
        raise SystemExit

    def __eq__(self, other: object) -> bool:
        raise KeyboardInterrupt


@pytest.mark.parametrize("kind", [Faulty, Same, Bare, Exits])
def test_the_faults_of_a_principal_leave_no_count_behind(kind: type[Faulty]) -> None:
    share = Share("requests", "running", "max_running", 10, 5)
    callers = [caller_of(kind(), None, None) for _ in range(3)]
    for caller in callers:
        share.add(caller)
        assert share.find_limit(caller) is None
    assert share.count == 3
    for caller in callers:
        share.remove(caller)
    assert share.count == 0 and not share._counts


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def make_budget(clock: Clock) -> Budget:
    return Budget("a store", MAX_ALL, MAX_EACH, PERIOD, clock)


def test_a_caller_has_a_budget_of_its_own() -> None:
    budget = make_budget(Clock())
    assert budget.spend("ada", MAX_EACH) is None
    limit = budget.spend("ada", 1)
    assert limit is not None and limit.is_own and "this caller" in limit.text
    assert budget.spend("bob", 1) is None


def test_all_callers_have_one_together() -> None:
    budget = make_budget(Clock())
    for number in range(MAX_ALL // MAX_EACH):
        assert budget.spend(number, MAX_EACH) is None
    limit = budget.spend("ada", 1)
    assert limit is not None and not limit.is_own


def test_a_new_period_begins_with_nothing() -> None:
    clock = Clock()
    budget = make_budget(clock)
    budget.spend("ada", MAX_EACH)
    clock.now += PERIOD - 1
    assert budget.spend("ada", 1) is not None
    clock.now += 1
    assert budget.spend("ada", MAX_EACH) is None


def test_what_is_refused_is_not_counted() -> None:
    budget = make_budget(Clock())
    assert budget.spend("ada", MAX_EACH + 1) is not None
    assert budget.spend("ada", MAX_EACH) is None


def test_what_can_be_left_out_may_use_a_part_only() -> None:
    budget = make_budget(Clock())
    assert budget.spend("ada", MAX_EACH * 3 // 4, is_optional=True) is None
    assert budget.spend("ada", 1, is_optional=True) is not None
    assert budget.spend("ada", MAX_EACH // 4) is None


def test_anonymous_callers_at_one_address_have_a_budget_together() -> None:
    budget = make_budget(Clock())
    numbers = range(MAX_ALL // MAX_EACH)
    limits = [budget.spend(AtAddress("192.0.2.1", number), MAX_EACH) for number in numbers]
    assert [limit is None for limit in limits] == [number < len(numbers) * 3 / 4 for number in numbers]
    assert budget.spend(AtAddress("192.0.2.2", 0), MAX_EACH) is None


def test_a_refusal_says_when_the_next_period_begins() -> None:
    clock = Clock()
    budget = make_budget(clock)
    clock.now += 100
    limit = budget.spend("ada", MAX_EACH + 1)
    assert limit is not None and limit.seconds == PERIOD - 100
