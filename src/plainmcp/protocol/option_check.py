"""The options an author gives: an unknown one, or a value of the wrong type, is refused, and what to write is said.

Reads the hints of the function that takes them, so type checkers and this agree. Knows no option by itself, but those
of other packages that people are used to.
"""

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache, wraps
from types import UnionType
from typing import Any, Literal, NamedTuple, TypeVar, Union, Unpack, cast, get_args, get_origin

from ..errors import OptionError
from ..schema import problems

__all__ = ["check_options", "fits", "with_checked_options"]

F = TypeVar("F", bound=Callable[..., Any])

_HTTP = 'server.run(http="127.0.0.1:8000") serves over HTTP, server.run() on standard input and output'
_MOUNT = 'server.run(http=…) serves at /mcp; for another path, mount it: app.mount("/path", server.asgi())'
_JSON = "leave it out: a client's Accept header says whether it takes JSON, and what has only one message is JSON"
_CALLER = "asgi(principal=…) and run(http=…, principal=…) take a function that says who is calling"
_HINT = 'write it in annotations=, such as annotations={"readOnlyHint": True}'
HABITS = {
    "allowed_hosts": "write hosts=",
    "allowed_origins": "write origins=",
    "auth": _CALLER,
    "debug": "leave it out: the log has every exception in full, and clients are sent none of it",
    "dependencies": "leave it out: declare what you depend on in your pyproject.toml",
    "destructiveHint": _HINT,
    "enabled": "write visible=, a function of who is calling",
    "exclude_args": "leave it out: a parameter that is not for the model can be bound with functools.partial",
    "host": _HTTP,
    "idempotentHint": _HINT,
    "json_response": _JSON,
    "lifespan": "open what your functions need before server.run(), or where your application mounts server.asgi()",
    "log_level": 'set the level of the logger "plainmcp"; that of uvicorn with run(uvicorn={"log_level": "info"})',
    "mask_error_details": "leave it out: clients are never sent what an exception says, unless it is a ToolError",
    "middleware": "wrap server.asgi() in the middleware of your framework",
    "mount_path": _MOUNT,
    "on_duplicate_prompts": "write replace=True where you register the other one",
    "on_duplicate_resources": "write replace=True where you register the other one",
    "on_duplicate_tools": "write replace=True where you register the other one",
    "openWorldHint": _HINT,
    "path": _MOUNT,
    "port": _HTTP,
    "readOnlyHint": _HINT,
    "reload": "the command line does that: plainmcp serve FILE --http HOST:PORT --reload",
    "show_banner": "leave it out: there is none",
    "sse_path": _MOUNT,
    "stateless_http": "write stateless=",
    "streamable_http_path": _MOUNT,
    "strict_input_validation": "write lenient_arguments=False",
    "structured_output": "write output_schema=True or output_schema=False",
    "tags": 'write meta=, such as meta={"tags": ["weather"]}',
    "tools": "register each function with server.tool(function)",
    "transport": _HTTP,
    "uvicorn_config": "write uvicorn=",
}
"""What people write who know another package, and what to write here."""


def with_checked_options(where: str, usage: str) -> Callable[[F], F]:
    """Let a function or method refuse what it does not take with an OptionError, by what it is called `where`.

    `usage` says what to write instead of arguments that are missing, or too many.
    """

    def decorate(function: F) -> F:
        @wraps(function)
        def call(*args: Any, **options: Any) -> Any:
            taken = _taken_by(function)
            _check_positional(args[taken.is_method :], options, taken, where, usage)
            check_options({name: options[name] for name in options if taken.checks(name)}, taken.options, where)
            return function(*args, **options)

        return cast("F", call)

    return decorate


def check_options(options: Mapping[str, Any], known: Mapping[str, Any], where: str) -> None:
    """Refuse an option that is not among those known by their hints, or has the wrong type; raises OptionError."""
    for name, value in options.items():
        if name not in known:
            raise OptionError(f"{where} has no option {name}=" + _advice(name, known))
        _check_value(f"{name}=", value, known[name], where)


def _advice(name: str, known: Mapping[str, Any]) -> str:
    near = problems.nearest(name, known)
    hint = f": {HABITS[name]}" if name in HABITS else f"; did you mean {near}=?" if near else ""
    return f"{hint}{'' if hint.endswith('?') else '.'} The options are {', '.join(known)}."


def _check_value(name: str, value: Any, hint: Any, where: str, usage: str = "") -> None:
    if not fits(value, hint):
        said = f"{where}: {name} takes {_described(hint)}, not {type(value).__name__}"
        raise OptionError(f"{said}; {usage}" if usage else said)


# What a function takes ----------------------------------------------------------------------------


class _Taken(NamedTuple):
    options: dict[str, Any]  # the hint of each, by name
    positional: dict[str, Any]
    required: list[str]
    is_method: bool
    is_open: bool  # others are passed on, and checked there

    def checks(self, name: str) -> bool:
        """Whether an option is checked here."""
        return name in self.options or not self.is_open


@lru_cache(maxsize=256)
def _taken_by(function: Callable[..., Any]) -> _Taken:
    """What a function takes, by its signature and the TypedDict of its further options."""
    parameters = inspect.signature(function).parameters
    taken = _Taken({}, {}, [], "self" in parameters, any(_is_open(one) for one in parameters.values()))
    for one in parameters.values():
        if one.name == "self" or _is_open(one):
            continue
        if one.kind is one.VAR_KEYWORD:
            taken.options.update(get_args(one.annotation)[0].__annotations__)
            continue
        if one.kind is not one.KEYWORD_ONLY:
            taken.positional[one.name] = one.annotation
        if one.kind is not one.POSITIONAL_ONLY:
            taken.options[one.name] = one.annotation
        if one.default is one.empty:
            taken.required.append(one.name)
    return taken


def _is_open(one: inspect.Parameter) -> bool:
    return one.kind is one.VAR_KEYWORD and get_origin(one.annotation) is not Unpack


def _check_positional(
    given: Sequence[Any], options: Mapping[str, Any], taken: _Taken, where: str, usage: str
) -> None:
    names = list(taken.positional)
    if len(given) > len(names):
        by_position = f"takes {' and '.join(names)} by position, and" if names else "takes"
        raise OptionError(f"{where} {by_position} its options by name; {usage}")
    for name, value in zip(names, given, strict=False):
        _check_value(name, value, taken.positional[name], where, usage)
    missing = [name for name in taken.required if name not in names[: len(given)] and name not in options]
    if missing:
        raise OptionError(f"{where} lacks {' and '.join(missing)}; {usage}")


# Hints --------------------------------------------------------------------------------------------


def fits(value: Any, hint: Any) -> bool:
    """Whether a value is of the type a hint names, as far as can be seen without looking inside.

    >>> fits(3, float | None), fits("3", float | None), fits("a", list[str]), fits(True, int)
    (True, False, False, False)
    """
    if hint is Any:
        return True
    origin, parts = get_origin(hint), get_args(hint)
    kind: Any = origin or hint
    if kind in (Union, UnionType):
        return any(fits(value, part) for part in parts)
    if kind is Literal:  # which of them it may be, whoever takes it says
        return any(type(value) is type(part) for part in parts)
    if kind is None:
        return value is None
    if not isinstance(kind, type):
        return True
    if isinstance(value, bool):
        return kind is bool
    if kind is float:
        return isinstance(value, (int, float))
    if kind is tuple:
        return isinstance(value, (tuple, list)) and len(value) == len(parts)
    if kind in (Sequence, Collection) and isinstance(value, (str, bytes)):
        return False
    return isinstance(value, kind)


_WORDS: dict[Any, str] = {
    str: "a text",
    bytes: "bytes",
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    dict: "a dict",
    Mapping: "a dict",
    Sequence: "a list",
    Collection: "a list",
    Callable: "a function",
    type: "a class",
    None: "None",
    type(None): "None",
}


def _described(hint: Any) -> str:
    """What a hint takes, in words."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return problems.choice(list(dict.fromkeys(_described(part) for part in parts)))
    if origin is Literal:
        return problems.choice([repr(part) for part in parts])
    if origin is tuple:
        return f"({', '.join(_described(part) for part in parts)})"
    kind: Any = origin or hint
    return _WORDS.get(kind) or f"a {getattr(kind, '__name__', kind)}"
