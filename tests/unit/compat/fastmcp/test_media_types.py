"""`Image`, `Audio` and `File` of FastMCP: their types and their content, as FastMCP 4.1.6 has them (D5, D14)."""

import asyncio
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from plainmcp.compat.fastmcp import FastMCP
from plainmcp.compat.fastmcp.utilities.types import Audio, File, Image
from plainmcp.testing import Client

PNG = b"\x89PNG\r\n\x1a\n rest"
# Written by a run of FastMCP 4.1.6: the type by `format` of unknown bytes, and by the suffix of a file.
IMAGES = {"png": "image/png", "jpg": "image/jpeg", "JPG": "image/jpeg", "svg": "image/svg+xml", "tif": "image/tiff"}
SOUNDS = {
    "aiff": "audio/aiff",
    "aif": "audio/aiff",
    "aac": "audio/aac",
    "webm": "audio/webm",
    "opus": "audio/ogg",
    "mp3": "audio/mpeg",
    "flac": "audio/flac",
    "ogg": "audio/ogg",
    "m4a": "audio/mp4",
    "wav": "audio/wav",
}
FILES: dict[tuple[str | None, str | None], tuple[str, str, bool]] = {
    (None, None): ("application/octet-stream", "file:///resource.octet-stream", False),
    (None, "n"): ("application/octet-stream", "file:///n.octet-stream", False),
    ("txt", None): ("text/plain", "file:///resource.txt", True),
    ("plain", "n.dat"): ("text/plain", "file:///n.dat", True),
    ("MD", "n"): ("text/markdown", "file:///n.md", True),
    ("csv", "a b.txt"): ("text/csv", "file:///a%20b.txt", True),
    ("xml", None): ("application/xml", "file:///resource.xml", False),
    ("json", "n"): ("application/json", "file:///n.json", False),
    ("pdf", None): ("application/pdf", "file:///resource.pdf", False),
}


def base64(data: bytes) -> str:
    return b64encode(data).decode()


def wire_of(value: Any) -> dict[str, Any]:
    """What a client gets of a value that a tool returns."""
    mcp = FastMCP("shop")
    mcp.tool(lambda: value, name="give")
    (block,) = Client(mcp, "2025-06-18").call("give")["content"]
    return dict(block)


def plain(content: Any) -> dict[str, Any]:
    return dict(content.model_dump(mode="json", by_alias=True, exclude_none=True))


@pytest.mark.parametrize(("kind", "types"), [(Image, IMAGES), (Audio, SOUNDS)])
def test_the_type_of_an_image_or_a_sound_is_that_of_its_format_or_its_suffix(
    kind: Any, types: dict[str, str], tmp_path: Path
) -> None:
    """D14. In the content that a program asks for, and in the one that is sent."""
    for name, mime in types.items():
        given = kind(data=b"zz", format=name)
        content = given.to_image_content() if kind is Image else given.to_audio_content()
        expected = {"type": kind.__name__.lower(), "data": base64(b"zz"), "mimeType": mime}
        assert plain(content) == wire_of(given) == expected
    file = tmp_path / "sound.aiff"
    file.write_bytes(b"FORM")
    assert wire_of(Audio(str(file)))["mimeType"] == "audio/aiff"


def test_bytes_without_a_format_are_known_by_their_beginning_or_are_a_png_and_a_wav() -> None:
    """D5."""
    assert Image(data=PNG).to_data_uri() == f"data:image/png;base64,{base64(PNG)}"
    assert Image(data=b"zz").to_data_uri() == f"data:image/png;base64,{base64(b'zz')}"
    assert Image(data=PNG).to_data_uri("image/gif").startswith("data:image/gif;")
    assert plain(Audio(data=b"zz").to_audio_content())["mimeType"] == "audio/wav"
    noted = Image(data=PNG, annotations={"priority": 0.5})
    assert plain(noted.to_image_content("image/x", {"priority": 1.0})) == {
        "type": "image",
        "data": base64(PNG),
        "mimeType": "image/x",
        "annotations": {"priority": 1.0},
    }
    assert plain(noted.to_image_content())["annotations"] == {"priority": 0.5}


@pytest.mark.parametrize(("given", "expected"), FILES.items())
def test_a_file_is_text_if_its_type_is_one_of_text(given: Any, expected: tuple[str, str, bool]) -> None:
    """D5. As content for a program, and as it is sent."""
    (format, name), (mime, uri, is_text) = given, expected
    body = {"text": "abc"} if is_text else {"blob": base64(b"abc")}
    file = File(data=b"abc", format=format, name=name)
    assert plain(file.to_resource_content()) == wire_of(file)
    assert wire_of(file) == {"type": "resource", "resource": {"uri": uri, "mimeType": mime, **body}}


def test_the_type_of_a_file_can_be_chosen_when_its_content_is_asked_for() -> None:
    """D5."""
    text, raw = File(data=b"abc", format="txt"), File(data=b"\xff\xfe", name="x.bin", format="bin")
    assert plain(text.to_resource_content("x/y"))["resource"]["blob"] == base64(b"abc")
    assert plain(raw.to_resource_content("text/x"))["resource"]["text"] == "ÿþ"
    assert plain(File(data=b"abc", format="bin").to_resource_content("text/x"))["resource"]["text"] == "abc"


def test_a_path_may_have_variables_and_needs_no_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """D5. In the words of FastMCP."""
    (tmp_path / "a.txt").write_text("hey", "utf-8")
    monkeypatch.setenv("SHELF", str(tmp_path))
    assert plain(File("$SHELF/a.txt").to_resource_content())["resource"]["text"] == "hey"
    with pytest.raises(ValueError, match="Either path or data must be provided"):
        Image()
    with pytest.raises(ValueError, match="Only one of path or data can be provided"):
        Image("a.png", PNG)


def test_a_uri_without_slashes_is_the_same_in_the_server_that_mounts_its_server() -> None:
    """D14. It has no place for the name of the mounted server: FastMCP 4.1.6 lists and reads it as it is."""
    outer, inner = FastMCP("outer"), FastMCP("inner")
    inner.resource("mailto:x")(lambda: "mail")
    inner.resource("memo://note")(lambda: "note")
    inner.resource("urn:{name}")(lambda name: name)
    outer.mount(inner, "inner")

    async def read(uri: str) -> str:
        return str((await outer.read_resource(uri)).contents[0].content)

    client = Client(outer, "2025-06-18")
    assert [one["uri"] for one in client.list_resources()] == ["mailto:x", "memo://inner/note"]
    assert [one.uri_template for one in asyncio.run(outer.list_resource_templates())] == ["urn:{name}"]
    assert asyncio.run(read("mailto:x")) == "mail" and asyncio.run(read("urn:isbn")) == "isbn"
