"""docs/reference/fastmcp.md: which of FastMCP's names are supported, and what to do instead of the others."""

from plainmcp.compat import advice, fastmcp
from plainmcp.compat.fastmcp import missing

from .markdown import code, headed, table

__all__ = ["fastmcp_page"]

_INTRO = """\
The parts of FastMCP that `plainmcp.compat.fastmcp` has, and those that it does not have. Every public name of the
newest releases of FastMCP 2, 3 and 4 can be imported. Using one that is not here raises an error with the text below.
See also [how to move from FastMCP](../how-to/from-fastmcp.md)."""


def fastmcp_page() -> str:
    """The page."""
    rules = {name: text for name, text in advice.RULES.items() if name.startswith("fastmcp")}
    kinds = {
        "Names that are not here, by module": ("names in, or below", rules),
        "Not in `FastMCP`": ("attribute", missing.IN_THE_SERVER),
        "Not among the arguments of `FastMCP`, its decorators, `run` and `http_app`": ("option", missing._OPTIONS),
        "Not in `Context`": ("attribute", missing.IN_THE_CONTEXT),
    }
    parts = [_INTRO, "## In the module", ", ".join(code(name) for name in fastmcp.own_names) + "."]
    for title, (what, names) in kinds.items():
        parts += [f"## {title}", table([what, "instead"], ([code(name), advice] for name, advice in names.items()))]
    return headed("FastMCP's names", *parts)
