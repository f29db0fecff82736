"""Typed payloads and their wire contract: `field(metadata={"json": "isDefault"})`, in arguments and in results."""

import dataclasses
import json
from dataclasses import dataclass, field
from typing import Annotated, Any, Generic, NamedTuple, TypedDict, TypeVar

import attrs
import msgspec
import pydantic
import pytest
import typing_extensions
from pydantic import BaseModel, Field

from plainmcp import Context, Policy, Server
from plainmcp.errors import AuthorError
from plainmcp.revisions import REVISIONS
from speaking import client

T = TypeVar("T")

every_revision = pytest.mark.parametrize("revision", list(REVISIONS))


@dataclass
class Payload:
    """One context."""

    is_default: bool = field(metadata={"json": "isDefault"})
    token: str = field(default="hidden", metadata={"json": "-"})
    size: int = 0


@attrs.define
class AttrsPayload:
    """One context."""

    is_default: bool = attrs.field(metadata={"json": "isDefault"})
    token: str = attrs.field(default="hidden", metadata={"json": "-"})
    size: int = 0


@dataclass
class Tree:
    the_name: str = field(metadata={"json": "theName"})
    the_kids: "list[Tree]" = field(default_factory=list, metadata={"json": "theKids"})


@dataclass
class Box(Generic[T]):
    the_item: T = field(metadata={"json": "theItem"})


@dataclass
class Derived(Payload):
    is_default: bool = field(default=False, metadata={"json": "isUsual"})


class Pair(NamedTuple):
    first: Payload
    second: int


class Dictionary(TypedDict):
    payload: Payload


class Structure(msgspec.Struct):
    payload: Payload


class Size(BaseModel):
    size: int = 1


@dataclass
class Around:
    the_size: Size = field(metadata={"json": "theSize"})
    described: Annotated[Payload | None, Field(description="words")] = None


Alias = typing_extensions.TypeAliasType("Alias", "Payload | list[Alias]")  # type: ignore[misc]

BODY = {"isDefault": {"type": "boolean"}, "size": {"type": "integer", "default": 0}}
PAYLOAD = {"type": "object", "description": "One context.", "properties": BODY, "required": ["isDefault"]}
SENT = {
    **PAYLOAD,
    "properties": {"isDefault": {"type": "boolean"}, "size": {"type": "integer"}},
    "required": ["isDefault", "size"],
}


TRUE, FALSE = {"isDefault": True, "size": 0}, {"isDefault": False, "size": 0}


def tool_with(hint: Any, got: list[Any], value: Any = None, **options: Any) -> Server:
    """A server with a tool `take` of one parameter, and a tool `give` that returns a value."""
    server = Server("s", "1", **options)

    def take(it):
        got.append(it)

    def give():
        return value

    take.__annotations__, give.__annotations__ = {"it": hint}, {"return": hint}
    server.tool(take)
    server.tool(output_schema=True)(give)
    return server


@every_revision
@pytest.mark.parametrize("kind", [Payload, AttrsPayload])
def test_a_field_has_its_name_on_the_wire_in_arguments_and_in_results(revision, kind):
    """S2: as a parameter the Python name was listed, and attrs had no names of its own."""
    got: list[Any] = []
    called = client(tool_with(kind, got, kind(True, "secret", 3)), revision)
    give, take = called.list_tools()
    assert take["inputSchema"] == {"type": "object", "properties": {"it": PAYLOAD}, "required": ["it"]}
    assert give.get("outputSchema") == (None if REVISIONS[revision].structured == "none" else SENT)
    assert "isError" not in called.call("take", it={"isDefault": True})
    assert got == [kind(True, "hidden", 0)]
    assert json.loads(called.call("give")["content"][0]["text"]) == {"isDefault": True, "size": 3}


@every_revision
@pytest.mark.parametrize("kind", [Payload, AttrsPayload])
def test_a_field_that_is_kept_off_the_wire_cannot_be_given(revision, kind):
    """S2: a client could set a field hidden with "-", under its Python name."""
    got: list[Any] = []
    called = client(tool_with(kind, got), revision)
    sent = {"isDefault": True, "token": "mine", "-": "mine", "is_default": False}
    assert "isError" not in called.call("take", it=sent)  # as every name that a record does not have
    assert got == [kind(True, "hidden", 0)]
    refused = called.call("take", it={"is_default": True})
    assert refused["content"][0]["text"] == (
        "it.isDefault: missing; it takes true or false; is_default is not known, did you mean isDefault?"
    )


@every_revision
@pytest.mark.parametrize("lenient", [True, False])
@pytest.mark.parametrize(
    ("hint", "value", "sent"),
    [
        (list[Payload], [Payload(True)], [TRUE]),
        (dict[str, Payload], {"a": Payload(True)}, {"a": TRUE}),
        (Payload | Size, Payload(False), FALSE),
        (Payload | list[Payload], [Payload(False)], [FALSE]),
        (Tree, Tree("a", [Tree("b")]), {"theName": "a", "theKids": [{"theName": "b", "theKids": []}]}),
        (Box[Payload], Box(Payload(True)), {"theItem": TRUE}),
        (Box[Tree | int], Box(Tree("a")), {"theItem": {"theName": "a", "theKids": []}}),
        (Derived, Derived(True), {"isUsual": True, "size": 0}),
        (Pair, Pair(Payload(True), 2), [TRUE, 2]),
        (tuple[Payload, int], (Payload(True), 2), [TRUE, 2]),
        (Dictionary, {"payload": Payload(True)}, {"payload": TRUE}),
        (Structure, Structure(Payload(True)), {"payload": TRUE}),
        (Around, Around(Size(size=2), Payload(True)), {"theSize": {"size": 2}, "described": TRUE}),
        (Alias, [Payload(True), [Payload(False)]], [TRUE, [FALSE]]),
        (Annotated[Payload, "words"], Payload(True), TRUE),
        (Annotated[Payload, Field(description="words")], Payload(True), TRUE),
    ],
)  # fmt: skip
def test_names_are_followed_wherever_the_class_stands(revision, hint, value, sent, lenient):
    """S2: nested, in unions, in generic and in recursive classes, beside classes of pydantic."""
    got: list[Any] = []
    server = tool_with(hint, got, value, lenient_arguments=lenient)
    called = client(server, revision)
    assert "isError" not in called.call("take", it=sent)
    assert got == [value]
    result = called.call("give")
    assert "isError" not in result
    if REVISIONS[revision].structured != "none":
        assert result["structuredContent"] in (sent, {"result": sent})
    listed = json.dumps(called.list_tools())
    assert "is_default" not in listed
    assert "token" not in listed


@pytest.mark.parametrize("policy", list(Policy.profiles))
@pytest.mark.parametrize("kind", [Payload, AttrsPayload])
def test_names_are_followed_under_every_policy(policy, kind):
    """S2"""
    got: list[Any] = []
    called = client(tool_with(kind, got, policy=policy), "2026-07-28")
    [take] = [one for one in called.list_tools() if one["name"] == "take"]
    schema = take["inputSchema"]["properties"]["it"]
    assert list(schema["properties"]) == ["isDefault", "size"]
    called.call("take", it={"isDefault": True})
    assert got == [kind(True)]


@every_revision
def test_a_default_is_listed_as_it_would_be_sent(revision):
    """S2: the default of a parameter, and of a field in a class."""

    @dataclass(frozen=True)
    class Inner:
        is_default: bool = field(default=True, metadata={"json": "isDefault"})
        token: str = field(default="hidden", metadata={"json": "-"})

    @dataclass
    class Outer:
        inner: Inner = Inner(False, "secret")

    server, default = Server("s", "1"), Inner(True, "secret")

    @server.tool
    def take(inner: Inner = default, outer: Outer | None = None) -> None: ...

    [tool] = client(server, revision).list_tools()
    inner = {"type": "object", "properties": {"isDefault": {"type": "boolean", "default": True}}}
    properties = tool["inputSchema"]["properties"]
    assert properties["inner"] == {**inner, "required": [], "default": {"isDefault": True}}
    assert properties["outer"]["properties"]["inner"] == {**inner, "required": [], "default": {"isDefault": False}}


@every_revision
def test_prompts_and_forms_use_the_names_on_the_wire(revision):
    """S2"""
    server = Server("s", "1")

    @server.prompt
    def ask(payload: Payload) -> str:
        return repr(payload)

    got = client(server, revision).get_prompt("ask", payload='{"isDefault": true, "token": "mine"}')
    assert got["messages"][0]["content"]["text"] == "Payload(is_default=True, token='hidden', size=0)"


def test_a_form_asks_by_the_names_on_the_wire():
    """S2"""
    asked: list[Any] = []

    def answer(params: Any) -> Any:
        asked.append(params["requestedSchema"]["properties"])
        return {"action": "accept", "content": {"isDefault": True}}

    server = Server("s", "1")

    @server.tool
    def ask(ctx: Context) -> str:
        return repr(ctx.elicit("Which?", Payload).data)

    called = client(server, "2025-11-25", answers={"elicitation/create": answer})
    assert called.call("ask")["content"][0]["text"] == "Payload(is_default=True, token='hidden', size=0)"
    assert asked == [BODY]


# What cannot be followed --------------------------------------------------------------------------


@dataclass
class NoDefault:
    token: str = field(metadata={"json": "-"})


@attrs.define
class NoAttrsDefault:
    token: str = attrs.field(metadata={"json": "-"})


@dataclass
class Twice:
    one: int = field(metadata={"json": "name"})
    name: int = 0


@dataclass
class Empty:
    one: int = field(metadata={"json": ""})


@dataclass
class Mixed:
    one: int = field(default=0, metadata={"json": "theOne"})
    two: Annotated[int, Field(alias="theTwo")] = 0


class Model(BaseModel):
    payload: Payload


class Outer(BaseModel):
    models: "dict[str, Model]" = {}


@pydantic.dataclasses.dataclass
class OfPydantic:
    is_default: bool = dataclasses.field(metadata={"json": "isDefault"})


LOST = "Payload has names for JSON in metadata, which pydantic does not know inside {}; write Field(alias=…) there"


@pytest.mark.parametrize(
    ("hint", "reason"),
    [
        (NoDefault, "NoDefault.token stays off the wire, so it needs a default"),
        (list[NoAttrsDefault], "NoAttrsDefault.token stays off the wire, so it needs a default"),
        (Box[NoDefault], "Box.the_item: NoDefault.token stays off the wire, so it needs a default"),
        (Twice, "Twice.name: another field has the name 'name' in JSON, too"),
        (Empty, "Empty.one: its name in JSON is empty"),
        (Mixed, "Mixed has names for JSON in metadata beside pydantic's Field; write one of them"),
        (Model, LOST.format("Model")),
        (list[Outer] | None, LOST.format("Outer")),
        (OfPydantic, "OfPydantic has names for JSON in metadata, which pydantic does not know; write Field(alias=…)"),
        (Annotated[list[Payload], Field(min_length=1)], "it does not know the names for JSON in Payload"),
    ],
)  # fmt: skip
def test_names_that_cannot_be_followed_are_refused_when_the_tool_is_registered(hint, reason):
    """S2: with the function, the parameter, the class and the field."""

    def forecast(city) -> None: ...

    forecast.__annotations__ = {"city": hint, "return": None}
    with pytest.raises(AuthorError) as raised:
        Server("s", "1").tool(forecast)
    text = str(raised.value)
    assert text.startswith("forecast: parameter city: ")
    assert reason in text


@pytest.mark.parametrize("hint", [Model, list[Outer], OfPydantic, Twice])
@pytest.mark.parametrize("kind", ["tool", "prompt", "resource"])
def test_names_that_would_be_lost_in_results_are_refused_too(hint, kind):
    """S2: pydantic sent the Python names, and what was to stay off the wire."""

    def give(): ...

    give.__annotations__ = {"return": hint}
    server = Server("s", "1")
    register = {"tool": server.tool, "prompt": server.prompt, "resource": server.resource("a://b")}[kind]
    with pytest.raises(AuthorError, match=r"give: the return hint: |Twice\.name: another field"):
        register(give)


def test_metadata_of_other_packages_is_not_a_name():
    """S2: their values are no texts."""

    @dataclass
    class Other:
        one: int = field(metadata={"json": {"alias": "two"}})

    got: list[Any] = []
    called = client(tool_with(Other, got, Other(1)), "2026-07-28")
    called.call("take", it={"one": 1})
    assert got == [Other(1)]
    assert called.call("give")["structuredContent"] == {"one": 1}


def test_a_field_without_a_place_in_the_constructor_needs_no_default():
    """S2: it is set by the class itself."""

    @dataclass
    class Made:
        name: str
        area: int = field(init=False, metadata={"json": "-"})

        def __post_init__(self) -> None:
            self.area = len(self.name)

    got: list[Any] = []
    called = client(tool_with(Made, got, Made("abc")), "2026-07-28")
    called.call("take", it={"name": "abc", "area": 9})
    assert got == [Made("abc")]
    assert got[0].area == 3
    assert called.call("give")["structuredContent"] == {"name": "abc"}


def test_a_private_field_of_attrs_is_sent_if_it_has_a_name_on_the_wire():
    """S2"""

    @attrs.define
    class Private:
        _left: int = attrs.field(metadata={"json": "left"})
        _right: int = 0

    got: list[Any] = []
    called = client(tool_with(Private, got, Private(1, 2)), "2026-07-28")
    called.call("take", it={"left": 3})
    assert got == [Private(3)]
    assert called.call("give")["structuredContent"] == {"left": 1}
