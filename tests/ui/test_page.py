"""The page of a server in a real Chromium: what a person sees, and what is sent."""

import json
from pathlib import Path

import pytest

from posting import served
from talking import ROOT
from ui.browser import Browser
from ui.conftest import SERVER, Page

pytestmark = pytest.mark.slow


def test_it_shows_what_the_server_offers_with_its_cost_and_finds(page: Page) -> None:
    page.open()
    assert page.text("h1") == "Flower shop"
    assert page.texts("nav h2")[0].startswith("Tools")
    assert [text.split("\n")[0] for text in page.texts("nav li")][:3] == ["bouquet", "care", "flowers"]
    assert page.text("main strong") == "post"  # the instructions, in Markdown
    assert page.js("document.querySelector('nav li .cost').innerText").startswith("~")
    page.call("press", "/")
    page.call("text", "lett")
    assert [text.split("\n")[0] for text in page.texts("nav li")] == ["letter"]
    assert page.text("#found") == "1 found"


def test_a_table_is_shown_beside_the_exact_bytes(page: Page) -> None:
    page.open("tools/flowers")
    page.choose("colour", "white")
    page.run()
    assert page.texts("table.data th") == ["name", "price", "colours"]
    assert page.texts("table.data tbody tr") == ['rose\t2.5\t["red","white"]', 'lily\t3.0\t["white"]']
    raw = page.text("pre.bytes")
    assert json.loads(raw)["result"]["structuredContent"]["result"][1]["name"] == "lily"
    assert "3.0" in raw  # as it was sent
    assert f"{len(raw):,} bytes" in page.text(".side:last-child .hint")


def test_a_form_has_lists_objects_unions_dates_and_maps(page: Page) -> None:
    page.open("tools/order")
    page.press("Add to items")
    page.fill("items 1", "rose")
    page.fill("count", "2")
    page.fill("street", "Main 1")
    page.fill("city", "Oslo")
    page.choose("Kind of payment", "invoice")
    page.fill("company", "Acme")
    page.fill("when", "2026-07-28")
    page.choose("gift", "true")
    page.press("Add an entry")
    page.fill("Name of the entry", "porter")
    page.fill("value", "ring twice")
    page.press("Call")
    page.wait_for("Run order?")  # it writes
    page.press("Run it")
    page.wait_for_end()
    result = json.loads(page.text("pre.bytes"))["result"]["structuredContent"]
    assert result == {
        "items": ["rose"],
        "count": 2,
        "city": "Oslo",
        "floor": None,
        "when": "2026-07-28",
        "gift": True,
        "payment": {"kind": "invoice", "company": "Acme", "days": 30},
        "notes": {"porter": "ring twice"},
    }


def test_a_form_for_a_type_that_contains_itself_grows_when_it_is_wanted(page: Page) -> None:
    page.open("tools/graft")
    assert page.count("form.call input, form.call textarea") < 20
    page.press("Raw JSON")
    deep = {"name": "a", "left": {"name": "b", "below": {"name": "c", "right": {"name": "d"}}}}
    page.fill("Arguments as JSON", json.dumps({"plant": deep, "size": [3, "cm"], "mood": "good"}))
    page.press("Raw JSON")
    page.run()
    answer = json.loads(page.text("pre.bytes"))["result"]["structuredContent"]
    assert answer["plant"]["left"]["below"]["right"]["name"] == "d"
    assert (answer["size"], answer["mood"]) == ([3, "cm"], "good")
    page.open("tools/graft", {"plant": {"name": "a", "left": {"name": "b"}}, "size": [1, "m"]})
    page.js("[...document.querySelectorAll('button')].find((one) => one.innerText === 'Add below').click()")
    page.js("document.activeElement.value = 'under b'")
    page.run()
    answer = json.loads(page.text("pre.bytes"))["result"]["structuredContent"]
    assert answer["plant"]["left"]["below"]["name"] == "under b"


def test_a_tool_that_writes_does_not_run_unless_it_is_confirmed(page: Page) -> None:
    values = {"items": [], "count": 1, "address": {"street": "a", "city": "b"}, "when": "2026-01-01"}
    page.open("tools/order", {**values, "payment": {"kind": "card", "number": "1"}})
    assert page.text(".warning") == "This tool changes something."
    page.press("Call")
    page.wait_for("Run order?")
    assert page.js("document.activeElement.innerText") == "Do not run"
    page.call("press", "Enter")
    page.wait("!document.querySelector('dialog')")
    assert page.count("pre.bytes") == 0
    page.open("resources/shop%3A%2F%2Fruns")
    page.run("Read")
    assert page.text("pre.bytes").count("order") <= 1  # the one that another test confirmed


def test_constraints_are_shown_and_checked_before_anything_is_sent(page: Page) -> None:
    page.open("tools/rate")
    assert "From bad to good · 1 to 5" in page.text("form.call")
    page.fill("stars", "9")
    page.fill("code", "abc")
    page.press("Call")
    assert page.error("stars") == "is at most 5"
    assert page.error("code") == "matches ^[A-Z]{3}$"
    assert page.js("document.activeElement.getAttribute('aria-invalid')") == "true"
    assert page.text("#status") == "2 values do not fit the schema"
    page.run("Send anyway")
    assert "The tool reports an error" in page.text("article")
    page.fill("stars", "4")
    page.fill("code", "ABC")
    page.run()
    assert json.loads(page.text("pre.bytes"))["result"]["structuredContent"] == {"stars": 4, "code": "ABC"}


def test_arguments_can_be_raw_json(page: Page) -> None:
    page.open("tools/rate", {"stars": 2})
    page.press("Raw JSON")
    assert json.loads(page.js("document.querySelector('textarea.raw').value")) == {"stars": 2}
    page.fill("Arguments as JSON", '{"stars": 3')
    page.press("Call")
    assert "this is not JSON" in page.text(".form > .error")
    page.fill("Arguments as JSON", '{"stars": 3}')
    page.press("Raw JSON")
    page.run()
    assert json.loads(page.text("pre.bytes"))["result"]["structuredContent"] == {"stars": 3}


def test_images_sounds_and_markdown_are_what_they_are(page: Page) -> None:
    page.open("tools/picture")
    page.run()
    page.wait("document.querySelector('figure img').naturalWidth === 1")
    page.open("tools/sound")
    page.run()
    assert page.js("document.querySelector('audio').src").startswith("data:audio/wav;base64,")
    page.open("tools/care")
    page.run()
    assert page.texts(".result .markdown li") == ["water each day", "light"]
    assert page.texts(".result .markdown td") == ["rose", "much"]


def test_of_thousands_of_blocks_some_are_shown(page: Page) -> None:
    page.open()
    blocks = "Array.from({length: 2000}, () => ({type: 'text', text: 'x'}))"
    count = "[shown.querySelectorAll('section').length, shown.querySelector('.blocks').lastChild.textContent]"
    script = f"(({{renderResult}}) => {{ const shown = renderResult({{content: {blocks}}}); return {count}; }})"
    assert page.js(f"import('/ui/result.js').then({script})") == [50, "1,950 more blocks are not shown"]


def test_what_a_server_says_is_never_html(page: Page) -> None:
    page.open("tools/weeds")
    page.run()
    page.run("Compare revisions and policies")
    page.run()
    assert "<img src=x onerror='alert(1)'>" in page.text("article")
    inside = "main :is(img, script, svg, i, [onerror], [onload])"
    assert page.js(f"document.querySelectorAll({json.dumps(inside)}).length") == 0
    links = page.js("[...document.querySelectorAll('main a')].map((one) => one.href)")
    assert set(links) == {"https://example.com/"}


def test_errors_of_tools_and_of_the_protocol_are_shown(page: Page) -> None:
    page.open("tools/wither")
    page.run()
    assert "The tool reports an error" in page.text(".result") and "All flowers are gone" in page.text(".result")
    page.open("resources/shop%3A%2F%2Fnowhere")
    page.run("Read")
    assert "shop://nowhere" in page.text(".failure") and "code -32602" in page.text(".failure")
    [problem] = page.call("problems")  # the browser reports a status of 400 by itself
    assert "400" in problem


@pytest.mark.parametrize("revision", ["2026-07-28", "2025-11-25"])
def test_questions_are_forms(page: Page, revision: str) -> None:
    page.open("tools/bouquet")
    page.choose_revision(revision)
    page.press("Call")
    page.wait_for("For whom is the bouquet?")
    assert page.js("document.activeElement.closest('form').className") == "question"
    page.fill("name", "Ada")
    page.choose("size", "large")
    page.press("Accept")
    page.wait_for("A large bouquet for Ada")
    page.wait_for_end()
    page.press("Call")
    page.wait_for("For whom is the bouquet?")
    page.press("Decline")
    page.wait_for("No bouquet: decline")
    page.open("tools/poem")
    page.choose_revision(revision)
    page.press("Call")
    page.wait_for("A line about roses")
    page.fill("text", "Roses are red")
    page.press("Answer")
    page.wait_for("Roses are red")
    page.wait_for_end()
    assert "Roses are red" in page.text("pre.bytes")


@pytest.mark.parametrize("revision", ["2026-07-28", "2025-06-18"])
def test_progress_and_messages_are_shown_as_they_come(page: Page, revision: str) -> None:
    page.open("tools/grow", {"steps": 3, "seconds": 0.3})
    page.choose_revision(revision)
    page.press("Call")
    page.wait_for("1 of 3 · growing")
    assert page.text(".log").startswith("info step 1") and "step 3" not in page.text(".log")
    page.wait_for_end()
    assert page.texts(".log p") == ["info step 1", "info step 2", "info step 3"]
    assert page.js("document.querySelector('progress').value") == 3


@pytest.mark.parametrize("revision", ["2026-07-28", "2025-06-18"])
def test_a_call_can_be_cancelled(page: Page, revision: str) -> None:
    page.open("tools/grow", {"steps": 2, "seconds": 30})
    page.choose_revision(revision)
    page.press("Call")
    page.wait_for("1 of 2")
    page.press("Cancel")
    page.wait_for_end()
    assert page.text("#status") == "Cancelled"
    assert "step 1" in page.text(".log")


def test_one_run_is_shown_for_every_revision_and_policy_with_the_difference(page: Page) -> None:
    page.open("resources/shop%3A%2F%2Fruns")
    page.run("Read")
    before = page.text("pre.bytes").count("flowers")
    page.open("tools/flowers")
    page.run("Compare revisions and policies")
    rows = [row.split("\t") for row in page.texts("table.compare tbody tr")]
    assert len(rows) == 30
    assert [row[-5] for row in rows[:7]] == 6 * ["2026-07-28"] + ["2025-11-25"]
    assert {(row[-6], row[-5]) for row in rows} >= {("standard", "2024-11-05"), ("lean", "2026-07-28")}
    assert all(int(row[-2].replace(",", "")) > 0 and int(row[-1].replace(",", "")) > 0 for row in rows)
    assert page.text(".difference h4") == "From standard on 2026-07-28 to lean on 2026-07-28"
    assert page.count(".diff .out") > 0 and page.count(".diff .in") > 0
    page.call("click", '[aria-label="with standard on 2024-11-05"]')
    assert page.text(".difference h4") == "From standard on 2026-07-28 to standard on 2024-11-05"
    assert "structuredContent" in "".join(page.texts(".diff .out"))
    page.open("resources/shop%3A%2F%2Fruns")
    page.run("Read")
    assert page.text("pre.bytes").count("flowers") == before + 1


def test_the_comparison_has_the_answers_of_the_call_before(page: Page) -> None:
    page.open("tools/bouquet")
    page.press("Call")
    page.wait_for("For whom is the bouquet?")
    page.fill("name", "Ada")
    page.press("Accept")
    page.wait_for("A small bouquet for Ada")
    page.wait_for_end()
    page.run("Compare revisions and policies")
    assert page.count("table.compare tbody tr") == 30
    assert page.count("tr.failed") == 0


def test_resources_templates_and_prompts_are_read(page: Page) -> None:
    page.open("resources/shop%3A%2F%2Fhours")
    page.run("Read")
    assert "9 to 5" in page.text(".result")
    page.open("templates/shop%3A%2F%2Fflowers%2F%7Bname%7D")
    page.fill("name", "iris")
    page.run("Read")
    assert '"stock": 4' in json.loads(page.text("pre.bytes"))["result"]["contents"][0]["text"]
    page.open("prompts/letter")
    page.press("Get")
    assert page.error("recipient") == "is required"
    page.fill("recipient", "Ada")
    page.run("Get")
    assert "Write a warm letter to Ada." in page.text(".result")


def test_the_server_suggests_values_while_somebody_types(page: Page) -> None:
    page.open("prompts/letter")
    page.fill("tone", "dry")
    page.fill("recipient", "a")
    options = "[...document.querySelectorAll('#' + document.activeElement.getAttribute('list') + ' option')]"
    page.wait(f"{options}.map((one) => one.value).join() === 'Ada,Alan,dry'")


def test_a_new_tool_is_there_at_once(page: Page) -> None:
    page.open("tools/plant", {"name": "zinnia"})
    page.run()
    page.wait("[...document.querySelectorAll('nav li .title')].some((one) => one.innerText === 'zinnia')")
    assert "zinnia grows" in page.text(".result")  # what is open stays


def test_a_file_that_is_saved_is_shown_with_the_same_values(browser: Browser, tmp_path: Path) -> None:
    file, text = tmp_path / "edited.py", SERVER.read_text("utf-8")
    file.write_text(text, "utf-8")
    command = ("-m", "plainmcp", "serve", file, "--http", "127.0.0.1:0", "--reload")
    with served(*command, cwd=ROOT) as (_, port):
        page = Page(browser, port)
        page.open("tools/rate")
        page.fill("stars", "4")
        file.write_text(text.replace("Rate a flower.", "Rate a rose."), "utf-8")
        page.wait_for("Rate a rose.")
        page.run()
        assert json.loads(page.text("pre.bytes"))["result"]["structuredContent"] == {"stars": 4}
        page.call("goto", "about:blank")
    browser.call("problems")  # the browser reports the end of a stream by itself


def test_calls_are_in_the_history_of_the_browser_and_never_run_by_themselves(page: Page) -> None:
    page.open("tools/flowers")
    page.choose("colour", "red")
    page.run()
    page.choose("colour", "yellow")
    page.run()
    assert json.loads(page.js("decodeURIComponent(location.hash.split('?')[1])")) == {"colour": "yellow"}
    page.call("goBack")
    page.wait("document.querySelector('article select').selectedOptions[0].text === 'red'")
    page.open("tools/flowers", {"colour": "white"})
    assert page.js("document.querySelector('article select').selectedOptions[0].text") == "white"
    assert page.count("pre.bytes") == 0
