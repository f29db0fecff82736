"""docs/reference/fastmcp.md: which of FastMCP's names are here, and what is said about those that are not."""

from plainmcp.compat import fastmcp
from plainmcp.compat.fastmcp import missing

from .markdown import code, headed, table

__all__ = ["fastmcp_page"]

_INTRO = """\
What `plainmcp.compat.fastmcp` has of that package, and what it has not. Whatever is not here is refused when it
is asked for, with the words below; nothing is taken and ignored. How to move is [on its own
page](../how-to/from-fastmcp.md)."""


def fastmcp_page() -> str:
    """The page."""
    kinds = {
        "Not in the module": ("name", missing.IN_THE_PACKAGE),
        "Not in `FastMCP`": ("attribute", missing.IN_THE_SERVER),
        "Not among the arguments of `FastMCP`, its decorators, `run` and `http_app`": ("option", missing._OPTIONS),
        "Not in `Context`": ("attribute", missing.IN_THE_CONTEXT),
    }
    parts = [_INTRO, "## In the module", ", ".join(code(name) for name in fastmcp.__all__) + "."]
    for title, (what, names) in kinds.items():
        parts += [f"## {title}", table([what, "instead"], ([code(name), advice] for name, advice in names.items()))]
    return headed("FastMCP's names", *parts)
