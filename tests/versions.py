"""`make test-versions`: the fast tests on every other interpreter of this machine, in environments of their own.

    make test-versions
    make test-versions PYTHONS="/opt/python/bin/python3 python3.14t"

The first interpreter is that of .venv; `make test` is for that. The others are those that are named, and of each
other version of CPython the first one that starts: on the path, or known to pyenv. A shim of pyenv is on the path for
every version that it knows, and most of them start nothing. Where an environment is, and when it has to be installed
again, is in the Makefile.
"""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

__all__ = ["Interpreter", "choose", "commands_of_pyenv", "commands_on", "main", "missing", "start"]

ROOT = Path(__file__).parents[1]
OLDEST, NEWEST = (3, 11), (3, 14)  # of these, it is said which are not there
NAME = re.compile(r"python3\.\d+")
QUESTION = """
import ensurepip, platform, sys, venv
print(sys.implementation.name, *sys.version_info[:2], platform.python_version() + sys.abiflags)
"""
SECONDS_TO_START = 20


class Interpreter(NamedTuple):
    """A Python that starts and can make an environment."""

    command: str
    kind: str  # cpython, pypy, …
    version: tuple[int, int]
    release: str  # 3.13.0, and for a build of its own kind 3.13.0t

    @property
    def is_usual(self) -> bool:
        """Whether it is one of those that we look for; others have to be named."""
        return self.kind == "cpython" and self.version >= OLDEST and self.release[-1].isdigit()


def start(command: str) -> Interpreter | None:
    """Ask a command which interpreter it is; None if it does not say."""
    try:
        asked = [command, "-c", QUESTION]
        answer = subprocess.run(asked, check=True, capture_output=True, text=True, timeout=SECONDS_TO_START).stdout
        kind, major, minor, release = answer.split()
        return Interpreter(command, kind, (int(major), int(minor)), release)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None


def commands_on(path: str) -> Iterator[str]:
    """Every command with a name like python3.12, in the order of the path."""
    for folder in filter(os.path.isdir, path.split(os.pathsep)):
        yield from (str(Path(folder, name)) for name in os.listdir(folder) if NAME.fullmatch(name))


def commands_of_pyenv(root: Path) -> Iterator[str]:
    """Every interpreter that pyenv has installed, the newest first."""
    folders = {folder: [int(one) for one in re.findall(r"\d+", folder.name)] for folder in root.glob("versions/*")}
    for folder in sorted(folders, key=folders.__getitem__, reverse=True):
        yield str(folder / "bin" / "python")


def choose(own: Interpreter, named: Iterable[Interpreter], found: Iterable[Interpreter]) -> list[Interpreter]:
    """The interpreters besides our own: those that were named, and one of each version that was found."""
    chosen = {one.release: one for one in named if one.release != own.release}
    for one in found:
        if one.is_usual and one.version not in {own.version, *(other.version for other in chosen.values())}:
            chosen[one.release] = one
    return sorted(chosen.values(), key=lambda one: one.version)


def missing(there: Iterable[Interpreter]) -> list[str]:
    """The versions that we look for and did not find."""
    versions = {one.version for one in there}
    expected = ((3, minor) for minor in range(OLDEST[1], NEWEST[1] + 1))
    return [f"{major}.{minor}" for major, minor in expected if (major, minor) not in versions]


def make(target: str, one: Interpreter) -> int:
    """Make something on an interpreter; gives the exit status."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    command = ["make", "--no-print-directory", target, f"PYTHON={one.command}"]
    return subprocess.run(command, cwd=ROOT, env=environment).returncode


def main(named: Sequence[str]) -> int:
    """Run the fast tests on each; gives the exit status."""
    answers = {command: start(command) for command in named}
    silent = [command for command, one in answers.items() if one is None]
    if silent:
        print(f"test-versions: not a Python that starts and has venv and ensurepip: {', '.join(silent)}")
        return 2
    own = start(sys.executable)
    assert own is not None, "this very interpreter does not start"
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    found = map(start, [*commands_on(os.environ.get("PATH", "")), *commands_of_pyenv(pyenv)])
    others = choose(own, filter(None, answers.values()), filter(None, found))
    with ThreadPoolExecutor() as pool:  # installing mostly waits
        installed = list(pool.map(lambda one: make("environment", one) == 0, others))
    said, failed = [f"{own.release} is for make test"], False
    for one, is_installed in zip(others, installed, strict=True):
        print(f"\ntest-versions: {one.release}, {one.command}", flush=True)
        began = time.monotonic()
        is_green = is_installed and make("test-fast", one) == 0
        failed = failed or not is_green
        said.append(f"{one.release} {'passed' if is_green else 'FAILED'} in {time.monotonic() - began:.0f} s")
    lost = missing([own, *others])
    print("test-versions:", "; ".join([*said, *([f"not found: {', '.join(lost)}"] if lost else [])]))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
