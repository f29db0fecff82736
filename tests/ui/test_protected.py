"""The page of a protected server: it asks for a token, and sends it to the endpoint and to the route for previews."""

import json
from pathlib import Path

import pytest

from posting import ask, served
from talking import ROOT
from ui.browser import Browser
from ui.conftest import SERVER, Page

pytestmark = pytest.mark.slow

KEY = "a-key-that-is-long-enough-to-be-one-0123456789"
CALL = {"name": "flowers", "arguments": {}}


def test_a_token_is_asked_for_and_used(browser: Browser, tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    keys.write_text(f"ada {KEY}\n", "utf-8")
    command = ("-m", "plainmcp", "serve", SERVER, "--http", "127.0.0.1:0", "--auth", keys)
    with served(*command, cwd=ROOT) as (_, port):
        page = Page(browser, port)
        page.open("tools/flowers")
        assert "this server needs a token" in page.text(".failure")
        assert page.js("document.activeElement.id") == "token"
        page.call("text", KEY)
        page.call("press", "Enter")
        page.wait_for("The flowers of the season.")
        page.run()
        assert page.count("table.data tr") == 4
        page.run("Compare revisions and policies")
        assert page.count("table.compare tbody tr") == 30
        page.press("Copy as")
        page.press("curl")
        assert KEY not in page.text("details.copy pre") and "$TOKEN" in page.text("details.copy pre")
        assert KEY not in page.js("location.href")
        page.js("sessionStorage.clear()")
        assert all("401" in problem for problem in browser.call("problems"))

        assert ask(port, "POST", "/ui/preview", CALL, **{"Content-Type": "application/json"})[0] == 401
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {KEY}"}
        status, body = ask(port, "POST", "/ui/preview", CALL, **headers)
        assert status == 200 and len(json.loads(body)["results"]) == 30
