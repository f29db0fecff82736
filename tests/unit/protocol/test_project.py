"""What each revision gets of a result. Every row of the table of projection rules (B.1) has a test here."""

import json
from typing import Any

import msgspec
import pytest
from msgspec import UNSET, Raw

from plainmcp.protocol import project
from plainmcp.revisions import LATEST, REVISIONS, revision_of
from plainmcp.types import (
    Annotations,
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    GetPromptResult,
    Icon,
    ImageContent,
    PromptMessage,
    ReadResourceResult,
    ResourceLink,
    TextContent,
    TextResourceContents,
)
from schemas import assert_valid

OLD = ("2024-11-05", "2025-03-26")  # no structured content, no links
MIDDLE = ("2025-06-18", "2025-11-25")  # structured objects
NEW = ("2026-07-28",)
WAV = b"RIFF\x24\x00\x00\x00WAVEfmt "
WAV_64 = "UklGRiQAAABXQVZFZm10IA=="
WAV_URI = "ni:///sha-256;0Z0YqYOjY83OLUFiNGJ2DNSbK48GlOJjYDe1oQ7i6D0"
FULL = {"audience": ["user"], "priority": 0.5, "lastModified": "2025-01-12T15:00:58Z"}
PART = {"audience": ["user"], "priority": 0.5}


def annotations(fields: dict[str, Any] = FULL) -> Annotations:
    return Annotations(**fields)


def text(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": text, **more}


def on_wire(revision: str, definition: str, message: Any) -> dict[str, Any]:
    """What is sent, which must be valid, as data whose keys are in the order they are sent."""
    raw = msgspec.json.encode(message)
    assert_valid(revision, definition, raw)
    return json.loads(raw)


def tool(result: CallToolResult, revision: str, mirrored: bool = False, **options: Any) -> dict[str, Any]:
    projected = project.tool_result(result, mirrored, revision_of(revision), **options)
    return on_wire(revision, "CallToolResult", projected)


def blocks(block: ContentBlock, revision: str) -> list[dict[str, Any]]:
    """The content of a result with this one block; a prompt's message gets the same."""
    content = tool(CallToolResult(content=[block]), revision)["content"]
    prompt = GetPromptResult(messages=[PromptMessage(role="user", content=block)])
    projected = project.prompt_result(prompt, revision_of(revision))
    said = on_wire(revision, "GetPromptResult", projected)["messages"]
    assert said == [{"role": "user", "content": one} for one in content]
    return content


def every(names: tuple[str, ...]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("revision", names)


# resultType, ttlMs, cacheScope ---------------------------------------------------------------------


@every((*OLD, *MIDDLE))
def test_no_older_client_sees_result_type_or_cache_hints(revision):
    assert tool(CallToolResult(content=[], resultType="complete"), revision) == {"content": []}
    read = ReadResourceResult(contents=[], resultType="complete", ttlMs=5000, cacheScope="public")
    projected = project.resource_result(read, revision_of(revision))
    assert on_wire(revision, "ReadResourceResult", projected) == {"contents": []}
    prompt = project.prompt_result(GetPromptResult(messages=[], resultType="complete"), revision_of(revision))
    assert on_wire(revision, "GetPromptResult", prompt) == {"messages": []}


@every(NEW)
def test_a_2026_07_28_client_is_told_that_a_result_is_complete(revision):
    assert tool(CallToolResult(content=[]), revision) == {"content": [], "resultType": "complete"}
    prompt = project.prompt_result(GetPromptResult(messages=[]), revision_of(revision))
    assert on_wire(revision, "GetPromptResult", prompt) == {"messages": [], "resultType": "complete"}


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ({}, {"ttlMs": 0, "cacheScope": "private"}),
        ({"ttlMs": 5000}, {"ttlMs": 5000, "cacheScope": "private"}),
        ({"cacheScope": "public"}, {"ttlMs": 0, "cacheScope": "public"}),
    ],
)
def test_a_2026_07_28_client_is_told_how_long_to_keep_a_resource(given, sent):
    projected = project.resource_result(ReadResourceResult(contents=[], **given), LATEST)
    assert on_wire("2026-07-28", "ReadResourceResult", projected) == {
        "contents": [],
        "resultType": "complete",
        **sent,
    }


# structuredContent: objects ------------------------------------------------------------------------


@every((*MIDDLE, *NEW))
@pytest.mark.parametrize("content", [[], [TextContent(text="a city")]])
def test_an_object_is_kept_where_structured_content_is_known_and_nothing_is_added(revision, content):
    """S002-20, S003-23"""
    result = CallToolResult(content=content, structuredContent={"city": "Oslo"})
    sent = tool(result, revision)
    assert sent["structuredContent"] == {"city": "Oslo"}
    assert sent["content"] == [text("a city")] * len(content)


@every(OLD)
def test_a_2025_03_26_client_never_sees_structured_content_but_its_json_as_text(revision):
    """S002-21"""
    result = CallToolResult(content=[TextContent(text="a city")], structuredContent={"city": "Oslo"})
    assert tool(result, revision) == {"content": [text("a city"), text('{"city": "Oslo"}')]}


@every(OLD)
def test_data_dropped_beside_empty_content_becomes_the_text(revision):
    result = CallToolResult(content=[], structuredContent={"city": "Oslo"})
    assert tool(result, revision) == {"content": [text('{"city": "Oslo"}')]}


@every(OLD)
@pytest.mark.parametrize("said", ['{"city":"Oslo","high":21}', '{ "high": 21, "city": "Oslo" }'])
def test_data_that_a_text_already_says_is_not_said_again(revision, said):
    result = CallToolResult(
        content=[TextContent(text="Here:"), TextContent(text=said)],
        structuredContent={"city": "Oslo", "high": 21},
    )
    assert tool(result, revision) == {"content": [text("Here:"), text(said)]}


@every(OLD)
@pytest.mark.parametrize("said", ['{"city":"Oslo"', "Oslo", '{"city":"Bergen"}', "[" * 5000, "\x00"])
def test_a_text_that_says_something_else_does_not_count(revision, said):
    result = CallToolResult(content=[TextContent(text=said)], structuredContent={"city": "Oslo"})
    assert tool(result, revision) == {"content": [text(said), text('{"city": "Oslo"}')]}


@every(OLD)
def test_data_whose_text_an_author_vouches_for_is_not_said_again(revision):
    """S001-05"""
    result = CallToolResult(content=[TextContent(text="a city")], structuredContent={"city": "Oslo"})
    assert tool(result, revision, mirrored=True) == {"content": [text("a city")]}


@every(tuple(REVISIONS))
def test_raw_json_is_carried_byte_for_byte(revision):
    """S002-27"""
    result = CallToolResult(content=[], structuredContent=Raw(b'{"n":65,"x":65.0,"e":1e16}'))
    raw = msgspec.json.encode(project.tool_result(result, False, revision_of(revision)))
    if revision in OLD:
        assert raw == rb'{"content":[{"type":"text","text":"{\"n\": 65, \"x\": 65.0, \"e\": 1e16}"}]}'
    else:
        assert b'"structuredContent":{"n":65,"x":65.0,"e":1e16}' in raw


# structuredContent: arrays, scalars, null -----------------------------------------------------------

BARE = [[1, 2], [], "a", 42, 1.5, True, None]


@every(MIDDLE)
@pytest.mark.parametrize("value", BARE, ids=repr)
def test_what_is_no_object_is_wrapped_where_it_must_be_one(revision, value):
    """S000-32, S002-20"""
    result = CallToolResult(content=[TextContent(text="x")], structuredContent=value)
    assert tool(result, revision, mirrored=True) == {
        "content": [text("x")],
        "structuredContent": {"result": value},
    }


@every(MIDDLE)
def test_the_key_to_wrap_under_may_be_another(revision):
    result = CallToolResult(content=[TextContent(text="x")], structuredContent=[1])
    sent = tool(result, revision, mirrored=True, wrap_key="rows")
    assert sent["structuredContent"] == {"rows": [1]}


@every(NEW)
@pytest.mark.parametrize("value", BARE, ids=repr)
def test_a_2026_07_28_client_gets_any_value_bare(revision, value):
    result = CallToolResult(content=[TextContent(text="x")], structuredContent=value)
    assert tool(result, revision, mirrored=True) == {
        "content": [text("x")],
        "structuredContent": value,
        "resultType": "complete",
    }


@every((*MIDDLE, *NEW))
@pytest.mark.parametrize("value", BARE, ids=repr)
def test_what_is_no_object_is_there_as_text_too(revision, value):
    """SEP-2106: array or primitive structuredContent MUST come with its serialized JSON in a text block"""
    result = CallToolResult(content=[], structuredContent=value)
    assert tool(result, revision)["content"] == [text(json.dumps(value))]


@every(NEW)
def test_what_is_no_object_is_there_as_text_beside_other_text_that_does_not_say_it(revision):
    """SEP-2106, as above; a text that an author vouches for is left alone"""
    result = CallToolResult(content=[TextContent(text="two")], structuredContent=[1, 2])
    assert tool(result, revision)["content"] == [text("two"), text("[1, 2]")]
    assert tool(result, revision, mirrored=True)["content"] == [text("two")]


@every(OLD)
@pytest.mark.parametrize("value", BARE, ids=repr)
def test_what_is_no_object_is_json_text_where_nothing_is_structured(revision, value):
    result = CallToolResult(content=[], structuredContent=value)
    assert tool(result, revision) == {"content": [text(json.dumps(value))]}


@every(tuple(REVISIONS))
def test_nothing_structured_stays_nothing(revision):
    """S000-19"""
    assert project.tool_result(CallToolResult(content=[]), True, revision_of(revision)).structuredContent is UNSET
    assert tool(CallToolResult(content=[]), revision)["content"] == []


# isError ---------------------------------------------------------------------------------------------


@every(tuple(REVISIONS))
def test_an_error_is_an_error_on_every_revision_and_keeps_its_data(revision):
    """S000-48, B-26"""
    result = CallToolResult(content=[TextContent(text="no such city")], structuredContent={"code": 7}, isError=True)
    sent = tool(result, revision)
    assert sent["isError"] is True
    if revision in OLD:
        assert sent["content"] == [text("no such city"), text('{"code": 7}')]
    else:
        assert (sent["content"], sent["structuredContent"]) == ([text("no such city")], {"code": 7})


@every(tuple(REVISIONS))
def test_success_says_nothing_of_errors_unless_the_author_does(revision):
    """S000-48, S002-26"""
    assert "isError" not in tool(CallToolResult(content=[]), revision)
    assert tool(CallToolResult(content=[], isError=False), revision)["isError"] is False


# audio -----------------------------------------------------------------------------------------------


@every(OLD[1:] + MIDDLE + NEW)
def test_a_sound_is_kept_where_it_is_known(revision):
    """S002-13"""
    assert blocks(AudioContent(data=WAV_64, mimeType="audio/wav"), revision) == [
        {"type": "audio", "data": WAV_64, "mimeType": "audio/wav"}
    ]


def test_a_2024_11_05_client_gets_a_sound_as_an_embedded_blob_named_by_its_hash():
    """The URI is the RFC 6920 name of the bytes; annotations stay on the block"""
    sound = AudioContent(data=WAV_64, mimeType="audio/wav", annotations=annotations(), _meta={"a": 1})
    assert blocks(sound, "2024-11-05") == [
        {
            "type": "resource",
            "resource": {"uri": WAV_URI, "mimeType": "audio/wav", "blob": WAV_64},
            "annotations": PART,
        }
    ]


@pytest.mark.parametrize("data", ["not base64!", "Zm9", "é"])
def test_a_sound_that_is_not_base64_has_a_name_all_the_same(data):
    [block] = blocks(AudioContent(data=data, mimeType="audio/wav"), "2024-11-05")
    assert block["resource"]["uri"].startswith("ni:///sha-256;")
    assert block["resource"]["blob"] == data


# resource_link -----------------------------------------------------------------------------------------


@every((*MIDDLE, *NEW))
def test_a_link_is_kept_where_it_is_known(revision):
    """S002-14, S002-16"""
    assert blocks(ResourceLink(uri="a://1", name="b", title="B", size=3), revision) == [
        {"type": "resource_link", "uri": "a://1", "name": "b", "title": "B", "size": 3}
    ]


@every(OLD)
@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({}, "main.rs: file:///main.rs"),
        ({"title": "Main"}, "Main: file:///main.rs"),
        ({"mimeType": "text/x-rust"}, "main.rs (text/x-rust): file:///main.rs"),
        ({"description": "The entry point"}, "main.rs: file:///main.rs\nThe entry point"),
        (
            {"title": "Main", "mimeType": "text/x-rust", "description": "The entry point"},
            "Main (text/x-rust): file:///main.rs\nThe entry point",
        ),
    ],
)
def test_an_older_client_gets_a_link_as_text(revision, fields, line):
    link = ResourceLink(uri="file:///main.rs", name="main.rs", **fields)
    assert blocks(link, revision) == [text(line)]


@every(OLD)
def test_a_link_as_text_keeps_its_annotations(revision):
    """S002-15"""
    link = ResourceLink(uri="a://1", name="b", annotations=annotations(), _meta={"a": 1}, icons=[Icon(src="i")])
    assert blocks(link, revision) == [text("b: a://1", annotations=PART)]


# lastModified, _meta, icons, titles ---------------------------------------------------------------------

CARRIERS = {
    "text": TextContent(text="a", annotations=annotations(), _meta={"a": 1}),
    "image": ImageContent(data="AA==", mimeType="image/png", annotations=annotations(), _meta={"a": 1}),
    "embedded": EmbeddedResource(
        resource=BlobResourceContents(uri="a://1", blob="AA==", _meta={"b": 2}),
        annotations=annotations(),
        _meta={"a": 1},
    ),
}


@every((*MIDDLE, *NEW))
@pytest.mark.parametrize("block", CARRIERS.values(), ids=list(CARRIERS))
def test_annotations_and_meta_are_kept_where_they_are_known(revision, block):
    """S002-10"""
    [sent] = blocks(block, revision)
    assert (sent["annotations"], sent["_meta"]) == (FULL, {"a": 1})
    assert sent == msgspec.to_builtins(block)


@every(OLD)
@pytest.mark.parametrize("block", CARRIERS.values(), ids=list(CARRIERS))
def test_older_clients_see_neither_last_modified_nor_meta_on_a_block(revision, block):
    [sent] = blocks(block, revision)
    assert sent["annotations"] == PART
    assert "_meta" not in json.dumps(sent)


@every(OLD)
def test_annotations_that_held_nothing_else_are_dropped_with_last_modified(revision):
    block = TextContent(text="a", annotations=annotations({"lastModified": "2025-01-12T15:00:58Z"}))
    assert blocks(block, revision) == [text("a")]


@every(tuple(REVISIONS))
def test_meta_of_the_result_itself_travels_everywhere(revision):
    """S004-41"""
    assert tool(CallToolResult(content=[], _meta={"a": 1}), revision)["_meta"] == {"a": 1}
    read = project.resource_result(ReadResourceResult(contents=[], _meta={"a": 1}), revision_of(revision))
    assert on_wire(revision, "ReadResourceResult", read)["_meta"] == {"a": 1}
    prompt = GetPromptResult(description="d", messages=[], _meta={"a": 1})
    sent = on_wire(revision, "GetPromptResult", project.prompt_result(prompt, revision_of(revision)))
    assert (sent["description"], sent["_meta"]) == ("d", {"a": 1})


@every((*MIDDLE, *NEW))
def test_icons_of_a_link_are_kept_from_2025_11_25_on(revision):
    [sent] = blocks(ResourceLink(uri="a://1", name="b", icons=[Icon(src="i.png")]), revision)
    assert ("icons" in sent) == (revision != "2025-06-18")


@every(OLD)
def test_annotations_inside_an_embedded_resource_are_moved_to_the_block(revision):
    """S002-19: the specification prints them inside; no schema has them there"""
    inner = TextResourceContents(uri="a://1", name="n", title="T", text="b", annotations=annotations())
    assert blocks(EmbeddedResource(resource=inner), revision) == [
        {"type": "resource", "resource": {"uri": "a://1", "text": "b"}, "annotations": PART}
    ]


@every(OLD)
def test_annotations_on_the_block_win_over_those_inside(revision):
    inner = TextResourceContents(uri="a://1", text="b", annotations=annotations({"priority": 0.1}))
    block = EmbeddedResource(resource=inner, annotations=annotations())
    [sent] = blocks(block, revision)
    assert sent["annotations"] == PART
    assert sent["resource"] == {"uri": "a://1", "text": "b"}


@every((*MIDDLE, *NEW))
def test_what_an_author_put_inside_an_embedded_resource_stays_there(revision):
    """S002-17, B-23"""
    inner = TextResourceContents(uri="a://1", title="T", text="b", annotations=annotations(), _meta={"a": 1})
    [sent] = blocks(EmbeddedResource(resource=inner), revision)
    assert sent["resource"] == {
        "uri": "a://1",
        "title": "T",
        "text": "b",
        "annotations": FULL,
        "_meta": {"a": 1},
    }


@every(tuple(REVISIONS))
def test_the_contents_of_a_resource_are_made_to_fit_as_well(revision):
    read = ReadResourceResult(
        contents=[
            TextResourceContents(
                uri="a://1", name="n", title="T", mimeType="text/plain", text="b", annotations=annotations()
            ),
            BlobResourceContents(uri="a://2", blob="AA==", _meta={"a": 1}),
        ]
    )
    sent = on_wire(revision, "ReadResourceResult", project.resource_result(read, revision_of(revision)))
    if revision in OLD:
        assert sent["contents"] == [
            {"uri": "a://1", "mimeType": "text/plain", "text": "b"},
            {"uri": "a://2", "blob": "AA=="},
        ]
    else:
        assert sent["contents"] == msgspec.to_builtins(read.contents)


@every(tuple(REVISIONS))
def test_the_type_of_a_text_block_is_an_addition_that_older_clients_do_not_get(revision):
    """S003-36"""
    [sent] = blocks(TextContent(text="# Hi", mimeType="text/markdown"), revision)
    assert sent == (text("# Hi") if revision in OLD else text("# Hi", mimeType="text/markdown"))


# The whole ---------------------------------------------------------------------------------------------


def everything() -> CallToolResult:
    inner = TextResourceContents(uri="a://1", title="T", text="b", annotations=annotations())
    return CallToolResult(
        content=[
            TextContent(text="a", annotations=annotations(), _meta={"a": 1}),
            ImageContent(data="AA==", mimeType="image/png"),
            AudioContent(data="AA==", mimeType="audio/wav"),
            ResourceLink(uri="a://1", name="b", icons=[Icon(src="i.png")]),
            EmbeddedResource(resource=inner),
        ],
        structuredContent=[1, {"a": None}],
        isError=True,
        _meta={"a": 1},
    )


@every(tuple(REVISIONS))
def test_a_result_is_not_changed_by_being_made_to_fit(revision):
    given = everything()
    project.tool_result(given, False, revision_of(revision))
    assert given == everything()


@every(tuple(REVISIONS))
def test_no_block_is_lost_and_the_order_stays(revision):
    """S002-09"""
    sent = tool(everything(), revision, mirrored=True)["content"]
    assert [block["type"] for block in sent] == {
        "2024-11-05": ["text", "image", "resource", "text", "resource"],
        "2025-03-26": ["text", "image", "audio", "text", "resource"],
    }.get(revision, ["text", "image", "audio", "resource_link", "resource"])


@every(tuple(REVISIONS))
def test_fitting_twice_changes_nothing_more(revision):
    once = project.tool_result(everything(), False, revision_of(revision))
    assert project.tool_result(once, False, revision_of(revision)) == once
