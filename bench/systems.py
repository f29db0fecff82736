"""The same server in each system: the handlers registered the system's own way, and its ASGI application.

A system is imported only when it is built, for every process of the benchmark holds one.
"""

import base64
import json
import logging
import os
from collections.abc import Callable
from typing import Any, NamedTuple

import workload
from payloads import PICTURE, TEXT
from workload import URI

__all__ = ["PEERS", "SYSTEMS", "app", "build", "door", "empty", "many"]

PEERS = ("mcp", "fastmcp")
SYSTEMS = ("plainmcp", *PEERS)


class Built(NamedTuple):
    """A server still empty, and how its features are registered."""

    server: Any
    tool: Callable[[str, Any], Any]
    resource: Callable[[Any], Any]
    image: Any  # the class of pictures, or a handler which makes one its own way
    context_echo: Any = None  # handlers with a Context
    progress: Any = None


def build(system: str, kind: str = "async", *, tools: int = 0, rows: int = 1_000, **options: Any) -> Any:
    """A server with every handler of the workload, and so many tools besides."""
    built = _BUILDERS[system](**options)
    for name, handler in workload.handlers(kind, rows).items():
        built.tool(name, handler)
    if system == "mcp-serializer":  # it takes neither pictures nor text from a handler, and has no Context
        built.tool("image", built.image)
    else:
        built.tool("image", _image(kind, built.image))
        built.tool("context_echo", built.context_echo)
        built.tool("progress", built.progress)
        built.resource(_text(kind))
    many(built.tool, tools)
    return built.server


def many(tool: Callable[[str, Any], Any], count: int, first: int = 0) -> None:
    """Register the tools that are only there to be listed, up to so many."""
    for number in range(first, count):
        tool(f"other_{number}", workload.other(number))


def empty(system: str) -> Built:
    """A server without features."""
    return _BUILDERS[system]()


def _image(kind: str, picture: Any) -> Any:
    async def later() -> picture:
        return picture(data=PICTURE, format="png")

    def image() -> picture:
        return picture(data=PICTURE, format="png")

    return image if kind == "def" else later


def _text(kind: str) -> Any:
    async def later() -> str:
        return TEXT

    def text() -> str:
        return TEXT

    return text if kind == "def" else later


def _observe(server: Any, how: str) -> None:
    """Let a server be observed: by an empty function, an access log, or OpenTelemetry, whose spans go nowhere."""
    if how == "observer":
        server.observe(lambda facts: _forget)
    elif how == "access log":
        from plainmcp.observe import log_access

        logger = logging.Logger("bench", logging.INFO)
        logger.manager = logging.Manager(logging.RootLogger(logging.INFO))  # not disabled with the others
        logger.addHandler(logging.StreamHandler(open(os.devnull, "w")))  # noqa: SIM115
        server.observe(log_access(logger=logger))
    else:
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import InMemoryMetricReader
        from opentelemetry.sdk.trace import TracerProvider

        from plainmcp import otel

        meters = MeterProvider([InMemoryMetricReader()])
        otel.instrument(server, tracer_provider=TracerProvider(), meter_provider=meters)


def verifier(how: str) -> tuple[Any, str]:
    """A verifier of ours, for a key or for the tokens of an issuer, and what it knows."""
    from plainmcp.auth import JWT, Keys

    if how == "a key":
        return Keys({"k" * 32: "ada"}), "k" * 32
    from joserfc import jwt
    from joserfc.jwk import RSAKey

    key = RSAKey.generate_key(2048, {"kid": "one"})
    claims = {
        "iss": "https://auth.example.com",
        "aud": "https://api.example.com/mcp",
        "sub": "ada",
        "exp": 4_000_000_000,
    }
    token = jwt.encode({"alg": "RS256", "kid": "one"}, {**claims, "scope": "notes:read " * 20}, key)
    return JWT(claims["iss"], claims["aud"], jwks={"keys": [key.as_dict(private=False)]}), token


def _forget(facts: Any) -> None:
    """The end of a request, which is not recorded."""


def _plainmcp(observe: str | None = None, unchecked: bool = False, **options: Any) -> Built:
    from plainmcp import Context, Image, Policy, Server

    if unchecked:
        options["policy"] = Policy.standard.replace(validate_output=False)
    server: Any = Server("bench", "1.0", **options)
    if observe is not None:
        _observe(server, observe)

    async def progress(text: str, context: Context) -> str:
        context.progress(1, 2, "half")
        context.progress(2, 2, "whole")
        return text

    resource = server.resource(URI, mime_type="text/plain")
    return Built(server, _registering(server), resource, Image, _context_echo(Context), progress)


def _mcp() -> Built:
    from mcp.server import MCPServer
    from mcp.server.mcpserver import Context, Image

    server: Any = MCPServer("bench", version="1.0", log_level="CRITICAL")
    resource = server.resource(URI, mime_type="text/plain")
    return Built(server, _registering(server), resource, Image, _context_echo(Context), _progress(Context))


def _fastmcp() -> Built:
    from fastmcp import Context, FastMCP
    from fastmcp.utilities.types import Image

    server: Any = FastMCP("bench", version="1.0")
    resource = server.resource(URI, mime_type="text/plain")
    return Built(server, _registering(server), resource, Image, _context_echo(Context), _progress(Context))


def _context_echo(kind: Any) -> Any:
    async def context_echo(text: str, context: kind) -> str:
        return text

    return context_echo


def _progress(kind: Any) -> Any:
    async def progress(text: str, context: kind) -> str:
        await context.report_progress(1, 2, "half")
        await context.report_progress(2, 2, "whole")
        return text

    return progress


def _serializer() -> Built:
    from mcp_serializer.initializer import MCPInitializer
    from mcp_serializer.registry import MCPRegistry
    from mcp_serializer.results import ResourceResult, ToolsResult
    from mcp_serializer.serializers import MCPSerializer

    registry = MCPRegistry()

    def image() -> ToolsResult:
        result = ToolsResult()
        result.add_image_content(base64.b64encode(PICTURE).decode(), mime_type="image/png")
        return result

    def text() -> ResourceResult:
        result = ResourceResult()
        result.add_text_content(TEXT, mime_type="text/plain")
        return result

    registry.resource(uri=URI)(text)
    server = MCPSerializer(initializer=MCPInitializer(), registry=registry, page_size=10_000)
    return Built(server, _registering(registry), registry.resource, image)


def _registering(server: Any) -> Callable[[str, Any], Any]:
    return lambda name, handler: server.tool(name=name)(handler)


_BUILDERS: dict[str, Callable[..., Built]] = {
    "plainmcp": _plainmcp,
    "mcp": _mcp,
    "fastmcp": _fastmcp,
    "mcp-serializer": _serializer,
}


def app(system: str, server: Any, *, events: bool = False) -> Any:
    """Its ASGI application, set up as its documentation says is fastest.

    That is JSON instead of events, save where a server must speak before it answers. The peers could also serve
    without sessions, but then they set up a transport for every request of the handshake revisions: with a session
    they are faster there, and on the latest revision there is no difference.
    """
    logging.disable(logging.CRITICAL)
    if system == "plainmcp":
        return server.asgi()
    make = server.streamable_http_app if system == "mcp" else server.http_app
    return make(json_response=not events)


def door(system: str, server: Any) -> Callable[[bytes], bytes]:
    """Bytes in, bytes out, without a loop, for the systems which have such a door."""
    if system == "plainmcp":
        return server.handle  # type: ignore[no-any-return]
    # Its data still hold dates; its documentation leaves the encoding to whoever sends them.
    return lambda body: json.dumps(server.process_request(body.decode()).response_data, default=str).encode()
