"""The facts about each revision agree with its official schema."""

from typing import Any

import pytest

from plainmcp.errors import AuthorError
from plainmcp.revisions import LATEST, REVISIONS, Revision, http_status, revision_of
from plainmcp.types import BLOCKS
from schemas import definitions

every_revision = pytest.mark.parametrize("revision", REVISIONS.values(), ids=list(REVISIONS))


def fields(revision: Revision, word: str) -> dict[str, Any]:
    """The properties a word has in the schema; none where the revision does not know it."""
    return definitions(revision.name).get(word, {}).get("properties", {})


def required(revision: Revision, word: str) -> list[str]:
    return definitions(revision.name)[word].get("required", [])


def test_the_five_revisions_go_by_their_dates_oldest_first():
    assert list(REVISIONS) == ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]
    assert all(revision.name == name for name, revision in REVISIONS.items())
    assert REVISIONS["2026-07-28"] is LATEST


@pytest.mark.parametrize("name", REVISIONS)
def test_a_revision_is_found_by_its_name(name):
    assert revision_of(name) is REVISIONS[name]


@pytest.mark.parametrize("name", ["2025-06-19", "", "latest"])
def test_an_unknown_revision_is_refused_and_the_known_ones_are_listed(name):
    with pytest.raises(AuthorError) as caught:
        revision_of(name)
    assert str(caught.value) == (
        f"unknown revision {name!r}; the known ones are 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28"
    )


def test_a_fact_cannot_be_changed():
    with pytest.raises(AttributeError):
        LATEST.structured = "none"


@every_revision
def test_the_kinds_of_content_are_those_of_the_schema(revision):
    """S000-05"""
    known = definitions(revision.name)
    assert revision.content.kinds == {kind for kind, block in BLOCKS.items() if block.__name__ in known}


@every_revision
def test_structured_content_is_what_the_schema_says_it_is(revision):
    """S000-06, S002-20"""
    schema = fields(revision, "CallToolResult").get("structuredContent")
    shape = "none" if schema is None else "object" if schema.get("type") == "object" else "any"
    assert revision.structured == shape


@every_revision
def test_the_fields_of_content_are_those_of_the_schema(revision):
    assert revision.content.last_modified == ("lastModified" in fields(revision, "Annotations"))
    for word in ("TextContent", "ImageContent", "EmbeddedResource", "TextResourceContents"):
        assert revision.content.meta == ("_meta" in fields(revision, word))
    assert revision.content.icons == ("icons" in fields(revision, "ResourceLink"))
    assert revision.content.titles == ("title" in fields(revision, "Resource"))


@every_revision
def test_what_a_result_must_say_of_itself_is_what_the_schema_requires(revision):
    for word in ("CallToolResult", "ReadResourceResult", "GetPromptResult"):
        assert revision.result_type == ("resultType" in required(revision, word))
    hints = {"ttlMs", "cacheScope"}
    assert revision.cache_hints == (hints <= set(required(revision, "ReadResourceResult")))


@pytest.mark.parametrize(
    ("response", "revision", "status"),
    [
        (None, "2025-11-25", 202),
        (b'{"jsonrpc":"2.0","id":1,"result":{}}', "2026-07-28", 200),
        (b'{"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}}', "2026-07-28", 400),
        (b'{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}', "2026-07-28", 404),
        (b'{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}', "2026-07-28", 200),
        (b'{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}', "2025-11-25", 200),
    ],
)
def test_a_response_has_an_http_status(response, revision, status):
    """R26-HTTP-28"""
    assert http_status(response, revision) == status
    assert http_status(response, REVISIONS[revision]) == status
