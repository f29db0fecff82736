"""Type hints at the wire, as text: how a file is read and written.

A file starts with a sentence and the ids it checks. `-- names --` is Python code that runs first; it can use the
names in `vocabulary.py`. Then come cases, each of one kind:

    -- hint --            a type: the hint of a parameter `it`, and of the return value of a function
    -- return hint --     a type that is not used for parameters
    -- signature --       the parameters of a function
    -- input schema --    a schema written by hand, as Python
    -- output schema --   an output schema written by hand; `schema, hint` for a function with a hint
    -- form --            a type whose fields a user fills in
    -- prompt --          the parameters of a prompt

and what is listed for it:

    -- takes --           the input schema
    -- returns --         the output schema; without it there is none
    -- asks --            the schema of the form

on 2025-06-18 and on 2026-07-28, with every profile, and with `without-null`, which is the standard profile with
`drop_none=True`; or `-- returns under standard, lean on 2025-06-18 --` if there are differences. `refused: …` is
the error when such a function is registered; such a case has no arguments. At the end

    -- given --           arguments, one per line, as JSON (for a hint the value of `it`, for a form its content), and
                          the value for the function, or the error for the model:
                          3 => 3
                          "x" !! it: expected an integer, got a string
    -- strict --          arguments for a server with `lenient_arguments=False`

Arguments between backquotes are Python, for those that are too large to write out: a value, or JSON as
`msgspec.Raw`. For values that are too large to show, the length and a hash are shown.
"""

import hashlib
import json
import re
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import msgspec

from golden import vocabulary
from golden.speaker import shown
from plainmcp import Context, Policy, Server
from plainmcp.errors import AuthorError
from plainmcp.testing import Client
from wire import meta_of

__all__ = ["KINDS", "Case", "Hints"]

HEADING = re.compile(r"^-- (.+) --$", re.MULTILINE)
REVISIONS = ("2025-06-18", "2026-07-28")
POLICIES = {name: Policy.of(name) for name in Policy.profiles} | {"without-null": Policy(drop_none=True)}
KINDS = ("hint", "return hint", "signature", "input schema", "output schema", "form", "prompt")
LISTED = ("takes", "returns", "asks")
CALLED = ("given", "strict")

Listing = dict[tuple[str, str], str]
"""What is listed by policy and revision, as text."""


@dataclass
class Case:
    """One hint, signature, schema or form, and what comes of it."""

    kind: str
    body: str
    sections: dict[str, str] = field(default_factory=dict)

    def replay(self, names: dict[str, Any]) -> "Case":
        """The same case with what comes of it now."""
        made = Case(self.kind, self.body)
        for what, listing in MAKERS[self.kind](self.body, names).items():
            made.sections |= {f"{what}{suffix}": text for suffix, text in group(listing)}
        for how in CALLED:
            if how in self.sections:
                call = caller(self.kind, self.body, names, lenient=how == "given")
                made.sections[how] = "\n".join(outcome(given, call, names) for given in self._given(how))
        return made

    def _given(self, how: str) -> Iterator[str]:
        """Every argument, as it is written; what comes of it may be missing in a file that is new."""
        for line in self.sections[how].splitlines():
            if line.startswith("`"):
                yield line[: line.index("`", 1) + 1]
            elif not line.startswith(" "):
                yield line[: json.JSONDecoder().raw_decode(line)[1]]


@dataclass
class Hints:
    """A file, taken apart."""

    sentence: str
    names: str
    cases: list[Case]

    @classmethod
    def parse(cls, text: str) -> "Hints":
        sentence, *rest = HEADING.split(text)
        file = cls(sentence.strip(), "", [])
        for heading, body in zip(rest[::2], map(str.strip, rest[1::2]), strict=True):
            if heading == "names":
                file.names = body
            elif heading in KINDS:
                file.cases.append(Case(heading, body))
            else:
                assert heading.split()[0] in (*LISTED, *CALLED), f"unknown section {heading!r}"
                assert heading not in file.cases[-1].sections, f"{heading} stands there twice"
                file.cases[-1].sections[heading] = body
        return file

    def __str__(self) -> str:
        sections = [("names", self.names)] if self.names else []
        for case in self.cases:
            sections += [(case.kind, case.body), *case.sections.items()]
        return "\n".join([f"{self.sentence}\n", *(f"-- {name} --\n{body}\n" for name, body in sections)])

    def replay(self) -> "Hints":
        """The same file with what comes of it now."""
        module = ModuleType("golden_names")  # where hints that are written as text are looked up
        vars(module).update({name: value for name, value in vars(vocabulary).items() if not name.startswith("__")})
        sys.modules[module.__name__] = module
        exec(self.names, vars(module))
        return Hints(self.sentence, self.names, [case.replay(vars(module)) for case in self.cases])


# What is listed -------------------------------------------------------------------------------------


def group(listing: Listing) -> Iterator[tuple[str, str]]:
    """What is listed, each with who gets it; nobody is named when that is all, and nothing when there is nothing."""
    texts = list(dict.fromkeys(listing.values()))
    for text in filter(None, texts):
        yield "" if len(texts) == 1 else f" under {', '.join(receivers(listing, text))}", text


def receivers(listing: Listing, text: str) -> Iterator[str]:
    """The policies under which a text is listed, on both revisions or on one."""
    both = [policy for policy in POLICIES if all(listing[policy, one] == text for one in REVISIONS)]
    yield from both
    for revision in REVISIONS:
        only = [one for one in POLICIES if listing[one, revision] == text and one not in both]
        yield from (
            [f"all on {revision}"] if len(only) == len(POLICIES) else [f"{one} on {revision}" for one in only]
        )


def listings(register: Callable[[Server], Any], fields: dict[str, str]) -> dict[str, Listing]:
    """Fields of a tool that is registered under each policy, as each revision lists them."""
    found: dict[str, Listing] = {what: {} for what in fields}
    for policy in POLICIES:
        server = Server("s", "1", policy=POLICIES[policy])
        try:
            register(server)
        except AuthorError as error:
            for what in fields:
                found[what] |= {(policy, revision): f"refused: {error}" for revision in REVISIONS}
            continue
        for revision in REVISIONS:
            [tool] = Client(server, revision).request("tools/list")["tools"]
            for what, name in fields.items():
                found[what][policy, revision] = brief(shown(tool[name]), 3000) if name in tool else ""
    return found


def of_hint(body: str, names: dict[str, Any]) -> dict[str, Listing]:
    return of_signature(f"it: {body}", names) | of_return_hint(body, names)


def of_return_hint(body: str, names: dict[str, Any]) -> dict[str, Listing]:
    give = function("", body, names)
    return listings(lambda server: server.tool(give), {"returns": "outputSchema"})


def of_signature(body: str, names: dict[str, Any]) -> dict[str, Listing]:
    take = function(body, None, names)
    return listings(lambda server: server.tool(take), {"takes": "inputSchema"})


def of_input_schema(body: str, names: dict[str, Any]) -> dict[str, Listing]:
    schema, take = eval(body, names), function("**others", None, names)
    return listings(lambda server: server.tool(input_schema=schema)(take), {"takes": "inputSchema"})


def of_output_schema(body: str, names: dict[str, Any]) -> dict[str, Listing]:
    given = eval(body, names)
    schema, hint = given if isinstance(given, tuple) else (given, None)
    give = function("", None if hint is None else "hint", {**names, "hint": hint})
    return listings(lambda server: server.tool(output_schema=schema)(give), {"returns": "outputSchema"})


def of_form(body: str, names: dict[str, Any]) -> dict[str, Listing]:
    found: Listing = {}
    for revision in REVISIONS:
        asked: list[Any] = []
        outcome = ask(
            body, names, revision, lambda params, asked=asked: asked.append(params) or {"action": "decline"}
        )
        text = shown(asked[0]["requestedSchema"]) if asked else f"refused: {outcome.removeprefix('!! ')}"
        found |= {(policy, revision): text for policy in POLICIES}
    return {"asks": found}


def of_prompt(body: str, names: dict[str, Any]) -> dict[str, Listing]:
    return {}


MAKERS: dict[str, Callable[[str, dict[str, Any]], dict[str, Listing]]] = {
    "hint": of_hint,
    "return hint": of_return_hint,
    "signature": of_signature,
    "input schema": of_input_schema,
    "output schema": of_output_schema,
    "form": of_form,
    "prompt": of_prompt,
}


def function(parameters: str, returns: str | None, names: dict[str, Any]) -> Any:
    """A function with these parameters, that tells what it got."""
    hint = "" if returns is None else f" -> {returns}"
    space = {**names, "tell": tell}
    exec(f"def tool({parameters}){hint}:\n    return tell(locals())", space)
    return space["tool"]


def tell(got: dict[str, Any]) -> str:
    got = {name: list(value) if isinstance(value, Iterator) else value for name, value in got.items()}
    got = {name: value for name, value in got.items() if not isinstance(value, Context)}
    return show(got["it"]) if list(got) == ["it"] else ", ".join(f"{name}={show(one)}" for name, one in got.items())


def show(value: Any) -> str:
    """The repr of a value, which is another one for an OrderedDict from Python 3.12 on."""
    if type(value) is OrderedDict:
        return f"OrderedDict({list(value.items())!r})" if value else "OrderedDict()"
    return repr(value)


# What is given --------------------------------------------------------------------------------------


def outcome(given: str, call: Callable[[str], str], names: dict[str, Any]) -> str:
    """A line of arguments with what comes of them."""
    if not given.startswith("`"):
        return f"{given} {call(given)}"
    value = eval(given[1:-1], names)
    return f"{given} {call(bytes(value).decode() if isinstance(value, msgspec.Raw) else json.dumps(value))}"


def caller(kind: str, body: str, names: dict[str, Any], *, lenient: bool) -> Callable[[str], str]:
    """What calls with arguments, as JSON, and tells what came of them."""
    if kind == "form":  # where a revision would ask again for what does not fit, there is no end to it
        return lambda raw: ask(body, names, REVISIONS[0], lambda _: {"action": "accept", "content": json.loads(raw)})
    server = Server("s", "1", lenient_arguments=lenient)
    try:
        if kind == "prompt":
            server.prompt(name="tool")(function(body, None, names))
        elif kind == "input schema":
            server.tool(input_schema=eval(body, names))(function("**others", None, names))
        else:
            server.tool(function(f"it: {body}" if kind == "hint" else body, None, names))
    except AuthorError:
        return lambda raw: "!! (refused)"
    method = "prompts/get" if kind == "prompt" else "tools/call"

    def call(raw: str) -> str:
        arguments = f'{{"it": {raw}}}' if kind == "hint" else raw
        params = f'{{"name": "tool", "arguments": {arguments}, "_meta": {json.dumps(meta_of(REVISIONS[-1]))}}}'
        answer = server.handle(f'{{"jsonrpc": "2.0", "id": 1, "method": "{method}", "params": {params}}}'.encode())
        assert answer is not None
        message = json.loads(answer)
        return tell_result(message["result"]) if "result" in message else tell_error(message["error"])

    return call


def ask(body: str, names: dict[str, Any], revision: str, answer: Callable[[Any], Any]) -> str:
    """What comes of asking for a form."""
    server, form = Server("s", "1"), eval(body, names)

    @server.tool
    def tool(context: Context) -> str:
        found = context.elicit("?", form)
        return repr(found.data)

    client = Client(server, revision, answers={"elicitation/create": answer})
    return tell_result(client.request("tools/call", {"name": "tool", "arguments": {}}))


def tell_result(result: dict[str, Any]) -> str:
    [content] = [one["content"] for one in result["messages"]] if "messages" in result else result["content"]
    text = re.sub(r" at 0x[0-9a-f]+", "", content["text"])
    return complaint(text) if result.get("isError") else f"=> {brief(text, 300)}"


def tell_error(error: dict[str, Any]) -> str:
    return complaint(f"{error['code']}: {error['message']}")


def complaint(text: str) -> str:
    text = re.sub(r"incident [0-9a-f]{8}", "incident «incident»", text)
    return "!! " + text.replace("\n", "\n    !! ")


def brief(text: str, most: int) -> str:
    """A text that fits into a file, or its length and hash."""
    if len(text) <= most:
        return text
    return f"({len(text)} characters, SHA-256 {hashlib.sha256(text.encode()).hexdigest()[:16]})"
