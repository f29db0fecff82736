"""The generated pages and the picture of a terminal are up to date."""

import pytest

import reference_pages
from docs.pages import DOCS
from reference import terminal

COMMAND = ".venv/bin/python tests/reference_pages.py"


@pytest.mark.parametrize("name", reference_pages.PAGES)
def test_a_generated_page_is_what_the_code_says(name: str) -> None:
    made = reference_pages.PAGES[name]()
    assert (DOCS / name).read_text("utf-8") == made, f"docs/{name} is out of date; write it anew: {COMMAND}"


def test_the_picture_shows_colours_and_the_whole_table() -> None:
    said = terminal.printed()
    assert "\x1b[1mrevision" in said and "\x1b[2mtext and data" in said
    drawn = (DOCS / "images" / "preview.svg").read_text("utf-8")
    assert all(name in drawn for name in ("2024-11-05", "2026-07-28", "the text on every revision"))
