"""Which values are content, and the block or the contents that each becomes."""

from base64 import b64encode
from typing import Any

import fastmcp.utilities.types as fastmcp
import mcp.types as official
import msgspec
import pytest

from plainmcp import Audio, File, Image, Policy
from plainmcp.errors import NormalizeError, ToolError
from plainmcp.types import (
    Annotations,
    AudioContent,
    BlobResourceContents,
    EmbeddedResource,
    ImageContent,
    PromptMessage,
    ResourceLink,
    TextContent,
    TextResourceContents,
    Tool,
)
from plainmcp.values import content
from plainmcp.values.encode import Rules

PNG = b"\x89PNG\r\n\x1a\n"
WAV = b"RIFF\x24\x00\x00\x00WAVEfmt "
PNG_64 = b64encode(PNG).decode()
WAV_64 = b64encode(WAV).decode()
STANDARD, FASTMCP, LEAN = Policy.standard, Policy.fastmcp, Policy.lean
RULES = Rules()

BLOCKS = [
    TextContent(text="a"),
    ImageContent(data="AA==", mimeType="image/png"),
    AudioContent(data="AA==", mimeType="audio/wav"),
    ResourceLink(uri="a://1", name="b"),
    EmbeddedResource(resource=TextResourceContents(uri="a://1", text="b")),
]


def block(value: Any, policy: Policy = STANDARD) -> Any:
    """The block, as it is written."""
    return msgspec.to_builtins(content.block_of(value, policy, RULES))


def contents(value: Any, mime_type: str | None = None, policy: Policy = STANDARD) -> Any:
    """The contents of a://1, as they are written."""
    return msgspec.to_builtins(content.contents_of(value, "a://1", mime_type, policy, RULES))


# What counts as content ------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [*BLOCKS, BLOCKS[4].resource, Image("a.png"), Audio("a.wav"), File("a.pdf")])
def test_blocks_contents_and_media_are_content(value):
    """S000-14, S004-07, S004-39"""
    assert content.is_content(type(value), STANDARD, RULES)


@pytest.mark.parametrize(
    "value",
    [
        official.TextContent(type="text", text="a"),
        official.ImageContent(type="image", data="AA==", mimeType="image/png"),
        official.TextResourceContents(uri="a://1", text="a"),
        fastmcp.Image(data=PNG, format="png"),
        fastmcp.Audio(data=WAV, format="wav"),
        fastmcp.File(data=b"a", format="txt", name="a"),
    ],
    ids=lambda value: f"{type(value).__module__.partition('.')[0]}-{type(value).__name__}",
)
def test_the_content_of_other_packages_is_content(value):
    """S000-14"""
    assert content.is_content(type(value), STANDARD, RULES)


@pytest.mark.parametrize("value", ["a", 1, None, {"type": "text", "text": "a"}, [], Tool(name="a", inputSchema={})])
def test_data_is_not_content(value):
    assert not content.is_content(type(value), STANDARD, RULES)


def test_a_class_that_only_has_the_name_of_a_block_is_data():
    class TextContent:
        pass

    assert not content.is_content(TextContent, STANDARD, RULES)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_bytes_are_content_where_the_policy_sends_them_as_such(kind):
    """S000-20, S004-03"""
    assert [content.is_content(kind, policy, RULES) for policy in (STANDARD, FASTMCP, LEAN)] == [False, True, True]


@pytest.mark.parametrize(
    ("items", "found"),
    [
        ([], False),
        (["a", 1, {"b": 2}], False),
        (["a", BLOCKS[0]], True),
        (["a", ["b", (BLOCKS[0],)]], True),
        (["a", {"b": BLOCKS[0]}], False),
        ([[[]], [[1]], []], False),
    ],
)
def test_a_list_is_content_when_it_holds_some_at_any_depth(items, found):
    """S000-34"""
    assert content.has_content(items, STANDARD, RULES) is found


def test_a_list_that_holds_itself_is_searched_only_once():
    knot: list[Any] = [1]
    knot.append(knot)
    assert not content.has_content(knot, STANDARD, RULES)


# Blocks ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", BLOCKS, ids=lambda value: value.type)
@pytest.mark.parametrize("policy", Policy.profiles)
def test_a_block_passes_as_it_is(value, policy):
    """S000-34, S004-07"""
    assert content.block_of(value, Policy.of(policy), RULES) is value


@pytest.mark.parametrize(
    ("value", "wire"),
    [
        (Image(data=PNG), {"type": "image", "data": PNG_64, "mimeType": "image/png"}),
        (Audio(data=WAV), {"type": "audio", "data": WAV_64, "mimeType": "audio/wav"}),
        (
            File(data=b"# Hi", name="a.md"),
            {"type": "resource", "resource": {"uri": "file:///a.md", "mimeType": "text/markdown", "text": "# Hi"}},
        ),
        (
            TextResourceContents(uri="a://1", text="b"),
            {"type": "resource", "resource": {"uri": "a://1", "text": "b"}},
        ),
    ],
)
def test_media_and_contents_become_blocks(value, wire):
    """S004-04, S004-05, S004-06"""
    assert block(value) == wire


def test_a_policy_says_what_a_text_file_becomes():
    """S002-17, S003-26, S004-06"""
    file = File(data=b"a,b", name="a.csv")
    uri, mime = "file:///a.csv", "text/csv"
    assert block(file)["resource"] == {"uri": uri, "mimeType": mime, "text": "a,b"}
    assert block(file, FASTMCP)["resource"] == {"uri": uri, "mimeType": mime, "blob": "YSxi"}
    named = {"uri": uri, "name": "a.csv", "mimeType": mime, "text": "a,b"}
    assert block(file, Policy.serializer)["resource"] == named


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_a_policy_says_what_bytes_become(kind):
    """S004-03"""
    image = {"type": "image", "data": PNG_64, "mimeType": "image/png"}
    assert block(kind(PNG), LEAN) == image
    embedded = block(kind(PNG), FASTMCP)
    assert embedded["type"] == "resource"
    assert embedded["resource"]["blob"] == PNG_64


@pytest.mark.parametrize(
    ("value", "wire"),
    [
        (official.TextContent(type="text", text="a"), {"type": "text", "text": "a"}),
        (
            official.ImageContent(
                type="image",
                data="AA==",
                mimeType="image/png",
                annotations=official.Annotations(audience=["user"], priority=0.5),
                _meta={"a": {"b": None}},
            ),
            {
                "type": "image",
                "data": "AA==",
                "mimeType": "image/png",
                "annotations": {"audience": ["user"], "priority": 0.5},
                "_meta": {"a": {"b": None}},
            },
        ),
        (
            official.ResourceLink(type="resource_link", uri="a://1", name="b", size=3),
            {"type": "resource_link", "uri": "a://1", "name": "b", "size": 3},
        ),
        (
            official.EmbeddedResource(
                type="resource", resource=official.BlobResourceContents(uri="a://1", blob="AA==")
            ),
            {"type": "resource", "resource": {"uri": "a://1", "blob": "AA=="}},
        ),
        (
            official.TextResourceContents(uri="a://1", text="b"),
            {"type": "resource", "resource": {"uri": "a://1", "text": "b"}},
        ),
        (fastmcp.Image(data=PNG, format="png"), {"type": "image", "data": PNG_64, "mimeType": "image/png"}),
        (fastmcp.Audio(data=WAV, format="wav"), {"type": "audio", "data": WAV_64, "mimeType": "audio/wav"}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_content_of_other_packages_becomes_ours(value, wire):
    """S000-14, S004-07"""
    assert block(value) == wire


def test_a_picture_of_another_package_that_cannot_be_read_is_told_by_its_base_name_alone(tmp_path):
    with pytest.raises(ToolError) as caught:
        block(fastmcp.Image(path=tmp_path / "secret" / "gone.png"))
    assert "gone.png" in str(caught.value) and "secret" not in str(caught.value)


# Resource contents -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_bytes_are_a_blob_of_the_declared_type_or_of_none(kind):
    """S000-40, S000-41, S000-42"""
    assert contents(kind(PNG)) == {"uri": "a://1", "mimeType": "application/octet-stream", "blob": PNG_64}
    assert contents(kind(PNG), "image/png") == {"uri": "a://1", "mimeType": "image/png", "blob": PNG_64}


@pytest.mark.parametrize(
    "value",
    [
        TextResourceContents(uri="b://2", mimeType="text/plain", text="c", title="T"),
        BlobResourceContents(uri="b://2", blob="AA==", annotations=Annotations(priority=0.5)),
    ],
)
def test_contents_pass_as_they_are_with_their_own_uri(value):
    """S000-36, S000-37"""
    assert content.contents_of(value, "a://1", "text/html", STANDARD, RULES) == value


def test_contents_of_other_packages_become_ours():
    """B-21"""
    given = official.TextResourceContents(uri="b://2", mimeType="text/plain", text="c", _meta={"a": 1})
    assert contents(given) == {"uri": "b://2", "mimeType": "text/plain", "text": "c", "_meta": {"a": 1}}


@pytest.mark.parametrize(
    ("value", "wire"),
    [
        (Image(data=PNG), {"uri": "a://1", "mimeType": "image/png", "blob": PNG_64}),
        (File(data=b"a,b", name="a.csv"), {"uri": "a://1", "mimeType": "text/csv", "text": "a,b"}),
        (BLOCKS[0], {"uri": "a://1", "mimeType": "text/plain", "text": "a"}),
        (BLOCKS[1], {"uri": "a://1", "mimeType": "image/png", "blob": "AA=="}),
        (BLOCKS[2], {"uri": "a://1", "mimeType": "audio/wav", "blob": "AA=="}),
        (BLOCKS[4], {"uri": "a://1", "text": "b"}),
    ],
)
def test_media_and_blocks_have_contents(value, wire):
    assert contents(value) == wire


@pytest.mark.parametrize("value", [Image(data=PNG), BLOCKS[0], BLOCKS[1], b"a"])
def test_a_declared_type_wins(value):
    """S000-42"""
    assert contents(value, "text/x-mine")["mimeType"] == "text/x-mine"


def test_a_link_has_no_contents():
    with pytest.raises(NormalizeError, match="a link has no contents; return what it points to"):
        contents(BLOCKS[3])


@pytest.mark.parametrize("value", ["a", 1, None, {"text": "a"}, [BLOCKS[0]]])
def test_data_has_no_contents_here(value):
    assert content.contents_of(value, "a://1", None, STANDARD, RULES) is None


@pytest.mark.parametrize(
    "value",
    [
        TextContent(text="a", annotations=Annotations(priority=0.5), _meta={"a": 1}),
        ImageContent(data="AA==", mimeType="image/png", annotations=Annotations(priority=0.5), _meta={"a": 1}),
        EmbeddedResource(resource=BLOCKS[4].resource, annotations=Annotations(priority=0.5), _meta={"a": 1}),
    ],
    ids=lambda value: value.type,
)
def test_what_an_author_said_about_a_block_is_said_about_its_contents(value):
    """S002-19: annotations and _meta are never dropped without a word"""
    wire = contents(value)
    assert (wire.get("annotations"), wire.get("_meta")) == ({"priority": 0.5}, {"a": 1})


def test_the_type_an_author_gave_a_text_block_is_the_type_of_its_contents():
    """S000-47"""
    assert contents(TextContent(text="# Hi", mimeType="text/markdown"))["mimeType"] == "text/markdown"


# Content that cannot be written ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        TextContent(text="a\ud800"),
        TextContent(text="a", _meta={"a": object()}),
        TextContent(text=3),
        EmbeddedResource(resource=TextResourceContents(uri="a://1", text="a\ud800")),
        ResourceLink(uri="a://\ud800", name="a"),
        official.TextContent(type="text", text="a\ud800"),
    ],
    ids=["surrogate", "meta", "number", "inside", "uri", "official"],
)
def test_a_block_that_cannot_be_written_is_refused_with_its_path(value):
    """B-02"""
    with pytest.raises(NormalizeError, match=r"^\$"):
        block(value)


def test_a_policy_may_replace_what_cannot_be_written():
    """B-02"""
    assert block(TextContent(text="a\ud800"), Policy.openmcp) == {"type": "text", "text": "a\ufffd"}


def test_what_stands_under_meta_becomes_data():
    assert block(TextContent(text="a", _meta={"tags": {"b", "a"}}))["_meta"] == {"tags": ["a", "b"]}


def test_a_field_of_another_package_that_we_do_not_know_is_refused_rather_than_dropped():
    class Odd(official.TextContent):
        colour: str = "red"

    with pytest.raises(NormalizeError, match=r"colour.*put what is yours under _meta"):
        block(Odd(type="text", text="a"))


# Messages ----------------------------------------------------------------------------------------------


def test_a_message_of_ours_or_of_another_package_is_its_role_and_content():
    """B-22"""
    ours = PromptMessage(role="assistant", content=BLOCKS[0])
    assert content.message_parts_of(ours) == ("assistant", BLOCKS[0])
    theirs = official.PromptMessage(role="assistant", content=official.TextContent(type="text", text="a"))
    assert content.message_parts_of(theirs) == ("assistant", theirs.content)


@pytest.mark.parametrize("value", ["a", ("a", "assistant"), {"role": "user", "content": "a"}, BLOCKS[0], None])
def test_anything_else_is_no_message(value):
    assert content.message_parts_of(value) is None
