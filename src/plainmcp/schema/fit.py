"""The check of a returned value by a hint that allows content or anything: `list`, `str | Image`, `bytes`.

Such a hint has no single schema. A value of it is content, an array whose items are checked one by one, or data that
fits the schema of the other choices. Where a hint allows data only, its JSON is checked, in output_check.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Union, get_args

from ..errors import AuthorError, NormalizeError, OutputError
from ..foreign import classes
from ..policy import Policy
from ..values.encode import Rules
from ..values.payload import call_at
from ..wire import codec
from . import hints, returns, wording
from .generics import class_of
from .output_check import OutputCheck
from .subschemas import Schema

__all__ = ["Fit", "Fitting", "compile"]


class Fitting(NamedTuple):
    """A value that fits; and its JSON, if it is data: an iterator in the value can be read only once."""

    value: Any
    encoded: bytes | None = None


Fit = Callable[[Any], Fitting]
"""Raises OutputError for a value that does not fit a hint."""


def compile(hint: Any, rules: Rules, policy: Policy, started: "dict[Any, _Later] | None" = None) -> Fit | None:
    """The check of values by a hint; None if every value fits.

    An alias may contain itself: `started` has the checks that are being made.

    >>> compile(list[str | bytes], Rules(), Policy.standard)([1])
    Traceback (most recent call last):
    plainmcp.errors.OutputError: $[0]: expected a string or bytes, got an integer
    """
    started = {} if started is None else started
    if not hints.has_hash(hint):  # because of its metadata in Annotated
        return _compile(hint, rules, policy, started)
    if hint in started:
        return started[hint]
    started[hint] = later = _Later()
    later.check = _compile(hint, rules, policy, started)
    return later.check


def _compile(hint: Any, rules: Rules, policy: Policy, started: "dict[Any, _Later]") -> Fit | None:
    content: list[type] = []
    arrays: list[_Array] = []
    data: list[Any] = []
    for choice in hints.choices_of(hint):
        inner = hints.unwrap_all(choice)
        kind = class_of(inner)
        if returns.is_content(kind) or kind in returns.BYTES:
            content.append(kind)
        elif _is_array_of_content(inner):
            arrays.append(_Array(inner, rules, policy, started))
        else:
            data.append(choice)
    if any(kind in returns.BYTES for kind in content):  # their JSON is a text
        data.append(str)
    schema = _schema_of(data, rules)
    if data and not schema:
        return None  # any value, or one of a class whose JSON its author decides
    return _Choices(rules, policy, tuple(content), arrays, schema)


def _is_array_of_content(hint: Any) -> bool:
    """Whether a hint allows arrays, and something else than data in them."""
    try:
        return returns.is_collection(hint) and not (returns.is_data(hint) and not returns.may_hold_content(hint))
    except AuthorError:  # a hint that cannot be read says nothing of its items
        return False


def _schema_of(choices: list[Any], rules: Rules) -> Schema | None:
    """The schema of data of these types; None if nothing is known of it."""
    if not choices:
        return None
    try:
        union = choices[0] if len(choices) == 1 else Union[tuple(choices)]  # noqa: UP007 - at run time
    except TypeError:  # metadata without a hash
        return None
    return returns.data_schema(union, opaque=rules.opaque)


class _Later:
    """The check by a hint inside itself."""

    check: Fit | None = None

    def __call__(self, value: Any) -> Fitting:
        return Fitting(value) if self.check is None else self.check(value)


class _Choices:
    """The check of a value that may be content, an array, or data."""

    def __init__(
        self, rules: Rules, policy: Policy, content: tuple[type, ...], arrays: "list[_Array]", schema: Schema | None
    ) -> None:
        self.rules, self.policy, self.arrays = rules, policy, arrays
        self.content = content
        self.names = {classes.wire_type_of(kind) for kind in content} - {""}
        self.schema = schema
        self.check = None if schema is None else OutputCheck(schema)

    def __call__(self, value: Any) -> Fitting:
        kind = type(value)
        if isinstance(value, self.content) or classes.wire_type_of(kind) in self.names:
            return Fitting(value)
        if kind is dict and value.keys() == {"role", "content"} and self.names & _MESSAGES:
            return Fitting(value)  # a message in the form of the wire
        if self.rules.rule_of(kind).shape == "block":
            raise OutputError("$", self._describe_expected(), classes.wire_type_of(kind) or kind.__name__)
        items = self.rules.items_of(value, self.policy) if self.arrays else None
        if items is None:
            return self._fit_data(value)
        value = value if type(value) is tuple else items  # a pair is a tuple
        try:
            return self._fit_array(value, items)
        except OutputError as problem:
            try:
                return self._fit_data(value)
            except OutputError:
                raise problem from None

    def _fit_array(self, value: Any, items: list[Any]) -> Fitting:
        problem: OutputError | None = None
        for array in self.arrays:
            try:
                return Fitting(type(value)(array(items)))
            except OutputError as error:
                problem = problem or error
        assert problem is not None
        raise problem

    def _fit_data(self, value: Any) -> Fitting:
        try:
            raw = self.rules.encode(value, self.policy)
        except NormalizeError:  # it holds content, or cannot be sent at all: that is decided where it is normalized
            return Fitting(value)
        try:
            if self.check is not None:
                self.check(raw)
                return Fitting(value, raw)
        except OutputError as error:
            if error.path != "$":
                raise
        raise OutputError("$", self._describe_expected(), wording.describe_kind(codec.decode(raw)))

    def _describe_expected(self) -> str:
        names = [classes.wire_type_of(kind) or kind.__name__ for kind in self.content]
        words = [] if self.schema is None else [wording.describe(self.schema, self.schema)]
        return wording.join_choices([*words, *names, *(["an array"] if self.arrays else [])])


_MESSAGES = {"PromptMessage", "Message"}


class _Array:
    """The check of the items of an array: all by one hint, or each by its own."""

    def __init__(self, hint: Any, rules: Rules, policy: Policy, started: dict[Any, _Later]) -> None:
        args = get_args(hint)
        self.is_fixed = issubclass(class_of(hint), tuple) and bool(args) and args[-1] is not ...
        self.checks = [compile(arg, rules, policy, started) for arg in args if arg is not ...] or [None]

    def __call__(self, items: Sequence[Any]) -> list[Any]:
        if self.is_fixed and len(items) != len(self.checks):
            raise OutputError("$", f"{len(self.checks)} items", str(len(items)))
        checks = self.checks if self.is_fixed else self.checks * len(items)
        return [
            item if check is None else _to_item(item, call_at(f"$[{index}]", check, item))
            for index, (item, check) in enumerate(zip(items, checks, strict=True))
        ]


def _to_item(item: Any, fitting: Fitting) -> Any:
    """An item that has been checked: as it is, or as the data that it was encoded as."""
    if fitting.encoded is None or item is None or isinstance(item, (str, int, float)):
        return fitting.value
    return codec.decode(fitting.encoded)
