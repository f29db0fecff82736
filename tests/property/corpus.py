"""Values whose order in memory depends on the hash seed.

Run as a program, prints a digest for each: of what every policy makes of it, on every revision.
"""

import enum
import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import attrs
import msgspec
from pydantic import BaseModel

from plainmcp import Image, Policy
from plainmcp.errors import PlainMCPError
from plainmcp.protocol import project
from plainmcp.revisions import REVISIONS, Revision
from plainmcp.values.payload import Output
from plainmcp.values.prompt_result import prompt_result
from plainmcp.values.resource_result import resource_result
from plainmcp.values.tool_result import tool_result
from plainmcp.wire import codec

__all__ = ["CORPUS", "digests"]

WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"]


class Colour(enum.Enum):
    RED = "red"
    GREEN = "green"
    BLUE = "blue"


class Whole(enum.Enum):
    ONE = 1
    ZERO = 0


class Real(enum.Enum):
    """The same numbers in another notation: they compare equal, and are not the same JSON."""

    ONE = 1.0
    ZERO = -0.0


class Truth(enum.Enum):
    YES = True
    NO = False


@dataclass(frozen=True)
class Point:
    x: int
    label: str


@dataclass
class Holder:
    tags: set[str]


class Model(BaseModel):
    tags: set[str]
    ids: frozenset[str]
    inner: Any = None


@attrs.frozen
class Pair:
    left: str
    right: str


class Packed(msgspec.Struct):
    tags: frozenset[str]


CORPUS: list[Any] = [
    set(WORDS),
    frozenset(WORDS),
    {"tags": set(WORDS), "more": [set(WORDS), {"deep": frozenset(WORDS)}]},
    {word.encode() for word in WORDS},
    {1, 2.5, "a", None, b"x", (1, "b"), Colour.RED},
    set(Colour),
    {*Whole, *Real, *Truth},
    {frozenset(WORDS[:3]), frozenset(WORDS[3:5]), frozenset()},
    {Point(index, word) for index, word in enumerate(WORDS)},
    {Pair(word, word[::-1]) for word in WORDS},
    {(word, len(word)) for word in WORDS},
    Holder(set(WORDS)),
    [Holder({word, "z"}) for word in WORDS],
    Model(tags=set(WORDS), ids=frozenset(WORDS), inner={"set": set(WORDS)}),
    [Model(tags={word, "z"}, ids=frozenset(WORDS)) for word in WORDS],
    Packed(frozenset(WORDS)),
    Counter(WORDS + WORDS[:3]),
    {word: set(WORDS) for word in WORDS}.items(),
    {word: None for word in WORDS}.keys() & set(WORDS),
    ("see also", {"tags": set(WORDS)}),
    [Image(data=b"\x89PNG\r\n\x1a\n"), set(WORDS)],
    {"refused": [object()]},
]


def digests() -> list[str]:
    """One hash for each value of the corpus."""
    return [_digest(value) for value in CORPUS]


def _digest(value: Any) -> str:
    found = hashlib.sha256()
    for name in Policy.profiles:
        for revision in REVISIONS.values():
            for raw in _sent(value, Policy.of(name), revision):
                found.update(raw)
    return found.hexdigest()


def _sent(value: Any, policy: Policy, revision: Revision) -> Iterator[bytes]:
    try:
        normalized = tool_result(value, policy, output=Output(declared="hint"))
        yield codec.encode(project.tool_result(*normalized, revision, policy.wrap_key, policy.json_style))
        resource = resource_result("memo://1", None, value, policy)
        yield codec.encode(project.resource_result(resource, revision))
        prompt = prompt_result(value, policy)
        yield codec.encode(project.prompt_result(prompt, revision))
    except PlainMCPError as error:
        yield str(error).encode()


if __name__ == "__main__":
    print(*digests(), sep="\n")
