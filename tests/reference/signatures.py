"""How a thing is called, and what its docstring says: the pieces of the pages about names."""

import inspect
from collections.abc import Iterable
from typing import Any

import plainmcp

from .markdown import code, first_line, prose, table

__all__ = ["calls", "explained", "member", "signature"]


def calls(kind: type, names: Iterable[str], of: str) -> str:
    """Several of them, with the first line of each."""
    things = {f"{of}.{name}".lstrip("."): getattr(kind, name) for name in names}
    rows = ([code(signature(thing, name, bound=True)), first_line(thing)] for name, thing in things.items())
    return table(["call", "what it does"], rows)


def member(kind: type, name: str, of: str) -> str:
    """One of them at length."""
    thing = getattr(kind, name)
    return f"### {of}.{name}\n\n```text\n{signature(thing, f'{of}.{name}', bound=True)}\n```\n\n{explained(thing)}"


def signature(thing: Any, name: str, *, bound: bool = False) -> str:
    """How it is called, without hints: those are for the editor."""
    shown: list[str] = []
    star = False
    for parameter in list(inspect.signature(thing).parameters.values())[1 if bound else 0 :]:
        word = parameter.name
        if parameter.kind is parameter.VAR_POSITIONAL:
            word, star = f"*{word}", True
        elif parameter.kind is parameter.VAR_KEYWORD:
            word = f"**{word}"
        elif parameter.kind is parameter.KEYWORD_ONLY and not star:
            shown.append("*")
            star = True
        if parameter.default is not parameter.empty:
            word += f"={_plain_default(parameter.default)}"
        shown.append(word)
    return f"{name}({', '.join(shown)})"


def _plain_default(value: Any) -> str:
    if isinstance(value, plainmcp.Policy):
        return "Policy.standard"
    shown = getattr(value, "__name__", None) or repr(value)
    return "…" if shown.startswith("<") else shown


def explained(thing: Any) -> str:
    """A docstring as paragraphs, its examples as blocks that run."""
    text, _, examples = prose(thing).partition("\n\n>>> ")
    text = text.partition("\n\nTakes name, ")[0]  # a table has them all
    return text + (f"\n\n```pycon\n>>> {examples}\n```" if examples else "")
