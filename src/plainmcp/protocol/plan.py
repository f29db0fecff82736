"""One feature on one revision, compiled once: from the arguments of a request to its response.

`Plan` has what all kinds of features share; the methods add how their arguments are bound and how their results are
written. Checks before a call are put into the plan when it is created, so that a call pays only for those it has.

A tool also has templates. The responses for two texts, or two records, differ only in the text or the record. So a
placeholder is normalized and projected once per tool and revision, and the response is split at the placeholder. This
halves the cost of a small call. Every other value is normalized and projected each time.
"""

import logging
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Generic, TypeVar, cast

import msgspec

from ..context import Context, lacking
from ..errors import (
    ArgumentsError,
    InternalError,
    InvalidParams,
    MissingCapability,
    NormalizeError,
    OutputError,
    ProtocolError,
    ToolError,
)
from ..policy import Policy
from ..questions import InputRequired
from ..revisions import Revision
from ..types import CallToolResult, GetPromptResult, ReadResourceResult, TextContent
from ..values.encode import Inexact
from ..values.payload import Check as OutputCheck
from ..values.payload import Normalized
from ..wire import codec, jsonrpc
from ..wire.jsonrpc import RESPONSE_HEAD, Id
from . import project
from .conversation import Conversation, Steps, evaluate
from .core import Core
from .dependencies import needs_context
from .exchange import FAILURES, Exchange, Run
from .failures import error_response, internal_error, log_incident
from .feature_list import FeatureList
from .features import Feature, ToolFeature
from .input_state import input_required, read_answers
from .interrupts import tame
from .request import Cancelled, Request
from .scopes import Missing, compile_missing, require
from .session import describe_lack

__all__ = [
    "Check",
    "Finder",
    "Invocation",
    "Plan",
    "ToolPlan",
    "add_server_info",
    "find_by_name",
    "plan_of",
    "require_scopes",
    "start_call",
    "with_server_info",
]

_log = logging.getLogger("plainmcp")
F = TypeVar("F", bound=Feature)
W = TypeVar("W", CallToolResult, GetPromptResult, ReadResourceResult)

Check = Callable[[Request, Any], None]
"""Raises to refuse a request, by its arguments too, before its function runs and before a stream is opened."""


Finder = Callable[[Core, Request], tuple[Feature, Any]]
"""Finds the feature for a request, and its arguments; raises a ProtocolError."""


class Plan(Generic[F]):
    """The compiled call of one feature on one revision."""

    def __init__(self, server: Core, feature: F, revision: Revision) -> None:
        self.server = server
        self.owner = _owner_of(server, feature)
        self.feature = feature
        self.revision = revision
        self.checks: tuple[Check, ...] = tuple(self._compile_checks())
        self._bind: Callable[[Request, Any], dict[str, Any]] = (
            self._bind_and_require if callable(feature.requires) else self.bind
        )
        self._has_context = feature.context is not None or any(map(needs_context, feature.dependencies))
        self.start: Callable[[Request, Any], Exchange] = (
            self._start_steps if feature.dependencies else self._start_call
        )
        """Binds the arguments of a request, and creates its exchange."""

    @property
    def title(self) -> str:
        """The name of the feature in the log and in errors."""
        return ""

    def bind(self, request: Request, arguments: Any) -> dict[str, Any]:
        """The keyword arguments of the function; may raise, and `fail` then returns the response."""
        raise NotImplementedError

    def write(self, request: Request, value: Any) -> bytes:
        """The response for the value of the function; may raise."""
        raise NotImplementedError

    def respond(self, request: Request, value: Any) -> bytes:
        """The response for the value of the function, or for an exception while it is written."""
        try:
            return self.write(request, value)
        except BaseException as error:  # a returned generator is the user's code too
            return self.fail(request, error)

    def fail(self, request: Request, error: BaseException) -> bytes:
        """The response for an exception: a result that asks for input, or an error (RES-06, PROM-04)."""
        error = tame(error)
        if isinstance(error, InputRequired):
            return self._ask(request, error)
        if isinstance(error, (NormalizeError, OutputError)):
            _log.error("%s: %s", self.title, error)
            error = InternalError(Policy.standard.withheld_text.format(error=error, tool=self.title))
        error = internal_error(error, self.title, self.owner.mask_errors)
        return error_response(error, self.revision, request.id)

    def prepare(self, request: Request, arguments: Any) -> tuple[dict[str, Any], Context | None]:
        """The keyword arguments of the function and its Context, after all checks; may raise."""
        for check in self.checks:
            check(request, arguments)
        kwargs = self._bind(request, arguments)
        context = self._make_context(request) if self._has_context else None
        if self.feature.context is not None:
            kwargs[self.feature.context] = context
        if request.link is not None:
            request.link.start(bytes(request.id))
        return kwargs, context

    def _start_call(self, request: Request, arguments: Any) -> Exchange:
        """Start a call of the function alone. If the arguments do not fit, the exchange has its response already."""
        try:
            kwargs, context = self.prepare(request, arguments)
        except FAILURES as error:
            return Exchange(self.fail(request, error))
        run = Run(self.feature, kwargs, partial(self.respond, request), request.link)
        return Invocation(step=run, plan=self, request=request, context=context)

    def _start_steps(self, request: Request, arguments: Any) -> Exchange:
        """Start a call with dependencies, or one whose response needs further steps."""
        steps = evaluate(self, request, arguments, partial(self.respond, request))
        return Conversation(steps=steps, request=request, write_failure=self.fail).begin()

    def _make_context(self, request: Request) -> Context:
        params, answers = request.params, {}
        if not request.revision.handshake and (params.requestState or params.inputResponses):
            answers = read_answers(self.server, request)
        return Context(request, self.owner, is_async=self.feature.is_async, answers=answers)

    def _ask(self, request: Request, questions: InputRequired) -> bytes:
        try:
            result = input_required(self.server, request, questions)
            return jsonrpc.encode_result(request.id, with_server_info(result, self.server, self.revision))
        except FAILURES as error:
            return self.fail(request, error)

    def _compile_checks(self) -> Iterator[Check]:
        """The checks that the feature has, the first one first."""
        feature = self.feature
        if feature.requires is not None and not callable(feature.requires):
            yield partial(require, feature.requires, _missing_of(self.server, feature))
        if feature.needs:
            yield self._check_needs

    def check_scopes(self, request: Request, arguments: Any) -> None:
        """Refuse a caller who lacks a scope, before middleware runs; raises InsufficientScope.

        A function of `requires=` is not asked about arguments that do not fit: the feature is not called with them.
        """
        kwargs: dict[str, Any] = {}
        if callable(self.feature.requires):
            try:
                kwargs = self.bind(request, arguments)
            except FAILURES:
                return
        require_scopes(self.server, self.feature, request, kwargs)

    def _bind_and_require(self, request: Request, arguments: Any) -> dict[str, Any]:
        """The keyword arguments, after a function of `requires=` was asked about them."""
        kwargs = self.bind(request, arguments)
        require_scopes(self.server, self.feature, request, kwargs)
        return kwargs

    def _check_needs(self, request: Request, arguments: Any) -> None:
        """Refuse a client without the capabilities that the feature needs, before anything runs (META-06)."""
        missing = lacking(self.feature.needs, request.capabilities)
        if not missing:
            return
        extensions = missing.get("extensions", {})
        names = ", ".join([name for name in missing if name != "extensions"] + [*extensions])
        if request.revision.handshake:  # these revisions have no error code for it
            raise ToolError(f"This needs {names}, {describe_lack(request.session)}.")
        raise MissingCapability(f"this needs the client capability {names}", missing)


class Invocation(Exchange, kw_only=True):
    """One call of a user's function, then a response."""

    plan: Plan[Any]
    request: Request
    context: Context | None

    def send(self, value: Any) -> None:
        """End with the response for the function's value."""
        self.step = None
        if self.context is not None:
            self.context.finish()
        link = self.request.link
        if link is None or link.finish():  # CANC-01: no response after a cancel
            self.response = value

    def throw(self, error: BaseException) -> None:
        """End with the response for an exception of the function."""
        self.send(None if issubclass(type(error), Cancelled) else self.plan.fail(self.request, error))


def start_call(find: Finder, kind: type[Plan[Any]], server: Core, request: Request) -> Exchange:
    """Start to answer a request by the plan of its feature."""
    feature, arguments = find(server, request)
    return plan_of(kind, server, feature, request).start(request, arguments)


def find_by_name(list_of: Callable[[Core], FeatureList[Any]], server: Core, request: Request) -> tuple[Feature, Any]:
    """The feature of a list that a request names, and its arguments."""
    params = request.params
    name = params.name if type(params.name) is str else params.get("name", str)
    return list_of(server).get(name, request.principal), params.arguments


def plan_of(kind: type[Plan[Any]], server: Core, feature: Feature, request: Request) -> Plan[Any]:
    """The plan of a feature for the revision of a request, which is compiled at the first request."""
    plan: Plan[Any] | None = feature.plans.get(request.revision.name)
    if plan is None or plan.server is not server:  # two servers may share a feature
        plan = feature.plans[request.revision.name] = kind(server, feature, request.revision)
    return plan


def _owner_of(server: Core, feature: Feature) -> Core:
    """The server that registered a feature: the one that is called, or one that is mounted in it."""
    return feature.through[-1] if feature.through else server


def _missing_of(server: Core, feature: Feature) -> Missing:
    """The function that compares scopes for a feature, by the hierarchies of both servers."""
    return compile_missing(server.implies, _owner_of(server, feature).implies)


def require_scopes(server: Core, feature: Feature, request: Request, kwargs: dict[str, Any]) -> None:
    """Refuse a caller who lacks a scope of a feature for its keyword arguments; raises InsufficientScope."""
    if feature.requires is not None:
        require(feature.requires, _missing_of(server, feature), request, {**feature.defaults, **kwargs})


_SERVER = "io.modelcontextprotocol/serverInfo"


def with_server_info(result: dict[str, Any], server: Core, revision: Revision) -> dict[str, Any]:
    """A result with the fields that every result of the revision has: resultType and serverInfo (META-07)."""
    if not revision.result_type:
        return result
    meta = {**(result.get("_meta") or {}), _SERVER: server.info_for(revision)}
    return {"resultType": "complete", **result, "_meta": meta}


def add_server_info(result: W, server: Core, revision: Revision) -> W:
    """Add the serverInfo to a result that is a wire object (META-07)."""
    if revision.result_type:
        result._meta = {**(result._meta or {}), _SERVER: server.info_for(revision)}
    return result


# Tools --------------------------------------------------------------------------------------------

Writer = Callable[[Any, Any], bytes]
"""Writes the response for an id and a value."""

_MARK = "@@the-text-goes-here@@"
_TEXT = codec.encode(_MARK)
_RECORD = {_MARK: 0}
_RAW = codec.encode(_RECORD)
_RECORDS = frozenset({"fields", "model", "dict"})

# The policy fields that templates obey: they show in the mark, are obeyed by the encoder, or do not concern such a
# value. A policy that differs from `standard` in any other field has no templates.
_IN_RECORDS = frozenset(
    {
        "arguments_text", "bytes_as", "check_return", "contents_extras", "docstring", "empty_structured",
        "envelope", "error_text", "extra_arguments", "extra_fields", "file_block", "json_style", "list_content",
        "list_order", "non_object", "object_text", "output_defaults", "output_root", "output_schema", "pair",
        "prompt_pair", "resource_json_mime", "schema_closed", "schema_default", "schema_form", "structured",
        "title_from", "unencodable", "unserializable", "validate_output", "withheld_text", "wrap_key", "wrap_mark",
        "wrap_meta", "wrap_objects",
    }
)  # fmt: skip
_IN_TEXTS = _IN_RECORDS | {"drop_none", "item_order", "key_case"}


class ToolPlan(Plan[ToolFeature]):
    """The compiled call of a tool on one revision."""

    def __init__(self, server: Core, tool: ToolFeature, revision: Revision) -> None:
        super().__init__(server, tool, revision)
        self._writers = _Writers(server, tool, revision)
        if tool.whole:
            self.start, self.write = self._start_steps, self._write_whole  # type: ignore[method-assign]

    def bind(self, request: Request, arguments: Any) -> dict[str, Any]:
        """The keyword arguments; raises InvalidParams if they are not an object, or ToolError for the model."""
        try:
            return self.feature.bind(arguments)
        except FAILURES:
            if arguments and bytes(arguments)[:1] not in b"{n":  # an object, or null
                raise InvalidParams("params.arguments is an object") from None
            raise

    def write(self, request: Request, value: Any) -> bytes:
        """The response for the value that the tool returned, by the writer for its class."""
        return self._writers[type(value)](request.id, value)

    def _write_whole(self, request: Request, value: Any) -> Any:
        """The steps to the response, in which what looks at whole results may ask the store."""
        notes: list[Any] = []
        for one in self.feature.whole:
            value, note = one.take_value(request, value)
            notes.append(note)
        return self._finish_whole(request, self.feature.normalize(value), notes)

    def _finish_whole(self, request: Request, normalized: Normalized, notes: list[Any]) -> Steps:
        for one, note in zip(self.feature.whole, notes, strict=True):
            result = yield from one.take_result(request, normalized.result, note)
            normalized = normalized._replace(result=result)
        return jsonrpc.encode_result(request.id, _project(self.server, self.feature, normalized, self.revision))

    def fail(self, request: Request, error: BaseException) -> bytes:
        """The response for an exception of the tool: a result that describes the error to the model."""
        error = tame(error)
        if isinstance(error, InputRequired):
            return self._ask(request, error)
        if isinstance(error, ProtocolError):  # the author chose to answer the client rather than the model
            return error_response(error, self.revision, request.id)
        try:
            block = TextContent(type="text", text=self._describe_failure(error))
            normalized = Normalized(CallToolResult(content=[block], isError=True), True)
            result = _project(self.server, self.feature, normalized, self.revision)
            return jsonrpc.encode_result(request.id, result)
        except FAILURES as problem:
            mask = self.owner.mask_errors
            return error_response(problem, self.revision, request.id, "Method tools/call", mask)

    def _describe_failure(self, error: BaseException) -> str:
        name = self.feature.definition.name
        if isinstance(error, ToolError):
            policy = self.feature.policy
            text = _describe_problems(error, name, policy) if isinstance(error, ArgumentsError) else str(error)
            return text if error.is_final else policy.error_text.format(error=text, tool=name)
        if isinstance(error, (NormalizeError, OutputError)):
            _log.error("tool %r: %s", name, error)
            return self.feature.policy.withheld_text.format(error=error, tool=name)
        return log_incident(f"Tool {name}", error, self.owner.mask_errors)


def _describe_problems(error: ArgumentsError, tool: str, policy: Policy) -> str:
    count = len(error.problems)
    return policy.arguments_text.format(problems=error, count=count, s="" if count == 1 else "s", tool=tool)


def _project(server: Core, tool: ToolFeature, normalized: Normalized, revision: Revision) -> CallToolResult:
    """The projection of a result to a revision, with the serverInfo."""
    policy, output = tool.policy, tool.output
    by_schema = output.declared == "schema" and not normalized.result.isError
    wrap = output.wrap_older if by_schema else None
    result = project.tool_result(*normalized, revision, policy.wrap_key, policy.json_style, wrap)
    return add_server_info(result, server, revision)


class _Writers(dict[type, Writer]):
    """The writers for the values of one tool on one revision, by class; each is chosen when its class first comes."""

    def __init__(self, server: Core, tool: ToolFeature, revision: Revision) -> None:
        super().__init__()
        self._server, self._tool, self._revision = server, tool, revision
        self._text: Template | None = None  # None if there is no such template
        self._record: Template | None = None
        policy = tool.policy
        if tool.render is not None or tool.whole or _has_serializer_for_marks(tool):
            return
        if policy.changed <= _IN_TEXTS:
            self._text = _split_template(self._write_mark(_MARK), _TEXT, _TEXT)
        if policy.changed <= _IN_RECORDS:
            text = codec.as_json_string(_RAW, policy.json_style)
            self._record = _split_template(self._write_mark(_RECORD), text, _RAW)

    def _write_mark(self, value: Any) -> bytes:
        tool = self._tool
        output = msgspec.structs.replace(tool.output, check=None, conform=None, fit=None)
        normalized = tool.normalize(value, output=output)
        return jsonrpc.result_tail(codec.encode(_project(self._server, tool, normalized, self._revision)))

    def __missing__(self, kind: type) -> Writer:
        output, writer = self._tool.output, cast("Writer", self._normalize)
        check = None if kind in output.fitting else output.check
        if output.fit is not None and kind not in output.fitting:
            pass  # each value is checked before it is normalized
        elif kind is str and self._text is not None:
            writer = self._text_writer(check, *self._text)
        elif self._tool.rules.rule_of(kind).shape in _RECORDS and self._record is not None:
            writer = self._record_writer(check, *self._record)
            writer = self._except_results(writer) if kind is dict and output.envelopes else writer
        self[kind] = writer
        return writer

    def _normalize(self, id: Id, value: Any, encoded: bytes | None = None) -> bytes:
        """The response without a template; `encoded` is the JSON of the value, if there is one already."""
        normalized = self._tool.normalize(value, encoded=encoded)
        return jsonrpc.encode_result(id, _project(self._server, self._tool, normalized, self._revision))

    def _text_writer(
        self, check: OutputCheck | None, before: bytes, between: bytes, is_sent: bool, after: bytes
    ) -> Writer:
        encode, normalize = codec.encode, self._normalize

        def write(id: Id, value: str) -> bytes:
            try:
                raw = encode(value)  # the text and the structured data are the same JSON
            except UnicodeEncodeError:  # a lone surrogate: the policy has a rule for it
                return normalize(id, value)
            if check is not None:
                check(raw)
            return b"".join((RESPONSE_HEAD, id, before, raw, between, raw if is_sent else b"", after))

        return write

    def _except_results(self, write: Writer) -> Writer:
        return lambda id, value: (self._normalize if "content" in value else write)(id, value)

    def _record_writer(
        self, check: OutputCheck | None, before: bytes, between: bytes, is_sent: bool, after: bytes
    ) -> Writer:
        encode, normalize, policy = self._tool.rules.encode, self._normalize, self._tool.policy
        conform, restyle = self._tool.output.conform, codec.STYLES[policy.json_style]

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
"""The bytes before the text, between text and data, whether the data is sent too, and the bytes after it."""


def _split_template(whole: bytes, text: bytes, data: bytes) -> Template | None:
    before, mark, after = whole.partition(text)
    pieces = after.split(data)
    if not mark or len(pieces) > 2:
        return None
    return before, pieces[0], len(pieces) == 2, b"".join(pieces[1:])


def _has_serializer_for_marks(tool: ToolFeature) -> bool:
    """Whether a serializer of the user's changes what the marks become."""
    return any(issubclass(mark, kind) for mark in (str, dict) for kind in tool.rules.opaque)
