"""The official Python client and FastMCP's as clients of the soak, on both kinds of revisions."""

import asyncio
import random
import warnings
from typing import Any

import mcp_types as types

from soak.client import PATIENCE
from soak.history import History, Operation

__all__ = ["FastMCPClient", "OfficialClient"]


class OfficialClient:
    """The official Python client; when its connection breaks, it connects again."""

    def __init__(self, url: str, name: str, history: History, chance: random.Random, mode: str) -> None:
        self.name, self.history, self._chance, self._url, self._mode = name, history, chance, url, mode
        self._count = 0

    async def run(self, count: int) -> None:
        """Do so many operations."""
        while self._count < count:
            try:
                async with self._connect() as client:
                    while self._count < count:
                        await self._do(client, self._chance.choice(("call", "question", "progress")))
            except Exception as error:
                if self.history.operations and self.history.operations[-1].outcome == "no answer":
                    self.history.operations[-1].detail = repr(error)
                await asyncio.sleep(0.3)

    def _connect(self) -> Any:
        from mcp import Client

        warnings.simplefilter("ignore")
        return Client(self._url, mode=self._mode, elicitation_callback=self._elicit)  # type: ignore[arg-type]

    async def _elicit(self, context: Any, params: Any) -> types.ElicitResult:
        return types.ElicitResult(action="accept", content={"word": params.message})

    async def _call_tool(self, client: Any, name: str, arguments: dict[str, Any], progress: Any) -> str:
        result = await client.call_tool(name, arguments, progress_callback=progress)
        if result.is_error:
            raise RuntimeError(result.content[0].text)
        text: str = result.content[0].text
        return text

    async def _do(self, client: Any, kind: str) -> None:
        self._count += 1
        loop = asyncio.get_running_loop()
        one = Operation(kind, self.name, f"{self.name}-{self._count}", loop.time())
        self.history.operations.append(one)
        numbers: list[float] = []

        async def progress(value: float, total: float | None, message: str | None) -> None:
            numbers.append(value)

        calls = {
            "call": ("add", {"a": self._count, "b": 1}, str(self._count + 1)),
            "question": ("confirm", {"what": one.word}, f"accept {one.word}"),
            "progress": ("count", {"to": 3, "seconds": 0.03}, "counted to 3"),
        }
        tool, arguments, expected = calls[kind]
        try:
            async with asyncio.timeout(PATIENCE):
                text = await self._call_tool(client, tool, arguments, progress)
            one.responses += 1
            is_right = text == expected and numbers in ([], [1.0, 2.0, 3.0])
            one.outcome, one.detail = ("done", "") if is_right else ("wrong", f"{text}, {numbers}")
        except TimeoutError:
            one.detail = "it took too long"
            raise
        except Exception as error:
            one.outcome, one.detail = "failed", f"{type(error).__name__}: {error}"
            raise
        finally:
            one.ended = loop.time()


class FastMCPClient(OfficialClient):
    """FastMCP's client."""

    def _connect(self) -> Any:
        from fastmcp import Client

        warnings.simplefilter("ignore")

        async def elicit(message: str, kind: Any, params: Any, context: Any) -> Any:
            return {"word": message}

        return Client(self._url, elicitation_handler=elicit)

    async def _call_tool(self, client: Any, name: str, arguments: dict[str, Any], progress: Any) -> str:
        result = await client.call_tool(name, arguments, progress_handler=progress)
        text: str = result.content[0].text
        return text
