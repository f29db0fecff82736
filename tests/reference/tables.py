"""docs/reference/policy.md and revisions.md: the fields of Policy and the rows of the revisions, as tables.

The descriptions are the comments beside the fields.
"""

from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from plainmcp import Policy
from plainmcp.revisions import HTTP_DEFAULT, LATEST, LATEST_HANDSHAKE, REVISIONS, Content, Revision

from .markdown import code, comments, headed, table, words

__all__ = ["policy_page", "revisions_page"]

# Policy -------------------------------------------------------------------------------------------

_POLICY = """\
A policy decides how returned values become results: it has one field for each question that real systems answer
differently. A server has a policy, a tool may have its own, and the functions that normalize a value take one. Name
a profile, or change a field of one:

```python
from plainmcp import Policy, Server

lean = Server("a", policy="lean")
own = Server("b", policy=Policy.standard.replace(json_style="compact", bytes_as="media"))

@own.tool(policy="kubernetes")
def pods() -> list[str]:
    return ["web", "db"]
```

For their effect on values, see [values](values.md)."""

_PROFILES = """\
## The profiles

What each profile answers. **Bold** is where it differs from `standard`."""

_QUESTIONS = """\
## The questions

The first answer is the default."""


def policy_page() -> str:
    """The page of the policy fields."""
    return headed(
        "Policy",
        _POLICY,
        _PROFILES,
        table(["field", *(f"`{name}`" for name in Policy.profiles)], _profile_rows()),
        _QUESTIONS,
        table(["field", "question", "answers"], _question_rows()),
    )


def _profile_rows() -> Iterator[list[str]]:
    for field in msgspec.structs.fields(Policy):
        usual = getattr(Policy.standard, field.name)
        answers = [getattr(Policy.of(name), field.name) for name in Policy.profiles]
        yield [code(field.name), *(_answer(one) if one == usual else f"**{_answer(one)}**" for one in answers)]


def _question_rows() -> Iterator[list[str]]:
    said = comments(Policy, above=True)
    hints = get_type_hints(Policy)
    for field in msgspec.structs.fields(Policy):
        hint, default = hints[field.name], field.default
        possible: tuple[Any, ...] = (default, not default) if hint is bool else (default,)
        if get_origin(hint) is Literal:
            possible = (default, *(one for one in get_args(hint) if one != default))
        answers = ", ".join(code(_answer(one)) for one in possible)
        question = words(said, field.name)
        yield [code(field.name), question, answers if hint is not str else f"any text; {answers}"]


def _answer(value: Any) -> str:
    return value if isinstance(value, str) else repr(value)


# Revisions ----------------------------------------------------------------------------------------

_REVISIONS = f"""\
A revision of the protocol has a date as its name. A server supports all of them at once. If the client's revision
does not have a kind of content, another takes its place if possible: data becomes text, a link becomes a line,
audio becomes an embedded file.

- A client that starts with `initialize` gets the revision it asks for. If that is unknown, or has no handshake,
  it gets {LATEST_HANDSHAKE.name}.
- A client of {LATEST.name} has no handshake: each of its requests names the revision in `_meta`.
- An HTTP client that does not name a revision gets {HTTP_DEFAULT.name}.
- `server.handle(message, revision=…)` sets the revision of a message that does not name it. If you serve HTTP
  yourself, `plainmcp.revisions.http_status(response, revision)` is the status of the response."""

_CARRIES = """\
## What each revision has"""

_METHODS = """\
## Methods of each revision"""


def revisions_page() -> str:
    """The page of the revisions."""
    names = list(REVISIONS)
    return headed(
        "Revisions, field by field",
        _REVISIONS,
        _CARRIES,
        table(["field", "what it is", *names], _revision_rows()),
        _METHODS,
        table(["method", *names], _method_rows()),
    )


def _revision_rows() -> Iterator[list[str]]:
    revisions = list(REVISIONS.values())
    for field in msgspec.structs.fields(Revision):
        if field.name == "content":
            yield from _fact_rows(Content, [revision.content for revision in revisions], "content.")
        elif field.name not in ("name", "methods"):
            yield from _fact_rows(Revision, revisions, only=field.name)


def _fact_rows(kind: type, rows: list[Any], prefix: str = "", only: str = "") -> Iterator[list[str]]:
    said = comments(kind)
    for name in (only,) if only else kind.__struct_fields__:
        yield [code(prefix + name), words(said, name), *(_fact(getattr(row, name)) for row in rows)]


def _fact(value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else ""
        case tuple():
            return ", ".join(map(str, value))
        case frozenset():
            return ", ".join(sorted(value))
    return str(value)


def _method_rows() -> Iterator[list[str]]:
    known = sorted({method for revision in REVISIONS.values() for method in revision.methods})
    for method in known:
        yield [code(method), *("yes" if method in revision.methods else "" for revision in REVISIONS.values())]
