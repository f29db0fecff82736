"""Which schema is listed for a hint, and what becomes of arguments that are given for it: one text file for each
family. `hints.py` says how the files are written.
"""

import re
from pathlib import Path

import pytest

from golden.hints import CALLED, Case, Hints

FOLDER = Path(__file__).parent / "hints"
FILES = sorted(FOLDER.glob("*.txt"))
IDS = re.compile(r"\bR(?:\*|24|2503|2506|2511|26)-[A-Z0-9]+-\d{2}\b|\b(?:S\d{3}|B)-\d{2}\b")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_hint_means_exactly_this(file: Path, update_goldens: bool) -> None:
    expected = Hints.parse(file.read_text("utf-8"))
    found = expected.replay()
    if update_goldens:
        file.write_text(str(found), "utf-8")
        expected = Hints.parse(file.read_text("utf-8"))
    # Compared as text, so that the order of keys counts and a failure shows the lines that differ.
    for case, wanted in zip(found.cases, expected.cases, strict=True):
        assert sections(case) == sections(wanted)


def sections(case: Case) -> str:
    return "\n".join(f"-- {name} --\n{body}" for name, body in [(case.kind, case.body), *case.sections.items()])


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_file_of_hints_is_well_formed(file: Path) -> None:
    text = file.read_text("utf-8")
    hints = Hints.parse(text)
    assert IDS.search(hints.sentence), "the sentence names nothing it pins"
    assert "\n" not in hints.sentence and hints.sentence.endswith("."), "it opens with one sentence"
    assert hints.cases
    for case in hints.cases:
        for how in set(CALLED) & case.sections.keys():
            lines = [line for line in case.sections[how].splitlines() if not line.startswith(" ")]
            assert all(" => " in line or " !! " in line for line in lines), f"{case.body}: run with --update-goldens"
    assert str(hints) == text, "sections are set apart by one blank line"


def test_no_file_of_hints_is_left_out() -> None:
    assert len(FILES) > 10
    assert {file.suffix for file in FOLDER.iterdir()} == {".txt"}
