"""The types of the protocol: written as in the documents, sent with the protocol's names, read strictly."""

import json
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from plainmcp import types
from plainmcp.revisions import REVISIONS
from plainmcp.types import (
    Annotations,
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    EmbeddedResource,
    GetPromptResult,
    Icon,
    ImageContent,
    Implementation,
    Prompt,
    PromptArgument,
    PromptMessage,
    ReadResourceResult,
    Resource,
    ResourceLink,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
    Tool,
    ToolAnnotations,
    ToolExecution,
    parse_block,
    parse_contents,
)
from schemas import assert_valid, definitions

# The words of the protocol that results and definitions are made of.
WORDS = [
    "Annotations",
    "AudioContent",
    "BlobResourceContents",
    "CallToolResult",
    "EmbeddedResource",
    "GetPromptResult",
    "Icon",
    "ImageContent",
    "Implementation",
    "Prompt",
    "PromptArgument",
    "PromptMessage",
    "ReadResourceResult",
    "Resource",
    "ResourceLink",
    "ResourceTemplate",
    "TextContent",
    "TextResourceContents",
    "Tool",
    "ToolAnnotations",
    "ToolExecution",
]


def wire(word: Any) -> str:
    return msgspec.json.encode(word).decode()


def spaced(word: Any) -> str:
    """As the documents print it: one line, spaced."""
    return json.dumps(json.loads(wire(word)), ensure_ascii=False)


# Made as the documents write them ----------------------------------------------------------------


def test_the_names_the_documents_use_are_there():
    """S000-54"""
    for name in ("CallToolResult", "TextContent", "ImageContent", "ReadResourceResult", "TextResourceContents"):
        assert getattr(types, name).__name__ == name
    assert {*WORDS, "ContentBlock", "ResourceContents", "Role"} <= set(types.__all__)


@pytest.mark.parametrize(
    ("word", "text"),
    [
        (TextContent(type="text", text="Tool result text"), '{"type": "text", "text": "Tool result text"}'),
        (
            ImageContent(
                type="image",
                data="base64-encoded-data",
                mimeType="image/png",
                annotations=Annotations(audience=["user"], priority=0.9),
            ),
            '{"type": "image", "data": "base64-encoded-data", "mimeType": "image/png", '
            '"annotations": {"audience": ["user"], "priority": 0.9}}',
        ),
        (
            AudioContent(type="audio", data="base64-encoded-audio-data", mimeType="audio/wav"),
            '{"type": "audio", "data": "base64-encoded-audio-data", "mimeType": "audio/wav"}',
        ),
        (
            ResourceLink(
                type="resource_link",
                uri="file:///project/src/main.rs",
                name="main.rs",
                description="Primary application entry point",
                mimeType="text/x-rust",
                annotations=Annotations(audience=["assistant"], priority=0.9),
            ),
            '{"type": "resource_link", "uri": "file:///project/src/main.rs", "name": "main.rs", '
            '"description": "Primary application entry point", "mimeType": "text/x-rust", '
            '"annotations": {"audience": ["assistant"], "priority": 0.9}}',
        ),
        (
            EmbeddedResource(
                type="resource",
                resource=TextResourceContents(
                    uri="file:///project/src/main.rs",
                    title="Project Rust Main File",
                    mimeType="text/x-rust",
                    text='fn main() {\n    println!("Hello world!");\n}',
                    annotations=Annotations(
                        audience=["user", "assistant"], priority=0.7, lastModified="2025-05-03T14:30:00Z"
                    ),
                ),
            ),
            '{"type": "resource", "resource": {"uri": "file:///project/src/main.rs", '
            '"title": "Project Rust Main File", "mimeType": "text/x-rust", '
            '"text": "fn main() {\\n    println!(\\"Hello world!\\");\\n}", '
            '"annotations": {"audience": ["user", "assistant"], "priority": 0.7, '
            '"lastModified": "2025-05-03T14:30:00Z"}}}',
        ),
    ],
    ids=["text", "image", "audio", "link", "embedded"],
)
def test_a_block_is_written_as_the_specification_prints_it(word, text):
    """S002-11, S002-12, S002-13, S002-14, S002-17"""
    assert spaced(word) == text
    assert parse_block(json.loads(text)) == word


def test_a_tool_is_written_as_the_specification_prints_it():
    """S002-01, S002-02, S002-03, S002-04, S002-05, S002-25"""
    tool = Tool(
        name="get_weather_data",
        title="Weather Data Retriever",
        description="Get current weather data for a location",
        inputSchema={
            "type": "object",
            "properties": {"location": {"type": "string", "description": "City name or zip code"}},
            "required": ["location"],
        },
        outputSchema={
            "type": "object",
            "properties": {
                "temperature": {"type": "number", "description": "Temperature in celsius"},
                "conditions": {"type": "string", "description": "Weather conditions description"},
                "humidity": {"type": "number", "description": "Humidity percentage"},
            },
            "required": ["temperature", "conditions", "humidity"],
        },
    )
    assert spaced(tool) == (
        '{"name": "get_weather_data", "title": "Weather Data Retriever", '
        '"description": "Get current weather data for a location", '
        '"inputSchema": {"type": "object", "properties": {"location": {"type": "string", '
        '"description": "City name or zip code"}}, "required": ["location"]}, '
        '"outputSchema": {"type": "object", "properties": {'
        '"temperature": {"type": "number", "description": "Temperature in celsius"}, '
        '"conditions": {"type": "string", "description": "Weather conditions description"}, '
        '"humidity": {"type": "number", "description": "Humidity percentage"}}, '
        '"required": ["temperature", "conditions", "humidity"]}}'
    )
    assert_valid("2025-06-18", "Tool", json.loads(wire(tool)))


def test_a_tool_needs_a_name_and_an_input_schema_and_nothing_else():
    """S002-02, S002-05, S002-06"""
    assert wire(Tool(name="a", inputSchema={"type": "object"})) == '{"name":"a","inputSchema":{"type":"object"}}'


def test_hints_about_a_tool_are_written_as_given():
    """S002-06"""
    hints = ToolAnnotations(title="A", readOnlyHint=True, destructiveHint=False)
    tool = Tool(name="a", inputSchema={"type": "object"}, annotations=hints)
    assert wire(tool).endswith('"annotations":{"title":"A","readOnlyHint":true,"destructiveHint":false}}')


def test_the_type_of_a_block_need_not_be_said():
    """S000-07"""
    resource = TextResourceContents(uri="a://1", text="b")
    blocks = [
        TextContent(text="a"),
        ImageContent(data="AA==", mimeType="image/png"),
        AudioContent(data="AA==", mimeType="audio/wav"),
        ResourceLink(uri="a://1", name="b"),
        EmbeddedResource(resource=resource),
    ]
    assert [json.loads(wire(block))["type"] for block in blocks] == [
        "text",
        "image",
        "audio",
        "resource_link",
        "resource",
    ]


@pytest.mark.parametrize(
    ("word", "text"),
    [
        (
            Resource(uri="a://1", name="a", title="A", mimeType="text/plain", size=3),
            '{"uri": "a://1", "name": "a", "title": "A", "mimeType": "text/plain", "size": 3}',
        ),
        (ResourceTemplate(uriTemplate="a://{b}", name="a"), '{"uriTemplate": "a://{b}", "name": "a"}'),
        (
            Prompt(name="a", arguments=[PromptArgument(name="b", required=True)]),
            '{"name": "a", "arguments": [{"name": "b", "required": true}]}',
        ),
        (
            Implementation(name="a", version="1", icons=[Icon(src="a.png", sizes=["any"], theme="dark")]),
            '{"name": "a", "version": "1", "icons": [{"src": "a.png", "sizes": ["any"], "theme": "dark"}]}',
        ),
        (
            GetPromptResult(messages=[PromptMessage(role="user", content=TextContent(text="a"))]),
            '{"messages": [{"role": "user", "content": {"type": "text", "text": "a"}}]}',
        ),
        (
            ReadResourceResult(contents=[BlobResourceContents(uri="a://1", blob="AA==")]),
            '{"contents": [{"uri": "a://1", "blob": "AA=="}]}',
        ),
        (ToolExecution(taskSupport="optional"), '{"taskSupport": "optional"}'),
    ],
    ids=lambda word: type(word).__name__,
)
def test_the_other_words_are_written_in_the_order_the_specification_lists_them(word, text):
    assert spaced(word) == text


# Absent and null ---------------------------------------------------------------------------------


def test_none_means_absent():
    """S002-10, S003-68"""
    block = TextContent(text="a", annotations=None, _meta=None, mimeType=None)
    assert wire(block) == '{"type":"text","text":"a"}'
    assert wire(CallToolResult(content=[], isError=None, _meta=None)) == '{"content":[]}'


def test_false_zero_and_empty_are_not_absent():
    """S000-48"""
    assert wire(CallToolResult(content=[], isError=False, _meta={})) == '{"content":[],"isError":false,"_meta":{}}'
    assert wire(Annotations(audience=[], priority=0.0)) == '{"audience":[],"priority":0.0}'
    assert wire(TextContent(text="")) == '{"type":"text","text":""}'


def test_structured_content_left_out_is_absent_and_none_is_null():
    """S000-06"""
    assert CallToolResult(content=[]).structuredContent is UNSET
    assert wire(CallToolResult(content=[])) == '{"content":[]}'
    assert wire(CallToolResult(content=[], structuredContent=None)) == '{"content":[],"structuredContent":null}'
    assert wire(CallToolResult(content=[], structuredContent={})) == '{"content":[],"structuredContent":{}}'


def test_a_field_that_no_revision_has_cannot_be_given():
    with pytest.raises(TypeError, match="colour"):
        TextContent(text="a", colour="red")


# Every revision's words ---------------------------------------------------------------------------


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("word", WORDS)
def test_every_field_of_every_revision_has_a_place(revision, word):
    """S000-05, S002-10"""
    known = set(definitions(revision).get(word, {}).get("properties", {}))
    assert known <= set(getattr(types, word).__struct_fields__)


@pytest.mark.parametrize("word", WORDS)
def test_a_field_of_ours_is_in_the_newest_schema_or_an_authors_own(word):
    ours = set(getattr(types, word).__struct_fields__)
    known = {field for name in REVISIONS for field in definitions(name).get(word, {}).get("properties", {})}
    additions = {
        "TextContent": {"mimeType"},  # S003-36
        "TextResourceContents": {"name", "title", "annotations"},  # S002-17, S003-64
        "BlobResourceContents": {"name", "title", "annotations"},
    }
    assert ours - known == additions.get(word, set())


# Reading the wire form ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        {"type": "text", "text": "a", "annotations": {"audience": ["user"]}, "_meta": {"a": 1}},
        {"type": "image", "data": "AA==", "mimeType": "image/png"},
        {"type": "audio", "data": "AA==", "mimeType": "audio/wav"},
        {"type": "resource_link", "uri": "a://1", "name": "b", "icons": [{"src": "a.png"}], "size": 3},
        {"type": "resource", "resource": {"uri": "a://1", "text": "b"}, "annotations": {"priority": 0.5}},
        {"type": "resource", "resource": {"uri": "a://1", "blob": "AA=="}, "_meta": {"a": 1}},
        {"type": "resource", "resource": {"uri": "a://1", "title": "T", "text": "b", "_meta": {"a": 1}}},
    ],
)
def test_a_block_is_read_and_written_without_loss(data):
    assert json.loads(wire(parse_block(data))) == data


@pytest.mark.parametrize(
    "data",
    [
        {"type": "text", "text": "a", "colour": "red"},
        {"type": "image", "data": "AA==", "mimeType": "image/png", "alt": "a cat"},
        {"type": "resource_link", "uri": "a://1", "name": "b", "colour": "red"},
        {"type": "resource", "resource": {"uri": "a://1", "text": "b"}, "colour": "red"},
        {"type": "resource", "resource": {"uri": "a://1", "text": "b", "colour": "red"}},
        {"type": "resource", "resource": {"uri": "a://1", "text": "b", "blob": "AA=="}},
        {"type": "text", "text": "a", "annotations": {"colour": "red"}},
        {"type": "resource_link", "uri": "a://1", "name": "b", "icons": [{"src": "a.png", "colour": "red"}]},
    ],
)
def test_a_key_no_revision_knows_is_refused_rather_than_dropped(data):
    with pytest.raises(msgspec.ValidationError, match="unknown field"):
        parse_block(data)


@pytest.mark.parametrize(
    "data",
    [
        {"type": "text"},
        {"type": "text", "text": 3},
        {"type": "text", "text": None},
        {"type": "image", "data": "AA=="},
        {"type": "resource_link", "uri": "a://1"},
        {"type": "resource", "resource": {"uri": "a://1"}},
        {"type": "resource", "resource": {"text": "a"}},
        {"type": "resource", "resource": "a://1"},
        {"type": "resource"},
        {"type": "text", "text": "a", "annotations": {"audience": ["everyone"]}},
        {"type": "text", "text": "a", "_meta": []},
    ],
)
def test_a_block_that_does_not_fit_is_refused(data):
    with pytest.raises(msgspec.ValidationError):
        parse_block(data)


@pytest.mark.parametrize("data", [None, "text", ["text"], {}, {"type": "video"}, {"type": None}, {"type": ["text"]}])
def test_what_has_no_type_of_block_is_refused_and_the_types_are_listed(data):
    with pytest.raises(msgspec.ValidationError, match="text, image, audio, resource_link, resource"):
        parse_block(data)


def test_contents_are_a_text_or_a_blob():
    """S000-38"""
    assert parse_contents({"uri": "a://1", "text": "b"}) == TextResourceContents(uri="a://1", text="b")
    assert parse_contents({"uri": "a://1", "blob": "AA=="}) == BlobResourceContents(uri="a://1", blob="AA==")


@pytest.mark.parametrize(
    "data",
    [
        {"uri": "a://1"},
        {"text": "b"},
        {"uri": "a://1", "text": "b", "blob": "AA=="},
        {"uri": "a://1", "text": "b", "author": "c"},
        {"uri": "a://1", "blob": b"a"},
        "a",
        None,
    ],
)
def test_anything_else_is_no_contents(data):
    with pytest.raises(msgspec.ValidationError):
        parse_contents(data)
