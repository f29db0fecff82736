"""The problems of JSON that is not valid by a schema: the path of each place, and what was expected there.

The texts are the same for every schema, whether it was made from a type or written by hand. The number of parts that
are checked is limited, since a value may be large and wrong everywhere.
"""

from collections.abc import Iterable
from operator import eq
from typing import Any, NamedTuple

from . import keywords
from .coercion_errors import Name
from .keywords import FormatCheck
from .matching import (
    allowed_values_of,
    branches_of,
    can_hold,
    child_of,
    decode_text,
    follow,
    has_key,
    likely_choices,
    tag_of,
)
from .subschemas import Keys, Schema
from .wording import describe, describe_kind, describe_values, find_nearest, format_path, join_choices

__all__ = ["Problem", "explain"]

MAX_STEPS = 10_000
MAX_PROBLEMS = 50
"""How many parts of a value are checked, and how many problems are noted."""


class Problem(NamedTuple):
    """One place that does not fit a schema: its keys, what was expected, what is there instead.

    `text` is the whole problem, for the sender of the value; it may be about JSON in a string.
    """

    keys: Keys
    expected: str
    got: str
    text: str
    in_string: bool = False


def explain(
    schema: Schema,
    value: Any,
    places: Iterable[Keys] | None = None,
    *,
    members: str = "field",
    check_format: FormatCheck | None = None,
) -> list[Problem]:
    """All problems of a value by a schema; with `places`, the problems of these places, which are known to be wrong.

    `members` is the word for the members of an object at the root; `check_format` checks the formats of texts.

    >>> [problem] = explain({"type": "object", "properties": {"days": {"type": "integer"}}}, {"days": "many"})
    >>> problem.keys, problem.text
    (('days',), 'expected an integer, got a string')
    """
    explainer = _Explainer(schema, members, check_format, in_texts=places is not None)
    explainer.check(schema, value, ())
    return explainer.problems if places is None else explainer.select(value, list(places))


class _Explainer:
    """The search for problems in one value."""

    def __init__(self, root: Schema, members: str, check_format: FormatCheck | None, in_texts: bool) -> None:
        self.root = root
        self.members = members
        self.check_format = check_format
        self.in_texts = in_texts  # whether JSON in a string is checked too
        self.problems: list[Problem] = []
        self.steps = 0

    def note(self, keys: Keys, schema: Any, value: Any, *, got: str | None = None) -> None:
        """Note a value that does not fit the schema of its place."""
        words = describe(self.root, schema)
        kind = describe_kind(value)
        if got is None:
            right = any(can_hold(one, value) for one in branches_of(self.root, schema))
            got = "" if right else kind
        allowed = self._allowed_values_in(schema)
        near = None if value in allowed else find_nearest(value, allowed)
        text = f"expected {words}" + (f", got {got}" if got else "")
        text += "" if near is None else f"; did you mean {describe_values([near])}?"
        self.problems.append(Problem(keys, words, got or kind, text))

    def note_missing(self, keys: Keys, schema: Any, value: dict[str, Any], known: Iterable[str]) -> None:
        """Note a missing member; it may be there under a name that is slightly wrong."""
        unknown = [name for name in value if name not in known]
        near = next((name for name in unknown if find_nearest(name, [keys[-1]]) is not None), None)
        text = f"missing; it takes {describe(self.root, schema)}"
        if near is not None:
            text += f"; {format_path([near])} is not known, did you mean {format_path(keys[-1:])}?"
        self.problems.append(Problem(keys, "a value", "nothing", text))

    def note_unknown(self, keys: Keys, known: list[str]) -> None:
        """Note a member that is not allowed."""
        near = find_nearest(keys[-1], known)
        names = ", ".join(known[:20])
        kind = self.members if len(keys) == 1 else "field"
        rest = f"did you mean {near}?" if near else f"the {kind}s are {names}" if known else "there are none"
        self.problems.append(Problem(keys, "nothing", "a value", f"no such {kind}; {rest}"))

    def _allowed_values_in(self, schema: Any) -> list[Any]:
        return [value for one in branches_of(self.root, schema) for value in allowed_values_of(one) or ()]

    def count_step(self) -> bool:
        self.steps += 1
        return self.steps > MAX_STEPS or len(self.problems) > MAX_PROBLEMS

    # Places that are known ------------------------------------------------------------------------

    def select(self, value: Any, places: list[Keys]) -> list[Problem]:
        """The problems of these places; one that has none by the schema does not fit its type."""
        self.problems = [one for one in self.problems if any(_is_along(one.keys, place) for place in places)]
        keys = [one.keys for one in self.problems]
        rest = [place for place in places if not any(_is_along(one, place) for one in keys)]
        for is_last in (False, True):
            for place in rest if not (is_last and self.problems) else ():
                self._seek(self.root, value, (), place, is_sure=True, is_last=is_last)
        return self.problems

    def _seek(self, schema: Any, value: Any, keys: Keys, place: Keys, *, is_sure: bool, is_last: bool) -> None:
        """Note a place that is valid by the schema. In a union it may belong to another choice, so it is not sure.

        If it is the `last` chance, the union itself is noted.
        """
        choices = branches_of(self.root, schema)
        if len(choices) > 1 and place:
            is_open = sum(can_hold(choice, value) for choice in choices) != 1
            is_sure = is_sure and not is_open
            likely = [] if is_open and is_last else likely_choices(self.root, choices, value, [place])
            choices = likely or choices
        if not place or len(choices) > 1:
            if is_sure or is_last:
                self.note(keys, schema, value)
            return
        key, inside, here = place[0], (*keys, place[0]), follow(self.root, choices[0])
        if isinstance(key, Name):
            self._note_name(here.get("propertyNames", {}) if isinstance(here, dict) else {}, key, inside)
        elif has_key(value, key):
            self._seek(child_of(here, key), value[key], inside, place[1:], is_sure=is_sure, is_last=is_last)
        else:
            self._note_absent(here, value, inside)

    def _note_absent(self, schema: Any, value: Any, keys: Keys) -> None:
        """Note a part that is not there; where the schema does not know its name, it belongs to another choice."""
        inner = child_of(schema, keys[-1])
        if isinstance(value, list):
            self.note(keys[:-1], schema, value, got=str(len(value)))
        elif isinstance(value, dict) and inner is not None:
            self.note_missing(keys, inner, value, _names_of(schema))

    # Everything -----------------------------------------------------------------------------------

    def check(self, schema: Any, value: Any, keys: Keys) -> None:
        """Note all problems of a value and its parts."""
        here = follow(self.root, schema)
        if self.count_step() or here is True:
            return
        if here is False:
            self.problems.append(Problem(keys, "nothing", "a value", "expected nothing"))
            return
        assert isinstance(here, dict)
        if "anyOf" in here or "oneOf" in here:
            self._check_union(here, value, keys)
        for part in here.get("allOf", ()):
            self.check(part, value, keys)
        allowed = allowed_values_of(here)
        if not can_hold(here, value) or (allowed is not None and not keywords.is_among(value, allowed)):
            self.note(keys, here, value)
            return
        self._check_limits(here, value, keys)
        if isinstance(value, str):
            self._check_text(here, value, keys)
        elif isinstance(value, list):
            self._check_items(here, value, keys)
        elif isinstance(value, dict):
            self._check_members(here, value, keys)

    def _check_limits(self, schema: Schema, value: Any, keys: Keys) -> None:
        broken = keywords.find_broken(schema, value, self.check_format)
        if "uniqueItems" in broken:
            words = "an array of items that are all different"
            self.problems.append(Problem(keys, words, "an array", f"expected {words}"))
        elif broken:
            count = str(len(value)) if isinstance(value, (list, dict)) else None
            self.note(keys, schema, value, got=count)

    def _check_text(self, schema: Schema, value: str, keys: Keys) -> None:
        """Note the problems of the JSON that a string holds."""
        if self.in_texts and "contentSchema" in schema:
            for one in self._try(schema["contentSchema"], decode_text(value), keys):
                self.problems.append(one._replace(text=f"in the JSON of this string, {one.text}", in_string=True))

    def _check_items(self, schema: Schema, value: list[Any], keys: Keys) -> None:
        for at, item in enumerate(value):
            inner = child_of(schema, at)
            if inner is False:
                return self.note(keys, {**schema, "maxItems": at}, value, got=str(len(value)))
            if inner is not None:
                self.check(inner, item, (*keys, at))
            if self.count_step():
                return None
        return None

    def _check_members(self, schema: Schema, value: dict[str, Any], keys: Keys) -> None:
        for name in schema.get("required", ()):
            if name not in value:
                self.note_missing((*keys, name), child_of(schema, name), value, _names_of(schema))
        for name, item in value.items():
            inner = child_of(schema, name)
            if inner is False:
                self.note_unknown((*keys, name), _names_of(schema))
            else:
                self._check_name(schema.get("propertyNames"), name, (*keys, name))
                self.check(inner, item, (*keys, name))
            if self.count_step():
                return

    def _check_name(self, rule: Any, name: str, keys: Keys) -> None:
        if rule is not None and self._try(rule, name, keys):
            self._note_name(rule, name, keys)

    def _note_name(self, rule: Any, name: str, keys: Keys) -> None:
        known = join_choices(describe(self.root, _as_text(one)) for one in branches_of(self.root, rule))
        words = "another name" if known == "a string" else f"a name that is {known}"
        near = find_nearest(name, self._allowed_values_in(rule))
        text = f"expected {words}" + ("" if near is None else f"; did you mean {describe_values([near])}?")
        self.problems.append(Problem(keys, words, "another name", text))

    def _check_union(self, schema: Schema, value: Any, keys: Keys) -> None:
        choices = branches_of(self.root, {word: schema[word] for word in ("anyOf", "oneOf") if word in schema})
        problems_by_choice = {id(one): self._try(one, value, keys) for one in choices}
        if not all(problems_by_choice.values()):
            return
        if self._note_tag(choices, value, keys):
            return
        likely = [problems_by_choice[id(one)] for one in likely_choices(self.root, choices, value)]
        shared = [one for one in likely[0] if all(one in problems for problems in likely)] if likely else []
        if any(one.keys != keys or one.in_string for one in shared):
            self.problems += shared
        else:  # the value itself fits none of the choices
            self.note(keys, {"anyOf": choices}, value)

    def _note_tag(self, choices: list[Any], value: Any, keys: Keys) -> bool:
        """Note an object with none of the tags that distinguish the choices of a union; whether it was noted."""
        likely = [one for one in choices if can_hold(one, value)]
        tag = tag_of(self.root, likely, value) if isinstance(value, dict) else None
        if tag is None:
            return False
        name, allowed = tag
        if name in value:
            self.note((*keys, name), {"enum": allowed}, value[name])
        else:
            self.note_missing((*keys, name), {"enum": allowed}, value, [name])
        return True

    def _try(self, schema: Any, value: Any, keys: Keys) -> list[Problem]:
        attempt = _Explainer(self.root, self.members, self.check_format, self.in_texts)
        attempt.steps = self.steps
        attempt.check(schema, value, keys)
        self.steps = attempt.steps
        return attempt.problems


def _is_along(keys: Keys, place: Keys) -> bool:
    """Whether one of two places is the other, or inside it."""
    return all(map(eq, keys, place))


def _names_of(schema: Any) -> list[str]:
    return list(schema.get("properties", ())) if isinstance(schema, dict) else []


def _as_text(schema: Any) -> Any:
    """The schema of a name, with the type that it always has."""
    return {"type": "string", **schema} if isinstance(schema, dict) and "enum" not in schema else schema
