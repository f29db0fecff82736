"""The completion scripts: complete, in the syntax of their shells, and with the suggestions of the grammar.

bash runs its script. zsh and fish are not packages that a test could install, so parsers of their languages read
the scripts: shfmt, and the grammar of fish for tree-sitter. What the scripts say is read as the manuals of
`_arguments` and of `complete` describe it.
"""

import argparse
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from npm import NODE, installed
from plainmcp.cli.grammar import SHELLS, build_parser
from plainmcp.cli.shell import script_of

COMMANDS = ["serve", "list", "call", "read", "prompt", "completion", "preview", "config", "shell-completion"]


class Offer(NamedTuple):
    """What is offered after a command: its options with the values they take, and what its first argument may be."""

    options: dict[str, list[str] | None]  # None: it takes no value; an empty list: any value
    words: list[str]


def offer_of(command: argparse.ArgumentParser) -> Offer:
    """What the grammar has."""
    options = {
        name: None if one.nargs == 0 else [str(choice) for choice in one.choices or ()]
        for one in command._actions
        for name in one.option_strings
    }
    return Offer(options, list(command.get_default("words") or ()))


def grammar() -> dict[str, Offer]:
    """Every command, and what the grammar has for it."""
    commands = next(one for one in build_parser()._actions if isinstance(one, argparse._SubParsersAction))
    return {name: offer_of(command) for name, command in commands.choices.items()}


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_is_printed(run: Any, shell: str) -> None:
    code, out, err = run("shell-completion", shell)
    assert (code, out, err) == (0, script_of(shell, build_parser()), "")
    assert list(grammar()) == COMMANDS


def test_another_shell_is_explained(run: Any) -> None:
    assert run("shell-completion", "tcsh")[::2] == (
        2,
        "plainmcp: there is no script for 'tcsh'; there are: bash, zsh, fish\n",
    )


# Bash ---------------------------------------------------------------------------------------------


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


# Zsh ----------------------------------------------------------------------------------------------

# An option of `_arguments`: *--name[what it is]:message:action, where a colon in a text has a backslash.
OPTION = re.compile(r"\*(-[\w-]+)\[((?:\\:|[^\]\[:\\])+)\](?::(\w+):(_files|\(([^()]*)\)))?")
ARGUMENT = re.compile(r"(1|\*):(\w+):(_files|\(([^()]*)\))")


def parse_with_shfmt(script: str) -> subprocess.CompletedProcess[str]:
    program = shutil.which("shfmt", path=str(Path(sys.executable).parent))
    assert program is not None, "shfmt-py is not installed; make test installs it"
    return subprocess.run([program, "-ln", "zsh"], input=script, capture_output=True, text=True, timeout=20)


def read_zsh(script: str) -> dict[str, Offer]:
    """What a script offers, by the manual of _arguments."""
    offers: dict[str, Offer] = {}
    for name, specs in re.findall(
        r"^    ([\w-]+)\)\n      _arguments (.*?)\n      ;;$", script, re.MULTILINE | re.DOTALL
    ):
        offer = offers[name] = Offer({}, [])
        for spec in shlex.split(specs.replace("\\\n", "")):
            if option := OPTION.fullmatch(spec):
                offer.options[option[1]] = None if option[3] is None else (option[5] or "").split()
            else:
                argument = ARGUMENT.fullmatch(spec)
                assert argument, f"{name}: _arguments does not take {spec!r}"
                offer.words.extend((argument[4] or "").split())
    return offers


def test_the_script_for_zsh_is_zsh() -> None:
    done = parse_with_shfmt(script_of("zsh", build_parser()))
    assert (done.returncode, done.stderr) == (0, "")


def test_a_script_that_is_not_zsh_is_noticed() -> None:
    script = script_of("zsh", build_parser())
    for broken in (script.replace("  esac\n", ""), f"{script}(", f"{script}'"):
        assert parse_with_shfmt(broken).returncode == 1


def test_zsh_offers_what_the_grammar_has() -> None:
    script = script_of("zsh", build_parser())
    assert read_zsh(script) == grammar()
    described = re.search(r"  commands=\(\n(.*?)\n  \)\n", script, re.DOTALL)
    assert described and [item.partition(":")[0] for item in shlex.split(described[1])] == COMMANDS
    assert "config:print a client's configuration for a server" in shlex.split(described[1])
    assert "compadd -- --help --version\n" in script


# Fish ---------------------------------------------------------------------------------------------


def parse_fish(script: str) -> Any:
    """What the grammar of fish says about a script."""
    parser = installed("web-tree-sitter", "0.23.2")
    fish = installed("@esdmr/tree-sitter-fish", "3.7.0") / "tree-sitter-fish.wasm"
    command = [NODE, Path(__file__).with_name("fish_tree.mjs"), parser, fish]
    done = subprocess.run(command, input=script, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def words_of(line: str) -> list[str]:
    r"""The words of a line of fish. In its single quotes, \' and \\ stand for ' and \."""
    quoted = re.sub(r"\\(['\\])", lambda match: {"'": "'\"'\"'", "\\": "\\"}[match[1]], line)
    return shlex.split(quoted)


def read_fish(script: str) -> tuple[list[str], dict[str, Offer]]:
    """The commands that a script offers, and what it offers after each, by the manual of complete."""
    complete = argparse.ArgumentParser(exit_on_error=False)
    for flag in ("-c", "-n", "-d", "-a"):
        complete.add_argument(flag)
    complete.add_argument("-s", action="append", default=[])
    complete.add_argument("-l", action="append", default=[])
    for flag in ("-f", "-r", "-x"):
        complete.add_argument(flag, action="store_true")
    commands: list[str] = []
    offers: dict[str, Offer] = {}
    for line in script.splitlines():
        if line.startswith("#"):
            continue
        name, *words = words_of(line)
        said = complete.parse_args(words)
        assert (name, said.c) == ("complete", "plainmcp")
        if said.n == "__fish_use_subcommand":
            commands += [said.a] if said.a else []
            continue
        condition, _, first = said.n.partition("; and not ")
        command = condition.removeprefix("__fish_seen_subcommand_from ")
        assert first in ("", f"__fish_seen_subcommand_from {said.a}")
        offer = offers.setdefault(command, Offer({}, []))
        values = (said.a or "").split() if said.x or said.r else None
        offer.options.update({f"-{one}": values for one in said.s} | {f"--{one}": values for one in said.l})
        offer.words.extend(said.a.split() if said.a and not (said.s or said.l) else ())
    return commands, offers


def test_the_script_for_fish_is_fish() -> None:
    script = script_of("fish", build_parser())
    lines = [line for line in script.splitlines() if not line.startswith("#")]
    assert parse_fish(script) == {"isBroken": False, "mistakes": [], "commands": len(lines)}


def test_a_script_that_is_not_fish_is_noticed() -> None:
    assert parse_fish("complete -c plainmcp -d 'it's'\n")["isBroken"]
    assert parse_fish("if true\n  echo\n")["isBroken"]


def test_fish_offers_what_the_grammar_has() -> None:
    assert read_fish(script_of("fish", build_parser())) == (COMMANDS, grammar())
