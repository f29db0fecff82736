"""A server in a serverless function, behind an HTTP gateway that calls `handler(event, context)`.

Nothing is kept between calls, so it serves clients of the revision without sessions; others get an error. Try it:

    python examples/lambda_handler.py
"""

import base64
import json
from typing import Any

from plainmcp import Server
from plainmcp.revisions import http_status

server = Server("rates", "1.0.0", cache=(60_000, "public"))


@server.tool
def convert(amount: float, rate: float) -> float:
    """Convert an amount of money."""
    return round(amount * rate, 2)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer one HTTP request."""
    if event["requestContext"]["http"]["method"] != "POST":
        return {"statusCode": 405, "headers": {"allow": "POST"}, "body": ""}
    body = event.get("body") or ""
    message = base64.b64decode(body) if event.get("isBase64Encoded") else body.encode()
    response = server.handle(message, revision="2026-07-28")
    return {
        "statusCode": http_status(response, "2026-07-28"),
        "headers": {"content-type": "application/json"},
        "body": "" if response is None else response.decode(),
    }


if __name__ == "__main__":
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": "convert", "arguments": {"amount": 100, "rate": 1.08}, "_meta": meta}
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    event = {"requestContext": {"http": {"method": "POST"}}, "body": json.dumps(request), "isBase64Encoded": False}
    print(json.dumps(handler(event, None), indent=2))
