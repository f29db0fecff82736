"""docs/images/preview.svg: what `plainmcp preview` prints on a terminal, colours and all, as a picture.

The command runs in a pseudo-terminal, so the colours are those it chooses itself. Knows just the few codes it uses.
"""

import errno
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path

__all__ = ["picture", "printed"]

ROOT = Path(__file__).parents[2]
COMMAND = """plainmcp preview examples/weather.py forecast '{"city": "Oslo"}'"""

_CODE = re.compile(r"\x1b\[(\d*)m")
_STYLES = {"1": "bold", "2": "dim", "31": "red"}
_WIDTH, _HEIGHT, _EDGE, _BAR = 8.0, 20.0, 20.0, 36.0  # of a character, a line, the margin, the bar of the window

_HEAD = """\
<svg xmlns="http://www.w3.org/2000/svg" role="img"
     width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}">
<title>{title}</title>
<style>
text {{ font: 13.3px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace }}
text {{ fill: #d5dbe3; white-space: pre }}
.bold {{ font-weight: bold; fill: #ffffff }}
.dim {{ fill: #8591a1 }}
.red {{ fill: #ff7b72 }}
.prompt {{ fill: #5fd7af }}
</style>
<rect width="{width:g}" height="{height:g}" rx="8" fill="#1b2129"/>
<circle cx="20" cy="18" r="5.5" fill="#ff5f57"/>
<circle cx="38" cy="18" r="5.5" fill="#febc2e"/>
<circle cx="56" cy="18" r="5.5" fill="#28c840"/>
"""


def printed(command: str = COMMAND) -> str:
    """What a command prints when it has a terminal."""
    ours, theirs = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    with subprocess.Popen(
        ["sh", "-c", command],
        cwd=ROOT,
        env={**environment, "TERM": "xterm", "PATH": path},
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        said = b"".join(_read(ours))
    os.close(ours)
    if process.returncode:
        raise RuntimeError(f"$ {command} ended with {process.returncode}:\n{said.decode()}")
    return said.decode().replace("\r\n", "\n")


def _read(file: int) -> Iterator[bytes]:
    while True:
        try:
            piece = os.read(file, 65536)
        except OSError as error:
            if error.errno == errno.EIO:  # how a terminal says that nobody is left to write to it
                return
            raise
        if not piece:
            return
        yield piece


def picture() -> str:
    """The command and what it prints, as SVG."""
    lines = [[("prompt", "$ "), ("bold", COMMAND)], *map(list, map(_runs, printed().rstrip("\n").split("\n")))]
    longest = max(sum(len(text) for _, text in line) for line in lines)
    size = {"width": 2 * _EDGE + longest * _WIDTH, "height": _BAR + len(lines) * _HEIGHT + _EDGE}
    drawn = [_drawn(line, _BAR + (number + 0.75) * _HEIGHT) for number, line in enumerate(lines)]
    return _HEAD.format(title=escape(COMMAND), **size) + "".join(drawn) + "</svg>\n"


def _runs(line: str) -> Iterator[tuple[str, str]]:
    """The pieces of a line, each in one style."""
    style, at = "", 0
    for code in _CODE.finditer(line):
        if code.start() > at:
            yield style, line[at : code.start()]
        style, at = _STYLES.get(code[1], ""), code.end()
    if line[at:]:
        yield style, line[at:]


def _drawn(runs: list[tuple[str, str]], y: float) -> str:
    """A line. Each word is set to its exact width, so that columns stand whatever the font is."""
    out: list[str] = []
    column = 0
    for style, text in runs:
        for word in re.finditer(r"\S+(?: \S+)*", text):
            x = _EDGE + (column + word.start()) * _WIDTH
            kind = f' class="{style}"' if style else ""
            long = f'textLength="{len(word[0]) * _WIDTH:g}" lengthAdjust="spacingAndGlyphs"'
            out.append(f'<text x="{x:g}" y="{y:g}" {long}{kind}>{escape(word[0], quote=False)}</text>\n')
        column += len(text)
    return "".join(out)
