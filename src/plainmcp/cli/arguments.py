"""Arguments as a person types them: key=value, key:=json, @file, - and JSON objects. Knows no server.

Texts become what the schema of a tool asks for: days=3 is a number if `days` takes one.
"""

import re
import sys
from base64 import b64encode
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from .schema_text import definitions_of, resolve
from .show import to_json

__all__ = ["Arguments", "UsageError", "json_or_text", "parse_arguments", "parse_json", "read_text"]

_PAIR = re.compile(r"([^\s={}\[\]\"':@][^=:]*)(:?=)(.*)", re.DOTALL)
_DEPTH = 8


class UsageError(Exception):
    """The command line is wrong, in a way that its grammar does not show."""


class Arguments:
    """The arguments of one call: values that are complete, and texts whose type the schema decides."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.texts: dict[str, list[str | bytes]] = {}  # bytes are the content of a file

    def __bool__(self) -> bool:
        return bool(self.values or self.texts)

    def as_texts(self) -> dict[str, str]:
        """The arguments of a prompt: every value is a text; raises UsageError."""
        values = {key: value if isinstance(value, str) else to_json(value) for key, value in self.values.items()}
        return values | {key: _to_text(_only(key, texts)) for key, texts in self.texts.items()}

    def for_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """The arguments of a tool with this input schema; raises UsageError."""
        definitions = definitions_of(schema)
        fields = schema.get("properties") or {}
        return self.values | {
            key: _convert(key, texts, resolve(fields.get(key), definitions), definitions)
            for key, texts in self.texts.items()
        }


def parse_arguments(words: Iterable[str]) -> Arguments:
    """The arguments in the words after the name of a tool; later words win. Raises UsageError."""
    arguments = Arguments()
    for word in words:
        pair = None if word == "-" or word.startswith(("@", "{")) else _PAIR.fullmatch(word)
        if pair is None:
            arguments.values |= _parse_object(word)
            continue
        key, operator, text = pair.groups()
        if operator == ":=":
            arguments.values[key] = parse_json(read_text(text[1:]) if text.startswith("@") else text, key)
        else:
            arguments.texts.setdefault(key, []).append(_read_bytes(text[1:]) if text.startswith("@") else text)
    return arguments


def _parse_object(word: str) -> dict[str, Any]:
    """The object that a word is, or that the file it names contains."""
    is_file = word == "-" or word.startswith("@")
    try:
        return msgspec.json.decode(read_text(word.removeprefix("@")) if is_file else word, type=dict[str, Any])
    except msgspec.MsgspecError as error:
        what = f"{word} does not contain" if is_file else "the arguments are not"
        example = 'city=Oslo or \'{"city": "Oslo"}\''
        raise UsageError(f"{what} a JSON object or pairs, such as {example}: {error}") from None


def parse_json(text: str, what: str) -> Any:
    """The value of a JSON text; raises UsageError, which says what it is for."""
    try:
        return msgspec.json.decode(text)
    except msgspec.MsgspecError as error:
        raise UsageError(f"{what}: {text[:80]!r} is not JSON: {error}") from None


def json_or_text(text: str, what: str) -> Any:
    """The value of a JSON text; any other text is itself, unless it starts as JSON does. Raises UsageError.

    >>> json_or_text("3", "--answer"), json_or_text("three", "--answer")
    (3, 'three')
    """
    try:
        return parse_json(text, what)
    except UsageError:
        if text.startswith(("{", "[", '"')):
            raise
        return text


# Files --------------------------------------------------------------------------------------------


def read_text(file: str) -> str:
    """The text of a file, or of standard input for "-"; raises UsageError."""
    try:
        return _read_bytes(file).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(f"{file} is not text in UTF-8") from None


def _read_bytes(file: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).expanduser().read_bytes()
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from None


def _to_text(value: str | bytes) -> str:
    """What was typed, or the content of a file; content that is not text as base64."""
    try:
        return value if isinstance(value, str) else value.decode()
    except UnicodeDecodeError:
        return b64encode(value).decode()  # type: ignore[arg-type]


# Types --------------------------------------------------------------------------------------------


def _convert(key: str, texts: list[str | bytes], schema: dict[str, Any], definitions: Any) -> Any:
    """The value that texts stand for, by the schema of the argument."""
    kinds = _kinds_of(schema, definitions)
    first = texts[0]
    if "array" in kinds and not (len(texts) == 1 and isinstance(first, str) and first.lstrip().startswith("[")):
        items = resolve(schema.get("items"), definitions)
        return [_convert_one(text, _kinds_of(items, definitions), items) for text in texts]
    return _convert_one(_only(key, texts), kinds, schema)


def _convert_one(value: str | bytes, kinds: set[str], schema: dict[str, Any]) -> Any:
    """A text as it is if the schema takes texts; else the JSON value that it is, if it is one."""
    if isinstance(value, bytes) and schema.get("contentEncoding") == "base64":
        return b64encode(value).decode()
    text = _to_text(value)
    if "string" in kinds or not kinds:
        choices = schema.get("enum")
        return _choose(text, choices) if choices else text
    try:
        return msgspec.json.decode(text)
    except msgspec.MsgspecError:
        return text  # the server says what it expects


def _choose(text: str, choices: list[Any]) -> Any:
    return next((one for one in choices if not isinstance(one, str) and to_json(one) == text), text)


def _kinds_of(schema: dict[str, Any], definitions: Any, depth: int = 0) -> set[str]:
    """The JSON types that a schema takes; none if it does not say."""
    kind = schema.get("type")
    if kind is not None:
        return set(kind) if isinstance(kind, list) else {kind}
    values = schema["enum"] if "enum" in schema else [schema["const"]] if "const" in schema else []
    if values:
        return {"string"} if any(isinstance(value, str) for value in values) else {"number"}
    if depth > _DEPTH:  # a definition may contain itself
        return set()
    branches = [resolve(one, definitions) for key in ("anyOf", "oneOf") for one in schema.get(key, ())]
    return {kind for branch in branches for kind in _kinds_of(branch, definitions, depth + 1)}


def _only(key: str, texts: list[str | bytes]) -> str | bytes:
    if len(texts) > 1:
        raise UsageError(f"{key} is there {len(texts)} times, and it does not take a list")
    return texts[0]
