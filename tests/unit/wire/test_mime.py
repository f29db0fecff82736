"""MIME types by name and by first bytes, the same on every machine."""

import mimetypes
import time

import pytest

from plainmcp.wire import mime as mime_module
from plainmcp.wire.mime import is_textual, mime_of_name, sniff

PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)
WAV = b"RIFF\x24\x00\x00\x00WAVEfmt "
PDF = b"%PDF-1.7\n\xff"
FTYP = b"\x00\x00\x00\x18ftyp"


@pytest.mark.parametrize(
    ("head", "mime"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF87a", "image/gif"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"),
        (b"BM\x46\x00\x00\x00\x00\x00\x00\x00\x36\x00", "image/bmp"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml"),
        (b"\xef\xbb\xbf \n<svg>", "image/svg+xml"),
        (b"<?xml version='1.0'?>\n<!-- a --> <!-- b -->\n<svg>", "image/svg+xml"),
        (b'<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN">', "image/svg+xml"),
        (b"%PDF-1.7", "application/pdf"),
        (WAV, "audio/wav"),
        (b"ID3\x04\x00", "audio/mpeg"),
        (b"\xff\xfb\x90\x64", "audio/mpeg"),
        (b"\xff\xf3\x84\xc4", "audio/mpeg"),
        (b"OggS\x00\x02" + bytes(22) + b"\x01vorbis", "audio/ogg"),
        (b"OggS\x00\x02" + bytes(22) + b"\x80theora", "video/ogg"),
        (b"fLaC\x00", "audio/flac"),
        (FTYP + b"isom", "video/mp4"),
        (FTYP + b"M4A ", "audio/mp4"),
        (FTYP + b"avif", "image/avif"),
        (b"PK\x03\x04", "application/zip"),
    ],
)
def test_first_bytes_give_a_type_away(head, mime):
    assert sniff(head) == mime


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        b"\xff\xfb",
        b"plain words",
        b"BMW is a car",
        b"RIFF\x00\x00\x00\x00AVI ",
        "UTF-16".encode("utf-16-le"),
        b"\xff\xfeU\x00T\x00F\x00",
        b"\xff\xfb\xf0\x00",
        b"\xff\xfb\x9c\x00",
        b"\xff\xeb\x90\x00",
        b"<?xml version='1.0'?><html><svg></svg></html>",
        b"<html><svg/></html>",
        b"<svgfoo>",
        b"{}",
    ],
)
def test_first_bytes_that_say_nothing_are_not_guessed_at(data):
    assert sniff(data) is None


@pytest.mark.parametrize("piece", [b"<!-- -->", b"<!--", b"<?xml ?>", b" ", b"<!-- --> <svg"])
def test_sniffing_takes_no_time_whatever_the_bytes(piece):
    start = time.perf_counter()
    sniff(piece * 100_000)
    assert time.perf_counter() - start < 0.5


@pytest.mark.parametrize(
    ("name", "mime"),
    [
        ("a.PNG", "image/png"),
        ("dir.md/a.csv", "text/csv"),
        ("a.tar.gz", "application/gzip"),
        ("a.txt.gz", "application/gzip"),
        ("report#1.md", "text/markdown"),
        ("docs://readme.md", "text/markdown"),
        ("https://example.com/a/b.json?x=1.png#c.gif", "application/json"),
        ("https://example.sh", None),
        ("https://example.sh/", None),
        ("file:///srv/page.html", "text/html"),
        ("a.js", "text/javascript"),
        ("a.py", "text/x-python"),
        ("a.webp", "image/webp"),
        ("a.opus", "audio/ogg"),
        ("Makefile", None),
        (".png", None),
        ("a.", None),
        ("", None),
    ],
)
def test_a_name_tells_a_type_by_its_last_suffix(name, mime):
    assert mime_of_name(name) == mime


def test_the_machines_own_tables_do_not_count(monkeypatch, tmp_path):
    for name in ("inited", "_db", "types_map", "common_types", "suffix_map", "encodings_map"):
        monkeypatch.setattr(mimetypes, name, getattr(mimetypes, name))
    (tmp_path / "mime.types").write_text("image/wrong png\nimage/odd odd\n")
    mimetypes.init([str(tmp_path / "mime.types")])
    assert mimetypes.guess_type("a.odd")[0] == "image/odd"
    mime_module._shipped_types.cache_clear()
    assert mime_of_name("a.png") == "image/png"
    assert mime_of_name("a.odd") is None


@pytest.mark.parametrize(
    "mime",
    [
        "text/plain",
        "TEXT/HTML; charset=utf-8",
        "application/json",
        "application/ld+json",
        "application/xml",
        "application/atom+xml",
        "image/svg+xml",
        "application/yaml",
        "application/x-yaml",
        "application/toml",
        "application/javascript",
        "application/sql",
        "application/x-sh",
        "application/x-ndjson",
    ],
)
def test_these_types_are_text(mime):
    assert is_textual(mime)


@pytest.mark.parametrize("mime", ["image/png", "application/pdf", "application/octet-stream", "application/zip", ""])
def test_these_types_are_not_text(mime):
    assert not is_textual(mime)
