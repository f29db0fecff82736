"""Exceptions of the author's code: which one comes from Ctrl-C, and which one cannot be looked at.

The class of an exception may have code for whatever is looked at, and that code may raise anything. What is read of
an exception here is read past its class, and `tame` replaces one that others cannot look at.
"""

import signal
import threading
from collections.abc import Iterator
from functools import partial
from opcode import opmap
from types import TracebackType
from typing import Any

__all__ = ["name_of", "raise_interrupt", "set_traceback", "tame", "tame_chain", "traceback_of"]

_NAME = vars(type)["__name__"]
_TRACEBACK = vars(BaseException)["__traceback__"]
_CAUSE = vars(BaseException)["__cause__"]
_CONTEXT = vars(BaseException)["__context__"]
_IS_SUPPRESSED = vars(BaseException)["__suppress_context__"]


def name_of(kind: type) -> str:
    """The name of a class, whatever its own class says."""
    name: str = _NAME.__get__(kind)
    return name


def traceback_of(error: BaseException) -> TracebackType | None:
    """The traceback of an exception."""
    traceback: TracebackType | None = _TRACEBACK.__get__(error)
    return traceback


def set_traceback(error: BaseException, traceback: TracebackType | None) -> None:
    """Set the traceback of an exception."""
    _TRACEBACK.__set__(error, traceback)


def raise_interrupt(error: BaseException) -> None:
    """Raise an exception again if it comes from Ctrl-C; any other exception fails only one call.

    A signal reaches only the main thread, and never at a `raise` statement, except the one in its own handler.
    """
    if issubclass(type(error), KeyboardInterrupt) and _is_signal(error):
        raise error


def tame(error: BaseException) -> BaseException:
    """The exception; or a RuntimeError in its place, if its class has code that raises when it is looked at."""
    try:
        _look_at(error)
    except BaseException as problem:
        raise_interrupt(problem)
        text = f"{name_of(type(error))} was raised, and raises {name_of(type(problem))} when it is looked at"
        return RuntimeError(text).with_traceback(traceback_of(error))
    return error


def tame_chain(error: BaseException) -> Iterator[BaseException]:
    """An exception, and those that led to it, as they are shown; those that cannot be looked at are replaced."""
    visited: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in visited:
        visited.add(id(current))
        yield current
        link = _CONTEXT if _CAUSE.__get__(current) is None else _CAUSE
        if link is _CONTEXT and _IS_SUPPRESSED.__get__(current):
            return
        following = link.__get__(current)
        if following is not None and (tamed := tame(following)) is not following:
            is_suppressed = _IS_SUPPRESSED.__get__(current)
            link.__set__(current, tamed)
            _IS_SUPPRESSED.__set__(current, is_suppressed)  # to set a cause changes it
            following = tamed
        current = following


def _look_at(error: Any) -> None:
    """Look at what everyone looks at: `isinstance`, `except` and the modules that log."""
    kind = type(error)
    _ = kind.__name__, kind.__qualname__, kind.__module__, kind.__mro__
    _ = error.__class__, error.__traceback__, error.__cause__, error.__context__, error.__suppress_context__
    _ = getattr(error, "__notes__", None), error.args, bool(error)


def _is_signal(error: BaseException) -> bool:
    frame = traceback_of(error)
    if frame is None or threading.current_thread() is not threading.main_thread():
        return False
    while frame.tb_next is not None:
        frame = frame.tb_next
    code = frame.tb_frame.f_code
    handler = signal.getsignal(signal.SIGINT)
    while isinstance(handler, partial):
        handler = handler.func
    return code.co_code[frame.tb_lasti] != opmap["RAISE_VARARGS"] or code is getattr(handler, "__code__", None)
