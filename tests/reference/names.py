"""docs/reference/context.md and names.md: what a handler may ask for, and every other name, from their docstrings."""

import inspect
from collections.abc import Iterator
from typing import Any

import plainmcp
from plainmcp import Context, auth, context, errors, questions, testing, types

from .markdown import code, first_line, headed, table
from .signatures import calls, explained, full_signature, signature

__all__ = ["context_page", "names_page"]

# The context --------------------------------------------------------------------------------------

_CONTEXT = """\
A parameter of type `Context` is not an argument of the tool: plainmcp sets it, and the client does not see it.

```python
from dataclasses import dataclass

from plainmcp import Context, Server

server = Server("shop")


@dataclass
class Address:
    street: str
    city: str


@server.tool
def order(item: str, ctx: Context) -> str:
    ctx.progress(1, 2, "asking for the address")
    answer = ctx.elicit("Where should it go?", Address)
    return f"{item} goes to {answer.data.city}" if answer.accepted else "Not ordered."
```

In an `async def` function, await the methods that ask; `progress` and `log` may be awaited or not. On the revisions
with a handshake a question is a request to the client, and the function waits. On 2026-07-28 a question ends the
run: the client calls again with the answer, and the function runs again from the start. So code above a question
runs twice; put what must happen only once below it."""


def context_page() -> str:
    """The page of the context."""
    facts = [name for name, value in vars(Context).items() if isinstance(value, property)]
    methods = [name for name, value in vars(Context).items() if inspect.isfunction(value) and name[0] != "_"]
    methods.remove("finish")  # the server calls it
    asking = methods.index("elicit")
    answers = ("Elicited", "Elicit", "ElicitUrl", "Sample", "ListRoots")
    return headed(
        "Context",
        _CONTEXT,
        "## Facts",
        table(
            ["attribute", "what it is"], ([code(f"ctx.{name}"), first_line(getattr(Context, name))] for name in facts)
        ),
        "## Sending",
        "Messages that the client did not ask for are not sent.",
        calls(Context, methods[:asking], "ctx"),
        f"The levels are {', '.join(code(level) for level in context.LOG_LEVELS)}.",
        "## Asking",
        "If a client cannot answer, or its revision has no such question, the call fails with what it needs.",
        calls(Context, methods[asking:], "ctx"),
        "## Questions and answers",
        "In `plainmcp.questions`. `elicit` returns the first, `ask` takes the others.",
        table(
            ["name", "what it is"],
            (
                [code(signature(getattr(questions, name), name)), first_line(getattr(questions, name))]
                for name in answers
            ),
        ),
    )


# Everything else ----------------------------------------------------------------------------------

_NAMES = """\
The names in `plainmcp` other than the [server](server.md), the [context](context.md), the [policy](policy.md) and
`ToolError`, which is on the page of the [errors](errors.md). The names in `plainmcp` and in `plainmcp.types` stay
from release to release; other modules may change."""

_KINDS = {
    "Results built step by step": ("ToolResult", "ResourceResult", "PromptResult", "structured", "full", "text"),
    "Parameters": ("Depends",),
    "Media": ("Image", "Audio", "File"),
    "A value without a server": ("normalize_tool_result", "normalize_resource_payload", "normalize_prompt_result"),
}
_FIXTURE = """\
A fixture for pytest: a Client of the fixture `server`, once for each revision. If there is a fixture `answers`, it
has the answers to questions of the server. Import it into a file of tests, or into `conftest.py`: see
[Testing](../how-to/testing.md)."""
_ELSEWHERE = {"Context", "Policy", "Server", "ToolError"}


def names_page() -> str:
    """The page of the other names."""
    shown = {name for names in _KINDS.values() for name in names} | _ELSEWHERE
    if shown != set(plainmcp.__all__):
        raise AssertionError(f"not on any page, or gone: {shown ^ set(plainmcp.__all__)}")
    wanted = ", ".join(name for names in _KINDS.values() for name in names)
    parts = [_NAMES, f"```python\nfrom plainmcp import {wanted}\n```"]
    for title, names in _KINDS.items():
        parts.append(f"## {title}")
        for name in names:
            parts += _thing(name, getattr(plainmcp, name))
    parts += ["## plainmcp.auth", "Verifiers of keys and tokens: see [Authorization](../how-to/authorization.md)."]
    for name in auth.__all__:
        parts += _thing(name, getattr(auth, name))
    parts += ["## plainmcp.testing", *_thing("Client", testing.Client), *_thing("RpcError", testing.RpcError)]
    parts += _thing("assert_valid_on_every_revision", testing.assert_valid_on_every_revision)
    parts += ["### client", _FIXTURE]
    words = ", ".join(code(name) for name in sorted(types.__all__))
    parts += [
        "## plainmcp.types",
        "The types of the protocol, with its field names, as msgspec Structs:",
        words + ".",
    ]
    parts += ["## plainmcp.errors", ", ".join(code(name) for name in errors.__all__) + ": see [errors](errors.md)."]
    return headed("Other names", *parts)


def _thing(name: str, thing: Any) -> Iterator[str]:
    yield f"### {name}\n\n```text\n{full_signature(thing, name)}\n```"
    yield explained(thing)
    if inspect.isclass(thing) and not issubclass(thing, Exception):
        methods = [key for key, value in vars(thing).items() if inspect.isfunction(value) and key[0] != "_"]
        if methods:
            yield calls(thing, methods, "")
