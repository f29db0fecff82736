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
        ("ann", b"s", "192.0.2.1", ("ann",)),
        ({"name": "ann"}, b"s", None, "{'name': 'ann'}"),
        (Odd(), None, None, "odd"),
    ],
)
def test_a_caller_is_its_principal_else_its_session_else_its_address(
    principal: object, session: bytes | None, address: str | None, key: object
) -> None:
    assert caller_of(principal, session, address) == key
