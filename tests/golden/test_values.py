"""What a value becomes, exactly, by itself and from a server on each revision: one text file for each value.

A file starts with a sentence and the ids of the requirements it checks. Its sections are an expression (`value`),
whether it comes from a tool, a resource or a prompt (`as`), the policies and declared types (`policy`, `declared`:
one per line, all with this result), then `result` and the result on each revision, or `error`. `file:///here` is
the directory in which the expression ran.
"""

import json
import re
from ast import literal_eval
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

from golden import namespace
from golden.speaker import shown
from plainmcp import Policy, Server, normalize_prompt_result, normalize_resource_payload, normalize_tool_result
from plainmcp.errors import AuthorError, ToolError
from plainmcp.testing import Client
from schemas import assert_valid
from wire import META, REVISIONS

FOLDER = Path(__file__).parent / "values"
FILES = sorted(FOLDER.glob("*.txt"))
IDS = re.compile(r"\b(?:S\d{3}|B)-\d{2}\b|\bB\.1\b")
HEADING = re.compile(r"^-- (.+) --$", re.MULTILINE)
GIVEN = ("value", "as", "policy", "declared")

Make = Callable[[], Any]

every_golden = pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the sample files."""
    here = tmp_path_factory.mktemp("here")
    for name, data in namespace.FILES.items():
        (here / name).write_bytes(data)
    return here


# A golden file ------------------------------------------------------------------------------------


@dataclass
class Golden:
    """A golden file, taken apart."""

    sentence: str
    sections: dict[str, str]

    @classmethod
    def parse(cls, text: str) -> "Golden":
        sentence, *rest = HEADING.split(text)
        assert len(rest[::2]) == len(set(rest[::2])), "a section stands there twice"
        return cls(sentence.strip(), dict(zip(rest[::2], map(str.strip, rest[1::2]), strict=True)))

    def __str__(self) -> str:
        parts = [f"-- {name} --\n{body}\n" for name, body in self.sections.items()]
        return "\n".join([f"{self.sentence}\n", *parts])

    @property
    def expected(self) -> dict[str, str]:
        """What must come out: for `result`, for `error` and for each revision on its own."""
        outcome = {}
        for heading, body in self.sections.items():
            if heading not in GIVEN:
                outcome |= dict.fromkeys(heading.split(", "), body)
        return outcome

    def cases(self) -> Iterator["Case"]:
        """Every way the value is said to have this one outcome."""
        kind, *details = self.sections.get("as", "tool").split()
        for line in self.sections.get("policy", "standard").splitlines():
            for declared in self.sections.get("declared", "nothing").splitlines():
                yield Case(self.sections["value"], KINDS[kind](*details), line, declared)


def policy(line: str) -> Policy:
    """`fastmcp`, or `fastmcp, non_object=schema`."""
    name, *changes = line.split(", ")
    return Policy.of(name).replace(**{field: _literal(value) for field, value in map(_halves, changes)})


def _halves(change: str) -> tuple[str, str]:
    field, _, value = change.partition("=")
    return field, value


def _literal(value: str) -> Any:
    return literal_eval(value) if value in ("True", "False") else value


# What we do with its value --------------------------------------------------------------------------


class Tool:
    definition = "CallToolResult"

    def normalized(self, value: Any, policy: Policy, declared: Any) -> Any:
        return normalize_tool_result(value, policy=policy, declared=declared)

    def sent(self, make: Make, policy: Policy, declared: Any, revision: str) -> Any:
        server = Server("s", "1", policy=policy)
        if declared == "schema":  # one that says as little as the policy lets it
            written = {} if policy.non_object == "raw" else {"type": "object"}
            server.tool(name="give", output_schema=written)(make)
        elif declared == "hint":
            server.tool(name="give")(hinted(make))
        else:
            server.tool(name="give")(make)
        return Client(server, revision).request("tools/call", {"name": "give", "arguments": {}})


class Resource:
    definition = "ReadResourceResult"

    def __init__(self, uri: str, mime_type: str | None = None) -> None:
        self.uri, self.mime_type = uri, mime_type

    def normalized(self, value: Any, policy: Policy, declared: Any) -> Any:
        return normalize_resource_payload(self.uri, self.mime_type, value, policy=policy)

    def sent(self, make: Make, policy: Policy, declared: Any, revision: str) -> Any:
        server = Server("s", "1", policy=policy)
        server.resource(self.uri, mime_type=self.mime_type, name="it")(make)
        return Client(server, revision).request("resources/read", {"uri": self.uri})


class Prompt:
    definition = "GetPromptResult"

    def normalized(self, value: Any, policy: Policy, declared: Any) -> Any:
        return normalize_prompt_result(value, policy=policy)

    def sent(self, make: Make, policy: Policy, declared: Any, revision: str) -> Any:
        server = Server("s", "1", policy=policy)
        server.prompt(name="give")(make)
        return Client(server, revision).request("prompts/get", {"name": "give"})


def hinted(make: Make) -> Make:
    """A function with a hint that says nothing."""

    def give() -> Any:
        return make()

    return give


KINDS: dict[str, Any] = {"tool": Tool, "resource": Resource, "prompt": Prompt}


@dataclass
class Case:
    """One run of one value."""

    expression: str
    kind: Any
    policy: str
    declared: str

    def outcome(self) -> dict[str, str]:
        """The result and what each revision gets of it, or the error, each as JSON or text."""
        chosen = policy(self.policy)
        try:
            found = {"result": self._text(_plain(self.kind.normalized(self._value(), chosen, self.declared)))}
        except (AuthorError, ToolError) as error:
            return {"error": f"{type(error).__name__}: {error}"}
        for revision in REVISIONS:
            # A lambda has no hint, as `self._value` would have.
            sent = self.kind.sent(lambda: self._value(), chosen, self.declared, revision)
            found[revision] = self._text(_own(sent))
        return found

    def _value(self) -> Any:
        # Evaluated anew each time: an iterator can be read only once.
        return eval(f"({self.expression}\n)", dict(vars(namespace)))

    def _text(self, message: Any) -> str:
        return json.dumps(message, ensure_ascii=False).replace(Path.cwd().as_uri(), "file:///here")


def _plain(result: Any) -> Any:
    """A result of ours as JSON."""
    return msgspec.json.decode(msgspec.json.encode(result))


def _own(result: dict[str, Any]) -> dict[str, Any]:
    """A result without what the server says of itself."""
    meta = {key: value for key, value in result.get("_meta", {}).items() if key != f"{META}serverInfo"}
    rest = {key: value for key, value in result.items() if key != "_meta"}
    return {**rest, **({"_meta": meta} if meta else {})}


def rewritten(golden: Golden, outcome: dict[str, str]) -> Golden:
    """The golden with this outcome; revisions side by side that get the same share a section."""
    sections = {name: body for name, body in golden.sections.items() if name in GIVEN}
    for name, text in outcome.items():
        body = text if name == "error" else shown(json.loads(text), width=100)
        last = list(sections)[-1]
        if name in REVISIONS and last.split(", ")[0] in REVISIONS and sections[last] == body:
            sections[f"{last}, {name}"] = sections.pop(last)
        else:
            sections[name] = body
    return Golden(golden.sentence, sections)


# The tests ------------------------------------------------------------------------------------------


@every_golden
def test_a_value_becomes_exactly_this(
    file: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, update_goldens: bool
) -> None:
    monkeypatch.chdir(folder)
    golden = Golden.parse(file.read_text("utf-8"))
    cases = list(golden.cases())
    if update_goldens:
        file.write_text(str(rewritten(golden, cases[0].outcome())), "utf-8")
        golden = Golden.parse(file.read_text("utf-8"))
    for case in cases:
        # Compared as text, so that the order of keys counts and a failure shows the lines that differ.
        outcome = str(rewritten(golden, case.outcome()))
        assert outcome == str(rewritten(golden, golden.expected)), (
            f"under {case.policy} with {case.declared} declared"
        )


@every_golden
def test_what_a_revision_gets_is_valid_on_it(file: Path) -> None:
    golden = Golden.parse(file.read_text("utf-8"))
    definition = next(golden.cases()).kind.definition
    for name, text in golden.expected.items():
        if name in REVISIONS:
            assert_valid(name, definition, text.encode())


@every_golden
def test_a_golden_file_is_well_formed(file: Path) -> None:
    text = file.read_text("utf-8")
    golden = Golden.parse(text)
    assert IDS.search(golden.sentence), "the sentence names no requirement"
    assert "\n" not in golden.sentence and golden.sentence.endswith("."), "it opens with one sentence"
    assert "value" in golden.sections
    assert list(golden.expected) in (["error"], ["result", *REVISIONS])
    assert str(golden) == text, "sections are set apart by one blank line"


@pytest.mark.parametrize("file", sorted(FOLDER.glob("000-*.txt")), ids=lambda file: file.stem)
def test_what_seed_000_prints_is_what_a_2025_06_18_client_gets_S000_04(file: Path) -> None:
    expected = Golden.parse(file.read_text("utf-8")).expected
    assert expected.get("2025-06-18") == expected.get("result")


def test_no_golden_is_left_out() -> None:
    assert len(FILES) > 100
    assert {file.suffix for file in FOLDER.iterdir()} == {".txt"}
