"""`make test-versions` and `make PYTHON=…`: which interpreters are tested, and in which environment."""

import os
import platform
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import versions

ROOT = Path(__file__).parents[2]
OWN = f"{sys.version_info[0]}.{sys.version_info[1]}"
RELEASE = platform.python_version() + sys.abiflags
SHIM = "echo 'pyenv: python3.99: command not found' >&2; exit 127"
MAKE = """
echo "$*" >> "$0.log"
case "$*" in *{failing}*) exit 2 ;; esac
"""


def write(file: Path, body: str) -> str:
    """A command."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\n{body}\n", "utf-8")
    file.chmod(0o755)
    return str(file)


def python(file: Path, release: str, kind: str = "cpython") -> str:
    """A command that says that it is an interpreter."""
    major, minor, *_ = release.split(".")
    return write(file, f"echo {kind} {major} {minor} {release}")


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with a `make` that notes what it is told, and no Python on its path."""
    write(tmp_path / "bin" / "make", MAKE.format(failing="nothing"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{tmp_path / 'shims'}")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.setenv("MAKEFLAGS", "-- PYTHONS=/a")
    return tmp_path


@pytest.fixture
def made(machine: Path) -> Callable[[], list[str]]:
    def made() -> list[str]:
        log = machine / "bin" / "make.log"
        return sorted(log.read_text("utf-8").splitlines()) if log.exists() else []

    return made


def test_without_another_interpreter_it_is_said_and_nothing_runs(
    machine: Path, made: Callable[[], list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    write(machine / "shims" / "python3.12", SHIM)
    python(machine / "pyenv" / "versions" / "3.10.4" / "bin" / "python", "3.10.4")
    assert versions.main([]) == 0
    others = ", ".join(one for one in ("3.11", "3.12", "3.13", "3.14") if one != OWN)
    assert capsys.readouterr().out == f"test-versions: {RELEASE} is for make test; not found: {others}\n"
    assert made() == []


def test_each_version_that_starts_is_tested_once_in_an_environment_of_its_own(
    machine: Path, made: Callable[[], list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    write(machine / "shims" / "python3.31", SHIM)
    on_path = python(machine / "bin" / "python3.32", "3.32.4")
    python(machine / "pyenv" / "versions" / "3.32.1" / "bin" / "python", "3.32.1")
    python(machine / "pyenv" / "versions" / "3.31.9" / "bin" / "python", "3.31.9")
    newest = python(machine / "pyenv" / "versions" / "3.31.10" / "bin" / "python", "3.31.10")
    python(machine / "pyenv" / "versions" / OWN / "bin" / "python", f"{OWN}.99")
    for name, release, kind in (
        ("pypy", "3.33.0", "pypy"),
        ("free", "3.33.0t", "cpython"),
        ("old", "3.10.2", "cpython"),
    ):
        python(machine / "pyenv" / "versions" / name / "bin" / "python", release, kind)
    assert versions.main([]) == 0
    assert made() == sorted(
        f"--no-print-directory {target} PYTHON={one}"
        for one in (newest, on_path)
        for target in ("environment", "test-fast")
    )
    said = capsys.readouterr().out.splitlines()
    assert said[-1].startswith(
        f"test-versions: {RELEASE} is for make test; 3.31.10 passed in 0 s; 3.32.4 passed in 0 s;"
    )


def test_what_is_named_is_tested_whatever_it_is_and_instead_of_what_is_found(
    machine: Path, made: Callable[[], list[str]]
) -> None:
    python(machine / "bin" / "python3.32", "3.32.4")
    named = [python(machine / "opt" / "a", "3.32.1"), python(machine / "opt" / "b", "3.33.0", "pypy")]
    assert versions.main(named) == 0
    assert {line.partition("PYTHON=")[2] for line in made()} == set(named)


def test_a_name_that_starts_nothing_is_an_error(
    machine: Path, made: Callable[[], list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    silent = [write(machine / "opt" / "python", SHIM), "/nowhere/python3"]
    assert versions.main([*silent, python(machine / "opt" / "a", "3.32.1")]) == 2
    said = f"test-versions: not a Python that starts and has venv and ensurepip: {', '.join(silent)}\n"
    assert capsys.readouterr().out == said
    assert made() == []


@pytest.mark.parametrize("release", ["3.31.13", "3.32.0"])
def test_a_version_that_fails_does_not_keep_the_others_from_running(
    machine: Path, made: Callable[[], list[str]], capsys: pytest.CaptureFixture[str], release: str
) -> None:
    write(machine / "bin" / "make", MAKE.format(failing="test-fast*bad"))
    bad, good = python(machine / "opt" / "bad", release), python(machine / "opt" / "good", "3.31.50")
    assert versions.main([bad, good]) == 1
    assert len(made()) == 4
    summary = capsys.readouterr().out.splitlines()[-1]
    assert f"{release} FAILED in 0 s" in summary and "3.31.50 passed in 0 s" in summary


def commands(folder: Path, python: str) -> list[str]:
    """What `make test-fast` would run in a folder with an interpreter."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    (folder / "pyproject.toml").touch()
    command = ["make", "-n", "-f", str(ROOT / "Makefile"), "test-fast", f"PYTHON={python}"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    return (done.stdout + done.stderr).splitlines()


@pytest.mark.parametrize(
    ("there", "asked", "place"),
    [(None, "3.99.1", ".venv"), ("3.99.1", "3.99.1", ".venv"), ("3.98.0", "3.99.1", ".versions/3.99.1")],
)
def test_make_gives_an_interpreter_other_than_that_of_venv_an_environment_of_its_own(
    tmp_path: Path, there: str | None, asked: str, place: str
) -> None:
    if there is not None:
        write(tmp_path / ".venv" / "bin" / "python", f"echo {there}")
    python = write(tmp_path / "python3.99", f"echo {asked}")
    lines = commands(tmp_path, python)
    assert lines[0] == f"test -x {place}/bin/python || {python} -m venv {place}"
    assert lines[-1].startswith(f"{place}/bin/python -m pytest ")


def test_make_says_that_an_interpreter_does_not_start(tmp_path: Path) -> None:
    shim = write(tmp_path / "python3.99", SHIM)
    assert f"{shim} is not a Python that starts." in commands(tmp_path, shim)[-1]
