"""Files as resources: what is listed, what is read, what is refused, and what an error must not contain."""

import gzip
import io
import json
import os
import socket
import tempfile
import tracemalloc
from errno import EACCES, EIO
from pathlib import Path

import msgspec
import pytest

from plainmcp import Server, media, normalize_prompt_result, normalize_resource_payload, normalize_tool_result
from plainmcp.errors import AuthorError, ResourceNotFound, ToolError
from plainmcp.files.regular import MAX_SIZE
from plainmcp.protocol import files
from plainmcp.protocol.files import Directory, FileSource, uri_of

PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)


@pytest.fixture
def root(tmp_path):
    """A directory whose place must never be told."""
    below = tmp_path / "secret-place" / "docs"
    (below / "guide").mkdir(parents=True)
    (below / "notes.md").write_text("# Notes")
    (below / "guide" / "start.txt").write_text("Start")
    (below / "picture").write_bytes(PNG)
    (below / "LICENSE").write_text("Do as you like.\n")
    (below / ".env").write_text("KEY=1")
    (below / ".git").mkdir()
    (below / ".git" / "config").write_text("[core]")
    (below.parent / "secret.txt").write_text("secret")
    return below


def contents(file, uri="docs://x"):
    """What a client gets to read."""
    return msgspec.to_builtins(media.contents_of(file, uri))


def told(caught) -> str:
    """All that a peer or a model could see of an error."""
    return str(caught.value) + repr(getattr(caught.value, "data", ""))


# One file -----------------------------------------------------------------------------------------


def test_a_path_is_listed_by_its_name_type_size_and_uri(root):
    """S003-03 S003-05 S003-61"""
    source = FileSource(root / "notes.md")
    assert (source.name, source.mime_type, source.size()) == ("notes.md", "text/markdown", 7)
    assert source.uri == f"file://{root}/notes.md"


@pytest.mark.parametrize(
    ("name", "data", "mime", "key"),
    [
        ("a.md", b"# Hi", "text/markdown", "text"),
        ("a.json", b"{}", "application/json", "text"),
        ("a.png", b"not really", "image/png", "blob"),
        ("a.txt", b"\xff\xfe", "text/plain", "blob"),
        ("LICENSE", b"Do as you like.\n", "text/plain", "text"),
        ("a.unheard-of", "é".encode() * 600, "text/plain", "text"),
        ("b.unheard-of", b"a" + "é".encode() * 600, "text/plain", "text"),
        ("empty", b"", "text/plain", "text"),
        ("picture", PNG, "image/png", "blob"),
        ("numbers", bytes(range(32)), "application/octet-stream", "blob"),
        ("latin", b"caf\xe9", "application/octet-stream", "blob"),
    ],
)
def test_the_name_tells_the_type_or_else_the_first_bytes_do(tmp_path, name, data, mime, key):
    """S003-04 R26-RES-07"""
    (tmp_path / name).write_bytes(data)
    source = FileSource(tmp_path / name)
    assert source.mime_type == mime
    found = contents(source.read())
    assert found["mimeType"] == mime
    assert found[key] == (data.decode() if key == "text" else media.to_base64(data))
    assert contents(Directory(tmp_path).read(name)) == found


def test_a_file_is_read_under_the_uri_it_is_asked_for_by(root):
    """B-40"""
    assert contents(FileSource(root / "notes.md").read("docs://mine"), "docs://mine") == {
        "uri": "docs://mine",
        "mimeType": "text/markdown",
        "text": "# Notes",
    }


def test_a_path_is_read_anew_each_time(root):
    source = FileSource(str(root / "notes.md"))
    (root / "notes.md").write_text("# Newer notes")
    assert source.read().data == b"# Newer notes"
    assert source.size() == 13


def test_a_file_that_goes_away_is_not_found_and_has_no_size(root):
    source = FileSource(root / "notes.md")
    (root / "notes.md").unlink()
    assert source.size() is None
    with pytest.raises(ResourceNotFound) as caught:
        source.read("docs://notes")
    assert caught.value.data == {"uri": "docs://notes"}
    with pytest.raises(ResourceNotFound) as caught:
        source.read()
    assert "secret-place" not in told(caught)


def test_a_file_that_outgrew_its_limit_says_so_and_not_where_it_lies(root):
    source = FileSource(root / "notes.md", max_size=7)
    assert source.read().data == b"# Notes"
    (root / "notes.md").write_text("# Notes!")
    with pytest.raises(ToolError, match=r"^'notes.md' is larger than 7 bytes; the option max_size allows more$"):
        source.read()


def read_at(server, uri):
    """What resources/read answers, and how much memory that took at most."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": uri}}
    tracemalloc.start()
    try:
        answer = server.handle(message)
        return json.loads(answer), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_file_that_is_too_large_is_refused_by_its_size_and_not_read(tmp_path):
    """R*-RES-06"""
    server = Server("files")
    (tmp_path / "log").write_text("soon more")
    server.add_file(tmp_path / "log", "log://now", max_size=67_108_864)
    server.add_directory("all://", tmp_path)
    with open(tmp_path / "log", "r+b") as file:
        file.truncate(67_108_865)
    for uri in ("log://now", "all://log"):
        answer, memory = read_at(server, uri)
        assert answer["error"]["message"] == "'log' is larger than 67108864 bytes; the option max_size allows more"
        assert memory < 2**20


@pytest.mark.skipif(not os.path.exists("/proc/self/maps"), reason="there is no /proc")
def test_a_file_that_does_not_tell_its_size_is_read_up_to_its_limit():
    server = Server("files")
    server.add_file("/proc/self/maps", "maps://all")
    server.add_file("/proc/self/maps", "maps://few", max_size=100)
    assert os.stat("/proc/self/maps").st_size == 0
    assert "python" in read_at(server, "maps://all")[0]["result"]["contents"][0]["text"]
    message = read_at(server, "maps://few")[0]["error"]["message"]
    assert message == "'maps' is larger than 100 bytes; the option max_size allows more"


def test_an_open_pipe_is_read_up_to_its_limit(tmp_path):
    read, write = os.pipe()
    with open(write, "wb") as into, open(read, "rb") as pipe:
        into.write(b"12345678")
        into.flush()
        with pytest.raises(AuthorError, match="larger than max_size=7"):
            FileSource(pipe, max_size=7)


def test_an_open_file_that_is_too_large_is_refused_by_its_size_and_not_read(tmp_path):
    with open(tmp_path / "huge", "w+b") as file:
        file.truncate(67_108_865)
        tracemalloc.start()
        try:
            with pytest.raises(AuthorError, match="larger than max_size=67108864"):
                Server("files").add_file(file, "huge://1")
            assert tracemalloc.get_traced_memory()[1] < 2**20
        finally:
            tracemalloc.stop()


@pytest.mark.parametrize("end", [b"", "é".encode(), b"\xe9"])
@pytest.mark.parametrize("name", ["long.txt", "long.bin"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_long_file_arrives_as_it_is(tmp_path, name, mark, end):
    """It is written in pieces, which may end inside of a letter."""
    data = mark + ('a"é\u2603\U0001f600\n'.encode() * 300_000) + end
    (tmp_path / name).write_bytes(data)
    server = Server("files")
    server.add_directory("all://", tmp_path)
    (found,) = read_at(server, f"all://{name}")[0]["result"]["contents"]
    if name.endswith("txt") and end != b"\xe9":
        assert found["text"] == data.decode("utf-8-sig")
    else:
        assert found["blob"] == media.to_base64(data)
    file = media.File(tmp_path / name)
    (block,) = normalize_tool_result(file).content
    (message,) = normalize_prompt_result(file).messages
    (kept,) = normalize_resource_payload(f"all://{name}", None, file).contents
    for one in (block.resource, message.content.resource, kept):
        assert getattr(one, "text", None) == found.get("text") and getattr(one, "blob", None) == found.get("blob")


def test_a_long_sound_is_named_by_its_bytes_where_there_are_no_sounds():
    data = b"ID3" + bytes(2**21)
    server = Server("sounds")

    @server.tool
    def sound() -> media.Audio:
        return media.Audio(data=data)

    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "sound"}}
    (block,) = json.loads(server.handle(message, revision="2024-11-05"))["result"]["content"]
    assert block["resource"]["uri"] == media.blob_uri(data) and block["resource"]["blob"] == media.to_base64(data)


def test_the_limit_is_64_mebibytes_unless_told_otherwise(tmp_path):
    with open(tmp_path / "huge", "wb") as file:
        file.truncate(MAX_SIZE + 1)
    assert MAX_SIZE == 64 * 1024 * 1024
    with pytest.raises(AuthorError, match="'huge' is larger than max_size=67108864"):
        FileSource(tmp_path / "huge")
    with pytest.raises(ToolError, match="'huge' is larger than 67108864 bytes"):
        Directory(tmp_path).read("huge")
    assert FileSource(tmp_path / "huge", max_size=MAX_SIZE + 1).size() == MAX_SIZE + 1


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("nowhere.md", "No such file or directory"),
        ("guide", "it is not a regular file"),
        ("fifo", "it is not a regular file"),
        ("dangling", "No such file or directory"),
        ("loop", "Too many levels of symbolic links"),
        ("notes.md/x", "Not a directory"),
        ("no\0where", "its path is not a valid one"),
    ],
)
def test_a_path_that_cannot_be_read_is_told_at_once(root, name, why):
    os.mkfifo(root / "fifo")
    (root / "dangling").symlink_to("nowhere")
    (root / "loop").symlink_to("loop")
    with pytest.raises(AuthorError) as caught:
        FileSource(root / name)
    assert str(caught.value) == f"cannot offer {name.rpartition('/')[2]!r}: {why}"


def test_an_unreadable_file_is_told_at_once_and_later_not_found(root, monkeypatch):
    source = FileSource(root / "notes.md")

    def refuse(path, *_, **__):
        raise PermissionError(EACCES, os.strerror(EACCES), path)

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(AuthorError, match=r"^cannot offer 'notes.md': Permission denied$"):
        FileSource(root / "notes.md")
    assert source.size() is None
    for read in (source.read, lambda: Directory(root).read("notes.md"), lambda: Directory(root).resolve("notes.md")):
        with pytest.raises(ResourceNotFound) as caught:
            read()
        assert "secret-place" not in told(caught)


def test_a_disk_that_fails_while_it_is_read_is_not_found_either(root, monkeypatch):
    def fail(*_):
        raise OSError(EIO, os.strerror(EIO))

    monkeypatch.setattr(files, "read_bounded", fail)
    with pytest.raises(ResourceNotFound):
        Directory(root).read("notes.md")


@pytest.mark.parametrize(
    ("root_of", "links", "target", "allowed"),
    [
        (None, "inside", "../secret.txt", True),  # the author named this file; nothing is outside
        (None, "follow", "../secret.txt", True),
        (None, "refuse", "../secret.txt", False),
        (None, "refuse", "notes.md", False),
        (".", "inside", "notes.md", True),
        (".", "inside", "../secret.txt", False),
        ("..", "inside", "../secret.txt", True),
        (".", "refuse", "notes.md", False),
        (".", "follow", "../secret.txt", True),
    ],
)
def test_a_link_is_followed_as_far_as_the_author_says(root, root_of, links, target, allowed):
    (root / "link.txt").symlink_to(target)
    within = None if root_of is None else root / root_of
    if allowed:
        assert FileSource(root / "link.txt", root=within, links=links).read().data
        assert FileSource(root / "link.txt", root=within, links=links).name == "link.txt"
    else:
        with pytest.raises(AuthorError, match=r"^cannot offer 'link.txt': it "):
            FileSource(root / "link.txt", root=within, links=links)


def test_a_file_that_becomes_a_link_out_of_its_root_is_not_found(root):
    """R26-RES-09"""
    source = FileSource(root / "notes.md", root=root)
    (root / "notes.md").unlink()
    (root / "notes.md").symlink_to("../secret.txt")
    with pytest.raises(ResourceNotFound):
        source.read()


@pytest.mark.parametrize("path", ["../secret.txt", "guide/../../secret.txt", "/etc/passwd"])
def test_a_path_beside_its_root_is_told_at_once(root, path):
    with pytest.raises(AuthorError, match="does not lie below the root 'docs'") as caught:
        FileSource(root / path, root=root)
    assert "secret-place" not in told(caught)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"links": "maybe"}, "links= is one of inside, refuse, follow, not 'maybe'"),
        ({"max_size": 0}, "max_size= takes a number of bytes, not 0"),
        ({"max_size": "1M"}, "max_size= takes a number of bytes, not '1M'"),
    ],
)
def test_an_option_that_means_nothing_is_told_at_once(root, options, complaint):
    for make in (lambda: FileSource(root / "notes.md", **options), lambda: Directory(root, **options)):
        with pytest.raises(AuthorError, match=complaint):
            make()


def test_a_name_that_is_no_text_still_has_one(tmp_path):
    path = os.path.join(os.fsencode(tmp_path), b"\xff.md")
    with open(path, "wb") as file:
        file.write(b"# Hi")
    source = FileSource(os.fsdecode(path))
    assert source.name == "?.md"
    assert source.uri.endswith("/%FF.md")
    assert source.read().data == b"# Hi"


def test_a_path_in_bytes_is_refused():
    class Odd:
        def __fspath__(self):
            return b"x"

    with pytest.raises(AuthorError, match="a path is text, not bytes"):
        FileSource(Odd())


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("/a/b.md", "file:///a/b.md"),
        ("/a/b c#d?e%.md", "file:///a/b%20c%23d%3Fe%25.md"),
        ("/a/../é.md", "file:///%C3%A9.md"),
    ],
)
def test_a_path_makes_a_uri(path, uri):
    """S003-05"""
    assert uri_of(path) == uri
    assert uri_of(Path(path)) == uri


def test_a_relative_path_makes_an_absolute_uri(root, monkeypatch):
    monkeypatch.chdir(root)
    assert uri_of("notes.md") == FileSource("notes.md").uri == f"file://{root}/notes.md"


def test_a_file_stays_where_it_was_when_the_program_moves(root, monkeypatch):
    monkeypatch.chdir(root)
    source = FileSource("notes.md", root=".")
    monkeypatch.chdir("/")
    assert source.read().data == b"# Notes"


# An open file -------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["r", "rb"])
def test_an_open_file_is_read_once_from_its_beginning(root, mode):
    """S003-03"""
    with open(root / "notes.md", mode) as file:
        file.read(3)
        source = FileSource(file)
    (root / "notes.md").write_text("other")
    assert (source.name, source.mime_type, source.size()) == ("notes.md", "text/markdown", 7)
    assert source.uri == f"file://{root}/notes.md"
    assert [source.read().data, source.read().data] == [b"# Notes", b"# Notes"]


@pytest.mark.parametrize(
    ("file", "mime", "data"),
    [
        (io.StringIO("é"), "text/plain", "é".encode()),
        (io.StringIO("%PDF-1.7"), "text/plain", b"%PDF-1.7"),
        (io.BytesIO(b"words"), "text/plain", b"words"),
        (io.BytesIO(PNG), "image/png", PNG),
        (io.BytesIO(b"\xff"), "application/octet-stream", b"\xff"),
        (io.BytesIO(b""), "text/plain", b""),
    ],
)
def test_an_open_file_without_a_name_needs_a_uri(file, mime, data):
    source = FileSource(file)
    assert (source.name, source.mime_type, source.size()) == ("file", mime, len(data))
    assert source.read().data == data
    with pytest.raises(AuthorError, match="needs a uri="):
        _ = source.uri


def test_an_open_file_that_lies_nowhere_has_a_uri_of_its_name(tmp_path):
    packed = io.BytesIO(gzip.compress(b"a,b"))
    source = FileSource(gzip.GzipFile("far/away/my table.csv", fileobj=packed))
    assert (source.name, source.mime_type, source.read().data) == ("my table.csv", "text/csv", b"a,b")
    assert source.uri == "file:///my%20table.csv"


def test_a_temporary_file_and_a_pipe_are_open_files_too():
    with tempfile.TemporaryFile() as file:
        file.write(b"words")
        assert FileSource(file).read().data == b"words"
    reader, writer = os.pipe()
    os.write(writer, b"piped")
    os.close(writer)
    with open(reader, "rb") as file:
        assert FileSource(file).read().data == b"piped"


class Strange:
    def __init__(self, given):
        self.given = given

    def read(self, size=-1):
        if isinstance(self.given, Exception):
            raise self.given
        return self.given


CLOSED = io.StringIO()
CLOSED.close()


@pytest.mark.parametrize(
    "file",
    [
        None,
        3,
        b"notes.md",
        object(),
        Strange(None),
        Strange(7),
        Strange(OSError("/srv/x")),
        CLOSED,
        io.StringIO("\ud800"),
    ],
)
def test_what_is_neither_path_nor_open_file_is_refused(file):
    with pytest.raises(AuthorError, match=r"a path or an open file is wanted|not text or bytes") as caught:
        FileSource(file)
    assert "/srv" not in told(caught)


@pytest.mark.parametrize("file", [io.BytesIO(b"12345678"), io.StringIO("12345678"), io.StringIO("éééé")])
def test_an_open_file_is_bounded_too(file):
    with pytest.raises(AuthorError, match="larger than max_size=7"):
        FileSource(file, max_size=7)


def test_an_open_file_has_no_root():
    with pytest.raises(AuthorError, match="root= is for a path"):
        FileSource(io.BytesIO(), root="/srv")


# A directory --------------------------------------------------------------------------------------


def test_a_directory_gives_the_files_below_it(root):
    docs = Directory(root)
    assert docs.resolve("guide/start.txt") == Path(os.path.realpath(root)) / "guide" / "start.txt"
    assert contents(docs.read("guide/start.txt")) == {"uri": "docs://x", "mimeType": "text/plain", "text": "Start"}
    assert contents(docs.read("picture"))["mimeType"] == "image/png"


REFUSED = [
    "",
    "/",
    ".",
    "..",
    "./notes.md",
    "../secret.txt",
    "../docs/notes.md",
    "guide/../notes.md",
    "guide/../../secret.txt",
    "guide/./start.txt",
    "guide//start.txt",
    "notes.md/",
    "guide/",
    "guide",
    "/etc/passwd",
    "//etc/passwd",
    "..\\secret.txt",
    "guide\\start.txt",
    "\\\\server\\share\\x",
    "C:notes.md",
    "C:/notes.md",
    "C:\\notes.md",
    "notes.md\0",
    "notes.md\0.png",
    "\0",
    "%2e%2e/secret.txt",  # decoded once, by uritemplate; here it is a name
    "..%2fsecret.txt",
    ".env",
    ".git/config",
    "guide/.hidden",
    "nowhere.md",
    "notes.md/x",
    "NOTES.MD/..",
    "fifo",
    "socket",
    "device",
    "dangling",
    "loop",
    "one",
    "way-out",
    "way-out-directory/secret.txt",
    "to-a-directory",
    "to-a-fifo",
    "x" * 300,
    "a/" * 5000 + "a",
    "\ud800",
    "~/notes.md",
    "$HOME",
    "*",
]


@pytest.fixture
def trapped(root, monkeypatch):
    """The same directory, full of things that are no files to be read."""
    for name in ("guide\\start.txt", "..\\secret.txt", "C:notes.md", "C:\\notes.md"):
        (root / name).write_text("a file here, another place on Windows")
    os.mkfifo(root / "fifo")
    monkeypatch.chdir(root)  # the path of a socket is short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
    for name, target in {
        "device": "/dev/zero",
        "dangling": "nowhere",
        "loop": "loop",
        "one": "two",
        "two": "one",
        "way-out": "../secret.txt",
        "way-out-directory": "..",
        "to-a-directory": "guide",
        "to-a-fifo": "fifo",
    }.items():
        (root / name).symlink_to(target)
    return root


@pytest.mark.parametrize("relative", REFUSED)
@pytest.mark.parametrize("links", ["inside", "refuse"])
def test_whatever_is_no_readable_file_below_the_root_is_not_found(trapped, links, relative):
    """R26-RES-07 R26-RES-09"""
    docs = Directory(trapped, links=links)
    for attempt in (docs.resolve, docs.read):
        with pytest.raises(ResourceNotFound) as caught:
            attempt(relative, "docs://asked-for")
        assert caught.value.data == {"uri": "docs://asked-for"}
        assert told(caught) == "Resource not found{'uri': 'docs://asked-for'}"


@pytest.mark.parametrize("relative", [name for name in REFUSED if not name.startswith("way-out")])
def test_following_links_opens_nothing_else(trapped, relative):
    """R26-RES-09"""
    with pytest.raises(ResourceNotFound):
        Directory(trapped, links="follow").read(relative)


def test_links_are_followed_inside_or_not_at_all_or_everywhere(trapped):
    (trapped / "link").symlink_to("guide/start.txt")
    assert Directory(trapped).resolve("link").name == "start.txt"
    assert Directory(trapped, links="follow").read("way-out").data == b"secret"
    assert Directory(trapped, links="follow").read("way-out-directory/secret.txt").data == b"secret"
    with pytest.raises(ResourceNotFound):
        Directory(trapped, links="refuse").resolve("link")


def test_hidden_files_are_there_for_those_who_ask(root):
    docs = Directory(root, hidden=True)
    assert docs.read(".env").data == b"KEY=1"
    assert docs.read(".git/config").data == b"[core]"
    with pytest.raises(ResourceNotFound):
        docs.read("../secret.txt")


def test_a_visible_link_may_lead_to_a_hidden_place(root):
    """As a ConfigMap does, whose files are links into `..data`."""
    (root / "..data").mkdir()
    (root / "..data" / "settings.yaml").write_text("a: 1")
    (root / "settings.yaml").symlink_to("..data/settings.yaml")
    assert Directory(root).read("settings.yaml").data == b"a: 1"


def test_a_directory_has_a_limit_for_each_file(root):
    docs = Directory(root, max_size=5)
    assert docs.read("guide/start.txt").data == b"Start"
    with pytest.raises(ToolError, match=r"^'notes.md' is larger than 5 bytes; the option max_size allows more$"):
        docs.read("notes.md")


def test_without_a_uri_the_path_asked_for_is_told(root):
    with pytest.raises(ResourceNotFound) as caught:
        Directory(root).read("guide/nowhere.md")
    assert caught.value.data == {"uri": "guide/nowhere.md"}


@pytest.mark.parametrize("path", ["notes.md", "nowhere"])
def test_a_root_that_is_no_directory_is_told_at_once(root, path):
    with pytest.raises(AuthorError, match=f"^'{path}' is not a directory$"):
        Directory(root / path)


def test_a_directory_stays_where_it_was_when_the_program_moves(root, monkeypatch):
    monkeypatch.chdir(root)
    docs = Directory(".")
    monkeypatch.chdir("/")
    assert docs.read("notes.md").data == b"# Notes"
