"""One feature on one revision, compiled once: from the arguments of a request to its response.

The base class has what all kinds of features share; the methods add how their arguments are bound and how their
results are written. What stands around a call (checks of the caller today) is put into the plan when it is made, so
that a call pays only for what is there.
"""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from ..context import Context, lacking
from ..errors import MissingCapability, ToolError
from ..questions import InputRequired
from ..revisions import Revision
from ..types import CallToolResult, GetPromptResult, ReadResourceResult
from ..wire import jsonrpc
from .core import Core
from .exchange import FAILURES, Exchange, Invocation, Run
from .failures import error_response, internal_error
from .features import Feature
from .input_state import input_required, read_answers
from .request import Request

__all__ = ["Check", "Plan", "add_server_info", "plan_of", "with_server_info"]

F = TypeVar("F", bound=Feature)
P = TypeVar("P", bound="Plan[Any]")
W = TypeVar("W", CallToolResult, GetPromptResult, ReadResourceResult)

Check = Callable[[Request], None]
"""Refuses a request before its function runs and before a stream is opened, by raising."""


class Plan(Generic[F]):
    """How one feature is called on one revision."""

    def __init__(self, server: Core, feature: F, revision: Revision) -> None:
        self.server = server
        self.feature = feature
        self.revision = revision
        self.checks: tuple[Check, ...] = (self._check_needs,) if feature.needs else ()

    @property
    def title(self) -> str:
        """What the feature is called in the log and in errors."""
        return ""

    def bind(self, request: Request, arguments: Any) -> dict[str, Any]:
        """The keyword arguments of the function; raises what `fail` makes a response of."""
        raise NotImplementedError

    def respond(self, request: Request, value: Any) -> bytes:
        """The response for the value of the function."""
        raise NotImplementedError

    def fail(self, request: Request, error: BaseException) -> bytes:
        """The response for an exception: one that asks for input, or an error for the client (RES-06, PROM-04)."""
        if isinstance(error, InputRequired):
            return self._ask(request, error)
        return error_response(internal_error(error, self.title), self.revision, request.id)

    def start(self, request: Request, arguments: Any) -> Exchange:
        """Bind the arguments; what does not fit has its response already."""
        try:
            kwargs = self.bind(request, arguments)
            for check in self.checks:
                check(request)
            context = None if self.feature.context is None else self._make_context(request)
        except FAILURES as error:
            return Exchange(self.fail(request, error))
        if context is not None:
            kwargs[self.feature.context] = context  # type: ignore[index]  # a name, where there is a context
        return Invocation(Run(self, request, kwargs), context)

    def _make_context(self, request: Request) -> Context:
        answers = {} if request.revision.handshake else read_answers(self.server, request)
        server, is_async = self.server, self.feature.is_async
        return Context(request, is_async=is_async, answers=answers, publish=server.registry.publish, now=server.now)

    def _ask(self, request: Request, questions: InputRequired) -> bytes:
        try:
            result = input_required(self.server, request, questions)
            return jsonrpc.encode_result(request.id, with_server_info(result, self.server, self.revision))
        except FAILURES as error:
            return self.fail(request, error)

    def _check_needs(self, request: Request) -> None:
        """Refuse a client that lacks what the feature needs, before anything runs (META-06)."""
        missing = lacking(self.feature.needs, request.capabilities)
        if not missing:
            return
        if request.revision.handshake:  # there is no code for it
            raise ToolError(f"This needs {', '.join(missing)}, which the client does not offer.")
        raise MissingCapability(f"this needs the client capability {', '.join(missing)}", missing)


def plan_of(kind: type[P], server: Core, feature: Feature, revision: Revision) -> P:
    """The plan of a feature on a revision; it is compiled when it is first needed."""
    plan: P | None = feature.plans.get(revision.name)
    if plan is None or plan.server is not server:  # two servers may share what they offer
        plan = feature.plans[revision.name] = kind(server, feature, revision)
    return plan


_SERVER = "io.modelcontextprotocol/serverInfo"


def with_server_info(result: dict[str, Any], server: Core, revision: Revision) -> dict[str, Any]:
    """A result with what the revision wants on every one: its type, and which server answered (META-07)."""
    if not revision.result_type:
        return result
    meta = {**(result.get("_meta") or {}), _SERVER: server.info_for(revision)}
    return {"resultType": "complete", **result, "_meta": meta}


def add_server_info(result: W, server: Core, revision: Revision) -> W:
    """Add to a result that is a wire object which server answered (META-07)."""
    if revision.result_type:
        result._meta = {**(result._meta or {}), _SERVER: server.info_for(revision)}
    return result
