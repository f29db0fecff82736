"""Parameters with Depends: hidden from clients, resolved for each call, closed after it."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Annotated, Any

import pytest

from mounted import Live, modern
from plainmcp import Context, Depends, Server, ToolError
from plainmcp.errors import AuthorError
from ways import REVISIONS, WAYS, send


def text_of(response: dict[str, Any]) -> str:
    text: str = response["result"]["content"][0]["text"]
    return text


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["plain", "async"])
def test_every_kind_of_dependency_is_resolved_once_and_closed_after_the_call(
    way: str, revision: str, kind: str
) -> None:
    log: list[str] = []

    def number() -> int:
        log.append("number")
        return 1

    async def name(n: Annotated[int, Depends(number)]) -> str:
        return f"n{n}"

    def opened(ctx: Context, n: int = Depends(number)) -> Iterator[str]:
        log.append("open")
        yield f"{ctx.revision} {n}"
        log.append("close")

    async def opened_async(before: str = Depends(opened)) -> AsyncIterator[str]:
        log.append("open async")
        yield before.upper()
        log.append("close async")

    server = Server("s")

    @server.tool(name="plain")
    def plain(x: int, a: str = Depends(name), b: str = Depends(opened_async), c: str = Depends(opened)) -> str:
        log.append("call")
        return f"{x} {a} {b} {c}"

    @server.tool(name="async")
    async def asynchronous(
        x: int, a: str = Depends(name), b: str = Depends(opened_async), c: str = Depends(opened)
    ) -> str:
        return plain(x, a, b, c)

    response = send(way, server, "tools/call", revision, name=kind, arguments={"x": 5})
    assert text_of(response) == f"5 n1 {revision} 1 {revision} 1"
    assert log == ["number", "open", "open async", "call", "close async", "close"]
    listed = send(way, server, "tools/list", revision)["result"]["tools"]
    assert [list(tool["inputSchema"]["properties"]) for tool in listed] == [["x"], ["x"]]


@pytest.mark.parametrize("way", ["handle", "asgi"])
def test_prompts_resources_templates_and_completions_have_dependencies_too(way: str) -> None:
    server = Server("s")

    def who(ctx: Context) -> str:
        return "Ann"

    @server.prompt
    def greet(city: str, user: str = Depends(who)) -> str:
        return f"{user} in {city}"

    @server.resource("note://one")
    def note(user: str = Depends(who)) -> str:
        return f"of {user}"

    @server.resource("note://{id}")
    def by_id(id: str, user: str = Depends(who)) -> str:
        return f"{id} of {user}"

    @server.completion("greet", "city")
    def cities(typed: str, user: str = Depends(who)) -> list[str]:
        return [f"{typed}{user}"]

    got = send(way, server, "prompts/get", name="greet", arguments={"city": "Oslo"})
    assert got["result"]["messages"][0]["content"]["text"] == "Ann in Oslo"
    assert send(way, server, "resources/read", uri="note://one")["result"]["contents"][0]["text"] == "of Ann"
    assert send(way, server, "resources/read", uri="note://7")["result"]["contents"][0]["text"] == "7 of Ann"
    ref, argument = {"type": "ref/prompt", "name": "greet"}, {"name": "city", "value": "O"}
    completed = send(way, server, "completion/complete", ref=ref, argument=argument)
    assert completed["result"]["completion"]["values"] == ["OAnn"]


@pytest.mark.parametrize("way", ["handle", "asgi", "wsgi"])
def test_a_dependency_sees_the_exception_of_the_call_and_its_own_ends_the_call(way: str) -> None:
    seen: list[str] = []
    server = Server("s")

    def transaction() -> Iterator[str]:
        try:
            yield "open"
        except ValueError as error:
            seen.append(str(error))
            raise ToolError("rolled back") from error

    def refuse() -> str:
        raise ToolError("not today")

    @server.tool
    def fail(db: str = Depends(transaction)) -> str:
        raise ValueError("broken")

    @server.tool
    def never(db: str = Depends(transaction), other: str = Depends(refuse)) -> str:
        raise AssertionError

    failed = send(way, server, "tools/call", name="fail", arguments={})["result"]
    assert failed["isError"] and failed["content"][0]["text"] == "rolled back" and seen == ["broken"]
    refused = send(way, server, "tools/call", name="never", arguments={})["result"]
    assert refused["isError"] and refused["content"][0]["text"] == "not today"


def test_arguments_that_do_not_fit_are_refused_before_anything_is_opened() -> None:
    opened: list[int] = []
    server = Server("s")

    @server.tool
    def add(x: int, db: None = Depends(lambda: opened.append(1))) -> int:
        return x

    result = send("handle", server, "tools/call", name="add", arguments={"x": "one"})["result"]
    assert result["isError"] and "x" in result["content"][0]["text"] and not opened
    assert send("handle", server, "tools/call", name="add", arguments={"x": 1, "db": 2})["result"]["isError"]


def test_a_dependency_is_closed_when_the_client_disconnects() -> None:
    log: list[str] = []
    server = Server("s")

    async def db() -> AsyncIterator[str]:
        log.append("open")
        try:
            yield "db"
        finally:
            log.append("close")

    @server.tool
    async def wait(db: str = Depends(db)) -> str:
        await asyncio.sleep(60)
        return "late"

    async def main() -> None:
        live = Live(server.asgi(), *modern("tools/call", name="wait", arguments={}))
        async with asyncio.timeout(10):
            while log != ["open"]:
                await asyncio.sleep(0.01)
            live.hang_up()
            while log != ["open", "close"]:
                await asyncio.sleep(0.01)

    asyncio.run(main())


def test_what_cannot_be_a_dependency_is_refused_at_registration() -> None:
    server = Server("s")
    with pytest.raises(AuthorError, match="Depends takes a function, not str"):
        Depends("db")  # type: ignore[arg-type]

    def needs(x: int) -> int:
        return x

    with pytest.raises(AuthorError, match="needs takes 'x'; a dependency takes the Context"):

        @server.tool
        def use(x: int = Depends(needs)) -> int:
            return x

    def circle(other: Any) -> Any:
        return other

    circle.__defaults__ = (Depends(circle),)
    with pytest.raises(AuthorError, match="circle depends on itself"):

        @server.tool
        def turn(x: Any = Depends(circle)) -> Any:
            return x
