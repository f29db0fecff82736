"""A tool's value -> the response with its result: by the modules that know the rules, or by their template.

What a text or a record becomes differs between two calls only in the text or the record. So a mark is sent through
normalize and project once per tool and revision, and what comes out is cut where the mark stands. This halves the
cost of a small call, which is nothing but overhead; whatever else a tool returns is normalized and projected as ever.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from ..revisions import Revision
from ..types import CallToolResult
from ..values.encode import Inexact
from ..values.payload import Normalized
from ..wire import codec, jsonrpc
from ..wire.jsonrpc import HEAD, Id
from . import project
from .features import ToolFeature
from .methods.shared import finished

__all__ = ["closed", "made"]

_MARK = "@@the-text-goes-here@@"
_TEXT = codec.encode(_MARK)
_RECORD = {_MARK: 0}
_RAW = codec.encode(_RECORD)
_RECORDS = frozenset({"fields", "model", "dict"})


def closed(server: Any, tool: ToolFeature, normalized: Normalized, revision: Revision) -> CallToolResult:
    """A result as a revision has it."""
    policy, output = tool.policy, tool.output
    by_schema = output.declared == "schema" and not normalized.result.isError
    wrap = output.wrap_older if by_schema else None
    result = project.tool_result(*normalized, revision, policy.wrap_key, policy.json_style, wrap)
    return finished(result, server, revision)


class Mold(dict[type, "Respond"]):
    """What makes a response of what a tool returns on one revision, by class; chosen when one is first seen.

    What stands around a text or a record is known beforehand; None where there is no such template.
    """

    def __init__(self, server: Any, tool: ToolFeature, revision: Revision) -> None:
        super().__init__()
        self._server, self._tool, self._revision = server, tool, revision
        self._text: Around | None = None
        self._record: Around | None = None
        policy = tool.policy
        if tool.render is not None or policy.accept != "any" or _is_rewritten(tool):
            return
        self._text = _around(self._marked(_MARK), _TEXT, _TEXT)
        if policy.key_case == "asis" and policy.item_order == "asis" and not policy.drop_none:
            self._record = _around(self._marked(_RECORD), codec.as_json_string(_RAW, policy.json_style), _RAW)

    def _marked(self, value: Any) -> bytes:
        tool = self._tool
        output = msgspec.structs.replace(tool.output, check=None, conform=None)
        result = closed(self._server, tool, tool.normalize(value, output=output), self._revision)
        return jsonrpc.tail(codec.encode(result))

    def __missing__(self, kind: type) -> "Respond":
        respond: Respond = self._normalize
        if kind is str and self._text is not None:
            respond = self._of_text(*self._text)
        elif self._tool.rules.rule_of(kind).shape in _RECORDS and self._record is not None:
            respond = self._of_record(*self._record)
            respond = self._unless_a_result(respond) if kind is dict else respond
        self[kind] = respond
        return respond

    def _normalize(self, id: Id, value: Any, encoded: bytes | None = None) -> bytes:
        """The response where there is no template; the value's JSON is made use of, if it was made."""
        result = closed(self._server, self._tool, self._tool.normalize(value, encoded=encoded), self._revision)
        return jsonrpc.close(id, result)

    def _of_text(self, before: bytes, between: bytes, is_sent: bool, after: bytes) -> "Respond":
        encode, normalize, check = codec.encode, self._normalize, self._tool.output.check

        def respond(id: Id, value: str) -> bytes:
            try:
                raw = encode(value)  # told and sent alike
            except UnicodeEncodeError:  # a lone surrogate, about which the policy has something to say
                return normalize(id, value)
            if check is not None:
                check(raw)
            return b"".join((HEAD, id, before, raw, between, raw if is_sent else b"", after))

        return respond

    def _unless_a_result(self, respond: "Respond") -> "Respond":
        return lambda id, value: (self._normalize if "content" in value else respond)(id, value)

    def _of_record(self, before: bytes, between: bytes, is_sent: bool, after: bytes) -> "Respond":
        encode, normalize, policy = self._tool.rules.encode, self._normalize, self._tool.policy
        conform, check = self._tool.output.conform, self._tool.output.check
        restyle = codec.STYLES[policy.json_style]

        def respond(id: Id, value: Any) -> bytes:
            if conform is not None:
                value = conform(value)
            raw = encode(value, policy)
            if raw == b"{}" or type(raw) is Inexact or raw[:1] != b"{":  # what nobody promised may be left out
                return normalize(id, value, raw)
            if check is not None:
                check(raw)
            text = codec.encode(restyle(raw).decode())  # as codec.as_json_string has it
            return b"".join((HEAD, id, before, text, between, raw if is_sent else b"", after))

        return respond


Respond = Callable[[Any, Any], bytes]
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
    return any(issubclass(mark, kind) for mark in (str, dict) for kind in tool.rules.opaque)


def made(server: Any, tool: ToolFeature, revision: Revision, id: Id, value: Any) -> bytes:
    """The response with the result of what a tool returned; its template is made when first needed."""
    mold: Mold | None = tool.molds.get(revision.name)
    if mold is None:
        mold = tool.molds[revision.name] = Mold(server, tool, revision)
    return mold[type(value)](id, value)
