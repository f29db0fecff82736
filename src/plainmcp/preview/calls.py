"""One call with several policies on several revisions: the tool runs once, and its value becomes a result for each.

Knows how a call is copied and what is counted. The command line and the page call the copies in their own ways.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec

from ..policy import Policy
from ..protocol.core import Core
from ..protocol.features import ToolFeature
from ..revisions import Revision
from .copies import Once, with_policy

__all__ = ["CallPreview", "copies_of", "in_order", "policies_of", "read_preview", "tokens_of"]

S = TypeVar("S", bound=Core)


def tokens_of(characters: int) -> int:
    """A rough number of tokens that a model needs to read so many characters: four for each."""
    return -(-characters // 4)


@dataclass(frozen=True)
class CallPreview:
    """The result of one call with one policy on one revision."""

    policy: str | None  # None for a remote server, whose policy is not known
    revision: str
    result: dict[str, Any]
    data: str | None  # the structured content, as JSON
    raw: bytes  # the result, as it was sent
    bytes: int  # of the whole message

    @property
    def blocks(self) -> list[str]:
        """The kinds of its content blocks."""
        return [block["type"] for block in self.result.get("content", [])]

    @property
    def text(self) -> int:
        """The number of characters in its text."""
        texts = (
            block.get("text") or block.get("resource", {}).get("text") or ""
            for block in self.result.get("content", [])
        )
        return sum(map(len, texts))

    @property
    def tokens(self) -> int:
        """A rough number of tokens that a model needs to read it."""
        return tokens_of(self.text + len(self.data or ""))

    @property
    def failed(self) -> bool:
        """Whether it is an error."""
        return bool(self.result.get("isError"))

    def to_dict(self) -> dict[str, Any]:
        """The preview as a dict, for `--json`."""
        numbers = {"textCharacters": self.text, "structuredCharacters": len(self.data or "")}
        about = {"policy": self.policy, "revision": self.revision, "blocks": self.blocks, "shape": self.shape}
        return {**about, **numbers, "bytes": self.bytes, "approximateTokens": self.tokens, "result": self.result}

    @property
    def shape(self) -> str | None:
        """The outline of its structured content, if there is any."""
        return _shape_of(self.result["structuredContent"]) if self.data is not None else None

    @property
    def row(self) -> tuple[str, ...]:
        """A line of the table."""
        counts = Counter(self.blocks)
        content = ", ".join(f"{count} {kind}" for kind, count in counts.items()) or "none"
        numbers = (self.text, len(self.data or ""), self.bytes, self.tokens)
        content += " (error)" if self.failed else ""
        return self.revision, content, self.shape or "-", *(f"{number:,}" for number in numbers)


class _Structured(msgspec.Struct):
    structuredContent: msgspec.Raw = msgspec.Raw()


def read_preview(policy: str | None, revision: str, raw: bytes, size: int) -> CallPreview:
    """The preview of a result in JSON, which came in a message of `size` bytes."""
    data = bytes(msgspec.json.decode(raw, type=_Structured).structuredContent).decode() or None
    return CallPreview(policy, revision, msgspec.json.decode(raw), data, raw, size)


def policies_of(feature: ToolFeature, *, every: bool) -> dict[str, Policy]:
    """The policy of a tool by its name and, with `every`, all profiles after it."""
    own = next((name for name in Policy.profiles if Policy.of(name) == feature.policy), "of its own")
    profiles = {name: Policy.of(name) for name in Policy.profiles} if every else {}
    return {own: feature.policy} | profiles


def copies_of(
    server: S, tool: str, policies: Mapping[str, Policy], revisions: Sequence[Revision], principal: Any = None
) -> Iterator[tuple[str, S, Revision]]:
    """For each policy and revision, the name of the policy and a copy of the server that has it for one tool.

    The function of the tool runs in the first copy that is called, on the newest revision; the others have its value.
    `principal` is the caller, who may see tools that others do not.
    """
    feature = server.registry.tools.find(tool, principal)
    once = Once(feature).function if feature is not None else None
    for name, policy in policies.items():
        copy = with_policy(server, policy, tool, once)
        for revision in reversed(revisions):
            yield name, copy, revision


def in_order(
    previews: list[CallPreview], policies: Collection[str], revisions: Sequence[Revision]
) -> list[CallPreview]:
    """The previews in the order of the policies and revisions."""
    order = [revision.name for revision in revisions]
    names: list[str | None] = list(policies)
    return sorted(previews, key=lambda preview: (names.index(preview.policy), order.index(preview.revision)))


def _shape_of(value: Any) -> str:
    """The outline of structured content."""
    match value:
        case dict():
            keys = [f"{key}: {_shape_of(one)}" if isinstance(one, list) else str(key) for key, one in value.items()]
            return "{" + ", ".join(keys[:4]) + (", …" if len(keys) > 4 else "") + "}"
        case list():
            return f"{len(value)} items" if len(value) != 1 else "1 item"
        case str():
            return "string"
        case bool():
            return "boolean"
        case None:
            return "null"
    return "number"
