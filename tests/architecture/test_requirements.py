"""Every requirement about values has a test that names it. Reads the tests, runs none of them."""

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
REQUIREMENTS = TESTS.parent / "docs" / "contributing" / "requirements.md"
SEEDS = ("S000", "S001", "S002", "S004")

# Why a requirement has no test yet. Take a line out when a test names its id.
NOT_VALUES = {
    "S001-24": "advice on how authors choose their keys",
    "S001-28": "what is declared comes with the registry",
    "S001-29": "as S001-28",
    "S001-30": "as S001-28",
    "S001-31": "as S001-28",
    "S001-33": "a remark on the state of another project",
    "S001-35": "advice on how authors document their types",
    "S002-07": "a duty of clients",
    "S002-24": "a duty of clients",
    "S004-45": "a remark on an empty section",
}


def stated() -> set[str]:
    """The ids the document gives, each at the head of a row."""
    found = re.findall(r"^\| (S\d{3}-\d{2}) \|", REQUIREMENTS.read_text("utf-8"), re.MULTILINE)
    assert len(found) == len(set(found)), "an id is given twice"
    return set(found)


def named() -> set[str]:
    """The ids that tests and goldens name: S000-12, or S000_12 in the name of a test."""
    files = [*TESTS.rglob("test_*.py"), *TESTS.glob("golden/**/*.txt")]
    texts = [file.read_text("utf-8") for file in files if file != Path(__file__)]
    return {f"{seed}-{number}" for text in texts for seed, number in re.findall(r"(S\d{3})[-_](\d{2})(?!\d)", text)}


def test_every_requirement_about_values_is_named_by_a_test() -> None:
    wanted = {name for name in stated() if name.startswith(SEEDS)}
    missing = sorted(wanted - named() - NOT_VALUES.keys())
    assert len(wanted) == 165
    assert not missing, f"no test names {', '.join(missing)}"


def test_no_test_names_a_requirement_that_does_not_exist() -> None:
    unknown = sorted(named() - stated())
    assert not unknown, f"docs/contributing/requirements.md has no {', '.join(unknown)}"


def test_an_excuse_is_gone_once_there_is_a_test() -> None:
    stale = sorted(NOT_VALUES.keys() & named())
    assert not stale, f"take out of NOT_VALUES: {', '.join(stale)}"
    assert NOT_VALUES.keys() <= stated()
