"""What images, audio and files become, exactly; and what the error about a bad file contains."""

import os
from base64 import b64decode, b64encode
from enum import StrEnum
from pathlib import Path

import msgspec
import pytest

from plainmcp.errors import AuthorError, ToolError
from plainmcp.media import (
    Audio,
    File,
    Image,
    Media,
    annotations_of,
    blob_uri,
    block_of,
    contents_of,
    from_bytes,
    text_block_of_file,
    to_base64,
)
from plainmcp.types import Annotations

PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)
WAV = b"RIFF\x24\x00\x00\x00WAVEfmt "
PDF = b"%PDF-1.7\n\xff"
SOURCES = [Image, Audio, File]


def b64(data: bytes) -> str:
    return b64encode(data).decode()


def wire(value):
    """What stands on the wire, key order and all."""
    return msgspec.json.decode(msgspec.json.encode(value))


@pytest.fixture
def folder(tmp_path):
    """A directory whose name must never be told."""
    secret = tmp_path / "secret-directory"
    secret.mkdir()
    return secret


# Construction -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", SOURCES)
def test_path_and_data_exclude_each_other(kind):
    """S004-15"""
    extra = {"name": "x.png"} if kind is File else {}
    with pytest.raises(AuthorError, match=f"{kind.__name__} takes a path or data=, exactly one"):
        kind(path="x.png", data=PNG, **extra)


@pytest.mark.parametrize("kind", SOURCES)
def test_one_of_path_and_data_is_needed(kind):
    """S004-15"""
    with pytest.raises(AuthorError, match="exactly one of the two"):
        kind()


@pytest.mark.parametrize("kind", SOURCES)
def test_a_path_may_come_first_without_its_keyword(kind):
    assert kind("x.png").path == kind(path="x.png").path == "x.png"


@pytest.mark.parametrize("path", ["chart.png", Path("chart.png"), Path("a") / "chart.png"])
def test_a_path_may_be_text_or_a_path_object(path):
    """S004-20"""
    assert Image(path=path).path == os.fspath(path)


@pytest.mark.parametrize("path", [PNG, 3, ["chart.png"], os.fsencode("chart.png")])
def test_a_path_of_another_type_is_refused_and_data_pointed_to(path):
    with pytest.raises(AuthorError, match="raw bytes go in data="):
        Image(path)


def test_a_path_object_that_speaks_bytes_is_refused():
    class Odd:
        def __fspath__(self):
            return b"chart.png"

    with pytest.raises(AuthorError, match="not bytes"):
        Image(Odd())


@pytest.mark.parametrize("data", ["aGk=", [1, 2], 3])
def test_data_is_raw_bytes(data):
    with pytest.raises(AuthorError, match=f"takes raw bytes, not {type(data).__name__}"):
        Image(data=data, format="png")


@pytest.mark.parametrize("kind", [Image, Audio])
def test_data_of_an_unknown_kind_needs_a_format(kind):
    """S004-16"""
    with pytest.raises(AuthorError, match="say so with format="):
        kind(data=b"who knows")


def test_the_data_of_a_file_that_neither_name_nor_bytes_explain_needs_a_format():
    """S004-16"""
    with pytest.raises(AuthorError, match="say so with format="):
        File(data=b"who knows", name="notes")


def test_data_that_shows_its_type_needs_no_format():
    assert wire(block_of(Image(data=PNG)))["mimeType"] == "image/png"
    assert wire(block_of(Audio(data=WAV)))["mimeType"] == "audio/wav"
    assert wire(block_of(File(data=PDF, name="report")))["resource"]["mimeType"] == "application/pdf"
    assert wire(block_of(File(data=b"a,b", name="data.csv")))["resource"]["mimeType"] == "text/csv"
    assert wire(block_of(File(data=b"??", name="x.bin")))["resource"]["mimeType"] == "application/octet-stream"


def test_a_file_made_of_data_needs_a_name():
    """S004-19"""
    with pytest.raises(AuthorError, match=r"needs a name, such as name=\"report.pdf\""):
        File(data=PDF, format="pdf")


@pytest.mark.parametrize("name", ["", 3])
def test_a_name_is_a_text_that_is_not_empty(name):
    with pytest.raises(AuthorError, match="name= takes a text"):
        File(data=PDF, name=name)


@pytest.mark.parametrize("kind", [Image, Audio])
def test_only_a_file_has_a_name(kind):
    with pytest.raises(TypeError):
        kind(data=PNG, name="x.png")


@pytest.mark.parametrize(("kind", "data"), [(Image, PDF), (Image, WAV), (Audio, PNG)])
def test_data_of_another_family_is_refused_and_file_pointed_to(kind, data):
    with pytest.raises(AuthorError, match="use File for it"):
        kind(data=data)


@pytest.mark.parametrize("format", ["", ".", "p ng", "image/", "/png", "png\n", "a/b/c", "text/plain\r\nX: y", 3])
def test_a_format_is_a_suffix_or_a_mime_type(format):
    with pytest.raises(AuthorError, match="format"):
        File("x", format=format)


@pytest.mark.parametrize(("kind", "format"), [(Image, "pdf"), (Image, "audio/wav"), (Audio, "png"), (Image, "mp4")])
def test_a_format_of_another_family_is_refused_and_file_pointed_to(kind, format):
    with pytest.raises(AuthorError, match="use File for it"):
        kind("x", format=format)


def test_nothing_is_read_before_the_block_is_made(folder):
    path = folder / "later.png"
    picture = Image(path)
    path.write_bytes(PNG)
    assert wire(block_of(picture)) == {"type": "image", "data": b64(PNG), "mimeType": "image/png"}


def test_a_tilde_and_a_variable_are_plain_characters(monkeypatch, folder):
    monkeypatch.setenv("HOME", str(folder))
    (folder / "x.png").write_bytes(PNG)
    for path in ("~/x.png", "$HOME/x.png"):
        with pytest.raises(ToolError, match=r"cannot read 'x\.png'"):
            block_of(Image(path))


def test_a_buffer_is_taken_as_it_was_then():
    buffer = bytearray(PNG)
    picture = Image(data=buffer)
    buffer[:] = bytes(len(buffer))
    assert wire(block_of(picture))["data"] == b64(PNG)
    assert wire(block_of(Image(data=memoryview(PNG))))["data"] == b64(PNG)


def test_a_repr_tells_neither_directory_nor_bytes(folder):
    assert repr(Image(folder / "chart.png")) == "<Image 'chart.png'>"
    assert repr(File(data=b"password", name="a.txt")) == "<File 8 bytes>"


@pytest.mark.parametrize("thing", [Image("x.png"), Audio("x.wav"), File("x.pdf")])
def test_a_json_encoder_does_not_take_media_for_data(thing):
    with pytest.raises(TypeError):
        msgspec.json.encode(thing)
    assert isinstance(thing, Media) and not hasattr(thing, "__dict__")


# Blocks -----------------------------------------------------------------------------------------


def test_an_image_is_image_content(folder):
    """S004-04, S004-11"""
    path = folder / "chart.jpg"
    path.write_bytes(b"anything")
    assert msgspec.json.encode(block_of(Image(path=path))) == (
        b'{"type":"image","data":"YW55dGhpbmc=","mimeType":"image/jpeg"}'
    )


def test_an_image_may_be_data_with_a_format():
    """S004-12"""
    assert wire(block_of(Image(data=b"\x01", format="png"))) == {
        "type": "image",
        "data": "AQ==",
        "mimeType": "image/png",
    }


def test_a_sound_is_audio_content(folder):
    """S004-05, S004-13"""
    path = folder / "speech.wav"
    path.write_bytes(WAV)
    expected = {"type": "audio", "data": b64(WAV), "mimeType": "audio/wav"}
    assert wire(block_of(Audio(path=path))) == expected
    assert wire(block_of(Audio(data=WAV, format="wav"))) == expected


def test_a_file_is_an_embedded_blob(folder):
    """S004-06, S004-14"""
    path = folder / "report.pdf"
    path.write_bytes(PDF)
    resource = {"uri": path.as_uri(), "mimeType": "application/pdf", "blob": b64(PDF)}
    assert wire(block_of(File(path=path))) == {"type": "resource", "resource": resource}


def test_a_file_of_data_is_named_by_its_name():
    """S004-14"""
    resource = {"uri": "file:///report.pdf", "mimeType": "application/pdf", "blob": b64(PDF)}
    assert wire(block_of(File(data=PDF, format="pdf", name="report.pdf"))) == {
        "type": "resource",
        "resource": resource,
    }


def test_a_text_file_is_embedded_as_text_or_as_a_blob_where_the_policy_says_so():
    """S004-06"""
    file = File(data="# Hé\n".encode(), name="notes.md")
    uri, mime = "file:///notes.md", "text/markdown"
    assert wire(block_of(file))["resource"] == {"uri": uri, "mimeType": mime, "text": "# Hé\n"}
    assert wire(block_of(file, file_block="blob"))["resource"] == {
        "uri": uri,
        "mimeType": mime,
        "blob": b64("# Hé\n".encode()),
    }


def test_a_text_file_that_is_not_utf_8_stays_bytes():
    latin = "Größe".encode("latin-1")
    resource = wire(block_of(File(data=latin, name="a.txt")))["resource"]
    assert resource == {"uri": "file:///a.txt", "mimeType": "text/plain", "blob": b64(latin)}


def test_a_byte_order_mark_is_no_text():
    assert block_of(File(data=b"\xef\xbb\xbf{}", name="a.json")).resource.text == "{}"


def test_a_file_carries_its_base_name_where_extras_are_asked_for(folder):
    """S003-26"""
    path = folder / "file.json"
    path.write_text('{"wind": 12}')
    assert msgspec.to_builtins(block_of(File(path), extras=True)) == {
        "type": "resource",
        "resource": {
            "uri": path.as_uri(),
            "name": "file.json",
            "mimeType": "application/json",
            "text": '{"wind": 12}',
        },
    }


@pytest.mark.parametrize(
    ("name", "format", "uri"),
    [
        ("report", "pdf", "file:///report.pdf"),
        ("report", ".PDF", "file:///report.pdf"),
        ("report.v2", "pdf", "file:///report.v2"),
        ("report", "application/pdf", "file:///report"),
        ("my report.pdf", None, "file:///my%20report.pdf"),
        ("../up.pdf", None, "file:///..%2Fup.pdf"),
        ("a?b#c.pdf", None, "file:///a%3Fb%23c.pdf"),
        ("résumé.pdf", None, "file:///r%C3%A9sum%C3%A9.pdf"),
        (os.fsdecode(b"r\xe9.pdf"), None, "file:///r%EF%BF%BD.pdf"),
    ],
)
def test_the_uri_of_data_is_its_name_percent_encoded(name, format, uri):
    assert block_of(File(data=PDF, name=name, format=format)).resource.uri == uri


def test_the_uri_of_a_path_is_absolute(monkeypatch, folder):
    monkeypatch.chdir(folder)
    (folder / "a b.txt").write_text("x")
    assert block_of(File("a b.txt")).resource.uri == (folder / "a b.txt").as_uri()
    assert (folder / "a b.txt").as_uri().endswith("/secret-directory/a%20b.txt")


def test_a_file_name_that_is_no_text_does_not_break_the_wire(folder):
    path = os.path.join(os.fsencode(folder), b"r\xe9sum\xe9.txt")
    try:
        with open(path, "wb") as file:
            file.write(b"x")
    except OSError:
        pytest.skip("this file system takes no such name")
    resource = wire(block_of(File(os.fsdecode(path)), extras=True))["resource"]
    assert resource["uri"].endswith("/r%E9sum%E9.txt")
    assert resource["name"] == "r\ufffdsum\ufffd.txt"


def test_a_name_given_beside_a_path_is_shown_and_helps_to_find_the_type(folder):
    path = folder / "tmp1234"
    path.write_bytes(b"a,b")
    resource = wire(block_of(File(path, name="table.csv"), extras=True))["resource"]
    assert resource == {"uri": path.as_uri(), "name": "table.csv", "mimeType": "text/csv", "text": "a,b"}


@pytest.mark.parametrize("file_block", ["auto", "text", "blob"])
@pytest.mark.parametrize(
    "make",
    [
        lambda notes: Image(data=PNG, annotations=notes),
        lambda notes: Audio(data=WAV, annotations=notes),
        lambda notes: File(data=b"x", name="a.txt", annotations=notes),
    ],
)
def test_annotations_go_on_the_block_and_not_inside_the_resource(make, file_block):
    """S004-18"""
    notes = {"audience": ["user"], "priority": 0.5}
    for given in (notes, Annotations(audience=["user"], priority=0.5)):
        found = wire(block_of(make(given), file_block=file_block))
        assert found["annotations"] == notes
        assert "annotations" not in found.get("resource", {})


@pytest.mark.parametrize(
    ("notes", "problem"),
    [
        ({"audience": "user"}, "audience"),
        ({"audience": ["system"]}, "audience"),
        (Annotations(audience=["system"]), "audience"),  # type: ignore[list-item]
        ({"importance": 1}, "importance"),
        ({"priority": 2}, "Expected .float. [<>]= [01]"),
        ({"priority": float("nan")}, "Expected .float. [<>]= [01]"),
        ({"priority": object()}, "unsupported"),
        ("user", "Expected"),
    ],
)
def test_wrong_annotations_are_the_authors_error(notes, problem):
    with pytest.raises(AuthorError, match=f"annotations: .*{problem}"):
        annotations_of(notes)


# Contents of a resource and of a message --------------------------------------------------------


def test_media_as_a_resource_take_the_uri_and_the_declared_type():
    picture = Image(data=PNG)
    assert wire(contents_of(picture, "logo://1")) == {
        "uri": "logo://1",
        "mimeType": "image/png",
        "blob": b64(PNG),
    }
    assert wire(contents_of(picture, "logo://1", "image/x-ours"))["mimeType"] == "image/x-ours"
    assert wire(contents_of(File(data=b"{}", name="a.bin"), "a://1", "application/json"))["text"] == "{}"


def test_media_as_a_resource_keep_what_the_author_said_about_them():
    file = File(data=b"hi", name="a.txt", annotations={"priority": 1})
    assert wire(contents_of(file, "a://1", extras=True)) == {
        "uri": "a://1",
        "name": "a.txt",
        "mimeType": "text/plain",
        "text": "hi",
        "annotations": {"priority": 1},
    }
    assert "blob" in wire(contents_of(file, "a://1", file_block="blob"))


def test_a_file_message_is_its_text_and_with_extras_its_type(folder):
    """S003-36"""
    path = folder / "message.md"
    path.write_text("# Hello")
    assert wire(text_block_of_file(File(path))) == {"type": "text", "text": "# Hello"}
    assert wire(text_block_of_file(File(path), extras=True)) == {
        "type": "text",
        "text": "# Hello",
        "mimeType": "text/markdown",
    }


def test_a_file_message_of_no_known_type_is_plain_text(folder):
    path = folder / "PROMPT"
    path.write_text("Hello")
    assert text_block_of_file(File(path), extras=True).mimeType == "text/plain"


@pytest.mark.parametrize(("name", "data"), [("a.png", b"ascii"), ("a.txt", b"\xff"), ("a", b"\xff"), ("a", PDF)])
def test_a_file_message_that_is_not_text_is_told_to_the_model(folder, name, data):
    path = folder / name
    path.write_bytes(data)
    with pytest.raises(ToolError) as caught:
        text_block_of_file(File(path))
    assert str(caught.value) == f"'{name}' is not a text file"


# Bare bytes -------------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [PNG, bytearray(PNG), memoryview(PNG)])
def test_bytes_are_an_embedded_blob_named_by_their_hash(data):
    """S004-03"""
    assert wire(from_bytes(data, "blob")) == {
        "type": "resource",
        "resource": {"uri": blob_uri(PNG), "mimeType": "image/png", "blob": b64(PNG)},
    }


@pytest.mark.parametrize("bytes_as", ["blob", "media"])
@pytest.mark.parametrize(("data", "mime"), [(b"\x00\x01", "application/octet-stream"), (PDF, "application/pdf")])
def test_bytes_that_are_neither_picture_nor_sound_are_a_blob(bytes_as, data, mime):
    found = wire(from_bytes(data, bytes_as))
    assert found["type"] == "resource" and found["resource"]["mimeType"] == mime


def test_bytes_may_be_taken_for_the_media_they_are():
    assert wire(from_bytes(PNG, "media")) == {"type": "image", "data": b64(PNG), "mimeType": "image/png"}
    assert wire(from_bytes(WAV, "media")) == {"type": "audio", "data": b64(WAV), "mimeType": "audio/wav"}


def test_a_blob_uri_is_the_one_of_rfc_6920():
    # RFC 6920, section 8.1
    assert blob_uri(b"Hello World!") == "ni:///sha-256;f4OxZX_x_FO5LcGBSKHWXfwtSx-j1ncoSt3SABJtkGk"


def test_base64_has_padding_and_no_line_breaks():
    data = bytes(range(256)) * 10 + b"x"
    assert to_base64(data) == b64(data) and "\n" not in to_base64(data)
    assert b64decode(to_base64(memoryview(data)[::2])) == data[::2]


# Types ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("format", "mime"),
    [
        ("png", "image/png"),
        ("PNG", "image/png"),
        (".png", "image/png"),
        ("jpg", "image/jpeg"),
        ("jpeg", "image/jpeg"),
        ("svg", "image/svg+xml"),
        ("webp", "image/webp"),
        ("image/x-portable", "image/x-portable"),
        ("odd", "image/odd"),
        ("bin", "image/bin"),
    ],
)
def test_the_format_of_an_image_decides(folder, format, mime):
    """S004-17"""
    path = folder / "x.gif"
    path.write_bytes(PNG)
    assert wire(block_of(Image(path, format=format)))["mimeType"] == mime


@pytest.mark.parametrize(
    ("format", "mime"),
    [
        ("wav", "audio/wav"),
        ("mp3", "audio/mpeg"),
        ("ogg", "audio/ogg"),
        ("mp4", "audio/mp4"),
        ("webm", "audio/webm"),
        ("odd", "audio/odd"),
    ],
)
def test_the_format_of_a_sound_decides(format, mime):
    """S004-17"""
    assert wire(block_of(Audio(data=b"?", format=format)))["mimeType"] == mime


@pytest.mark.parametrize(
    ("format", "mime"),
    [
        ("pdf", "application/pdf"),
        ("md", "text/markdown"),
        ("csv", "text/csv"),
        ("html", "text/html"),
        ("txt", "text/plain"),
        ("json", "application/json"),
        ("yaml", "application/yaml"),
        ("yml", "application/yaml"),
        ("xml", "application/xml"),
        ("bin", "application/octet-stream"),
        ("odd", "application/odd"),
        ("text/plain; charset=utf-8", "text/plain; charset=utf-8"),
    ],
)
def test_the_format_of_a_file_decides(format, mime):
    """S004-17"""
    assert wire(block_of(File(data=PDF, name="x.gif", format=format)))["resource"]["mimeType"] == mime


def test_a_format_may_be_a_member_of_a_text_enumeration():
    class Format(StrEnum):
        PNG = "image/png"

    assert wire(block_of(Image(data=b"?", format=Format.PNG)))["mimeType"] == "image/png"


@pytest.mark.parametrize(("name", "data"), [("x", PNG), ("x.dat", PNG), ("x.bin", PNG), (".png", PNG)])
def test_without_a_telling_suffix_the_first_bytes_decide(folder, name, data):
    path = folder / name
    path.write_bytes(data)
    assert wire(block_of(Image(path)))["mimeType"] == "image/png"


@pytest.mark.parametrize(("name", "mime"), [("talk.webm", "audio/webm"), ("talk.mp4", "audio/mp4")])
def test_a_container_given_as_a_sound_holds_sound(folder, name, mime):
    path = folder / name
    path.write_bytes(b"?")
    assert wire(block_of(Audio(path)))["mimeType"] == mime


@pytest.mark.parametrize(
    ("kind", "name", "data", "problem"),
    [
        (Image, "chart", b"?", "'chart' is application/octet-stream, not image/*"),
        (Image, "chart.pdf", PNG, "'chart.pdf' is application/pdf, not image/*"),
        (Audio, "speech.png", WAV, "'speech.png' is image/png, not audio/*"),
    ],
)
def test_a_file_of_another_family_is_told_to_the_model(folder, kind, name, data, problem):
    path = folder / name
    path.write_bytes(data)
    with pytest.raises(ToolError) as caught:
        block_of(kind(path))
    assert str(caught.value) == problem


def test_a_file_of_no_known_type_is_bytes(folder):
    (folder / "x").write_bytes(b"\x00")
    assert wire(block_of(File(folder / "x")))["resource"]["mimeType"] == "application/octet-stream"


# Files that fail --------------------------------------------------------------------------------


def failure(thing) -> ToolError:
    with pytest.raises(ToolError) as caught:
        block_of(thing)
    return caught.value


@pytest.mark.parametrize("kind", SOURCES)
def test_a_missing_file_is_told_by_its_base_name_alone(folder, kind):
    error = failure(kind(folder / "gone.png"))
    assert str(error) == "cannot read 'gone.png': there is no such file"


def test_a_file_below_a_file_is_missing(folder):
    (folder / "a.txt").write_text("x")
    assert str(failure(File(folder / "a.txt" / "b.txt"))) == "cannot read 'b.txt': there is no such file"


def test_a_directory_is_told_by_its_base_name_alone(folder):
    (folder / "inner").mkdir()
    for path in (folder / "inner", f"{folder}/inner/"):
        assert str(failure(File(path))) == "cannot read 'inner': it is a directory"


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (PermissionError(13, "Permission denied", "/secret-directory/a.png"), "permission denied"),
        (OSError(5, "Input/output error", "/secret-directory/a.png"), "it failed"),
        (OSError("/secret-directory/a.png is broken"), "it failed"),
    ],
)
def test_an_unreadable_file_is_told_in_our_own_words(monkeypatch, folder, error, why):
    def refuse(*_args, **_kwargs):
        raise error

    (folder / "a.png").write_bytes(PNG)
    monkeypatch.setattr(os, "open", refuse)
    found = failure(Image(folder / "a.png"))
    monkeypatch.undo()
    assert str(found) == f"cannot read 'a.png': {why}"
    assert found.__cause__ is error


@pytest.mark.parametrize("name", ["a\0b.png", "a\ud800.png"])
def test_a_path_no_system_knows_is_told_by_its_base_name_alone(folder, name):
    text = str(failure(Image(f"{folder}/{name}")))
    assert text.startswith("cannot read 'a") and text.endswith("its path is not a valid one")
    assert "secret" not in text and "\0" not in text
    text.encode()
