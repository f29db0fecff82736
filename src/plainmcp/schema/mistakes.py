"""What stands in the place of a type and is none, and what to write instead. Knows neither functions nor JSON."""

import ast
from collections.abc import Iterator
from types import ModuleType
from typing import Any, Literal, get_args, get_origin

from ..errors import AuthorError

__all__ = ["check_hint", "check_texts", "mistake_of"]


def check_hint(hint: Any) -> None:
    """Raise AuthorError for a hint with a part that is not a type; does not look into classes and aliases.

    >>> check_hint(dict[str, [int]])
    Traceback (most recent call last):
    plainmcp.errors.AuthorError: [int] is not a type; write list[int]
    """
    for part in _parts_of(hint):
        mistake = mistake_of(part)
        if mistake is not None:
            raise AuthorError(mistake)


def _parts_of(hint: Any) -> Iterator[Any]:
    """A hint without arguments, or the arguments of one; a Literal has values, a Callable a list."""
    if hasattr(hint, "__metadata__"):
        yield from _parts_of(hint.__origin__)
    elif not get_args(hint):
        yield hint
    elif get_origin(hint) is not Literal:
        for one in get_args(hint):
            if one is not ... and not (isinstance(one, list) and _is_callable(hint)):
                yield from _parts_of(one)


def _is_callable(hint: Any) -> bool:
    return getattr(get_origin(hint), "__name__", "") == "Callable"


def mistake_of(hint: Any) -> str | None:
    """What is wrong with a hint without arguments that is not a type; None for a type.

    >>> mistake_of(5)
    '5 is not a type; write Literal[5], or int with the default 5'
    """
    text = getattr(hint, "__forward_arg__", None)
    if text is not None:
        return (
            f"{text!r} is a text that names no type here; a type that contains itself needs a name: type {text} = …"
        )
    is_form = type(hint).__module__ in _TYPING or any(hasattr(hint, name) for name in _FORMS)
    if hint is None or isinstance(hint, type) or is_form:
        return None
    return f"{_show(hint)} is not a type; {_advise(hint)}"


_TYPING = ("typing", "typing_extensions", "types")
_FORMS = ("__origin__", "__supertype__", "__get_pydantic_core_schema__")


def _advise(hint: Any) -> str:
    """What to write instead of a value that is not a type."""
    match hint:
        case tuple() if hint:
            return f"write {_meant_by(hint)}, or {' | '.join(map(_meant_by, hint))} for one of them"
        case list() | tuple() | set() | frozenset() | dict():
            return f"write {_meant_by(hint)}"
        case bool() | int() | str():
            return f"write Literal[{_show(hint)}], or {type(hint).__name__} with the default {_show(hint)}"
        case float() | bytes():
            return f"write {type(hint).__name__} with the default {_show(hint)}"
        case ModuleType():
            name = hint.__name__
            same = [one for one in vars(hint) if one.lower() == name.lower() and isinstance(vars(hint)[one], type)]
            return (
                f"it is a module; write {name}.{same[0]}" if same else "it is a module; write a class that is in it"
            )
    if hint in (any, ...):
        return "write Any, and import it from typing"
    if callable(hint):
        return "it is a function; write a class"
    return f"write its class, {type(hint).__name__}"


def _meant_by(hint: Any) -> str:
    """The type that was probably meant by a collection, or a type itself, as it is written."""
    match hint:
        case list() | set() | frozenset() if hint:
            return f"{type(hint).__name__}[{' | '.join(map(_meant_by, hint))}]"
        case tuple() if hint:
            return f"tuple[{', '.join(map(_meant_by, hint))}]"
        case dict() if len(hint) == 1 and isinstance(next(iter(hint)), type):
            [(key, value)] = hint.items()
            return f"dict[{_meant_by(key)}, {_meant_by(value)}]"
        case dict() if hint:
            return "a TypedDict or a dataclass with these fields"
        case list() | set() | frozenset() | tuple() | dict():
            return type(hint).__name__
    return _show(hint)


def _show(hint: Any) -> str:
    """A hint, or a value in its place, as it is written."""
    if isinstance(hint, type) and not get_args(hint):
        return hint.__name__
    match hint:
        case list():
            return f"[{', '.join(map(_show, hint))}]"
        case tuple():
            return f"({', '.join(map(_show, hint))})"
        case set() | frozenset() if hint:
            return f"{{{', '.join(map(_show, hint))}}}"
        case dict():
            return f"{{{', '.join(f'{_show(key)}: {_show(one)}' for key, one in hint.items())}}}"
        case ModuleType():
            return hint.__name__
        case bool() | int() | float() | str() | bytes() | set() | frozenset():
            return repr(hint) if len(repr(hint)) <= _LONG else f"{repr(hint)[:_LONG]}…"
    if hint is ... or type(hint).__module__ in _TYPING:
        return str(hint).removeprefix("typing.")
    return getattr(hint, "__name__", None) or f"an object of {type(hint).__name__}"


_LONG = 80


# Texts --------------------------------------------------------------------------------------------


def check_texts(hint: Any) -> None:
    """Raise AuthorError for a text in a hint that is no type, or becomes another one: `int or None` becomes int.

    >>> check_texts(list["int or None"])
    Traceback (most recent call last):
    plainmcp.errors.AuthorError: int or None is not a type; write int | None
    """
    for part in _parts_of(hint):
        text = getattr(part, "__forward_arg__", part)
        if isinstance(text, str):
            _check_text(text)


def _check_text(text: str) -> None:
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        raise AuthorError(
            f"{text!r} is not a type; write one, and words about it in Annotated[str, {text!r}]"
        ) from None
    for part in _types_in(tree):
        if isinstance(part, ast.BoolOp):
            choices = " | ".join(map(ast.unparse, part.values))
            raise AuthorError(f"{ast.unparse(part)} is not a type; write {choices}")


def _types_in(tree: ast.expr) -> Iterator[ast.expr]:
    """The parts of a hint that are types: not the values of a Literal and not the metadata of Annotated."""
    yield tree
    inner: list[ast.expr] = []
    match tree:
        case ast.Subscript(value=value, slice=arguments):
            inner = arguments.elts if isinstance(arguments, ast.Tuple) else [arguments]
            name = ast.unparse(value).rpartition(".")[2]
            inner = [] if name == "Literal" else inner[:1] if name == "Annotated" else inner
        case ast.BinOp(left=left, right=right):
            inner = [left, right]
        case ast.List(elts=parts):
            inner = parts
    for one in inner:
        yield from _types_in(one)
