"""What is told while a tool works, on standard error: a line that changes on a terminal, and lines elsewhere."""

import os
import shutil
import sys
from typing import Any

from .show import coloured, pretty, safe

__all__ = ["Progress"]


class Progress:
    """Shows notifications of progress and log messages as they come; called with a method and its parameters."""

    def __init__(self) -> None:
        self._shown = False  # whether a line stands there that is to be wiped away

    def __call__(self, method: str, params: dict[str, Any]) -> None:
        """Show a notification, if it is one of these."""
        if method == "notifications/progress":
            self._progress(params)
        elif method == "notifications/message":
            data = params.get("data")
            self._line(f"{params.get('level', 'info')}: {data if isinstance(data, str) else pretty(data)}")

    def close(self) -> None:
        """Leave nothing behind that is only true while the tool works."""
        if self._shown:
            self._shown = False
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def _progress(self, params: dict[str, Any]) -> None:
        done, total = params.get("progress", 0), params.get("total")
        message = params.get("message", "")
        if not _is_terminal():
            told = f"{done:g}" + ("" if total is None else f"/{total:g}")
            return self._line(f"[{told}] {message}")
        told = f"{done / total:4.0%}" if total else f"{done:g}"
        text = safe(f"{told}  {message}").replace("\n", " ").rstrip()
        shown = coloured(text[: shutil.get_terminal_size().columns - 1], "dim", sys.stderr)
        self._shown = True
        print(f"\r\x1b[K{shown}", end="", file=sys.stderr, flush=True)

    def _line(self, text: str) -> None:
        self.close()
        print(coloured(safe(text).rstrip(), "dim", sys.stderr), file=sys.stderr, flush=True)


def _is_terminal() -> bool:
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
