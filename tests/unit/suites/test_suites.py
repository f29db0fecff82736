"""D18: every file of the packages' suites has an area or a reason, and the note says what was counted."""

from collections import Counter
from pathlib import Path

import pytest

from suites.cases import SUITES
from suites.reading import Uses
from suites.reasons import CLIENT, FEATURE, FEATURES, PRIVATE, REAL, reason_for
from suites.record import FILES, RESULTS, FileCount, note_of, read_files, without_place

ROOT = Path(__file__).parents[3]
COUNTS = read_files(FILES.read_text("utf-8"))
REASONS = {CLIENT, PRIVATE, REAL, *(f"{FEATURE}: {name}" for name in FEATURES)}


def test_every_file_of_the_suites_has_an_area_or_a_reason() -> None:
    """D18."""
    assert {one.suite for one in COUNTS} == set(SUITES)
    assert without_place(COUNTS) == []
    assert {reason for one in COUNTS for reason in one.left_out} <= REASONS


def test_a_file_without_an_area_and_without_a_reason_is_found() -> None:
    """D18. Also one of which some tests count and others have a reason."""
    inside = FileCount("fastmcp", "tests/tools/test_a.py", counted=2)
    outside = FileCount("fastmcp", "other/test_b.py", counted=2, left_out=Counter({CLIENT: 1}))
    without = FileCount("fastmcp", "other/test_c.py", left_out=Counter({CLIENT: 1}))
    assert without_place([inside, outside, without, FileCount("fastmcp", "other/test_d.py")]) == [
        "other/test_b.py",
        "other/test_d.py",
    ]


def test_each_area_has_files() -> None:
    for name, suite in SUITES.items():
        found = {one.area for one in COUNTS if one.suite == name and one.counted}
        if "mcp" not in name:
            assert found == set(suite.areas)
        assert found <= set(suite.areas)


def test_the_note_says_all_functions_what_is_left_out_and_what_passes() -> None:
    """D18. The note is written from the figures of the files."""
    assert RESULTS.read_text("utf-8") == note_of(COUNTS)
    for name in SUITES:
        assert f"## {name} (" in note_of(COUNTS)


@pytest.mark.parametrize("name", FEATURES)
def test_readme_says_that_a_feature_is_not_here(name: str) -> None:
    """D18. A test is left out for a feature only if README says that plainmcp does not have it."""
    readme = (ROOT / "README.md").read_text("utf-8")
    section = readme.partition("## What it does not do")[2].partition("\n## ")[0]
    assert name in " ".join(section.split())


def test_the_four_reasons_and_no_other() -> None:
    uses = Uses(names={("fastmcp", "FastMCP")})
    file, case = "tests/tools/test_a.py", "tests/tools/test_a.py::test_a"
    assert reason_for(file, case, "passed", uses) is None
    assert reason_for(file, case, "AssertionError", uses) == REAL
    assert reason_for("tests/client/test_a.py", case, "passed", uses) == CLIENT
    assert reason_for(file, case, "passed", Uses(names={("fastmcp.client", "Client")})) == CLIENT
    assert reason_for(file, case, "passed", Uses(names={("fastmcp", "FastMCP")}, private={"._x"})) == PRIVATE
    proxied = Uses(names={("fastmcp", "FastMCP")}, words={".as_proxy"})
    assert reason_for(file, case, "passed", proxied) == f"{FEATURE}: proxies"
