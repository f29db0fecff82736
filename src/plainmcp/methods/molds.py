"""A result's bytes with holes in them: made once by the real rules, then filled call by call.

What a text or an object becomes differs between two calls only in the text or the object. So a mark is sent
through normalize and project once per tool and revision, and what comes out is cut where the mark stands. This
halves the cost of a small call, which is nothing but overhead; whatever is not a plain text or a record goes
through the rooms as ever.
"""

from collections.abc import Callable
from typing import Any

from .. import codec
from ..features import ToolFeature
from ..revisions import Revision

__all__ = ["cast"]

_MARK = "@@the-text-goes-here@@"
_RECORD = {_MARK: 0}
_RAW = codec.encode(_RECORD)
_RECORDS = frozenset({"fields", "model", "dict"})

Close = Callable[[Any, Any, Revision], bytes]
"""Makes a whole result of a normalized value: given the server, the value and the revision."""


class Mold:
    """The pieces around a text, and a template around a record: its JSON text and, perhaps, itself."""

    __slots__ = ("record", "structured", "text")

    def __init__(self, server: Any, tool: ToolFeature, revision: Revision, close: Close) -> None:
        self.text: list[bytes] | None = None
        self.record: bytes | None = None
        self.structured = False
        policy = tool.policy
        if tool.render is not None or policy.accept != "any":
            return
        if tool.check is None:
            self.text = close(server, tool.normalize(_MARK), revision).split(codec.encode(_MARK))
        if policy.key_case == policy.item_order == "asis" and not policy.drop_none:
            whole = close(server, tool.normalize(_RECORD, check=None), revision)
            told = codec.encode(codec.styled(_RAW, policy.json_style))
            self.structured = _RAW in whole
            # The text always stands before the record.
            self.record = whole.replace(b"%", b"%%").replace(told, b"%b").replace(_RAW, b"%b")


def cast(server: Any, tool: ToolFeature, revision: Revision, value: Any, close: Close) -> bytes | None:
    """The whole result of a plain text or a record; None for whatever else a tool returns."""
    mold = tool.molds.get(revision.name)
    if mold is None:
        mold = tool.molds[revision.name] = Mold(server, tool, revision, close)
    kind = type(value)
    if kind is str:
        return codec.encode(value).join(mold.text) if mold.text is not None and value.isascii() else None
    if mold.record is None or tool.rules.rule(kind).shape not in _RECORDS or (kind is dict and "content" in value):
        return None
    raw, exact = tool.rules.encode(value, tool.policy)
    if not exact or len(raw) < 3 or not raw.startswith(b"{"):
        return None
    if tool.check is not None:
        tool.check(value, raw)
    text = codec.encode(codec.styled(raw, tool.policy.json_style))
    filled: bytes = mold.record % ((text, raw) if mold.structured else (text,))
    return filled
