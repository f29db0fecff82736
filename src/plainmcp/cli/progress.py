"""Shows progress and log messages on standard error while a tool runs."""

import os
import sys
from typing import Any

from .show import escape_controls, in_colour, indent_json

__all__ = ["Progress"]

_BAR = 20  # characters


class Progress:
    """Shows notifications as they come: on a terminal one line that changes, otherwise a line for each."""

    def __init__(self) -> None:
        self._has_line = False  # whether a line is shown that has to be erased

    def __call__(self, method: str, params: dict[str, Any]) -> None:
        """Show a notification if it is about progress or a log message."""
        if method == "notifications/progress":
            self._show_progress(params)
        elif method == "notifications/message":
            data = params.get("data")
            self._print(f"{params.get('level', 'info')}: {data if isinstance(data, str) else indent_json(data)}")

    def close(self) -> None:
        """Erase the line that is true only while the tool runs."""
        if self._has_line:
            self._has_line = False
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def _show_progress(self, params: dict[str, Any]) -> None:
        done, total = params.get("progress", 0), params.get("total")
        message = params.get("message", "")
        if not _is_terminal():
            amount = f"{done:g}" + ("" if total is None else f"/{total:g}")
            return self._print(f"[{amount}] {message}")
        amount = f"{_bar_of(done / total)} {done / total:4.0%}" if total else f"{done:g}"
        text = escape_controls(f"{amount}  {message}").replace("\n", " ").rstrip()
        line = in_colour(text[: _columns() - 1], "dim", sys.stderr)
        self._has_line = True
        print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)

    def _print(self, text: str) -> None:
        self.close()
        print(in_colour(escape_controls(text).rstrip(), "dim", sys.stderr), file=sys.stderr, flush=True)


def _bar_of(share: float) -> str:
    """A bar of fixed length.

    >>> _bar_of(0.5)
    '[##########..........]'
    """
    full = round(min(max(share, 0), 1) * _BAR)
    return f"[{'#' * full}{'.' * (_BAR - full)}]"


def _columns() -> int:
    """The width of the terminal; not by shutil, which takes long to load for every command."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def _is_terminal() -> bool:
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
