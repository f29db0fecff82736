"""Pages as programs: the blocks of a Markdown page, run from top to bottom.

The rules for every page:

- Python blocks run in order in one namespace. A block that prints is followed by a block with the output; a block of
  `>>>` lines is checked by doctest.
- A Python block with a title is a file: either an example, exactly, or a file of the reader, to which it is added.
- A block of `py` with a title is a file for a package that is not installed here: only the commands below it run it.
- In a block that starts with `$ plainmcp`, `$ python` or `$ echo` every command runs, and the lines below it are its
  output. With the title "in one terminal" a command serves until the end of the page. Other commands are not allowed,
  except for `$ pip`.
"""

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from dataclasses import dataclass
from doctest import DocTestParser, DocTestRunner
from functools import cache
from io import StringIO
from itertools import zip_longest
from pathlib import Path
from types import ModuleType
from typing import Any

from serving import load

__all__ = ["DOCS", "ROOT", "Block", "Page", "blocks", "example", "pages"]

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

_BLOCK = re.compile(r"^( *)```(\w*)([^\n]*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_TITLE = re.compile(r'title="([^"]*)"')
_KEYS = {"NOTES_KEY": "a key for the pages", "LIBRARY_KEY": "a key for the pages"}
_INCIDENT = re.compile(r"incident [0-9a-f]{8}")  # a number of its own each time
_RUN = ("$ plainmcp ", "$ python ", "$ echo ")
_SERVES = "in one terminal"
_PORT = re.compile(r"(?<=127\.0\.0\.1:)8000|(?<=--port )8000|(?<=\"127\.0\.0\.1\", )8000")  # where pages serve
_SECONDS = 20


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its title, its text, and the line of the page on which that begins."""

    language: str
    title: str | None
    text: str
    line: int


def pages() -> list[str]:
    """Every page there is, by its path in the repository."""
    found = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
    return [page.relative_to(ROOT).as_posix() for page in found]


def blocks(document: str) -> list[Block]:
    """The fenced blocks of a page."""
    found: list[Block] = []
    for match in _BLOCK.finditer(document):
        title = _TITLE.search(match[3])
        text = re.sub(rf"^{match[1]}", "", match[4], flags=re.MULTILINE)
        found.append(Block(match[2], title and title[1], text, document.count("\n", 0, match.start(4))))
    return found


@cache
def example(name: str) -> ModuleType:
    """An example, loaded once: Django can be set up but once in a process."""
    return load(name)


class Page:
    """A page on its way from top to bottom, in a directory of its own."""

    def __init__(self, path: str, here: Path) -> None:
        self._path = path
        self._here = here
        self._blocks = blocks((ROOT / path).read_text("utf-8"))
        self._module = ModuleType("page")  # a module, where the hints of its classes are looked up
        self._namespace: dict[str, Any] = vars(self._module)
        self._written: set[str] = set()
        self._port = _free_port()
        (here / "examples").symlink_to(ROOT / "examples")

    def run(self) -> None:
        """Run every block; raises AssertionError where the page is not true."""
        with ExitStack() as stack:
            stack.enter_context(_inside(self._here))
            sys.modules["page"] = self._module  # others that are loaded meanwhile stay
            stack.callback(sys.modules.pop, "page")
            for block, following in zip_longest(self._blocks, self._blocks[1:]):
                if block.language == "python":
                    self._python(block, following)
                elif block.language == "py" and block.title is not None:
                    self._write(block.title, block.text)
                elif block.language == "pycon":
                    self._session(block)
                elif block.text.startswith("$ ") and block.title == _SERVES:
                    stack.enter_context(_serving(self._moved(block.text[2:].strip()), self._here, self._port))
                elif block.text.startswith(_RUN):
                    self._shell(block)
                else:
                    idle = block.language != "console" or block.text.startswith("$ pip ")
                    assert idle, f"{self._at(block)}: nothing runs this"

    def _python(self, block: Block, following: Block | None) -> None:
        said = StringIO()
        with redirect_stdout(said):
            if block.title is not None and block.title.startswith("examples/"):
                file = ROOT / block.title
                assert block.text == file.read_text("utf-8"), f"{self._at(block)}: not what stands in {block.title}"
                self._namespace |= vars(example(file.stem))
            else:
                if block.title is not None:
                    self._write(block.title, block.text)
                os.environ.update(_KEYS)
                # Blank lines in front, so that a traceback shows the line of the page.
                exec(compile("\n" * block.line + block.text, self._path, "exec"), self._namespace)
        printed = said.getvalue()
        if printed:
            shown = following.text if following is not None else ""
            assert shown == printed, f"{self._at(block)} prints\n{printed}"

    def _session(self, block: Block) -> None:
        test = DocTestParser().get_doctest(block.text, self._namespace, self._path, self._path, block.line)
        told = StringIO()
        assert not DocTestRunner(verbose=False).run(test, out=told.write, clear_globs=False).failed, told.getvalue()

    def _write(self, name: str, text: str) -> None:
        more = f"\n{self._moved(text)}" if name in self._written else self._moved(text)
        self._written.add(name)
        with (self._here / name).open("a") as file:
            file.write(more)

    def _shell(self, block: Block) -> None:
        for command, shown in _commands(block.text):
            done = subprocess.run(
                ["bash", "-c", self._moved(command)],
                cwd=self._here,
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=_SECONDS,
            )
            where = f"{self._at(block)}: $ {command}"
            if shown:
                printed = _INCIDENT.sub("incident", done.stdout.replace(f":{self._port}", ":8000"))
                assert printed == _INCIDENT.sub("incident", shown), f"{where}\nprints\n{done.stdout}"
            else:
                assert done.returncode == 0, f"{where}\nends with {done.returncode} and prints\n{done.stdout}"

    def _moved(self, text: str) -> str:
        """A command or a file with the port of this page."""
        return _PORT.sub(str(self._port), text)

    def _at(self, block: Block) -> str:
        return f"{self._path}:{block.line + 1}"


def _commands(text: str) -> Iterator[tuple[str, str]]:
    """Each command of a block, and what is shown below it."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        while command.endswith("\\"):
            more, _, shown = shown.partition("\n")
            command = f"{command[:-1]}{more}"
        yield command, shown.rstrip("\n") + "\n" if shown.strip() else ""


@contextmanager
def _inside(directory: Path) -> Generator[None, None, None]:
    """In a directory, whose files can be imported as the reader's can, and are forgotten with the page."""
    before, kept, known = os.getcwd(), list(sys.path), set(sys.modules)
    os.chdir(directory)
    sys.path.insert(0, str(directory))
    try:
        yield
    finally:
        os.chdir(before)
        sys.path[:] = kept
        for name in set(sys.modules) - known:
            if str(getattr(sys.modules[name], "__file__", "")).startswith(str(directory)):
                del sys.modules[name]


@contextmanager
def _serving(command: str, here: Path, port: int) -> Generator[None, None, None]:
    """A command that serves, from when it answers to the end of the page."""
    process = subprocess.Popen(
        ["bash", "-c", f"exec {command}"],
        cwd=here,
        env=_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        until = time.monotonic() + _SECONDS
        while not _answers(port):
            assert process.poll() is None and time.monotonic() < until, f"$ {command}\ndoes not serve"
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.communicate(timeout=_SECONDS)


def _answers(port: int) -> bool:
    with socket.socket() as trying:
        return trying.connect_ex(("127.0.0.1", port)) == 0


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
        return port


def _environment() -> dict[str, str]:
    """The reader's: the commands of this installation, the keys of the pages' servers, and no colours."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    return {**os.environ, **_KEYS, "PATH": path, "NO_COLOR": "1", "COLUMNS": "100"}
