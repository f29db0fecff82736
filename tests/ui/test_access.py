"""The page for everyone: keyboard, screen readers, light and dark, and a narrow screen."""

import json
from collections.abc import Iterator

import pytest

from ui.browser import axe
from ui.conftest import Page

pytestmark = pytest.mark.slow

AXE = """axe.run("%s", {elementRef: false, resultTypes: ["violations"], runOnly: %s}).then((found) => found.violations
  .filter((one) => ["serious", "critical"].includes(one.impact))
  .map((one) => one.id + ": " + one.nodes.map((node) => node.html.slice(0, 120) + " " + node.failureSummary)))"""


def findings(page: Page, *rules: str, within: str = "html") -> list[str]:
    """The serious findings of axe-core, by all rules or some; it runs beside the page, whose own policy stays."""
    if not page.js("'axe' in window"):
        page.call("evaluate", axe() + ";0")
    found: list[str] = page.js(AXE % (within, json.dumps(rules) if rules else "undefined"))
    return found


def states(page: Page) -> Iterator[str]:
    """The states of the page that people see, one after the other."""
    page.open()
    yield "start"
    page.open("tools/order")
    page.press("Add to items")
    page.choose("Kind of payment", "card")
    page.press("Call")
    yield "form with mistakes"
    page.open("tools/flowers")
    page.press("Copy as")
    page.press("curl")
    page.run()
    yield "table"
    page.run("Compare revisions and policies")
    yield "comparison"
    page.open("tools/bouquet")
    page.press("Call")
    page.wait_for("For whom is the bouquet?")
    yield "question"
    page.press("Dismiss")
    page.wait_for_end()
    page.open("tools/grow", {"seconds": 0.01})
    page.run()
    yield "messages"
    page.open("tools/wither")
    page.run()
    yield "error"
    page.open("tools/care")
    page.run()
    yield "Markdown"


def test_axe_finds_nothing_serious_in_either_theme_and_nothing_is_cut_off_at_400_pixels(page: Page) -> None:
    for state in states(page):
        within = "html" if state == "start" else "main"  # the rest stays as it was
        found = findings(page, within=within)
        page.set_theme("dark")
        found += findings(page, "color-contrast", within=within)  # the themes differ in colours only
        page.set_theme("light")
        assert not found, f"{state}: " + "\n".join(found)
        page.set_size(400, 800)
        width = page.js("document.documentElement.scrollWidth")
        page.set_size(1200, 900)
        assert width <= 400, f"{state} is {width} pixels wide"


def test_axe_would_find_an_image_without_words(page: Page) -> None:
    page.open()
    page.js("document.querySelector('main').append(document.createElement('img'))")
    assert [finding.split(":")[0] for finding in findings(page)] == ["image-alt"]


def test_the_themes_differ_and_follow_the_system(page: Page) -> None:
    page.open()
    light = page.js("getComputedStyle(document.body).backgroundColor")
    page.set_theme("dark")
    assert light == "rgb(255, 255, 255)"
    assert page.js("getComputedStyle(document.body).backgroundColor") == "rgb(22, 25, 29)"


def test_the_keyboard_is_enough(page: Page) -> None:
    page.open()
    page.call("press", "/")
    page.call("text", "rate")
    page.call("press", "Tab")
    page.call("press", "Enter")
    page.wait("document.activeElement.tagName === 'H2'")
    assert page.text("h2:focus") == "rate"
    for _ in range(6):
        page.call("press", "Tab")
        if page.js("document.activeElement.closest('.field') !== null"):
            break
    page.call("text", "5")
    page.call("chord", "Control", "Enter")
    page.wait_for('"stars":5')
    page.open("tools/grow", {"steps": 2, "seconds": 30})
    page.js("document.querySelector('article textarea, article input').focus()")
    page.call("press", "Enter")
    page.wait_for("1 of 2")
    page.call("press", "Escape")
    page.wait("document.querySelector('#status').innerText === 'Cancelled'")
    page.open()
    page.call("press", "Tab")
    assert page.text("a:focus") == "Skip to the content"
    page.call("press", "Enter")
    assert page.js("document.activeElement.id") == "main"
