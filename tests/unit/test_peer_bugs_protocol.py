"""Bugs of published packages with messages, which must not be here: one test each, with its number in
docs/contributing/requirements.md (section 4) and the message that shows the bug.
"""

import json
from pathlib import Path
from typing import Any, Literal

import pytest

from plainmcp import Context, ResourceResult, Server
from plainmcp.errors import AuthorError
from speaking import ALL, HANDSHAKE, answer, client, initialize, message

every_revision = pytest.mark.parametrize("revision", ALL)
PNG = b"\x89PNG\r\n\x1a\n"
WAV = b"RIFF\x24\x00\x00\x00WAVEfmt "


def handled(server: Server, said: Any, revision: str = "2025-06-18") -> Any:
    raw = server.handle(said, revision=revision)
    return None if raw is None else json.loads(raw)


def call(server: Server, revision: str, name: str, arguments: Any = None) -> Any:
    return answer(server, revision, "tools/call", {"name": name, "arguments": arguments or {}})


@pytest.fixture
def echo() -> Server:
    server = Server("s")

    @server.tool
    def echo(text: str) -> str:
        return text

    return server


@every_revision
@pytest.mark.parametrize("id", ["abc", "7", "", "é", 7, 0])
def test_b06_an_id_comes_back_as_what_it_was(echo: Server, revision: str, id: Any) -> None:
    found = handled(echo, message(revision, "tools/call", {"name": "echo", "arguments": {"text": "x"}}, id), revision)
    assert found["id"] == id and type(found["id"]) is type(id) and "result" in found


@every_revision
@pytest.mark.parametrize(
    "said", ["{bad json", b"{bad json", b"\xff", "", b"", "[", 5, None, object(), bytearray(b"{")]
)
def test_b07_what_is_no_message_is_answered_and_raises_nothing(echo: Server, revision: str, said: Any) -> None:
    assert handled(echo, said, revision)["error"]["code"] in (-32700, -32600)


def test_b07_one_bad_message_in_a_batch_leaves_the_others_alone(echo: Server) -> None:
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    found = handled(echo, [ping, {"id": 2}, 5, None, ping | {"id": 3}], "2025-03-26")
    assert [one.get("id") for one in found] == [1, 2, None, None, 3]
    assert [one.get("error", {}).get("code") for one in found] == [None, -32600, -32600, -32600, None]


@every_revision
def test_b07_bytes_text_and_data_are_all_taken(echo: Server, revision: str) -> None:
    said = message(revision, "tools/list")
    text = json.dumps(said)
    answers = {echo.handle(one, revision=revision) for one in (said, text, text.encode(), bytearray(text.encode()))}
    assert len(answers) == 1


@every_revision
def test_b08_bad_arguments_are_told_in_words_that_can_be_written(revision: str) -> None:
    server = Server("s")

    @server.tool
    def t(a: int) -> int:
        return a

    found = call(server, revision, "t", {"a": "xyz"})["result"]
    assert (
        found["isError"] is True and "a" in found["content"][0]["text"] and "xyz" not in found["content"][0]["text"]
    )


@every_revision
def test_b09_pictures_and_sounds_are_files_like_others(revision: str, tmp_path: Path) -> None:
    (tmp_path / "x.png").write_bytes(PNG)
    (tmp_path / "x.wav").write_bytes(WAV)
    server = Server("s")
    for name, mime in (("x.png", "image/png"), ("x.wav", "audio/")):
        uri = server.add_file(tmp_path / name)
        [contents] = answer(server, revision, "resources/read", {"uri": uri})["result"]["contents"]
        assert contents["mimeType"].startswith(mime) and contents["blob"] and contents["uri"] == uri


@every_revision
def test_b10_optional_literal_and_any_parameters_can_be_called(revision: str) -> None:
    server = Server("s")

    @server.tool
    def f(x: int | None = None, mode: Literal["a", "b"] = "a", anything: Any = None) -> str:
        return f"{x!r} {mode!r} {anything!r}"

    for arguments, text in (
        ({"x": 3}, "3 'a' None"),
        ({"x": None}, "None 'a' None"),
        ({"mode": "b", "anything": [1]}, "None 'b' [1]"),
        ({}, "None 'a' None"),
    ):
        assert call(server, revision, "f", arguments)["result"]["content"][0]["text"] == text
    assert call(server, revision, "f", {"mode": "c"})["result"]["isError"] is True


@pytest.mark.parametrize("page_size", [None, 50])
@pytest.mark.parametrize("count", [1, 60, 200])
def test_b12_a_promise_is_kept_however_many_tools_there_are(count: int, page_size: int | None) -> None:
    server = Server("s", page_size=page_size)
    wanted = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    for n in range(count):
        server.tool(name=f"t{n:03}", output_schema=wanted)(lambda: {"n": "no"})
        server.tool(name=f"u{n:03}")(lambda: ("text", {"a": 1}))
    for n in (0, count - 1):
        assert call(server, "2025-06-18", f"t{n:03}")["result"]["isError"] is True
        assert call(server, "2025-06-18", f"u{n:03}") == call(server, "2025-06-18", "u000")


@every_revision
def test_b25_a_prompt_that_fails_has_a_code_that_means_something(revision: str) -> None:
    server = Server("s")

    @server.prompt
    def p(a: str) -> str:
        raise ValueError("hunter2")

    assert answer(server, revision, "prompts/get", {"name": "nope"})["error"]["code"] == -32602
    assert answer(server, revision, "prompts/get", {"name": "p"})["error"]["code"] == -32602
    error = answer(server, revision, "prompts/get", {"name": "p", "arguments": {"a": "x"}})["error"]
    assert error["code"] == -32603 and "hunter2" not in error["message"]


@every_revision
def test_b32_a_resource_that_fails_or_is_not_there_is_an_error(revision: str) -> None:
    server = Server("s")

    @server.resource("memo://broken")
    def broken() -> str:
        raise RuntimeError("boom")

    @server.resource("memo://own")
    def own() -> ResourceResult:
        return ResourceResult().add_text("a", uri="memo://own#1").add_text("b", uri="memo://own#2")

    error = answer(server, revision, "resources/read", {"uri": "memo://broken"})["error"]
    assert error["code"] == -32603 and "boom" not in error["message"]
    gone = answer(server, revision, "resources/read", {"uri": "memo://gone"})["error"]
    assert gone["code"] == (-32002 if revision in HANDSHAKE else -32602) and gone["data"] == {"uri": "memo://gone"}
    contents = answer(server, revision, "resources/read", {"uri": "memo://own"})["result"]["contents"]
    assert [one["uri"] for one in contents] == ["memo://own#1", "memo://own#2"]


@every_revision
def test_b33_a_type_error_of_the_handler_s_own_is_not_blamed_on_the_arguments(revision: str) -> None:
    server = Server("s")

    @server.tool
    def t() -> str:
        raise TypeError("internal")

    text = call(server, revision, "t")["result"]["content"][0]["text"]
    assert "internal" not in text and "argument" not in text.lower() and "incident" in text
    assert answer(server, revision, "no/such")["error"]["code"] == -32601


@every_revision
def test_b34_a_tool_that_fails_is_a_result_and_no_traceback_is_sent(revision: str) -> None:
    server = Server("s", policy="serializer")

    @server.tool
    def forty_two() -> Any:
        return 42

    @server.tool
    def broken() -> str:
        raise RuntimeError(f"in {__file__}")

    for name in ("forty_two", "broken"):
        found = call(server, revision, name)["result"]
        assert found["isError"] is True
        assert "Traceback" not in str(found) and ".py" not in str(found)


@every_revision
def test_b35_definitions_have_what_the_protocol_requires(revision: str) -> None:
    server = Server("s", policy="serializer")

    @server.tool(annotations={"readOnlyHint": True})
    def f() -> str:
        return ""

    @server.resource("w://{city}", annotations={"audience": ["user"]})
    def w(city: str) -> str:
        return city

    server.add_link("https://example.com/image.png")
    line = client(server, revision)
    [tool] = line.list_tools()
    assert tool["inputSchema"]["type"] == "object"
    assert tool.get("annotations") == (None if revision == "2024-11-05" else {"readOnlyHint": True})
    assert line.list_templates()[0]["uriTemplate"] == "w://{city}"
    assert line.list_templates()[0]["annotations"]["audience"] == ["user"]
    assert line.list_resources()[0]["name"] == "image.png"


@every_revision
def test_b36_a_template_matches_whole_uris_and_decodes_what_it_finds(revision: str) -> None:
    server = Server("s")

    @server.resource("w/{city}/{day}")
    def w(city: str, day: str) -> str:
        return f"{city}|{day}"

    def read(uri: str) -> Any:
        found = answer(server, revision, "resources/read", {"uri": uri})
        return found["result"]["contents"][0]["text"] if "result" in found else None

    assert read("w/S%C3%A3o%20Paulo/1") == "São Paulo|1"
    for uri in ("weather/zzz", "w/a", "w/a/b/c", "w/a/b/", "xw/a/b", "w//b", "w/a%2Fb/c", "W/a/b"):
        assert read(uri) is None, uri


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_b37_ping_and_null_parameters_are_fine(echo: Server, revision: str) -> None:
    assert handled(echo, {"jsonrpc": "2.0", "id": 1, "method": "ping"}, revision)["result"] == {}
    for params in (None, {}):
        said = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params}
        assert "result" in handled(echo, said, revision)


@every_revision
def test_b37_what_is_wrong_with_a_message_has_the_code_for_it(echo: Server, revision: str) -> None:
    echo.tool(name="none")(lambda: "fine")
    assert "isError" not in answer(echo, revision, "tools/call", {"name": "none", "arguments": None})["result"]
    assert "isError" not in answer(echo, revision, "tools/call", {"name": "none"})["result"]
    assert answer(echo, revision, "tools/list", {"cursor": "x"})["error"]["code"] == -32602
    for said, code in (
        ({"jsonrpc": "1.0", "id": 1, "method": "ping"}, -32600),
        ({"id": 1, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": 1}, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": None}, -32600),
    ):
        assert handled(echo, said, revision)["error"]["code"] == code


def test_b38_a_batch_of_one_is_a_list_of_one_and_an_empty_one_an_error(echo: Server) -> None:
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    assert handled(echo, [ping], "2025-03-26") == [{"jsonrpc": "2.0", "id": 1, "result": {}}]
    assert handled(echo, [], "2025-03-26")["error"]["code"] == -32600


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_b39_initialize_changes_nothing_and_tells_what_is_there_by_then(revision: str) -> None:
    server = Server("s")
    first = handled(server, initialize(revision))["result"]["capabilities"]
    server.tool(name="t")(lambda: None)
    second = handled(server, initialize(revision))["result"]["capabilities"]
    assert "tools" not in first and second == {**first, "tools": {"listChanged": True}}
    assert handled(server, initialize(revision))["result"]["capabilities"] == second


@every_revision
def test_b40_parameters_may_have_any_name_and_handlers_may_be_async(revision: str, tmp_path: Path) -> None:
    server = Server("s")

    @server.tool
    def f(func_name: str, self: str, name: str, arguments: str, function: str, kwargs: str, request: str) -> str:
        return func_name + self + name + arguments + function + kwargs + request

    @server.tool
    async def later(context: str, ctx: Context) -> str:
        return context

    given = dict(func_name="1", self="2", name="3", arguments="4", function="5", kwargs="6", request="7")
    assert call(server, revision, "f", given)["result"]["content"][0]["text"] == "1234567"
    assert call(server, revision, "later", {"context": "x"})["result"]["content"][0]["text"] == "x"
    (tmp_path / "a.txt").write_text("a")
    server.add_file(tmp_path / "a.txt", "own://a")
    read = answer(server, revision, "resources/read", {"uri": "own://a"})["result"]["contents"]
    assert [one["uri"] for one in read] == ["own://a"]
    with pytest.raises(AuthorError):
        server.tool(name="later")(lambda: None)
    assert len(client(server, revision).list_tools()) == 2


@every_revision
@pytest.mark.parametrize("page_size", [None, 1])
def test_b46_an_unknown_tool_and_a_made_up_cursor_are_invalid_params(revision: str, page_size: int | None) -> None:
    server = Server("s", page_size=page_size)
    server.tool(name="t")(lambda: None)
    assert answer(server, revision, "tools/call", {"name": "nope"})["error"]["code"] == -32602
    assert answer(server, revision, "tools/list", {"cursor": "nope"})["error"]["code"] == -32602
