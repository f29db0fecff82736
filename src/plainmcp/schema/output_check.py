"""Whether the JSON of a returned value keeps the output schema that is listed for it."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import msgspec

from ..errors import OutputError
from ..wire import codec
from . import problems, schema_types
from .validator import Judge

__all__ = ["OutputCheck"]


class OutputCheck:
    """Raises OutputError for JSON that does not keep a schema.

    >>> OutputCheck({"type": "integer"})(b'"three"')
    Traceback (most recent call last):
    plainmcp.errors.OutputError: $: expected an integer, got a string
    """

    def __init__(self, schema: dict[str, Any]) -> None:
        self._schema = schema
        self._judge = Judge(schema)

    def __call__(self, raw: bytes) -> None:
        try:
            self._decode(raw)
        except (msgspec.ValidationError, RecursionError):  # not a verdict yet
            self._validate(raw)

    @cached_property
    def _decode(self) -> Callable[[bytes], Any]:
        """Accepts JSON, by decoding it as a type that is as strict as the schema; made when first used."""
        kind = schema_types.type_of(self._schema)
        try:
            return self._validate if kind is None else codec.decoder_of(kind)
        except (TypeError, ValueError, OverflowError):  # a union that msgspec cannot tell apart
            return self._validate

    def _validate(self, raw: bytes) -> None:
        data = msgspec.json.decode(raw)
        if self._judge.accepts(data):
            return
        for problem in self._judge.problems(data):
            raise OutputError(problems.place(problem.keys, "$"), problem.expected, problem.got)
