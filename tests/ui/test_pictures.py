"""The pictures of the documentation, as a real Chromium draws them: `make pictures` writes them."""

from pathlib import Path

import pytest

from talking import ROOT
from ui.conftest import Page

pytestmark = pytest.mark.slow

PICTURES = ROOT / "docs" / "images"
LEAST = 5_000  # bytes: a picture of nothing is smaller


@pytest.fixture
def is_update(pytestconfig: pytest.Config) -> bool:
    return bool(pytestconfig.getoption("--update-pictures", False))


def take(page: Page, folder: Path, name: str) -> None:
    """A picture of the window; there is one of this name in the documentation."""
    page.call("screenshot", {"path": str(folder / name)})
    assert (folder / name).stat().st_size > LEAST
    assert (PICTURES / name).is_file()


def test_the_page(page: Page, tmp_path: Path, is_update: bool) -> None:
    folder = PICTURES if is_update else tmp_path
    page.set_size(1100, 760)
    page.open("tools/flowers")
    page.run()
    take(page, folder, "page.png")
    page.run("Compare revisions and policies")
    page.set_size(1100, 1000)
    page.js("document.querySelector('.output h3').scrollIntoView()")
    page.set_theme("dark")
    take(page, folder, "page-compare.png")
    page.set_theme("light")
    page.set_size(400, 760)
    page.open("tools/bouquet")
    page.press("Call")
    page.wait_for("For whom is the bouquet?")
    page.js("document.querySelector('.question').scrollIntoView({block: 'center'})")
    take(page, folder, "page-question.png")
    page.press("Dismiss")
    page.wait_for_end()


def test_the_first_page_of_the_site(site: Page, tmp_path: Path, is_update: bool) -> None:
    site.set_size(1280, 800)
    site.call("goto", f"{site.url}index.html")
    take(site, PICTURES if is_update else tmp_path, "site.png")
