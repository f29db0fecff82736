"""What is wrong with JSON that breaks a schema: the path of each place, and what was expected there.

One voice for every schema, whether it was made of a type or written by hand. Looks at so many parts and no more,
since a value may be large and wrong all over.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from . import keywords, wording
from .coercion_errors import Name
from .keywords import FormatCheck
from .matching import allowed_values_of, branches_of, can_hold, child_of, decode_text, follow, likely_choices, tag_of
from .subschemas import Keys, Schema

__all__ = ["Problem", "explain"]

MAX_STEPS = 10_000
MAX_PROBLEMS = 50
"""How many parts of a value are looked at, and how many problems are noted."""


class Problem(NamedTuple):
    """One thing that breaks a schema: the keys that lead to it, what was expected, what is there instead.

    `text` says it to whoever sent the value.
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
    """Everything about a value that breaks a schema, or else all there is to say of the places known to be wrong.

    `members` is the word for what an object at the root has; `check_format` tells whether texts are in their formats.

    >>> [problem] = explain({"type": "object", "properties": {"days": {"type": "integer"}}}, {"days": "many"})
    >>> problem.keys, problem.text
    (('days',), 'expected an integer, got a string')
    """
    explainer = _Explainer(schema, members, check_format)
    if places is None:
        explainer.check(schema, value, ())
        return explainer.found
    wanted = list(places)
    explainer.seek(schema, value, (), wanted)
    if not explainer.found:
        explainer.is_last = True
        explainer.seek(schema, value, (), wanted)
    return explainer.found


class _Explainer:
    """One look at one value."""

    def __init__(self, root: Schema, members: str, check_format: FormatCheck | None) -> None:
        self.root = root
        self.members = members
        self.keeps = check_format
        self.found: list[Problem] = []
        self.steps = 0
        self.is_sure = True  # that a place belongs to the choice of a union that was taken
        self.is_last = False  # so that something has to be said

    def note(self, keys: Keys, schema: Any, value: Any, *, got: str | None = None) -> None:
        """A value that is not what the schema of its place asks for."""
        words = wording.describe(self.root, schema)
        kind = wording.describe_kind(value)
        if got is None:
            right = any(can_hold(one, value) for one in branches_of(self.root, schema))
            got = "" if right else kind
        allowed = self._allowed_values(schema)
        near = None if value in allowed else wording.find_nearest(value, allowed)
        text = f"expected {words}" + (f", got {got}" if got else "")
        text += "" if near is None else f"; did you mean {wording.describe_values([near])}?"
        self.found.append(Problem(keys, words, got or kind, text))

    def note_missing(self, keys: Keys, schema: Any, given: dict[str, Any], known: Iterable[str]) -> None:
        """A member that has to be there; perhaps it is, under a name that is slightly wrong."""
        unknown = [name for name in given if name not in known]
        near = next((name for name in unknown if wording.find_nearest(name, [keys[-1]]) is not None), None)
        text = f"missing; it takes {wording.describe(self.root, schema)}"
        text += (
            ""
            if near is None
            else f"; {wording.format_path([near])} is not known, did you mean {wording.format_path(keys[-1:])}?"
        )
        self.found.append(Problem(keys, "a value", "nothing", text))

    def note_unknown(self, keys: Keys, known: list[str]) -> None:
        """A member that may not be there."""
        near = wording.find_nearest(keys[-1], known)
        names = ", ".join(known[:20])
        kind = self.members if len(keys) == 1 else "field"
        rest = f"did you mean {near}?" if near else f"the {kind}s are {names}" if known else "there are none"
        self.found.append(Problem(keys, "nothing", "a value", f"no such {kind}; {rest}"))

    def _allowed_values(self, schema: Any) -> list[Any]:
        return [value for one in branches_of(self.root, schema) for value in allowed_values_of(one) or ()]

    def is_done(self) -> bool:
        self.steps += 1
        return self.steps > MAX_STEPS or len(self.found) > MAX_PROBLEMS

    # Places that are known ------------------------------------------------------------------------

    def seek(self, schema: Any, value: Any, keys: Keys, places: list[Keys]) -> None:
        """Go to the places that are known to be wrong, and say what is expected there."""
        choices = branches_of(self.root, schema)
        held = [one["contentSchema"] for one in choices if isinstance(one, dict) and "contentSchema" in one]
        if held and isinstance(value, str):
            return self._seek_in_text(held[0], value, keys, places)
        if () in places:
            return self._note_place(schema, value, keys)
        if len(choices) > 1:
            if self._note_tag(choices, value, keys):
                return None
            several = sum(can_hold(one, value) for one in choices) != 1
            self.is_sure = self.is_sure and not several
            choices = (
                choices if several and self.is_last else likely_choices(self.root, choices, value, places) or choices
            )
        if len(choices) > 1:  # nobody knows which of several was meant
            return self._note_place(schema, value, keys)
        here = follow(self.root, choices[0])
        for name in dict.fromkeys(place[0] for place in places if isinstance(place[0], Name)):
            self._note_name(here.get("propertyNames", {}) if isinstance(here, dict) else {}, name, (*keys, name))
        rest = [place for place in places if not isinstance(place[0], Name)]
        for key in dict.fromkeys(place[0] for place in rest):
            self._seek_part(here, value, (*keys, key), [place[1:] for place in rest if place[0] == key])
        return None

    def _seek_in_text(self, schema: Any, value: str, keys: Keys, places: list[Keys]) -> None:
        """Go on in the JSON that a string holds."""
        known = len(self.found)
        self.seek(schema, decode_text(value), keys, places)
        self.found[known:] = [
            one._replace(text=f"in the JSON of this string, {one.text}") for one in self.found[known:]
        ]

    def _note_place(self, schema: Any, value: Any, keys: Keys) -> None:
        known = len(self.found)
        self.check(schema, value, keys)
        if (self.is_sure or self.is_last) and len(self.found) == known:  # the schema allows it, its type does not
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
                self.note_missing(keys, inner, value, _names(schema))
            return None
        if inner is False:
            return self.note_unknown(keys, _names(schema))
        return self.seek(True if inner is None else inner, value[key], keys, places)

    # Everything -----------------------------------------------------------------------------------

    def check(self, schema: Any, value: Any, keys: Keys) -> None:
        """Note all that breaks a schema, in a value and its parts."""
        here = follow(self.root, schema)
        if self.is_done() or here is True:
            return
        if here is False:
            self.found.append(Problem(keys, "nothing", "a value", "expected nothing"))
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
        broken = keywords.find_broken(schema, value, self.keeps)
        if "uniqueItems" in broken:
            words = "an array of items that are all different"
            self.found.append(Problem(keys, words, "an array", f"expected {words}"))
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
            if self.is_done():
                return None
        return None

    def _check_members(self, schema: Schema, value: dict[str, Any], keys: Keys) -> None:
        for name in schema.get("required", ()):
            if name not in value:
                self.note_missing((*keys, name), child_of(schema, name), value, _names(schema))
        for name, item in value.items():
            inner = child_of(schema, name)
            if inner is False:
                self.note_unknown((*keys, name), _names(schema))
            elif self._check_name(schema, name, (*keys, name)) and inner is not None:
                self.check(inner, item, (*keys, name))
            if self.is_done():
                return

    def _check_name(self, schema: Any, name: str, keys: Keys) -> bool:
        """Whether a member may have its name; notes if not."""
        rule = schema.get("propertyNames") if isinstance(schema, dict) else None
        if rule is None or not self._new().breaks(rule, name):
            return True
        self._note_name(rule, name, keys)
        return False

    def _note_name(self, rule: Any, name: str, keys: Keys) -> None:
        known = wording.join_choices(
            wording.describe(self.root, _as_text(one)) for one in branches_of(self.root, rule)
        )
        words = "another name" if known == "a string" else f"a name that is {known}"
        near = wording.find_nearest(name, self._allowed_values(rule))
        text = f"expected {words}" + ("" if near is None else f"; did you mean {wording.describe_values([near])}?")
        self.found.append(Problem(keys, words, "another name", text))

    def _new(self) -> "_Explainer":
        return _Explainer(self.root, self.members, self.keeps)

    def breaks(self, schema: Any, value: Any) -> bool:
        """Whether there is anything to note."""
        self.check(schema, value, ())
        return bool(self.found)

    def _check_union(self, schema: Schema, value: Any, keys: Keys) -> None:
        choices = branches_of(self.root, {word: schema[word] for word in ("anyOf", "oneOf") if word in schema})
        tried = {id(one): self._try(one, value, keys) for one in choices}
        if not all(tried.values()):
            return
        if self._note_tag(choices, value, keys):
            return
        live = [tried[id(one)] for one in likely_choices(self.root, choices, value)]
        shared = [one for one in live[0] if all(one in found for found in live)] if live else []
        if any(one.keys != keys for one in shared):
            self.found += shared
        else:  # of the value itself, any of the choices would have done
            self.note(keys, {"anyOf": choices}, value)

    def _note_tag(self, choices: list[Any], value: Any, keys: Keys) -> bool:
        """Note that an object has none of the tags by which the choices of a union are told apart, if that is so."""
        live = [one for one in choices if can_hold(one, value)]
        tag = tag_of(self.root, live, value) if isinstance(value, dict) else None
        if tag is None:
            return False
        name, allowed = tag
        if name in value:
            self.note((*keys, name), {"enum": allowed}, value[name])
        else:
            self.note_missing((*keys, name), {"enum": allowed}, value, [name])
        return True

    def _try(self, schema: Any, value: Any, keys: Keys) -> list[Problem]:
        attempt = self._new()
        attempt.steps = self.steps
        attempt.check(schema, value, keys)
        self.steps = attempt.steps
        return attempt.found


def _names(schema: Any) -> list[str]:
    return list(schema.get("properties", ())) if isinstance(schema, dict) else []


def _as_text(schema: Any) -> Any:
    """The schema of a name: a string, which need not be said."""
    return {"type": "string", **schema} if isinstance(schema, dict) and "enum" not in schema else schema
