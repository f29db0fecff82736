"""A tool's value -> the pieces of a response with its result: by the rooms that know the rules, or by their mold.

What a text, a record or a list of records becomes differs between two calls only in the text or the records. So a
mark is sent through normalize and project once per tool and revision, and what comes out is cut where the mark
stands. This halves the cost of a small call, which is nothing but overhead, and of a long list; whatever else a
tool returns goes through the rooms as ever.
"""

from collections.abc import Callable
from typing import Any

from .. import codec, jsonrpc, project
from ..features import ToolFeature
from ..jsonable import Inexact, Write, never
from ..outputs import Exactly, Promise
from ..payload import Normalized
from ..revisions import Revision
from ..types import CallToolResult
from .answering import Tail, finished

__all__ = ["closed", "made"]

Pieces = tuple[bytes, ...]

_MARK = "@@the-text-goes-here@@"
_TEXT = codec.encode(_MARK)
_RECORD = {_MARK: 0}
_RAW = codec.encode(_RECORD)
_ROWS = codec.encode([_RECORD, _RECORD])
_JOINTS = {"compact": b"},{", "spaced": b"}, {"}
SHORT = 10_000
"""Of JSON longer than this no copy is made that can be spared."""
_RECORDS = frozenset({"fields", "model", "dict"})


def closed(server: Any, tool: ToolFeature, normalized: Normalized, revision: Revision) -> CallToolResult:
    """A result as a revision has it."""
    policy = tool.policy
    result = project.tool_result(*normalized, revision, policy.wrap_key, policy.json_style)
    return finished(result, server, revision)


class Mold:
    """The pieces around a text, a record and a list of records: two where it is told only, three where it is sent.

    `between` is what stands between two records where each is told by itself. None where there is no such mold.
    """

    __slots__ = ("_between", "_check", "_policy", "_record", "_rows", "_rules", "_style", "_write", "text", "ways")

    def __init__(self, server: Any, tool: ToolFeature, revision: Revision) -> None:
        self.ways: dict[type, Way] = {}
        self.text: list[bytes] | None = None
        self._record: list[bytes] | None = None
        self._rows: list[bytes] | None = None
        self._between: bytes | None = None
        self._policy, self._rules, self._check = policy, rules, check = tool.policy, tool.rules, tool.check
        self._style = policy.json_style
        self._write: Write = never
        if tool.render is not None or policy.accept != "any" or _is_rewritten(tool):
            return

        def whole(value: Any) -> bytes:
            return jsonrpc.tail(codec.encode(closed(server, tool, tool.normalize(value, check=None), revision)))

        if check is None or (isinstance(check, Exactly) and check.kind is str):
            self.text = _around(whole(_MARK), _TEXT, _TEXT)
        if policy.key_case != "asis" or policy.item_order != "asis" or policy.drop_none:
            return
        if isinstance(check, Promise):
            self._write = rules.trusted(check.writer)
        one, both = (codec.told(raw, policy.json_style) for raw in (_RAW, _ROWS))
        self._record = _around(whole(_RECORD), one, _RAW)
        rows = whole([_RECORD, _RECORD])
        self._rows = _around(rows, both, _ROWS)
        # An item on its own is indented from the margin, so there is nothing to cut.
        if self._rows is None and policy.json_style in _JOINTS and rows.count(one) == 2:
            self._between = rows.split(one)[1]
            self._rows = _around(rows, one + self._between + one, _ROWS)

    def way(self, kind: type) -> "Way":
        """What makes pieces of values of a class, or gives up; worked out when the class is first seen."""
        way: Way = never
        if kind is list and self._rows is not None:
            way = self.of_rows
        elif self._rules.rule(kind).shape in _RECORDS and self._record is not None:
            way = self.of_dict if kind is dict else self.of_record
        self.ways[kind] = way
        return way

    def of_dict(self, value: dict[Any, Any]) -> Pieces | bytes | None:
        return None if "content" in value else self.of_record(value)  # it may be a result

    def of_record(self, value: Any) -> Pieces | bytes:
        raw = self._write(value)
        if raw is None:
            raw = self._checked(value)
        if raw == b"{}" or type(raw) is Inexact:
            return raw
        assert self._record is not None
        return _filled(self._record, codec.told(raw, self._style), raw)

    def of_rows(self, value: list[Any]) -> Pieces | bytes | None:
        kinds = set(map(type, value))
        if not kinds or any(self._rules.rule(kind).shape not in _RECORDS for kind in kinds):
            return None
        raw = self._write(value)
        if raw is None:
            raw = self._checked(value)
        if type(raw) is Inexact:
            return raw
        assert self._rows is not None
        told = codec.told(raw, self._style)
        if self._between is None:
            return _filled(self._rows, told, raw)
        # Where the text has no more joints than there are rows, every one of them is between two rows.
        rows = told.split(_JOINTS[self._style])
        if len(rows) != len(value):
            return raw
        del told  # it may be large
        rows[0] = b'"' + rows[0][2:]  # without the brackets of the list
        rows[-1] = rows[-1][:-2] + b'"'
        return _filled(self._rows, (b'}"' + self._between + b'"{').join(rows), raw)

    def _checked(self, value: Any) -> bytes:
        """The JSON of records; what there is no mold for is checked by the rooms."""
        raw = self._rules.encode(value, self._policy)
        if self._check is not None and type(raw) is not Inexact and raw != b"{}":
            self._check(value, raw)
        return raw


Way = Callable[[Any], Pieces | bytes | None]
"""Makes the pieces of a value; else it gives its JSON, if it came as far, or None."""


def _around(whole: bytes, told: bytes, raw: bytes) -> list[bytes] | None:
    """What stands around a text and, behind it, the data it tells of."""
    before, found, after = whole.partition(told)
    pieces = [before, *after.split(raw)]
    return pieces if found and len(pieces) <= 3 else None


def _filled(around: list[bytes], told: bytes, raw: bytes) -> Pieces:
    return (around[0], told, around[1], raw, around[2]) if len(around) == 3 else (around[0], told, around[1])


def _is_rewritten(tool: ToolFeature) -> bool:
    """Whether a serializer of the user's has a say in what the marks become."""
    return any(issubclass(mark, kind) for mark in (str, dict, list) for kind in tool.rules.opaque)


def made(server: Any, tool: ToolFeature, revision: Revision, value: Any) -> Tail | CallToolResult:
    """The result of what a tool returned: the tail of its response, or the result itself."""
    mold = tool.molds.get(revision.name)
    if mold is None:
        mold = tool.molds[revision.name] = Mold(server, tool, revision)
    kind = type(value)
    if kind is str and mold.text is not None:
        try:
            raw = codec.encode(value)  # told and sent alike
            return raw.join(mold.text) if len(raw) < SHORT else _filled(mold.text, raw, raw)
        except UnicodeEncodeError:  # a lone surrogate, about which the policy has something to say
            pass
    found = (mold.ways.get(kind) or mold.way(kind))(value)
    if type(found) is tuple:
        return found
    return closed(server, tool, tool.normalize(value, encoded=found), revision)
