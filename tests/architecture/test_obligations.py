"""Every obligation of the protocol has a test or a reason. Reads the tests, runs none of them."""

import pytest

from obligations_report import CHAPTERS, PAGE, obligations, page, pins, reason, reasons

pytestmark = pytest.mark.slow  # it reads all tests


def test_every_obligation_is_pinned_or_excused() -> None:
    found, excuses = pins(), reasons()
    open_ = [one.id for one in obligations() if one.id not in found and reason(one, excuses) is None]
    assert not open_, f"no test names {', '.join(open_)}, and obligations_reasons.json does not say why"


def test_no_test_names_an_obligation_that_does_not_exist() -> None:
    unknown = sorted(pins().keys() - {one.id for one in obligations()})
    assert not unknown, f"tests/obligations.json has no {', '.join(unknown)}"


def test_every_excuse_excuses_something() -> None:
    every, found = obligations(), pins()
    for key in reasons():
        excused = [one.id for one in every if key in (one.id, one.number, one.chapter)]
        assert excused, f"{key} is no obligation"
        assert not all(id in found for id in excused), f"{key} is pinned by now; take its excuse away"


def test_every_chapter_has_a_heading() -> None:
    assert {one.chapter for one in obligations()} == CHAPTERS.keys()


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text("utf-8") == page(), "run python tests/obligations_report.py"
