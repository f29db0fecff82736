"""Tracebacks as their readers want them: what the author wrote comes first. Knows which frames are ours."""

from pathlib import Path
from types import TracebackType

__all__ = ["cut_own_frames", "is_own_file"]

_OURS = str(Path(__file__).parents[1]) + "/"


def is_own_file(name: str) -> bool:
    """Whether a file is one of this package's.

    >>> is_own_file(__file__), is_own_file("weather.py")
    (True, False)
    """
    return name.replace("\\", "/").startswith(_OURS.replace("\\", "/"))


def cut_own_frames(error: BaseException) -> BaseException:
    """The exception, whose traceback begins where the author's code does; likewise those it came from.

    Whoever called that code was us, every time in the same way. An exception that never left us keeps its traceback,
    unless it only stands for another.
    """
    met: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in met:
        met.add(id(one))
        began = _first_of_others(one.__traceback__)
        if began is not None or one.__cause__ is not None:
            one.__traceback__ = began
        one = one.__cause__ or (None if one.__suppress_context__ else one.__context__)
    return error


def _first_of_others(frame: TracebackType | None) -> TracebackType | None:
    while frame is not None and is_own_file(frame.tb_frame.f_code.co_filename):
        frame = frame.tb_next
    return frame
