"""The text of a principal is equal for one caller, and differs between callers."""

import dataclasses
import logging
from typing import Any

import pytest

from plainmcp import Server
from plainmcp.protocol.principals import text_of


@dataclasses.dataclass(frozen=True)
class User:
    name: str
    admin: bool = False


class Named:
    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"Named({self.name})"


class Nobody: ...


@pytest.mark.parametrize(
    ("one", "other"), [("1", 1), (User("a"), User("b")), (Named("a"), Named("b")), (None, "null")]
)
def test_two_callers_have_two_texts(one: Any, other: Any) -> None:
    server = Server("s", "1")
    assert text_of(server, one) == text_of(server, one)
    assert text_of(server, one) != text_of(server, other)


def test_an_object_without_a_text_is_never_equal_and_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    server, nobody = Server("s", "1"), Nobody()
    with caplog.at_level(logging.WARNING):
        assert text_of(server, nobody) != text_of(server, nobody)
    assert [record.args for record in caplog.records] == [("Nobody",)]
