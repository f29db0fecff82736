"""A weather service in plain Python, and what its values become on each protocol revision."""

import json
from dataclasses import dataclass
from typing import Any

from plainmcp import Policy, codec, project
from plainmcp.normalize import tool_result
from plainmcp.revisions import REVISIONS


@dataclass
class Forecast:
    city: str
    high: float
    low: float


def forecast(city: str, days: int = 3) -> list[Forecast]:
    """The highs and lows of the coming days."""
    start = sum(map(ord, city)) % 20
    return [Forecast(city, high=start + day + 6.5, low=start - day) for day in range(days)]


def current(city: str) -> dict[str, Any]:
    """The weather at this moment."""
    today = forecast(city, days=1)[0]
    return {"city": city, "temperature": today.high, "sky": "clear" if today.high > 15 else "overcast"}


def main() -> None:
    for value in (current("Oslo"), forecast("Oslo", days=2)):
        print(f"{value!r}\n")
        normalized = tool_result(value, Policy.standard)
        for revision in REVISIONS.values():
            wire = codec.encode(project.tool_result(*normalized, revision))
            print(f"{revision.name}  {len(wire)} bytes")
            print(json.dumps(json.loads(wire), indent=2, ensure_ascii=False), end="\n\n")


if __name__ == "__main__":
    main()
