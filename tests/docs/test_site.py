"""The documentation builds without a warning, fetches nothing, and leads a reader to what they look for."""

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urldefrag

import pytest

from docs.pages import DOCS, ROOT

# What a reader who knows FastMCP looks for, and the title of the page that has it.
LOOKED_FOR = {
    "lifespan": "Lifespan",
    "middleware": "Middleware",
    "auth": "Authorization",
    "testing": "Testing",
    "deploy": "Deploy",
    "results": "Results and policies",
    "tools": "Tools",
    "resources": "Resources",
    "prompts": "Prompts",
    "elicitation": "Context and questions",
    "errors": "Errors",
    "depends": "Dependencies",
    "telemetry": "Logs and telemetry",
    "fastmcp": "From FastMCP",
}
CLICKS = 2


class Article(HTMLParser):
    """The text of a page, without its navigation: its title, and the links with their texts."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.title = ""
        self.links: dict[str, str] = {}  # the text of a link, in lower case, and where it leads
        self._page = page
        self._is_inside = self._is_title = False
        self._target: str | None = None
        self._text = ""
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Notice where the article, its title and its links begin."""
        self._is_inside |= tag == "article"
        self._is_title = self._is_inside and (tag == "h1" or (self._is_title and tag != "a"))
        href, kind = dict(attributes).get("href"), dict(attributes).get("class")
        if self._is_inside and tag == "a" and href and kind != "headerlink" and ":" not in href:
            self._target, self._text = urldefrag(href).url, ""

    def handle_endtag(self, tag: str) -> None:
        """Notice where they end."""
        self._is_inside &= tag != "article"
        if tag == "a" and self._target:
            self.links[self._text.lower()] = str((self._page.parent / self._target).resolve())
            self._target = None

    def handle_data(self, data: str) -> None:
        """Keep a text."""
        self._text += data
        if self._is_title:
            self.title, self._is_title = data.strip(), False


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site").resolve()
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, env=environment)
    assert done.returncode == 0, done.stderr
    return folder


def test_the_site_has_every_page_and_fetches_nothing(site: Path) -> None:
    for page in DOCS.rglob("*.md"):
        assert (site / page.relative_to(DOCS).with_suffix(".html")).is_file()
    for page in site.rglob("*.html"):
        fetched = re.findall(r'<(?:script|link|img)\b[^>]*?(?:src|href)="(https?://[^"]*)"', page.read_text("utf-8"))
        assert not fetched, f"{page.name} fetches {fetched[0]}"


def test_who_knows_fastmcp_is_two_clicks_from_what_they_look_for(site: Path) -> None:
    first = str(site / "index.html")
    distances = {first: 0}
    articles: dict[str, Article] = {}
    for clicks in range(CLICKS + 1):
        for page in [page for page, distance in distances.items() if distance == clicks]:
            articles[page] = Article(Path(page))
            for target in articles[page].links.values():
                distances.setdefault(target, clicks + 1)
    near = {article.title: distances[page] for page, article in articles.items() if distances[page] <= CLICKS}
    missing = [word for word, title in LOOKED_FOR.items() if title not in near]
    assert not missing, f"not within {CLICKS} clicks of the first page: {', '.join(missing)}"


def test_the_first_page_has_the_words_that_they_look_for(site: Path) -> None:
    text = re.sub(r"<[^>]+>", "", (site / "index.html").read_text("utf-8").partition("<article")[2]).lower()
    assert [word for word in LOOKED_FOR if word not in text] == []


def test_every_guide_is_reached_from_the_first_page(site: Path) -> None:
    known, open_pages = set[str](), [str(site / "index.html")]
    while open_pages:
        page = open_pages.pop()
        if page not in known and Path(page).is_file():
            known.add(page)
            open_pages += Article(Path(page)).links.values() if page.endswith(".html") else ()
    guides = {str(site / page.relative_to(DOCS).with_suffix(".html")) for page in (DOCS / "how-to").glob("*.md")}
    assert sorted(guides - known) == []
