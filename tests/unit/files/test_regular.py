"""P24: files in results. What is no regular file, or is too large, fails its call at once, and blocks no one."""

import asyncio
import importlib
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from plainmcp import Audio, File, Image, PromptResult, ResourceResult, Server, ToolError, ToolResult
from plainmcp.compat import fastmcp
from plainmcp.compat.mcp import pieces, resources
from plainmcp.compat.mcp.server import MCPServer
from plainmcp.errors import AuthorError
from plainmcp.files.regular import MAX_SIZE, open_regular, read_bounded, read_regular
from plainmcp.media import Media
from speaking import message

SECONDS = 20
KINDS = [File, Image, Audio]
TYPES = {File: "text/plain", Image: "image/png", Audio: "audio/wav"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One of each thing that a path can lead to."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(50 * 2**30)
    (tmp_path / "good").write_bytes(b"good")
    return tmp_path


BAD = {
    "pipe": "cannot read 'pipe': it is not a regular file",
    "link": "cannot read 'link': it is not a regular file",
    "zero": "cannot read 'zero': it is not a regular file",
    "loop": "cannot read 'loop': its links lead in a circle",
    "folder": "cannot read 'folder': it is a directory",
    "sparse": "'sparse' is larger than 67108864 bytes; the option max_size allows more",
    "nowhere": "cannot read 'nowhere': there is no such file",
}


def serve(media: Callable[[], Media], is_async: bool) -> Server:
    """A server whose features return media, alone and inside of what may hold it."""
    server = Server("s", "1")

    def add(register: Any, make: Callable[[], Any]) -> None:
        register(later(make) if is_async else lambda: make())

    add(server.tool(name="alone"), media)
    add(server.tool(name="inside"), lambda: ToolResult(["text", media()]))
    add(server.resource("x://alone", name="r"), media)
    add(server.resource("x://parts", name="p"), lambda: ResourceResult([media()]))
    add(server.prompt(name="alone"), media)
    add(server.prompt(name="turns"), lambda: PromptResult([media()]))
    return server


def later(make: Callable[[], Any]) -> Callable[[], Any]:
    """An async function that returns what another one makes."""

    async def returning() -> Any:
        return make()

    return returning


REQUESTS = {
    "tool": message("2025-11-25", "tools/call", {"name": "alone", "arguments": {}}),
    "tool result": message("2025-11-25", "tools/call", {"name": "inside", "arguments": {}}),
    "resource": message("2025-11-25", "resources/read", {"uri": "x://alone"}),
    "resource result": message("2025-11-25", "resources/read", {"uri": "x://parts"}),
    "prompt": message("2025-11-25", "prompts/get", {"name": "alone"}),
    "prompt result": message("2025-11-25", "prompts/get", {"name": "turns"}),
}


def within_time(work: Callable[[], Any]) -> Any:
    """The value of a function, which must not block."""
    values: list[Any] = []
    thread = threading.Thread(target=lambda: values.append(work()), daemon=True)
    thread.start()
    thread.join(SECONDS)
    assert values, "it blocks"
    return values[0]


def answer_of(server: Server, request: Any, drive: str) -> str:
    """The response to a request, by one of the drivers."""
    if drive == "handle":
        raw = within_time(lambda: server.handle(request, revision="2025-11-25"))
    else:
        raw = within_time(lambda: asyncio.run(server.handle_async(request, revision="2025-11-25")))
    return bytes(raw).decode()


@pytest.mark.parametrize("drive", ["handle", "handle_async"])
@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_sent_fails_its_call_at_once(
    folder: Path, name: str, kind: type[Media], is_async: bool, drive: str
) -> None:
    """P24"""
    server = serve(lambda: kind(folder / name, format=TYPES[kind]), is_async)
    for request in REQUESTS.values():
        said = answer_of(server, request, drive)
        assert BAD[name] in said and str(folder) not in said


@pytest.mark.parametrize("drive", ["handle", "handle_async"])
def test_a_file_without_a_size_is_read_up_to_the_limit(drive: str) -> None:
    """P24: a file of /proc says that it has no bytes."""
    server = serve(lambda: File("/proc/self/maps", format="text/plain", max_size=100), is_async=False)
    for request in REQUESTS.values():
        assert "'maps' is larger than 100 bytes; the option max_size allows more" in answer_of(server, request, drive)
    server = serve(lambda: File("/proc/self/maps", format="text/plain"), is_async=False)
    for request in REQUESTS.values():
        assert "[stack]" in answer_of(server, request, drive)


def test_a_file_of_the_system_that_has_nothing_to_say_is_not_waited_for(tmp_path: Path) -> None:
    """P24: /proc/kmsg is a regular file, and reading it waits for the next line of the kernel."""

    class Silent:
        def fileno(self) -> int:
            return os.open(tmp_path / "empty", os.O_CREAT | os.O_RDONLY)

        def read(self, size: int) -> None:
            return None

    with pytest.raises(BlockingIOError, match="it does not end"):
        read_bounded(Silent(), "kmsg", 10)  # type: ignore[arg-type]


def test_a_file_that_may_not_be_read_says_so(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """P24"""

    def refuse(path: Any, *rest: Any, **more: Any) -> int:
        raise PermissionError(13, "Permission denied", str(path))

    server = serve(lambda: File(folder / "good", format="text/plain"), is_async=False)
    with monkeypatch.context() as patched:
        patched.setattr(os, "open", refuse)
        said = [bytes(server.handle(request, revision="2025-11-25") or b"").decode() for request in REQUESTS.values()]
    assert all("cannot read 'good': permission denied" in one and str(folder) not in one for one in said)


@pytest.mark.parametrize("kind", KINDS)
def test_the_limit_is_an_option(folder: Path, kind: type[Media]) -> None:
    """P24"""
    path = folder / "good"
    assert kind(path, format=TYPES[kind]).max_size == MAX_SIZE == 64 * 2**20
    server = serve(lambda: kind(path, format=TYPES[kind], max_size=4), is_async=False)
    assert all("cannot" not in answer_of(server, request, "handle") for request in REQUESTS.values())
    server = serve(lambda: kind(path, format=TYPES[kind], max_size=3), is_async=False)
    for request in REQUESTS.values():
        said = answer_of(server, request, "handle")
        assert "'good' is larger than 3 bytes; the option max_size allows more" in said
    for size in (0, -1, 1.5, "9", True, None):
        with pytest.raises(AuthorError, match="max_size= takes a number of bytes"):
            kind(path, max_size=size)  # type: ignore[arg-type]


def test_results_take_the_limit_too(folder: Path) -> None:
    """P24"""
    server, path = Server("s", "1"), folder / "good"
    make = [
        lambda: ToolResult().add_file(path, max_size=3),
        lambda: ToolResult().add_image(path, format="png", max_size=3),
        lambda: ToolResult().add_audio(path, format="wav", max_size=3),
    ]
    for number, one in enumerate(make):
        server.tool(name=f"t{number}")(one)
        request = message("2025-11-25", "tools/call", {"name": f"t{number}", "arguments": {}})
        assert "the option max_size" in answer_of(server, request, "handle")
    server.resource("x://y")(lambda: ResourceResult().add_file(path, max_size=3))
    request = message("2025-11-25", "resources/read", {"uri": "x://y"})
    assert "the option max_size" in answer_of(server, request, "handle")
    server.prompt(name="p")(lambda: PromptResult().add_file_message(path, max_size=3))
    request = message("2025-11-25", "prompts/get", {"name": "p"})
    assert "the option max_size" in answer_of(server, request, "handle")


# The event loop -----------------------------------------------------------------------------------


def read_places(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the threads in which files are read from now on."""
    places: list[str] = []
    real = os.fdopen

    def spy(*args: Any, **options: Any) -> Any:
        places.append(threading.current_thread().name)
        return real(*args, **options)

    monkeypatch.setattr(os, "fdopen", spy)
    return places


def test_no_file_is_read_in_the_event_loop(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """P24: wherever in a result it is."""
    places = read_places(monkeypatch)
    file = File(folder / "good", format="text/plain")
    make: list[Callable[[], Any]] = [
        lambda: file,
        lambda: [file],
        lambda: (file, "text"),
        lambda: ["text"] * 20 + [file],
        lambda: [["text", [file]]],
        lambda: ToolResult(file),
        lambda: ToolResult([["text"], file]),
        lambda: fastmcp.File(folder / "good"),
        lambda: pieces.Image(folder / "good", format="png"),
        lambda: [pieces.Audio(folder / "good", format="wav")],
    ]
    server = Server("s", "1")
    for number, one in enumerate(make):
        server.tool(name=f"t{number}")(later(one))
        request = message("2025-11-25", "tools/call", {"name": f"t{number}", "arguments": {}})
        answer = asyncio.run(server.handle_async(request, revision="2025-11-25"))
        assert b'"isError"' not in (answer or b""), answer
        assert places and "MainThread" not in places, number
        places.clear()
    for request in list(REQUESTS.values()):
        asyncio.run(serve(lambda: file, is_async=True).handle_async(request, revision="2025-11-25"))
    assert len(places) == len(REQUESTS) and "MainThread" not in places


def test_a_large_file_does_not_keep_others_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """P24"""
    (tmp_path / "slow").write_bytes(b"x")
    real = os.fdopen

    def slowly(*args: Any, **options: Any) -> Any:
        time.sleep(0.5)
        return real(*args, **options)

    monkeypatch.setattr(os, "fdopen", slowly)
    server = serve(lambda: File(tmp_path / "slow", format="text/plain"), is_async=True)

    async def longest_pause() -> float:
        pause, before = 0.0, time.monotonic()
        works = [asyncio.create_task(server.handle_async(one, revision="2025-11-25")) for one in REQUESTS.values()]
        while not all(work.done() for work in works):
            await asyncio.sleep(0.01)
            pause, before = max(pause, time.monotonic() - before), time.monotonic()
        return pause

    assert asyncio.run(longest_pause()) < 0.4


# Facades and the functions themselves -------------------------------------------------------------


@pytest.mark.parametrize("name", ["pipe", "zero", "sparse", "loop", "folder"])
@pytest.mark.parametrize("place", ["mcp.server.mcpserver.utilities.types", "fastmcp.utilities.types"])
def test_media_of_the_packages_themselves_are_looked_at_before_they_are_read(
    folder: Path, name: str, place: str
) -> None:
    """P24: their classes read whatever is there."""
    theirs = importlib.import_module(place)
    for kind, format in ((theirs.Image, "png"), (theirs.Audio, "wav")):
        server = serve(lambda kind=kind, format=format: kind(path=folder / name, format=format), is_async=True)
        for request in (REQUESTS["tool"], REQUESTS["tool result"], REQUESTS["prompt"]):
            said = answer_of(server, request, "handle_async")
            assert ('"isError":true' in said or '"error"' in said) and str(folder) not in said


@pytest.mark.parametrize("name", ["pipe", "zero", "sparse", "loop", "folder"])
def test_media_and_resources_of_other_packages_are_read_in_the_same_way(folder: Path, name: str) -> None:
    """P24"""
    server = MCPServer("s")

    @server.tool()
    def picture() -> Any:
        return pieces.Image(folder / name, format="png")

    server.add_resource(resources.FileResource(uri="x://file", path=folder / name))
    for method, params in {
        "tools/call": {"name": "picture", "arguments": {}},
        "resources/read": {"uri": "x://file"},
    }.items():
        said = answer_of(server, message("2025-11-25", method, params), "handle_async")
        assert ('"isError":true' in said or '"error"' in said) and str(folder) not in said


def test_a_pipe_that_takes_the_place_of_a_file_is_not_waited_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P24: between the look at it and its opening."""
    real = os.stat
    monkeypatch.setattr(os, "stat", lambda path, **options: real(folder / "good"))

    def read() -> str:
        with pytest.raises(OSError, match="it is not a regular file"), open_regular(folder / "pipe"):
            pass
        return "refused"

    assert within_time(read) == "refused"


def test_a_regular_file_is_read_whole(folder: Path) -> None:
    assert read_regular(folder / "good", "good", 4) == b"good"
    with pytest.raises(ToolError, match="'good' is larger than 3 bytes; the option max_size allows more"):
        read_regular(folder / "good", "good", 3)
