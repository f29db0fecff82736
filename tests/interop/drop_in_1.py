"""The client of `mcp` 1 against the server of test_drop_in.py; an environment with that package runs it.

Arguments: the revisions, separated by commas, and a URL, or a command and its arguments. Prints what it got as JSON.
"""

import json
import os
import sys

import anyio
import mcp.types as types
from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client


async def use(revision: str, target: list[str]) -> dict[str, object]:
    """Everything the client gets on one revision."""
    types.LATEST_PROTOCOL_VERSION = revision  # what the client offers; it has no option for that
    heard: list[object] = []

    async def log(params: types.LoggingMessageNotificationParams) -> None:
        heard.append(params.data)

    async def progress(done: float, total: float | None, message: str | None) -> None:
        heard.append([done, total])

    async def elicit(context: object, params: types.ElicitRequestParams) -> types.ElicitResult:
        return types.ElicitResult(action="accept", content={"shelf": params.message})

    where, *arguments = target
    connect = (
        stdio_client(StdioServerParameters(command=where, args=arguments, env=dict(os.environ)))
        if arguments
        else streamable_http_client(where)
    )
    with anyio.fail_after(60):
        async with (
            connect as (read, write, *_),
            ClientSession(read, write, logging_callback=log, elicitation_callback=elicit) as client,
        ):
            greeted = await client.initialize()

            async def call(name: str, given: dict[str, object]) -> list[object]:
                result = await client.call_tool(name, given, progress_callback=progress)
                return [[block.text for block in result.content], result.structuredContent]

            tools = (await client.list_tools()).tools
            got: dict[str, object] = {
                "revision": greeted.protocolVersion,
                "tools": [tool.name for tool in tools],
                "find": await call("find", {"title": "Plain"}),
                "blocks": await call("blocks", {}),
                "fail": await call("fail", {}),
                "book": [one.text for one in (await client.read_resource("book://Plain")).contents],
                "review": [
                    one.content.text for one in (await client.get_prompt("review", {"title": "Plain"})).messages
                ],
            }
            if revision >= "2025-06-18":
                got["ask"] = await call("ask", {})
            return {**got, "heard": heard}


async def main() -> None:
    """Use the server on each revision."""
    revisions, *target = sys.argv[1:]
    print(json.dumps([await use(revision, target) for revision in revisions.split(",")]))


if __name__ == "__main__":
    anyio.run(main)
