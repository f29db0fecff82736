"""Whether JSON keeps a JSON Schema, and in words where it does not. Never fetches anything.

The validator is compiled when it is first needed. Dialects: 2020-12, which a schema without `$schema` is
taken for, and those before it back to draft 4.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from . import phrases
from .errors import AuthorError

__all__ = ["Judge", "Problem"]


class Problem(NamedTuple):
    """One thing that breaks a schema: the keys that lead to it, what was expected, what is there instead."""

    keys: tuple[str | int, ...]
    expected: str
    got: str


class Judge:
    """One schema and its compiled validator.

    >>> [problem] = Judge({"type": "object", "required": ["city"]}).problems({})
    >>> problem.keys, problem.got
    (('city',), 'nothing')
    """

    def __init__(self, schema: dict[str, Any]) -> None:
        self._schema = schema
        self._validator: Any = None

    def compile(self) -> Any:
        """The validator; raises AuthorError if the schema is not a valid one, or refers to what is not in it."""
        import jsonschema_rs

        if self._validator is None:
            try:
                self._validator = jsonschema_rs.validator_for(self._schema, retriever=_refuse, validate_formats=True)
            except (ValueError, TypeError, RecursionError) as error:
                raise AuthorError(str(error).partition("\n")[0]) from error
        return self._validator

    def accepts(self, data: Any) -> bool:
        """Whether data keeps the schema."""
        return bool((self._validator or self.compile()).is_valid(data))

    def problems(self, data: Any) -> Iterator[Problem]:
        """Everything about data that breaks the schema."""
        for error in self.compile().iter_errors(data):
            yield from _problems(error)


def _refuse(uri: str) -> Any:
    # R26-SCHEMA-04: never fetch a network $ref.
    raise ValueError(f"{uri} is not part of the schema, and schemas are never fetched")


def _problems(error: Any) -> Iterator[Problem]:
    keys = tuple(error.instance_path)
    keyword = error.schema_path[-1] if error.schema_path else ""
    detail = error.kind
    got = phrases.kind_of(error.instance)
    match keyword:
        case "required" | "dependentRequired":
            yield Problem((*keys, detail.property), "a value", "nothing")
        case "additionalProperties" | "unevaluatedProperties" if hasattr(detail, "unexpected"):
            for name in detail.unexpected:
                yield Problem((*keys, name), "nothing", "a value")
        case "type":
            yield Problem(keys, phrases.named(detail.types), got)
        case "enum":
            yield Problem(keys, phrases.options(detail.options), got)
        case "anyOf" | "oneOf" if hasattr(detail, "context"):
            yield Problem(keys, _any_of(detail.context), got)
        case _:
            yield Problem(keys, _limit(keyword, detail), got)


def _any_of(branches: Any) -> str:
    """What each branch would have taken, if they disagree only about the root of the value."""
    found = [problem for errors in branches for error in errors for problem in _problems(error)]
    shallow = bool(found) and len({problem.keys for problem in found}) == 1
    return phrases.choice(problem.expected for problem in found) if shallow else "one of the forms in its schema"


_LIMITS = {
    "minimum": "a number >= {}",
    "maximum": "a number <= {}",
    "exclusiveMinimum": "a number > {}",
    "exclusiveMaximum": "a number < {}",
    "multipleOf": "a multiple of {}",
    "minLength": "a string of {} or more characters",
    "maxLength": "a string of {} or fewer characters",
    "minItems": "an array of {} or more items",
    "maxItems": "an array of {} or fewer items",
    "minProperties": "an object of {} or more properties",
    "maxProperties": "an object of {} or fewer properties",
    "pattern": "a string matching {}",
    "format": "a string in {} format",
    "const": "{}",
    "uniqueItems": "an array of items that are all different",
}


def _limit(keyword: Any, detail: Any) -> str:
    limits = [getattr(detail, name) for name in _DETAILS if hasattr(detail, name)]
    words = _LIMITS.get(keyword, f"what {keyword} in its schema asks for")
    return words.format(phrases.options(limits[:1]) if keyword == "const" else next(iter(limits), ""))


_DETAILS = ("limit", "multiple_of", "pattern", "format", "expected_value")
