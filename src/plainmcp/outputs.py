"""A promise about a return value, and whether its JSON keeps it.

The schema that was promised is the judge. Before it is asked, a value whose type cannot lie is let through, and
so is JSON that msgspec reads as the hint, for those hints where that is as strict as the schema.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import msgspec

from . import codec, fitting, hints, phrases, twins, writers
from .errors import OutputError
from .judge import Judge

__all__ = ["Check", "Exactly", "Promise", "promise"]

Check = Callable[[Any, bytes], None]
"""Raises OutputError for a value, given with its JSON, that breaks the promise."""

_SCALARS = (str, int, bool)


def promise(annotation: Any, schema: dict[str, Any], *, handwritten: bool) -> Check:
    """A check that JSON keeps a schema, which was made of the annotation or written by hand.

    The JSON is that of the value itself, before any wrapping or renaming of keys.

    >>> promise(int, {"type": "integer"}, handwritten=False)("three", b'"three"')
    Traceback (most recent call last):
    plainmcp.errors.OutputError: $: expected an integer, got a string
    """
    judge = Judge(schema)
    if handwritten:
        return lambda value, raw: _judge(judge, raw)
    if annotation in _SCALARS:
        return Exactly(judge, annotation)
    twin = twins.twin(annotation)
    if not _is_as_strict(twin):
        return lambda value, raw: _judge(judge, raw)
    return Promise(judge, annotation, twin)


class Exactly:
    """The check of a scalar, which is only looked at where it is not of its very class."""

    __slots__ = ("_judge", "kind")

    def __init__(self, judge: Judge, kind: type) -> None:
        self._judge = judge
        self.kind = kind

    def __call__(self, value: Any, raw: bytes) -> None:
        if type(value) is not self.kind:
            _judge(self._judge, raw)


class Promise:
    """The check of a hint that msgspec reads."""

    def __init__(self, judge: Judge, hint: Any, twin: Any) -> None:
        self._judge = judge
        self._hint = hint
        self._read = codec.reader(twin)

    def __call__(self, value: Any, raw: bytes) -> None:
        try:
            self._read(raw)
        except (msgspec.ValidationError, RecursionError):  # not a verdict yet
            _judge(self._judge, raw)

    @cached_property
    def writer(self) -> writers.Writer | None:
        """What writes values of the hint so that they need no check, if anything does; made when one is returned."""
        return writers.writer(self._hint)


def _judge(judge: Judge, raw: bytes) -> None:
    data = msgspec.json.decode(raw)
    if judge.accepts(data):
        return
    for keys, expected, got in judge.problems(data):
        raise OutputError(phrases.place(keys, "$"), expected, got)


def _is_as_strict(hint: Any) -> bool:
    """Whether whatever msgspec reads as this hint keeps the schema of it, and reading it runs no code of the user's.

    Not so for sets, which take the same item twice, for Decimal, which takes numbers, for a tag that may be left
    out, for enums, which may have a way of their own, and for whatever has another name in JSON.
    """
    if not fitting.is_native(hint):
        return False
    return not any(hints.remarks(hint)) and all(map(twins.reads_strictly, hints.parts(hint)))
