"""A real Chromium for tests: its methods are those of a page of puppeteer, called by name.

Chromium, puppeteer and the libraries that the system may lack come from npm, and are unpacked once, into the virtual
environment.
"""

import fcntl
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from npm import NODE, installed

__all__ = ["HAS_CHROMIUM", "Browser", "axe", "launched"]

DRIVER = Path(__file__).with_name("driver.mjs")
SECONDS_TO_LEAVE = 10
FONTS = """<?xml version="1.0"?>
<fontconfig>
  <dir>{0}/fonts</dir><dir>/usr/share/fonts</dir><cachedir>{0}/fonts-cache</cachedir>
  <alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
"""


def axe() -> str:
    """The source of axe-core, which looks for what people with disabilities cannot use."""
    return (installed("axe-core", "4.14.0") / "axe.min.js").read_text("utf-8")


class Browser:
    """One page of a browser."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def call(self, method: str, *args: Any) -> Any:
        """Call a method of the page, such as goto or click; returns plain data, or None."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps([method, *args]) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline() or '{"error": "the browser has ended"}')
        assert "error" not in answer, f"{method}{args}: {answer['error']}"
        return answer["value"]


HAS_CHROMIUM = (sys.platform, platform.machine()) == ("linux", "x86_64")
"""Whether the package from npm has a Chromium for this machine."""


@contextmanager
def launched() -> Iterator[Browser]:
    """A browser, until the end of the block."""
    chromium, puppeteer = installed("@sparticuz/chromium", "153.0.0"), installed("puppeteer-core", "25.16.0")
    unpacked = chromium.parents[2] / "unpacked"
    unpacked.mkdir(exist_ok=True)
    fonts = unpacked / "fonts.conf"  # the one in the package names other folders
    fonts.write_text(FONTS.format(unpacked), "utf-8")
    with (unpacked / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests run in several processes
        process = subprocess.Popen(
            [NODE, DRIVER, chromium, puppeteer],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "TMPDIR": str(unpacked), "FONTCONFIG_FILE": str(fonts)},
        )
        browser = Browser(process)
        try:
            browser.call("url")  # it has started, so all is unpacked
        except BaseException:
            process.kill()
            raise
    try:
        yield browser
    finally:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.close()
        try:
            process.wait(SECONDS_TO_LEAVE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
