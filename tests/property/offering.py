"""A server that offers one of everything, and a valid request for each of its methods on each revision."""

from dataclasses import dataclass
from typing import Any, Literal

from plainmcp import Audio, Context, Image, PromptResult, ResourceResult, Server, ToolError, ToolResult
from plainmcp.revisions import REVISIONS
from plainmcp.types import Icon
from speaking import META, MODERN, initialize, message

__all__ = ["everything", "requests"]

PNG = b"\x89PNG\r\n\x1a\n"
WAV = b"RIFF\x24\x00\x00\x00WAVEfmt "
ICON = Icon(src="https://example.com/i.png", mimeType="image/png", sizes=["48x48"])
ABOUT = {"title": "A title", "description": "What it is", "icons": [ICON], "meta": {"example.com/own": 1}}
NOTED = {"audience": ["user"], "priority": 0.5, "lastModified": "2026-07-28T00:00:00Z"}


@dataclass
class City:
    name: str
    tags: list[str]


@dataclass
class Who:
    name: str
    age: int = 1


def everything() -> Server:
    """The server."""
    server = Server(
        "everything",
        "1.0",
        title="Everything",
        description="All there is",
        instructions="Try it.",
        website_url="https://example.com",
        icons=[ICON],
        page_size=3,
        cache=(1000, "public"),
        extensions={"example.com/ext": {}},
        key=b"k" * 32,
    )
    _tools(server)
    _asking_tools(server)
    _resources(server)
    _prompts(server)
    return server


def _tools(server: Server) -> None:
    @server.tool(annotations={"title": "Echo", "readOnlyHint": True}, **ABOUT)
    def echo(text: str, times: int = 1, mode: Literal["a", "b"] = "a", more: list[float] | None = None) -> str:
        return text * min(abs(times), 3)

    @server.tool(**ABOUT)
    def city(name: str) -> City:
        return City(name, ["a", "b"])

    @server.tool(output_schema={"type": "array", "items": {"type": "integer"}}, policy="lean")
    def numbers() -> list[int]:
        return [1, 2]

    @server.tool
    def blocks() -> ToolResult:
        return (
            ToolResult(["text", Image(data=PNG), Audio(data=WAV, format="wav")], {"n": 1}, meta={"example.com/m": 1})
            .add_text("noted", annotations=NOTED, meta={"example.com/m": 1})
            .add_resource("memo://1", text="kept", title="Memo", annotations=NOTED)
            .add_link("https://example.com/a.pdf", "a", title="A", icons=[ICON], annotations=NOTED)
        )

    @server.tool
    def failing(how: str = "") -> str:
        if how == "model":
            raise ToolError("Try something else.")
        raise RuntimeError(how)

    @server.tool
    async def later(context: Context, n: float = 0) -> dict[str, Any]:
        await context.progress(n, 10, "going")
        await context.info({"n": n})
        return {"n": n, "none": None}


def _asking_tools(server: Server) -> None:
    @server.tool
    def ask(context: Context) -> str:
        return context.elicit("Who?", Who).action

    @server.tool
    async def ask_more(context: Context) -> str:
        await context.elicit_url("Visit", "https://example.com")
        roots = await context.roots()
        return str(len(roots)) + str(await context.sample("Hi"))

    @server.tool(needs={"sampling": {"tools": {}}})
    def needy() -> str:
        return "able"


def _resources(server: Server) -> None:
    @server.resource("memo://1", size=4, annotations=NOTED, mime_type="text/plain", cache=(5, "public"), **ABOUT)
    def memo() -> str:
        return "kept"

    @server.resource("memo://bytes")
    def raw() -> bytes:
        return PNG

    @server.resource("memo://parts")
    def parts() -> ResourceResult:
        return ResourceResult().add_text("a", title="A", annotations=NOTED, meta={"example.com/m": 1}).add_bytes(WAV)

    @server.resource("city://{name}/{n}", annotations=NOTED, **ABOUT)
    def city(name: str, n: int) -> dict[str, Any]:
        return {"name": name, "n": n}

    server.add_link("https://example.com/page.html", title="A page")


def _prompts(server: Server) -> None:
    @server.prompt(**ABOUT)
    def brief(city: str, tone: str = "calm") -> str:
        """Args:
        city: Where
        """
        return f"{tone} {city}"

    @server.prompt
    def show() -> PromptResult:
        return (
            PromptResult()
            .add_text("look", annotations=NOTED)
            .add_image(data=PNG)
            .add_audio(data=WAV, format="wav")
            .add_resource("memo://1", text="kept", title="Memo")
            .add_link("https://example.com/a.pdf", "a", icons=[ICON])
        )

    @server.completion("brief", "city")
    def cities(typed: str, known: dict[str, str]) -> list[str]:
        return [typed + "x", *known]


PARAMS: dict[str, list[dict[str, Any]]] = {
    "completion/complete": [
        {
            "ref": {"type": "ref/prompt", "name": "brief"},
            "argument": {"name": "city", "value": "O"},
            "context": {"arguments": {"tone": "x"}},
        },
        {"ref": {"type": "ref/resource", "uri": "city://{name}/{n}"}, "argument": {"name": "name", "value": ""}},
    ],
    "logging/setLevel": [{"level": "debug"}],
    "ping": [{}],
    "prompts/get": [{"name": "brief", "arguments": {"city": "Oslo"}}, {"name": "show"}],
    "prompts/list": [{}],
    "resources/list": [{}],
    "resources/read": [
        {"uri": uri}
        for uri in ("memo://1", "memo://bytes", "memo://parts", "city://Oslo/3", "https://example.com/page.html")
    ],
    "resources/subscribe": [{"uri": "memo://1"}],
    "resources/templates/list": [{}],
    "resources/unsubscribe": [{"uri": "memo://1"}],
    "server/discover": [{}],
    "subscriptions/listen": [
        {
            "notifications": {
                "toolsListChanged": True,
                "promptsListChanged": True,
                "resourceSubscriptions": ["memo://1"],
            }
        }
    ],
    "tools/call": [
        {"name": "echo", "arguments": {"text": "a", "times": 2, "mode": "b", "more": [1.5]}},
        {"name": "city", "arguments": {"name": "Oslo"}},
        {"name": "numbers"},
        {"name": "blocks", "arguments": {}},
        {"name": "failing", "arguments": {"how": "model"}},
        {"name": "failing"},
        {"name": "later", "arguments": {"n": 1}, "_meta": {"progressToken": "t"}},
        {
            "name": "ask",
            "arguments": {},
            "inputResponses": {"elicit_1": {"action": "accept", "content": {"name": "a"}}},
        },
        {"name": "ask", "arguments": {}},
        {"name": "ask_more", "arguments": {}},
        {"name": "ask_more", "arguments": {}, "requestState": "AAAA"},
        {"name": "needy"},
    ],
    "tools/list": [{}],
}
ABLE = {"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}}


def requests(revision: str) -> list[dict[str, Any]]:
    """Valid requests of a revision, for every method it has."""
    found = [initialize(revision, **ABLE)] if REVISIONS[revision].handshake else []
    for method in sorted(REVISIONS[revision].methods - {"initialize"}):
        found += [message(revision, method, params) for params in PARAMS[method]]
    if revision in MODERN:
        for one in found:
            one["params"]["_meta"] |= {f"{META}clientCapabilities": ABLE, f"{META}logLevel": "debug"}
    return found
