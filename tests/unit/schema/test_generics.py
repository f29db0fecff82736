"""Named aliases at the wire: those that contain themselves, generic ones, and those to which there is no end.

`type X = …` is written in a text, because Python 3.11 does not have it; TypeAliasType of typing_extensions is tried
on every version.
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, make_dataclass
from types import ModuleType
from typing import Annotated, Any, Generic, TypeVar, Union

import pytest
from pydantic import BaseModel

from plainmcp import Policy, Server
from plainmcp.errors import AuthorError
from plainmcp.revisions import REVISIONS
from speaking import client

T = TypeVar("T")

STATEMENTS = """
type JSON = str | int | float | bool | None | list[JSON] | dict[str, JSON]
type Tree[T] = T | list[Tree[T]]
type First = int | list[Second]
type Second = str | list[First]
type Nested = list[Nested]
type Pairs[K, V] = dict[K, V | Pairs[K, V]]
type Models = Model | list[Models]
type Boxes = list[Box[Boxes]] | int
type Couple[T] = tuple[T, T]
type Itself = Itself
type Mirror = Glass
type Glass = Mirror | int
type Growing[T] = T | list[Growing[list[T]]]
type Unknown = list[Nowhere]
"""
TEXTS = """
from typing_extensions import TypeAliasType
from typing import TypeVar
T, K, V = TypeVar("T"), TypeVar("K"), TypeVar("V")
JSON = TypeAliasType("JSON", "str | int | float | bool | None | list[JSON] | dict[str, JSON]")
Tree = TypeAliasType("Tree", "T | list[Tree[T]]", type_params=(T,))
First = TypeAliasType("First", "int | list[Second]")
Second = TypeAliasType("Second", "str | list[First]")
Nested = TypeAliasType("Nested", "list[Nested]")
Pairs = TypeAliasType("Pairs", "dict[K, V | Pairs[K, V]]", type_params=(K, V))
Models = TypeAliasType("Models", "Model | list[Models]")
Boxes = TypeAliasType("Boxes", "list[Box[Boxes]] | int")
Couple = TypeAliasType("Couple", tuple[T, T], type_params=(T,))
Itself = TypeAliasType("Itself", "Itself")
Mirror = TypeAliasType("Mirror", "Glass")
Glass = TypeAliasType("Glass", "Mirror | int")
Growing = TypeAliasType("Growing", "T | list[Growing[list[T]]]", type_params=(T,))
Unknown = TypeAliasType("Unknown", "list[Nowhere]")
"""
SPELLINGS = {"TypeAliasType": TEXTS} | ({"type": STATEMENTS} if sys.version_info >= (3, 12) else {})

every_revision = pytest.mark.parametrize("revision", list(REVISIONS))


class Model(BaseModel):
    size: int


@dataclass
class Box(Generic[T]):
    item: T


@pytest.fixture(params=SPELLINGS)
def names(request: pytest.FixtureRequest) -> Iterator[dict[str, Any]]:
    """The aliases by their names, in a module of their own."""
    module = ModuleType("aliases_of_a_test")
    vars(module).update(Model=Model, Box=Box, Annotated=Annotated)
    sys.modules[module.__name__] = module
    exec(SPELLINGS[request.param], vars(module))
    yield vars(module)
    del sys.modules[module.__name__]


def register(names: dict[str, Any], hint: str, returns: bool = False, **options: Any) -> Any:
    """A server with a tool that takes, or that returns, a value of a hint."""
    server = Server("s", "1", **options)

    def tool(it):
        return repr(it)

    def give():
        return VALUES[hint][0]

    function = give if returns else tool
    function.__annotations__ = {"return" if returns else "it": eval(hint, names)}
    server.tool(name="tool", output_schema=returns)(function)
    return server


JSON = {
    "anyOf": [
        {"type": "string"},
        {"type": "integer"},
        {"type": "number"},
        {"type": "boolean"},
        {"type": "array", "items": {"$ref": "#/$defs/JSON"}},
        {"type": "object", "additionalProperties": {"$ref": "#/$defs/JSON"}},
        {"type": "null"},
    ]
}
TREE = {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"$ref": "#/$defs/Tree_int_"}}]}
FIRST = {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"$ref": "#/$defs/Second"}}]}
SECOND = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#/$defs/First"}}]}
SIZE = {"type": "object", "properties": {"size": {"type": "integer"}}, "required": ["size"]}
PAIRS = {
    "type": "object",
    "additionalProperties": {"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/Pairs_str__int_"}]},
}

CASES: dict[str, tuple[Any, Any]] = {
    "JSON": ({"$ref": "#/$defs/JSON"}, {"JSON": JSON}),
    "list[JSON]": ({"type": "array", "items": {"$ref": "#/$defs/JSON"}}, {"JSON": JSON}),
    "dict[str, JSON]": ({"type": "object", "additionalProperties": {"$ref": "#/$defs/JSON"}}, {"JSON": JSON}),
    "JSON | None": ({"anyOf": [{"$ref": "#/$defs/JSON"}, {"type": "null"}]}, {"JSON": JSON}),
    "Annotated[JSON, 'Anything']": ({"description": "Anything", "$ref": "#/$defs/JSON"}, {"JSON": JSON}),
    "Tree[int]": ({"$ref": "#/$defs/Tree_int_"}, {"Tree_int_": TREE}),
    "First": ({"$ref": "#/$defs/First"}, {"First": FIRST, "Second": SECOND}),
    "list[First | Second]": (
        {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/First"}, {"$ref": "#/$defs/Second"}]}},
        {"First": FIRST, "Second": SECOND},
    ),
    "Nested": ({"$ref": "#/$defs/Nested"}, {"Nested": {"type": "array", "items": {"$ref": "#/$defs/Nested"}}}),
    "Pairs[str, int]": ({"$ref": "#/$defs/Pairs_str__int_"}, {"Pairs_str__int_": PAIRS}),
    "Models": (
        {"$ref": "#/$defs/Models"},
        {"Models": {"anyOf": [SIZE, {"type": "array", "items": {"$ref": "#/$defs/Models"}}]}},
    ),
    "Box[JSON]": (
        {"type": "object", "properties": {"item": {"$ref": "#/$defs/JSON"}}, "required": ["item"]},
        {"JSON": JSON},
    ),
    "Boxes": (
        {"$ref": "#/$defs/Boxes"},
        {
            "Boxes": {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/Box_Boxes_"}}, {"type": "integer"}]},
            "Box_Boxes_": {"type": "object", "properties": {"item": {"$ref": "#/$defs/Boxes"}}, "required": ["item"]},
        },
    ),
    "Couple[int]": (
        {
            "type": "array",
            "prefixItems": [{"type": "integer"}, {"type": "integer"}],
            "minItems": 2,
            "maxItems": 2,
            "items": {"type": "integer"},
        },
        None,
    ),
}  # fmt: skip
VALUES: dict[str, tuple[Any, Any, Any, str]] = {  # sent, what the function gets, sent but wrong, and why
    "JSON": ([1, {"a": [None, "x"]}], None, ..., ""),
    "list[JSON]": ([1, {"a": [None, "x"]}], None, {}, "it: expected an array, got an object"),
    "dict[str, JSON]": ({"a": [1, {"b": None}]}, None, [1], "it: expected an object, got an array"),
    "JSON | None": ([[[1.5]]], None, ..., ""),
    "Annotated[JSON, 'Anything']": ("x", None, ..., ""),
    "Tree[int]": ([1, [2, [3]]], None, [1, [2, "x"]], "it[1][1]: expected an integer or an array, got a string"),
    "First": (["x", [1, ["y"]]], None, [1], "it[0]: expected a string or an array, got an integer"),
    "list[First | Second]": ([1, "x", ["y", [2]]], None, [True], "it[0]: expected an integer or"),
    "Nested": ([[], [[]]], None, [[1]], "it[0][0]: expected an array of arrays, got an integer"),
    "Pairs[str, int]": ({"a": 1, "b": {"c": 2}}, None, {"b": {"c": []}}, "it.b.c: expected an integer or an object"),
    "Models": ([{"size": 1}, [{"size": 2}]], [Model(size=1), [Model(size=2)]], [[3]], "it[0][0]: expected an object"),
    "Box[JSON]": ({"item": [1, [2]]}, Box([1, [2]]), {"itm": 1}, "it.item: missing"),
    "Boxes": ([{"item": [{"item": 1}]}], [Box([Box(1)])], [{"item": "x"}], "it[0].item: expected an array"),
    "Couple[int]": ([1, 2], (1, 2), [1], "it: expected an array of 2 integers, got 1"),
}  # fmt: skip


@every_revision
@pytest.mark.parametrize("hint", list(CASES))
def test_a_recursive_alias_is_listed_and_read_as_a_parameter(names, hint, revision):
    """V35: `type JSON = … | list[JSON]` was a raw RecursionError at registration."""
    schema, definitions = CASES[hint]
    called = client(register(names, hint), revision)
    [tool] = called.list_tools()
    assert tool["inputSchema"] == {"type": "object", "properties": {"it": schema}, "required": ["it"]} | (
        {"$defs": definitions} if definitions else {}
    )
    sent, got, wrong, reason = VALUES[hint]
    assert called.call("tool", it=sent)["content"][0]["text"] == repr(sent if got is None else got)
    if wrong is not ...:
        refused = called.call("tool", it=wrong)
        assert refused["isError"]
        assert refused["content"][0]["text"].startswith(reason)


@pytest.mark.parametrize("lenient", [True, False])
@pytest.mark.parametrize("policy", list(Policy.profiles))
@pytest.mark.parametrize("hint", list(CASES))
def test_a_recursive_alias_is_read_under_every_policy(names, hint, policy, lenient):
    """V35"""
    called = client(register(names, hint, policy=policy, lenient_arguments=lenient), "2026-07-28")
    sent, got, *_ = VALUES[hint]
    assert repr(sent if got is None else got) in json.dumps(
        called.call("tool", it=sent)["content"], ensure_ascii=False
    )


@every_revision
@pytest.mark.parametrize("hint", list(CASES))
def test_a_recursive_alias_is_listed_and_checked_as_a_return_hint(names, hint, revision):
    """V35"""
    called = client(register(names, hint, returns=True), revision)
    [tool] = called.list_tools()
    assert ("outputSchema" in tool) == (REVISIONS[revision].structured != "none")
    result = called.call("tool")
    assert "isError" not in result
    if REVISIONS[revision].structured != "none":
        data = result["structuredContent"]
        value = VALUES[hint][0]
        assert data in (value, {"result": value})


@pytest.mark.parametrize("kind", ["tool", "prompt", "template", "return of a tool", "return of a prompt"])
@pytest.mark.parametrize(
    ("hint", "reason"),
    [
        ("Itself", "Itself stands for itself; leave it out, or put it into a list or a dict"),
        ("list[Mirror]", "Mirror stands for itself; leave it out, or put it into a list or a dict"),
        ("Glass | None", "Glass stands for itself; leave it out, or put it into a list or a dict"),
        ("Unknown", "Unknown cannot be resolved: name 'Nowhere' is not defined"),
        ("Growing[int]", "contains itself"),
        ("Box[Growing[int]]", "contains itself"),
    ],
)
def test_an_alias_without_an_end_is_refused_with_its_function_and_parameter(names, hint, reason, kind):
    """V35: no raw RecursionError, and nothing that never ends."""

    def forecast(city): ...

    def give(): ...

    server, function = Server("s", "1"), give if kind.startswith("return") else forecast
    function.__annotations__ = {"return" if function is give else "city": eval(hint, names)}
    register = {"tool": server.tool, "template": server.resource("weather://{city}")}.get(
        kind.split()[-1], server.prompt
    )
    with pytest.raises(AuthorError) as raised:
        register(function)
    text = str(raised.value)
    assert text.startswith("give: the return hint: " if function is give else "forecast: ")
    assert ("city" in text) == (function is forecast)
    assert reason in text


@dataclass
class Chain(Generic[T]):
    item: T
    rest: "Chain[list[T]] | None" = None


def test_a_class_without_an_end_is_refused_too():
    """V35: a generic dataclass that contains itself with ever other types."""

    def take(it: Chain[int]) -> None: ...

    with pytest.raises(AuthorError) as raised:
        Server("s", "1").tool(take)
    assert str(raised.value).startswith("take: parameter it: Chain.rest: ")
    assert str(raised.value).endswith("Chain contains itself with ever other type arguments, without an end")


def test_a_union_that_names_itself_in_a_text_is_refused_with_what_to_write():
    """V35: Python does not resolve the name, so there is nothing to read it by."""
    values = Union[int, list["Values"]]  # type: ignore[name-defined]  # noqa: F821, UP007

    def take(it: values) -> None: ...  # type: ignore[valid-type]

    with pytest.raises(AuthorError) as raised:
        Server("s", "1").tool(take)
    assert str(raised.value).startswith("take: the hint of it")


@pytest.mark.parametrize("hint", ["Unknown", "list[Unknown]", "Unknown | int"])
def test_a_field_with_an_alias_of_an_unknown_name_is_refused_as_an_argument_and_any_in_a_result(names, hint):
    """Y: from Python 3.12 on the value of an alias is evaluated when it is read; that was a raw NameError."""
    crate = make_dataclass("Crate", [("it", eval(hint, names))])

    def take(crate): ...

    def give():
        return crate([1])

    take.__annotations__, give.__annotations__ = {"crate": crate}, {"return": crate}
    server = Server("s", "1")
    with pytest.raises(AuthorError) as raised:
        server.tool(take)
    assert str(raised.value) == "take: parameter crate: Unknown cannot be resolved: name 'Nowhere' is not defined"
    server.tool(give)
    called = client(server, "2026-07-28").call("give")
    assert [json.loads(block["text"]) for block in called["content"]] == [{"it": [1]}]


@every_revision
def test_a_value_of_a_recursive_alias_may_be_as_deep_as_a_message(names, revision):
    """V35: and what is deeper is refused, not a failure."""
    called = client(register(names, "JSON"), revision)
    deep: Any = 1
    for _ in range(100):
        deep = [deep, {"a": deep}] if _ % 20 == 0 else [deep]
    assert called.call("tool", it=deep)["content"][0]["text"] == repr(deep)


def test_a_set_of_a_recursive_tuple_can_be_read(names):
    """V35: whether its items have a hash was asked without an end."""
    exec("from typing_extensions import TypeAliasType\nKeys = TypeAliasType('Keys', 'int | tuple[Keys, ...]')", names)
    server = Server("s", "1")

    def tool(it):
        return repr(it)

    tool.__annotations__ = {"it": eval("set[Keys]", names)}
    server.tool(tool)
    called = client(server, "2026-07-28").call("tool", it=[[1, [2]]])
    assert called["content"][0]["text"] == "{(1, (2,))}"


@pytest.mark.parametrize("package", ["fastmcp", "mcp", "openmcp"])
@pytest.mark.parametrize("hint", ["JSON", "Tree[int]", "Nested", "Models", "Couple[int]"])
def test_the_facades_take_and_return_recursive_aliases(names, hint, package):
    """V35: both packages take them."""
    if package == "fastmcp":
        from plainmcp.compat.fastmcp import FastMCP as Facade
    elif package == "mcp":
        from plainmcp.compat.mcp.server.fastmcp import FastMCP as Facade  # type: ignore[assignment]
    else:
        from plainmcp.compat.openmcp import MCPServer as Facade  # type: ignore[assignment]
    server: Any = Facade("s")
    sent, got, *_ = VALUES[hint]

    def take(it) -> str:
        return repr(it)

    def give():
        return sent

    take.__annotations__["it"] = give.__annotations__["return"] = eval(hint, names)
    for function in (take, give):
        if package == "openmcp":
            from plainmcp.compat.openmcp import tool

            server.collect(tool()(function))
        else:
            server.tool()(function)
    called = client(server, "2025-06-18")
    assert repr(sent if got is None else got) in called.call("take", it=sent)["content"][0]["text"]
    assert "isError" not in called.call("give") or not called.call("give")["isError"]
