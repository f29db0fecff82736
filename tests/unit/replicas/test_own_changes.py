"""The changes that one request makes."""

from contextvars import copy_context

from plainmcp.replicas.own_changes import note_change, watch_changes


class FakeWriter:
    """A writer that has written the changes up to a number."""

    written = 0
    waited: tuple[int, float] | None = None

    def wait(self, number: int, seconds: float) -> None:
        self.waited = number, seconds


def test_a_request_waits_for_its_own_changes_only() -> None:
    writer = FakeWriter()

    def work(number: int | None) -> list[object]:
        changes = watch_changes(writer)  # type: ignore[arg-type]
        if number is not None:
            copy_context().run(note_change, number)  # as in a thread
        changes.wait()
        return [changes.are_written(), writer.waited]

    assert copy_context().run(work, None) == [True, (0, 0.5)]
    assert copy_context().run(work, 7) == [False, (7, 0.5)]
    writer.written = 7
    assert copy_context().run(work, 7) == [True, (7, 0.5)]
