"""A list of features that changes while other threads read it. test_registry has what is listed, and for whom."""

import json
import threading
from typing import Any

from plainmcp import Server
from plainmcp.revisions import LATEST
from speaking import ALL, answer, message


def test_a_list_can_be_read_while_it_changes() -> None:
    server = Server("s")
    for name in "abcdefgh":
        server.tool(name=name, tags=["x"] if name in "bdf" else [])(lambda: 1)
    stop, wrong = threading.Event(), []

    def read() -> None:
        request = json.dumps(message(ALL[-1], "tools/list")).encode()
        while not stop.is_set():
            found: Any = json.loads(server.handle(request) or b"")
            names = "".join(tool["name"] for tool in found.get("result", {}).get("tools", []))
            if names not in ("abcdefgh", "acegh"):
                wrong.append(found)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for _ in range(300):
        server.disable(tags=["x"])
        server.enable(tags=["x"])
    stop.set()
    for reader in readers:
        reader.join()
    assert not wrong


def test_a_page_that_is_written_during_a_change_is_not_kept() -> None:
    server = Server("s")

    def write(page: list[Any], cursor: str | None) -> bytes:
        server.tool(name="b")(lambda: 1)
        return b"the former list"

    server.tool(name="a")(lambda: 1)
    assert server.registry.tools.page(None, None, LATEST, None, write) == b"the former list"
    tools = answer(server, ALL[-1], "tools/list")["result"]["tools"]
    assert [tool["name"] for tool in tools] == ["a", "b"]
