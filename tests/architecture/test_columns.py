"""Every fact about the newest revision shows in a response: if one is turned round, a response comes out differently.

Most guards that say "nothing to do here" hold on the newest revision. None of them can forget a fact: no fact changes
nothing.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from msgspec.structs import force_setattr, replace

from golden import test_http
from golden.channels import CHANNELS
from golden.conftest import no_log
from golden.conversation import Conversation
from golden.test_conversations import FILES, Replay, here, read
from plainmcp.revisions import LATEST, LATEST_HANDSHAKE, Content, Revision

__all__ = ["here", "no_log"]

CHANNEL = "asgi"
# Those of seed 003 share a server, which would remember what it was made with.
CONVERSATIONS = [read(file) for file in FILES if not file.name.startswith("003-")]
OF_SESSIONS = {"polling"}
"""Facts about what the newest revision does not have: sessions. They have tests of their own below."""


def facts_turned_round() -> Iterator[Any]:
    """Each yes or no of the newest revision the other way round, and each of its sets without one member."""
    for name in Revision.__struct_fields__:
        for what, other in others(getattr(LATEST, name)):
            if name not in OF_SESSIONS:
                yield pytest.param(name, other, id=f"{name}{what}")
    for name in Content.__struct_fields__:
        for what, other in others(getattr(LATEST.content, name)):
            yield pytest.param("content", replace(LATEST.content, **{name: other}), id=f"content.{name}{what}")


def others(value: Any) -> Iterator[tuple[str, Any]]:
    match value:
        case bool():
            yield "", not value
        case frozenset() | tuple():
            for member in sorted(value):
                yield f" without {member}", type(value)(one for one in value if one != member)


@contextmanager
def turned_round(revision: Revision, name: str, other: Any) -> Iterator[None]:
    before = getattr(revision, name)
    force_setattr(revision, name, other)
    try:
        yield
    finally:
        force_setattr(revision, name, before)


def is_different(conversation: Conversation) -> bool:
    """Whether a conversation on the newest revision comes out differently from its file."""
    if LATEST.name not in conversation.revisions:
        return False
    try:
        outcome = Replay(conversation, LATEST.name, CHANNEL).outcome()
    except Exception:  # the revision does not allow what came, or the conversation could not go on
        return True
    return outcome != [step.expected(LATEST.name, CHANNELS[CHANNEL].family) for step in conversation.steps]


def test_with_all_facts_as_they_are_no_conversation_is_different() -> None:
    assert not any(map(is_different, CONVERSATIONS))


@pytest.mark.parametrize("name, other", list(facts_turned_round()))
def test_no_fact_of_the_newest_revision_is_without_effect(name: str, other: Any) -> None:
    """G1, G2: guards are derived from the facts"""
    with turned_round(LATEST, name, other):
        assert any(map(is_different, CONVERSATIONS))


def test_polling_shows_in_a_stream_of_a_session() -> None:
    """G1"""
    exchange = test_http.read(test_http.FOLDER / "stream.txt")
    expected = [step.comes for step in exchange.steps]
    revision = LATEST_HANDSHAKE.name
    assert test_http.Replay(exchange, "asgi", revision, learning=False).outcome() == expected
    with turned_round(LATEST_HANDSHAKE, "polling", False):
        assert test_http.Replay(exchange, "asgi", revision, learning=False).outcome() != expected
