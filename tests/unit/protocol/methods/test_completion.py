"""Suggestions for the arguments of prompts and the variables of templates, at the wire."""

import enum
import typing
from typing import Annotated, Any, Literal

import msgspec
import pytest
import typing_extensions
from pydantic import Field

from plainmcp import Server
from plainmcp.revisions import REVISIONS
from plainmcp.testing import Client, RpcError
from speaking import client

every_revision = pytest.mark.parametrize("revision", list(REVISIONS))


class Style(enum.Enum):
    SHORT = "short"
    LONG = "long"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 10


class Mixed(enum.Enum):
    ONE = 1
    HALF = 0.5
    YES = False
    NONE = None


Named = typing_extensions.TypeAliasType("Named", Literal["a", "b"])


def suggestions(called: Client, argument: str, typed: str = "", **ref: str) -> dict[str, Any]:
    """The completion of one argument: of the prompt `it`, or of a template."""
    ref = {"type": "ref/resource", **ref} if ref else {"type": "ref/prompt", "name": "it"}
    params = {"ref": ref, "argument": {"name": argument, "value": typed}}
    return called.request("completion/complete", params)["completion"]


def prompt_with(hint: Any, got: list[Any] | None = None) -> Server:
    """A server with a prompt of one argument."""
    server = Server("s", "1")

    def it(arg):
        (got if got is not None else []).append(arg)
        return "done"

    it.__annotations__ = {"arg": hint}
    server.prompt(it)
    return server


@every_revision
@pytest.mark.parametrize(
    ("hint", "texts"),
    [
        (Literal["a", "b"], ["a", "b"]),
        (Literal["a", "b"] | None, ["a", "b"]),
        (Literal[1, None, True, "a"], ["a"]),  # a tool takes 1, but a text stands for itself where there are texts
        (Literal[1, None, False], ["1", "false"]),
        (typing.Optional[Style], ["short", "long"]),  # noqa: UP045
        (Literal[Style.LONG], ["long"]),
        (Style | Literal["other"], ["short", "long", "other"]),
        (Literal["known"] | str, ["known"]),
        (Level, ["1", "10"]),
        (Mixed, ["1", "0.5", "false"]),
        (bool, ["true", "false"]),
        (bool | None, ["true", "false"]),
        (Annotated[Literal["a", "b"], "A letter"], ["a", "b"]),
        (Annotated[Literal["a", "b"], Field(description="A letter")], ["a", "b"]),
        (Annotated[Level | None, Field(description="How high")], ["1", "10"]),
        (Annotated[Style, msgspec.Meta(description="A style")], ["short", "long"]),
        (typing.NewType("Chosen", Style), ["short", "long"]),
        (Named, ["a", "b"]),
        (list[Named], []),
        (int, []),
        (Any, []),
    ],
)
def test_the_choices_of_a_hint_are_suggested_and_each_of_them_is_accepted(revision, hint, texts):
    """V42: the choices of a Literal, an enum or a boolean were known, and not offered."""
    got: list[Any] = []
    called = client(prompt_with(hint, got), revision)
    if texts:
        assert suggestions(called, "arg") == {"values": texts, "total": len(texts), "hasMore": False}
    else:
        with pytest.raises(RpcError, match="this server completes nothing"):
            suggestions(called, "arg")
    for text in texts:
        called.get_prompt("it", arg=text)
    assert len(got) == len(texts)
    assert all(type(value) is not str or value in texts for value in got)


@every_revision
def test_suggestions_are_announced_where_the_revision_has_a_capability_for_them(revision):
    """V42"""

    def announced(server: Server) -> Any:
        called = client(server, revision)
        result = called.request("server/discover") if revision == "2026-07-28" else called.initialized
        return result["capabilities"].get("completions")

    assert announced(prompt_with(Literal["a", "b"])) == ({} if REVISIONS[revision].completions else None)
    assert announced(prompt_with(str)) is None


@every_revision
def test_choices_that_begin_with_the_typed_text_come_before_those_that_have_it_inside(revision):
    """V42: upper and lower case are the same; the order is that of the hint."""
    called = client(prompt_with(Literal["Claude", "GPT", "gemini", "old gpt", "Llama"]), revision)
    assert suggestions(called, "arg", "G")["values"] == ["GPT", "gemini", "old gpt"]
    assert suggestions(called, "arg", "gpt")["values"] == ["GPT", "old gpt"]
    assert suggestions(called, "arg", "nope") == {"values": [], "total": 0, "hasMore": False}


def test_of_many_choices_a_hundred_are_suggested_at_a_time():
    """V42, COMP-02"""
    names = tuple(f"n{number}" for number in range(150))
    called = client(prompt_with(Literal[names]), "2026-07-28")
    assert suggestions(called, "arg") == {"values": list(names[:100]), "total": 150, "hasMore": True}
    assert suggestions(called, "arg", "n14")["values"] == ["n14", *(f"n14{digit}" for digit in range(10))]


@every_revision
def test_the_variables_of_a_template_are_completed_by_their_hints_too(revision):
    """V42"""
    server = Server("s", "1")

    @server.resource("report://{style}/{day}{?full}")
    def report(style: Style, day: int, full: bool = False) -> str:
        return repr((style, day, full))

    called, uri = client(server, revision), "report://{style}/{day}{?full}"
    assert suggestions(called, "style", "l", uri=uri)["values"] == ["long"]
    assert suggestions(called, "full", uri=uri)["values"] == ["true", "false"]
    assert suggestions(called, "day", uri=uri)["values"] == []
    assert called.read("report://long/3?full=true")["contents"][0]["text"] == "(<Style.LONG: 'long'>, 3, True)"


@pytest.mark.parametrize("first", ["prompt", "completion"])
def test_a_function_of_the_author_outranks_the_choices_of_a_hint(first):
    """V42: whichever of the two is registered first; and it may suggest nothing."""
    server = Server("s", "1")

    def it(arg: Literal["a", "b"]) -> str:
        return arg

    def complete(typed: str) -> list[str]:
        return ["own"] if typed else []

    if first == "prompt":
        server.prompt(it)
    server.completion("it", "arg")(complete)
    if first == "completion":
        server.prompt(it)
    called = client(server, "2026-07-28")
    assert suggestions(called, "arg", "a")["values"] == ["own"]
    assert suggestions(called, "arg")["values"] == []


def test_choices_follow_their_prompt_when_it_is_mounted_replaced_disabled_and_removed():
    """V42"""
    inner, outer = prompt_with(Literal["a", "b"]), Server("outer", "1")
    outer.mount(inner, prefix="in")
    called = client(outer, "2026-07-28")

    def mounted() -> list[str]:
        params = {"ref": {"type": "ref/prompt", "name": "in_it"}, "argument": {"name": "arg", "value": ""}}
        return called.request("completion/complete", params)["completion"]["values"]

    assert mounted() == ["a", "b"]

    @inner.prompt(name="it", replace=True)
    def other(arg: Literal["c"]) -> str:
        return arg

    assert mounted() == ["c"]
    outer.disable(names=["in_it"])
    with pytest.raises(RpcError, match="Unknown prompt: in_it"):
        mounted()
    inner.remove_prompt("it")
    with pytest.raises(RpcError, match="this server completes nothing"):
        mounted()


def test_the_choices_of_a_prompt_are_as_secret_as_the_prompt():
    """V42: who may not see a prompt is not told its choices."""
    server = Server("s", "1")

    @server.prompt(visible=lambda principal: principal == "ada")
    def it(arg: Literal["a", "b"]) -> str:
        return arg

    assert suggestions(Client(server, principal="ada"), "arg")["values"] == ["a", "b"]
    with pytest.raises(RpcError, match="Unknown prompt: it"):
        suggestions(Client(server, principal="eve"), "arg")
