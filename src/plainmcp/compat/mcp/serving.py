"""How a server of the official SDK is run and asked inside a program: its `run` methods, applications and lists."""

import copy
from collections.abc import Callable
from typing import Any

import msgspec

from ...protocol.dispatch import receive
from ...protocol.methods import METHODS
from ...protocol.request import Caller, Link, Request
from ...revisions import LATEST_HANDSHAKE
from ...server import Server
from ...transports.threads import threads_of
from ..custom_route import to_handler
from . import types
from .context import current_context
from .exceptions import ToolError
from .helper_types import ReadResourceContents, contents_of
from .http_apps import HttpApps
from .loaded_types import to_loaded
from .settings import address_of, asgi_options

__all__ = ["Serving"]


class Serving(HttpApps):
    """The methods of the SDK that serve, and those that ask the server inside its program."""

    # Serving --------------------------------------------------------------------------------------

    def run(self: Any, transport: str = "stdio", mount_path: str | None = None, **options: Any) -> None:
        """Serve on standard input and output, or over HTTP with the settings of the server."""
        if transport == "stdio":
            Server.run(self)
        elif transport in ("sse", "streamable-http"):
            settings = self._settings_with(options)
            path = self._path_of(transport, settings)
            level = {"log_level": str(settings.log_level).lower()}
            Server.run(self, address_of(settings), path=path, uvicorn=level, **asgi_options(settings))
        else:
            raise ValueError(f"Unknown transport: {transport}")

    async def run_stdio_async(self) -> None:
        """Serve on standard input and output, in the event loop of the program."""
        await Server.run_async(self)  # type: ignore[arg-type]

    async def run_streamable_http_async(self, **options: Any) -> None:
        """Serve over HTTP, in the event loop of the program."""
        await self._run_http_async("streamable-http", options)

    async def run_sse_async(self, mount_path: str | None = None, **options: Any) -> None:
        """Serve over HTTP, in the event loop of the program; see run."""
        await self._run_http_async("sse", options)

    async def _run_http_async(self: Any, transport: str, options: dict[str, Any]) -> None:
        settings = self._settings_with(options)
        path = self._path_of(transport, settings)
        level = {"log_level": str(settings.log_level).lower()}
        await Server.run_async(self, address_of(settings), path=path, uvicorn=level, **asgi_options(settings))

    def custom_route(
        self: Any, path: str, methods: Any, name: str | None = None, **options: Any
    ) -> Callable[..., Any]:
        """Serve a plain HTTP handler beside the endpoint: a function of a request of Starlette."""

        def register(function: Any) -> Any:
            self.route(path, methods=list(methods))(to_handler(function, path))
            return function

        return register

    # Asking ---------------------------------------------------------------------------------------

    async def list_tools(self) -> list[types.Tool]:
        """All tools, as a client sees them."""
        return [to_loaded(types.Tool(**one)) for one in await self._list_all("tools/list", "tools")]

    async def list_resources(self) -> list[types.Resource]:
        """All resources, as a client sees them."""
        return [to_loaded(types.Resource(**one)) for one in await self._list_all("resources/list", "resources")]

    async def list_resource_templates(self) -> list[types.ResourceTemplate]:
        """All resource templates, as a client sees them."""
        listed = await self._list_all("resources/templates/list", "resourceTemplates")
        return [to_loaded(types.ResourceTemplate(**one)) for one in listed]

    async def list_prompts(self) -> list[types.Prompt]:
        """All prompts, as a client sees them."""
        return [to_loaded(types.Prompt(**one)) for one in await self._list_all("prompts/list", "prompts")]

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """Call a tool: its content, with the structured content if it has some; raises ToolError if it fails."""
        called = await self.call_whole(name, arguments)
        return called.content if called.structuredContent is None else (called.content, called.structuredContent)

    async def call_whole(self, name: str, arguments: dict[str, Any]) -> types.CallToolResult:
        """The result of a tool; raises ToolError if it fails."""
        result = await self.ask_natively("tools/call", {"name": name, "arguments": arguments})
        called: types.CallToolResult = to_loaded(types.CallToolResult(**result))
        if called.isError:
            raise ToolError("\n".join(getattr(block, "text", "") for block in called.content))
        return called

    async def read_resource(self, uri: object, context: Any = None) -> list[ReadResourceContents]:
        """The contents of a resource; raises ResourceError."""
        return contents_of(await self._answer("resources/read", {"uri": str(uri)}))

    async def get_prompt(self, name: str, arguments: dict[str, Any] | None = None, context: Any = None) -> Any:
        """The messages of a prompt; raises ValueError."""
        result = await self.ask_natively("prompts/get", {"name": name, "arguments": arguments or {}})
        return to_loaded(types.GetPromptResult(**result))

    async def _list_all(self, method: str, key: str) -> list[dict[str, Any]]:
        return (await self.ask_natively(method, {}))[key]  # type: ignore[no-any-return]

    async def ask_natively(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The result of a method, by the features of this server; raises ToolError or ValueError."""
        answer = await self._answer(method, params)
        if "error" in answer:
            raise (ToolError if method == "tools/call" else ValueError)(answer["error"]["message"])
        return answer["result"]  # type: ignore[no-any-return]

    async def _answer(self: Any, method: str, params: dict[str, Any]) -> dict[str, Any]:
        message = {"jsonrpc": "2.0", "id": 0, "method": method, "params": params}
        server = copy.copy(
            self
        )  # that answers by itself, also where the program has a handler or a method of its own
        server.methods, server.chain = METHODS, ()
        current = current_context()
        if current is None or method not in _RUNNING:
            raw = await server.handle_async(message, revision=LATEST_HANDSHAKE)
        else:
            raw = await _answer_within(current._request, server, message)
        return msgspec.json.decode(raw)  # type: ignore[no-any-return]


_RUNNING = ("prompts/get", "resources/read", "tools/call")
"""The methods that run a handler, which may use the request of the client that it is a part of."""


async def _answer_within(request: Request, server: Server, message: dict[str, Any]) -> bytes:
    """The response to a message as a part of a request: for the same client, with its session and its headers."""
    from ...transports.run_async import run_async  # an event loop is there already

    link: Any = None if request.link is None else _InnerLink(request.link)
    caller = Caller(request.session, request.principal, request.revision, link, headers=request.headers)
    meta = {} if request.meta is None else {"_meta": request.params.meta_as_dict()}
    whole = {**message, "id": msgspec.json.decode(request.id), "params": {**message["params"], **meta}}
    return await run_async(receive(server, whole, caller), threads_of(server)) or b"{}"


class _InnerLink:
    """The link of a request that is a part of another one: it is that of the whole, which goes on after it."""

    def __init__(self, whole: Link) -> None:
        self._whole = whole

    def __getattr__(self, name: str) -> Any:
        return getattr(self._whole, name)

    def start(self, id: bytes) -> None:
        """Nothing: the whole request is registered."""

    def finish(self) -> bool:
        """Whether the response is wanted."""
        return not self._whole.cancelled
