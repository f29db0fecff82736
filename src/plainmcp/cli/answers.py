"""Answers the questions of a server: with the values of --answer, or by asking the person at the terminal."""

import sys
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from .arguments import UsageError, json_or_text
from .schema_text import hint_of
from .show import escape_controls, to_json

__all__ = ["Answers", "parse_answer"]

_WORDS = ("accept", "decline", "cancel")


def parse_answer(text: str) -> Any:
    """The value of an --answer: accept, decline, cancel, or JSON; any other text is itself. Raises UsageError."""
    return text if text in _WORDS else json_or_text(text, "--answer")


class Answers:
    """The answers to the questions of one call, in their order; a person is asked when `values` has no more.

    `is_interactive` says whether there is a person. `before` is called before a person is asked.
    """

    def __init__(
        self,
        values: Sequence[Any] = (),
        *,
        is_interactive: bool | None = None,
        before: Callable[[], object] = lambda: None,
    ) -> None:
        self._values = list(values)
        self._is_interactive = _has_person() if is_interactive is None else is_interactive
        self._before = before
        self._problem: str | None = None

    @property
    def capabilities(self) -> dict[str, Any]:
        """What this client can answer; nothing if there is neither a value nor a person."""
        if not self._values and not self._is_interactive:
            return {}
        return {"elicitation": {"form": {}, "url": {}}, "sampling": {}}

    def check(self) -> None:
        """Raise UsageError if a question had no answer; it is not raised in the middle of the server's code."""
        if self._problem is not None:
            raise UsageError(self._problem)

    def answer(self, method: str, params: dict[str, Any]) -> dict[str, Any] | None:
        """The result for a question; None for one that cannot be answered here, or is not."""
        is_form = method == "elicitation/create"
        ways = _WAYS.get("url" if is_form and "url" in params else method)
        if ways is None:
            return None
        from_value, from_person = ways
        action = "cancel"
        try:
            if self._values:
                return from_value(self._values.pop(0), params)
            if self._is_interactive:
                self._before()
                return from_person(params)
            question = params.get("message") or "for the answer of a model"
            self._problem = f"the server asked {question!r}, and there is no --answer JSON left for it"
        except UsageError as error:
            self._problem = str(error)
        except EOFError:
            action = "decline"
            _print("")
        return {"action": action} if is_form else None


# Answers of --answer ------------------------------------------------------------------------------


def _form_from(value: Any, params: dict[str, Any]) -> dict[str, Any]:
    fields = (params.get("requestedSchema") or {}).get("properties") or {}
    if value in ("decline", "cancel"):
        return {"action": value}
    if not isinstance(value, dict) and len(fields) == 1:
        value = {next(iter(fields)): value}
    if value == "accept":
        value = {}
    if not isinstance(value, dict):
        names = ", ".join(fields) or "no fields"
        raise UsageError(f"--answer {value!r} is not a JSON object with {names}, and not decline or cancel")
    return {"action": "accept", "content": value}


def _consent_from(value: Any, params: dict[str, Any]) -> dict[str, Any]:
    return {"action": value if value in ("decline", "cancel") else "accept"}


def _sample_from(value: Any, params: dict[str, Any]) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    text = value if isinstance(value, str) else to_json(value)
    return {"role": "assistant", "content": {"type": "text", "text": text}, "model": "plainmcp"}


# Answers of a person ------------------------------------------------------------------------------


def _ask_form(params: dict[str, Any]) -> dict[str, Any]:
    schema = params.get("requestedSchema") or {}
    required = schema.get("required") or []
    _print(params.get("message"), "(an empty line skips a field, Ctrl-D declines)")
    content: dict[str, Any] = {}
    for name, field in (schema.get("properties") or {}).items():
        value = _ask_field(name, field, name in required)
        if value is not None:
            content[name] = value
    return {"action": "accept", "content": content}


def _ask_consent(params: dict[str, Any]) -> dict[str, Any]:
    _print(params.get("message"), f"open this address: {params.get('url')}")
    return {"action": "accept" if _read("done? [y/N] ").lower() in ("y", "yes") else "decline"}


def _ask_sample(params: dict[str, Any]) -> dict[str, Any]:
    _print("the server asks a model; type what the model answers")
    _print(*(f"  {one.get('role')}: {_text_of(one.get('content'))}" for one in params.get("messages") or ()))
    return _sample_from(_read("> "), params)


_WAYS = {
    "elicitation/create": (_form_from, _ask_form),
    "url": (_consent_from, _ask_consent),
    "sampling/createMessage": (_sample_from, _ask_sample),
}


def _ask_field(name: str, field: dict[str, Any], is_required: bool) -> Any:
    """The value of one field, asked until it can be one; None if it is skipped. Raises EOFError."""
    while True:
        text = _read(escape_controls(f"  {field.get('title') or name} ({hint_of(field, is_required)}): "))
        if not text:
            if "default" in field:
                return field["default"]
            if not is_required:
                return None
        value = _value_of(text, field)
        if value is not None:
            return value
        _print("    that does not fit")


def _value_of(text: str, field: dict[str, Any]) -> Any:
    """The value of a typed text; None if the field cannot have it."""
    choices = _choices_of(field)
    if choices:
        return next((value for value, label in choices if text in (value, label)), None)
    kind = field.get("type", "string")
    if kind == "string":
        return text or None
    if kind == "boolean":
        return {"y": True, "yes": True, "true": True, "n": False, "no": False, "false": False}.get(text.lower())
    if kind == "array":
        items = [one.strip() for one in text.split(",") if one.strip()]
        values = [_value_of(one, field.get("items") or {}) for one in items]
        return None if None in values else values
    try:
        number = msgspec.json.decode(text, type=int if kind == "integer" else float)
    except msgspec.MsgspecError:
        return None
    return number if field.get("minimum", number) <= number <= field.get("maximum", number) else None


def _choices_of(field: dict[str, Any]) -> list[tuple[str, str]]:
    """The values of a field with choices, and how they are called."""
    titled = [one for key in ("oneOf", "anyOf") for one in field.get(key, ()) if "const" in one]
    if titled:
        return [(one["const"], one.get("title", one["const"])) for one in titled]
    values = field.get("enum") or []
    return list(zip(values, field.get("enumNames") or values, strict=False))


def _text_of(content: Any) -> str:
    parts = content if isinstance(content, list) else [content]
    return " ".join(str(one.get("text") or f"[{one.get('type')}]") for one in parts if isinstance(one, dict))


def _print(*lines: Any) -> None:
    for line in lines:
        print(escape_controls(str(line)), file=sys.stderr, flush=True)


def _read(prompt: str) -> str:
    """A line that a person types; the prompt goes to standard error, because standard output has the result."""
    print(prompt, end="", file=sys.stderr, flush=True)
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.strip()


def _has_person() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()
