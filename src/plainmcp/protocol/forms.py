"""Forms that a user is asked to fill in: their schema from a type, and the value that an answer becomes.

Knows types and schemas; context asks the questions.
"""

from collections.abc import Callable
from dataclasses import make_dataclass
from functools import lru_cache, partial
from typing import Any

from ..errors import AuthorError, ToolError
from ..schema import hint_schema, hints
from ..schema.coercion import coercer_of
from ..schema.coercion_errors import CoercionError
from ..schema.subschemas import Schema, is_object
from ..schema.validator import Validator

__all__ = ["form_of", "form_schema"]


Form = tuple[Schema, Callable[[Any], Any]]
"""The schema of a form, and the function that makes the value of an answer; it raises ToolError."""


def form_of(kind: Any) -> Form:
    """The form for a type or for a JSON Schema; raises AuthorError for a type that is not a form."""
    return (kind, partial(_check_answer, kind)) if isinstance(kind, dict) else _form_of_type(kind)


@lru_cache(maxsize=256)
def _form_of_type(kind: Any) -> Form:
    if not hints.is_record(kind):
        try:
            schema, convert = _form_of_type(make_dataclass("Answer", [("value", kind)]))
        except AuthorError as error:
            raise AuthorError(
                f"{kind!r} is not a form; give a class, a single value's type or a JSON Schema"
            ) from error
        return schema, lambda content: convert(content).value
    schema, convert_strictly = form_schema(kind), coercer_of(kind, lenient=False)

    def parse(content: Any) -> Any:
        try:
            return convert_strictly(content)
        except CoercionError as error:  # ELIC-03
            raise ToolError("The answer does not fit the form.") from error

    return schema, parse


def _check_answer(schema: Schema, content: Any) -> Any:
    """The content, if it fits the JSON Schema of a form (ELIC-03); raises ToolError."""
    if not Validator(schema).is_valid(content):
        raise ToolError("The answer does not fit the form.")
    return content


def form_schema(kind: type) -> Schema:
    """The schema of a record as a form for people: flat, its fields are single values or choices."""
    schema, definitions = hint_schema.for_input(kind, root=True)
    if definitions or not is_object(schema):
        raise AuthorError(f"{kind.__name__} is not a form: a form has fields with names, and none holds a form")
    required = schema.get("required", ())
    for name, field in schema.get("properties", {}).items():
        if name not in required:
            field = schema["properties"][name] = hint_schema.without_null(field)  # a form has no null
        if not _is_choice(field) and field.get("type") not in ("string", "integer", "number", "boolean"):
            raise AuthorError(f"{kind.__name__}.{name} is neither a single value nor a choice, so it fits no form")
        if field.get("format") not in _FORMATS:
            field.pop("format", None)
    return schema


def _is_choice(field: Schema) -> bool:
    """Whether a field of a form takes several of its choices, which may have titles."""
    items = field.get("items", {})
    titled = [isinstance(one.get("const"), str) for one in items.get("anyOf", ())]
    has_choices = (items.get("type") == "string" and "enum" in items) or (bool(titled) and all(titled))
    return field.get("type") == "array" and has_choices


_FORMATS = ("email", "uri", "date", "date-time")
