"""Whether JSON is valid by a JSON Schema, and its problems where it is not. Never fetches anything.

A schema is compiled when it is first needed. Dialects: 2020-12, which is assumed for a schema without `$schema`, and
those before it back to draft 4.
"""

from typing import Any

from ..errors import AuthorError
from .explain import Problem, explain
from .keywords import has_format

__all__ = ["Problem", "Validator"]

SMALL = 10_000
"""How many parts a value may have for jsonschema_rs to list its errors: it makes all of them at once."""


class Validator:
    """One schema and its compiled validator.

    >>> [problem] = Validator({"type": "object", "required": ["city"]}).find_problems({})
    >>> problem.keys, problem.got
    (('city',), 'nothing')
    """

    def __init__(self, schema: dict[str, Any], *, formats: bool = True) -> None:
        self._schema = schema
        self._formats = formats
        self._validator: Any = None

    def compile(self) -> Any:
        """The compiled validator; raises AuthorError if the schema is not valid, or refers outside itself."""
        import jsonschema_rs

        if self._validator is None:
            try:
                self._validator = jsonschema_rs.validator_for(
                    self._schema, retriever=_refuse, validate_formats=self._formats
                )
            except (ValueError, TypeError, RecursionError) as error:
                raise AuthorError(str(error).partition("\n")[0]) from error
        return self._validator

    def is_valid(self, data: Any) -> bool:
        """Whether data is valid by the schema."""
        return bool((self._validator or self.compile()).is_valid(data))

    def find_problems(self, data: Any, *, members: str = "field") -> list[Problem]:
        """All problems of data; `members` is the word for the members of an object at the root."""
        if self.is_valid(data):
            return []
        check_format = has_format if self._formats else None
        problems = explain(self._schema, data, members=members, check_format=check_format)
        if _is_small(data):
            problems += [_to_problem(error) for error in self.compile().iter_errors(data) if _is_general(error)]
        return problems or [
            Problem((), "what its schema asks for", "something else", "expected what its schema asks for")
        ]


def _refuse(uri: str) -> Any:
    # R26-SCHEMA-04: never fetch a network $ref.
    raise ValueError(f"{uri} is not part of the schema, and schemas are never fetched")


def _is_small(data: Any) -> bool:
    waiting = [data]
    for _ in range(SMALL):
        if not waiting:
            return True
        part = waiting.pop()
        waiting.extend(part.values() if isinstance(part, dict) else part if isinstance(part, list) else ())
    return False


# Keywords for which explain has no texts.
_GENERAL = frozenset(
    {"not", "if", "then", "else", "contains", "minContains", "maxContains", "dependentRequired", "dependentSchemas",
     "dependencies", "patternProperties", "unevaluatedItems", "unevaluatedProperties", "$dynamicRef"}
)  # fmt: skip


def _is_general(error: Any) -> bool:
    return not _GENERAL.isdisjoint(error.schema_path)


def _to_problem(error: Any) -> Problem:
    keyword = next(one for one in error.schema_path if one in _GENERAL)
    words = f"what {keyword} in its schema asks for"
    return Problem(tuple(error.instance_path), words, "something else", f"expected {words}")
