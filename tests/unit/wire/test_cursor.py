"""Cursors: which page they mean, that they survive changes and restarts, and which are refused."""

import subprocess
import sys
from base64 import urlsafe_b64decode, urlsafe_b64encode
from zlib import crc32

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plainmcp.errors import AuthorError, InvalidParams
from plainmcp.wire.cursor import Page, page_of

NAMES = ["ant", "bee", "cat", "dog", "eel"]


def cursor_after(key, kind="tools"):
    """The cursor of a page whose last item has this key."""
    more = key + "~" if isinstance(key, str) else key + 1
    return page_of([key, more], None, 1, kind).next_cursor


def forged(body: object, checksum: int | None = None) -> str:
    raw = body if isinstance(body, bytes) else msgspec.json.encode(body)
    head = (crc32(raw) if checksum is None else checksum).to_bytes(4, "big")
    return urlsafe_b64encode(head + raw).decode().rstrip("=")


def walk(keys, size, kind="tools"):
    """Every item, page by page, as a client sees them."""
    seen, cursor = [], None
    while True:
        found = page_of(keys, cursor, size, kind)
        seen.append(list(keys[found.start : found.stop]))
        cursor = found.next_cursor
        if cursor is None:
            return seen


# Pages ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "pages"),
    [
        (1, [["ant"], ["bee"], ["cat"], ["dog"], ["eel"]]),
        (2, [["ant", "bee"], ["cat", "dog"], ["eel"]]),
        (4, [["ant", "bee", "cat", "dog"], ["eel"]]),
        (5, [NAMES]),
        (6, [NAMES]),
        (None, [NAMES]),
    ],
)
def test_the_pages_of_a_list_are_the_list(size, pages):
    """S003-42 R26-PAGE-01"""
    assert walk(NAMES, size) == pages


@pytest.mark.parametrize("size", [1, None])
def test_an_empty_list_has_one_empty_page(size):
    assert page_of([], None, size, "tools") == Page(0, 0, None)


def test_a_list_in_order_of_registration_has_serial_numbers_for_keys():
    assert walk([0, 3, 4, 90], 3) == [[0, 3, 4], [90]]


def test_without_a_size_a_cursor_still_says_where_to_go_on():
    assert page_of(NAMES, cursor_after("bee"), None, "tools") == Page(2, 5, None)


@pytest.mark.parametrize("size", [0, -1])
def test_a_page_of_nothing_is_the_authors_mistake(size):
    with pytest.raises(AuthorError, match="at least one"):
        page_of(NAMES, None, size, "tools")


# What happens meanwhile -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "rest"),
    [
        (["ant", "bee", "cat", "dog"], ["cat", "dog"]),
        (["ant", "cat", "dog"], ["cat", "dog"]),  # the last item seen is gone
        (["cat", "dog"], ["cat", "dog"]),
        (["aardvark", "ant", "bee", "cat", "dog"], ["cat", "dog"]),  # one was added to a page already seen
        (["ant", "bee", "bug", "cat", "dog"], ["bug", "cat", "dog"]),
        (["ant", "bee"], []),
        ([], []),
    ],
)
def test_what_is_added_or_removed_elsewhere_neither_repeats_nor_skips(keys, rest):
    """R24-PAGE-01 R2503-PAGE-01 R2506-PAGE-01 R2511-PAGE-01 R26-PAGE-01"""
    found = page_of(keys, cursor_after("bee"), 10, "tools")
    assert keys[found.start : found.stop] == rest
    assert found.next_cursor is None


KEYS = st.sets(st.text(st.characters(exclude_categories=["Cs"]))) | st.sets(st.integers())


@given(before=KEYS, size=st.integers(1, 4), data=st.data())
def test_items_that_stay_are_seen_exactly_once_while_others_come_and_go(before, size, data):
    """R26-PAGE-01"""
    present, seen, cursor = sorted(before), [], None
    pool = st.integers() if before and isinstance(present[0], int) else st.text("abc", max_size=3)
    stayed = set(before)
    for _ in range(20):
        found = page_of(present, cursor, size, "tools")
        seen += present[found.start : found.stop]
        cursor = found.next_cursor
        if cursor is None:
            break
        gone = data.draw(st.sets(st.sampled_from(present), max_size=2))
        stayed -= gone
        present = sorted((set(present) - gone) | data.draw(st.sets(pool, max_size=2)))
    else:
        return
    assert len(seen) == len(set(seen))
    assert stayed <= set(seen)


@pytest.mark.slow
def test_a_cursor_survives_a_restart():
    """R26-PAGE-01"""
    program = (
        "from plainmcp.wire.cursor import page_of\n"
        "print(page_of(['ant', 'bee', 'cat'], None, 2, 'tools').next_cursor)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert page_of(NAMES, done.stdout.strip(), 2, "tools").start == 2


# Cursors ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["", "a", "é" * 500, "docs://a?b=c#d", '"\\', "\x00", 0, -1, 2**80])
def test_any_key_has_a_cursor_that_is_plain_text_and_never_empty(key):
    cursor = cursor_after(key)
    assert cursor
    assert cursor.isascii()
    assert set(cursor) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
    assert page_of([key], cursor, 1, "tools") == Page(1, 1, None)


GOOD = cursor_after("bee")


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        " ",
        "nonsense",
        "invalid-cursor",
        "2",
        "=",
        "====",
        "!!!",
        "é",
        "\ud800",
        GOOD + "=",
        GOOD + "A",
        GOOD + "\n",
        " " + GOOD,
        GOOD[:-1],
        GOOD[1:],
        GOOD.swapcase(),
        GOOD * 2,
        "A" * 100_000,
        cursor_after("bee", "prompts"),
        forged([1, "tools", "bee"], checksum=0),
        forged([2, "tools", "bee"]),
        forged([0, "tools", "bee"]),
        forged([1, "tools"]),
        forged([1, "tools", "bee", 1]),
        forged([1, "tools", None]),
        forged([1, "tools", ["bee"]]),
        forged([1, "tools", True]),
        forged([1, "tools", 1.5]),
        forged({"kind": "tools"}),
        forged(b'[1, "tools", "bee"]'),
        forged(b'[1,"tools","\xff"]'),
        forged(b"[" * 10_000),
        forged(b""),
        0,
        2,
        1.5,
        True,
        False,
        b"abc",
        [],
        {},
        [GOOD],
    ],
    ids=lambda cursor: repr(cursor)[:40],
)
def test_a_cursor_this_list_did_not_give_out_is_refused(cursor):
    """B-37 B-46 R24-PAGE-02 R2503-PAGE-02 R2506-PAGE-02 R2511-PAGE-02 R26-PAGE-02"""
    for keys, size in ((NAMES, 2), (NAMES, None), ([], 2)):
        with pytest.raises(InvalidParams, match="Invalid cursor") as caught:
            page_of(keys, cursor, size, "tools")
        assert caught.value.code == -32602


def test_the_forger_of_these_tests_can_make_a_good_one():
    assert forged([1, "tools", "bee"]) == GOOD


@pytest.mark.parametrize(("keys", "cursor"), [(NAMES, cursor_after(7)), ([1, 2], GOOD)])
def test_a_cursor_of_the_other_order_is_refused(keys, cursor):
    with pytest.raises(InvalidParams):
        page_of(keys, cursor, 2, "tools")


@given(
    st.integers(0, len(GOOD) - 1), st.sampled_from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
)
def test_a_cursor_with_one_letter_changed_is_refused(at, letter):
    """R26-PAGE-02"""
    changed = GOOD[:at] + letter + GOOD[at + 1 :]
    if changed != GOOD:
        with pytest.raises(InvalidParams):
            page_of(NAMES, changed, 2, "tools")


@given(st.text() | st.binary().map(lambda raw: urlsafe_b64encode(raw).decode().rstrip("=")))
def test_any_text_is_a_page_or_a_refusal(text):
    with pytest.raises(InvalidParams):
        page_of(NAMES, text, 2, "tools")


def test_a_cursor_tells_nothing_of_positions():
    assert msgspec.json.decode(urlsafe_b64decode(GOOD + "==")[4:]) == [1, "tools", "bee"]
