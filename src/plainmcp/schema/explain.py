"""The problems of JSON that is not valid by a schema: the path of each place, and what was expected there.

The texts are the same for every schema, whether it was made from a type or written by hand. The number of parts that
are checked is limited, since a value may be large and wrong everywhere.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from . import keywords
from .coercion_errors import Name
from .keywords import FormatCheck
from .matching import allowed_values_of, branches_of, can_hold, child_of, decode_text, follow, likely_choices, tag_of
from .subschemas import Keys, Schema
from .wording import describe, describe_kind, describe_values, find_nearest, format_path, join_choices

__all__ = ["Problem", "explain"]

MAX_STEPS = 10_000
MAX_PROBLEMS = 50
"""How many parts of a value are checked, and how many problems are noted."""


class Problem(NamedTuple):
    """One place that does not fit a schema: its keys, what was expected, what is there instead.

    `text` is the whole problem, for the sender of the value.
    """

    keys: Keys
    expected: str
    got: str
    text: str


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
    explainer = _Explainer(schema, members, check_format)
    if places is None:
        explainer.check(schema, value, ())
        return explainer.problems
    places_to_seek = list(places)
    explainer.seek(schema, value, (), places_to_seek)
    if not explainer.problems:
        explainer.is_last = True
        explainer.seek(schema, value, (), places_to_seek)
    return explainer.problems


class _Explainer:
    """The search for problems in one value."""

    def __init__(self, root: Schema, members: str, check_format: FormatCheck | None) -> None:
        self.root = root
        self.members = members
        self.check_format = check_format
        self.problems: list[Problem] = []
        self.steps = 0
        self.is_sure = True  # that a place belongs to the selected choice of a union
        self.is_last = False  # so that a problem has to be noted

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

    def seek(self, schema: Any, value: Any, keys: Keys, places: list[Keys]) -> None:
        """Go to places that are known to be wrong, and note what is expected there."""
        choices = branches_of(self.root, schema)
        inner = next(
            (one["contentSchema"] for one in choices if isinstance(one, dict) and "contentSchema" in one), None
        )
        if inner is not None and isinstance(value, str):
            return self._seek_in_text(inner, value, keys, places)
        if () in places:
            return self._note_place(schema, value, keys)
        if len(choices) > 1:
            if self._note_tag(choices, value, keys):
                return None
            choices = self._select_choices(choices, value, places)
        if len(choices) > 1:  # it is not known which of them was meant
            return self._note_place(schema, value, keys)
        return self._seek_parts(follow(self.root, choices[0]), value, keys, places)

    def _select_choices(self, choices: list[Any], value: Any, places: list[Keys]) -> list[Any]:
        """The choices of a union that the value was probably meant for."""
        is_open = sum(can_hold(choice, value) for choice in choices) != 1
        self.is_sure = self.is_sure and not is_open
        if is_open and self.is_last:
            return choices
        return likely_choices(self.root, choices, value, places) or choices

    def _seek_parts(self, schema: Any, value: Any, keys: Keys, places: list[Keys]) -> None:
        """Go to the places inside a value."""
        for name in dict.fromkeys(place[0] for place in places if isinstance(place[0], Name)):
            self._note_name(schema.get("propertyNames", {}) if isinstance(schema, dict) else {}, name, (*keys, name))
        rest = [place for place in places if not isinstance(place[0], Name)]
        for key in dict.fromkeys(place[0] for place in rest):
            self._seek_part(schema, value, (*keys, key), [place[1:] for place in rest if place[0] == key])

    def _seek_in_text(self, schema: Any, value: str, keys: Keys, places: list[Keys]) -> None:
        """Go to places inside the JSON that a string holds."""
        count = len(self.problems)
        self.seek(schema, decode_text(value), keys, places)
        self.problems[count:] = [
            one._replace(text=f"in the JSON of this string, {one.text}") for one in self.problems[count:]
        ]

    def _note_place(self, schema: Any, value: Any, keys: Keys) -> None:
        count = len(self.problems)
        self.check(schema, value, keys)
        is_valid = len(self.problems) == count  # by the schema, but not by its type
        if is_valid and (self.is_sure or self.is_last):
            self.note(keys, schema, value)

    def _seek_part(self, schema: Any, value: Any, keys: Keys, places: list[Keys]) -> None:
        key = keys[-1]
        inner = child_of(schema, key)
        if isinstance(value, list) and isinstance(key, int):
            if key >= len(value):
                return self.note(keys[:-1], schema, value, got=str(len(value)))
            return self.seek(True if inner is None else inner, value[key], keys, places)
        if not isinstance(value, dict):
            return self._note_place(schema, value, keys[:-1])
        if key not in value:
            if inner is not None:  # else it belongs to another choice
                self.note_missing(keys, inner, value, _names_of(schema))
            return None
        if inner is False:
            return self.note_unknown(keys, _names_of(schema))
        return self.seek(True if inner is None else inner, value[key], keys, places)

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
        if isinstance(value, list):
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
            elif self._check_name(schema, name, (*keys, name)) and inner is not None:
                self.check(inner, item, (*keys, name))
            if self.count_step():
                return

    def _check_name(self, schema: Any, name: str, keys: Keys) -> bool:
        """Whether the name of a member is allowed; if not, this is noted."""
        rule = schema.get("propertyNames") if isinstance(schema, dict) else None
        if rule is None or not self._fork().has_problems(rule, name):
            return True
        self._note_name(rule, name, keys)
        return False

    def _note_name(self, rule: Any, name: str, keys: Keys) -> None:
        known = join_choices(describe(self.root, _as_text(one)) for one in branches_of(self.root, rule))
        words = "another name" if known == "a string" else f"a name that is {known}"
        near = find_nearest(name, self._allowed_values_in(rule))
        text = f"expected {words}" + ("" if near is None else f"; did you mean {describe_values([near])}?")
        self.problems.append(Problem(keys, words, "another name", text))

    def _fork(self) -> "_Explainer":
        return _Explainer(self.root, self.members, self.check_format)

    def has_problems(self, schema: Any, value: Any) -> bool:
        """Whether a value has problems."""
        self.check(schema, value, ())
        return bool(self.problems)

    def _check_union(self, schema: Schema, value: Any, keys: Keys) -> None:
        choices = branches_of(self.root, {word: schema[word] for word in ("anyOf", "oneOf") if word in schema})
        problems_by_choice = {id(one): self._try(one, value, keys) for one in choices}
        if not all(problems_by_choice.values()):
            return
        if self._note_tag(choices, value, keys):
            return
        likely = [problems_by_choice[id(one)] for one in likely_choices(self.root, choices, value)]
        shared = [one for one in likely[0] if all(one in problems for problems in likely)] if likely else []
        if any(one.keys != keys for one in shared):
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
        attempt = self._fork()
        attempt.steps = self.steps
        attempt.check(schema, value, keys)
        self.steps = attempt.steps
        return attempt.problems


def _names_of(schema: Any) -> list[str]:
    return list(schema.get("properties", ())) if isinstance(schema, dict) else []


def _as_text(schema: Any) -> Any:
    """The schema of a name, with the type that it always has."""
    return {"type": "string", **schema} if isinstance(schema, dict) and "enum" not in schema else schema
