"""Requests that go on after their response: a driver answers when they ask for it, or after a time."""

import asyncio
import json
import threading
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import msgspec
import pytest

from plainmcp import Depends, Server
from plainmcp.protocol.conversation import keep
from plainmcp.protocol.dispatch import receive
from plainmcp.protocol.exchange import Detach, Detachable, Exchange, Run
from plainmcp.protocol.features import Feature
from plainmcp.protocol.request import Caller
from plainmcp.protocol.store_steps import StoreExchange
from plainmcp.transports.link import RequestLink
from plainmcp.transports.run import run
from plainmcp.transports.run_async import run_async
from plainmcp.transports.threads import threads_of

SECONDS = 10
HANDLE = b'{"jsonrpc":"2.0","id":1,"result":{"resultType":"task"}}'
who: ContextVar[str] = ContextVar("who", default="nobody")


class Later:
    """A detachment that notes what happens to it."""

    def __init__(self, after: float | None = None) -> None:
        self.after = after
        self.log: list[Any] = []
        self.ended = threading.Event()
        self._listeners: list[Callable[[], object]] = []
        self._has_asked = False

    def ask(self) -> None:
        self._has_asked = True
        for listener in self._listeners:
            listener()

    def listen(self, listener: Callable[[], object]) -> None:
        self._listeners.append(listener)
        if self._has_asked:
            listener()

    def answer(self) -> Exchange:
        self.log.append("answer")
        return Exchange(HANDLE)

    def end(self, response: bytes | None) -> Exchange:
        self.log.append(None if response is None else text_of(response))
        self.ended.set()
        return Exchange()


def call(server: Server, later: Later, name: str, link: RequestLink | None = None) -> Exchange:
    """A call of a tool that may go on."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": {}}}
    inner = receive(server, message, Caller(link=link))
    return Detachable(step=Detach(inner, later))


def text_of(response: bytes | None) -> str:
    assert response is not None
    return str(json.loads(response)["result"]["content"][0]["text"])


def make_server(later: Later, going: threading.Event) -> Server:
    server = Server("s")

    @server.tool
    async def quick() -> str:
        return "quick"

    @server.tool
    async def slow_async() -> str:
        while not going.is_set():
            await asyncio.sleep(0.001)
        return f"slow for {who.get()}"

    @server.tool
    def slow() -> str:
        going.wait(SECONDS)
        return f"slow for {who.get()}"

    @server.tool
    async def asking() -> str:
        later.ask()
        while not going.is_set():
            await asyncio.sleep(0.001)
        return "asked"

    @server.tool
    def asking_in_a_thread() -> str:
        later.ask()
        going.wait(SECONDS)
        return "asked"

    return server


async def take(server: Server, exchange: Exchange) -> bytes | None:
    return await asyncio.wait_for(run_async(exchange, threads_of(server)), SECONDS)


async def wait_for(event: threading.Event) -> None:
    assert await asyncio.to_thread(event.wait, SECONDS)


def test_a_call_that_ends_in_time_is_answered_as_always() -> None:
    later, going = Later(after=SECONDS), threading.Event()
    server = make_server(later, going)
    assert text_of(asyncio.run(take(server, call(server, later, "quick")))) == "quick"
    assert later.log == []


@pytest.mark.parametrize("name", ["slow_async", "slow"])
def test_after_its_time_a_call_is_answered_and_goes_on(name: str) -> None:
    later, going = Later(after=0.02), threading.Event()
    server = make_server(later, going)

    async def main() -> None:
        who.set("ada")
        assert await take(server, call(server, later, name)) == HANDLE
        assert later.log == ["answer"]
        going.set()
        await wait_for(later.ended)

    asyncio.run(main())
    assert later.log == ["answer", "slow for ada"]


@pytest.mark.parametrize("name", ["asking", "asking_in_a_thread"])
def test_a_function_asks_for_it(name: str) -> None:
    later, going = Later(), threading.Event()
    server = make_server(later, going)

    async def main() -> None:
        assert await take(server, call(server, later, name)) == HANDLE
        going.set()
        await wait_for(later.ended)

    asyncio.run(main())
    assert later.log == ["answer", "asked"]


@pytest.mark.parametrize("name", ["quick", "slow", "slow_async", "asking", "asking_in_a_thread"])
def test_a_driver_that_ends_with_the_request_answers_at_its_end(name: str) -> None:
    later, going = Later(after=0.0), threading.Event()
    going.set()
    server = make_server(later, going)
    assert text_of(run(call(server, later, name))) in ("quick", "slow for nobody", "asked")
    assert later.log == []


def test_a_request_that_is_cancelled_before_it_is_answered_ends_nothing_later() -> None:
    later, going = Later(after=SECONDS), threading.Event()
    server, link = make_server(later, going), RequestLink(None)

    async def main() -> bytes | None:
        task = asyncio.create_task(take(server, call(server, later, "slow_async", link)))
        await asyncio.sleep(0.02)
        link.cancel()
        return await task

    assert asyncio.run(main()) is None
    assert later.log == []


def test_a_driver_that_is_cancelled_cancels_the_call() -> None:
    later, going, seen = Later(after=SECONDS), threading.Event(), list[str]()
    server = Server("s")

    @server.tool
    async def wait() -> None:
        try:
            await asyncio.sleep(SECONDS)
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    async def main() -> None:
        task = asyncio.create_task(take(server, call(server, later, "wait")))
        await asyncio.sleep(0.02)
        task.cancel()
        await asyncio.wait((task,))
        await asyncio.sleep(0.01)

    asyncio.run(main())
    assert (seen, later.log, going.is_set()) == (["cancelled"], [], False)


class SlowToAnswer(Later):
    """A detachment whose answer takes a step, which waits until it may end."""

    may_end = False

    def answer(self) -> Exchange:
        def steps() -> Any:
            yield Run(Feature(function=self._wait, is_async=True), {}, keep, None)
            self.log.append("answered")
            return HANDLE

        self.log.append("answer")
        return StoreExchange(steps=steps()).begin()

    async def _wait(self) -> None:
        while not self.may_end:
            await asyncio.sleep(0.001)


def test_a_call_that_ends_while_it_is_answered_ends_after_that() -> None:
    later, going = SlowToAnswer(after=0.0), threading.Event()
    server = make_server(later, going)

    async def main() -> None:
        task = asyncio.create_task(take(server, call(server, later, "slow_async")))
        while later.log != ["answer"]:
            await asyncio.sleep(0.001)
        going.set()
        await asyncio.sleep(0.02)
        later.may_end = True
        assert await task == HANDLE
        await wait_for(later.ended)

    asyncio.run(main())
    assert later.log == ["answer", "answered", "slow for nobody"]


def test_a_driver_that_is_cancelled_while_it_answers_ends_the_call() -> None:
    later = SlowToAnswer(after=0.0)
    server = make_server(later, threading.Event())

    async def main() -> None:
        task = asyncio.create_task(take(server, call(server, later, "slow_async")))
        await asyncio.sleep(0.02)
        task.cancel()
        await asyncio.wait((task,))
        assert task.cancelled()
        await wait_for(later.ended)

    asyncio.run(main())
    assert later.log == ["answer", None]


def test_a_call_that_goes_on_ends_with_its_loop() -> None:
    later = Later(after=0.0)
    server = make_server(later, threading.Event())
    assert asyncio.run(take(server, call(server, later, "slow_async"))) == HANDLE
    assert later.log == ["answer", None]


@pytest.mark.parametrize(("name", "log"), [("listen", []), ("answer", [None])])
def test_a_detachment_that_fails_leaves_nothing_running(
    name: str, log: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    later = Later(after=0.0)
    server = make_server(later, threading.Event())

    def fail(*args: Any) -> Any:
        raise RuntimeError("no")

    monkeypatch.setattr(later, name, fail)

    async def main() -> None:
        assert await take(server, call(server, later, "slow_async")) is None
        await asyncio.sleep(0.02)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())
    assert later.log == log


def test_dependencies_end_when_the_call_ends_and_not_when_it_is_answered() -> None:
    later, going, seen = Later(after=0.02), threading.Event(), list[str]()
    server = Server("s")

    def open_file() -> Any:
        seen.append("open")
        yield "file"
        seen.append("closed")

    @server.tool
    async def read(file: str = Depends(open_file)) -> str:
        while not going.is_set():
            await asyncio.sleep(0.001)
        return file

    async def main() -> None:
        assert await take(server, call(server, later, "read")) == HANDLE
        assert seen == ["open"]
        going.set()
        await wait_for(later.ended)

    asyncio.run(main())
    assert (later.log, seen) == (["answer", "file"], ["open", "closed"])


def test_a_crash_after_the_answer_is_its_end() -> None:
    later, server = Later(after=0.0), Server("s")

    @server.tool
    async def crash() -> None:
        await asyncio.sleep(0.02)
        raise SystemExit("no")

    async def main() -> None:
        assert await take(server, call(server, later, "crash")) == HANDLE
        await wait_for(later.ended)

    asyncio.run(main())
    assert later.log[0] == "answer" and "failed unexpectedly" in later.log[1]


def test_context_variables_of_observers_are_set_for_the_rest() -> None:
    later, going = Later(after=0.02), threading.Event()
    server = make_server(later, going)
    server.methods = {**server.methods}
    call_tool = server.methods["tools/call"]

    @server.observe
    def watch(facts: Any) -> Callable[[Any], None]:
        who.set("grace")
        return lambda facts: later.log.append(facts.outcome)

    def answer(core: Any, request: Any) -> Exchange:
        return Detachable(step=Detach(call_tool.answer(core, request), later))

    server.methods["tools/call"] = msgspec.structs.replace(call_tool, answer=answer)
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "slow_async", "arguments": {}}}

    async def main() -> None:
        assert await take(server, receive(server, message, Caller())) == HANDLE
        going.set()
        await wait_for(later.ended)

    asyncio.run(main())
    assert later.log == ["answer", "ok", "slow for grace"]
