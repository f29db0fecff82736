"""Questions of a server: answered by --answer, or by the person at the terminal."""

import io
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from plainmcp.cli.answers import Answers, parse_answer
from plainmcp.cli.arguments import UsageError
from plainmcp.revisions import REVISIONS
from talking import Program, on_a_terminal, until

ASKING = """
from dataclasses import dataclass
from typing import Literal
from plainmcp import Context, Server
server = Server("asking")

@dataclass
class Order:
    dish: Literal["soup", "salad"]
    portions: int = 1

@server.tool
def order(ctx: Context) -> str:
    first = ctx.elicit("What may it be?", Order)
    if not first.accepted:
        return first.action
    sure = ctx.elicit(f"{first.data.portions} {first.data.dish}?", bool)
    return f"{first.data} {sure.data}"

@server.tool
def think(ctx: Context) -> str:
    return ctx.sample("Two and two?", max_tokens=5)["content"]["text"]
"""
FORM = {
    "message": "Who?",
    "requestedSchema": {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "age": {"type": "integer", "minimum": 0, "maximum": 150},
            "size": {"type": "string", "oneOf": [{"const": "s", "title": "Small"}, {"const": "l", "title": "Large"}]},
            "tags": {"type": "array", "items": {"type": "string"}},
            "member": {"type": "boolean", "default": True},
        },
        "required": ["name", "age"],
    },
}
ONE = {"message": "How many?", "requestedSchema": {"type": "object", "properties": {"value": {"type": "integer"}}}}
ELICIT = "elicitation/create"


@pytest.fixture
def asking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    file = tmp_path / "asking_server.py"
    file.write_text(ASKING, "utf-8")
    return str(file)


@pytest.mark.parametrize("revision", [name for name in REVISIONS if name >= "2025-06-18"])
def test_questions_are_answered_in_their_order(run: Any, asking: str, revision: str) -> None:
    answers = ("--answer", '{"dish": "soup", "portions": 2}', "--answer", "true", "--policy", "lean")
    code, out, _ = run("call", asking, "order", *answers, "--revision", revision)
    assert (code, out) == (0, "Order(dish='soup', portions=2) True\n")


def test_a_question_is_declined_by_a_word(run: Any, asking: str) -> None:
    assert run("call", asking, "order", "--answer", "decline", "--policy", "lean")[:2] == (0, "decline\n")


def test_a_model_is_asked_for_a_text(run: Any, asking: str) -> None:
    assert run("call", asking, "think", "--answer", "four", "--policy", "lean")[:2] == (0, "four\n")


def test_a_question_without_an_answer_is_a_two(run: Any, asking: str) -> None:
    code, out, err = run("call", asking, "order", "--answer", '{"dish": "soup"}')
    assert (code, out) == (2, "")
    assert err == "plainmcp: the server asked '1 soup?', and there is no --answer JSON left for it\n"
    code, _, err = run("call", asking, "order", "--answer", "soup")
    assert (code, err) == (
        2,
        "plainmcp: --answer 'soup' is not a JSON object with dish, portions, and not decline or cancel\n",
    )


def test_without_answers_the_error_names_the_option(run: Any, asking: str) -> None:
    code, out, err = run("call", asking, "order")
    assert (code, out) == (2, "")
    assert "this needs the client capability elicitation.form" in err
    assert err.endswith("; answer what the server asks with --answer JSON\n")


@pytest.mark.parametrize(
    ("value", "params", "result"),
    [
        ({"name": "Ada"}, FORM, {"action": "accept", "content": {"name": "Ada"}}),
        (3, ONE, {"action": "accept", "content": {"value": 3}}),
        ("accept", FORM, {"action": "accept", "content": {}}),
        ("cancel", ONE, {"action": "cancel"}),
        ("accept", {"url": "https://a.example"}, {"action": "accept"}),
        ("decline", {"url": "https://a.example"}, {"action": "decline"}),
    ],
)
def test_a_value_answers_a_form_or_an_address(value: Any, params: dict[str, Any], result: dict[str, Any]) -> None:
    assert Answers([value], is_interactive=False).answer(ELICIT, params) == result


@pytest.mark.parametrize(
    ("text", "value"), [("decline", "decline"), ('{"a": 1}', {"a": 1}), ("3", 3), ("plain words", "plain words")]
)
def test_an_answer_is_json_or_a_text(text: str, value: Any) -> None:
    assert parse_answer(text) == value


@pytest.mark.parametrize("text", ['{"dish": "soup"', "[1,", '"soup'])
def test_an_answer_that_starts_as_json_is_json(run: Any, asking: str, text: str) -> None:
    code, out, err = run("call", asking, "order", "--answer", text)
    assert (code, out) == (2, "")
    assert err.startswith(f"plainmcp: --answer: {text!r} is not JSON: ")


def test_other_questions_are_not_answered() -> None:
    answers = Answers(["x"], is_interactive=True)
    assert answers.answer("roots/list", {}) is None
    answers.check()


def test_nothing_can_be_answered_without_a_value_and_a_person() -> None:
    answers = Answers(is_interactive=False)
    assert answers.capabilities == {}
    assert answers.answer(ELICIT, ONE) == {"action": "cancel"}
    with pytest.raises(UsageError, match=r"asked 'How many\?'"):
        answers.check()


def ask_person(typed: str, params: dict[str, Any], monkeypatch: pytest.MonkeyPatch, method: str = ELICIT) -> Any:
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    return Answers(is_interactive=True).answer(method, params)


def test_a_person_fills_in_each_field(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    typed = "\nAda\nold\n200\n36\nMedium\nLarge\na, b\n\n"
    assert ask_person(typed, FORM, monkeypatch) == {
        "action": "accept",
        "content": {"name": "Ada", "age": 36, "size": "l", "tags": ["a", "b"], "member": True},
    }
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("Who?\n(an empty line skips a field, Ctrl-D declines)\n  name (string, required): ")
    assert shown.err.count("that does not fit") == 4


def test_a_person_skips_declines_and_consents(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ask_person("\n", ONE, monkeypatch) == {"action": "accept", "content": {}}
    assert ask_person("", ONE, monkeypatch) == {"action": "decline"}
    url = {"message": "Log in", "url": "https://a.example"}
    assert ask_person("y\n", url, monkeypatch) == {"action": "accept"}
    assert ask_person("\n", url, monkeypatch) == {"action": "decline"}
    message = {"messages": [{"role": "user", "content": {"type": "text", "text": "2 + 2?"}}]}
    result = ask_person("four\n", message, monkeypatch, "sampling/createMessage")
    assert result["content"] == {"type": "text", "text": "four"}


@pytest.mark.slow
@pytest.mark.parametrize("way", ["file", "url"])
def test_questions_are_asked_on_a_terminal(asking: str, way: str) -> None:
    with Program("-m", "plainmcp", "serve", asking, "--http", "127.0.0.1:0") as program:
        url = until(lambda: re.search(rb"serving MCP at (\S+)\n", program.stderr))[1].decode()
        target = {"file": asking, "url": url}[way]
        code, shown = on_a_terminal("call", target, "order", typed=b"salad\n\ny\n", has_colours=False)
    assert code == 0
    assert 'dish ("soup" or "salad", required): ' in shown
    assert "Order(dish='salad', portions=1) True" in shown


OFFICIAL = """
from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel

mcp = MCPServer("official")

class Name(BaseModel):
    name: str

@mcp.tool()
async def greet(ctx: Context, times: int) -> str:
    answer = await ctx.elicit(message="Who?", schema=Name)
    return " ".join([answer.data.name] * times) if answer.action == "accept" else answer.action

@mcp.resource("greeting://all")
def greetings() -> str:
    return "hello, hi"

@mcp.prompt()
def ask(name: str) -> str:
    return f"Who is {name}?"

if __name__ == "__main__":
    mcp.run()
"""


@pytest.mark.slow
def test_a_server_by_the_official_package_asks_on_its_pipes(run: Any, tmp_path: Path) -> None:
    (tmp_path / "official.py").write_text(OFFICIAL, "utf-8")
    target = ["--command", f"{sys.executable} {tmp_path / 'official.py'}"]
    code, out, _ = run("call", *target, "greet", "times=2", "--answer", '{"name": "Ada"}')
    assert (code, out.splitlines()[0]) == (0, "Ada Ada")
    assert run("call", *target, "greet", "times=2", "--answer", "decline")[1].splitlines()[0] == "decline"
    assert run("read", *target, "greeting://all")[:2] == (0, "hello, hi\n")
    assert run("prompt", *target, "ask", "name=Ada")[:2] == (0, "user\n  Who is Ada?\n")
    assert run("call", *target, "great", "times=1")[0] == 2
    assert run("list", *target)[0] == 0
