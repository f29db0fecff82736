"""A tool's value -> the pieces of its result: by the rooms that know the rules, or by a mold they made.

What a text, a record or a list of records becomes differs between two calls only in the text or the records. So a
mark is sent through normalize and project once per tool and revision, and what comes out is cut where the mark
stands. This halves the cost of a small call, which is nothing but overhead, and of a long list; whatever else a
tool returns goes through the rooms as ever.
"""

from typing import Any

from .. import codec, project
from ..features import ToolFeature
from ..jsonable import Inexact
from ..payload import Normalized
from ..revisions import Revision
from ..types import CallToolResult
from .answering import Pieces, finished

__all__ = ["closed", "made"]

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

    __slots__ = ("between", "record", "rows", "text")

    def __init__(self, server: Any, tool: ToolFeature, revision: Revision) -> None:
        self.text: list[bytes] | None = None
        self.record: list[bytes] | None = None
        self.rows: list[bytes] | None = None
        self.between: bytes | None = None
        policy = tool.policy
        if tool.render is not None or policy.accept != "any" or _is_rewritten(tool):
            return

        def whole(value: Any) -> bytes:
            return codec.encode(closed(server, tool, tool.normalize(value, check=None), revision))

        if tool.check is None:
            self.text = _around(whole(_MARK), _TEXT, _TEXT)
        if policy.key_case != "asis" or policy.item_order != "asis" or policy.drop_none:
            return
        one, both = (codec.encode(codec.styled(raw, policy.json_style)) for raw in (_RAW, _ROWS))
        self.record = _around(whole(_RECORD), one, _RAW)
        rows = whole([_RECORD, _RECORD])
        self.rows = _around(rows, both, _ROWS)
        # An item on its own is indented from the margin, so there is nothing to cut.
        if self.rows is None and policy.json_style in _JOINTS and rows.count(one) == 2:
            self.between = rows.split(one)[1]
            self.rows = _around(rows, one + self.between + one, _ROWS)


def _around(whole: bytes, told: bytes, raw: bytes) -> list[bytes] | None:
    """What stands around a text and, behind it, the data it tells of."""
    before, found, after = whole.partition(told)
    pieces = [before, *after.split(raw)]
    return pieces if found and len(pieces) <= 3 else None


def _is_rewritten(tool: ToolFeature) -> bool:
    """Whether a serializer of the user's has a say in what the marks become."""
    return any(issubclass(mark, kind) for mark in (str, dict, list) for kind in tool.rules.opaque)


def made(server: Any, tool: ToolFeature, revision: Revision, value: Any) -> Pieces | CallToolResult:
    """The result of what a tool returned: in pieces, or whole."""
    mold = tool.molds.get(revision.name)
    if mold is None:
        mold = tool.molds[revision.name] = Mold(server, tool, revision)
    raw = None
    if type(value) is str and mold.text is not None:
        try:
            raw = codec.encode(value)  # told and sent alike
            return (raw.join(mold.text),) if len(raw) < SHORT else _filled(mold.text, raw, raw)
        except UnicodeEncodeError:  # a lone surrogate, about which the policy has something to say
            pass
    elif _are_records(tool, value):
        raw = tool.rules.encode(value, tool.policy)
        pieces = _pieces(mold, tool, value, raw)
        if pieces is not None:
            return pieces
    return closed(server, tool, tool.normalize(value, encoded=raw), revision)


def _are_records(tool: ToolFeature, value: Any) -> bool:
    """Whether a value is a record, or a list that holds some and nothing else."""
    rule = tool.rules.rule
    if type(value) is list:
        return bool(value) and all(rule(kind).shape in _RECORDS for kind in set(map(type, value)))
    may_be_result = type(value) is dict and "content" in value
    return rule(type(value)).shape in _RECORDS and not may_be_result


def _pieces(mold: Mold, tool: ToolFeature, value: Any, raw: bytes) -> Pieces | None:
    """The pieces of the result of records, given with their JSON; None where there is no mold for them."""
    many = type(value) is list
    around = mold.rows if many else mold.record
    if around is None or type(raw) is Inexact or raw == b"{}":
        return None
    if tool.check is not None:
        tool.check(value, raw)
    told = codec.encode(codec.styled(raw, tool.policy.json_style))
    if not many or mold.between is None:
        return _filled(around, told, raw)
    # Where the text has no more joints than there are rows, every one of them is between two rows.
    rows = told.split(_JOINTS[tool.policy.json_style])
    if len(rows) != len(value):
        return None
    del told  # it may be large
    rows[0] = b'"' + rows[0][2:]  # without the brackets of the list
    rows[-1] = rows[-1][:-2] + b'"'
    return _filled(around, (b'}"' + mold.between + b'"{').join(rows), raw)


def _filled(around: list[bytes], told: bytes, raw: bytes) -> Pieces:
    return (around[0], told, around[1], raw, around[2]) if len(around) == 3 else (around[0], told, around[1])
