"""Any ordinary Python value a handler may return, and a few it should not, as Hypothesis strategies."""

import enum
import types
from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, UserString, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any, NamedTuple, TypedDict

import attrs
import msgspec
import numpy
import pydantic
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from plainmcp import Audio, File, Image, PromptResult, ResourceResult, ToolResult
from plainmcp.types import (
    Annotations,
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    EmbeddedResource,
    GetPromptResult,
    Icon,
    ImageContent,
    PromptMessage,
    ReadResourceResult,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

__all__ = ["data", "handed_back", "mixed", "prompts", "resources", "values"]

PNG = b"\x89PNG\r\n\x1a\n"
WAV = b"RIFF\x24\x00\x00\x00WAVEfmt "

# Classes ------------------------------------------------------------------------------------------


@dataclass
class Record:
    first: Any
    second: Any = None


@dataclass(frozen=True, slots=True)
class Slotted:
    name: Any
    inner: Any = ()


@dataclass
class Renamed:
    """A wire name in the metadata, and a field that stays at home."""

    wire_name: Any = field(metadata={"json": "wireName"})
    secret: Any = field(default="secret", metadata={"json": "-"})
    other: Any = field(default=0, metadata={"unit": "kg"})


class Named(NamedTuple):
    key: Any
    value: Any


class Row(TypedDict):
    name: Any
    rank: Any


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Mode(enum.IntFlag):
    READ = 1
    WRITE = 2


class Odd(enum.Enum):
    """Members whose values are themselves in need of a rule."""

    PAIR = (1, "a")
    NOTHING = None
    NOT_A_NUMBER = float("nan")
    WHEN = datetime(2026, 7, 28, 12, 0)


class Closed(BaseModel):
    """Made of such parts only that pydantic's own encoder writes it."""

    number: int = 0
    ratio: float = 0.0
    name: str = ""
    tags: list[str] = []
    scores: dict[str, float] = {}
    inner: "Closed | None" = None
    when: datetime | None = None


class Open(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True, extra="allow")
    anything: Any = None


class Aliased(BaseModel):
    model_config = ConfigDict(populate_by_name=True)
    user_name: str = Field(default="", alias="userName")
    seen_at: Any = Field(default=None, serialization_alias="seenAt")

    @pydantic.computed_field  # type: ignore[prop-decorator]
    @property
    def length(self) -> int:
        return len(self.user_name)


class Loose(BaseModel):
    names: set[str] = set()
    ids: frozenset[int] = frozenset()
    blob: bytes = b""
    by_number: dict[int, str] = {}


class Root(pydantic.RootModel[list[int]]):
    pass


@pydantic.dataclasses.dataclass
class Checked:
    number: int = 0
    label: str = Field(default="", serialization_alias="theLabel")


@attrs.define
class Attributes:
    left: Any
    right: Any = None
    _private: int = 7


class Plain(msgspec.Struct):
    one: Any
    two: Any = None


class Camel(msgspec.Struct, rename="camel", omit_defaults=True):
    first_name: Any = ""
    last_name: Any = None


class Tagged(msgspec.Struct, tag="tagged", tag_field="kind"):
    inner: Any


class Array(msgspec.Struct, array_like=True):
    x: Any
    y: Any


class Text(str):
    __slots__ = ()


class Number(int):
    pass


class Huge(int):
    """Too long to be a JSON number; Python itself refuses to print it."""

    def __repr__(self) -> str:
        return "Huge"


class Ratio(float):
    pass


class Listed(list):  # type: ignore[type-arg]
    pass


class Mapped(dict):  # type: ignore[type-arg]
    pass


class View(Mapping[Any, Any]):
    """A mapping that is no dict."""

    def __init__(self, inner: dict[Any, Any]) -> None:
        self.inner = inner

    def __getitem__(self, key: Any) -> Any:
        return self.inner[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.inner)

    def __len__(self) -> int:
        return len(self.inner)

    def __repr__(self) -> str:
        return f"View({self.inner!r})"


class Iterable:
    """Something to iterate over, as often as one likes."""

    def __init__(self, items: list[Any]) -> None:
        self.items = items

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)

    def __repr__(self) -> str:
        return f"Iterable({self.items!r})"


class Converted:
    """Says itself what it is as data."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def __plain__(self) -> Any:
        return self.inner

    def __repr__(self) -> str:
        return f"Converted({self.inner!r})"


class Spoken:
    """No data, but a text."""

    def __init__(self, words: str) -> None:
        self.words = words

    def __str__(self) -> str:
        return self.words

    def __repr__(self) -> str:
        return f"Spoken({self.words!r})"


class Mute:
    """Neither data nor text."""

    def __str__(self) -> str:
        raise RuntimeError("no words")

    __repr__ = object.__repr__


# Scalars ------------------------------------------------------------------------------------------

clean_text = st.text(max_size=12)
# Any code point, lone surrogates and control characters among them, and texts that look like JSON.
text = st.one_of(
    clean_text,
    st.text(st.characters(exclude_categories=()), max_size=8),
    st.sampled_from(
        ["", "\x00", "\x1f\x7f", "\u2028", '"', "\\", "null", "[1, 2]", '{"a": 1}', "\ud800", "𝄞", "NaN"]
    ),
)
numbers = st.one_of(
    st.integers(),
    st.floats(),
    st.booleans(),
    st.sampled_from([2**53 + 1, -(2**63), 2**64, 10**40, Huge(-(10**5000)), 1e308, 5e-324, -0.0]),
    st.just(4299).map(lambda digits: 10**digits),
)
moments = st.one_of(
    st.datetimes(timezones=st.none() | st.timezones()),
    st.dates(),
    st.times(),
    st.timedeltas(),
)
enums = st.sampled_from([*Colour, *Level, *Mode, Mode.READ | Mode.WRITE, Mode(0), *Odd])
small_bytes = st.one_of(st.binary(max_size=8), st.sampled_from([PNG, WAV, b"\xff\xfe", b"text"]))
hashables = st.one_of(
    st.none(),
    text,
    numbers,
    moments,
    enums,
    st.uuids(),
    st.decimals().filter(lambda number: not number.is_snan()),
    st.fractions(),
    small_bytes,
    st.ip_addresses(),
    st.builds(PurePosixPath, clean_text.filter(lambda t: "\x00" not in t)),
    st.just(PureWindowsPath("C:/Users/x")),
    st.builds(Text, text),
    st.builds(Number, st.integers()),
    st.builds(Ratio, st.floats()),
    st.builds(Named, text, numbers),
    st.tuples(numbers, text),
)
strangers = st.one_of(
    st.builds(Spoken, text),
    st.builds(object),
    st.builds(Mute),
    st.complex_numbers(),
    st.sampled_from([..., NotImplemented, int, len, enum, Ellipsis, print]),
)
scalars = st.one_of(
    hashables,
    st.builds(bytearray, small_bytes),
    st.builds(memoryview, small_bytes),
    st.builds(UserString, clean_text),
    st.builds(numpy.float64, st.floats()),
    st.builds(numpy.int64, st.integers(-(2**63), 2**63 - 1)),
    st.just(numpy.bool_(True)),
    st.just(numpy.datetime64("2026-07-28")),
    st.builds(lambda items: numpy.array(items, dtype=float), st.lists(st.floats(), max_size=3)),
)

# Values -------------------------------------------------------------------------------------------

_keys = st.one_of(
    clean_text,
    clean_text,
    text,
    st.integers(-9, 9),
    st.floats(),
    st.dates(),
    enums,
    st.tuples(st.integers(0, 1)),
    st.sampled_from([1, "1", 1.5, True, "true", None, "null", "name", "first_name", "firstName"]),
)
_closed = st.deferred(
    lambda: st.builds(
        Closed,
        number=st.integers(),
        ratio=st.floats(),
        name=clean_text,
        tags=st.lists(clean_text, max_size=2),
        scores=st.dictionaries(clean_text, st.floats(), max_size=2),
        inner=st.none() | st.just(Closed(name="inner")),
        when=st.none() | st.datetimes(),
    )
)
_loose = st.builds(
    Loose,
    names=st.sets(clean_text, max_size=3),
    ids=st.frozensets(st.integers(), max_size=3),
    blob=small_bytes,
    by_number=st.dictionaries(st.integers(), clean_text, max_size=2),
)


def _containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    lists = st.lists(inner, max_size=4)
    dicts = st.dictionaries(_keys, inner, max_size=4)
    rows = st.lists(st.fixed_dictionaries({"name": clean_text, "rank": numbers}), max_size=3)
    return st.one_of(
        lists,
        dicts,
        st.dictionaries(clean_text, inner, max_size=4),
        st.builds(tuple, lists),
        st.sets(hashables, max_size=4),
        st.frozensets(hashables, max_size=4),
        st.builds(deque, lists),
        st.builds(range, st.integers(-3, 3), st.integers(-3, 3)),
        st.builds(Listed, lists),
        st.builds(Mapped, dicts),
        st.builds(OrderedDict, dicts),
        st.builds(View, dicts),
        st.builds(UserDict, st.dictionaries(clean_text, inner, max_size=2)),
        st.builds(UserList, lists),
        st.builds(ChainMap, dicts, dicts),
        st.builds(types.MappingProxyType, dicts),
        st.builds(Counter, st.lists(clean_text, max_size=4)),
        st.builds(lambda d: d.values(), dicts),
        st.builds(lambda d: d.keys(), dicts),
        st.builds(lambda d: d.items(), dicts),
        st.builds(Iterable, lists),
        rows,
        st.builds(lambda r: {"items": r}, rows),
        st.builds(Record, inner, inner),
        st.lists(st.builds(Record, numbers, text), max_size=3),
        st.builds(Slotted, inner, inner),
        st.builds(Renamed, inner),
        st.builds(Named, inner, inner),
        st.builds(lambda name, rank: Row(name=name, rank=rank), inner, inner),
        st.builds(Open, anything=inner, extra=inner),
        st.builds(Aliased, userName=clean_text, seen_at=inner),
        st.builds(Attributes, inner, inner),
        st.builds(Plain, inner, inner),
        st.builds(Camel, inner, inner),
        st.builds(Tagged, inner),
        st.builds(Array, inner, inner),
        st.builds(Converted, inner),
        st.lists(_closed, max_size=3),
        st.builds(lambda rows: {"rows": rows}, st.lists(_closed, max_size=2)),
    )


_models = st.one_of(
    _closed,
    _loose,
    st.builds(Root, st.lists(st.integers(), max_size=3)),
    st.builds(Checked, number=st.integers(), label=clean_text),
)

data = st.deferred(lambda: st.recursive(scalars | _models, _containers, max_leaves=8))
"""Data: what is to be JSON."""

# Content ------------------------------------------------------------------------------------------

_words = st.one_of(st.none(), clean_text.filter(bool))
_base64 = st.sampled_from(["", "AA==", "iVBORw0KGgo=", "UklGRg=="])
_metas = st.none() | st.dictionaries(clean_text, st.integers() | clean_text | st.floats(), max_size=2)
_annotations = st.none() | st.builds(
    Annotations,
    audience=st.none() | st.lists(st.sampled_from(["user", "assistant"]), max_size=2),
    priority=st.none() | st.floats(0, 1),
    lastModified=st.sampled_from([None, "2026-07-28T00:00:00Z"]),
)
_shared: dict[str, Any] = {"annotations": _annotations, "_meta": _metas}
_icons = st.none() | st.lists(
    st.builds(Icon, src=st.just("https://example.com/i.png"), mimeType=st.sampled_from([None, "image/png"])),
    max_size=2,
)
_uris = st.sampled_from(["memo://1", "file:///tmp/notes.md", "https://example.com/a?b=c"])
_extras: dict[str, Any] = {
    "name": _words,
    "title": _words,
    "mimeType": st.sampled_from([None, "text/markdown"]),
}
_contents = st.one_of(
    st.builds(TextResourceContents, uri=_uris, text=text, **_extras, **_shared),
    st.builds(BlobResourceContents, uri=_uris, blob=_base64, **_extras, **_shared),
)
_wire_blocks = st.one_of(
    st.builds(TextContent, text=text, **_shared),
    st.builds(ImageContent, data=_base64, mimeType=st.just("image/png"), **_shared),
    st.builds(AudioContent, data=_base64, mimeType=st.just("audio/wav"), **_shared),
    st.builds(
        ResourceLink,
        uri=_uris,
        name=clean_text,
        title=_words,
        description=_words,
        mimeType=st.sampled_from([None, "text/plain"]),
        size=st.none() | st.integers(0, 10**6),
        icons=_icons,
        **_shared,
    ),
    st.builds(EmbeddedResource, resource=_contents, **_shared),
)
_media = st.one_of(
    st.builds(Image, data=st.just(PNG), annotations=_annotations),
    st.builds(Audio, data=st.just(WAV), annotations=_annotations),
    st.builds(File, data=small_bytes, name=st.sampled_from(["a.md", "b.bin", "c.pdf"]), annotations=_annotations),
    st.just(Image("no-such-file.png")),
)
blocks = st.one_of(_wire_blocks, _media, _contents)
_lists = st.lists(blocks | small_bytes | clean_text | data, max_size=4)
mixed = st.one_of(
    blocks,
    _lists,
    st.builds(tuple, _lists),
    st.builds(deque, _lists),
    st.lists(_lists, max_size=2),
    st.dictionaries(clean_text, blocks, min_size=1, max_size=2),
    st.builds(Record, blocks),
)
"""Content, by itself, among data where it belongs, and inside data where it does not."""

handed_back = st.one_of(
    st.builds(CallToolResult, content=st.lists(_wire_blocks, max_size=3), structuredContent=data, _meta=_metas),
    st.builds(ToolResult, st.none() | _lists, data, meta=_metas, is_error=st.booleans()),
    st.builds(lambda payload, structured: (payload, structured), data | blocks, st.dictionaries(clean_text, data)),
    st.builds(
        lambda content, structured: {"content": content, "structuredContent": structured},
        st.lists(st.builds(lambda words: {"type": "text", "text": words}, text), max_size=2),
        data,
    ),
)
"""Results an author made by hand."""

values = st.one_of(data, data, mixed, handed_back, strangers, _containers(data | strangers))
"""Anything at all."""

resources = st.one_of(
    values,
    st.builds(ReadResourceResult, contents=st.lists(_contents, max_size=2), _meta=_metas),
    st.builds(ResourceResult, st.lists(_contents | data | small_bytes, max_size=3), meta=_metas),
    st.builds(lambda words, more: {"text": words, **more}, text, st.dictionaries(clean_text, data, max_size=1)),
    st.builds(lambda words: {"blob": words, "mimeType": "image/png"}, _base64),
)

_roles = st.sampled_from(["user", "assistant"])
_messages = st.one_of(
    st.builds(PromptMessage, role=_roles, content=_wire_blocks),
    st.tuples(text | blocks, _roles),
    st.tuples(_roles, text),
    st.builds(lambda role, said: {"role": role, "content": said}, _roles, text | data),
)
prompts = st.one_of(
    values,
    _messages,
    st.lists(_messages | text | blocks, max_size=3),
    st.builds(GetPromptResult, messages=st.lists(st.builds(PromptMessage, role=_roles, content=_wire_blocks))),
    st.builds(PromptResult, st.lists(_messages | text, max_size=3), description=_words, meta=_metas),
)
