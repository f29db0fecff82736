"""A server inside a FastAPI application, at /mcp, next to its own pages.

Try it (pip install fastapi uvicorn):

    uvicorn --app-dir examples fastapi_mount:app
"""

from fastapi import FastAPI

from plainmcp import Server

server = Server("library", "1.0.0")


@server.tool
async def find(title: str) -> dict[str, str]:
    """Find a book on the shelves."""
    return {"title": title, "shelf": title[:1].upper()}


app = FastAPI()
app.add_route("/mcp", server.asgi())  # app.mount works too, but redirects /mcp to /mcp/


@app.get("/")
async def front_page() -> dict[str, str]:
    return {"library": "open"}
