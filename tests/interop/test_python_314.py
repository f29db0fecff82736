"""Annotations on Python 3.14, where they are evaluated lazily: in a real one, which npm has for Node."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from npm import NODE, installed

pytestmark = pytest.mark.slow  # it starts processes, and downloads once

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
WHEELS = ROOT / ".engines" / "python-3.14"
# What `import plainmcp` needs: a wheel for WebAssembly, and one for any platform.
PACKAGES = {
    "msgspec": ("--platform", "pyemscripten_2026_0_wasm32"),
    "docstring-parser": ("--platform", "any"),
}


def wheels() -> Path:
    WHEELS.mkdir(parents=True, exist_ok=True)
    for package, platform in PACKAGES.items():
        if not list(WHEELS.glob(f"{package.replace('-', '_')}-*.whl")):
            command = ["download", "--quiet", "--no-deps", "--only-binary=:all:", "--python-version=3.14", *platform]
            subprocess.run(
                [sys.executable, "-m", "pip", *command, "--dest", str(WHEELS), package], check=True, timeout=120
            )
    return WHEELS


def test_names_that_only_type_checkers_know_are_explained_or_do_no_harm() -> None:
    """Y: what cannot be evaluated is an AuthorError where the type is needed, and otherwise nothing."""
    module = installed("pyodide", "314.0.7") / "pyodide.mjs"
    program = HERE / "lazy_annotations.py"
    command = [NODE, HERE / "python_314.mjs", module, ROOT / "src", wheels(), program]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    end = "cannot be resolved (name 'Unknown' is not defined); it has to be known where the function is defined, "
    end += "and not to type checkers only"
    assert found == {
        "version": [3, 14],
        "a class that is defined later": {"nodes": [{"number": 1, "item": None}]},
        "a parameter": f"AuthorError: parameter: the hint of owner, list[Unknown], {end}",
        "a result": f"AuthorError: result: the return hint, Unknown, {end}",
        "a dependency": f"AuthorError: find: the hint of owner, Unknown, {end}",
        "middleware and a route": {"result": 1},
        "a field of a record": {"owner": "ada", "size": 1},
        "Structs": {"result": [{"size": 1, "owner": None}, {"size": 2, "owner": "ada"}]},
    }
