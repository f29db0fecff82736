"""The prefix of a mounted server, in names and URIs."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plainmcp.protocol.prefix import HierarchicalPrefix, Prefix, prefix_name, prefix_uri, remove_prefix

URIS = st.from_regex(r"([a-z][a-z0-9+.-]{0,5}:(//)?)?[a-z/?#{}._-]{1,12}", fullmatch=True)
PREFIXES = st.from_regex(r"[A-Za-z0-9_.-]{1,8}", fullmatch=True)


@given(URIS, URIS, PREFIXES)
def test_two_uris_never_become_one(one: str, other: str, text: str) -> None:
    prefix = Prefix(text)
    assert (prefix_uri(prefix, one) == prefix_uri(prefix, other)) == (one == other)
    assert prefix_uri(prefix, one).replace(f"{prefix}/", "", 1) == one or prefix in one


@pytest.mark.parametrize("kind", [Prefix, HierarchicalPrefix])
@given(uri=URIS, text=PREFIXES)
def test_a_prefix_can_be_taken_out_again(kind: Any, uri: str, text: str) -> None:
    prefix = kind(text)
    assert remove_prefix(prefix, prefix_name(prefix, "add"), is_uri=False) == "add"
    if prefix_uri(prefix, uri) != uri:
        assert remove_prefix(prefix, prefix_uri(prefix, uri), is_uri=True) == uri


def test_without_a_prefix_names_and_uris_stay() -> None:
    empty = Prefix("")
    assert (prefix_name(empty, "add"), prefix_uri(empty, "memo://notes")) == ("add", "memo://notes")
    assert (remove_prefix(empty, "add", is_uri=False), remove_prefix(empty, "a://b", is_uri=True)) == ("add", "a://b")
