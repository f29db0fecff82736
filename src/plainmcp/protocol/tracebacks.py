"""Tracebacks without the frames of this package at their start, so that the code of the author comes first."""

from pathlib import Path
from types import TracebackType

from .interrupts import set_traceback, tame_chain, traceback_of

__all__ = ["cut_own_frames", "is_own_file"]

_OURS = str(Path(__file__).parents[1]) + "/"


def is_own_file(name: str) -> bool:
    """Whether a file belongs to this package.

    >>> is_own_file(__file__), is_own_file("weather.py")
    (True, False)
    """
    return name.replace("\\", "/").startswith(_OURS.replace("\\", "/"))


def cut_own_frames(error: BaseException) -> BaseException:
    """The exception, with a traceback that starts in the author's code; its causes and contexts likewise.

    The frames of this package above that code are the same for every call. An exception that was raised in this
    package keeps its traceback, unless it has a cause.
    """
    for one in tame_chain(error):
        start = _skip_own_frames(traceback_of(one))
        if start is not None or one.__cause__ is not None:
            set_traceback(one, start)
    return error


def _skip_own_frames(frame: TracebackType | None) -> TracebackType | None:
    while frame is not None and is_own_file(frame.tb_frame.f_code.co_filename):
        frame = frame.tb_next
    return frame
