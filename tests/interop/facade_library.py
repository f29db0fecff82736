"""A server as people write them with FastMCP: test_facade_fastmcp.py runs it with that package and with ours."""

import asyncio
import datetime as dt
import enum
import json
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.prompts import Message
from fastmcp.server.dependencies import get_context
from fastmcp.tools import Tool, ToolResult
from fastmcp.utilities.types import Audio, File, Image
from pydantic import BaseModel, Field

mcp = FastMCP("Library", instructions="Finds books and lends them.", version="2.1.0")

PNG = b"\x89PNG\r\n\x1a\n"


class Genre(enum.Enum):
    NOVEL = "novel"
    ESSAY = "essay"


class Book(BaseModel):
    """A book on a shelf."""

    isbn: str = Field(description="Thirteen digits", pattern=r"^\d{13}$")
    title: str
    year: int = Field(ge=1450, le=2100)
    genre: Genre = Genre.NOVEL
    tags: list[str] = []
    price: float | None = None


@dataclass
class Loan:
    book: Book
    reader: str
    due: dt.date
    notes: list[str] = field(default_factory=list)


class Query(BaseModel):
    words: list[str]
    limit: int = 10


BOOK = Book(isbn="9780000000001", title="Plain", year=2001, tags=["calm"])


# Tools ------------------------------------------------------------------------------------------------


@mcp.tool
def add(a: int, b: int = 2) -> int:
    """Add two numbers."""
    return a + b


@mcp.tool()
def find(query: Query, genre: Genre | None = None, order: Literal["title", "year"] = "title") -> list[Book]:
    """Find books.

    Looks through all shelves.
    """
    return [BOOK] * min(query.limit, len(query.words))


@mcp.tool(
    "lend",
    tags={"desk"},
    annotations={"title": "Lend a book", "readOnlyHint": False, "idempotentHint": True},
    meta={"team": "desk"},
)
async def lend_a_book(
    book: Book,
    reader: Annotated[str, Field(description="Who borrows", min_length=2)],
    days: Annotated[int, Field(ge=1, le=60)] = 14,
) -> Loan:
    """Lend a book to a reader."""
    await asyncio.sleep(0)
    return Loan(book, reader, dt.date(2026, 1, 1) + dt.timedelta(days=days))


@mcp.tool(title="The shelf", description="How a shelf looks")
def shelf(number: int) -> Image:
    """Not shown."""
    return Image(data=PNG, format="png")


@mcp.tool
def reading() -> Audio:
    return Audio(data=b"RIFF", format="wav")


@mcp.tool
def report() -> File:
    """A file."""
    return File(data=b"%PDF-1.7", format="pdf", name="report")


@mcp.tool
def catalogue() -> list[Any]:
    return ["words", Image(data=PNG, format="png"), {"a": 1}]


@mcp.tool
async def inventory(ctx: Context, shelves: int = 2) -> dict[str, int]:
    """Count everything."""
    for number in range(shelves):
        await ctx.report_progress(number + 1, shelves, f"shelf {number + 1}")
    await ctx.info("counted")
    await ctx.warning("dusty", logger_name="shelves", extra={"shelf": 1})
    return {"shelves": shelves}


@mcp.tool
async def is_open(ctx: Context) -> bool:
    """Reads a resource of its own."""
    [found] = (await ctx.read_resource("library://config")).contents
    return bool(json.loads(found.content)["open"])


@mcp.tool
async def renew(ctx: Context) -> str:
    answer = await ctx.elicit("For how many days?", int)
    return f"{answer.action} {answer.data}" if answer.action == "accept" else answer.action


@mcp.tool
async def whoami() -> str:
    return get_context().fastmcp.name


@mcp.tool
def close() -> None:
    """Says nothing."""


@mcp.tool
def join(words: list[str], between: str = " ") -> str:
    return between.join(words)


@mcp.tool
def untyped(x, y=1):  # type: ignore[no-untyped-def]
    """No hints at all."""
    return {"x": x, "y": y}


@mcp.tool
def nickname(name: str | None = None) -> str | None:
    return name


@mcp.tool
def pair() -> tuple[int, str]:
    return 1, "a"


@mcp.tool
def when(at: dt.datetime, on: dt.date, hours: float = 1.5) -> dict[str, Any]:
    return {"at": at, "on": on, "hours": hours}


@mcp.tool
def mark(done: bool, labels: set[str] = set()) -> bool:  # noqa: B006
    return done


@mcp.tool
def stamp() -> bytes:
    return b"\x00\x01"


@mcp.tool
def complete() -> ToolResult:
    return ToolResult(content="said", structured_content={"a": 1}, meta={"m": 1})


@mcp.tool(output_schema=None)
def unpromised() -> int:
    return 3


@mcp.tool
def fail(kindly: bool = True) -> str:
    if kindly:
        raise ToolError("There is no such book.")
    raise ValueError("the password is swordfish")


def weigh(grams: float) -> str:
    """Weigh a book."""
    return f"{grams} g"


mcp.add_tool(weigh)
mcp.add_tool(Tool.from_function(weigh, name="scales", description="Weigh anything"))


# Resources --------------------------------------------------------------------------------------------


@mcp.resource("library://config")
def config() -> dict[str, bool]:
    """How we work."""
    return {"open": True}


@mcp.resource(
    "library://hours",
    name="Hours",
    title="Opening hours",
    mime_type="text/plain",
    description="When we are open",
    tags={"public"},
    meta={"k": 1},
    annotations={"priority": 0.5},
)
async def hours() -> str:
    return "9 to 5"


@mcp.resource("library://cover", mime_type="image/png")
def cover() -> bytes:
    return PNG


@mcp.resource("library://books/{isbn}")
def book(isbn: str) -> dict[str, Any]:
    """A book."""
    return BOOK.model_copy(update={"isbn": isbn}).model_dump(mode="json")


@mcp.resource("library://shelves/{number}/books/{place}", mime_type="application/json")
async def place(number: int, place: int, ctx: Context) -> dict[str, Any]:
    """What stands there."""
    return {"number": number, "place": place, "asked": bool(ctx.request_id)}


@mcp.resource("library://search/{words*}")
def search(words: str) -> str:
    return words


# Prompts ----------------------------------------------------------------------------------------------


@mcp.prompt
def summarize(title: str, style: str = "short") -> str:
    """Ask for a summary."""
    return f"Summarize {title} in a {style} way."


@mcp.prompt("talk", title="A talk", description="Talk about a book", tags={"loud"})
def conversation(title: str, pages: list[int]) -> list[Message]:
    return [Message(f"I read {title}, {sum(pages)} pages"), Message("And?", role="assistant")]


@mcp.prompt
async def ask(ctx: Context) -> str:
    return "asked" if ctx.request_id else ""


if __name__ == "__main__":
    mcp.run()
