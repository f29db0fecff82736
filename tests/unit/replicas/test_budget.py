"""How much callers may let a process write into the store."""

from plainmcp.limits.shares import AtAddress
from plainmcp.replicas.budget import MAX_ALL, MAX_EACH, PERIOD, StoreBudget


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_caller_has_a_limit_of_its_own() -> None:
    budget = StoreBudget(Clock())
    assert budget.spend("ada", MAX_EACH) is None
    limit = budget.spend("ada", 1)
    assert limit is not None and limit.is_own and "this caller" in limit.text
    assert budget.spend("bob", 1) is None


def test_all_callers_have_one_together() -> None:
    budget = StoreBudget(Clock())
    for number in range(MAX_ALL // MAX_EACH):
        assert budget.spend(number, MAX_EACH) is None
    limit = budget.spend("ada", 1)
    assert limit is not None and not limit.is_own


def test_a_new_period_begins_with_nothing() -> None:
    clock = Clock()
    budget = StoreBudget(clock)
    budget.spend("ada", MAX_EACH)
    clock.now += PERIOD - 1
    assert budget.spend("ada", 1) is not None
    clock.now += 1
    assert budget.spend("ada", MAX_EACH) is None


def test_what_is_refused_is_not_counted() -> None:
    budget = StoreBudget(Clock())
    assert budget.spend("ada", MAX_EACH + 1) is not None
    assert budget.spend("ada", MAX_EACH) is None


def test_what_can_be_left_out_may_use_a_part_only() -> None:
    budget = StoreBudget(Clock())
    assert budget.spend("ada", MAX_EACH * 3 // 4, is_optional=True) is None
    assert budget.spend("ada", 1, is_optional=True) is not None
    assert budget.spend("ada", MAX_EACH // 4) is None


def test_anonymous_callers_at_one_address_have_a_limit_together() -> None:
    budget = StoreBudget(Clock())
    numbers = range(MAX_ALL // MAX_EACH)
    limits = [budget.spend(AtAddress("192.0.2.1", number), MAX_EACH) for number in numbers]
    assert [limit is None for limit in limits] == [number < len(numbers) * 3 / 4 for number in numbers]
    assert budget.spend(AtAddress("192.0.2.2", 0), MAX_EACH) is None


def test_a_refusal_says_when_the_next_period_begins() -> None:
    clock = Clock()
    budget = StoreBudget(clock)
    clock.now += 100
    limit = budget.spend("ada", MAX_EACH + 1)
    assert limit is not None and limit.seconds == PERIOD - 100
