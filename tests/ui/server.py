"""The server that the tests of the page look at: one of each thing that the page shows."""

import asyncio
from base64 import b64decode
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from plainmcp import Audio, Context, Image, Server, ToolError

server = Server("shop", "1.0.0", title="Flower shop", instructions="Flowers by **post**.")
PICTURE = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
)
SOUND = b64decode("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==")
runs: list[str] = []


@dataclass
class Flower:
    name: str
    price: float
    colours: list[str]


FLOWERS = [Flower("rose", 2.5, ["red", "white"]), Flower("tulip", 1.2, ["yellow"]), Flower("lily", 3.0, ["white"])]


@server.tool(annotations={"readOnlyHint": True})
def flowers(colour: Literal["any", "red", "white", "yellow"] = "any") -> list[Flower]:
    """The flowers of the season.

    Args:
        colour: Only flowers of this colour
    """
    runs.append("flowers")
    return [flower for flower in FLOWERS if colour in ("any", *flower.colours)]


@dataclass
class Card:
    kind: Literal["card"]
    number: str


@dataclass
class Invoice:
    kind: Literal["invoice"]
    company: str
    days: int = 30


@dataclass
class Address:
    street: str
    city: str
    floor: int | None = None


@server.tool(annotations={"readOnlyHint": False, "destructiveHint": False})
def order(
    items: list[str],
    count: int,
    address: Address,
    payment: Card | Invoice,
    when: date,
    gift: bool = False,
    notes: dict[str, str] | None = None,
) -> dict[str, Any]:
    """Order flowers.

    Args:
        items: The names of the flowers
        count: How many of each
        address: Where they go
        payment: How they are paid
        when: The day of delivery
        gift: Whether it is a gift
        notes: Notes for people on the way
    """
    runs.append("order")
    given = {"items": items, "count": count, "city": address.city, "floor": address.floor, "when": when, "gift": gift}
    return {**given, "payment": payment, "notes": notes}


RATING = {
    "type": "object",
    "properties": {
        "stars": {"type": "integer", "minimum": 1, "maximum": 5, "description": "From bad to good"},
        "code": {"type": "string", "pattern": "^[A-Z]{3}$"},
    },
    "required": ["stars"],
}


@server.tool(input_schema=RATING, annotations={"readOnlyHint": True})
def rate(**values: Any) -> dict[str, Any]:
    """Rate a flower."""
    return values


@dataclass
class Plant:
    name: str
    left: "Plant | None" = None
    right: "Plant | None" = None
    below: "Plant | None" = None


@server.tool(annotations={"readOnlyHint": True})
def graft(plant: Plant, size: tuple[int, str], mood: int | str = 1) -> dict[str, Any]:
    """Join plants to one."""
    return {"plant": plant, "size": size, "mood": mood}


@server.tool
def picture() -> Image:
    """A picture of a flower."""
    return Image(data=PICTURE, format="png")


@server.tool
def sound() -> Audio:
    """The sound of a flower."""
    return Audio(data=SOUND, format="wav")


@server.tool
def care() -> str:
    """How to care for flowers, in Markdown."""
    return "# Care\n\n- **water** each day\n- light\n\n| flower | water |\n|---|---|\n| rose | much |\n"


@server.tool
def wither() -> str:
    """Fail."""
    raise ToolError("All flowers are gone")


@dataclass
class Wish:
    name: str
    size: Literal["small", "large"] = "small"


@server.tool
async def bouquet(ctx: Context) -> str:
    """Ask what the bouquet should be."""
    runs.append("bouquet")
    wish = await ctx.elicit("For whom is the bouquet?", Wish)
    if not wish.accepted:
        return f"No bouquet: {wish.action}"
    return f"A {wish.data.size} bouquet for {wish.data.name}"


@server.tool
async def poem(ctx: Context) -> str:
    """Ask a model for a poem."""
    answer = await ctx.sample("A line about roses", max_tokens=50)
    return f"The model: {answer}"


@server.tool
async def grow(ctx: Context, steps: int = 3, seconds: float = 0.05) -> str:
    """Grow a flower, step by step."""
    for step in range(steps):
        await ctx.info(f"step {step + 1}")
        await ctx.progress(step + 1, steps, "growing")
        await asyncio.sleep(seconds)
    return "grown"


WEEDS = (
    "# <b>weeds</b>\n\n<img src=x onerror='alert(1)'> [a](javascript:alert(1)) [b](https://example.com) `<i>`\n\n"
    "| <script>alert(2)</script> |\n|---|\n| <a href='javascript:alert(3)'>c</a> |\n"
)


@server.tool(description=WEEDS)
def weeds() -> list[dict[str, str]]:
    """Text that a page must not take for HTML."""
    return [{"<b>name</b>": WEEDS}, {"<b>name</b>": "<svg onload='alert(4)'>"}]


@server.tool
def plant(name: str) -> str:
    """Offer another tool."""
    server.tool(name=name, replace=True)(lambda: name)
    return f"{name} grows"


@server.resource("shop://hours", mime_type="text/plain")
def hours() -> str:
    """When the shop is open."""
    return "9 to 5"


@server.resource("shop://runs", mime_type="application/json")
def history() -> list[str]:
    """Which tools ran."""
    return runs


@server.resource("shop://flowers/{name}", mime_type="application/json")
def flower(name: str) -> dict[str, Any]:
    """One flower."""
    return {"name": name, "stock": len(name)}


@server.prompt
def letter(recipient: str, tone: str = "warm") -> str:
    """A letter with flowers."""
    return f"Write a {tone} letter to {recipient}."


@server.completion("letter", "recipient")
def people(typed: str, others: dict[str, str]) -> list[str]:
    return [name for name in ("Ada", "Alan", "Bob") if name.lower().startswith(typed.lower())] + list(others.values())
