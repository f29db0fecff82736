"""Serves a file, and starts again when it or another Python file in its folder is saved.

A child process serves, and this one watches the files. While the file cannot be loaded, the child serves the reason.
"""

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias

from ..auth.keys import Keys
from ..compat import install
from ..errors import AuthorError
from ..transports import uvicorn
from ..transports.health import HEALTH
from ..transports.log_format import formatted_logs
from ..transports.process_end import limit_exit
from ..transports.shutdown import check_grace, make_deadline
from .broken import BrokenApp
from .load import load
from .source import LoadError, find_source

__all__ = ["serve_with_reload"]

FileTimes: TypeAlias = dict[str, tuple[int, int]]

_SECONDS = 0.3  # between two looks at the files
_SPARE = 0.5  # how long after its grace period the child is killed
_SKIP = {"__pycache__", "node_modules", "site-packages"}  # folders that contain no files of the user


def serve_with_reload(
    target: str,
    address: str,
    grace: float,
    *,
    is_module: bool = False,
    drop_in: bool = False,
    arguments: Sequence[str] = (),
    keys: str | None = None,
    origins: Collection[str] = (),
    access_log: Literal["plain", "json"] | None = None,
    log_level: str | None = None,
    ui: bool = False,
) -> None:
    """Serve the server that a target names at host:port until a signal comes.

    A file that cannot be loaded is reported, here and to callers. With `is_module` the target is a module. With
    `drop_in`, imports of other packages lead to the facades, in each process that serves. The code sees `arguments`
    in `sys.argv`. With `keys`, callers need a key in that file. `origins`, `access_log`, `log_level` and `ui` are
    those of `server.run`. Running requests have `grace` seconds before a reload or the end of the process abandons
    them. Raises LoadError if there is no such file, AuthorError if it cannot be served at this address.
    """
    folder = find_source(target, is_module=is_module).folder
    previous = signal.signal(signal.SIGTERM, signal.default_int_handler)
    child: Any = None
    options = (grace, is_module, drop_in, arguments, keys, origins, access_log, log_level, address if ui else None)
    uvicorn.warn_if_open(address, is_protected=keys is not None)
    try:
        with uvicorn.open_socket(address, has_page=ui) as bound:
            _print(f"watching the Python files in {folder}")
            while True:
                times = _file_times(folder)
                child = _start_child(target, bound, *options)
                file_name = _wait_for_change(folder, times, child)
                _print(f"{file_name} was saved")
                _stop_child(child, grace)
    finally:
        if child is not None:
            _stop_child(child, grace)
        signal.signal(signal.SIGTERM, previous)


def _print(text: str) -> None:
    print(f"plainmcp: {text}", file=sys.stderr, flush=True)


# The files ----------------------------------------------------------------------------------------


def _wait_for_change(folder: Path, times: FileTimes, child: Any) -> str:
    """Wait until a file changes and return its name. Prints one line if the child ends meanwhile."""
    alive = True
    while True:
        time.sleep(_SECONDS)
        now = _file_times(folder)
        if now != times:
            changed = sorted(name for name in now.keys() | times.keys() if now.get(name) != times.get(name))
            return os.path.relpath(changed[0], folder)
        if alive and not child.is_alive():
            alive = False
            _print("nothing is served now; requests wait until a file is saved")


def _file_times(folder: Path) -> FileTimes:
    """The time each Python file in a folder was saved, and its size."""
    times: FileTimes = {}
    for name in _python_files_in(folder):
        try:
            status = os.stat(name)
        except OSError:  # deleted meanwhile
            continue
        times[name] = status.st_mtime_ns, status.st_size
    return times


def _python_files_in(folder: Path) -> Iterator[str]:
    for place, folders, names in os.walk(folder):
        # Hidden folders and installed packages have thousands of files, and users do not edit them.
        folders[:] = [
            one
            for one in folders
            if one not in _SKIP
            and not one.startswith(".")
            and not os.path.exists(os.path.join(place, one, "pyvenv.cfg"))
        ]
        yield from (os.path.join(place, name) for name in names if name.endswith(".py"))


# The child ----------------------------------------------------------------------------------------


def _start_child(target: str, bound: Any, *options: Any) -> Any:
    """A new process that imports every module again."""
    child = multiprocessing.get_context("spawn").Process(target=_serve, args=(target, bound, *options))
    child.start()
    return child


def _serve(
    target: str,
    bound: Any,
    grace: float,
    is_module: bool,
    drop_in: bool,
    arguments: Sequence[str],
    keys: str | None,
    origins: Collection[str],
    access_log: Literal["plain", "json"] | None,
    log_level: str | None,
    page_address: str | None,
) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    sys.dont_write_bytecode = True  # Python overlooks a second save within a second, if the size is equal
    from ..transports.http_server import serve_on  # only the child needs an event loop

    if drop_in:
        install()

    with formatted_logs(log_level), ExitStack() as stack:
        try:
            server = load(target, is_module=is_module, arguments=arguments)
            stack.enter_context(server._logs(access_log, log_level))
            auth: dict[str, Any] = {} if keys is None else {"auth": Keys.from_file(keys)}
            build = server.asgi if page_address is None else partial(server._asgi_with_page, page_address)
            app: Any = build(path=uvicorn.PATH, health=HEALTH, origins=origins, **auth)
        except (LoadError, AuthorError) as error:
            _print(str(error))
            _print("requests are answered with 503 and this error until a file is saved")
            app = BrokenApp(str(error))
        deadline = make_deadline(grace, owns_process=True)
        try:
            serve_on(bound, app, deadline, **uvicorn.uvicorn_level(log_level))
        except KeyboardInterrupt:  # before uvicorn serves, or sent again when it has ended
            limit_exit(deadline)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)


def _stop_child(child: Any, grace: float) -> None:
    child.terminate()
    child.join(check_grace(grace) + _SPARE)
    if child.is_alive():
        child.kill()
        child.join()
