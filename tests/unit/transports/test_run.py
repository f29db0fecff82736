"""Running user code: in this thread, in threads of ours, in a loop; given up, cancelled, and never escaping."""

import asyncio
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Annotated, Any

import pydantic
import pytest

from plainmcp import Context, Server
from plainmcp.errors import AuthorError
from plainmcp.transports.threads import Threads
from talking import META, until

SECONDS = 20
who: ContextVar[str] = ContextVar("who", default="nobody")


def request(name: str, id: int = 1, **arguments: Any) -> dict[str, Any]:
    params = {"name": name, "arguments": arguments, "_meta": META}
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}


def result(answer: bytes | None) -> dict[str, Any]:
    assert answer is not None
    found: dict[str, Any] = json.loads(answer)["result"]
    return found


def text(answer: bytes | None) -> str:
    said: str = result(answer)["content"][0]["text"]
    return said


async def looped(server: Server, message: Any) -> bytes | None:
    return await asyncio.wait_for(server.handle_async(message), SECONDS)


def both(server: Server, message: Any) -> list[bytes | None]:
    """The same message without a loop and in one."""
    return [server.handle(message), asyncio.run(looped(server, message))]


def cancel(id: int = 1) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}


# Where it runs ------------------------------------------------------------------------------------


def test_plain_functions_run_beside_the_loop_and_no_more_of_them_than_allowed() -> None:
    server = Server("threads", threads=2)
    running, most, lock = 0, 0, threading.Lock()

    @server.tool
    def wait() -> str:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.05)
        with lock:
            running -= 1
        return threading.current_thread().name

    async def main() -> list[bytes | None]:
        return await asyncio.gather(*(looped(server, request("wait", id)) for id in range(8)))

    names = {text(answer) for answer in asyncio.run(main())}
    assert most == 2
    assert len(names) <= 2
    assert threading.current_thread().name not in names


def test_an_inline_function_runs_in_the_loop() -> None:
    server = Server("inline")

    @server.tool(inline=True)
    def where() -> str:
        return threading.current_thread().name

    assert {text(answer) for answer in both(server, request("where"))} == {threading.current_thread().name}


def test_at_least_one_thread_is_needed() -> None:
    with pytest.raises(AuthorError, match="threads is at least 1"):
        Server("none", threads=0)


def test_context_variables_travel_with_the_call() -> None:
    server = Server("travel", timeout=SECONDS)

    @server.tool
    def plain() -> str:
        return who.get()

    @server.tool
    async def waiting() -> str:
        await asyncio.sleep(0)
        return who.get()

    token = who.set("somebody")
    try:
        for name in ("plain", "waiting"):
            assert [text(answer) for answer in both(server, request(name))] == ["somebody"] * 2
    finally:
        who.reset(token)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_has_a_loop_and_threads_of_its_own() -> None:
    program = """
import asyncio, os, sys, warnings
from plainmcp import Server
from talking import META
warnings.simplefilter("ignore")
server = Server("forked", timeout=10)

@server.tool
async def waiting() -> str:
    await asyncio.sleep(0)
    return "waited"

@server.tool
def plain() -> str:
    return "plain"

def answered() -> bool:
    for name in ("waiting", "plain"):
        params = {"name": name, "arguments": {}, "_meta": META}
        answer = server.handle({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        if b"isError" in answer:
            return False
    return True

assert answered()
child = os.fork()
if not child:
    os._exit(0 if answered() else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, timeout=SECONDS)
    assert done.returncode == 0, done.stderr


# Too long -----------------------------------------------------------------------------------------


def test_what_takes_too_long_is_given_up() -> None:
    server = Server("slow", timeout=0.05)
    over = threading.Event()

    @server.tool
    def plain() -> str:
        over.wait(SECONDS)
        return "late"

    @server.tool
    async def waiting() -> str:
        await asyncio.sleep(SECONDS)
        return "late"

    @server.tool(timeout=None)
    def patient() -> str:
        time.sleep(0.1)
        return "in time"

    for name in ("plain", "waiting"):
        for answer in both(server, request(name)):
            assert result(answer)["isError"] is True
            assert text(answer) == "This took longer than 0.05 seconds and was given up."
    assert [text(answer) for answer in both(server, request("patient"))] == ["in time"] * 2
    over.set()


def test_a_timeout_of_the_function_s_own_is_not_taken_for_ours() -> None:
    server = Server("own", timeout=SECONDS)

    @server.tool
    async def waiting() -> str:
        raise TimeoutError("the database")

    for answer in both(server, request("waiting")):
        assert "longer than" not in text(answer)


# Nothing escapes ----------------------------------------------------------------------------------


@pytest.mark.parametrize("timeout", [None, SECONDS])
@pytest.mark.parametrize(
    "error", [SystemExit(3), StopIteration("x"), StopAsyncIteration(), asyncio.CancelledError(), GeneratorExit()]
)
def test_whatever_a_function_raises_its_call_is_answered(error: BaseException, timeout: float | None) -> None:
    server = Server("raising", timeout=timeout)

    @server.tool
    def plain() -> str:
        raise error

    @server.tool
    async def waiting() -> str:
        raise error

    @server.tool
    def fine() -> str:
        return "fine"

    names = ["plain"] if isinstance(error, GeneratorExit) else ["plain", "waiting"]
    for name in names:
        for answer in both(server, request(name)):
            assert result(answer)["isError"] is True
    assert text(server.handle(request("fine"))) == "fine"


def leave(given: Any = None) -> Any:
    raise SystemExit(3)


class Leaving:
    def __plain__(self) -> Any:
        return leave()


def leaving_at_last() -> Iterator[str]:
    yield "one"
    leave()


ASKED = {
    "tools/list": {},
    "tools/call": {"name": "hidden"},
    "resources/read": {"uri": "test://leaving"},
    "prompts/get": {"name": "leaving", "arguments": {"word": "x"}},
    "completion/complete": {
        "ref": {"type": "ref/prompt", "name": "leaving"}, "argument": {"name": "word", "value": ""},
    },
}  # fmt: skip


@pytest.mark.parametrize("meta", [{}, {"_meta": META}], ids=["2025-11-25", "2026-07-28"])
def test_nobody_ends_the_process_wherever_their_code_has_a_say(meta: dict[str, Any]) -> None:
    server = Server("leaving")

    async def later() -> Any:
        return leaving_at_last()

    async def later_with_context(ctx: Context) -> Any:
        return leaving_at_last()

    def validated(value: Annotated[int, pydantic.BeforeValidator(leave)]) -> None: ...

    server.tool(name="generator")(leaving_at_last)
    server.tool(name="value")(lambda: [Leaving()])
    server.tool(later)
    server.tool(later_with_context)
    server.tool(validated)
    for name in ("generator", "value", "later", "later_with_context", "validated"):
        for answer in both(server, request(name, **({"value": 1} if name == "validated" else {}))):
            assert result(answer)["isError"] is True
    server.tool(name="hidden", visible=leave)(lambda: "never")
    server.resource("test://leaving")(leaving_at_last)
    server.prompt(name="leaving")(lambda word: leaving_at_last())
    server.completion("leaving", "word")(lambda value: leaving_at_last())
    for method, params in ASKED.items():
        for answer in both(server, {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, **meta}}):
            assert json.loads(answer or b"")["error"]["code"] == -32603


# Cancelled ----------------------------------------------------------------------------------------


def started(server: Server, name: str) -> tuple[Any, threading.Thread, list[bytes | None]]:
    """A connection with a request under way in another thread, and where its answer will be."""
    connection = server.connect(lambda message: None)
    answers: list[bytes | None] = []
    thread = threading.Thread(target=lambda: answers.append(connection.handle(request(name))))
    thread.start()
    return connection, thread, answers


@pytest.mark.parametrize("timeout", [None, SECONDS])
def test_a_cancelled_coroutine_ends_where_it_waits_and_is_not_answered(timeout: float | None) -> None:
    """R26-CANC-01."""
    server = Server("cancelling", timeout=timeout)
    seen: list[str] = []

    @server.tool
    async def waiting() -> str:
        seen.append("began")
        try:
            await asyncio.sleep(SECONDS)
        finally:
            seen.append("ended")
        return "late"

    connection, thread, answers = started(server, "waiting")
    until(lambda: seen)
    connection.handle(cancel())
    thread.join(SECONDS)
    assert answers == [None]
    assert seen == ["began", "ended"]


def test_a_coroutine_that_takes_a_cancel_for_no_answer_is_not_answered_either() -> None:
    """R26-CANC-01."""
    server = Server("stubborn")
    seen: list[str] = []

    @server.tool
    async def waiting() -> str:
        seen.append("began")
        try:
            await asyncio.sleep(SECONDS)
        except asyncio.CancelledError:
            return "anyway"
        return "late"

    connection, thread, answers = started(server, "waiting")
    until(lambda: seen)
    connection.handle(cancel())
    thread.join(SECONDS)
    assert answers == [None]


def test_a_plain_function_under_a_loop_is_told_and_not_waited_for() -> None:
    server = Server("telling")
    seen: list[str] = []

    @server.tool
    def work(ctx: Context) -> str:
        seen.append("began")
        until(lambda: ctx.cancelled)
        seen.append("saw it")
        return "late"

    async def main() -> bytes | None:
        connection = server.connect(lambda message: None)
        task = asyncio.create_task(connection.handle_async(request("work")))
        while not seen:
            await asyncio.sleep(0.01)
        await connection.handle_async(cancel())
        return await asyncio.wait_for(task, SECONDS)

    assert asyncio.run(main()) is None
    until(lambda: seen == ["began", "saw it"])


def test_whoever_ends_the_task_ends_the_handler() -> None:
    server = Server("ending")
    seen: list[str] = []

    @server.tool
    async def waiting() -> str:
        seen.append("began")
        try:
            await asyncio.sleep(SECONDS)
        finally:
            seen.append("ended")
        return "late"

    @server.tool
    async def again() -> str:
        return "again"

    async def main() -> None:
        connection = server.connect(lambda message: None)
        task = asyncio.create_task(connection.handle_async(request("waiting")))
        while not seen:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert text(await connection.handle_async(request("again"))) == "again"  # its id is free once more

    asyncio.run(asyncio.wait_for(main(), SECONDS))
    assert seen == ["began", "ended"]


def test_what_was_given_up_before_its_turn_never_runs() -> None:
    server = Server("queue", threads=1)
    hold, ran = threading.Event(), []

    @server.tool
    def holding() -> str:
        hold.wait(SECONDS)
        return "held"

    @server.tool
    def behind() -> str:
        ran.append(1)
        return "ran"

    async def main() -> None:
        connection = server.connect(lambda message: None)
        first = asyncio.create_task(connection.handle_async(request("holding", 1)))
        second = asyncio.create_task(connection.handle_async(request("behind", 2)))
        await asyncio.sleep(0.1)
        await connection.handle_async(cancel(2))
        assert await asyncio.wait_for(second, SECONDS) is None
        hold.set()
        assert text(await asyncio.wait_for(first, SECONDS)) == "held"
        assert text(await asyncio.wait_for(connection.handle_async(request("holding", 3)), SECONDS)) == "held"

    asyncio.run(main())
    assert ran == []


# Threads ------------------------------------------------------------------------------------------


def test_threads_do_all_the_work_and_leave_when_there_is_none() -> None:
    threads = Threads(3, idle_seconds=0.05)
    done: list[int] = []
    before = threading.active_count()

    def work(number: int) -> Callable[[], None]:
        return lambda: done.append(number)

    for number in range(100):
        threads.submit(work(number))
    until(lambda: len(done) == 100)
    assert sorted(done) == list(range(100))
    until(lambda: threading.active_count() <= before)
    threads.submit(work(100))
    until(lambda: len(done) == 101)


def test_work_that_fails_takes_no_thread_along(caplog: pytest.LogCaptureFixture) -> None:
    threads = Threads(1, idle_seconds=0.5)
    done: list[int] = []

    def fail() -> None:
        raise RuntimeError("no")

    threads.submit(fail)
    threads.submit(lambda: done.append(1))
    until(lambda: done)
    assert "work in a thread failed" in caplog.text


def test_an_async_tool_may_call_the_server_for_another() -> None:
    server = Server("s")

    @server.tool
    async def inner() -> str:
        return "inside"

    @server.tool
    async def outer() -> str:
        raw = server.handle({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "inner"}})
        return (raw or b"").decode()

    raw = server.handle({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "outer"}})
    assert raw is not None and b"inside" in raw


def test_a_plain_wrapper_around_an_async_function_is_awaited() -> None:
    server = Server("s")

    async def real(a: int) -> int:
        return a + 1

    @server.tool
    def wrapper(a: int) -> object:
        return real(a)

    said = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "wrapper", "arguments": {"a": 1}}}
    for raw in (server.handle(said), asyncio.run(server.handle_async(said))):
        assert raw is not None and b'"text":"2"' in raw


def test_a_thread_that_cannot_start_takes_nobody_s_place(monkeypatch: pytest.MonkeyPatch) -> None:
    threads, done = Threads(1), list[int]()

    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        with pytest.raises(RuntimeError):
            threads.submit(lambda: done.append(1))
    threads.submit(lambda: done.append(2))
    until(lambda: done == [2])


@pytest.mark.parametrize("inline", [True, False])
def test_a_plain_wrapper_around_an_async_function_is_contained_too(inline: bool) -> None:
    server = Server("s")

    async def leave() -> None:
        await asyncio.sleep(0)
        raise SystemExit

    server.tool(name="leave", inline=inline)(lambda: leave())

    async def main() -> bytes | None:
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "leave"}}
        return await asyncio.wait_for(server.handle_async(asked), SECONDS)

    assert b"Tool leave failed unexpectedly" in (asyncio.run(main()) or b"")


def test_suggestions_are_given_up_after_their_time_and_the_client_is_told_so() -> None:
    server = Server("s")
    server.add_text_prompt("brief", "About {city}")

    @server.completion("brief", "city", timeout=0.05)
    async def cities(typed: str) -> list[str]:
        await asyncio.sleep(SECONDS)
        return []

    params = {"ref": {"type": "ref/prompt", "name": "brief"}, "argument": {"name": "city", "value": ""}}
    for answer in both(server, {"jsonrpc": "2.0", "id": 1, "method": "completion/complete", "params": params}):
        error = json.loads(answer or b"")["error"]
        assert error == {"code": -32603, "message": "This took longer than 0.05 seconds and was given up."}
