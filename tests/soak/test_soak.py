"""The short form of the soak, and proof that the checker notices each kind of fault."""

import asyncio
from collections.abc import Callable

import pytest

from replica_set import running_set
from soak.history import History, Operation, check, summary_of
from soak.run import soak


@pytest.mark.slow
def test_nothing_is_lost_crossed_or_answered_twice_while_a_replica_is_killed_and_redis_restarted() -> None:
    with running_set(persistent=True) as replicas:
        history = asyncio.run(soak(replicas, clients=8, each=30))
        problems = check(history)
        assert not problems, "\n".join(
            [*problems, str(summary_of(history)), replicas.log.read_text("utf-8")[-3_000:]]
        )
    kinds = {one.kind for one in history.operations if one.outcome == "done"}
    assert kinds == {"call", "question", "progress", "resume", "cancel", "update"}
    assert len(history.troubles) == 2
    for _, begin, end in history.troubles:  # there was something to lose
        assert any(one.began < end and one.ended > begin for one in history.operations)


def right() -> History:
    """A history in which all rules hold, with a trouble."""
    done = [Operation("call", "a", f"a-{number}", number, number + 0.1, "done", "", 1) for number in range(3)]
    failed = Operation("resume", "b", "b-1", 10.5, 12, "failed", "gone")
    changed = {"a": [("note://a-1", 1.0), ("note://a-1", 2.0)]}
    subscribed = {"a": {"note://a-1"}, "b": set[str]()}
    updates = {"a": ["note://a-1", "note://a-1"], "b": list[str]()}
    return History([*done, failed], updates, subscribed, changed, [("a replica is killed", 10.0, 11.0)])


def test_the_checker_has_nothing_against_a_right_history() -> None:
    assert check(right()) == []


def _cross(history: History) -> None:
    history.operations[0].outcome, history.operations[0].detail = "wrong", "the answer of another"


def _repeat(history: History) -> None:
    history.operations[0].responses = 2


def _lose(history: History) -> None:
    history.operations[1].outcome = "no answer"


def _fail(history: History) -> None:
    history.operations[1].outcome = "failed"


def _lose_update(history: History) -> None:
    history.updates["a"].pop()


def _cross_update(history: History) -> None:
    history.updates["b"].append("note://a-1")


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (_cross, "the answer of another"),
        (_repeat, "answered 2 times"),
        (_lose, "never answered"),
        (_fail, "failed although nothing was the matter"),
        (_lose_update, "lost updates that were acknowledged: {'note://a-1': 1}"),
        (_cross_update, "got updates of others"),
    ],
)
def test_the_checker_notices(spoil: Callable[[History], None], problem: str) -> None:
    history = right()
    spoil(history)
    [found] = check(history)
    assert problem in found
