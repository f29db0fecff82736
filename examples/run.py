"""What `make run` does: serves the weather example on loopback, and prints lines to paste into another terminal.

python examples/run.py [PORT]
"""

import json
import os
import runpy
import socket
import sys
from importlib.util import find_spec
from pathlib import Path

from plainmcp.revisions import LATEST

WEATHER = Path(__file__).with_name("weather.py")


def lines_to_try(origin: str) -> list[str]:
    """Lines to paste: the page, if this version has one, a call with the command line, and a call with curl."""
    program = Path(sys.executable).with_name("plainmcp")
    command = os.path.relpath(program) if program.exists() else f"{os.path.relpath(sys.executable)} -m plainmcp"
    facts = {"protocolVersion": LATEST.name, "clientCapabilities": {}}
    meta = {f"io.modelcontextprotocol/{name}": value for name, value in facts.items()}
    params = {"name": "forecast", "arguments": {"city": "Oslo"}, "_meta": meta}
    message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": LATEST.name,
        "Mcp-Method": "tools/call",
        "Mcp-Name": "forecast",
    }
    curl = " ".join(["curl -s", *(f"-H '{name}: {value}'" for name, value in headers.items()), f"-d '{message}'"])
    page = [f"{origin}/"] if find_spec("plainmcp.ui") else []
    return [*page, f"{command} call {origin} forecast city=Oslo", f"{curl} {origin}/mcp"]


def serve(port: str = "8000") -> None:
    """Serve over HTTP with the command line, and print lines to try it."""
    try:
        socket.create_server(("127.0.0.1", int(port))).close()
    except (OSError, OverflowError, ValueError):
        sys.exit(f"port {port} of 127.0.0.1 cannot be used; try another: make run PORT=8001")
    print(*lines_to_try(f"http://127.0.0.1:{port}"), sep="\n\n", end="\n\n", flush=True)
    sys.argv = ["plainmcp", "serve", str(WEATHER), "--http", f"127.0.0.1:{port}"]
    runpy.run_module("plainmcp", run_name="__main__")  # exits


if __name__ == "__main__":
    serve(*sys.argv[1:2])
