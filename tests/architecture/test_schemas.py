"""The schema checker of the other tests accepts, refuses, and says where."""

from typing import Any

import pytest

from plainmcp.revisions import REVISIONS
from schemas import SHA256, assert_valid, definitions

RESULTS: dict[str, dict[str, Any]] = {
    "2024-11-05": {"content": [{"type": "text", "text": "hello"}]},
    "2025-03-26": {"content": [{"type": "audio", "data": "AA==", "mimeType": "audio/wav"}]},
    "2025-06-18": {"content": [], "structuredContent": {"high": 21.5}},
    "2025-11-25": {"content": [{"type": "resource_link", "uri": "a:b", "name": "b", "icons": []}]},
    "2026-07-28": {"content": [], "structuredContent": [1, 2], "resultType": "complete"},
}


def test_there_is_a_pinned_schema_for_every_revision() -> None:
    assert list(SHA256) == list(REVISIONS) == list(RESULTS)
    assert all("CallToolResult" in definitions(name) for name in REVISIONS)


@pytest.mark.parametrize("revision", RESULTS)
def test_a_valid_result_passes(revision: str) -> None:
    assert_valid(revision, "CallToolResult", RESULTS[revision])


@pytest.mark.parametrize("revision", RESULTS)
def test_an_invalid_result_fails_and_names_the_path(revision: str) -> None:
    broken = {**RESULTS[revision], "isError": "no"}
    with pytest.raises(AssertionError, match=r"\$\.isError") as failure:
        assert_valid(revision, "CallToolResult", broken)
    assert revision in str(failure.value)


def test_bytes_are_parsed_strictly() -> None:
    assert_valid("2025-06-18", "CallToolResult", b'{"content":[],"structuredContent":{"high":21.5}}')
    with pytest.raises(AssertionError, match="NaN is not JSON"):
        assert_valid("2025-06-18", "CallToolResult", b'{"content":[],"structuredContent":{"high":NaN}}')


def test_a_definition_the_revision_lacks_is_a_mistake_of_the_test() -> None:
    with pytest.raises(LookupError, match="no definition ResourceLink"):
        assert_valid("2025-03-26", "ResourceLink", {})
