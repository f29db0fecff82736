"""What the page copies really runs: curl, the command line, a test and a configuration."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from plainmcp.ui.client_config import CLIENTS
from talking import ROOT
from ui.conftest import SERVER, Page

pytestmark = pytest.mark.slow


def copied(page: Page, kind: str) -> str:
    """The text that a button of "Copy as" shows."""
    page.press(kind)
    page.wait("!document.querySelector('details.copy pre').hidden")
    return str(page.js("document.querySelector('details.copy pre').textContent"))


def output(command: list[str], **options: str | Path) -> str:
    """What a command prints."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), **{name: str(one) for name, one in options.items()}}
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def test_a_call_can_be_copied(page: Page, tmp_path: Path) -> None:
    page.open("tools/flowers", {"colour": "yellow"})
    page.press("Copy as")

    curl = shlex.split(copied(page, "curl").replace("\\\n", ""))
    assert curl[0] == "curl"
    assert json.loads(output(curl))["result"]["structuredContent"]["result"][0]["name"] == "tulip"

    program, *command = shlex.split(copied(page, "plainmcp"))
    assert program == "plainmcp"
    assert "tulip" in output([sys.executable, "-m", "plainmcp", *command])

    (tmp_path / "my_server.py").write_text(SERVER.read_text("utf-8"), "utf-8")
    (tmp_path / "test_copied.py").write_text(copied(page, "pytest"), "utf-8")
    run = "import test_copied; test_copied.test_flowers(); print(test_copied.Client.__name__)"
    paths = os.pathsep.join([str(ROOT / "src"), str(tmp_path)])
    assert output([sys.executable, "-c", run], PYTHONPATH=paths) == "Client\n"

    for name, client in CLIENTS.items():
        if client.takes_urls:
            assert f"{copied(page, client.title)}\n" == output(
                [sys.executable, "-m", "plainmcp", "config", name, page.url, "--server-name", "shop"]
            )
    page.wait_for("as Codex, for ~/.codex/config.toml")
    assert page.call("problems") == []


def test_a_text_with_quotes_and_other_letters_is_copied_safely(page: Page) -> None:
    page.open("prompts/letter", {"recipient": "Zoë's $HOME"})
    page.press("Copy as")
    curl = shlex.split(copied(page, "curl").replace("\\\n", ""))
    messages = json.loads(output(curl))["result"]["messages"]
    assert messages[0]["content"]["text"] == "Write a warm letter to Zoë's $HOME."
