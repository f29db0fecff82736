"""What pydantic has to say of a hint that mentions one of its types: its schema, its values, its complaints.

The only room that asks pydantic about hints; it is the user's own package, and is imported when such a hint
turns up. How pydantic's values are taken apart again is told in foreign.
"""

from collections.abc import Callable
from enum import Flag
from functools import cache, lru_cache
from typing import Any, get_args, get_origin

import msgspec

from ..errors import AuthorError
from ..foreign import classes
from . import hints, leniency, refusals, texts
from .paths import branches, inside
from .problems import Keys, Misfit, Name
from .subschemas import FLAT, INTEGER_NAME, NUMBER_NAME

__all__ = ["check_without", "converter", "refusal", "schema"]


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
    """pydantic's generator without the titles it makes of field names, nor the pattern that 1E+5 fails.

    It says what pydantic takes and does not say: combined flags, and names that stand for numbers.
    """
    from pydantic.json_schema import GenerateJsonSchema

    def decimal_schema(self: Any, schema: Any) -> dict[str, Any]:
        found = GenerateJsonSchema.decimal_schema(self, schema)
        if self.mode == "serialization":
            return {"type": "string"}
        choices = [one for one in found.get("anyOf", ()) if one.get("type") != "string"]
        return {"anyOf": [*choices, {"type": "string", "format": "decimal"}]}

    def enum_schema(self: Any, schema: Any) -> dict[str, Any]:
        found = GenerateJsonSchema.enum_schema(self, schema)
        if not issubclass(schema["cls"], Flag):
            return found
        rest = {key: value for key, value in found.items() if key != "enum"}
        if self.mode == "serialization":
            return {**rest, "type": "integer"}
        values = hints.flag_values(schema["cls"])
        return rest | ({"minimum": 0, "maximum": values[-1]} if isinstance(values, range) else {"enum": values})

    def dict_schema(self: Any, schema: Any) -> dict[str, Any]:
        found = GenerateJsonSchema.dict_schema(self, schema)
        kind = schema.get("keys_schema", {}).get("type")
        names = _NAMES.get(kind) if self.mode == "validation" else None
        return found if names is None else {"propertyNames": names, **found}

    def set_schema(self: Any, schema: Any) -> dict[str, Any]:
        return _flat(GenerateJsonSchema.set_schema(self, schema), self.mode)

    def frozenset_schema(self: Any, schema: Any) -> dict[str, Any]:
        return _flat(GenerateJsonSchema.frozenset_schema(self, schema), self.mode)

    def field_is_required(self: Any, field: Any, total: bool) -> bool:
        """A field with a default may be left out by who sends it to us; we always send it."""
        if self.mode != "serialization" or field["type"] == "typed-dict-field":
            return bool(GenerateJsonSchema.field_is_required(self, field, total))
        return not (field.get("serialization_exclude") or field.get("serialization_exclude_if"))

    def field_title_should_be_set(self: Any, schema: Any) -> bool:
        return False

    methods = (decimal_schema, enum_schema, dict_schema, set_schema, frozenset_schema)
    changes: dict[str, Any] = {method.__name__: method for method in methods}
    changes |= {"field_is_required": field_is_required, "field_title_should_be_set": field_title_should_be_set}
    return type("Plain", (GenerateJsonSchema,), changes)


def _flat(schema: dict[str, Any], mode: str) -> dict[str, Any]:
    """The schema of a set: of anything that can be in one, where it does not say of what."""
    return {**schema, "items": FLAT} if mode == "validation" and not schema.get("items") else schema


_NAMES = {
    "int": {"pattern": INTEGER_NAME},
    "float": {"pattern": NUMBER_NAME},
    "bool": {"enum": ["true", "false"]},
    "fraction": {"format": "fraction"},
    "decimal": {"format": "decimal"},
}


def refusal(hint: Any) -> str | None:
    """Why pydantic does not read a hint; None if it does."""
    from pydantic import TypeAdapter

    try:
        TypeAdapter(hint)
    except Exception as error:  # errors of several families, and those of the user's own hooks
        return str(error).partition("\n")[0]
    return None


def check_without(hint: Any, refusal: str) -> None:
    """Raise AuthorError if a hint that pydantic refuses cannot be read without pydantic either."""
    kind = get_origin(hint) or hint
    if isinstance(kind, type) and classes.of_pydantic(kind):
        raise AuthorError(refusal)
    for said in getattr(hint, "__metadata__", ()):
        if classes.of_pydantic(said) and not _says_little(said):
            raise AuthorError(f"{said!r} is for pydantic to understand, which does not take it here: {refusal}")


def _says_little(said: Any) -> bool:
    """Whether a `Field(...)` says nothing of what fits: a description, perhaps, or a default."""
    return classes.is_field(said) and not (said.metadata or said.alias or said.discriminator or said.validation_alias)


# Values -------------------------------------------------------------------------------------------


def converter(hint: Any, *, lenient: bool) -> Callable[[Any], Any]:
    """What makes a Python value of JSON; raises AuthorError, and Misfit when used."""
    from pydantic import TypeAdapter, ValidationError

    try:
        adapter = TypeAdapter(hint)
        validate = adapter.validator.validate_json
        takes_long = _takes_long(adapter)
    except Exception as error:
        raise AuthorError(str(error).partition("\n")[0]) from error
    strict = None if lenient else True  # None leaves it to the models themselves

    @cache
    def listed_schema() -> dict[str, Any]:
        found, definitions = schema(hint, "validation")
        return {**found, "$defs": definitions}

    def convert(value: Any) -> Any:
        try:
            raw = msgspec.json.encode(value)
        except (TypeError, ValueError, RecursionError):
            raise Misfit([((), "this is not JSON")]) from None
        if takes_long:
            _check_bounds(listed_schema(), value)
        try:
            return validate(raw, strict=strict)
        except ValidationError as error:
            refusal = error
        same = leniency.repair(listed_schema(), value, lenient=False)
        if same is not value:  # 3.0 is an integer to JSON Schema, but not to a strict model
            try:
                return validate(msgspec.json.encode(same), strict=strict)
            except ValidationError as error:
                refusal = error
        errors = refusal.errors(include_url=False, include_input=False)
        raise Misfit([_place(error, value) for error in errors])

    return convert


def _place(error: Any, value: Any) -> tuple[Keys, str | None]:
    """Where pydantic refuses a value, and what an author said of it; pydantic's own words are left to the schema."""
    kind, context = error["type"], error.get("ctx", {})
    keys = _locate(error["loc"], value, is_missing=kind == "missing")
    if error["loc"][-1:] == ("[key]",):
        keys = (*keys[:-1], Name(keys[-1]))
    if kind in ("value_error", "assertion_error") and "error" in context:
        said = str(context["error"]) or "refused by a validator"
        return keys, said if refusals.is_authored(context["error"]) else None
    if kind in _WORDS:
        return keys, f"expected {_WORDS[kind].format(**context)}"
    is_own = kind in _known_errors() or kind in _CUSTOM or str(error["msg"]).startswith(_EMAIL)
    return keys, None if is_own else str(error["msg"])


_EMAIL = "value is not a valid email address"
# Errors of pydantic's own types that are made as an author's are; some repeat the value.
_CUSTOM = frozenset(
    {
        "base64_decode", "byte_size", "byte_size_unit", "bytes_type", "color_error", "import_error", "ip_any_address",
        "ip_any_interface", "ip_any_network", "ip_v4_address", "ip_v4_interface", "ip_v4_network", "ip_v6_address",
        "ip_v6_interface", "ip_v6_network", "path_type", "pattern_bytes_type", "pattern_regex", "pattern_str_type",
        "pattern_type", "sequence_str", "zoneinfo_str", "fraction_parsing",
    }
)  # fmt: skip
# What no schema says.
_WORDS = {
    "date_past": "a date in the past",
    "date_future": "a date in the future",
    "datetime_past": "a date and time in the past",
    "datetime_future": "a date and time in the future",
    "timezone_naive": "a time without a time zone",
    "timezone_aware": "a time with a time zone",
    "finite_number": "a finite number",
    "decimal_max_digits": "a decimal number of at most {max_digits} digits",
    "decimal_max_places": "a decimal number with at most {decimal_places} decimal places",
    "decimal_whole_digits": "a decimal number with at most {whole_digits} digits before the point",
    "uuid_version": "a UUID of version {expected_version}",
    "url_scheme": "a URL whose scheme is {expected_schemes}",
    "json_invalid": "JSON in a string",
    "path_not_file": "the path of a file that is there",
    "path_not_directory": "the path of a directory that is there",
    "path_not_socket": "the path of a socket that is there",
    "path_exists": "a path where there is nothing yet",
    "parent_does_not_exist": "a path in a directory that is there",
    "payment_card_number_digits": "the number of a card, digits only",
    "payment_card_number_luhn": "the number of a card",
    "payment_card_number_brand": "the number of a card, {required_length} digits",
    "predicate_failed": "a value that its validator takes",
    "not_operation_failed": "a value that its validator takes",
}


@lru_cache
def _known_errors() -> frozenset[str]:
    from pydantic_core import core_schema

    return frozenset(get_args(core_schema.ErrorType))


def _locate(loc: Keys, value: Any, *, is_missing: bool) -> Keys:
    """The keys that lead to a place, without the names pydantic gives to the choices of a union."""
    keys: list[Any] = []
    for at, key in enumerate(loc):
        rest = loc[at + 1 :]
        if _has(value, key) and not _is_label(value, key, rest, is_missing):
            value = value[key]
            keys.append(key)
        elif is_missing and not rest:
            keys.append(key)
    return tuple(keys)


def _is_label(value: Any, key: Any, rest: Keys, is_missing: bool) -> bool:
    """Whether a key that is there is the name of a choice all the same: what follows is beside it, not in it."""
    within = value[key]
    if any(_has(within, one) for one in rest):
        return False
    lost = is_missing and bool(rest) and not isinstance(within, (dict, list))
    return lost or any(_has(value, one) for one in rest)


def _has(value: Any, key: Any) -> bool:
    if isinstance(value, list):
        return isinstance(key, int) and key < len(value)
    return isinstance(value, dict) and key in value


# Bounds -------------------------------------------------------------------------------------------


def _takes_long(adapter: Any) -> bool:
    """Whether pydantic makes something of text that can take for ever, a Fraction or a regular expression."""
    parts = repr(adapter.core_schema)
    return "fraction" in parts or "pattern_" in parts


def _check_bounds(root: dict[str, Any], value: Any) -> None:
    """Raise Misfit for texts that would take long to read."""
    waiting: list[tuple[list[Any], Any, Keys]] = [(branches(root, root), value, ())]
    while waiting:
        choices, part, keys = waiting.pop()
        try:
            if isinstance(part, str):
                for choice in choices:
                    texts.check_bounds(choice.get("format") if isinstance(choice, dict) else None, part)
            elif isinstance(part, dict):
                for name in part:  # of which a schema may say nothing
                    texts.check_bounds("fraction", name)
        except texts.OutOfBoundsError as error:
            raise Misfit([(keys, str(error))]) from None
        parts = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
        waiting += [(inside(root, choices, key), item, (*keys, key)) for key, item in parts]
