"""The documentation in a real Chromium: its search finds, and nothing on its pages is cut off."""

import json
from pathlib import Path

import pytest

from ui.conftest import Page

pytestmark = pytest.mark.slow

# A box with its own scroll bar is not cut off for a person with a mouse, but a reader should not need it.
CLIPPED = """
[...document.querySelectorAll("article pre > code, article table, article img, article p")]
  .filter((one) => one.scrollWidth > one.clientWidth + 1 && one.getClientRects().length)
  .map((one) => one.innerText.trim().split("\\n").sort((a, b) => b.length - a.length)[0].slice(0, 160))
"""
FIRST_TITLES = (
    "[...document.querySelectorAll('.md-search-result__article h1')].slice(0, 3).map((one) => one.innerText.trim())"
)
FINDS = {
    "lifespan": "Lifespan",
    "middleware": "Middleware",
    "oauth token": "Authorization",
    "api key": "Authorization",
    "pytest fixture": "Testing",
    "nginx": "Deploy",
    "structured content": "Results and policies",
    "elicit": "Context and questions",
    "progress": "Context and questions",
    "ToolError": "Errors",
    "redis": "Several processes",
    "exit codes": "Commands and exit codes",
    "terminal": "The command line",
    "call a tool in a terminal": "The command line",
    "sampling": "Context and questions",
    "structured output": "Results and policies",
    "output schema": "Results and policies",
    "rate limit": "Middleware",
    "mount": "Compose servers",
    "timeout": "Tools",
    "annotations": "Tools",
    "pagination": "Tools",
    "completion": "Prompts",
    "Inspector": "The page",
}


def test_a_search_finds_the_page(site: Page) -> None:
    site.call("goto", f"{site.url}index.html?q=first")
    for words, title in FINDS.items():
        site.wait("document.querySelectorAll('.md-search-result__article').length > 0")
        write_query(site, "")  # so that no result is left of the search before
        site.wait("document.querySelectorAll('.md-search-result__article').length === 0")
        write_query(site, words)
        site.wait(f"{FIRST_TITLES}.includes({json.dumps(title)})")


def write_query(site: Page, words: str) -> None:
    site.js(
        "((input) => { input.value = " + json.dumps(words) + "; input.dispatchEvent(new Event('keyup')); })"
        "(document.querySelector('[data-md-component=search-query]'))"
    )


def test_nothing_is_cut_off(site: Page, site_folder: Path) -> None:
    clipped: list[str] = []
    site.call("setJavaScriptEnabled", False)  # the scripts of the site change no box, and take time
    for file in sorted(site_folder.rglob("*.html")):
        name = file.relative_to(site_folder).as_posix()
        if name == "404.html":
            continue
        site.call("goto", site.url + name)
        clipped += [f"{name}: {line}" for line in site.js(CLIPPED)]
        assert site.js("[...document.images].every((one) => one.naturalWidth > 0)"), f"{name} lacks a picture"
    assert not clipped, "\n".join(clipped)


def test_a_narrow_screen_does_not_scroll_sideways(site: Page) -> None:
    site.set_size(400, 800)
    for name in ("index.html", "how-to/tools.html", "reference/server.html", "reference/values.html"):
        site.call("goto", site.url + name)
        assert site.js("document.documentElement.scrollWidth <= window.innerWidth"), name
