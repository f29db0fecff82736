"""The log of an exception: the author's own code first, with time and level if the server is run."""

import asyncio
import logging
import re
import textwrap
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mounted import modern, speak
from plainmcp import Context, Server
from plainmcp.compat.fastmcp import FastMCP
from plainmcp.errors import AuthorError
from plainmcp.protocol.tracebacks import cut_own_frames
from speaking import message
from talking import Program, until

OURS = str(Path(cut_own_frames.__code__.co_filename).parent)


def boom(kind: type[BaseException] = ZeroDivisionError) -> Any:
    raise kind("hunter2")


class Surprising:
    """A value that cannot be read."""

    def __plain__(self) -> Any:
        return boom()


def make(server: Any = None) -> Any:
    server = server or Server("s")

    @server.tool
    def plain() -> str:
        return boom()

    @server.tool
    async def later() -> str:
        await asyncio.sleep(0)
        return boom()

    @server.tool
    async def at_once() -> str:
        return boom()

    @server.tool
    def asking(context: Context) -> str:
        return boom()

    @server.tool
    def exits() -> str:
        return boom(SystemExit)

    @server.tool
    def chained() -> str:
        try:
            return boom()
        except ZeroDivisionError as error:
            raise KeyError("x") from error

    @server.tool(timeout=5)
    def bounded() -> str:
        return boom()

    @server.resource("memo://1")
    def memo() -> str:
        return boom()

    @server.prompt
    def brief() -> str:
        return boom()

    return server


ASKED = {
    **{
        name: ("tools/call", {"name": name})
        for name in ("plain", "later", "at_once", "asking", "exits", "chained", "bounded")
    },
    "memo": ("resources/read", {"uri": "memo://1"}),
    "brief": ("prompts/get", {"name": "brief"}),
}


def by_handle(server: Any, method: str, params: Any) -> None:
    server.handle(message("2026-07-28", method, params), revision="2026-07-28")


def by_loop(server: Any, method: str, params: Any) -> None:
    asyncio.run(server.handle_async(message("2026-07-28", method, params), revision="2026-07-28"))


def by_asgi(server: Any, method: str, params: Any) -> None:
    async def ask() -> None:
        await speak(server.asgi(), *modern(method, **params))

    asyncio.run(ask())


def frames(error: BaseException | None) -> list[list[str]]:
    """The files of the frames in a traceback, and in those it came from."""
    found = []
    while error is not None:
        found.append([frame.filename for frame in traceback.extract_tb(error.__traceback__)])
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return found


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("ask", [by_handle, by_loop, by_asgi])
def test_the_log_of_an_exception_begins_with_the_authors_own_code(
    ask: Callable[..., None], asked: str, caplog: pytest.LogCaptureFixture
) -> None:
    """R*-LOG-05: all of it is in the log, and none of it is sent"""
    ask(make(), *ASKED[asked])
    (record,) = [record for record in caplog.records if record.levelname == "ERROR"]
    assert record.exc_info is not None
    chain = frames(record.exc_info[1])
    assert any(files and files[-1] == __file__ for files in chain)
    assert [files[0] for files in chain if files] == [__file__] * len([files for files in chain if files])
    assert not any(name.startswith(OURS) for files in chain for name in files)
    assert "boom" in caplog.text and f"in {asked}" in caplog.text and "hunter2" in caplog.text


def test_what_stands_between_the_authors_frames_stays(caplog: pytest.LogCaptureFixture) -> None:
    server = Server("s")

    @server.tool
    def inner() -> str:
        return boom()

    @server.tool
    def level(context: Context) -> None:
        context.log("loud", "x")

    @server.tool
    def parse() -> Any:
        import json

        return json.loads("{")

    for name, last in (("level", "context.py"), ("parse", "decoder.py")):
        caplog.clear()
        by_handle(server, "tools/call", {"name": name})
        (files,) = frames(caplog.records[0].exc_info[1])[:1]  # type: ignore[index]
        assert files[0] == __file__ and files[-1].endswith(last)


def test_an_exception_that_never_left_us_keeps_its_traceback() -> None:
    with pytest.raises(AuthorError) as caught:
        make().handle(b"{}", revision="nothing")
    ours = caught.tb.tb_next  # without this function
    assert ours is not None
    assert cut_own_frames(caught.value.with_traceback(ours)).__traceback__ is ours


def test_a_function_in_the_clothes_of_another_package_is_shown_as_its_own(caplog: pytest.LogCaptureFixture) -> None:
    mcp = FastMCP("s")

    @mcp.tool
    def plain() -> str:
        return boom()

    by_handle(mcp, "tools/call", {"name": "plain"})
    assert frames(caplog.records[-1].exc_info[1])[0] == [__file__, __file__]  # type: ignore[index]


# Lines --------------------------------------------------------------------------------------------

PROGRAM = """
import logging, sys
from plainmcp import Server

server = Server("test")

@server.tool
def broken() -> str:
    logging.getLogger("weather").warning("low pressure")
    raise ValueError("hunter2")

if __name__ == "__main__":
    if "configured" in sys.argv:
        logging.basicConfig(format="mine %(message)s")
    if "handle" in sys.argv:
        server.handle({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "broken"}})
    elif "http" in sys.argv:
        server.run(http=0)
    else:
        server.run()
        logging.getLogger("weather").warning("it is over")
"""

TIME = rb"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} "


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "program.py"
    file.write_text(textwrap.dedent(PROGRAM), "utf-8")
    return file


@pytest.mark.slow
@pytest.mark.parametrize("command", [[], ["-m", "plainmcp", "serve"]])
def test_log_lines_of_a_server_that_is_run_have_time_and_level(file: Path, command: list[str]) -> None:
    with Program(*command, file) as program:
        program.call(1, "broken", modern=True)
        program.answer(1)
        assert program.hang_up() == 0
    lines = program.stderr.splitlines()
    assert re.match(TIME + rb"WARNING weather: low pressure$", lines[0])
    assert re.match(TIME + rb"ERROR plainmcp: Tool broken failed \(incident [0-9a-f]{8}\)$", lines[1])
    assert lines[2] == b"Traceback (most recent call last):"
    assert lines[3].endswith(b'program.py", line 10, in broken')
    assert command or lines[-1] == b"it is over"  # as it was before


@pytest.mark.slow
@pytest.mark.parametrize("command", [["http"], ["-m", "plainmcp", "serve", "--http", "127.0.0.1:0"]])
def test_log_lines_over_http_have_time_and_level(file: Path, command: list[str]) -> None:
    import http.client
    import json

    ordered = [file, *command] if command == ["http"] else [*command, file]
    with Program(*ordered) as program:
        port = int(until(lambda: re.search(rb":(\d+)/mcp\n", program.stderr))[1])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        body, headers = modern("tools/call", name="broken")
        connection.request("POST", "/mcp", json.dumps(body), headers)
        assert connection.getresponse().status == 200
        connection.close()
        until(lambda: b"hunter2" in program.stderr)
        assert re.search(TIME + rb"WARNING weather: low pressure$", program.stderr, re.MULTILINE)
        assert re.search(TIME + rb"ERROR plainmcp: Tool broken failed", program.stderr, re.MULTILINE)


@pytest.mark.slow
def test_logging_that_an_author_set_up_is_left_alone(file: Path) -> None:
    with Program(file, "configured") as program:
        program.call(1, "broken", modern=True)
        program.answer(1)
        program.hang_up()
    lines = program.stderr.splitlines()
    assert lines[0] == b"mine low pressure" and lines[1].startswith(b"mine Tool broken failed (incident ")


@pytest.mark.slow
def test_who_calls_a_server_has_the_logging_of_their_own_program(file: Path) -> None:
    with Program(file, "handle") as program:
        assert program.wait() == 0
    assert program.stderr.startswith(b"low pressure\nTool broken failed (incident ")
    assert logging.lastResort is not None and logging.lastResort.formatter is None
