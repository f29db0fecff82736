"""Parameters that functions fill in, as `Resolve` of `mcp` 2 has them."""

from dataclasses import dataclass
from typing import Annotated, Any

import pytest

from plainmcp.compat.mcp.server.mcpserver import (
    AcceptedElicitation,
    Context,
    Elicit,
    ElicitationResult,
    ListRoots,
    MCPServer,
    Resolve,
    Sample,
)
from plainmcp.compat.mcp.server.mcpserver.exceptions import InvalidSignature
from plainmcp.testing import Client

REVISIONS = ["2025-06-18", "2026-07-28"]


@dataclass
class Confirm:
    ok: bool


def text_of(result: dict[str, Any]) -> str:
    return str(result["content"][0]["text"])


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_resolver_takes_arguments_the_context_and_other_resolvers_and_runs_once(revision: str) -> None:
    mcp, runs = MCPServer("shop"), []

    async def stock(title: str, ctx: Context) -> int:
        runs.append(ctx.request_context.method)
        return len(title)

    def delivery(count: Annotated[int, Resolve(stock)], days: int = 2) -> str:
        return f"{count} in {days} days"

    @mcp.tool()
    def order(
        title: str,
        when: Annotated[str, Resolve(delivery)],
        count: Annotated[int, Resolve(stock)],
        days: int = 3,
    ) -> str:
        """Order a book."""
        return f"{title}: {when}, {count}"

    client = Client(mcp, revision)
    (tool,) = client.list_tools()
    assert list(tool["inputSchema"]["properties"]) == ["title", "days"]
    assert tool["inputSchema"]["required"] == ["title"]
    assert text_of(client.call("order", title="Dune")) == "Dune: 4 in 3 days, 4"
    assert text_of(client.call("order", title="Dune", days=1, count=9)) == "Dune: 4 in 1 days, 4"
    assert runs == ["tools/call", "tools/call"]


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_resolver_may_ask_the_user(revision: str) -> None:
    mcp = MCPServer("files")

    async def confirm(path: str) -> Confirm | Elicit[Confirm]:
        return Confirm(ok=True) if path == "empty" else Elicit(f"Delete {path}?", Confirm)

    @mcp.tool()
    async def delete(path: str, answer: Annotated[Confirm, Resolve(confirm)]) -> str:
        return f"deleted: {answer.ok}"

    @mcp.tool()
    async def try_delete(path: str, answer: Annotated[ElicitationResult[Confirm], Resolve(confirm)]) -> str:
        return f"deleted: {answer.data.ok}" if isinstance(answer, AcceptedElicitation) else answer.action

    asked: list[str] = []

    def answer(action: str) -> Any:
        def reply(question: dict[str, Any]) -> dict[str, Any]:
            asked.append(question["message"])
            return {"action": action, **({"content": {"ok": False}} if action == "accept" else {})}

        return reply

    accepting = Client(mcp, revision, answers={"elicitation/create": answer("accept")})
    assert text_of(accepting.call("delete", path="empty")) == "deleted: True"
    assert asked == []
    assert text_of(accepting.call("delete", path="full")) == "deleted: False"
    assert text_of(accepting.call("try_delete", path="full")) == "deleted: False"
    assert asked[0] == "Delete full?"
    declining = Client(mcp, revision, answers={"elicitation/create": answer("decline")})
    assert text_of(declining.call("try_delete", path="full")) == "decline"
    refused = declining.call("delete", path="full")
    reason = "Resolver for parameter 'answer' could not resolve: elicitation was decline"
    assert refused["isError"] and text_of(refused).endswith(reason)


def test_a_resolver_may_ask_the_model_and_for_folders() -> None:
    mcp = MCPServer("shop")

    def draft(title: str) -> Sample:
        return Sample([{"role": "user", "content": {"type": "text", "text": title}}], max_tokens=10)

    def folders() -> ListRoots:
        return ListRoots()

    @mcp.tool()
    async def blurb(title: str, text: Annotated[Any, Resolve(draft)], roots: Annotated[Any, Resolve(folders)]) -> str:
        return f"{text.content.text} in {roots.roots[0].uri}"

    reply = {"role": "assistant", "model": "m", "content": {"type": "text", "text": "good"}}
    roots = {"roots": [{"uri": "file:///a"}]}
    answers = {"sampling/createMessage": lambda _: reply, "roots/list": lambda _: roots}
    client = Client(mcp, "2025-06-18", answers=answers)
    assert text_of(client.call("blurb", title="Dune")) == "good in file:///a"


def test_mistakes_are_found_when_the_tool_is_registered() -> None:
    mcp = MCPServer("shop")

    def unknown(price: int) -> int:
        return price

    async def one(two: "Annotated[int, Resolve(second)]") -> int:
        return two

    async def second(one_: Annotated[int, Resolve(one)]) -> int:
        return one_

    globals()["second"] = second
    with pytest.raises(InvalidSignature, match="the tool has no parameter 'price'"):

        @mcp.tool()
        def buy(cost: Annotated[int, Resolve(unknown)]) -> int:
            return cost

    with pytest.raises(InvalidSignature, match="cyclic"):

        @mcp.tool()
        def turn(cost: Annotated[int, Resolve(second)]) -> int:
            return cost

    with pytest.raises(InvalidSignature, match="union"):

        @mcp.tool()
        def maybe(cost: Annotated[int, Resolve(unknown)] | None = None) -> int:
            return cost or 0
