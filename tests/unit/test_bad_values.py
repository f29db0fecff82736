"""Values that have no JSON form, are inconsistent, or never end: each is refused with its path, and quickly."""

import array
import enum
import time
from collections import deque
from collections.abc import Mapping, Set
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import attrs
import msgspec
import pydantic
import pytest

from plainmcp import (
    Policy,
    PromptResult,
    ResourceResult,
    ToolResult,
    normalize_prompt_result,
    normalize_resource_payload,
    normalize_tool_result,
    types,
)
from plainmcp.errors import NormalizeError
from plainmcp.types import TextContent
from plainmcp.values.rules import MAX_ITEMS
from plainmcp.values.walk import MAX_DEPTH
from returning import Refused, check_sent

SOON = 1.0  # seconds of our own time; it takes milliseconds, and this is to catch what grows without bound

DEEP_LIST = "$" + "[0]" * MAX_DEPTH
DEEP_DICT = "$" + ".a" * MAX_DEPTH
DEEP_NEXT = "$" + ".next" * MAX_DEPTH


def shortened(path):
    return f"{path[:80]}…{path[-60:]}"


def tool(value, policy="standard"):
    return normalize_tool_result(value, policy=policy)


def resource(value, policy="standard"):
    return normalize_resource_payload("memo://1", None, value, policy=policy)


def prompt(value, policy="standard"):
    return normalize_prompt_result(value, policy=policy)


def refusal(normalize, make, policy="standard"):
    """The error for a value of `make`; a new value each time, because some can be read only once."""
    value, start = make(), time.process_time()
    with pytest.raises(NormalizeError) as caught:
        normalize(value, policy)
    assert time.process_time() - start < SOON
    return caught.value


# The values ---------------------------------------------------------------------------------------


def nest(value, depth, around):
    for _ in range(depth):
        value = around(value)
    return value


def holding_itself(value, hold):
    hold(value)
    return value


@dataclass
class Node:
    name: str = ""
    next: Any = None


@attrs.define
class AttrsNode:
    name: str = ""
    next: Any = None


class StructNode(msgspec.Struct):
    name: str = ""
    next: Any = None


class OpenNode(pydantic.BaseModel):
    name: str = ""
    next: Any = None


class ClosedNode(pydantic.BaseModel):
    """One that pydantic's own encoder writes."""

    name: str = ""
    next: "ClosedNode | None" = None


def linked(kind):
    """A node whose next is itself."""
    return lambda: holding_itself(kind(), lambda node: setattr(node, "next", node))


def branching(kind):
    """A node that holds itself twice, and so 2 ** n times after n steps."""
    return lambda: holding_itself(kind(), lambda node: setattr(node, "next", [node, node]))


def branching_list():
    return holding_itself([], lambda value: value.extend([value, value]))


def branching_dict():
    return holding_itself({}, lambda value: value.update(x=value, y=value))


class Twins:
    """Always two more."""

    def __plain__(self):
        return [Twins(), Twins()]


class Mute:
    def __str__(self):
        raise RuntimeError("no words")


class NoText:
    def __str__(self):
        return 5


class Itself:
    def __plain__(self):
        return self


class Another:
    def __plain__(self):
        return Another()


class Failing:
    def __plain__(self):
        raise KeyError("gone")


class BadIterable:
    def __iter__(self):
        raise RuntimeError("no items")


class Lazy(Node):
    """A dataclass one of whose fields has become a property."""

    @property
    def next(self):
        raise RuntimeError("not now")

    @next.setter
    def next(self, value):
        pass


class LazyAttrs(AttrsNode):
    @property
    def next(self):
        raise RuntimeError("not now")

    @next.setter
    def next(self, value):
        pass


class LazyModel(pydantic.BaseModel):
    @pydantic.computed_field
    @property
    def total(self) -> int:
        raise RuntimeError("not now")


class Measure(enum.Enum):
    UNKNOWN = float("nan")


class Colliding(pydantic.BaseModel):
    by: dict[int | str, str] = {1: "a", "1": "b"}


class Liar(Mapping):
    """Has keys it knows nothing about."""

    def __getitem__(self, key):
        raise KeyError(key)

    def __iter__(self):
        return iter(["a", "b"])

    def __len__(self):
        return 2


def on_and_on():
    """Endless as far as we are concerned; it ends so that a failing test does too."""
    yield from range(2 * MAX_ITEMS)
    raise AssertionError("read on and on")


class EndlessMapping(Mapping):
    def __getitem__(self, key):
        return key

    def __iter__(self):
        return on_and_on()

    def __len__(self):
        return 1


class EndlessSet(Set):
    def __contains__(self, item):
        return True

    def __iter__(self):
        return on_and_on()

    def __len__(self):
        return 1


class Grower:
    """Adds to what it is in while it is being read."""

    def __init__(self, grow):
        self.grow = grow

    def __plain__(self):
        self.grow()
        return 0


def growing_dict():
    value = {}
    value["a"] = Grower(lambda: value.update({f"key {len(value)}": 0}))
    return value


def growing_list():
    value = []

    def grow():
        assert len(value) < 2 * MAX_ITEMS, "read on and on"
        value.append(Grower(grow))

    grow()
    return value


def released():
    view = memoryview(b"gone")
    view.release()
    return view


# Refused ------------------------------------------------------------------------------------------

SURROGATE = "a lone surrogate, which no UTF-8 text can hold"
CYCLE = "a cycle: it holds $ again"
TOO_DEEP = "nested more than 100 levels deep"
TOO_LONG = "an integer of more than 4,300 digits"
TOO_MANY = "an iterator that gave more than 1,000,000 items"
NO_FORM = "has no JSON form; give it a __plain__ method or register a serializer"

REFUSED = {
    "a lone surrogate": (lambda: {"names": ["ok", "r\udce9sum\udce9"]}, "$.names[1]", SURROGATE),
    "a lone surrogate by itself": (lambda: "\ud800", "$", SURROGATE),
    "a lone surrogate as a key": (lambda: {"a": {"\ud800": 1}}, "$.a", SURROGATE),
    "NaN": (lambda: {"rows": [{"v": 1.0}, {"v": float("nan")}]}, "$.rows[1].v", "nan is not a JSON number"),
    "Infinity": (lambda: {"a b": float("inf")}, "$['a b']", "inf is not a JSON number"),
    "minus Infinity": (lambda: Node("x", float("-inf")), "$.next", "-inf is not a JSON number"),
    "NaN in a model": (lambda: OpenNode(next=float("nan")), "$.next", "nan is not a JSON number"),
    "NaN in an enum": (lambda: {"e": [Measure.UNKNOWN]}, "$.e[0]", "nan is not a JSON number"),
    "a list in itself": (lambda: holding_itself([], lambda v: v.append(v)), "$[0]", CYCLE),
    "a dict in itself": (lambda: holding_itself({}, lambda v: v.update(me=v)), "$.me", CYCLE),
    "a mapping in itself": (
        lambda: (lambda inner: holding_itself(MappingProxyType(inner), lambda v: inner.update(me=v)))({}),
        "$.me",
        CYCLE,
    ),
    "a cycle below the root": (
        lambda: {"a": [holding_itself({}, lambda v: v.update(b=[v]))]},
        "$.a[0].b[0]",
        "a cycle: it holds $.a[0] again",
    ),
    "a dataclass in itself": (linked(Node), "$.next", CYCLE),
    "an attrs object in itself": (linked(AttrsNode), "$.next", CYCLE),
    "a Struct in itself": (linked(StructNode), "$.next", CYCLE),
    "a list twice in itself": (branching_list, "$[0]", CYCLE),
    "a dict twice in itself": (branching_dict, "$.x", CYCLE),
    "a dataclass twice in itself": (branching(Node), "$.next[0]", CYCLE),
    "an attrs object twice in itself": (branching(AttrsNode), "$.next[0]", CYCLE),
    "101 levels of list": (lambda: nest(0, 101, lambda v: [v]), shortened(DEEP_LIST), TOO_DEEP),
    "101 levels of dict": (lambda: nest(0, 101, lambda v: {"a": v}), shortened(DEEP_DICT), TOO_DEEP),
    "101 levels of dataclass": (lambda: nest(0, 101, lambda v: Node("", v)), shortened(DEEP_NEXT), TOO_DEEP),
    "5,000 levels of list": (lambda: nest(0, 5000, lambda v: [v]), shortened(DEEP_LIST), TOO_DEEP),
    "5,000 levels of tuple": (lambda: nest(0, 5000, lambda v: (v,)), shortened(DEEP_LIST), TOO_DEEP),
    "5,000 levels of dict": (lambda: nest(0, 5000, lambda v: {"a": v}), shortened(DEEP_DICT), TOO_DEEP),
    "5,000 levels of dataclass": (lambda: nest(0, 5000, lambda v: Node("", v)), shortened(DEEP_NEXT), TOO_DEEP),
    "always two more": (Twins, shortened(DEEP_LIST), TOO_DEEP),
    "5,000 digits": (lambda: {"n": 10**5000}, "$.n", TOO_LONG),
    "5,000 digits below zero": (lambda: [[-(10**5000)]], "$[0][0]", TOO_LONG),
    "4,301 digits": (lambda: {"n": 10**4300}, "$.n", TOO_LONG),
    "colliding keys": (lambda: {1: "a", "1": "b"}, "$", "two keys are both '1' in JSON"),
    "colliding keys inside": (
        lambda: [{"d": {True: 1, "true": 2}}],
        "$[0].d",
        "two keys are both 'true' in JSON",
    ),
    "colliding keys in a model": (lambda: [Colliding()], "$[0].by", "two keys are both '1' in JSON"),
    "an object": (lambda: {"o": [object()]}, "$.o[0]", f"object {NO_FORM}"),
    "a function": (lambda: {"f": growing_list}, "$.f", f"function {NO_FORM}"),
    "a __str__ that raises": (
        lambda: {"m": Mute()},
        "$.m",
        "Mute has no JSON form and its __str__ raised RuntimeError",
    ),
    "a __str__ that gives no str": (
        lambda: {"m": NoText()},
        "$.m",
        "NoText has no JSON form and its __str__ raised TypeError",
    ),
    "an attribute that raises": (
        lambda: {"a": [LazyAttrs()]},
        "$.a[0]",
        "converting LazyAttrs raised RuntimeError",
    ),
    "a computed field that raises": (
        lambda: {"m": LazyModel()},
        "$.m",
        "converting LazyModel raised RuntimeError",
    ),
    "an iterable that raises": (
        lambda: {"i": BadIterable()},
        "$.i",
        "converting BadIterable raised RuntimeError",
    ),
    "an endless iterator": (on_and_on, "$", TOO_MANY),
    "an endless iterator inside": (lambda: {"rows": on_and_on()}, "$.rows", TOO_MANY),
    "an endless map": (lambda: {"rows": map(str, on_and_on())}, "$.rows", TOO_MANY),
    "a mapping that lies": (lambda: {"m": Liar()}, "$.m", "converting Liar raised KeyError"),
    "a dict that grows while it is read": (growing_dict, "$", "RuntimeError while it was being read"),
    "a __plain__ that returns itself": (
        lambda: {"p": Itself()},
        "$.p",
        "Itself keeps turning into something else that has to be converted",
    ),
    "a __plain__ that never ends": (
        lambda: {"p": Another()},
        "$.p",
        "Another keeps turning into something else that has to be converted",
    ),
    "a __plain__ that raises": (lambda: {"p": Failing()}, "$.p", "converting Failing raised KeyError"),
    "a set of objects": (lambda: {"s": {object()}}, "$.s[0]", f"object {NO_FORM}"),
    "a set with NaN": (lambda: {"s": {float("nan")}}, "$.s[0]", "nan is not a JSON number"),
    "a view that was released": (lambda: {"v": released()}, "$.v", "ValueError while it was being read"),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("normalize", [tool, resource])
def test_a_bad_value_is_refused_with_its_path(normalize, name):
    make, path, problem = REFUSED[name]
    error = refusal(normalize, make)
    assert (error.path, error.problem) == (path, problem)


@pytest.mark.slow
@pytest.mark.parametrize("name", REFUSED)
def test_no_policy_lets_another_exception_out(name):
    for policy in Policy.profiles:
        for normalize in (tool, resource, prompt):
            value, start = REFUSED[name][0](), time.process_time()
            try:
                normalize(value, policy)
            except NormalizeError as error:
                assert str(error).startswith("$")
            assert time.process_time() - start < SOON


# Where a field takes anything, pydantic goes round once before it notices.
@pytest.mark.parametrize(("kind", "path"), [(OpenNode, "$.next.next"), (ClosedNode, "$.next")])
@pytest.mark.parametrize("normalize", [tool, resource])
def test_a_model_that_holds_itself_is_a_cycle(normalize, kind, path):
    error = refusal(normalize, linked(kind))
    assert (error.path, error.problem) == (path, CYCLE)


@pytest.mark.parametrize("kind", [OpenNode, ClosedNode])
@pytest.mark.parametrize("depth", [101, 5000])
def test_a_chain_of_models_is_too_deep(kind, depth):
    error = refusal(tool, lambda: nest(None, depth, lambda node: kind.model_construct(name="", next=node)))
    assert (error.path, error.problem) == (shortened(DEEP_NEXT), TOO_DEEP)


def test_a_field_that_raises_is_not_left_out():
    """The encoder skips what it cannot read; a row that has silently lost a column is the worst of answers."""
    error = refusal(tool, lambda: {"a": [Lazy("x")]})
    assert (error.path, error.problem) == ("$.a[0]", "converting Lazy raised RuntimeError")


class Sparse(msgspec.Struct, omit_defaults=True):
    note: str | None = None
    value: float = 0.0


class Discreet(pydantic.BaseModel):
    note: str | None = pydantic.Field(default=None, exclude=True)
    value: float = 0.0


@pytest.mark.parametrize("kind", [Sparse, Discreet])
@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_nan_does_not_hide_behind_a_none_that_is_left_out(kind, number):
    for note in (None, "x"):
        error = refusal(tool, lambda note=note: {"rows": [kind(note=note, value=number)]})
        assert (error.path, error.problem) == ("$.rows[0].value", f"{number} is not a JSON number")


@pytest.mark.slow
@pytest.mark.parametrize(
    "make",
    [EndlessMapping, EndlessSet, lambda: range(2 * MAX_ITEMS)],
    ids=["a mapping", "a set", "a range"],
)
def test_what_only_looks_finite_is_bounded_too(make):
    error = refusal(tool, lambda: {"rows": make()})
    assert error.path == "$.rows"
    assert "1,000,000 items" in error.problem


def test_a_list_that_grows_while_it_is_read_is_refused():
    error = refusal(tool, lambda: {"rows": growing_list()})
    assert (error.path, error.problem) == ("$.rows", "a collection that went on after 1 items")


# Content and data together ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("normalize", "value", "path"),
    [
        (tool, [TextContent(text="see"), {"v": float("nan")}], "$[1].v"),
        (tool, [[TextContent(text="see")], [{"v": float("nan")}]], "$[1][0].v"),
        (tool, [{"v": 1}, TextContent(text="\ud800")], "$[1].text"),
        (tool, ("see", {"v": float("nan")}), "$[1].v"),
        (tool, {"content": [{"type": "text", "text": "\ud800"}]}, "$.content[0].text"),
        (tool, {"content": [], "structuredContent": {"v": float("nan")}}, "$.structuredContent.v"),
        (resource, [b"png", {"v": float("nan")}], "$[1].v"),
        (prompt, ["hello", "\ud800"], "$[1]"),
        (prompt, ["hello", {"v": float("nan")}], "$[1].v"),
        (prompt, {"role": "user", "content": {"v": float("nan")}}, "$.content.v"),
    ],
)
def test_the_path_leads_there_from_what_was_returned(normalize, value, path):
    assert refusal(normalize, lambda: value).path == path


def test_content_that_holds_itself_is_a_cycle():
    error = refusal(tool, lambda: holding_itself([TextContent(text="x")], lambda v: v.append(v)))
    assert (error.path, error.problem) == ("$[1]", CYCLE)


def test_content_under_5_000_lists_is_too_deep():
    error = refusal(tool, lambda: nest([TextContent(text="x")], 5000, lambda v: [v]))
    assert (error.path, error.problem) == (shortened(DEEP_LIST), TOO_DEEP)


def test_content_inside_data_is_refused_where_it_stands():
    error = refusal(tool, lambda: {"chart": [TextContent(text="x")]})
    assert error.path == "$.chart[0]"
    assert error.problem == "TextContent is content, not data; return it by itself or in a list of content"


def test_two_keys_that_meet_in_camel_case_are_refused():
    make = lambda: {"first_name": 1, "firstName": 2}  # noqa: E731
    error = refusal(tool, make, "kubernetes")
    assert (error.path, error.problem) == ("$", "two keys are the same in camelCase")


# What an author made by hand -----------------------------------------------------------------------

BAD = "\ud800"


@pytest.mark.parametrize(
    ("normalize", "value"),
    [
        (tool, types.TextContent(text=BAD)),
        (tool, types.TextContent(text="x", _meta={"k": BAD})),
        (tool, types.ResourceLink(uri="a:b", name="x", title=BAD)),
        (tool, types.CallToolResult(content=[], _meta={"k": BAD})),
        (tool, ToolResult("x", {"k": BAD})),
        (resource, {"text": BAD}),
        (resource, {"blob": BAD}),
        (resource, {"text": "x", "_meta": {"k": BAD}}),
        (resource, types.TextResourceContents(uri="a:b", text="x", title=BAD)),
        (resource, types.ReadResourceResult(contents=[types.TextResourceContents(uri="a:b", text=BAD)])),
        (resource, ResourceResult().add_text(BAD)),
        (resource, ResourceResult().add_text("x", title=BAD)),
        (resource, ResourceResult().add_text("x", meta={"k": BAD})),
        (prompt, {"role": "user", "content": {"type": "text", "text": BAD}}),
        (prompt, types.PromptMessage(role="user", content=types.TextContent(text=BAD))),
        (prompt, types.GetPromptResult(messages=[], description=BAD)),
        (prompt, PromptResult(["x"], description=BAD)),
        (prompt, PromptResult(["x"], meta={"k": BAD})),
    ],
)
def test_a_surrogate_is_found_wherever_an_author_put_it(normalize, value):
    """Found later, by the encoder, it would be an error nobody can place, or the end of the server (B-02)."""
    assert refusal(normalize, lambda: value).problem == SURROGATE


@pytest.mark.parametrize(
    ("normalize", "value"),
    [
        (tool, types.TextContent(text=5)),
        (tool, types.TextContent(type="image", text="x")),
        (tool, types.TextContent(text="x", _meta={"k": object()})),
        (tool, types.TextContent(text="x", annotations=types.Annotations(priority=9))),
        (tool, types.TextContent(text="x", annotations=types.Annotations(audience=["everybody"]))),
        (tool, types.ResourceLink(uri="a:b", name="x", size="big")),
        (tool, types.ResourceLink(uri="a:b", name="x", icons=[5])),
        (tool, types.EmbeddedResource(resource="x")),
        (tool, types.CallToolResult(content=[], isError="no")),
        (tool, ToolResult("x", is_error=5)),
        (prompt, types.PromptMessage(role="system", content=types.TextContent(text="x"))),
        (prompt, types.GetPromptResult(messages=[types.PromptMessage(role="system", content="x")])),
        (prompt, {"role": "user", "content": {"type": "text", "text": "x", "_meta": {"k": object()}}}),
        (prompt, PromptResult(["x"], description=5)),
    ],
)
def test_a_word_of_the_protocol_that_breaks_its_schema_is_not_sent(normalize, value):
    refusal(normalize, lambda: value)


# Not so bad ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", [name for name in Policy.profiles if Policy.of(name).unencodable == "replace"])
def test_a_policy_may_replace_what_json_cannot_hold(policy):
    value = {"v": [float("nan"), float("inf"), "r\udce9sum\udce9"]}
    result = normalize_tool_result(value, policy=policy, declared="schema")
    assert result.structuredContent == {"v": [None, None, "r\ufffdsum\ufffd"]}


def test_100_levels_and_4_300_digits_are_fine():
    deep = nest(0, 99, lambda v: [v])
    number = 10**4300 - 1
    assert tool({"deep": deep, "n": number}).structuredContent == {"deep": deep, "n": number}


@pytest.mark.parametrize(
    ("view", "base64"),
    [
        (memoryview(b"abcdef")[::2], "YWNl"),
        (memoryview(b"abcdef")[::-1], "ZmVkY2Jh"),
        (memoryview(array.array("H", [1, 2])), "AQACAA=="),
    ],
)
def test_a_view_of_bytes_that_do_not_lie_together_is_its_bytes(view, base64):
    assert tool(view).content == [TextContent(text=base64)]
    assert tool({"view": view}).structuredContent == {"view": base64}
    assert resource(view).contents[0].blob == base64


def test_a_set_of_things_that_have_no_order_is_ordered():
    """Numbers by size, texts by code point, the rest by its JSON (S001-17)."""
    value = {"b", 2, None, (1, "x"), 10, "B", 1.5, frozenset("zy"), b"a"}
    expected = [1.5, 2, 10, "B", "YQ==", "b", ["y", "z"], [1, "x"], None]
    assert tool({"s": value}).structuredContent == {"s": expected}


class Word:
    def __init__(self, word):
        self.word = word

    def __str__(self):
        return self.word


@pytest.mark.parametrize("many", [list, tuple, set, frozenset, deque, iter])
def test_what_is_only_known_by_its_text_is_text_in_any_collection(many):
    """S000-31: its str() is for reading; nobody said that it is data."""
    result = tool(many([Word("a")]))
    assert result.content == [TextContent(text="a")]
    assert result.structuredContent is msgspec.UNSET
    with pytest.raises(NormalizeError, match=r"^\$\[0\]: Word has no JSON form"):
        normalize_tool_result(many([Word("a")]), declared="schema")


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: float("nan"), "nan is not a JSON number"),
        (lambda: "\ud800", "a lone surrogate, which no UTF-8 text can hold"),
        (lambda: 10**4301, "an integer of more than 4,300 digits"),
    ],
)
def test_a_tool_a_resource_and_a_prompt_say_why_a_value_is_not_sent(make, problem):
    """V47"""
    check_sent(make, Refused(problem))
