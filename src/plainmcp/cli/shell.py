"""The completion scripts of shells: the commands and options of the grammar, and files."""

import argparse
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from .arguments import UsageError
from .options import positionals_of

__all__ = ["print_script", "script_of"]


class _Option(NamedTuple):
    names: list[str]
    help: str
    choices: list[str]
    takes_value: bool


class _Command(NamedTuple):
    name: str
    help: str
    options: list[_Option]
    words: list[str]  # what the first argument may be, if it is not a file


def print_script(options: Any) -> int:
    """`plainmcp shell-completion`: print the script of a shell."""
    (shell,) = positionals_of(options, "SHELL")
    if shell not in _WRITERS:
        raise UsageError(f"there is no script for {shell!r}; there are: {', '.join(_WRITERS)}")
    print(script_of(shell, options.root), end="")
    return 0


def script_of(shell: str, parser: argparse.ArgumentParser) -> str:
    """The script of a shell for a parser with subcommands."""
    return _HOW_TO[shell] + _WRITERS[shell](list(_commands_of(parser)))


def _commands_of(parser: argparse.ArgumentParser) -> Iterator[_Command]:
    subparsers = next(one for one in parser._actions if isinstance(one, argparse._SubParsersAction))
    helps = {one.dest: one.help or "" for one in subparsers._choices_actions}
    for name, command in subparsers.choices.items():
        options = [
            _Option(
                list(one.option_strings),
                (one.help or "").replace("%%", "%"),
                [str(choice) for choice in one.choices or ()],
                one.nargs != 0,
            )
            for one in command._actions
            if one.option_strings
        ]
        yield _Command(name, helps.get(name, ""), options, list(command.get_default("words") or ()))


# Bash ---------------------------------------------------------------------------------------------


def _write_bash(commands: list[_Command]) -> str:
    cases: list[str] = []
    values: list[str] = []
    for command in commands:
        names = [name for option in command.options for name in option.names]
        cases.append(f'    {command.name}) words="{" ".join([*command.words, *names])}" ;;')
        for option in command.options:
            if option.takes_value:
                pattern = "|".join(f"{command.name}:{name}" for name in option.names)
                files = 'COMPREPLY=($(compgen -f -- "$current"))'
                choices = f'COMPREPLY=($(compgen -W "{" ".join(option.choices)}" -- "$current"))'
                values.append(f"    {pattern}) {choices if option.choices else files}; return ;;")
    every = " ".join(command.name for command in commands)
    return f"""\
_plainmcp() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}"
  local command="${{COMP_WORDS[1]}}" words
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{every} --help --version" -- "$current"))
    return
  fi
  case "$command:$previous" in
{chr(10).join(values)}
  esac
  case "$command" in
{chr(10).join(cases)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ "$current" != -* ]]; then
    COMPREPLY+=($(compgen -f -- "$current"))
  fi
}}
complete -o filenames -F _plainmcp plainmcp
"""


# Zsh ----------------------------------------------------------------------------------------------


def _write_zsh(commands: list[_Command]) -> str:
    described = "\n".join(f"    {_quote(f'{one.name}:{one.help}')}" for one in commands)
    cases: list[str] = []
    for command in commands:
        specs = [_zsh_spec(option, name) for option in command.options for name in option.names]
        first = f"'1:word:({' '.join(command.words)})'" if command.words else "'*:file:_files'"
        specs.append(first)
        specs += ["'*:file:_files'"] if command.words else []
        cases.append(f"    {command.name})\n      _arguments " + " \\\n        ".join(specs) + "\n      ;;")
    return f"""\
_plainmcp() {{
  local -a commands
  commands=(
{described}
  )
  if (( CURRENT == 2 )); then
    if [[ "$words[2]" == -* ]]; then
      compadd -- --help --version
    else
      _describe command commands
    fi
    return
  fi
  local command="$words[2]"
  shift words
  (( CURRENT-- ))
  case "$command" in
{chr(10).join(cases)}
  esac
}}
compdef _plainmcp plainmcp
"""


def _zsh_spec(option: _Option, name: str) -> str:
    text = option.help.replace("[", "(").replace("]", ")").replace(":", "\\:")
    value = f":value:({' '.join(option.choices)})" if option.choices else ":value:_files"
    return _quote(f"*{name}[{text}]{value if option.takes_value else ''}")


# Fish ---------------------------------------------------------------------------------------------


def _write_fish(commands: list[_Command]) -> str:
    lines = ["complete -c plainmcp -n __fish_use_subcommand -l version -d 'print the version'"]
    for command in commands:
        help = _quote_for_fish(command.help)
        lines.append(f"complete -c plainmcp -n __fish_use_subcommand -f -a {command.name} -d {help}")
        used = f"__fish_seen_subcommand_from {command.name}"
        here = f"complete -c plainmcp -n '{used}'"
        if command.words:
            words = " ".join(command.words)
            is_first = f"{used}; and not __fish_seen_subcommand_from {words}"
            lines.append(f"complete -c plainmcp -n '{is_first}' -f -a {_quote_for_fish(words)}")
        for option in command.options:
            names = " ".join(f"-{'l' if one.startswith('--') else 's'} {one.lstrip('-')}" for one in option.names)
            value = " -x -a " + _quote_for_fish(" ".join(option.choices)) if option.choices else " -r"
            lines.append(f"{here} {names}{value if option.takes_value else ''} -d {_quote_for_fish(option.help)}")
    return "\n".join(lines) + "\n"


def _quote(text: str) -> str:
    """A text in quotes, as zsh reads it."""
    return "'" + text.replace("'", "'\\''") + "'"


def _quote_for_fish(text: str) -> str:
    """A text in quotes, as fish reads it."""
    for mark in ("\\", "'"):
        text = text.replace(mark, f"\\{mark}")
    return f"'{text}'"


_WRITERS: dict[str, Callable[[list[_Command]], str]] = {"bash": _write_bash, "zsh": _write_zsh, "fish": _write_fish}
_HOW_TO = {
    "bash": '# Add this to ~/.bashrc: eval "$(plainmcp shell-completion bash)"\n',
    "zsh": '# Add this to ~/.zshrc, after compinit: eval "$(plainmcp shell-completion zsh)"\n',
    "fish": "# plainmcp shell-completion fish > ~/.config/fish/completions/plainmcp.fish\n",
}
