"""Downloads the servers and creates the environments they run in; all of it lies in a cache folder outside git."""

import fcntl
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from configparser import ConfigParser
from contextlib import contextmanager
from pathlib import Path

from .cases import LINES, Case

__all__ = ["changed_copy", "entry_of", "interpreter_of", "interpreter_with", "unpacked"]

ROOT = Path(__file__).parents[2]

# What servers of all lines import besides; the same in every environment, so that the same modules are stubbed.
COMMON = [
    "anyio",
    "click",
    "httpx",
    "pydantic>=2.12",
    "pydantic-settings",
    "python-dotenv",
    "pyyaml",
    "redis",
    "starlette",
    "uvicorn",
]
OURS = ["msgspec>=0.20", "jsonschema-rs>=0.60", "docstring-parser>=0.16"]


def interpreter_of(line: str, cache: Path) -> Path:
    """The interpreter of the environment of a line, or of "ours", which has none of the real packages."""
    return _prepare(line, [*COMMON, *(OURS if line == "ours" else [LINES[line]])], cache)


def interpreter_with(case: Case, cache: Path) -> Path:
    """The interpreter of an environment with a framework, the real package, and what ours needs."""
    return _prepare(case.name, [case.requirement, LINES[case.line], *OURS], cache)


@contextmanager
def _lock(cache: Path) -> Iterator[None]:
    """Let one process at a time write into the cache: tests run in several."""
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / ".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _prepare(name: str, wanted: list[str], cache: Path) -> Path:
    folder = cache / "environments" / name
    python = folder / "bin" / "python"
    ready = folder / ".ready"
    with _lock(cache):
        if not ready.exists() or ready.read_text().splitlines() != wanted:
            shutil.rmtree(folder, ignore_errors=True)
            subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
            _pip("--python", str(python), "install", "--no-compile", *wanted)  # most of it is never imported
            ready.write_text("\n".join(wanted))
    return python


def unpacked(case: Case, cache: Path) -> Path:
    """The folder with the files of a server's distribution; it is downloaded only once."""
    folder = cache / "servers" / case.name
    with _lock(cache):
        if not folder.exists():
            wheels = cache / "wheels" / case.name
            newer = ["--only-binary=:all:", "--python-version", case.python] if case.python else []
            _pip("download", "--no-deps", *newer, "--dest", str(wheels), case.requirement)
            with zipfile.ZipFile(next(wheels.glob("*.whl"))) as archive:
                archive.extractall(folder)
    return folder


def _pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"pip {' '.join(arguments)} failed:\n{done.stderr}")


def entry_of(case: Case, folder: Path) -> tuple[str, str]:
    """The console script of a server: its name, and "module:function"."""
    scripts = ConfigParser()
    scripts.optionxform = str  # type: ignore[assignment,method-assign]
    scripts.read(next(folder.glob("*.dist-info")) / "entry_points.txt")
    named = dict(scripts["console_scripts"])
    script = case.script or next(iter(named))
    return script, named[script]


def changed_copy(case: Case, folder: Path, cache: Path) -> Path:
    """A copy of a server in which the imports of the real packages are changed, and nothing else."""
    copy = cache / "changed" / case.name
    if not copy.exists():
        shutil.copytree(folder, copy)
        for file in copy.rglob("*.py"):
            source = file.read_text("utf-8")
            changed = change_imports(source)
            if changed != source:
                file.write_text(changed, "utf-8")
    return copy


_FROM = re.compile(r"^(\s*)from (mcp|fastmcp)((?:\.\w+)*) import\b", re.M)
_AS = re.compile(r"^(\s*)import (mcp|fastmcp)((?:\.\w+)*) as\b", re.M)
_PLAIN = re.compile(r"^(\s*)import (mcp|fastmcp)((?:\.\w+)+)[ \t]*(#.*)?$", re.M)
_WHOLE = re.compile(r"^(\s*)import (mcp|fastmcp)[ \t]*(#.*)?$", re.M)


def change_imports(source: str) -> str:
    """The source with `mcp` and `fastmcp` taken from plainmcp.compat."""
    source = _FROM.sub(r"\1from plainmcp.compat.\2\3 import", source)
    source = _AS.sub(r"\1import plainmcp.compat.\2\3 as", source)
    source = _PLAIN.sub(r"\1import plainmcp.compat.\2\3; from plainmcp.compat import \2", source)
    return _WHOLE.sub(r"\1from plainmcp.compat import \2", source)
