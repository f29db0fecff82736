"""A tool's value -> the response with its result: by the rooms that know the rules, or by their mold.

What a text, a record or a list of records becomes differs between two calls only in the text or the records. So a
mark is sent through normalize and project once per tool and revision, and what comes out is cut where the mark
stands. This halves the cost of a small call, which is nothing but overhead, and of a long list; whatever else a
tool returns goes through the rooms as ever.
"""

import re
from collections.abc import Callable
from typing import Any

from .. import codec, jsonrpc, project
from ..features import ToolFeature
from ..jsonable import Inexact, Write, never
from ..jsonrpc import HEAD, Id
from ..outputs import Exactly, Promise
from ..payload import Normalized
from ..revisions import Revision
from ..types import CallToolResult
from ..writers import Flat
from .answering import finished

__all__ = ["closed", "made"]

_MARK = "@@the-text-goes-here@@"
_TEXT = codec.encode(_MARK)
_RECORD = {_MARK: 0}
_RAW = codec.encode(_RECORD)
_ROWS = codec.encode([_RECORD, _RECORD])
_JOINTS = {"compact": re.compile(rb"},\{"), "spaced": re.compile(rb"}, \{")}  # bytes.split takes half as long again
_RECORDS = frozenset({"fields", "model", "dict"})


def closed(server: Any, tool: ToolFeature, normalized: Normalized, revision: Revision) -> CallToolResult:
    """A result as a revision has it."""
    policy = tool.policy
    result = project.tool_result(*normalized, revision, policy.wrap_key, policy.json_style)
    return finished(result, server, revision)


class Mold(dict[type, "Way"]):
    """The ways from what a tool returns to its response on one revision, by class; found when one is first seen.

    What stands around a text, a record or a list of records is known beforehand; None where there is no such mold.
    """

    def __init__(self, server: Any, tool: ToolFeature, revision: Revision) -> None:
        super().__init__()
        self._server, self._tool, self._revision = server, tool, revision
        self._text: Around | None = None
        self._record: Around | None = None
        self._rows: Around | None = None
        self._joint: re.Pattern[bytes] | None = None  # what stands between two records in a list,
        self._between = b""  # and where each is told by itself
        self._policy, self._rules, self._check = policy, rules, check = tool.policy, tool.rules, tool.check
        self._write: Write = never
        self._flat: Flat | None = None
        if tool.render is not None or policy.accept != "any" or _is_rewritten(tool):
            return

        def whole(value: Any) -> bytes:
            return jsonrpc.tail(codec.encode(closed(server, tool, tool.normalize(value, check=None), revision)))

        if check is None or (isinstance(check, Exactly) and check.kind is str):
            self._text = _around(whole(_MARK), _TEXT, _TEXT)
        if policy.key_case != "asis" or policy.item_order != "asis" or policy.drop_none:
            return
        if isinstance(check, Promise):
            self._write = rules.trusted(check.writer)
            self._flat = check.writer.flat if check.writer is not None and self._write is not never else None
        one, both = (codec.told(raw, policy.json_style) for raw in (_RAW, _ROWS))
        self._record = _around(whole(_RECORD), one, _RAW)
        rows = whole([_RECORD, _RECORD])
        self._rows = _around(rows, both, _ROWS)
        # An item on its own is indented from the margin, so there is nothing to cut.
        if self._rows is None and policy.json_style in _JOINTS and rows.count(one) == 2:
            between = rows.split(one)[1]
            self._rows = _around(rows, one + between + one, _ROWS)
            self._joint, self._between = _JOINTS[policy.json_style], b'}"' + between + b'"{'

    def __missing__(self, kind: type) -> "Way":
        way: Way = self._by_the_rooms
        if kind is str and self._text is not None:
            way = self._of_text(*self._text)
        elif kind is list and self._rows is not None:
            way = self._of_rows(*self._rows)
        elif self._rules.rule(kind).shape in _RECORDS and self._record is not None:
            flat = self._flat if self._flat is not None and self._flat.kind is kind else None
            way = self._of_record(flat, *self._record)
            way = self._unless_a_result(way) if kind is dict else way
        self[kind] = way
        return way

    def _by_the_rooms(self, id: Id, value: Any, encoded: bytes | None = None) -> bytes:
        """The way of all that has no mold; its JSON is made use of, if it came as far."""
        result = closed(self._server, self._tool, self._tool.normalize(value, encoded=encoded), self._revision)
        return jsonrpc.close(id, result)

    def _of_text(self, before: bytes, between: bytes, is_sent: bool, after: bytes) -> "Way":
        encode, by_the_rooms = codec.encode, self._by_the_rooms

        def way(id: Id, value: str) -> bytes:
            try:
                raw = encode(value)  # told and sent alike
            except UnicodeEncodeError:  # a lone surrogate, about which the policy has something to say
                return by_the_rooms(id, value)
            return b"".join((HEAD, id, before, raw, between, raw if is_sent else b"", after))

        return way

    def _unless_a_result(self, way: "Way") -> "Way":
        return lambda id, value: (self._by_the_rooms if "content" in value else way)(id, value)

    def _of_record(self, flat: Flat | None, before: bytes, between: bytes, is_sent: bool, after: bytes) -> "Way":
        write, checked, encode = self._write, self._checked, codec.encode
        restyle = codec.STYLES[self._policy.json_style]
        exact, read = (None, None) if flat is None else (flat.exact, flat.read)

        def way(id: Id, value: Any) -> bytes:
            raw = None
            if read is not None:
                try:
                    if exact is None:
                        raw = encode(value)
                        read(raw)
                    elif [*map(type, (held := value.__dict__).values())] == exact:
                        raw = encode(held)
                        read(raw)
                except Exception:  # whoever looks closer meets the same trouble
                    raw = None
            if raw is None:
                raw = write(value)
            if raw is None:
                raw = checked(value)
                if raw == b"{}" or type(raw) is Inexact:  # an object nobody promised may be left out
                    return self._by_the_rooms(id, value, raw)
            told = encode(restyle(raw).decode())  # as codec.told has it
            return b"".join((HEAD, id, before, told, between, raw if is_sent else b"", after))

        return way

    def _of_rows(self, before: bytes, between: bytes, is_sent: bool, after: bytes) -> "Way":
        def way(id: Id, value: list[Any]) -> bytes:
            kinds = set(map(type, value))
            if not kinds or any(self._rules.rule(kind).shape not in _RECORDS for kind in kinds):
                return self._by_the_rooms(id, value)
            raw = self._write(value)
            if raw is None:
                raw = self._checked(value)
            if type(raw) is Inexact:
                return self._by_the_rooms(id, value, raw)
            told = codec.told(raw, self._policy.json_style)
            if self._joint is not None:
                # Where the text has no more joints than there are rows, every one of them is between two rows.
                rows = self._joint.split(told)
                if len(rows) != len(value):
                    return self._by_the_rooms(id, value, raw)
                del told  # it may be large
                rows[0] = b'"' + rows[0][2:]  # without the brackets of the list
                rows[-1] = rows[-1][:-2] + b'"'
                told = self._between.join(rows)
            return b"".join((HEAD, id, before, told, between, raw if is_sent else b"", after))

        return way

    def _checked(self, value: Any) -> bytes:
        """The JSON of records; what there is no mold for is checked by the rooms."""
        raw = self._rules.encode(value, self._policy)
        if self._check is not None and type(raw) is not Inexact and raw != b"{}":
            self._check(value, raw)
        return raw


Way = Callable[[Any, Any], bytes]
"""Makes a response of an id and a value."""

Around = tuple[bytes, bytes, bool, bytes]
"""What stands before a text, behind it and behind the data it tells of, if that is sent too."""


def _around(whole: bytes, told: bytes, raw: bytes) -> Around | None:
    before, found, after = whole.partition(told)
    pieces = after.split(raw)
    if not found or len(pieces) > 2:
        return None
    return before, pieces[0], len(pieces) == 2, b"".join(pieces[1:])


def _is_rewritten(tool: ToolFeature) -> bool:
    """Whether a serializer of the user's has a say in what the marks become."""
    return any(issubclass(mark, kind) for mark in (str, dict, list) for kind in tool.rules.opaque)


def made(server: Any, tool: ToolFeature, revision: Revision, id: Id, value: Any) -> bytes:
    """The response with the result of what a tool returned; its mold is made when first needed."""
    mold: Mold | None = tool.molds.get(revision.name)
    if mold is None:
        mold = tool.molds[revision.name] = Mold(server, tool, revision)
    return mold[type(value)](id, value)
