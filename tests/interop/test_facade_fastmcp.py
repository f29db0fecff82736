"""A FastMCP file with its imports changed, served by `plainmcp serve`: clients see what the real package shows them.

What differs on purpose is listed in DIFFERENCES with its reason; nothing else may differ, and nothing is listed that
does not.
"""

import copy
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from interop.facade_seeing import CLIENTS, Seen, seen
from talking import Program, until

LIBRARY = Path(__file__).with_name("facade_library.py")
MODES = ["legacy", "2026-07-28"]

pytestmark = pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")


# The two servers --------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file with its imports changed, and nothing else."""
    file = tmp_path_factory.mktemp("facade") / "library.py"
    source = LIBRARY.read_text("utf-8")
    file.write_text(re.sub(r"^from fastmcp\S* import", "from plainmcp.compat.fastmcp import", source, flags=re.M))
    return file


@pytest.fixture(scope="session")
def url(changed: Path) -> Iterator[str]:
    """Where `plainmcp serve` serves it over HTTP."""
    with Program("-m", "plainmcp", "serve", changed, "--http", "127.0.0.1:0") as program:
        yield until(lambda: re.search(rb"serving MCP at (\S+)\n", program.stderr))[1].decode()


@pytest.fixture(scope="session")
def real() -> Callable[[str, str], Seen]:
    """What clients see of the real package, each seen once."""
    kept: dict[tuple[str, str], Seen] = {}

    def look(client: str, mode: str) -> Seen:
        if (client, mode) not in kept:
            kept[client, mode] = seen(client, [sys.executable, str(LIBRARY)], mode)
        return copy.deepcopy(kept[client, mode])

    return look


# What differs on purpose ------------------------------------------------------------------------------


def _definitions(shown: Seen) -> Iterator[dict[str, Any]]:
    for kind in ("tools", "resources", "templates", "prompts"):
        yield from shown[kind].values()


def _schemas(schema: Any) -> Iterator[dict[str, Any]]:
    """A schema and those inside it."""
    if isinstance(schema, dict):
        yield schema
        for inner in schema.values():
            yield from _schemas(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from _schemas(inner)


def _answers(shown: Seen, start: str) -> Iterator[tuple[str, dict[str, Any]]]:
    yield from [(key, one) for key, one in shown.items() if key.startswith(start)]


def _mark(result: dict[str, Any]) -> None:
    """Mark a result whose data is wrapped."""
    result["_meta"] = {**(result.get("_meta") or {}), "fastmcp": {"wrap_result": True}}


def schemas_say_what_they_mean_once(shown: Seen) -> None:
    """`additionalProperties: true` says nothing, nor does a title; a tuple has `items`, which clients need (V42)."""
    for one in shown["tools"].values():
        for schema in _schemas([one["inputSchema"], one.get("outputSchema")]):
            if schema.get("additionalProperties") is True:
                del schema["additionalProperties"]
            if schema.get("title") == "Y":
                del schema["title"]
            if "prefixItems" in schema:
                schema["items"] = {}


def prompt_arguments_are_the_authors(shown: Seen) -> None:
    """An empty list of arguments is not sent; the JSON Schema in a description has its keywords in our order."""
    for one in shown["prompts"].values():
        if one["arguments"] == []:
            del one["arguments"]
        for argument in one.get("arguments", []):
            text = argument.get("description", "")
            if '{"items":{"type":"integer"},"type":"array"}' in text:
                argument["description"] = text.replace(
                    '{"items":{"type":"integer"},"type":"array"}', '{"type":"array","items":{"type":"integer"}}'
                )


def changes_are_told_on_every_revision(shown: Seen) -> None:
    """Who subscribes is told of changes, to a resource and to lists; an extension of that package is not ours."""
    if "server" in shown:
        capabilities = shown["server"][3]
        capabilities.pop("extensions", None)
        capabilities["resources"]["subscribe"] = True
        for kind in ("tools", "resources", "prompts"):
            capabilities[kind]["listChanged"] = True


def questions_are_asked_on_every_revision(shown: Seen) -> None:
    """On 2026-07-28 a question travels with the result; the package refuses to ask."""
    if shown["mode"] == "legacy":
        return
    value = {"title": "Value", "type": "integer"}
    form = {"type": "object", "properties": {"value": value}, "required": ["value"]}
    answer = {"isError": False, "structuredContent": {"result": "accept 7"}}
    shown["call renew {}"] |= {"content": [{"type": "text", "text": "accept 7"}], **answer}
    _mark(shown["call renew {}"])
    shown["notes"].append(["asked", "For how many days?", form])
    if "data renew {}" in shown:
        shown["data renew {}"] = "accept 7"
        shown["notes"].append(["asked", "For how many days?", form])


def json_in_a_text_is_read_where_no_text_is_wanted(shown: Seen) -> None:
    """Models send objects as text; where only an object can be meant, it is read."""
    for _, one in _answers(shown, 'call find {"query": "{'):
        one |= {"content": [], "structuredContent": {"result": []}, "isError": False}
        _mark(one)
    for key, _ in _answers(shown, 'data find {"query": "{'):
        shown[key] = []


OURS = {
    'call add {"a": "x"}': "a: expected an integer, got a string",
    "call add {}": "a: missing; it takes an integer",
    'call add {"a": 1, "c": 1}': "c: no such parameter; the parameters are a, b",
    'call find {"query": {"words": ["a"]}, "genre": "poem"}': 'genre: expected one of "novel", "essay" or null',
    'call lend {"book": {"isbn": "9780000000001", "title": "Plain", "year": 2001}, "reader": "A", "days": 100}': (
        "reader: expected a string of 2 or more characters\ndays: expected an integer >= 1 and <= 60"
    ),
}


def mistakes_are_told_in_a_line(shown: Seen) -> None:
    """A model needs to know what to change; the first line is the package's, but has the name of the tool."""
    for key, text in OURS.items():
        assert shown[key]["isError"]
        first = shown[key]["content"][0]["text"].splitlines()[0].replace("lend_a_book", "lend")
        shown[key]["content"] = [{"type": "text", "text": f"{first}\n{text}"}]


def errors_have_the_codes_of_the_protocol(shown: Seen) -> None:
    """What the client asked for wrongly is -32602, and a resource there is not has its own."""
    missing = -32002 if shown["mode"] == "legacy" else -32602
    ours = {
        "get summarize {}": (-32602, "title: missing; it takes a string"),
        'get talk {"title": "Plain", "pages": "z"}': (
            -32602,
            "pages: expected an array of integers, got a string",
        ),
        "read library://shelves/x/books/2": (missing, "Resource not found"),
    }
    for key, (code, message) in ours.items():
        shown[key] = {"error": code, "message": message}


DIFFERENCES = [
    schemas_say_what_they_mean_once,
    prompt_arguments_are_the_authors,
    changes_are_told_on_every_revision,
    questions_are_asked_on_every_revision,
    json_in_a_text_is_read_where_no_text_is_wanted,
    mistakes_are_told_in_a_line,
    errors_have_the_codes_of_the_protocol,
]


def _compact(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def _without_incidents(shown: Seen) -> Seen:
    told: Seen = json.loads(re.sub(r"incident [0-9a-f]{8}", "incident …", json.dumps(shown, ensure_ascii=False)))
    return told


# What is the same -------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_file_with_its_imports_changed_shows_clients_the_same(
    real: Callable[[str, str], Seen], changed: Path, client: str, transport: str, mode: str, request: Any
) -> None:
    command = [sys.executable, "-m", "plainmcp", "serve", str(changed)]
    target = command if transport == "stdio" else [request.getfixturevalue("url")]
    ours = _without_incidents(seen(client, target, mode))
    theirs = real(client, mode)
    for adapt in DIFFERENCES:
        adapt(theirs)
    assert list(ours["tools"]) == list(theirs["tools"])
    assert ours == theirs


@pytest.mark.parametrize("adapt", DIFFERENCES)
def test_a_difference_that_is_listed_is_there(real: Callable[[str, str], Seen], adapt: Any) -> None:
    found = [real("official", mode) for mode in MODES]
    before = copy.deepcopy(found)
    for theirs in found:
        adapt(theirs)
    assert adapt.__doc__ and found != before
