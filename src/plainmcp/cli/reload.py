"""Serving a file anew whenever it is saved, or a Python file beside it: a child process serves, and this one watches.

Knows files and processes. What the child does with its socket is known in transports.http_server.
"""

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

from ..errors import AuthorError
from ..transports import uvicorn
from ..transports.log_format import formatted_logs
from ..transports.shutdown import check_grace
from .load import LoadError, file_of, load

__all__ = ["serve_anew"]

Saved: TypeAlias = dict[str, tuple[int, int]]

_SECONDS = 0.3  # between two looks at the files
_SPARE = 0.5  # how long after its grace period the child is killed
_OTHERS = {"__pycache__", "node_modules", "site-packages"}  # folders in which nobody's own files are


def serve_anew(target: str, address: str, grace: float) -> None:
    """Serve FILE or FILE:OBJECT at host:port until a signal ends us; what is wrong with the file is said meanwhile.

    Requests under way have `grace` seconds, before they are given up for the new file or for our end. Raises
    LoadError when there is no such file, AuthorError when it cannot be served there.
    """
    file = file_of(target)
    folder = file.resolve().parent
    kept = signal.signal(signal.SIGTERM, signal.default_int_handler)
    child: Any = None
    try:
        with uvicorn.listening(address) as bound:
            _say(f"watching the Python files in {folder}")
            while True:
                saved = _saved(folder)
                child = _started(target, bound, grace)
                changed = _next_change(folder, saved, child)
                _say(f"{changed} was saved")
                _end(child, grace)
    finally:
        if child is not None:
            _end(child, grace)
        signal.signal(signal.SIGTERM, kept)


def _say(text: str) -> None:
    print(f"plainmcp: {text}", file=sys.stderr, flush=True)


# The files ----------------------------------------------------------------------------------------


def _next_change(folder: Path, saved: Saved, child: Any) -> str:
    """Wait until a file is not what it was; gives its name. Says once when the child does not serve meanwhile."""
    alive = True
    while True:
        time.sleep(_SECONDS)
        now = _saved(folder)
        if now != saved:
            changed = sorted(name for name in now.keys() | saved.keys() if now.get(name) != saved.get(name))
            return os.path.relpath(changed[0], folder)
        if alive and not child.is_alive():
            alive = False
            _say("nothing is served now; requests wait until a file is saved")


def _saved(folder: Path) -> Saved:
    """When each Python file in a folder was saved, and how long it is."""
    found: Saved = {}
    for name in _python_files(folder):
        try:
            known = os.stat(name)
        except OSError:  # gone by now
            continue
        found[name] = known.st_mtime_ns, known.st_size
    return found


def _python_files(folder: Path) -> Iterator[str]:
    for place, folders, names in os.walk(folder):
        # Neither hidden folders nor what is installed: there are thousands of files there, and nobody edits them.
        folders[:] = [
            one
            for one in folders
            if one not in _OTHERS
            and not one.startswith(".")
            and not os.path.exists(os.path.join(place, one, "pyvenv.cfg"))
        ]
        yield from (os.path.join(place, name) for name in names if name.endswith(".py"))


# The child ----------------------------------------------------------------------------------------


def _started(target: str, bound: Any, grace: float) -> Any:
    """A process of its own, begun from nothing: what was imported before is imported anew."""
    child = multiprocessing.get_context("spawn").Process(target=_serve, args=(target, bound, grace))
    child.start()
    return child


def _serve(target: str, bound: Any, grace: float) -> None:
    threading.Thread(target=_leave_with_the_parent, daemon=True).start()
    sys.dont_write_bytecode = True  # Python takes a file for unchanged that is saved twice in a second, and as long
    from ..transports.http_server import serve_on  # an event loop is loaded for the child only

    with formatted_logs():
        try:
            app = load(target).asgi()
        except (LoadError, AuthorError) as error:
            _say(str(error))
            sys.exit(1)
        with suppress(KeyboardInterrupt):  # uvicorn has ended by then
            serve_on(bound, app, grace=grace)


def _leave_with_the_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)


def _end(child: Any, grace: float) -> None:
    child.terminate()
    child.join(check_grace(grace) + _SPARE)
    if child.is_alive():
        child.kill()
        child.join()
