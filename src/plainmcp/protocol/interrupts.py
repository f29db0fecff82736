"""Tells a KeyboardInterrupt of Ctrl-C from one that code raised like any other exception."""

import signal
import threading
from functools import partial
from opcode import opmap

__all__ = ["raise_interrupt"]


def raise_interrupt(error: BaseException) -> None:
    """Raise an exception again if it comes from Ctrl-C; any other exception fails only one call.

    A signal reaches only the main thread, and never at a `raise` statement, except the one in its own handler.
    """
    if isinstance(error, KeyboardInterrupt) and _is_signal(error):
        raise error


def _is_signal(error: KeyboardInterrupt) -> bool:
    frame = error.__traceback__
    if frame is None or threading.current_thread() is not threading.main_thread():
        return False
    while frame.tb_next is not None:
        frame = frame.tb_next
    code = frame.tb_frame.f_code
    handler = signal.getsignal(signal.SIGINT)
    while isinstance(handler, partial):
        handler = handler.func
    return code.co_code[frame.tb_lasti] != opmap["RAISE_VARARGS"] or code is getattr(handler, "__code__", None)
