"""The official TypeScript client as a client of the soak: a program that Node runs, and whose lines are read here."""

import asyncio
import json
import random
from math import inf
from pathlib import Path
from typing import Any

from npm import NODE, installed
from soak.history import Change, History, Operation, Watch
from soak.worker import Worker

__all__ = ["TypeScriptClient"]

SCRIPT = Path(__file__).parent / "typescript.mjs"
SECONDS = 600


class TypeScriptClient(Worker):
    """The official TypeScript client; when an operation fails, it connects again."""

    def __init__(self, url: str, name: str, history: History, chance: random.Random, mode: str) -> None:
        super().__init__(url, name, history, chance)
        self._mode = mode
        self._watches: dict[int, Watch] = {}
        self._is_finished = False

    async def run(self, count: int) -> None:
        """Do so many operations."""
        package = installed("@modelcontextprotocol/client", "2.4.0")
        arguments = [self._mode, self.url, self.name, str(count), str(self.chance.randint(1, 10**6)), str(self.pace)]
        process = await asyncio.create_subprocess_exec(
            NODE, SCRIPT, package, *arguments, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        assert process.stdin is not None and process.stdout is not None
        reading = asyncio.create_task(self._read(process.stdout))
        try:
            async with asyncio.timeout(SECONDS):
                while not (self._is_finished or reading.done()):
                    await asyncio.sleep(0.1)
                for watch in self._watches.values():
                    await self.wait_for_updates(watch)
        finally:
            process.stdin.close()  # which ends it
            try:
                await asyncio.wait_for(asyncio.gather(reading, process.wait()), 10)
            except TimeoutError:
                process.kill()
                await process.wait()
        assert self._is_finished, f"{self.name} ended with status {process.returncode}"

    async def _read(self, lines: asyncio.StreamReader) -> None:
        async for line in lines:
            self._take(json.loads(line))

    def _take(self, line: dict[str, Any]) -> None:
        """Put a line of the program into the history."""
        match line:
            case {"watch": number, **facts}:
                if number not in self._watches:
                    self._watches[number] = self.begin_watch()
                self._note(self._watches[number], facts)
            case {"change": uri, "began": began, "acknowledged": acknowledged}:
                self.history.changes.append(Change(uri, began, inf if acknowledged is None else acknowledged))
            case {"finished": True}:
                self._is_finished = True
            case _:
                self.history.operations.append(Operation(client=self.name, **line))

    def _note(self, watch: Watch, facts: dict[str, Any]) -> None:
        match facts:
            case {"asked": uris}:
                watch.asked.update(uris)
            case {"since": at, "uris": uris}:
                watch.since.update(dict.fromkeys(uris, at))
            case {"until": at}:
                watch.until = min(watch.until, at)
            case {"got": uri}:
                watch.got.append(uri)
