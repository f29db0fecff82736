"""A few published servers, as `make realworld` runs all of them: they start, list the same, and answer the same.

In each of our ways: with changed imports, with `compat.install()`, and by `plainmcp serve --drop-in` with their own
arguments (D1).
"""

from pathlib import Path

import pytest

from realworld.cases import CASES
from realworld.compare import differences
from realworld.environments import ROOT
from realworld.reasons import reason_of
from realworld.run import WAYS, examine, is_listed_same

CACHE: Path = ROOT / ".realworld"
# All of one line: an environment takes half a minute to create.
FEW = (
    "arxiv-mcp-server",
    "chroma-mcp",
    "mcp-server-git-before-2026",
    "mcp-server-sqlite",
    "mcp-server-time-before-2026",
)


@pytest.mark.slow
@pytest.mark.parametrize("name", FEW)
def test_a_published_server_is_the_same_here(name: str) -> None:
    case = next(case for case in CASES if case.name == name)
    _, theirs, ours = examine(case, list(WAYS), CACHE)
    assert theirs["starts"], theirs["stderr"]
    for way, seen in ours.items():
        assert seen["starts"], f"{way}: {seen['stderr']}"
        found = differences(theirs, seen)
        assert is_listed_same(found), found
        assert [one for one in found if reason_of(case.line, one) is None] == []
