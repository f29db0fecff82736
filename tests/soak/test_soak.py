"""The short form of the soak, and proof that the checker notices each kind of fault."""

from collections import Counter
from collections.abc import Callable

import pytest

from soak.history import Change, History, Operation, Watch, check, summary_of

CLIENTS = {
    "sessionclient", "modernclient", "thief", "leaver", "officialclient-legacy", "officialclient-auto",
    "fastmcpclient-legacy", "fastmcpclient-auto", "typescriptclient-legacy", "typescriptclient-auto",
}  # fmt: skip


@pytest.mark.slow
def test_nothing_is_lost_crossed_or_answered_twice_while_a_replica_is_killed_and_redis_restarted() -> None:
    from soak.run import run_soak  # its clients take long to load

    history, problems, log = run_soak(sessions=4, others=1, each=18, troubles=2, pace=0.3)
    assert not problems, "\n".join([*problems, str(summary_of(history)), log[-3_000:]])
    done = [one for one in history.operations if one.outcome == "done"]
    assert {one.kind for one in done} == {
        "call",
        "question",
        "progress",
        "resume",
        "cancel",
        "update",
        "steal",
        "end",
    }
    assert {one.client.rstrip("0123456789") for one in done} == CLIENTS
    assert len(history.troubles) == 2
    assert len(history.processes) == 3  # two, and the one that was started
    assert min(history.processes.values()) > 10, history.processes
    for _, begin, end in history.troubles:  # there was something to lose
        assert any(one.began < end and one.ended > begin for one in history.operations)
    # Updates came to each client, in sessions and on listen streams.
    assert {watch.client.rstrip("0123456789") for watch in history.watches if watch.got} == CLIENTS - {
        "thief",
        "leaver",
    }


def right() -> History:
    """A history in which all rules hold, with a trouble in which an operation failed."""
    done = [Operation("call", "a", f"a-{number}", number, number + 0.1, "done", "", 1) for number in range(3)]
    cancelled = Operation("cancel", "a", "a-3", 3, 3.1, "done")
    failed = Operation("resume", "b", "b-1", 10.5, 12, "failed", "gone")
    changes = [Change("note://a-1", 1.0, 1.1), Change("note://a-1", 2.0, 2.1), Change("note://a-1", 10.0)]
    session = Watch("a", {"note://a-1"}, {"note://a-1": 0.5}, got=["note://a-1", "note://a-1"])
    ended = Watch("c", {"note://a-1"}, {"note://a-1": 0.5}, until=5.0, got=["note://a-1"])  # before the second one
    journal = Counter({**{(one.word, "done"): 1 for one in done}, ("a-3", "cancelled"): 1})
    trouble = [("a replica is killed", 10.0, 11.0)]
    return History([*done, cancelled, failed], [session, Watch("b"), ended], changes, trouble, journal)


def test_the_checker_has_nothing_against_a_right_history() -> None:
    assert check(right()) == []


def _cross(history: History) -> None:
    history.operations[0].outcome, history.operations[0].detail = "wrong", "the answer of another"


def _answer_twice(history: History) -> None:
    history.operations[0].responses = 2


def _lose(history: History) -> None:
    history.operations[1].outcome = "no answer"


def _lose_in_trouble(history: History) -> None:
    history.operations[-1].outcome = "no answer"


def _fail(history: History) -> None:
    history.operations[1].outcome = "failed"


def _fail_after_recovery(history: History) -> None:
    history.operations[-1].began, history.operations[-1].ended = 14, 15


def _fail_without_redis(history: History) -> None:
    history.troubles.append(("Redis is restarted", 20.0, 21.0))
    history.operations.append(Operation("call", "a", "a-9", 20.5, 20.6, "failed", "no store"))


def _hear_nothing(history: History) -> None:
    history.changes += [Change(f"note://e-{number}", 1.0, 1.1) for number in range(3)]
    history.watches.append(Watch("e"))


def _do_twice(history: History) -> None:
    history.journal["a-0", "done"] = 2


def _do_a_failed_one_twice(history: History) -> None:
    history.journal["b-1", "done"] = 2


def _do_nowhere(history: History) -> None:
    del history.journal["a-0", "done"]


def _do_not_cancel(history: History) -> None:
    del history.journal["a-3", "cancelled"]


def _lose_update(history: History) -> None:
    history.watches[0].got.pop()


def _lose_update_long_before_the_end(history: History) -> None:
    history.watches[2].until = 6.0


def _lose_update_in_trouble(history: History) -> None:
    history.changes[-1].acknowledged = 10.1


def _cross_update(history: History) -> None:
    history.watches[1].got.append("note://a-1")


def _repeat_update(history: History) -> None:
    history.watches[0].got.extend(["note://a-1"] * 2)  # the change that was not acknowledged, and once more


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (_cross, "call a-0: the answer of another"),
        (_answer_twice, "call a-0: was answered 2 times"),
        (_lose, "call a-1: was never answered"),
        (_lose_in_trouble, "resume b-1: was never answered"),
        (_fail, "call a-1: failed although nothing was the matter"),
        (_fail_after_recovery, "resume b-1: failed although nothing was the matter: gone"),
        (_fail_without_redis, "call a-9: failed although it does not need Redis: no store"),
        (_hear_nothing, "e got no update at all"),
        (_do_twice, "call a-0: was done 2 times"),
        (_do_a_failed_one_twice, "resume b-1: was done 2 times"),
        (_do_nowhere, "call a-0: was answered by nobody"),
        (_do_not_cancel, "cancel a-3: was not cancelled"),
        (_lose_update, "a lost updates that were acknowledged: {'note://a-1': 1}"),
        (_lose_update_long_before_the_end, "c lost updates that were acknowledged: {'note://a-1': 1}"),
        (_lose_update_in_trouble, "a lost updates that were acknowledged: {'note://a-1': 1}"),
        (_cross_update, "b got updates of others: ['note://a-1']"),
        (_repeat_update, "a got updates more often than there were changes: {'note://a-1': 1}"),
    ],
)
def test_the_checker_notices(spoil: Callable[[History], None], problem: str) -> None:
    history = right()
    spoil(history)
    [found] = check(history)
    assert found.startswith(problem)
