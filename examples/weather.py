"""A weather service that speaks MCP: two tools, a family of resources and a prompt, all plain functions.

python examples/weather.py              serve it on http://127.0.0.1:8000/mcp
python examples/weather.py --stdio      serve it on standard input and output
python examples/weather.py --show       print what a call becomes on each protocol revision
"""

import json
import sys
from dataclasses import dataclass
from typing import Any

from plainmcp import Server
from plainmcp.revisions import REVISIONS
from plainmcp.testing import Client

server = Server("weather", version="1.0.0", instructions="Weather that is made up, but always the same.")


@dataclass
class Forecast:
    city: str
    high: float
    low: float


@server.tool(annotations={"readOnlyHint": True})
def forecast(city: str, days: int = 3) -> list[Forecast]:
    """The highs and lows of the coming days.

    Args:
        city: The name of the city
        days: How many days ahead
    """
    start = sum(map(ord, city)) % 20
    return [Forecast(city, high=start + day + 6.5, low=start - day) for day in range(days)]


@server.tool(render="table", annotations={"readOnlyHint": True})
def compare(cities: list[str]) -> list[Forecast]:
    """Tomorrow in several cities, as a table."""
    return [forecast(city, days=1)[0] for city in cities]


@server.resource("weather://{city}", mime_type="application/json")
def current(city: str) -> dict[str, Any]:
    """The weather at this moment."""
    today = forecast(city, days=1)[0]
    return {"city": city, "temperature": today.high, "sky": "clear" if today.high > 15 else "overcast"}


@server.prompt
def brief(city: str, tone: str = "calm") -> str:
    """Ask for a weather report."""
    return f"Report the weather in {city}, in a {tone} tone."


def show() -> None:
    """Print what one call becomes on each revision."""
    for revision in REVISIONS:
        result = Client(server, revision).call("forecast", city="Oslo", days=2)
        print(f"{revision}\n{json.dumps(result, indent=2, ensure_ascii=False)}\n")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--stdio"]:
            server.run()
        case ["--show"]:
            show()
        case _:
            server.run(http="127.0.0.1:8000")
