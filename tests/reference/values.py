"""docs/reference/values.md: what each kind of value becomes, by policy and revision, found by sending it.

A tool with the hint beside an expression returns its value. This module contains no rules: every cell is what a
client received.
"""

import json
import logging
from collections.abc import Iterator
from typing import Any

import msgspec

from plainmcp import Policy, Server
from plainmcp.errors import NormalizeError
from plainmcp.revisions import REVISIONS
from plainmcp.testing import Client, RpcError
from plainmcp.values.normalize import normalize_tool_result

from . import samples
from .markdown import code, headed, table

__all__ = ["page"]

_INTRO = """\
What a tool, a resource or a prompt returns, and what a client receives. Every cell on this page comes from running
the code: a function with the hint shown returns the expression, with each of the six [profiles](policy.md), to a
client of each of the five [revisions](revisions.md). Equal rows are shown as one row.

Texts are shown without JSON quotes, other blocks as JSON. `(none)` under *content* is
`"content": []`; an empty cell under *structured content* means that there is no such field. The names the
expressions use are at the [end](#the-names-used)."""

_DATA = """\
## Inside data

How a value is written inside data, such as `{"value": …}`. These forms are the same with every profile, unless the
last column says otherwise. A value that is *refused* makes the whole result an error
with the path shown. Arrays and objects may nest 100 levels deep, on every version of Python."""

_TABLES = """\
## Tables and arrays

Tables and arrays of numpy, pandas, polars and pyarrow are data, with their labels. So are rows of sqlite3, SQLAlchemy
and asyncpg, with the names of their columns. A lazy frame of polars is collected. An object of SQLModel that a commit
has expired is loaded again; where that is not possible any more, it is refused.

- A table is a list of rows, each an object. Two columns with the same name are refused.
- An index of pandas is data. It comes first in each row, one column for each of its levels. Only the default index of
  pandas is left out: a `RangeIndex` from 0 in steps of 1, without a name. A level that has no name,
  or the name of a column, is called `index`; of several levels, `level_0`, `level_1` and so on.
- Columns of several levels are joined by dots: `high.max`. If one of several levels has a name, it is part of the
  column's name: `high.city=Oslo`.
- A Series is a list. One with an index is an object if its labels are texts that do not repeat and the index has no
  name. Any other is a list of rows, in which the column of values has the name of the Series, or is called `value`.
- A missing value (`NaN`, `NaT`, `NA`, `None`) is null. Times finer than a microsecond keep all their digits. A
  `datetime64` whose unit is a day or longer is a date.
- An array of another package is a list if it has numbers and no labels (it supports DLPack and has `tolist`). Other
  tables and arrays are refused, because their text shows only a part of them."""

_ITERABLES = """\
## What can be iterated

Iterating over a value does not always give all that it holds: of an email it gives the names of the headers. So a
value that can be iterated becomes:

- a list, if it is an iterator, a sequence, a set or a view of a dict; if its class has neither a `__str__` nor a
  `__repr__`; or if it is like a sequence, with `__len__` and `__getitem__` and no `__str__`, as a query of Django is.
- an object, if it is a mapping, or has `keys` and no text of its own. A name with several values, as headers may have
  them, has the list of them.
- a string, if it is a text that is made when it is read, such as `gettext_lazy` of Django.
- its text in any other case: that of `__str__`, or a `__repr__` that is not in angle brackets. As for
  [other classes](../how-to/your-own-types.md#objects-of-other-classes), a text of this kind is no data.
- refused, with its path, if it has no such text, as an element of lxml.

Of some packages the objects have a form of their own. A graph of networkx is an object with `nodes` and `edges`, as
its `node_link_data` gives it. A lazy object of Django is the object behind it. The parts of a plotly figure are
objects. A query of SQLAlchemy is the list of its rows, and a `SimpleCookie` is its headers."""

_PICTURES = """\
## Pictures

A `PIL.Image`, a matplotlib `Figure` and a plotly figure (if kaleido is installed) become an image wherever an `Image`
is allowed: returned alone, in a list beside text, in a `ToolResult`, from a resource, in a prompt. For matplotlib
`Axes` the whole figure is sent, with all that stands out of it. Inside data they are refused, as an `Image` is.

- They are sent as PNG. An image that was opened from a JPEG file stays a JPEG of the same quality; an image made
  from it, by `resize` for example, is PNG. Of an animation, the current frame is sent. Metadata such as EXIF is not
  sent.
- CMYK, YCbCr, HSV and LAB are converted to RGB. Mode `F`, and mode `I` with numbers that need more than 16 bits, are
  refused, because their numbers are not colours.
- A resource that declares a `mime_type` is written as that type, for example a figure as `image/svg+xml`."""

_TOOLS = """\
## From a tool

The first line of each part is the expression, and the hint of the function that returns it."""

_RESOURCES = """\
## From a resource

A function registered with `@server.resource("memo://1")`, so without a MIME type, except where one is shown."""

_PROMPTS = """\
## From a prompt"""

_HINTS = """\
## Which hints become an output schema

Every value is checked against the hint of its function; see [results](../how-to/results.md). If the hint becomes the
`outputSchema` of a tool, what is sent validates against it. The schema of a type that is not an object is wrapped as
`{"result": …}`, unless the profile sends such values without a wrapper and the revision allows that.
`output_schema=True` makes a schema from any hint, `False` makes none, and a dict is your own schema.

A declared type is also a filter, with or without a schema. Fields that it does not have are not sent: a tool
`-> PublicUser` that returns a `PrivateUser` with a password, or a dict with more keys, sends the fields of
`PublicUser`. This holds for dataclasses, TypedDicts, models, attrs classes and Structs, alone, in lists, in dicts and
nested, and for what a resource or a prompt returns. A dict that lacks a field with a default gets the default. A
model with `extra="allow"`, and a return that declares nothing, keep everything; `Policy.extra_fields="keep"` keeps
everything always."""


Sent = tuple[str, ...]
"""What one client received, as cells."""


def page() -> str:
    """The page."""
    return headed(
        "Values",
        _INTRO,
        _DATA,
        table(["value", "JSON", "otherwise"], _data_rows(samples.DATA)),
        _TABLES,
        table(["value", "JSON", "otherwise"], _data_rows(samples.TABLES)),
        _ITERABLES,
        table(["value", "JSON", "otherwise"], _data_rows(samples.ITERABLES)),
        _PICTURES,
        _TOOLS,
        *_parts(samples.TOOLS, _tool, "content", "structured content"),
        _HINTS,
        table(["hint", *Policy.profiles], _hint_rows()),
        _RESOURCES,
        *_parts(samples.RESOURCES, _resource, "contents"),
        _PROMPTS,
        *_parts(samples.PROMPTS, _prompt, "messages"),
        "## The names used",
        f"```python\n{samples.source()}```",
    )


# Inside data --------------------------------------------------------------------------------------


def _data_rows(expressions: list[str]) -> Iterator[list[str]]:
    for expression in expressions:
        by_form: dict[str, list[str]] = {}
        for policy in Policy.profiles:  # the first is standard
            by_form.setdefault(_inside(expression, policy), []).append(f"`{policy}`")
        usual, *others = by_form
        yield [code(expression), usual, "; ".join(f"{', '.join(by_form[form])}: {form}" for form in others)]


def _inside(expression: str, policy: str) -> str:
    data = Policy.of(policy).replace(structured="always")  # so that it can be seen
    try:
        result = normalize_tool_result({"value": samples.value(expression)}, policy=data)
    except NormalizeError as error:
        return f"*refused:* {code(str(error))}"
    if not isinstance(result.structuredContent, dict):
        return f"*no data, only a text:* {code(msgspec.to_builtins(result.content[0])['text'])}"
    if "value" not in result.structuredContent:
        return "*left out*"
    return code(_json(result.structuredContent["value"]))


# By policy and revision ---------------------------------------------------------------------------


def _parts(given: list[samples.Sample], send: Any, *heads: str) -> Iterator[str]:
    for sample in given:
        said = f" {sample.said}" if sample.said else ""
        yield f"### {code(sample.expression)}{said}"
        if sample.note:
            yield sample.note
        yield table(["profile", "revision", *heads], _rows(sample, send))


def _rows(sample: samples.Sample, send: Any) -> Iterator[list[str]]:
    """A row for each distinct response, with its profiles and revisions."""
    by_policy: dict[tuple[Sent, ...], list[str]] = {}
    for policy in Policy.profiles:
        sent = tuple(send(sample, policy, revision) for revision in REVISIONS)
        by_policy.setdefault(sent, []).append(policy)
    for sent, policies in by_policy.items():
        shown = "all" if len(policies) == len(Policy.profiles) else ", ".join(f"`{name}`" for name in policies)
        for one in dict.fromkeys(sent):
            where = [name for name, other in zip(REVISIONS, sent, strict=True) if other == one]
            yield [shown, _spoken(where), *one]
            shown = ""


def _spoken(where: list[str]) -> str:
    names = list(REVISIONS)
    if where == names:
        return "all"
    if len(where) > 1 and where == names[-len(where) :]:
        return f"from {where[0]}"
    if len(where) > 1 and where == names[: len(where)]:
        return f"to {where[-1]}"
    return ", ".join(where)


class _Heard(logging.Handler):
    """What is logged for the author while a value is sent."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(record.getMessage())


def _tool(sample: samples.Sample, policy: str, revision: str) -> Sent:
    server = Server("values", policy=policy)
    server.tool(name="value")(sample.function())
    heard, log = _Heard(), logging.getLogger("plainmcp")
    log.addHandler(heard)
    kept, log.propagate = log.propagate, False
    try:
        result = Client(server, revision).call("value")
    finally:
        log.removeHandler(heard)
        log.propagate = kept
    if heard.said:
        return f"*refused:* {code(heard.said[0].partition(': ')[2])}", ""
    blocks = [_block(block) for block in result["content"]]
    flag = "*isError*<br>" if result.get("isError") else ""
    structured = code(_json(result["structuredContent"])) if "structuredContent" in result else ""
    return flag + ("<br>".join(blocks) or "(none)"), structured


def _block(block: dict[str, Any]) -> str:
    if block.keys() == {"type", "text"}:
        return f"text {code(block['text'])}" if block["text"] else "text (empty)"
    return code(_json(block))


def _resource(sample: samples.Sample, policy: str, revision: str) -> Sent:
    server = Server("values", policy=policy)
    server.resource("memo://1", mime_type=sample.mime_type)(sample.function())
    try:
        result = Client(server, revision).read("memo://1")
    except RpcError as error:
        return (f"*error {error.code}*",)
    return ("<br>".join(code(_json(one)) for one in result["contents"]),)


def _prompt(sample: samples.Sample, policy: str, revision: str) -> Sent:
    server = Server("values", policy=policy)
    server.prompt(name="value")(sample.function())
    try:
        result = Client(server, revision).get_prompt("value")
    except RpcError as error:
        return (f"*error {error.code}*",)
    told = [f"{one['role']}: {_block(one['content'])}" for one in result["messages"]]
    return ("<br>".join(told),)


def _hint_rows() -> Iterator[list[str]]:
    for hint in samples.HINTS:
        cells = [code(hint)]
        for policy in Policy.profiles:
            server = Server("values", policy=policy)
            server.tool(name="value")(samples.Sample("None", hint=hint).function())
            (tool,) = Client(server).list_tools()
            promised = tool.get("outputSchema")
            wrapped = promised is not None and list(promised.get("properties", {})) == ["result"]
            cells.append("" if promised is None else "wrapped" if wrapped else promised.get("type", "any"))
        yield cells


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
