"""The completion scripts: complete, and accepted by the shells that are installed."""

import shutil
import subprocess
from typing import Any

import pytest

from plainmcp.cli.grammar import SHELLS, build_parser
from plainmcp.cli.shell import script_of

COMMANDS = ["serve", "list", "call", "read", "prompt", "completion", "preview", "config", "shell-completion"]


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_has_every_command_and_option(run: Any, shell: str) -> None:
    code, out, err = run("shell-completion", shell)
    assert (code, err) == (0, "")
    assert all(name in out for name in COMMANDS)
    assert all(option in out for option in ("reload", "bearer", "principal", "2026-07-28", "claude-desktop", "lean"))


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_accepts_its_script(shell: str) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    script = script_of(shell, build_parser())
    done = subprocess.run([program, "-n"], input=script, capture_output=True, text=True, timeout=20)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(
    ("typed", "suggested"),
    [
        (["pre"], ["preview"]),
        (["--v"], ["--version"]),
        (["call", "app.py", "--rev"], ["--revision"]),
        (["call", "app.py", "--policy", "le"], ["lean"]),
        (["serve", "app.py", "--log-level", "w"], ["warning"]),
        (["config", "claude"], ["claude-desktop", "claude-code"]),
        (["shell-completion", "z"], ["zsh"]),
    ],
)
def test_bash_completes(typed: list[str], suggested: list[str]) -> None:
    words = " ".join(f"'{word}'" for word in ["plainmcp", *typed])
    asking = f"COMP_WORDS=({words}); COMP_CWORD={len(typed)}; _plainmcp; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    script = f"{script_of('bash', build_parser())}\ncd /\n{asking}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=20)
    assert (done.stdout.split(), done.stderr) == (suggested, "")


def test_another_shell_is_explained(run: Any) -> None:
    assert run("shell-completion", "tcsh")[::2] == (
        2,
        "plainmcp: there is no script for 'tcsh'; there are: bash, zsh, fish\n",
    )
