"""P23: a page at another port of this machine, in a real Chromium: what it can run, and what it can read.

Such a page needs no permission to send what a form can send, so the server must tell its requests apart.
"""

import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from posting import ask, served
from talking import until
from ui.browser import Browser
from ui.conftest import Page

pytestmark = pytest.mark.slow

PROGRAM = """
import sys
from plainmcp import Server

server = Server("shop", "1.0.0")
runs = []

@server.tool
def buy() -> str:
    "Buy a flower."
    runs.append("bought")
    return "bought"

@server.route("/runs")
def count():
    return {"runs": len(runs)}

server.run(http="127.0.0.1:0", stateless=True, ui=True, origins=sys.argv[1:])
"""
CALLS = {
    "/ui/preview": {"name": "buy", "arguments": {}},
    "/mcp": {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "buy", "arguments": {}}},
}
SEND = """(async () => {
  const options = %s;
  if (options.bytes) { options.body = new Blob([options.body]); }
  try { return await (await fetch(%s, {method: "POST", ...options})).text(); }
  catch (error) { return String(error); }
})()"""
FORM = """new Promise((resolve) => {
  document.body.innerHTML = "<iframe name='target'></iframe><form method='post' enctype='text/plain' target='target'>"
    + "<input name='name'></form>";
  const [form] = document.forms, [name, value] = %s.split(/=(.*)/s);
  form.action = %s; form.elements[0].name = name; form.elements[0].value = value ?? "";
  document.querySelector("iframe").addEventListener("load", () => resolve("sent"), {once: true});
  form.submit();
})"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "shop.py"
    path.write_text(PROGRAM, "utf-8")
    return path


class Blank(http.server.BaseHTTPRequestHandler):
    """Serves an empty page, without a policy of what it may do."""

    def do_GET(self) -> None:
        """Answer with the page."""
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>other</title><body>")

    def log_message(self, format: str, *arguments: Any) -> None:
        """Log nothing."""


@pytest.fixture
def other() -> Iterator[str]:
    """The origin of a page at another port."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Blank) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def runs_of(port: int) -> int:
    count: int = json.loads(ask(port, "GET", "/runs")[1])["runs"]
    return count


def send(browser: Browser, url: str, **options: Any) -> str:
    """What a page reads when it sends a request; the error if it may not read."""
    answer: str = browser.call("evaluate", SEND % (json.dumps(options), json.dumps(url)))
    return answer


def test_a_page_at_another_port_runs_no_tool_and_reads_nothing(browser: Browser, program: Path, other: str) -> None:
    json_type = {"headers": {"content-type": "application/json"}}
    with served(program) as (_, port):
        browser.call("goto", other)
        for path, call in CALLS.items():
            url, body = f"http://127.0.0.1:{port}{path}", json.dumps(call)
            by_name = url.replace("127.0.0.1", "localhost")
            for how in (
                {"mode": "no-cors", "bytes": True},  # without a Content-Type, and without a preflight
                {"mode": "no-cors"},  # as text/plain
                {"mode": "no-cors", "headers": {"content-type": "text/plain; application/json"}},
                {"mode": "no-cors", **json_type},  # the browser sends text/plain
                json_type,  # with a preflight
                {"bytes": True},
                {},
            ):
                options: dict[str, Any] = {"body": body, **how}
                for target in (url, by_name):
                    assert send(browser, target, **options) in ("", "TypeError: Failed to fetch"), (target, how)
            browser.call("evaluate", f"navigator.sendBeacon({json.dumps(url)}, new Blob([{json.dumps(body)}]))")
            browser.call("evaluate", FORM % (json.dumps(body), json.dumps(url)))
        assert runs_of(port) == 0
        assert send(browser, f"http://127.0.0.1:{port}/", mode="no-cors") == ""
    browser.call("problems")  # what the browser says of each that it has refused


def test_a_page_that_is_named_calls_and_reads_but_sees_no_previews(
    browser: Browser, program: Path, other: str
) -> None:
    """P23: the Inspector in a browser, without its proxy; and a proof that what the other test sends does call."""
    json_type = {"headers": {"content-type": "application/json"}}
    for origins in ([other], ["http://127.0.0.1:*"]):
        with served(program, *origins) as (_, port):
            url = f"http://127.0.0.1:{port}"
            browser.call("goto", other)
            answer = send(browser, f"{url}/mcp", body=json.dumps(CALLS["/mcp"]), **json_type)
            assert json.loads(answer)["result"]["content"] == [{"type": "text", "text": "bought"}]
            assert runs_of(port) == 1
            answer = send(browser, f"{url}/ui/preview", body=json.dumps(CALLS["/ui/preview"]), **json_type)
            assert answer == "TypeError: Failed to fetch" and runs_of(port) == 1
    browser.call("problems")


def test_the_page_of_the_server_itself_works(browser: Browser, program: Path) -> None:
    """P23: by both names of this machine."""
    with served(program) as (_, port):
        for name in ("127.0.0.1", "localhost"):
            page = Page(browser, port)
            page.url = f"http://{name}:{port}/"
            page.open("tools/buy")
            page.run()
            page.wait_for("bought")
            page.run("Compare revisions and policies")
            assert page.count("table.compare tbody tr") == 30
            problems = browser.call("problems")  # a server without resources has no method for them
            assert all("404" in problem for problem in problems), problems
        assert runs_of(port) == 4


def test_the_reason_is_in_the_log_because_a_browser_hides_it(browser: Browser, program: Path, other: str) -> None:
    """P23"""
    with served(program) as (running, port):
        browser.call("goto", other)
        send(browser, f"http://127.0.0.1:{port}/mcp", body="{}", headers={"content-type": "application/json"})
        why = f"Origin '{other}' is not allowed here; to allow it, name it in the setting origins"
        until(lambda: why.encode() in running.stderr)
    browser.call("problems")
