"""Places that are lent while they are idle, and who is next."""

import random
from collections import Counter
from collections.abc import Hashable
from typing import NamedTuple

import pytest

from plainmcp.limits.shares import AtAddress
from plainmcp.limits.turns import Turns


class Job(NamedTuple):
    caller: Hashable
    number: int


def fill(turns: Turns[Job], caller: Hashable) -> int:
    """Let a caller take all that it may have; returns how many places that were."""
    count = 0
    while turns.may_have(caller):
        turns.add(caller, 1)
        count += 1
    return count


def start(turns: Turns[Job]) -> list[Hashable]:
    """Run what may run; returns the callers in order."""
    callers = []
    while (job := turns.find_next()) is not None:
        turns.add(job.caller, 1)
        turns.end_turn(job)
        callers.append(job.caller)
    return callers


@pytest.mark.parametrize(("most", "alone"), [(1, 1), (2, 1), (3, 2), (4, 3), (8, 6), (32, 24), (88, 66)])
def test_one_caller_alone_has_three_quarters(most: int, alone: int) -> None:
    assert fill(Turns(most), "ann") == alone
    assert fill(Turns(most), AtAddress("192.0.2.1", None)) == alone
    assert fill(Turns(most), None) == most


def test_what_never_ends_leaves_places_for_four_more_callers() -> None:
    turns: Turns[Job] = Turns(88)
    assert [fill(turns, name) for name in "abcdef"] == [66, 16, 4, 1, 1, 0]


def test_the_sessions_of_one_address_are_one_caller() -> None:
    turns: Turns[Job] = Turns(88)
    assert fill(turns, AtAddress("192.0.2.1", 1)) == 66
    assert fill(turns, AtAddress("192.0.2.1", 2)) == 0
    assert fill(turns, AtAddress("192.0.2.2", 1)) == 16


def test_a_number_of_the_author_is_kept_whatever_is_left() -> None:
    turns: Turns[Job] = Turns(10, most_each=5)
    assert [fill(turns, name) for name in "abc"] == [5, 5, 0]
    turns = Turns(10, most_each=2)
    assert [fill(turns, AtAddress("192.0.2.1", number)) for number in range(5)] == [2, 2, 2, 1, 0]
    turns = Turns(10, most_each=10)
    assert fill(turns, AtAddress("192.0.2.1", None)) == 10


def test_what_was_lent_goes_to_another_caller_as_calls_end() -> None:
    """Each call that ends is followed by one of the caller with fewer, until both have the same."""
    turns: Turns[Job] = Turns(88)
    assert fill(turns, "a") == 66
    for number in range(100):
        turns.wait(Job("a", number))
    for number in range(100):
        turns.wait(Job("b", number))
    assert start(turns) == ["b"] * 16
    for _ in range(25):
        turns.add("a", -1)
        assert "a" not in start(turns)
    for number in range(400):  # waiting jobs without end
        caller = "ab"[number % 2]
        turns.add(caller, -1)
        for started in start(turns):
            turns.wait(Job(started, 100 + number))
    assert abs(turns.held["a"] - turns.held["b"]) <= 4 and 72 <= turns.count <= 78


def test_a_place_that_becomes_free_may_start_two_jobs() -> None:
    """One of the caller with fewer, and then one of the caller who gave it back."""
    turns: Turns[Job] = Turns(8)
    turns.add("a", 3)
    turns.add("b", 3)
    turns.wait(Job("a", 1))
    turns.wait(Job("b", 1))
    assert start(turns) == []
    turns.add("b", -1)
    assert start(turns) == ["a", "b"]


def test_addresses_take_turns_and_then_their_sessions() -> None:
    turns: Turns[Job] = Turns(1)
    turns.add("a", 1)
    sessions = [AtAddress("192.0.2.1", number) for number in range(3)]
    for caller in (sessions[0], sessions[0], sessions[1], sessions[2], "a", "a"):
        turns.wait(Job(caller, 1))
    order = []
    for _ in range(6):
        turns.add(order[-1] if order else "a", -1)
        order += start(turns)
    assert order == [sessions[0], "a", sessions[1], "a", sessions[2], sessions[0]]


def test_a_job_that_is_withdrawn_does_not_cost_the_others_of_its_address_their_turn() -> None:
    turns: Turns[Job] = Turns(1)
    turns.add("a", 1)
    leaving, staying = (Job(AtAddress("192.0.2.1", number), 1) for number in range(2))
    for job in (leaving, staying, Job("b", 1)):
        turns.wait(job)
    assert turns.withdraw(leaving) and not turns.withdraw(leaving)
    assert list(turns.first_jobs()) == [staying, Job("b", 1)]
    turns.add("a", -1)
    assert start(turns) == [staying.caller]
    assert turns.withdraw(Job("b", 1)) and list(turns.first_jobs()) == []


@pytest.mark.parametrize("most_each", [None, 3])
def test_nobody_waits_who_may_run_whatever_happens(most_each: int | None) -> None:
    """Random callers come, end and leave: no job that could run is left waiting, and no place is lost."""
    chance = random.Random(29)
    callers: list[Hashable] = ["a", "b", None, *(AtAddress(f"192.0.2.{number % 3}", number) for number in range(9))]
    for most in (1, 2, 3, 5, 8, 20):
        turns: Turns[Job] = Turns(most, most_each)
        running: list[Hashable] = []
        waiting: list[Job] = []
        for number in range(2_000):
            kind = chance.random()
            if kind < 0.5 and len(waiting) < 60:
                job = Job(chance.choice(callers), number)
                if turns.may_have(job.caller):
                    turns.add(job.caller, 1)
                    running.append(job.caller)
                else:
                    turns.wait(job)
                    waiting.append(job)
            elif kind < 0.9 and running:
                turns.add(running.pop(chance.randrange(len(running))), -1)
                while (job := turns.find_next()) is not None:
                    turns.add(job.caller, 1)
                    turns.end_turn(job)
                    running.append(job.caller)
                    waiting.remove(job)
            elif waiting:
                assert turns.withdraw(waiting.pop(chance.randrange(len(waiting))))
            assert not any(turns.may_have(job.caller) for job in waiting)
            assert turns.count == len(running) <= most
            assert {caller: turns.held.get(caller, 0) for caller in running} == Counter(running)
        for job in waiting:
            assert turns.withdraw(job)
        assert list(turns.first_jobs()) == []


def test_a_thousand_sessions_that_wait_at_one_address_are_passed_over_at_once() -> None:
    """Each call that ended looked at all of them."""
    looked = 0

    class Counted(Turns[Job]):
        def _is_below_own_limit(self, caller: Hashable) -> bool:
            nonlocal looked
            looked += 1
            return super()._is_below_own_limit(caller)

    turns = Counted(88)
    assert fill(turns, AtAddress("192.0.2.1", 0)) == 66
    for number in range(1_000):
        turns.wait(Job(AtAddress("192.0.2.1", number), number))
    turns.wait(Job("b", 1))
    looked = 0
    assert start(turns) == ["b"]
    assert looked == 1
