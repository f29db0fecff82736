"""Tables and figures in Markdown. Knows numbers and names, not what they mean."""

__all__ = ["figure", "table"]


def table(heads: list[str], lines: list[list[str]]) -> str:
    """A table; columns of times are aligned to the right."""
    rule = ["---", *("---:" if "µs" in head or "ms" in head else "---" for head in heads[1:])]
    return "\n".join(f"| {' | '.join(line)} |" for line in [heads, rule, *lines])


def figure(value: float) -> str:
    """A number with three digits or as many as it has before the point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
