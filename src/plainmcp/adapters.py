"""What pydantic has to say of a hint that mentions one of its types: its schema, its values, its complaints.

The only room that asks pydantic about hints; it is the user's own package, and is imported when such a hint
turns up. How pydantic's values are taken apart again is told in foreign.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from . import phrases
from .errors import AuthorError
from .phrases import Keys, Misfit

__all__ = ["schema", "validator"]


def schema(hint: Any, mode: Any) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """The JSON Schema of a hint, for "validation" or "serialization", and its definitions; raises AuthorError."""
    from pydantic import TypeAdapter

    try:
        entry: Any = ("it", mode, TypeAdapter(hint))
        found, rest = TypeAdapter.json_schemas([entry], by_alias=True, schema_generator=_generator())
    except Exception as error:  # errors of several families, and those of the user's own hooks
        raise AuthorError(str(error).partition("\n")[0]) from error
    return found["it", mode], rest.get("$defs", {})


@lru_cache
def _generator() -> Any:
    """pydantic's generator without the titles it makes of field names, nor the pattern that 1E+5 fails."""
    from pydantic.json_schema import GenerateJsonSchema

    def decimal_schema(self: Any, schema: Any) -> dict[str, Any]:
        found = GenerateJsonSchema.decimal_schema(self, schema)
        return {"type": "string"} if self.mode == "serialization" else found

    def field_is_required(self: Any, field: Any, total: bool) -> bool:
        """A field with a default may be left out by who sends it to us; we always send it."""
        if self.mode != "serialization" or field["type"] == "typed-dict-field":
            return bool(GenerateJsonSchema.field_is_required(self, field, total))
        return not (field.get("serialization_exclude") or field.get("serialization_exclude_if"))

    changes = {
        "field_title_should_be_set": lambda self, schema: False,
        "decimal_schema": decimal_schema,
        "field_is_required": field_is_required,
    }
    return type("Plain", (GenerateJsonSchema,), changes)


# Values -------------------------------------------------------------------------------------------


def validator(hint: Any, *, lenient: bool) -> Callable[[bytes, Any], Any]:
    """What makes a Python value of JSON, given as bytes and as data; raises AuthorError, and Misfit when used."""
    from pydantic import TypeAdapter, ValidationError

    try:
        validate = TypeAdapter(hint).validator.validate_json
    except Exception as error:
        raise AuthorError(str(error).partition("\n")[0]) from error
    strict = None if lenient else True  # None leaves it to the models themselves

    def read(raw: bytes, value: Any) -> Any:
        try:
            return validate(raw, strict=strict)
        except ValidationError as error:
            found = error.errors(include_url=False, include_input=False)
        raise Misfit(list(_problems(found, value)))

    return read


def _problems(errors: list[Any], value: Any) -> Iterator[tuple[Keys, str]]:
    """One line for each place; the choices of a union have each complained about the same one."""
    wanted: dict[Keys, list[str]] = {}
    kinds: dict[Keys, str] = {}
    for error in errors:
        keys, here = _located(error["loc"], value)
        message = str(error["msg"])
        if error["type"] == "missing":
            yield (*keys, error["loc"][-1]), "missing"
        elif error["type"] == "extra_forbidden":
            yield keys, "there is no such field"
        elif allowed := error.get("ctx", {}).get("expected_tags") or error.get("ctx", {}).get("expected"):
            wanted.setdefault(keys, []).append(_allowed(str(allowed), here))
        elif message.startswith(_SHOULD):
            wanted.setdefault(keys, []).append(_should_be(message, here))
            if error["type"].endswith(("_type", "_parsing")):
                kinds[keys] = f", got {phrases.kind_of(here)}"
        else:
            said = re.sub(r"^(Value error|Assertion failed), ", "", message)
            yield keys, phrases.unless_told(said, here) or "this will not do"
    for keys, words in wanted.items():
        yield keys, f"expected {phrases.choice(words)}{kinds.get(keys, '')}"


_SHOULD = "Input should be "


def _should_be(message: str, here: Any) -> str:
    words = message.removeprefix(_SHOULD).partition(",")[0]
    told = phrases.unless_told(words, here) or "something else"
    return f"a value {told}" if told.startswith(("greater", "less")) else told


def _allowed(values: str, here: Any) -> str:
    """The values a Literal, an Enum or a tag may have, as pydantic lists them: 'a', 'b' or 'c'."""
    near = phrases.nearest(here, re.findall(r"'([^']*)'", values))
    return values if near is None else f"{values}; did you mean {near!r}?"


def _located(loc: Keys, value: Any) -> tuple[Keys, Any]:
    """The keys that lead to a value, and that value; without the names pydantic gives to choices of a union."""
    keys: list[Any] = []
    for key in loc:
        if isinstance(value, (dict, list)) and (key in value if isinstance(value, dict) else isinstance(key, int)):
            value = value[key]
            keys.append(key)
    return tuple(keys), value
