"""The preview of a call: it shows what is really sent, the tool runs once, and it is readable."""

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from plainmcp import Context, Image, Policy, Server, ToolError, ToolResult
from plainmcp.cli import main
from plainmcp.cli import preview as cli_preview
from plainmcp.preview.calls import CallPreview
from plainmcp.preview.copies import with_policy
from plainmcp.revisions import REVISIONS
from plainmcp.testing import Client
from serving import EXAMPLES, served

WEATHER = str(EXAMPLES / "weather.py")
OSLO = '{"city": "Oslo"}'


@dataclass
class Point:
    x_side: int
    name: str | None = None


def offer(server: Server) -> Server:
    """The same tools, whatever the policy of the server."""

    @server.tool
    def text() -> str:
        return "plain"

    @server.tool
    def number() -> int:
        return 4

    @server.tool
    def point() -> Point:
        return Point(1)

    @server.tool
    def points() -> list[Point]:
        return [Point(2, "b"), Point(1, "a")]

    @server.tool(output_schema=False)
    def unpromised() -> list[Point]:
        return [Point(1)]

    @server.tool(output_schema=True)
    def promised() -> list[int]:
        return [1, 2]

    handwritten = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}

    @server.tool(output_schema=handwritten)
    def written(keep: bool = True) -> dict[str, Any]:
        return {"a": 1} if keep else {"b": 1}

    @server.tool(render="table")
    def table() -> list[Point]:
        return [Point(1)]

    @server.tool
    def raw() -> Any:
        return b"\x89PNG\r\n\x1a\n rest"

    @server.tool
    def picture() -> Any:
        return ["before", Image(data=b"\x89PNG\r\n\x1a\n rest"), {"after": True}]

    @server.tool
    def built() -> ToolResult:
        return ToolResult("said", {"a": 1})

    @server.tool
    def nothing() -> None:
        return None

    return server


TOOLS = [feature.key for feature in offer(Server("any")).registry.tools]


@pytest.mark.slow
@pytest.mark.parametrize("to", Policy.profiles)
@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_under_another_policy_is_as_if_registered_with_it(tool: str, to: str) -> None:
    native = offer(Server("any", policy=to))
    for start in ("standard", "fastmcp", "serializer"):
        moved = with_policy(offer(Server("any", policy=start)), Policy.of(to), tool)
        for revision in REVISIONS:
            assert Client(moved, revision).call(tool) == Client(native, revision).call(tool)
            shown, wanted = (
                next(one for one in Client(server, revision).list_tools() if one["name"] == tool)
                for server in (moved, native)
            )
            assert shown.get("outputSchema") == wanted.get("outputSchema")


def test_the_server_itself_is_left_as_it_was() -> None:
    server = offer(Server("any"))
    before = {tool: Client(server).call(tool) for tool in TOOLS}
    listed = Client(server).list_tools()
    for tool in TOOLS:
        with_policy(server, Policy.lean, tool)
    assert {tool: Client(server).call(tool) for tool in TOOLS} == before
    assert Client(server).list_tools() == listed


def test_a_tool_with_a_policy_of_its_own_is_shown_as_its_server_serves_it() -> None:
    server = Server("any", policy=Policy.standard.replace(wrap_key="value"))
    own = Policy.lean.replace(wrap_key="other")
    server.tool(policy=own, name="own")(lambda: [1, 2])
    for bill in cli_preview.preview_server(server, "own", {}, {"own": own}, list(REVISIONS.values())):
        assert bill.result == Client(server, bill.revision).call("own")


def all_bills(server: Server, tool: str, told: Any = None, **arguments: Any) -> list[CallPreview]:
    policies = {name: Policy.of(name) for name in Policy.profiles}
    return cli_preview.preview_server(server, tool, arguments, policies, list(REVISIONS.values()), told)


@pytest.mark.parametrize("tool", TOOLS)
def test_the_bill_is_what_the_wire_carries(tool: str) -> None:
    servers = {policy: offer(Server("any", policy=policy)) for policy in Policy.profiles}
    for bill in all_bills(offer(Server("any")), tool):
        sizes: dict[str, int] = {}

        def weigh(revision: Any, method: str, raw: bytes, sizes: dict[str, int] = sizes) -> None:
            sizes[method] = len(raw)

        result = Client(servers[str(bill.policy)], bill.revision, check=weigh).call(tool)
        assert bill.result == result
        assert bill.blocks == [block["type"] for block in result["content"]]
        assert bill.text == sum(len(block.get("text", "")) for block in result["content"])
        assert (bill.data is None) == ("structuredContent" not in result)
        if bill.data is not None:
            assert json.loads(bill.data) == result["structuredContent"]
        assert abs(bill.bytes - sizes["tools/call"]) <= 1  # the id may be longer


def test_the_tool_runs_once() -> None:
    server = Server("any")
    runs: list[str] = []

    @server.tool
    def plain(ctx: Context) -> str:
        runs.append("plain")
        ctx.progress(1)
        return "done"

    @server.tool
    async def waiting() -> str:
        await asyncio.sleep(0)
        runs.append("waiting")
        return "done"

    @server.tool
    def several() -> Iterator[int]:
        runs.append("several")
        yield from (1, 2)

    @server.tool
    def failing() -> str:
        runs.append("failing")
        raise ToolError("not today")

    @server.tool
    def leaving() -> str:
        runs.append("leaving")
        raise SystemExit(3)

    for name in ("plain", "waiting", "several", "failing", "leaving"):
        told: list[str] = []
        runs.clear()
        made = all_bills(server, name, lambda method, params, told=told: told.append(method))
        assert runs == [name]
        assert told == (["notifications/progress"] if name == "plain" else [])
        assert len(made) == len(REVISIONS) * len(Policy.profiles)
        assert {bill.failed for bill in made if bill.policy == "standard"} == {name in ("failing", "leaving")}
        if name == "several":
            assert {bill.text for bill in made if bill.policy == "standard"} == {2}
        if name == "failing":
            assert {bill.result["content"][0]["text"] for bill in made} == {"not today"}


# How it reads -------------------------------------------------------------------------------------


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(sys, "path", list(sys.path))

    def run(*arguments: str) -> tuple[int, str]:
        capsys.readouterr()
        code = main.main(["preview", *arguments])
        return code, capsys.readouterr().out

    return run


def test_one_revision_and_one_policy(run: Any) -> None:
    code, out = run(WEATHER, "forecast", OSLO, "--revision", "2026-07-28", "--policy", "lean")
    assert code == 0
    assert out.splitlines()[:3] == [
        "policy lean",
        "revision    content  structured content  text  data  bytes  ~tokens",
        "2026-07-28  1 text   3 items              112   112    450       56",
    ]
    assert "the text on 2026-07-28\n 1 | [{" in out


def test_every_policy_has_a_table_and_a_text_is_shown_once(run: Any) -> None:
    code, out = run(WEATHER, "forecast", OSLO, "--policies")
    assert code == 0  # one policy refuses a list; the others do not
    assert re.findall("^policy (.*)$", out, re.MULTILINE) == list(Policy.profiles)
    assert out.count("the text on") == 4
    assert "the text on every revision with standard, openmcp\n" in out
    assert "1 text (error)" in out


def test_a_long_text_is_cut(run: Any) -> None:
    arguments = (WEATHER, "forecast", '{"city": "Oslo", "days": 20}')
    assert run(*arguments)[1].endswith("   … 8 more lines; --full shows all\n")
    assert run(*arguments, "--lines", "19")[1].endswith("   … 1 more line; --full shows all\n")
    assert run(*arguments, "--full")[1].splitlines()[-1].startswith("20 | ")


def test_a_preview_for_machines(run: Any) -> None:
    code, out = run(WEATHER, "forecast", OSLO, "--json")
    found = json.loads(out)
    assert (code, found["tool"], found["arguments"]) == (0, "forecast", {"city": "Oslo"})
    assert [one["revision"] for one in found["results"]] == list(REVISIONS)
    last = found["results"][-1]
    assert last.pop("result")["structuredContent"]["result"][0]["city"] == "Oslo"
    assert last == {
        "policy": "standard",
        "revision": "2026-07-28",
        "blocks": ["text", "text", "text"],
        "shape": "{result: 3 items}",
        "textCharacters": 123,
        "structuredCharacters": 123,
        "bytes": 524,
        "approximateTokens": 62,
    }


def test_a_failure_is_a_one_and_is_shown_once(run: Any, tmp_path: Path) -> None:
    assert run(WEATHER, "forecast", "{}")[0] == 1
    file = tmp_path / "failing_server.py"
    file.write_text(
        "from plainmcp import Policy, Server\n"
        "server = Server('any', policy=Policy.lean.replace(json_style='indent'))\n"
        "@server.tool\ndef fail() -> str:\n    print('running')\n    raise ValueError('no such luck')\n",
        "utf-8",
    )
    command = [sys.executable, "-m", "plainmcp", "preview", str(file), "fail", "--policies"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=20)
    assert done.returncode == 1
    assert done.stdout.startswith("policy of its own\n")
    assert done.stdout.count("the text on") == 1
    assert done.stderr.count("running") == done.stderr.count("ValueError: no such luck") == 1


# Servers elsewhere --------------------------------------------------------------------------------

OFFICIAL = """
from mcp.server import MCPServer
from mcp.types import ToolAnnotations

mcp = MCPServer("official")

@mcp.tool(annotations=ToolAnnotations(readOnlyHint=True))
def add(a: int, b: int) -> int:
    return a + b

if __name__ == "__main__":
    mcp.run()
"""
# It starts in a tenth of the time.
OURS = """
from plainmcp import Server

server = Server("ours")

@server.tool(annotations={"readOnlyHint": True})
def add(a: int, b: int) -> int:
    return a + b

@server.tool
def write() -> str:
    with open("runs.txt", "a") as runs:
        runs.write("ran ")
    return "written"

server.run()
"""
ELSEWHERE = """\
as the server answers, with its own policy: the tool ran once for each line
revision    content  structured content  text  data  bytes  ~tokens
2024-11-05  1 text   {result}               1    12    124        4
2025-03-26  1 text   {result}               1    12    124        4
2025-06-18  1 text   {result}               1    12    124        4
2025-11-25  1 text   {result}               1    12    124        4
2026-07-28  1 text   {result}               1    12    228        4

text and data in characters; bytes of the whole message; ~tokens is (text + data) / 4, which is a rough guess

the text on every revision
 1 | 3
"""


@pytest.mark.slow
def test_the_official_packages_server_is_asked_on_each_revision(run: Any, tmp_path: Path) -> None:
    (tmp_path / "official.py").write_text(OFFICIAL, "utf-8")
    command = f"{sys.executable} {tmp_path / 'official.py'}"
    assert run("--command", command, "add", '{"a": 1, "b": 2}') == (0, ELSEWHERE)


@pytest.mark.slow
def test_one_revision_of_a_command_and_its_failures(run: Any, tmp_path: Path) -> None:
    (tmp_path / "ours.py").write_text(OURS, "utf-8")
    command = f"{sys.executable} {tmp_path / 'ours.py'}"
    code, out = run("--command", command, "add", '{"a": 1, "b": 2}', "--json", "--revision", "2025-06-18")
    [found] = json.loads(out)["results"]
    assert (code, found["policy"], found["revision"]) == (0, None, "2025-06-18")
    assert found["result"]["structuredContent"] == {"result": 3}
    assert run("--command", command, "ad")[0] == 2
    assert run("--command", command, "add", "{}")[0] == 1


@pytest.mark.slow
def test_a_tool_that_may_do_something_runs_several_times_only_if_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ours.py").write_text(OURS, "utf-8")
    preview = ["preview", "--command", f"{sys.executable} ours.py", "write"]
    assert main.main(preview) == 2
    said = capsys.readouterr().err
    assert said.startswith("plainmcp: a remote server runs a tool once for each revision, and write does not say")
    assert "--repeat" in said and "--revision" in said
    assert not (tmp_path / "runs.txt").exists()
    assert main.main([*preview, "--revision", "2025-11-25"]) == 0
    assert (tmp_path / "runs.txt").read_text("utf-8") == "ran "
    assert main.main([*preview, "--repeat"]) == 0
    assert (tmp_path / "runs.txt").read_text("utf-8") == "ran " * 6


@pytest.mark.slow
def test_our_own_server_elsewhere_gives_what_its_file_gives(run: Any) -> None:
    with served("weather") as url:
        code, out = run(url, "forecast", OSLO, "--repeat")
        assert code == 0
        assert out.splitlines()[1:] == run(WEATHER, "forecast", OSLO)[1].splitlines()[1:]
        assert run(url, "forecast", OSLO, "--policies")[0] == run(url, "forecast", OSLO, "--policy", "lean")[0] == 2


OLD = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    answer = {"error": {"code": -32601, "message": "Method not found"}}
    if message["method"] == "initialize":
        info = {"name": "old", "version": "1"}
        answer = {"result": {"protocolVersion": "2024-11-05", "capabilities": {}, "serverInfo": info}}
    if message["method"] == "tools/list":
        answer = {"result": {"tools": [{"name": "say", "inputSchema": {}, "annotations": {"readOnlyHint": True}}]}}
    if message["method"] == "tools/call":
        answer = {"result": {"content": [{"type": "text", "text": "old words"}]}}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)
"""


@pytest.mark.slow
def test_a_revision_that_a_server_does_not_speak_is_named_with_the_reason(run: Any, tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text(OLD, "utf-8")
    command = f"{sys.executable} {tmp_path / 'old.py'}"
    code, out = run("--command", command, "say")
    offered = "the server offers 2024-11-05 instead"
    assert code == 0
    assert re.findall(r"^(\d\S+)  1 text", out, re.MULTILINE) == ["2024-11-05"]
    assert re.findall("^nothing on (.*)$", out, re.MULTILINE) == [
        f"2025-03-26: {offered}",
        f"2025-06-18: {offered}",
        f"2025-11-25: {offered}",
        "2026-07-28: the server answered with error -32601: Method not found",
    ]
    refused = json.loads(run("--command", command, "say", "--json")[1])["refused"]
    assert list(refused) == ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]
    for other in ("2025-06-18", "2026-07-28"):
        assert run("--command", command, "say", "--revision", other) == (3, "")
