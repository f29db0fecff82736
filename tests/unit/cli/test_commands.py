"""read, prompt, completion and --save; the options that say who calls, and how long to wait."""

import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import posting
from plainmcp.cli import main
from serving import EXAMPLES, served

WEATHER = str(EXAMPLES / "weather.py")
LIBRARY = """
import time
from plainmcp import Context, File, Image, Server
server = Server("library")

@server.resource("library://text")
def text() -> str:
    return "plain text"

@server.resource("library://picture", mime_type="image/png")
def picture() -> bytes:
    return b"\\x89PNG\\r\\n\\x1a\\n rest"

@server.resource("library://books/{title}")
def book(title: str) -> str:
    return f"the book {title}"

@server.completion("library://books/{title}", "title")
def titles(text: str) -> list[str]:
    return [one for one in ("Emma", "Evelina", "Ulysses") if one.startswith(text)]

@server.prompt
def review(title: str, tone: str = "calm") -> str:
    return f"Review {title}, in a {tone} tone."

@server.completion("review", "tone")
def tones(text: str, others: dict[str, str]) -> list[str]:
    return [f"{text}-{others.get('title', 'nothing')}"]

@server.tool
def paint() -> list[object]:
    png = b"\\x89PNG\\r\\n\\x1a\\n"
    return ["two", Image(data=png + b" rest"), Image(data=png + b" more")]

@server.tool(requires="books:write")
def write() -> str:
    return "written"

@server.tool
def whoami(ctx: Context) -> str:
    return str(getattr(ctx.principal, "subject", ctx.principal))

@server.tool
def sleep(ctx: Context, rounds: int = 1) -> str:
    for done in range(rounds):
        time.sleep(0.3)
        ctx.progress(done + 1, rounds)
    return "awake"
"""


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    file = tmp_path / "library_server.py"
    file.write_text(LIBRARY, "utf-8")
    return str(file)


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main.main(["--version"])
    assert (left.value.code, capsys.readouterr().out) == (0, "plainmcp 0.1.0\n")


# Read, prompt, completion -------------------------------------------------------------------------


def test_a_resource_is_read(run: Any, library: str) -> None:
    assert run("read", library, "library://text") == (0, "plain text\n", "")
    assert run("read", library, "library://books/Emma") == (0, "the book Emma\n", "")
    assert run("read", library, "library://picture")[1] == "[resource library://picture, image/png, 13 bytes]\n"
    code, out, _ = run("read", library, "library://text", "--json", "--revision", "2025-11-25")
    contents = [{"uri": "library://text", "mimeType": "text/plain", "text": "plain text"}]
    assert (code, json.loads(out)) == (0, {"contents": contents})
    code, out, err = run("read", library, "library://gone")
    assert (code, out) == (3, "")
    assert err.endswith("Resource not found\n")


def test_a_prompt_is_shown_by_its_messages(run: Any, library: str) -> None:
    code, out, _ = run("prompt", library, "review", "title=Emma", "tone=loud")
    assert (code, out) == (0, "user\n  Review Emma, in a loud tone.\n")
    code, out, _ = run("prompt", library, "review", '{"title": "Emma"}', "--json")
    assert json.loads(out)["messages"][0]["content"]["text"] == "Review Emma, in a calm tone."
    assert run("prompt", library, "reviews")[::2] == (
        2,
        "plainmcp: there is no prompt 'reviews'; did you mean review?\n",
    )
    assert run("prompt", library, "review")[0] == 3


def test_an_argument_is_completed(run: Any, library: str) -> None:
    assert run("completion", library, "library://books/{title}", "title=E") == (0, "Emma\nEvelina\n", "")
    assert run("completion", library, "review", "tone=soft", "title=Emma")[:2] == (0, "soft-Emma\n")
    code, out, _ = run("completion", library, "review", "tone=x", "--json", "--revision", "2025-11-25")
    assert (code, json.loads(out)) == (0, {"completion": {"values": ["x-nothing"], "total": 1, "hasMore": False}})
    assert run("completion", library, "reviw", "tone=x")[::2] == (
        2,
        "plainmcp: there is no prompt 'reviw'; did you mean review?\n",
    )
    code, _, err = run("completion", WEATHER, "brief", "city=O")
    assert (code, err) == (3, "plainmcp: the server answered with error -32601: this server completes nothing\n")


# --save -------------------------------------------------------------------------------------------


def test_pictures_and_files_are_saved_under_names_of_their_own(run: Any, library: str, tmp_path: Path) -> None:
    place = tmp_path / "new" / "place"
    code, out, err = run("call", library, "paint", "--save", str(place), "--policy", "lean")
    assert (code, out.splitlines()[0]) == (0, "two")
    assert err.splitlines() == [f"saved {place / 'image.png'}", f"saved {place / 'image-2.png'}"]
    assert (place / "image.png").read_bytes().endswith(b" rest")
    assert (place / "image-2.png").read_bytes().endswith(b" more")
    assert run("read", library, "library://books/Emma", "--save", str(place))[0] == 0
    assert (place / "Emma.txt").read_text("utf-8") == "the book Emma"
    code, _, err = run("call", library, "paint", "--save", library)
    assert (code, err) == (2, f"plainmcp: nothing can be saved in {library}: File exists\n")


# Who calls ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("who", "name"),
    [("ada", "ada"), ("ada books:write", "ada"), ('"a plain value"', "a plain value"), ('{"client": "bot"}', "None")],
)
def test_a_file_is_called_as_someone(run: Any, library: str, who: str, name: str) -> None:
    assert run("call", library, "whoami", "--principal", who, "--policy", "lean")[:2] == (0, f"{name}\n")


def test_scopes_are_those_of_the_principal(run: Any, library: str) -> None:
    assert run("call", library, "write", "--principal", "ada books:write", "--policy", "lean")[:2] == (0, "written\n")
    code, out, err = run("call", library, "write", "--principal", "ada books:read")
    assert (code, out) == (3, "")
    assert err == "plainmcp: the server answered with error -32600: this requires the scopes books:write\n"
    code, out, err = run("call", library, "write")
    assert (code, out) == (3, "")
    assert err.endswith("this requires the scopes books:write; say who calls with --principal 'NAME SCOPE'\n")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--principal", '{"name": "ada"}'], '--principal \'{"name": "ada"}\': '),
        (["--principal", '{"subject"'], "--principal: '{\"subject\"' is not JSON: "),
        (["--principal", "{}"], "a Principal needs a subject or a client"),
        (["--bearer", "secret"], "--bearer and --header need a URL; --principal says who calls the server in a file"),
        (["--header", "A: b"], "--bearer and --header need a URL"),
    ],
)
def test_options_that_a_file_cannot_use_are_explained(
    run: Any, library: str, options: list[str], complaint: str
) -> None:
    code, out, err = run("call", library, "whoami", *options)
    assert (code, out) == (2, "")
    assert complaint in err


@pytest.mark.parametrize(
    ("target", "options", "complaint"),
    [
        (["http://127.0.0.1:9/mcp"], ["--principal", "ada"], "--principal needs a file"),
        (["--command", "true"], ["--bearer", "secret"], "--bearer and --header need a URL: a command has no"),
        (["http://127.0.0.1:9/mcp"], ["--header", "A: b\nC: d"], "the value of the header A has characters"),
        (["http://127.0.0.1:9/mcp"], ["--bearer", "@gone.txt"], "gone.txt cannot be read"),
    ],
)
def test_options_that_a_remote_server_cannot_use_are_explained(
    run: Any, target: list[str], options: list[str], complaint: str
) -> None:
    code, out, err = run("list", *target, *options)
    assert (code, out) == (2, "")
    assert complaint in err


@pytest.mark.slow
def test_a_protected_server_is_called_with_a_token(run: Any, library: str, tmp_path: Path) -> None:
    key = "ada-0123456789abcdef"
    (tmp_path / "keys.txt").write_text(f"ada {key} books:write\n", "utf-8")
    (tmp_path / "token.txt").write_text(f"{key}\n", "utf-8")
    command = ["-m", "plainmcp", "serve", library, "--http", "127.0.0.1:0", "--auth", str(tmp_path / "keys.txt")]
    with posting.served(*command) as (_, port):
        url = f"http://127.0.0.1:{port}/mcp"
        for options in (
            ["--bearer", key],
            ["--key", key],
            ["--bearer", f"@{tmp_path / 'token.txt'}"],
            ["--header", f"Authorization: Bearer {key}"],
        ):
            code, out, _ = run("call", url, "whoami", *options)
            assert (code, out.splitlines()[0]) == (0, "ada")
        code, out, err = run("call", url, "whoami")
        assert (code, out) == (3, "")
        advice = "it wants to know who is calling; pass a token with --bearer"
        assert err == f"plainmcp: {url} answered 401 Unauthorized: {advice}\n"
        code, _, err = run("call", url, "whoami", "--bearer", "of-another-server")
        refused = "it wants to know who is calling; it does not accept this token"
        assert (code, err) == (3, f"plainmcp: {url} answered 401 Unauthorized: {refused}\n")


# Where --------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_address_without_the_path_is_tried_there(run: Any) -> None:
    with served("weather") as url:
        base = url.removesuffix("/mcp")
        for address in (base, f"{base}/"):
            assert run("list", address)[:2] == run("list", url)[:2]
        assert run("call", base, "forecast", "city=Oslo", "--revision", "2026-07-28")[0] == 0


class Silent(BaseHTTPRequestHandler):
    """Answers nothing with a 404 and a page with a page."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200 if self.path == "/page" else 404)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<p>hello</p>")

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@pytest.fixture
def pages() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Silent) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_page_is_not_a_server(run: Any, pages: str) -> None:
    below = "and there is no MCP server at /mcp below it"
    assert run("list", f"{pages}/page")[::2] == (
        3,
        f"plainmcp: {pages}/page is not an MCP server: it answered with text/html, {below}\n",
    )
    assert run("list", pages)[::2] == (3, f"plainmcp: {pages} answered 404 Not Found, {below}\n")


# --timeout ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_server_that_sends_nothing_is_given_up(run: Any, library: str, tmp_path: Path) -> None:
    command = f"{sys.executable} -m plainmcp serve {library}"
    with posting.served("-m", "plainmcp", "serve", library, "--http", "127.0.0.1:0") as (_, port):
        for target in ([library], ["--command", command], [f"http://127.0.0.1:{port}/mcp"]):
            code, out, err = run("call", *target, "sleep", "rounds=1", "--timeout", "0.1")
            assert (code, out) == (3, "")
            assert "the server sent nothing for 0.1 seconds; --timeout sets this limit" in err
            code, out, _ = run("call", *target, "sleep", "rounds=4", "--timeout", "5")
            assert (code, out.splitlines()[0]) == (0, "awake")


def test_progress_restarts_the_clock(run: Any, library: str) -> None:
    assert run("call", library, "sleep", "rounds=4", "--timeout", "0.9")[0] == 0


LIVED = """
from collections.abc import Iterator
from contextlib import contextmanager
from plainmcp import Context, Server

@contextmanager
def life(server: Server) -> Iterator[str]:
    print("starts")
    yield "alive"
    print("ends")

server = Server("lived", lifespan=life)

@server.tool
def state(ctx: Context) -> str:
    return ctx.lifespan
"""


@pytest.mark.parametrize("command", [["call"], ["call", "--policy", "lean"], ["preview"]])
def test_the_lifespan_of_a_server_in_a_file_ends_before_the_result_is_printed(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    (tmp_path / "lived_server.py").write_text(LIVED, "utf-8")
    code, out, err = run(*command, str(tmp_path / "lived_server.py"), "state")
    assert (code, err.splitlines()) == (0, ["starts", "ends"])
    assert "alive" in out
    (tmp_path / "lived_server.py").write_text(LIVED.replace('    yield "alive"', "    1 / 0"), "utf-8")
    code, out, err = run(*command, str(tmp_path / "lived_server.py"), "state")
    assert code in (1, 3)
    assert "The start of the server failed" in err or "ZeroDivisionError: division by zero" in err


def test_the_script_of_a_shell_is_another_command(run: Any) -> None:
    assert run("completion", "bash")[::2] == (
        2,
        "plainmcp: plainmcp shell-completion bash prints the script of a shell\n",
    )
    code, _, err = run("completion", WEATHER, "brief", '{"city": "O"}')
    assert (code, err) == (
        2,
        "plainmcp: write the argument to complete, and its text so far, as ARGUMENT=TEXT\n",
    )


ROUTED = """
from plainmcp import Server
server = Server("routed")
region = {"type": "string", "x-mcp-header": "Region"}
deep = {"type": "object", "properties": {"fast": {"type": "boolean", "x-mcp-header": "Fast"}}}

@server.tool(
    input_schema={"type": "object", "properties": {"region": region, "deep": deep}},
    annotations={"readOnlyHint": True},
)
def route(region: str = "", deep: object = None) -> str:
    return f"{region} {deep}"
"""


@pytest.mark.slow
def test_arguments_that_headers_repeat_are_repeated(run: Any, tmp_path: Path) -> None:
    """R26-HDR-10: without these headers the server refuses the call."""
    (tmp_path / "routed_server.py").write_text(ROUTED, "utf-8")
    arguments = ["region=Zürich", 'deep={"fast": true}', "--revision", "2026-07-28"]
    with posting.served("-m", "plainmcp", "serve", "routed_server.py", "--http", "127.0.0.1:0", cwd=tmp_path) as (
        _,
        port,
    ):
        url = f"http://127.0.0.1:{port}/mcp"
        code, out, _ = run("call", url, "route", *arguments)
        assert (code, out.splitlines()[0]) == (0, "Zürich {'fast': True}")
        assert run("call", url, "route", '{"region": "north"}', "--revision", "2026-07-28", "--timeout", "9")[0] == 0
        assert run("preview", url, "route", *arguments)[0] == 0
