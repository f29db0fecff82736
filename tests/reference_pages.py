"""Writes the generated pages of docs/reference, and the picture of a terminal, from the code as it is.

    python tests/reference_pages.py

tests/docs/test_reference.py fails when one of them is not what this writes.
"""

from collections.abc import Callable
from pathlib import Path

from reference import commands, facades, failures, limits, names, server, tables, terminal, values

__all__ = ["PAGES", "write"]

DOCS = Path(__file__).parents[1] / "docs"

PAGES: dict[str, Callable[[], str]] = {
    "images/preview.svg": terminal.picture,
    "reference/command-line.md": commands.page,
    "reference/context.md": names.context_page,
    "reference/errors.md": failures.page,
    "reference/fastmcp.md": facades.fastmcp_page,
    "reference/limits.md": limits.page,
    "reference/names.md": names.names_page,
    "reference/policy.md": tables.policy_page,
    "reference/revisions.md": tables.revisions_page,
    "reference/server.md": server.page,
    "reference/values.md": values.page,
}
"""Each file below docs, and what makes it."""


def write() -> None:
    """Write every file anew; says which of them changed."""
    for name, make in PAGES.items():
        file = DOCS / name
        made = make()
        if not file.exists() or file.read_text("utf-8") != made:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(made, "utf-8")
            print(f"wrote docs/{name}")


if __name__ == "__main__":
    write()
