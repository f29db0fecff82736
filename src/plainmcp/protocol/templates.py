"""A tool's value to the bytes of its result: by the modules that know the rules, or by their template.

What a text or a record becomes differs between two calls only in the text or the record. So a mark is sent through
normalize and project once per tool and revision, and what comes out is cut where the mark stands. This halves the
cost of a small call; every other value is normalized and projected each time.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from ..revisions import Revision
from ..types import CallToolResult
from ..values.encode import Inexact
from ..values.payload import Normalized
from ..wire import codec, jsonrpc
from ..wire.jsonrpc import RESPONSE_HEAD, Id
from . import project
from .core import Core
from .features import ToolFeature
from .plan import add_server_info

__all__ = ["Writer", "Writers", "project_result"]

Writer = Callable[[Any, Any], bytes]
"""Makes a response of an id and a value."""

_MARK = "@@the-text-goes-here@@"
_TEXT = codec.encode(_MARK)
_RECORD = {_MARK: 0}
_RAW = codec.encode(_RECORD)
_RECORDS = frozenset({"fields", "model", "dict"})


def project_result(server: Core, tool: ToolFeature, normalized: Normalized, revision: Revision) -> CallToolResult:
    """A result as a revision has it."""
    policy, output = tool.policy, tool.output
    by_schema = output.declared == "schema" and not normalized.result.isError
    wrap = output.wrap_older if by_schema else None
    result = project.tool_result(*normalized, revision, policy.wrap_key, policy.json_style, wrap)
    return add_server_info(result, server, revision)


class Writers(dict[type, Writer]):
    """What makes a response of what a tool returns on one revision, by class; chosen when a class is first seen."""

    def __init__(self, server: Core, tool: ToolFeature, revision: Revision) -> None:
        super().__init__()
        self._server, self._tool, self._revision = server, tool, revision
        self._text: Template | None = None  # None where there is no such template
        self._record: Template | None = None
        policy = tool.policy
        if tool.render is not None or policy.accept != "any" or _has_serializer_for_marks(tool):
            return
        self._text = _cut(self._write_mark(_MARK), _TEXT, _TEXT)
        if policy.key_case == "asis" and policy.item_order == "asis" and not policy.drop_none:
            self._record = _cut(self._write_mark(_RECORD), codec.as_json_string(_RAW, policy.json_style), _RAW)

    def _write_mark(self, value: Any) -> bytes:
        tool = self._tool
        output = msgspec.structs.replace(tool.output, check=None, conform=None)
        normalized = tool.normalize(value, output=output)
        return jsonrpc.result_tail(codec.encode(project_result(self._server, tool, normalized, self._revision)))

    def __missing__(self, kind: type) -> Writer:
        writer: Writer = self._normalize
        if kind is str and self._text is not None:
            writer = self._text_writer(*self._text)
        elif self._tool.rules.rule_of(kind).shape in _RECORDS and self._record is not None:
            writer = self._record_writer(*self._record)
            writer = self._unless_a_result(writer) if kind is dict else writer
        self[kind] = writer
        return writer

    def _normalize(self, id: Id, value: Any, encoded: bytes | None = None) -> bytes:
        """The response where there is no template; the JSON of the value is used again, if it was made."""
        normalized = self._tool.normalize(value, encoded=encoded)
        return jsonrpc.encode_result(id, project_result(self._server, self._tool, normalized, self._revision))

    def _text_writer(self, before: bytes, between: bytes, is_sent: bool, after: bytes) -> Writer:
        encode, normalize, check = codec.encode, self._normalize, self._tool.output.check

        def write(id: Id, value: str) -> bytes:
            try:
                raw = encode(value)  # the text and the data are the same
            except UnicodeEncodeError:  # a lone surrogate: the policy has a rule for it
                return normalize(id, value)
            if check is not None:
                check(raw)
            return b"".join((RESPONSE_HEAD, id, before, raw, between, raw if is_sent else b"", after))

        return write

    def _unless_a_result(self, write: Writer) -> Writer:
        return lambda id, value: (self._normalize if "content" in value else write)(id, value)

    def _record_writer(self, before: bytes, between: bytes, is_sent: bool, after: bytes) -> Writer:
        encode, normalize, policy = self._tool.rules.encode, self._normalize, self._tool.policy
        conform, check = self._tool.output.conform, self._tool.output.check
        restyle = codec.STYLES[policy.json_style]

        def write(id: Id, value: Any) -> bytes:
            if conform is not None:
                value = conform(value)
            raw = encode(value, policy)
            if raw == b"{}" or type(raw) is Inexact or raw[:1] != b"{":  # such data may be left out
                return normalize(id, value, raw)
            if check is not None:
                check(raw)
            text = codec.encode(restyle(raw).decode())
            return b"".join((RESPONSE_HEAD, id, before, text, between, raw if is_sent else b"", after))

        return write


Template = tuple[bytes, bytes, bool, bytes]
"""What stands before a text, after it and after the data, and whether the data is sent too."""


def _cut(whole: bytes, text: bytes, data: bytes) -> Template | None:
    before, mark, after = whole.partition(text)
    pieces = after.split(data)
    if not mark or len(pieces) > 2:
        return None
    return before, pieces[0], len(pieces) == 2, b"".join(pieces[1:])


def _has_serializer_for_marks(tool: ToolFeature) -> bool:
    """Whether a serializer of the user's changes what the marks become."""
    return any(issubclass(mark, kind) for mark in (str, dict) for kind in tool.rules.opaque)
