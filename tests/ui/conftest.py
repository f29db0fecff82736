"""A browser, a server that shows its page, and the page as a person uses it.

`pytest tests/ui --update-pictures` writes the pictures of the documentation; nothing else ever does.
"""

import functools
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from posting import served
from talking import ROOT
from ui.browser import HAS_CHROMIUM, Browser, launched

SERVER = Path(__file__).with_name("server.py")
SECONDS = 10
SECONDS_TO_BUILD = 120


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-pictures", action="store_true", help="write the pictures in docs/images")


class Page:
    """The page of one server in a browser."""

    def __init__(self, browser: Browser, port: int) -> None:
        self.call = browser.call
        self.url = f"http://127.0.0.1:{port}/"
        self.call("goto", "about:blank")
        self.call("problems")  # that the server of an earlier test has ended

    def open(self, place: str = "", values: Any = None) -> None:
        """Load the page, at a place such as tools/flowers, and wait for what the server offers."""
        fragment = place and f"#{place}{'' if values is None else '?' + json.dumps(values)}"
        self.call("goto", "about:blank")
        self.call("goto", self.url + fragment)
        self.wait("!document.body.hasAttribute('aria-busy') && document.querySelector('main').childElementCount > 0")

    def set_theme(self, theme: str) -> None:
        """Prefer a light or a dark page, as a system does."""
        self.call("emulateMediaFeatures", [{"name": "prefers-color-scheme", "value": theme}])

    def set_size(self, width: int, height: int) -> None:
        """Change the size of the window."""
        self.call("setViewport", {"width": width, "height": height})

    def js(self, expression: str) -> Any:
        """The value of an expression."""
        return self.call("evaluate", expression)

    def wait(self, condition: str) -> None:
        """Wait until an expression is true."""
        try:
            self.call("waitForFunction", condition, {"timeout": SECONDS * 1000, "polling": 20})
        except AssertionError as error:
            raise AssertionError(f"{error}; the page shows:\n{self.js('document.body.innerText')}") from None

    def wait_for(self, text: str) -> None:
        """Wait until the page shows a text."""
        self.wait(f"document.body.innerText.includes({json.dumps(text)})")

    def text(self, selector: str) -> str:
        """The text that an element shows."""
        shown: str = self.js(f"document.querySelector({json.dumps(selector)}).innerText")
        return shown

    def texts(self, selector: str) -> list[str]:
        """The texts of all elements of a kind."""
        shown: list[str] = self.js(
            f"[...document.querySelectorAll({json.dumps(selector)})].map((one) => one.innerText)"
        )
        return shown

    def count(self, selector: str) -> int:
        """How many elements there are."""
        return len(self.texts(selector))

    def press(self, name: str) -> None:
        """Click on the button, or the summary, with this text."""
        self.call("click", f"::-p-xpath(//*[self::button or self::summary][normalize-space()='{name}'])")

    def fill(self, label: str, text: str) -> None:
        """Write into the input with this name, in place of what is there."""
        self.js(f"{self._input(label)}.focus(); {self._input(label)}.value = ''")
        if self.js(f"{self._input(label)}.type") == "date":
            self.js(f"{self._input(label)}.value = {json.dumps(text)}")
        else:
            self.call("text", text)

    def choose(self, label: str, option: str) -> None:
        """Choose an option, by its text."""
        self.js(
            f"(() => {{ const one = {self._input(label)}; one.value = [...one.options].find((o) => o.text === "
            f"{json.dumps(option)}).value; one.dispatchEvent(new Event('change', {{bubbles: true}})); }})()"
        )

    def choose_revision(self, revision: str) -> None:
        """Speak another revision."""
        self.call("select", "#revision", revision)
        self.wait("!document.body.hasAttribute('aria-busy')")

    def error(self, label: str) -> str:
        """The mistake that is shown at an input."""
        shown: str = self.js(f"document.getElementById({self._input(label)}.id + '-error').innerText")
        return shown

    def run(self, button: str = "Call") -> None:
        """Press the button, and wait until nothing runs any more."""
        self.press(button)
        self.wait_for_end()

    def wait_for_end(self) -> None:
        """Wait until nothing runs."""
        self.wait("document.querySelector('article').getAttribute('aria-busy') === 'false'")

    @staticmethod
    def _input(label: str) -> str:
        return (
            f"([...document.querySelectorAll('label')].find((one) => (one.querySelector('b')?.innerText ?? "
            f"one.innerText.trim()) === {json.dumps(label)})?.control ?? "
            f"document.querySelector('[aria-label=' + JSON.stringify({json.dumps(label)}) + ']'))"
        )


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for all tests of a process."""
    if not HAS_CHROMIUM:
        pytest.skip("the Chromium from npm is for Linux on x86-64")
    with launched() as browser:
        yield browser


@pytest.fixture(scope="session")
def port() -> Iterator[int]:
    """The port of the server, which the command line serves."""
    with served("-m", "plainmcp", "serve", SERVER, "--http", "127.0.0.1:0", cwd=ROOT) as (_, port):
        yield port


@pytest.fixture
def page(browser: Browser, port: int) -> Iterator[Page]:
    """The page, wide and light; afterwards the browser must not have complained."""
    page = Page(browser, port)
    page.set_size(1200, 900)
    page.set_theme("light")
    yield page
    problems = browser.call("problems")
    assert not problems, problems


# The documentation --------------------------------------------------------------------------------


class Quiet(SimpleHTTPRequestHandler):
    """Serves files and logs nothing."""

    def log_message(self, format: str, *arguments: Any) -> None:
        """Log nothing."""


@pytest.fixture(scope="session")
def site_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The documentation, built once."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    subprocess.run(command, cwd=ROOT, check=True, timeout=SECONDS_TO_BUILD, env=environment)
    return folder


@pytest.fixture
def site(browser: Browser, site_folder: Path) -> Iterator[Page]:
    """The documentation in the browser; afterwards the browser must not have complained."""
    handler = functools.partial(Quiet, directory=str(site_folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        page = Page(browser, server.server_port)
        page.set_size(1280, 900)
        page.set_theme("light")
        yield page
        page.call("setJavaScriptEnabled", True)
        page.call("goto", "about:blank")
        server.shutdown()
        thread.join()
    problems = browser.call("problems")
    assert not problems, problems
