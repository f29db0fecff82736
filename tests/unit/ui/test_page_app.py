"""The page as HTTP serves it: where it is, where it is not, and the headers that keep it to itself."""

import asyncio
import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from fetching import Answer, fetch_asgi
from plainmcp import Server
from plainmcp.cli import main
from plainmcp.cli.grammar import build_parser
from plainmcp.cli.options import parse_options
from plainmcp.errors import AuthorError, OptionError
from plainmcp.ui import page_app as module
from posting import ask, served

FILES = Path(module.__file__).parent / "files"


def app_of(server: Server | None = None, address: str = "127.0.0.1:8000", **options: Any) -> Any:
    """The application that `run(ui=True)` serves."""
    return (server or Server("shop", "1"))._asgi_with_page(address, path="/mcp", health="/health", **options)


def fetch(app: Any, path: str, method: str = "GET", **headers: str) -> Answer:
    return asyncio.run(fetch_asgi(app, method, path, headers=headers))


def facts_in(answer: Answer) -> Any:
    match = re.search(r'data-facts="([^"]*)"', answer.text)
    assert match is not None
    return json.loads(unescape(match[1]))


def test_the_page_is_at_the_root_with_its_facts() -> None:
    answer = fetch(app_of(Server("shop", "1", title="Rosa's <shop>")), "/")
    assert (answer.status, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert "<title>Rosa&#x27;s &lt;shop&gt;</title>" in answer.text
    facts = facts_in(answer)
    assert (facts["name"], facts["server"]) == ("Rosa's <shop>", "shop")
    assert (facts["endpoint"], facts["preview"]) == ("/mcp", "/ui/preview")
    assert facts["revisions"][-1] == {"name": "2026-07-28", "handshake": False}


def test_every_file_is_served_with_a_strict_policy() -> None:
    app = app_of()
    for file in FILES.iterdir():
        answer = fetch(app, "/" if file.name == "index.html" else f"/ui/{file.name}")
        assert answer.status == 200, file
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
        assert "unsafe" not in policy and "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
    assert fetch(app, "/ui/nothing.js").status == 404
    assert fetch(app, "/ui/..%2Fpage.py").status == 404


def test_the_files_are_few_small_and_come_from_here() -> None:
    for file in FILES.iterdir():
        text = file.read_text("utf-8")
        assert len(text.splitlines()) <= 300, file
        assert not re.search(r"(src|href|from|import\()\s*=?\s*[\"']https?:", text), f"{file} fetches something"
        assert "innerHTML" not in text and "eval(" not in text, f"{file} writes HTML"
        if file.suffix == ".js":
            assert text.startswith("// "), f"{file} does not say what it is"
            for name in re.findall(r'from "\./([^"]+)"', text):
                assert (FILES / name).is_file(), f"{file} imports {name}"


def test_other_methods_and_a_head() -> None:
    app = app_of()
    assert (fetch(app, "/", "POST").status, fetch(app, "/", "POST").headers["allow"]) == (405, "GET, HEAD")
    head = fetch(app, "/", "HEAD")
    assert (head.status, head.body) == (200, b"") and int(head.headers["content-length"]) > 500


@pytest.mark.parametrize("path", ["/", "/ui/app.js", "/ui/preview"])
@pytest.mark.parametrize("headers", [{"host": "evil.example"}, {"origin": "https://evil.example"}])
def test_other_sites_get_nothing(path: str, headers: dict[str, str]) -> None:
    method = "POST" if path == "/ui/preview" else "GET"
    assert fetch(app_of(), path, method, **headers).status == 403


def test_the_rest_stays_where_it_was() -> None:
    server = Server("shop", "1")
    server.route("/own")(lambda: "mine")
    app = app_of(server)
    assert fetch(app, "/health").json == {"status": "ok"}
    assert fetch(app, "/own").text == "mine"
    assert fetch(app, "/nowhere").status == 404
    server.route("/")(lambda: "my own root")
    assert fetch(app_of(server), "/").text == "my own root"


def test_away_from_loopback_there_are_no_previews() -> None:
    app = app_of(address="0.0.0.0:8000")
    assert facts_in(fetch(app, "/"))["preview"] is None
    assert fetch(app, "/ui/preview", "POST").status == 404


def test_asgi_and_wsgi_have_no_page() -> None:
    server = Server("shop", "1")
    answer = fetch(server.asgi(path="/mcp"), "/")
    assert (answer.status, answer.headers["content-type"]) == (200, "text/plain; charset=utf-8")
    with pytest.raises(OptionError, match=r"server.asgi has no option ui="):
        server.asgi(ui=True)  # type: ignore[call-arg]
    with pytest.raises(OptionError, match=r"server.run: ui= goes with http="):
        server.run(ui=True)


@pytest.mark.parametrize(
    ("arguments", "has_page"),
    [
        (["--http", "127.0.0.1:0"], True),
        (["--http", "localhost:8000"], True),
        (["--http", "[::1]:8000"], True),
        (["--http", "0.0.0.0:8000"], False),
        (["--http", "0.0.0.0:8000", "--ui"], True),
        (["--http", "127.0.0.1:0", "--no-ui"], False),
    ],
)
def test_the_command_line_serves_it_on_loopback(arguments: list[str], has_page: bool) -> None:
    assert parse_options(build_parser(), ["serve", "shop.py", *arguments]).ui is has_page


def test_without_http_there_is_no_page(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main.main(["serve", "shop.py", "--ui"])
    assert ended.value.code == 2
    assert "--ui needs --http" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("mode", [[], ["--reload"], ["--workers", "2"]])
def test_the_command_line_names_the_pages_that_may_call(tmp_path: Path, mode: list[str]) -> None:
    """P23: and no other page at another port."""
    (tmp_path / "shop.py").write_text("from plainmcp import Server\nserver = Server('shop', '1')\n", "utf-8")
    command = ("-m", "plainmcp", "serve", "shop.py", "--http", "127.0.0.1:0", *mode)
    pages = ("--origins", "http://localhost:6274", "--origins", "http://127.0.0.1:*")
    wanted = {"Access-Control-Request-Method": "POST"}
    with served(*command, *pages, cwd=tmp_path) as (_, port):
        for origin, status in {
            "http://localhost:6274": 204,
            "http://127.0.0.1:3000": 204,
            "http://localhost:6275": 403,
            f"http://127.0.0.1:{port}": 204,
        }.items():
            assert ask(port, "OPTIONS", "/mcp", **wanted, Origin=origin)[0] == status, origin


def test_without_http_no_page_can_call(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main.main(["serve", "shop.py", "--origins", "http://localhost:6274"])
    assert ended.value.code == 2
    assert "--origins needs --http" in capsys.readouterr().err


@pytest.mark.parametrize("path", ["/", "/ui", "/ui/mcp"])
def test_a_server_where_the_page_would_be_is_refused(path: str) -> None:
    with pytest.raises(AuthorError, match=f"needs another path= than {path}$"):
        Server("shop", "1").run(http="127.0.0.1:0", path=path, ui=True)
