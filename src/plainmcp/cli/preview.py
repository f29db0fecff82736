"""What one call puts on the wire, revision by revision and policy by policy: its shape, its size, its text.

A tool in a file runs once: what it gave is turned into results by the same rules that serve it. A server elsewhere
is asked on each revision, and follows a policy of its own.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec

from ..policy import Policy
from ..revisions import Revision
from ..server import Server
from .client import Inside, Peer, PeerError, Unreachable
from .policy import Once, with_policy
from .show import block_lines, coloured, safe

__all__ = ["Bill", "asked", "bills", "report"]

Told = Callable[[str, dict[str, Any]], None]

_INCIDENT = re.compile(r"incident [0-9a-f]{8}")  # each has its own number, which says nothing here
_HEADS = ("revision", "content", "structured content", "text", "data", "bytes", "~tokens")
_NOTE = (
    "text and data in characters; bytes of the whole message; ~tokens is (text + data) / 4, which is a rough guess"
)
_ELSEWHERE = (
    "as the server answers: the tool ran once for each line. Its policy is its own, so there are revisions only"
)


# The bill -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bill:
    """What one call is under one policy on one revision."""

    policy: str | None  # of a server elsewhere nothing is known of it
    revision: str
    result: dict[str, Any]
    data: str | None  # the structured content, as it is written
    bytes: int

    @property
    def blocks(self) -> list[str]:
        """The kinds of its content blocks."""
        return [block["type"] for block in self.result.get("content", [])]

    @property
    def text(self) -> int:
        """The characters of its text."""
        held = (
            block.get("text") or block.get("resource", {}).get("text") or ""
            for block in self.result.get("content", [])
        )
        return sum(map(len, held))

    @property
    def tokens(self) -> int:
        """About as many tokens as a model needs to read all of it."""
        return -(-(self.text + len(self.data or "")) // 4)

    @property
    def failed(self) -> bool:
        """Whether it is an error."""
        return bool(self.result.get("isError"))

    def plain(self) -> dict[str, Any]:
        """The same for machines."""
        numbers = {"textCharacters": self.text, "structuredCharacters": len(self.data or "")}
        known = {"policy": self.policy, "revision": self.revision, "blocks": self.blocks, "shape": self.shape}
        return {**known, **numbers, "bytes": self.bytes, "approximateTokens": self.tokens, "result": self.result}

    @property
    def shape(self) -> str | None:
        """What its structured content is, if there is any."""
        return _shape(self.result["structuredContent"]) if self.data is not None else None

    @property
    def row(self) -> tuple[str, ...]:
        """A line of the table."""
        counts = Counter(self.blocks)
        content = ", ".join(f"{count} {kind}" for kind, count in counts.items()) or "none"
        numbers = (self.text, len(self.data or ""), self.bytes, self.tokens)
        content += " (error)" if self.failed else ""
        return self.revision, content, self.shape or "-", *(f"{number:,}" for number in numbers)


class _Written(msgspec.Struct):
    structuredContent: msgspec.Raw = msgspec.Raw()


def bills(
    server: Server,
    tool: str,
    arguments: dict[str, Any],
    policies: dict[str, Policy],
    revisions: list[Revision],
    told: Told | None = None,
) -> list[Bill]:
    """One for each policy and revision. Raises PeerError when there is no such tool."""
    feature = server.registry.tools.find(tool, None)
    once = Once(feature).function if feature is not None else None
    found: list[Bill] = []
    for name, policy in policies.items():
        twin = with_policy(server, policy, tool, once)
        for revision in reversed(revisions):  # the tool runs where it can say the most
            with closing(Peer(partial(Inside, twin), revision, None if found else told)) as peer:
                found.append(_bill(name, peer, tool, arguments))
    order = [revision.name for revision in revisions]
    places: list[str | None] = list(policies)
    return sorted(found, key=lambda bill: (places.index(bill.policy), order.index(bill.revision)))


def asked(
    greet: Callable[[Revision], Peer], revisions: list[Revision], tool: str, arguments: dict[str, Any]
) -> tuple[list[Bill], dict[str, str]]:
    """One for each revision a server elsewhere speaks, and for each it does not speak the reason.

    Raises PeerError or Unreachable when it speaks none.
    """
    found: list[Bill] = []
    refused: dict[str, str] = {}
    failure: Exception | None = None
    for revision in revisions:
        try:
            with closing(greet(revision)) as peer:
                if peer.revision == revision.name:
                    found.append(_bill(None, peer, tool, arguments))
                else:
                    refused[revision.name] = f"the server offers {peer.revision} instead"
        except (PeerError, Unreachable) as error:
            refused[revision.name], failure = str(error), error
    if not found:
        raise failure or Unreachable("; ".join(f"nothing on {name}: {why}" for name, why in refused.items()))
    return found, refused


def _bill(policy: str | None, peer: Peer, tool: str, arguments: dict[str, Any]) -> Bill:
    raw = peer.call(tool, arguments)
    data = bytes(msgspec.json.decode(raw, type=_Written).structuredContent).decode() or None
    return Bill(policy, peer.revision, msgspec.json.decode(raw), data, len(peer.last))


def _shape(value: Any) -> str:
    """The outline of structured content."""
    match value:
        case dict():
            inside = [f"{key}: {_shape(one)}" if isinstance(one, list) else str(key) for key, one in value.items()]
            shown = ", ".join(inside[:4]) + (", …" if len(inside) > 4 else "")
            return "{" + shown + "}"
        case list():
            return f"{len(value)} items" if len(value) != 1 else "1 item"
        case str():
            return "string"
        case bool():
            return "boolean"
        case None:
            return "null"
    return "number"


# The report ---------------------------------------------------------------------------------------


def report(made: list[Bill], refused: dict[str, str], most: int | None) -> list[str]:
    """The tables, one for each policy, what was refused, and then each text there is, cut to so many lines."""
    rows = [bill.row for bill in made]
    widths = [max(map(len, column)) for column in zip(_HEADS, *rows, strict=True)]
    lines: list[str] = []
    for policy in dict.fromkeys(bill.policy for bill in made):
        lines += [_ELSEWHERE if policy is None else f"policy {policy}", coloured(_line(_HEADS, widths), "bold")]
        for bill in made:
            if bill.policy == policy:
                lines.append(coloured(_line(bill.row, widths), "red") if bill.failed else _line(bill.row, widths))
        lines.append("")
    without = [coloured(safe(f"nothing on {name}: {reason}"), "dim") for name, reason in refused.items()]
    return [*lines, coloured(_NOTE, "dim"), *without, *_texts(made, most)]


def _line(row: tuple[str, ...], widths: list[int]) -> str:
    words, numbers = slice(3), slice(3, None)
    cells = [cell.ljust(width) for cell, width in zip(row[words], widths[words], strict=True)]
    cells += [cell.rjust(width) for cell, width in zip(row[numbers], widths[numbers], strict=True)]
    return "  ".join(cells)


def _texts(made: list[Bill], most: int | None) -> list[str]:
    """The text as a model would read it, once for all that have the same."""
    said: dict[tuple[str, ...], list[Bill]] = {}
    for bill in made:
        text = tuple(_INCIDENT.sub("incident …", line) for line in _numbered(bill.result.get("content", [])))
        said.setdefault(text, []).append(bill)
    lines: list[str] = []
    for text, those in said.items():
        lines += ["", coloured(f"the text on {_where(those, made)}", "bold"), *text[:most]]
        if most is not None and len(text) > most:
            more = len(text) - most
            lines.append(coloured(f"   … {more} more {'line' if more == 1 else 'lines'}; --full shows all", "dim"))
    return lines


def _numbered(content: list[dict[str, Any]]) -> Iterator[str]:
    """The lines of all blocks, each with its block's number where it begins."""
    for number, block in enumerate(content, 1):
        for at, line in enumerate(block_lines(block)):
            yield f"{'' if at else number:>2} | {line}"


def _where(those: list[Bill], made: list[Bill]) -> str:
    every = {bill.revision for bill in made}
    policies = {bill.policy for bill in made}
    places: dict[tuple[str, ...], list[str | None]] = {}  # the policies, by the revisions they share
    for policy in dict.fromkeys(bill.policy for bill in those):
        where = tuple(bill.revision for bill in those if bill.policy == policy)
        places.setdefault(where, []).append(policy)
    told: list[str] = []
    for where, those_policies in places.items():
        spoken = "every revision" if len(where) == len(every) > 1 else ", ".join(where)
        told.append(spoken if len(policies) == 1 else f"{spoken} with {', '.join(map(str, those_policies))}")
    return "; ".join(told)
