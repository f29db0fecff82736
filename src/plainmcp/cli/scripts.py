"""The installed scripts, which distributions declare as `console_scripts`: finds one, and says which there are."""

import re
from importlib import metadata

__all__ = ["find_script", "hint_for_script"]

_GROUP = "console_scripts"
_SERVERS = re.compile(r"(mcp|mcp-types|fastmcp|fastmcp-slim|plainmcp)(?![\w.-])", re.IGNORECASE)
"""What the distribution of a server requires."""


def find_script(name: str) -> metadata.EntryPoint | None:
    """The script of a name; None if there is none."""
    return next(iter(metadata.entry_points(group=_GROUP, name=name)), None)


def hint_for_script(name: str) -> str:
    """What may have been meant by a name that no script has: a similar one, or those of servers."""
    from difflib import get_close_matches

    names = _names_of_servers()
    if close := get_close_matches(name, names, 1):
        return f"; did you mean {close[0]}?"
    return f"; scripts of servers that are installed: {', '.join(names)}" if names else ""


def _names_of_servers() -> list[str]:
    """The scripts of the distributions that require one of the packages that servers are written with."""
    names: set[str] = set()
    for distribution in metadata.distributions():
        if not _SERVERS.match(distribution.name) and any(map(_SERVERS.match, distribution.requires or ())):
            names |= {entry.name for entry in distribution.entry_points if entry.group == _GROUP}
    return sorted(names)
