"""An application of FastAPI that fastapi-mcp offers as tools, over HTTP at a port of its own."""

import socket
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi_mcp import FastApiMCP

app = FastAPI(title="Shop", version="1.0")


@app.get("/items/{item_id}", operation_id="get_item")
async def get_item(item_id: int, request: Request, colour: str | None = None) -> dict[str, Any]:
    """One item, and who asks for it."""
    return {"id": item_id, "colour": colour, "caller": request.headers.get("authorization")}


@app.post("/items", operation_id="add_item")
async def add_item(item: dict[str, Any]) -> dict[str, Any]:
    """Add an item."""
    return {"added": item}


FastApiMCP(app, name="shop").mount_http()

if __name__ == "__main__":
    listening = socket.create_server(("127.0.0.1", 0))
    print("port", listening.getsockname()[1], flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run([listening])
