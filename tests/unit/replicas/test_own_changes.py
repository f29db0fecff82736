"""The changes that one request makes."""

from contextvars import copy_context

from plainmcp.replicas.own_changes import CURRENT, OwnChanges, note_change


def test_a_change_is_noted_for_the_request_in_whose_context_it_is_made() -> None:
    def work(number: int) -> int:
        changes = OwnChanges()
        CURRENT.set(changes)
        copy_context().run(note_change, number)  # as in a thread
        return changes.last

    assert [copy_context().run(work, number) for number in (7, 9)] == [7, 9]
    note_change(11)  # without a request
