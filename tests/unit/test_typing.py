"""What type checkers see of a server: answers have the type of their form, and wrong options are found.

A comment on a line of the example is what both checkers must report: `# is Address` for a type, `# wrong` for an
error. They must report nothing about other lines.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from talking import ROOT

pytestmark = pytest.mark.slow  # it runs type checkers

EXAMPLE = """\
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypedDict

import attrs
import msgspec
import pydantic

from plainmcp import Context, Server

server = Server("typed", version="1.0.0", timeout=5)


@dataclass
class Address:
    city: str


class Model(pydantic.BaseModel):
    city: str


class Typed(TypedDict):
    city: str


class Record(msgspec.Struct):
    city: str


@attrs.define
class Defined:
    city: str


class Color(Enum):
    RED = "red"


@server.tool
def ask(ctx: Context) -> str:
    answer = ctx.elicit("Where?", Address)
    reveal_type(answer.data)  # is Address
    reveal_type(answer.accepted)  # is bool
    reveal_type(ctx.elicit("Where?", Model).data)  # is Model
    reveal_type(ctx.elicit("Where?", Typed).data)  # is Typed
    reveal_type(ctx.elicit("Where?", Record).data)  # is Record
    reveal_type(ctx.elicit("Where?", Defined).data)  # is Defined
    reveal_type(ctx.elicit("How many?", int).data)  # is int
    reveal_type(ctx.elicit("Which?", Color).data)  # is Color
    reveal_type(ctx.elicit("Where?", {"type": "object"}).data)  # is dict
    reveal_type(ctx.elicit_url("There.", "https://a.example").data)  # is None
    print(answer.data.ctiy)  # wrong
    print(ctx.elicit("Where?"))  # wrong
    return answer.data.city if answer.accepted else ctx.sample("?")["role"]


@server.tool(title="Ask later", timeout=3)
async def ask_later(ctx: Context) -> str:
    answer = await ctx.elicit("Where?", Address, key="where")
    reveal_type(answer.data)  # is Address
    reveal_type(await ctx.elicit("How many?", int))  # is Elicited
    reveal_type(await ctx.sample("?"))  # is dict
    reveal_type(await ctx.roots())  # is list
    print(answer.data.ctiy)  # wrong
    return answer.data.city


def who(scope: Any) -> str:
    return "ann"


reveal_type(ask(Context.__new__(Context)))  # is str
server.tool(ask, name="again", annotations={"readOnlyHint": True})
server.tool(titel="Ask")(ask)  # wrong
server.tool(timeout="5")(ask)  # wrong
server.tool("ask")  # wrong
server.prompt(name=3)(ask)  # wrong
server.resource(ask)  # wrong
server.resource()  # wrong
server.resource("memo://1", mimetype="text/plain")  # wrong
server.completion("brief")  # wrong
server.completion("brief", "city", name="cities")  # wrong
server.add_file("notes.md", max_size="1")  # wrong
server.add_directory("docs://", ".", links="inside", hidden=True)
server.add_text_prompt("greeting", "Hello!", role="system")  # wrong
server.connect(3)  # wrong
server.asgi(principal=who, hosts=["a.example"], max_body=1000)
server.asgi(max_body="1000")  # wrong
server.asgi(paths="/mcp")  # wrong
server.wsgi(max_standing=2, stateless=True)
server.wsgi(orgins=[])  # wrong
server.run(http=8000, workers=2, principal=who, uvicorn={"log_level": "info"})
server.run(max_line=1000)
server.run(http=8000.5)  # wrong
server.run(transport="stdio")  # wrong
server.run(host="127.0.0.1")  # wrong
Server("typed", lifespans=None)  # wrong
Server("typed", page_size="9")  # wrong
"""

LINES = dict(enumerate(EXAMPLE.splitlines(), 1))
WRONG = {number for number, line in LINES.items() if line.endswith("# wrong")}
TYPES = {number: line.rpartition("# is ")[2] for number, line in LINES.items() if "# is " in line}

Said = tuple[set[int], dict[int, str]]  # the lines with errors, and the types that were revealed


@pytest.fixture
def example(tmp_path: Path) -> Path:
    example = tmp_path / "example.py"
    example.write_text(EXAMPLE, "utf-8")
    return example


def by_mypy(example: Path) -> Said:
    options = ["--strict", "--output=json", "--config-file=", f"--cache-dir={example.parent / 'cache'}"]
    environment = {**os.environ, "MYPYPATH": str(ROOT / "src")}
    command = [sys.executable, "-m", "mypy", *options, str(example)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert not done.stderr, done.stderr
    return sorted_out(
        (one["line"], one["severity"], one["message"]) for one in map(json.loads, done.stdout.splitlines())
    )


def by_basedpyright(example: Path) -> Said:
    settings = {"extraPaths": [str(ROOT / "src")], "typeCheckingMode": "strict", "include": [example.name]}
    (example.parent / "pyrightconfig.json").write_text(json.dumps(settings), "utf-8")
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--project", str(example.parent)]
    done = subprocess.run([*command, "--pythonpath", sys.executable], capture_output=True, text=True, timeout=300)
    found = json.loads(done.stdout)["generalDiagnostics"]
    return sorted_out((one["range"]["start"]["line"] + 1, one["severity"], one["message"]) for one in found)


def sorted_out(found: Any) -> Said:
    errors, types = set(), {}
    for line, severity, message in found:
        if severity == "error":
            errors.add(line)
        elif shown := re.search(r'(?:Revealed type is|Type of .* is) "(.*)"', message, re.DOTALL):
            types[line] = shown[1]
    return errors, types


@pytest.mark.parametrize("check", [by_mypy, by_basedpyright])
def test_type_checkers_know_what_is_answered_and_which_options_there_are(check: Any, example: Path) -> None:
    errors, types = check(example)
    assert {number: LINES[number] for number in errors ^ WRONG} == {}
    assert types.keys() == TYPES.keys()
    for number, name in TYPES.items():
        assert re.search(rf"\b{name}\b", types[number]), f"{LINES[number]}: {types[number]}"
        assert not re.fullmatch(r"Any|Unknown", types[number])
