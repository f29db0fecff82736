"""Fixed keys: in code, in a file, and in a header of their own."""

from hashlib import sha256
from pathlib import Path

import pytest

from plainmcp.auth import Keys, Principal
from plainmcp.errors import AuthorError
from protected import ADA, APPS, BOB, KEYS, ask, call, mount, notes

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


def test_a_key_has_an_owner() -> None:
    bot = Principal(subject="bot", scopes=["read"])  # type: ignore[arg-type]
    keys = Keys({ADA: "ada", BOB: bot})
    assert keys.verify(ADA) == Principal(subject="ada")
    assert keys.verify(BOB) is bot
    assert keys.verify(ADA + "x") is None and keys.verify("") is None


def test_a_digest_takes_the_place_of_a_key() -> None:
    keys = Keys({f"sha256:{sha256(ADA.encode()).hexdigest()}": "ada"})
    assert keys.verify(ADA) == Principal(subject="ada")
    assert ADA not in str(vars(keys))


@pytest.mark.parametrize("kind", APPS)
def test_a_key_may_come_in_a_header_of_its_own(kind: str) -> None:
    app = mount(kind, notes(), auth=Keys(KEYS, header="X-API-Key"))
    assert ask(app, PING, {"x-api-key": ADA}).status == 400  # the ping lacks a session: the caller is known
    assert ask(app, PING, {"authorization": f"Bearer {ADA}"}).status == 400
    assert ask(app, PING, {"x-api-key": "wrong"}).status == 401
    assert ask(app, PING, {"x-api-key": ""}).status == 401
    assert ask(app, PING, [("x-api-key", ADA), ("x-api-key", BOB)]).status in (400, 401)
    assert ask(app, PING).status == 401


@pytest.mark.parametrize("kind", APPS)
def test_a_key_of_a_header_is_not_one_of_another_verifier(kind: str) -> None:
    app = mount(kind, notes(), auth=[Keys({ADA: "ada"}), Keys({BOB: "bob"}, header="X-API-Key")])
    assert ask(app, PING, {"x-api-key": ADA}).status == 401
    assert ask(app, PING, {"x-api-key": BOB}).status == 400
    assert (call(app, ADA).status, call(app, BOB).status) == (200, 200)


@pytest.mark.parametrize("kind", APPS)
def test_several_verifiers_may_have_the_same_header(kind: str) -> None:
    app = mount(kind, notes(), auth=[Keys({ADA: "ada"}, header="X-Key"), Keys({BOB: "bob"}, header="x-key")])
    assert [ask(app, PING, {"x-key": key}).status for key in (ADA, BOB, "c" * 16)] == [400, 400, 401]


def test_a_file_has_a_name_a_key_and_scopes_in_each_line(tmp_path: Path) -> None:
    file = tmp_path / "keys"
    digest = sha256(BOB.encode()).hexdigest()
    file.write_text(f"# who may call\n\nada {ADA} notes:read notes:write\nbob sha256:{digest}\n")
    keys = Keys.from_file(file)
    ada = keys.verify(ADA)
    assert ada is not None and (ada.subject, ada.scopes) == ("ada", {"notes:read", "notes:write"})
    assert keys.verify(BOB) == Principal(subject="bob")


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_a_file_may_begin_with_a_byte_order_mark_and_have_any_line_ends(tmp_path: Path, ending: str) -> None:
    """P29: the mark became a part of the first name, or of a comment, which then was a line without a key."""
    for text in (f"ada\t{ADA}  notes:read{ending}bob {BOB}{ending}", f"# keys{ending}ada {ADA} notes:read"):
        file = tmp_path / "keys"
        file.write_bytes(text.encode("utf-8-sig"))
        ada = Keys.from_file(file).verify(ADA)
        assert ada is not None and (ada.subject, ada.scopes) == ("ada", {"notes:read"})


SEPARATORS = ["\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]


@pytest.mark.parametrize("separator", SEPARATORS)
def test_only_the_end_of_a_line_ends_a_line(tmp_path: Path, separator: str) -> None:
    """P29: what follows such a character in a comment was read as a line of its own."""
    file = tmp_path / "keys"
    file.write_text(f"# never again:{separator}eve {BOB} admin\nada {ADA}\n", "utf-8")
    keys = Keys.from_file(file)
    assert keys.verify(BOB) is None and keys.verify(ADA) == Principal(subject="ada")


@pytest.mark.parametrize("blank", [*SEPARATORS, "\u00a0", "\u3000", "\u200b", "\ufeff", "\0"])
def test_a_blank_that_is_neither_a_space_nor_a_tab_separates_nothing(tmp_path: Path, blank: str) -> None:
    """P29: nor may a name have what no one sees."""
    file = tmp_path / "keys"
    for text, problem in {
        f"ada{blank}{ADA}": "line 2: (a line is|the name)",
        f"{blank}ada {ADA}": "line 2: the name",
        f"ada {ADA}{blank}admin": "line 2: a key has",
        f"ada {ADA} read{blank}admin": "line 2: the scopes takes",
    }.items():
        file.write_text(f"# keys\n{text}", "utf-8")
        with pytest.raises(AuthorError, match=problem) as caught:
            Keys.from_file(file)
        assert ADA not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "has no keys"),
        ("ada", "line 1: a line is a name, a key"),
        ("ada short", "line 1: a key has at least 16 characters"),
        (f"ada {ADA}\nbob {ADA}", "line 2: the key is there twice"),
        (f'ada {ADA} "x"', "line 1: the scopes takes scopes without"),
    ],
)
def test_a_file_that_cannot_work_is_refused_with_its_line_and_without_its_keys(
    tmp_path: Path, text: str, problem: str
) -> None:
    (tmp_path / "keys").write_text(text)
    with pytest.raises(AuthorError, match=problem) as caught:
        Keys.from_file(tmp_path / "keys")
    assert ADA not in str(caught.value)
    with pytest.raises(AuthorError, match="cannot be read"):
        Keys.from_file(tmp_path / "missing")


@pytest.mark.parametrize(
    ("keys", "options"),
    [
        ({}, {}),
        ([ADA], {}),
        ({"short": "ada"}, {}),
        ({"a" * 15 + "é": "ada"}, {}),
        ({ADA: 3}, {}),
        ({ADA: ""}, {}),
        ({ADA: "ada"}, {"header": "x y"}),
        ({ADA: "ada"}, {"scopes": ["a b"]}),
    ],
)
def test_keys_that_cannot_work_are_refused(keys: object, options: dict[str, object]) -> None:
    with pytest.raises(AuthorError):
        Keys(keys, **options)  # type: ignore[arg-type]
