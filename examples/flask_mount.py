"""A server inside a Flask application, at /mcp, next to its own pages.

Try it (pip install flask):

    flask --app examples/flask_mount.py run
"""

from flask import Flask
from werkzeug.middleware.dispatcher import DispatcherMiddleware

from plainmcp import Server

server = Server("library", "1.0.0")


@server.tool
def find(title: str) -> dict[str, str]:
    """Find a book on the shelves."""
    return {"title": title, "shelf": title[:1].upper()}


app = Flask(__name__)
app.wsgi_app = DispatcherMiddleware(app.wsgi_app, {"/mcp": server.wsgi()})


@app.get("/")
def front_page() -> dict[str, str]:
    return {"library": "open"}
