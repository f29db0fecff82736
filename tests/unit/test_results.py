"""What the result builders contain, block by block, and what they refuse."""

import msgspec
import pytest
from msgspec import UNSET

from plainmcp import media, results
from plainmcp.errors import AuthorError, ToolError
from plainmcp.media import Audio, File, Image
from plainmcp.results import Part, PromptResult, ResourceResult, ToolResult, Turn, full, structured, text
from plainmcp.types import Annotations, Icon, TextContent

PNG = b"\x89PNG\r\n\x1a\n"
WAV = b"RIFF\x24\x00\x00\x00WAVEfmt "
CONTEXTS = {
    "defaultContext": "fake-context",
    "contexts": [{"name": "cluster-0", "server": "unknown", "default": False}],
}


def wire(value):
    return msgspec.json.decode(msgspec.json.encode(value))


def parts(result):
    """Everything a tool result says, to be compared at once."""
    return result.content, result.structured_content, result.is_error, result.rendered


def add_to_tool(method, *args, **fields):
    [item] = getattr(ToolResult(), method)(*args, **fields).content
    return item


def add_to_prompt(method, *args, **fields):
    [turn] = getattr(PromptResult(), method)(*args, **fields).messages
    return turn.content


builders = pytest.mark.parametrize("add", [add_to_tool, add_to_prompt])


# structured, full, text -------------------------------------------------------------------------


def test_structured_leaves_the_text_to_the_json_of_the_data():
    """S001-02, S001-03, S001-04: content None means that one marshalling serves both."""
    result = structured(CONTEXTS)
    assert parts(result) == (None, CONTEXTS, False, False)
    assert result.structured_content is CONTEXTS


def test_full_keeps_a_text_beside_the_data_and_the_author_vouches_for_it():
    """S001-05, S001-06"""
    result = full("* fake-context", CONTEXTS)
    assert parts(result) == (["* fake-context"], CONTEXTS, False, True)


def test_full_takes_a_small_typed_payload():
    """S001-14"""

    class ContextInfo(msgspec.Struct):
        name: str
        default: bool

    info = ContextInfo("fake-context", True)
    assert full("fake-context (default)", info).structured_content is info


def test_text_has_no_data():
    """S001-07"""
    assert parts(text("kind: Pod\n")) == (["kind: Pod\n"], UNSET, False, False)


@pytest.mark.parametrize(
    "make",
    [
        lambda error: structured(CONTEXTS, error),
        lambda error: full("all is well", CONTEXTS, error),
        lambda error: text("", error),
    ],
)
@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("failed to list namespaces: timeout"),
        "failed to list namespaces: timeout",
    ],
)
def test_a_failure_is_the_whole_answer_and_stands_inside_the_result(make, error):
    """S001-09, S001-10"""
    assert parts(make(error)) == (["failed to list namespaces: timeout"], UNSET, True, False)


def test_a_failure_without_words_is_told_by_its_name():
    """S001-09"""
    assert text("", TimeoutError()).content == ["TimeoutError"]


@pytest.mark.parametrize("error", [None, ""])
def test_no_error_is_no_failure(error):
    assert not text("fine", error).is_error and text("fine", error).content == ["fine"]


@pytest.mark.parametrize("make", [lambda: text(3), lambda: full(b"x", {})])
def test_a_text_is_a_str(make):
    with pytest.raises(AuthorError, match="a text is a str, not"):
        make()


# ToolResult -------------------------------------------------------------------------------------


def test_a_tool_result_holds_what_it_is_given():
    """S004-38, S004-39, S004-40, S004-41"""
    picture = Image("visualization.png")
    result = ToolResult(
        content=["Analysis complete.", picture],
        structured_content={"trend": "upward"},
        meta={"cache_hit": True},
    )
    assert parts(result) == (["Analysis complete.", picture], {"trend": "upward"}, False, False)
    assert result.meta == {"cache_hit": True}


def test_a_tool_result_of_nothing_is_nothing():
    assert parts(ToolResult()) == (None, UNSET, False, False)


@pytest.mark.parametrize("given", [{}, [], 0, "", False])
def test_empty_data_is_data_and_none_is_not(given):
    assert ToolResult(structured_content=given).structured_content == given
    assert ToolResult(structured_content=None).structured_content is UNSET


@pytest.mark.parametrize(
    ("given", "held"),
    [
        (None, None),
        ([], []),
        ("a", ["a"]),
        (("a", "b"), ["a", "b"]),
        (TextContent(text="a"), [TextContent(text="a")]),
    ],
)
def test_content_may_be_one_piece_or_a_list_or_nothing(given, held):
    assert ToolResult(given).content == held


def test_what_is_added_to_data_comes_after_its_json():
    assert structured({"a": 1}).add_text("b").content == [results.JSON_TEXT, TextContent(text="b")]
    assert ToolResult().add_text("b").content == [TextContent(text="b")]


def test_the_authors_list_is_not_grown():
    given = ["a"]
    assert ToolResult(given).add_text("b").content == ["a", TextContent(text="b")]
    assert given == ["a"]


def test_builders_return_the_result_itself_and_keep_the_order():
    """S003-25"""
    result = ToolResult()
    chained = (
        result.add_text("one")
        .add_image("a.png")
        .add_audio("a.wav")
        .add_file("a.pdf")
        .add_resource("a://1", text="x")
        .add_link("a://2")
    )
    assert chained is result
    assert [type(item).__name__ for item in result.content] == [
        "TextContent",
        "Image",
        "Audio",
        "File",
        "EmbeddedResource",
        "ResourceLink",
    ]


@pytest.mark.parametrize("kind", [ToolResult, ResourceResult, PromptResult])
@pytest.mark.parametrize("meta", [["a"], "a", {1: "a"}])
def test_meta_is_an_object(kind, meta):
    with pytest.raises(AuthorError, match="meta: "):
        kind(meta=meta)


# The pieces, the same in a tool's result and in a prompt ------------------------------------------


@builders
def test_add_text_is_a_text_block(add):
    assert wire(add("add_text", "hi")) == {"type": "text", "text": "hi"}
    assert wire(add("add_text", "hi", annotations={"priority": 1}, meta={"a": 1})) == {
        "type": "text",
        "text": "hi",
        "annotations": {"priority": 1},
        "_meta": {"a": 1},
    }


@builders
def test_a_text_of_a_subclass_becomes_plain_text(add):
    class Markup(str):
        __slots__ = ()

    assert wire(add("add_text", Markup("<b>"))) == {"type": "text", "text": "<b>"}


@builders
@pytest.mark.parametrize(
    ("method", "kind", "data", "format"),
    [("add_image", Image, PNG, "gif"), ("add_audio", Audio, WAV, "mp3"), ("add_file", File, PNG, "gif")],
)
def test_media_are_held_as_media_and_take_what_their_classes_take(add, method, kind, data, format):
    name = {"name": "x"} if kind is File else {}
    held = add(method, data=data, format=format, annotations=Annotations(priority=1), **name)
    assert (type(held), held.data, held.format, held.annotations.priority) == (kind, data, format, 1)
    assert add(method, "x.bin").path == add(method, path="x.bin").path == "x.bin"
    with pytest.raises(AuthorError, match="exactly one of the two"):
        add(method)


@builders
def test_add_resource_embeds_text(add):
    held = add(
        "add_resource",
        "note://1",
        text="hi",
        mime_type="text/plain",
        name="note",
        title="A note",
        annotations={"audience": ["user"]},
        meta={"a": 1},
    )
    assert msgspec.to_builtins(held) == {
        "type": "resource",
        "resource": {
            "uri": "note://1",
            "name": "note",
            "title": "A note",
            "mimeType": "text/plain",
            "text": "hi",
        },
        "annotations": {"audience": ["user"]},
        "_meta": {"a": 1},
    }


@builders
@pytest.mark.parametrize("blob", [b"\x00\x01", bytearray(b"\x00\x01"), memoryview(b"\x00\x01"), "AAE="])
def test_add_resource_embeds_bytes_or_their_base64(add, blob):
    assert wire(add("add_resource", "note://1", blob=blob)) == {
        "type": "resource",
        "resource": {"uri": "note://1", "blob": "AAE="},
    }


@builders
def test_an_empty_text_is_a_text_and_an_empty_blob_a_blob(add):
    assert wire(add("add_resource", "a://1", text=""))["resource"] == {"uri": "a://1", "text": ""}
    assert wire(add("add_resource", "a://1", blob=b""))["resource"] == {"uri": "a://1", "blob": ""}


@builders
@pytest.mark.parametrize("fields", [{}, {"text": "a", "blob": b"a"}, {"text": None, "blob": None}])
def test_add_resource_takes_exactly_one_of_text_and_blob(add, fields):
    with pytest.raises(AuthorError, match="text= or blob=, exactly one of the two"):
        add("add_resource", "a://1", **fields)


@builders
def test_a_link_carries_everything_it_is_given(add):
    icons = [Icon(src="https://example.com/i.png"), {"src": "https://example.com/j.png", "sizes": ["any"]}]
    held = add(
        "add_link",
        "file:///srv/report.pdf",
        "report",
        title="The report",
        description="All of it",
        mime_type="application/pdf",
        size=3,
        icons=icons,
        annotations={"priority": 0.5},
        meta={"a": 1},
    )
    assert msgspec.to_builtins(held) == {
        "type": "resource_link",
        "uri": "file:///srv/report.pdf",
        "name": "report",
        "title": "The report",
        "description": "All of it",
        "mimeType": "application/pdf",
        "size": 3,
        "icons": [{"src": "https://example.com/i.png"}, {"src": "https://example.com/j.png", "sizes": ["any"]}],
        "annotations": {"priority": 0.5},
        "_meta": {"a": 1},
    }


@builders
@pytest.mark.parametrize(
    ("uri", "name"),
    [
        ("https://example.com/a/report.pdf?x=1/2#c", "report.pdf"),
        ("https://example.com/", "example.com"),
        ("weather://paris", "paris"),
        ("resource/weather/{city}", "{city}"),
        ("urn:isbn:1", "urn:isbn:1"),
        ("?", "?"),
    ],
)
def test_a_link_without_a_name_is_called_by_the_end_of_its_uri(add, uri, name):
    assert wire(add("add_link", uri)) == {"type": "resource_link", "uri": uri, "name": name}


@builders
@pytest.mark.parametrize(
    ("method", "args", "fields", "problem"),
    [
        ("add_text", (3,), {}, "text"),
        ("add_text", ("a",), {"meta": ["a"]}, "_meta"),
        ("add_text", ("a",), {"annotations": {"audience": ["all"]}}, "audience"),
        ("add_text", ("a",), {"note": "a"}, "note"),
        ("add_resource", (3,), {"text": "a"}, "uri"),
        ("add_resource", ("a://1",), {"text": 3}, "text"),
        ("add_resource", ("a://1",), {"blob": 3}, "raw bytes"),
        ("add_resource", ("a://1",), {"blob": "no base64!"}, "not base64"),
        ("add_resource", ("a://1",), {"text": "a", "mime": "text/plain"}, "mime"),
        ("add_resource", ("a://1",), {"text": "a", "meta": 3}, "meta"),
        ("add_link", (3,), {}, "uri"),
        ("add_link", ("a://1", 3), {}, "name"),
        ("add_link", ("a://1",), {"size": "3"}, "size"),
        ("add_link", ("a://1",), {"icons": [{"url": "a"}]}, "icons"),
        ("add_link", ("a://1",), {"sise": 3}, "sise"),
    ],
)
def test_a_piece_that_the_wire_cannot_hold_is_refused_at_once(add, method, args, fields, problem):
    with pytest.raises(AuthorError, match=problem):
        add(method, *args, **fields)


# ResourceResult ---------------------------------------------------------------------------------


def test_a_resource_is_built_of_parts():
    """S003-10, S003-11"""
    result = ResourceResult(meta={"a": 1})
    chained = (
        result.add_text("cold", mime_type="text/plain", title="Today")
        .add_bytes(bytearray(PNG), uri="a://2", name="logo")
        .add_file("weather.json", title="All of it")
    )
    assert chained is result and result.meta == {"a": 1}
    first, second, third = result.contents
    assert first == Part(payload="cold", mime_type="text/plain", title="Today")
    assert second == Part(payload=PNG, uri="a://2", name="logo")
    assert isinstance(third.payload, File) and third.payload.path == "weather.json"
    assert (third.uri, third.mime_type, third.title) == (None, None, "All of it")


def test_a_part_keeps_annotations_and_meta():
    [part] = ResourceResult().add_text("a", annotations={"priority": 1}, meta={"a": 1}).contents
    assert (part.annotations, part.meta) == (Annotations(priority=1), {"a": 1})


def test_contents_may_be_given_and_the_authors_list_is_not_grown():
    given = ["a"]
    assert len(ResourceResult(given).add_text("b").contents) == 2
    assert given == ["a"]
    assert ResourceResult("a").contents == ["a"]
    assert ResourceResult().contents == []


@pytest.mark.parametrize(
    ("method", "value", "fields", "problem"),
    [
        ("add_text", b"a", {}, "a text is a str"),
        ("add_text", "a", {"mimetype": "text/plain"}, "mimetype"),
        ("add_text", "a", {"uri": 3}, "uri"),
        ("add_text", "a", {"meta": 3}, "meta"),
        ("add_bytes", "a", {}, "raw bytes"),
        ("add_file", b"a", {}, "path of text"),
    ],
)
def test_a_part_that_cannot_be_sent_is_refused_at_once(method, value, fields, problem):
    with pytest.raises(AuthorError, match=problem):
        getattr(ResourceResult(), method)(value, **fields)


# PromptResult -----------------------------------------------------------------------------------


def test_a_prompt_is_built_of_turns():
    """S003-33"""
    result = PromptResult(description="Greets", meta={"a": 1})
    chained = result.add_text("Hello").add_text("Hi!", role="assistant").add_text("Bye", "user")
    assert chained is result
    assert result.messages == [
        Turn("user", TextContent(text="Hello")),
        Turn("assistant", TextContent(text="Hi!")),
        Turn("user", TextContent(text="Bye")),
    ]
    assert (result.description, result.meta) == ("Greets", {"a": 1})


@pytest.mark.parametrize(
    ("method", "args"),
    [
        ("add_text", ("a",)),
        ("add_image", ("a.png",)),
        ("add_audio", ("a.wav",)),
        ("add_file", ("a.pdf",)),
        ("add_file_message", ("a.md",)),
        ("add_resource", ("a://1",)),
        ("add_link", ("a://1",)),
    ],
)
def test_every_turn_has_a_role_that_is_user_or_assistant(method, args):
    """S003-29"""
    fields = {"text": "a"} if method == "add_resource" else {}
    roles = [getattr(PromptResult(), method)(*args, **fields).messages[0].role]
    roles += [getattr(PromptResult(), method)(*args, role="assistant", **fields).messages[0].role]
    assert roles == ["user", "assistant"]
    with pytest.raises(AuthorError, match="a role is user or assistant, not 'system'"):
        getattr(PromptResult(), method)(*args, role="system", **fields)


def test_a_file_message_asks_for_text_and_a_file_to_be_embedded(tmp_path):
    """S003-33, S003-36"""
    path = tmp_path / "message.md"
    path.write_text("# Hello")
    message, embedded = PromptResult().add_file_message(path).add_file(path).messages
    assert (message.as_text, embedded.as_text) == (True, False)
    assert wire(media.text_block_of_file(message.content)) == {"type": "text", "text": "# Hello"}
    assert wire(media.block_of(embedded.content))["resource"]["text"] == "# Hello"


def test_a_file_message_that_is_not_text_is_told_when_it_is_read(tmp_path):
    path = tmp_path / "logo.png"
    path.write_bytes(PNG)
    [message] = PromptResult().add_file_message(path).messages
    with pytest.raises(ToolError, match=r"^'logo\.png' is not a text file$"):
        media.text_block_of_file(message.content)


@pytest.mark.parametrize("pair", [("Hello", "assistant"), ("assistant", "Hello")])
def test_a_text_with_its_role_is_one_message(pair):
    """S003-32"""
    assert PromptResult(pair).messages == [pair]


def test_messages_may_be_given_and_the_authors_list_is_not_grown():
    given = ["Hello"]
    assert len(PromptResult(given).add_text("b").messages) == 2
    assert given == ["Hello"]
    assert PromptResult("Hello").messages == ["Hello"]
    assert PromptResult(("Hello", "Bye")).messages == ["Hello", "Bye"]
    assert PromptResult().messages == []
