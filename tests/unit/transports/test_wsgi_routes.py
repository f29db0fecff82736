"""What is special to routes under WSGI; test_asgi_routes has what holds for both."""

import json

from fetching import fetch_wsgi
from mounted import initialize
from plainmcp import Server
from plainmcp.web import HttpResponse

HEADERS = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


def test_the_endpoint_is_at_its_path() -> None:
    app = Server("s", "1").wsgi(path="/mcp")
    answer = fetch_wsgi(app, "POST", "/mcp", json.dumps(initialize()).encode(), HEADERS)
    assert answer.json["result"]["serverInfo"] == {"name": "s", "version": "1"}
    assert fetch_wsgi(app, "POST", "/", json.dumps(initialize()).encode(), HEADERS).status == 200
    assert fetch_wsgi(app, "POST", "/x", json.dumps(initialize()).encode(), HEADERS).status == 404
    app.drain()
    app.close()


def test_the_path_is_below_the_one_of_the_application() -> None:
    server = Server("s")
    server.route("/health")(lambda request: request.path)
    assert fetch_wsgi(server.wsgi(path="/mcp"), "GET", "/health", root="/api").text == "/health"


def test_a_body_that_is_too_large_is_refused() -> None:
    server = Server("s")
    server.route("/x", methods=["POST"])(lambda request: "x")
    assert fetch_wsgi(server.wsgi(path="/mcp", max_body=10), "POST", "/x", b"x" * 11).status == 413


def test_a_status_without_a_name() -> None:
    server = Server("s")
    server.route("/x")(lambda: HttpResponse("x", 299))
    assert fetch_wsgi(server.wsgi(path="/mcp"), "GET", "/x").status == 299
