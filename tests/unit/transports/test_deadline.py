"""The clock of a shutdown."""

import threading
import time

from plainmcp.transports.deadline import FORCE, LAST, Deadline


class Watched:
    """A deadline, and when it called what."""

    def __init__(self, seconds: float) -> None:
        self.calls: list[tuple[str, float]] = []
        self.is_over = threading.Event()
        self.deadline = Deadline(seconds, force=self._force)
        self.deadline.give_up = lambda: self.calls.append(("give up", time.monotonic() - self.began))
        self.began = time.monotonic()

    def _force(self) -> None:
        self.calls.append(("force", time.monotonic() - self.began))
        self.is_over.set()


def test_it_gives_up_shortly_before_its_end_and_then_uses_force() -> None:
    watched = Watched(LAST + 0.1)
    watched.deadline.start()
    assert watched.is_over.wait(10)
    assert [name for name, _ in watched.calls] == ["give up", "force"]
    assert 0.1 <= watched.calls[0][1] <= watched.calls[1][1]
    assert watched.calls[1][1] >= LAST + 0.1 - FORCE


def test_a_hurry_brings_it_nearer_and_starts_it() -> None:
    for is_started in (True, False):
        watched = Watched(3600)
        if is_started:
            watched.deadline.start()
        watched.deadline.hurry()
        assert 0 < watched.deadline.seconds_until() <= LAST
        assert watched.is_over.wait(10)
        assert [name for name, _ in watched.calls] == ["give up", "force"]


def test_it_is_started_once_and_a_hurry_does_not_move_it_away() -> None:
    watched = Watched(0.3)
    watched.deadline.start()
    watched.deadline.start()
    watched.deadline.hurry()
    assert watched.deadline.seconds_until() <= 0.3
    assert watched.is_over.wait(10)
    time.sleep(0.05)
    assert [name for name, _ in watched.calls] == ["give up", "force"]


def test_nothing_is_called_any_more_once_it_is_cancelled() -> None:
    before = threading.active_count()
    prepared, started = Watched(LAST + 0.2), Watched(LAST + 0.2)
    prepared.deadline.prepare()
    started.deadline.start()
    for watched in (prepared, started):
        watched.deadline.cancel()
    time.sleep(0.4)
    assert (prepared.calls, started.calls) == ([], [])
    assert threading.active_count() <= before


def test_a_signal_handler_may_start_and_hurry_it() -> None:
    """A handler runs in the middle of any line: many at once stand for that."""
    watched = Watched(3600)
    threads = [threading.Thread(target=watched.deadline.hurry) for _ in range(20)]
    for thread in threads:
        thread.start()
    assert watched.is_over.wait(10)
    for thread in threads:
        thread.join()
    assert [name for name, _ in watched.calls] == ["give up", "force"]
