"""The functions that parameters depend on, compiled once for each feature. Does not run them; see conversation."""

import inspect
from collections.abc import Callable
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import msgspec

from ..context import Context
from ..errors import AuthorError
from ..schema import signature
from ..schema.signature import Dependent, Signature

__all__ = ["Dependency", "compile", "needs_context"]


class Dependency(msgspec.Struct, frozen=True):
    """One parameter, and the function that returns its value."""

    parameter: str
    function: Callable[..., Any]
    is_async: bool
    manager: Callable[..., Any] | None  # for a generator: returns a context manager, and runs nothing yet
    context: str | None  # the parameter that takes the Context
    dependencies: "tuple[Dependency, ...]"


def compile(read: Signature) -> tuple[Dependency, ...]:
    """The dependencies of a function, in the order of its parameters; raises AuthorError."""
    return tuple(_compile(parameter, mark, ()) for parameter, mark in read.dependencies.items())


def needs_context(dependency: Dependency) -> bool:
    """Whether a dependency, or one that it depends on, takes the Context."""
    return dependency.context is not None or any(map(needs_context, dependency.dependencies))


def _compile(parameter: str, mark: Dependent, outer: tuple[Any, ...]) -> Dependency:
    source = mark.function
    name = getattr(source, "__name__", repr(source))
    if source in outer:
        raise AuthorError(f"{name} depends on itself")
    read = signature.read(source, context_type=Context, generators=True)
    required = [one.name for one in read.parameters if one.required]
    if required:
        raise AuthorError(
            f"{name} takes {required[0]!r}; a dependency takes the Context, and parameters with Depends or a default"
        )
    inner = tuple(_compile(one, deeper, (*outer, source)) for one, deeper in read.dependencies.items())
    manager: Callable[..., Any] | None = None
    if inspect.isasyncgenfunction(source):
        manager = asynccontextmanager(source)
    elif inspect.isgeneratorfunction(source):
        manager = contextmanager(source)
    is_async = read.is_async or inspect.isasyncgenfunction(source)
    return Dependency(parameter, source, is_async, manager, read.context, inner)
