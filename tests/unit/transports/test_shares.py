"""The shares of callers: below, at and above each limit."""

import pytest

from plainmcp.transports.shares import OwnShare, Share, caller_of


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


class Odd:
    def __hash__(self) -> int:
        raise RuntimeError("no")

    def __repr__(self) -> str:
        return "odd"


@pytest.mark.parametrize(
    ("principal", "session", "address", "key"),
    [
        (None, None, None, None),
        (None, None, "192.0.2.1", "192.0.2.1"),
        (None, b"s", "192.0.2.1", b"s"),
        ("ann", b"s", "192.0.2.1", caller_of("ann", None, None)),
        ({"name": "ann"}, b"s", None, "{'name': 'ann'}"),
        (Odd(), None, None, "odd"),
    ],
)
def test_a_caller_is_its_principal_else_its_session_else_its_address(
    principal: object, session: bytes | None, address: str | None, key: object
) -> None:
    assert caller_of(principal, session, address) == key


def test_a_principal_is_no_session_and_no_address() -> None:
    assert caller_of("192.0.2.1", None, None) not in ("192.0.2.1", caller_of(None, None, "192.0.2.1"))
    assert caller_of("ann", b"s", None) != caller_of("bob", b"s", None)


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


@pytest.mark.parametrize("kind", [Faulty, Same, Bare])
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
