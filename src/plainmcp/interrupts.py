"""Whether a KeyboardInterrupt comes from Ctrl-C, or from code that raised it like any other exception."""

import signal
import threading
from functools import partial
from opcode import opmap

__all__ = ["raise_interrupt"]


def raise_interrupt(error: BaseException) -> None:
    """Raise an exception again where it is somebody's Ctrl-C; whatever else it is fails one call only.

    Signals reach only the main thread, and never at a `raise` statement, unless it is that of their own handler.
    """
    if isinstance(error, KeyboardInterrupt) and _is_signal(error):
        raise error


def _is_signal(error: KeyboardInterrupt) -> bool:
    at = error.__traceback__
    if at is None or threading.current_thread() is not threading.main_thread():
        return False
    while at.tb_next is not None:
        at = at.tb_next
    code = at.tb_frame.f_code
    handler = signal.getsignal(signal.SIGINT)
    while isinstance(handler, partial):
        handler = handler.func
    return code.co_code[at.tb_lasti] != opmap["RAISE_VARARGS"] or code is getattr(handler, "__code__", None)
