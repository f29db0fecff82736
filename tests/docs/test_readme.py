"""The README and every page of the documentation: their Python runs, and their commands print what is shown."""

from pathlib import Path

import pytest

from docs.pages import ROOT, Page, blocks, pages


@pytest.mark.parametrize("path", pages())
def test_a_page_runs_from_top_to_bottom(path: str, tmp_path: Path) -> None:
    Page(path, tmp_path).run()


def test_the_readme_has_something_to_run() -> None:
    assert [block for block in blocks((ROOT / "README.md").read_text("utf-8")) if block.language == "python"]
