"""How a thing is called, and what its docstring says: the pieces of the pages about names."""

import inspect
import re
from collections.abc import Iterable, Iterator
from dataclasses import fields
from types import NoneType, UnionType
from typing import Any, Union, Unpack, get_args, get_origin, get_type_hints

import plainmcp
from plainmcp.transports.http.settings import Settings

from .markdown import code, first_line, prose, table

__all__ = ["calls", "explained", "full_signature", "member", "signature", "type_text"]

_WIDTH = 100


def calls(kind: type, names: Iterable[str], of: str) -> str:
    """Several of them, with the first line of each."""
    things = {f"{of}.{name}".lstrip("."): getattr(kind, name) for name in names}
    rows = ([code(signature(thing, name, bound=True)), first_line(thing)] for name, thing in things.items())
    return table(["call", "what it does"], rows)


def member(kind: type, name: str, of: str) -> str:
    """One of them at length."""
    thing = getattr(kind, name)
    shown = full_signature(thing, f"{of}.{name}", bound=True)
    return f"### {of}.{name}\n\n```text\n{shown}\n```\n\n{explained(thing)}"


def signature(thing: Any, name: str, *, bound: bool = False) -> str:
    """How it is called, without hints and without options: for a table."""
    return f"{name}({', '.join(_parts(thing, bound=bound, is_full=False))})"


def full_signature(thing: Any, name: str, *, bound: bool = False) -> str:
    """How it is called, with hints and with every option; on several lines if it is long."""
    parts = list(_parts(thing, bound=bound, is_full=True))
    line = f"{name}({', '.join(parts)})"
    return line if len(line) <= _WIDTH else "\n".join([f"{name}(", *(f"    {part}," for part in parts), ")"])


def _parts(thing: Any, *, bound: bool, is_full: bool) -> Iterator[str]:
    star = False
    for parameter in list(inspect.signature(thing).parameters.values())[1 if bound else 0 :]:
        is_keyword = parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_KEYWORD)
        options = _options_of(parameter.annotation) if parameter.kind is parameter.VAR_KEYWORD and is_full else {}
        if is_keyword and not star and (options or parameter.kind is parameter.KEYWORD_ONLY):
            yield "*"
            star = True
        star = star or parameter.kind is parameter.VAR_POSITIONAL
        if options:
            yield from (
                f"{option}: {type_text(hint)} = {_option_default(option)}" for option, hint in options.items()
            )
            continue
        hint = parameter.annotation if is_full else parameter.empty
        shown = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "") + parameter.name
        is_hinted = hint not in (parameter.empty, Any)
        shown += f": {type_text(hint)}" if is_hinted else ""
        if parameter.default is not parameter.empty and parameter.kind is not parameter.POSITIONAL_ONLY:
            shown += (
                f" = {_plain_default(parameter.default)}" if is_hinted else f"={_plain_default(parameter.default)}"
            )
        yield shown


def _options_of(annotation: Any) -> dict[str, Any]:
    """The options of `**options: Unpack[SomeOptions]`, with their hints."""
    (options,) = get_args(annotation) if get_origin(annotation) is Unpack else (None,)
    hints = get_type_hints(options) if options is not None else {}
    return {name: hints[name] for name in sorted(hints, key=lambda name: name != "name")}


def _option_default(name: str) -> str:
    """The default of a setting of HTTP. Other options say in their tables what happens without them."""
    defaults = {field.name: field.default for field in fields(Settings)}
    return repr(defaults[name]) if name in defaults else "…"


def type_text(hint: Any) -> str:
    """A hint without the names of modules.

    >>> from collections.abc import Callable
    >>> type_text(Callable[[Any], bool] | None)
    'Callable[[Any], bool] | None'
    """
    if hint is NoneType:
        return "None"
    if get_origin(hint) in (Union, UnionType):
        return " | ".join(type_text(one) for one in get_args(hint))
    return re.sub(r"\b(?:\w+\.)+(?=\w)", "", inspect.formatannotation(hint)).replace("~", "")


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
