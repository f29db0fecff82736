"""Middleware: functions around the methods of a server, compiled into the methods when they are registered.

A middleware function gets a request and `call_next`. What `call_next` returns is the value of the handler, or the
result of a method without a handler; exceptions of the handler come out of it. A generator function gets the request
only: it runs until its `yield` before the rest, and continues after it. Knows steps, not how they are taken.
"""

from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from inspect import iscoroutinefunction, isgeneratorfunction
from typing import Any

import msgspec
from msgspec import UNSET

from ..client import RpcError, read_result, to_error
from ..errors import AuthorError, ProtocolError
from ..foreign.annotations import signature_of
from ..wire import codec, jsonrpc
from .conversation import ENDS, Conversation, Finish, Steps, evaluate, keep
from .core import Core
from .exchange import FAILURES, Around, Evaluation, Exchange, Listen
from .failures import error_response, internal_error
from .features import Feature
from .methods import METHODS, Answer, Method
from .plan import Plan, plan_of
from .prefix import Prefix, remove_prefix
from .request import Cancelled, Request

__all__ = ["Middleware", "MiddlewareRequest", "compile", "wrap_methods"]

Call = Callable[["MiddlewareRequest", Finish], Steps]
"""The steps at the end of a chain; their value is what the second argument returns for the value of the handler."""


class Middleware(msgspec.Struct, frozen=True):
    """A middleware function, and the methods that it is for; None for all of them."""

    feature: Feature
    methods: frozenset[str] | None = None
    is_generator: bool = False

    def is_for(self, method: str) -> bool:
        """Whether it is called for a method."""
        return self.methods is None or method in self.methods


def compile(
    function: Callable[..., Any], methods: Sequence[str] | None = None, known: Collection[str] = METHODS
) -> Middleware:
    """A function as middleware; raises AuthorError for a method that is not one of the known."""
    if not callable(function):
        raise AuthorError(f"middleware is a function of a request and call_next, not {type(function).__name__}")
    for method in methods or ():
        if method not in known:
            raise AuthorError(f"there is no method {method!r}; the methods are {', '.join(known)}")
    target = function if iscoroutinefunction(function) else getattr(function, "__call__", function)  # noqa: B004
    feature = Feature(function=function, is_async=iscoroutinefunction(target))
    only_looks = isgeneratorfunction(function)
    _check_parameters(function, 1 if only_looks else 2)
    return Middleware(feature, None if methods is None else frozenset(methods), only_looks)


def _check_parameters(function: Callable[..., Any], count: int) -> None:
    """Raise AuthorError if a function cannot be called with so many arguments."""
    try:
        signature_of(function).bind(*range(count))
    except TypeError:
        name = getattr(function, "__name__", "it")
        wanted = "(request), because it has a yield" if count == 1 else "(request, call_next)"
        raise AuthorError(f"middleware is called with {wanted}, and {name} does not take that") from None
    except ValueError:  # a function without a signature, such as some in C
        return


def wrap_methods(
    methods: Mapping[str, Method], chain: Sequence[Middleware], has_inner: bool = False
) -> Mapping[str, Method]:
    """Every method, with the middleware that is for it around it. The first is the outermost.

    With `has_inner`, mounted servers have middleware around their own features.
    """
    if not (chain or has_inner):
        return methods
    return {
        name: _wrap(name, method, [one for one in chain if one.is_for(name)], has_inner)
        for name, method in methods.items()
    }


def _wrap(name: str, method: Method, chain: Sequence[Middleware], has_inner: bool) -> Method:
    """A method with middleware around what answers it."""
    if method.find is not None and (chain or has_inner):
        return _answered_by(method, _compile_call(chain, _call_feature), _write_value)
    if not chain:
        return method
    stays_open = name == "subscriptions/listen"
    call = _compile_call(chain, _accept if stays_open else partial(_call_method, method.answer))
    call = partial(_listen_after, call, method.answer) if stays_open else call
    return _answered_by(method, call, _write_result)


def _answered_by(method: Method, call: Call, write: Callable[["MiddlewareRequest", Any], bytes]) -> Method:
    return msgspec.structs.replace(method, answer=partial(_start, call, write))


def _compile_call(chain: Sequence[Middleware], end: Call) -> Call:
    """The call at the end of a chain, with the middleware around it."""
    call = end if chain else partial(_delay, end)
    for one in reversed(chain):
        call = partial(_observe if one.is_generator else _surround, one.feature, call)
    return call


class MiddlewareRequest:
    """A request, as middleware sees it."""

    def __init__(self, server: Core, request: Request) -> None:
        self._server = server
        self._request = request
        self._params: dict[str, Any] | None = None
        self._prefixes: tuple[Prefix, ...] = ()  # that the mounted server of the middleware has
        self._target: tuple[Plan[Any], Any] | None = None  # what the call found for the request, and its arguments
        self._outermost = self  # for middleware of a mounted server, the request as the server got it
        self._response: bytes | None = None  # the response of a method without a handler
        self._result: Any = None  # and its result

    @property
    def method(self) -> str:
        """The method, such as "tools/call"."""
        return self._request.method

    @property
    def params(self) -> dict[str, Any]:
        """The parameters. A change of this dict changes the request."""
        if self._params is None:
            self._params = self._request.params.as_dict()
        return self._params

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of a tool or a prompt. A change of this dict changes the request."""
        arguments = self.params.setdefault("arguments", {})
        return arguments if isinstance(arguments, dict) else {}

    @property
    def name(self) -> str | None:
        """The name of the tool or the prompt, or the URI of the resource; None for other methods.

        For middleware of a mounted server it is the name in that server, without its prefix.
        """
        kind = "uri" if self._get("name") is None else "name"
        name = self._get(kind)
        if not isinstance(name, str):
            return None
        for prefix in self._prefixes:
            name = remove_prefix(prefix, name, is_uri=kind == "uri")
        return name

    def _get(self, parameter: str) -> Any:
        """A parameter as it is now; the dict of all of them is not made for it."""
        if self._params is not None:
            return self._params.get(parameter)
        value = getattr(self._request.params, parameter)
        return None if value is UNSET else value

    def _without_prefix(self, prefix: Prefix) -> "MiddlewareRequest":
        """The same request, as the middleware of a mounted server sees it."""
        inner = MiddlewareRequest(self._server, self._request)
        inner._params, inner._prefixes = self.params, (*self._prefixes, prefix)
        inner._outermost = self._outermost
        return inner

    @property
    def feature(self) -> Any:
        """The definition of the tool, prompt, resource or template that is used; None for other methods.

        Raises InvalidParams or ResourceNotFound if there is none.
        """
        return _find(self)[0].feature.definition if _has_feature(self) else None

    @property
    def principal(self) -> Any:
        """The authenticated caller; None if the transport does not authenticate callers."""
        return self._request.principal

    @property
    def client(self) -> dict[str, Any]:
        """The name and version that the client gives itself, and its other facts."""
        return self._request.client

    @property
    def revision(self) -> str:
        """The name of the protocol revision of the request."""
        return self._request.revision.name

    @property
    def request_id(self) -> Any:
        """The id of the request, as the client chose it."""
        return msgspec.json.decode(self._request.id)

    @property
    def session_id(self) -> str | None:
        """The id of the HTTP session; None without one."""
        return None if self._request.session is None else self._request.session.id

    @property
    def headers(self) -> Mapping[str, str]:
        """The HTTP headers of the request, by lowercase name; empty on other transports."""
        return self._request.header_values

    @property
    def state(self) -> dict[str, Any]:
        """A dict for this request, which the handler finds in `ctx.state`."""
        return self._request.state

    def normalize(self, value: Any) -> Any:
        """The result that the value of a handler becomes: of tools/call, resources/read or prompts/get.

        Of other methods the value is the result already.
        """
        if not _has_feature(self):
            return value
        plan, _ = self._outermost._target or _find(self)
        feature = plan.feature
        if self.method == "resources/read":
            return feature.normalize(self._get("uri"), value)
        return feature.normalize(value).result if self.method == "tools/call" else feature.normalize(value)

    def _current(self) -> Request:
        """The request, with the parameters as they are now."""
        if self._params is not None:
            self._request.params = self._request.params.with_changes(self._params)
        return self._request


def _start(call: Call, write: Callable[[MiddlewareRequest, Any], bytes], server: Core, request: Request) -> Exchange:
    """Start to answer a request through its middleware; `write` writes the response for what comes out of it."""
    incoming = MiddlewareRequest(server, request)
    has_requirements = server.registry.has_requirements or request.method in server.added_methods
    if has_requirements and _has_feature(incoming):
        refusal = _check_scopes(incoming)
        if refusal is not None:
            return Exchange(refusal)
    if request.link is not None:
        request.link.start(bytes(request.id))
    steps = call(incoming, partial(write, incoming))
    return Conversation(steps=steps, request=request, write_failure=partial(_fail, incoming)).begin()


def _delay(call: Call, incoming: MiddlewareRequest, finish: Finish) -> Steps:
    """The steps of a call, which begins with the first one."""
    return (yield from call(incoming, finish))


def _surround(feature: Feature, call: Call, incoming: MiddlewareRequest, finish: Finish) -> Steps:
    """The step of a middleware function, which takes the steps of the rest with `call_next`."""
    return (yield Around(feature, incoming, partial(_proceed, call), finish, incoming._request.link))


def _proceed(call: Call, request: Any) -> Evaluation:
    if not isinstance(request, MiddlewareRequest):
        raise AuthorError("call_next takes the request that the middleware got")
    return Evaluation(steps=call(request, keep)).begin()


def _observe(feature: Feature, call: Call, incoming: MiddlewareRequest, finish: Finish) -> Steps:
    """The steps of the rest, with a generator around them: it can raise, but it does not see or change the value."""
    observer: Generator[None, None, None] = feature.function(incoming)
    next(observer, None)
    try:
        value = yield from call(incoming, finish)
    except ENDS as error:
        _throw(observer, error)
        raise
    next(observer, None)
    return value


def _throw(observer: Generator[None, None, None], error: BaseException) -> None:
    with suppress(StopIteration):  # an observer does not have to pass the exception on
        observer.throw(error)


# Methods with a handler ---------------------------------------------------------------------------


def _has_feature(incoming: MiddlewareRequest) -> bool:
    """Whether the method is answered by a feature, and not by a function of the server's own."""
    return incoming._server.methods[incoming.method].find is not None


def _check_scopes(incoming: MiddlewareRequest) -> bytes | None:
    """The response that refuses a caller who lacks a scope, before any middleware runs; None if there is none.

    The checks of the plan come again at the end of the chain, which may have changed the request.
    """
    try:
        plan, arguments = _find(incoming)
    except ProtocolError:  # there is no such feature; the chain gets to know
        return None
    try:
        plan.check_scopes(incoming._current(), arguments)
    except FAILURES as error:
        return plan.fail(incoming._current(), error)
    return None


def _find(incoming: MiddlewareRequest) -> tuple[Plan[Any], Any]:
    """The plan for a request as it is now, and its arguments; raises a ProtocolError."""
    server, request = incoming._server, incoming._current()
    method = server.methods[request.method]
    assert method.find is not None and method.plan is not None  # see _has_feature
    feature, arguments = method.find(server, request)
    return plan_of(method.plan, server, feature, request), arguments


def _call_feature(incoming: MiddlewareRequest, finish: Finish) -> Steps:
    """The steps of a handler, with the middleware of the servers that it was mounted with."""
    incoming._target = plan, arguments = _find(incoming)
    if plan.feature.through:
        mounts = tuple(zip(plan.feature.through, plan.feature.prefixes, strict=True))
        return _call_mounted(mounts, incoming, finish)
    return evaluate(plan, incoming._request, arguments, finish)


def _call_mounted(mounts: Sequence[tuple[Core, Prefix]], incoming: MiddlewareRequest, finish: Finish) -> Steps:
    """The steps of a handler of a mounted server: the middleware of each server knows the handler by its own name."""
    if not mounts:
        incoming._outermost._target = plan, arguments = _find(
            incoming
        )  # the middleware of the mounted servers may have changed the request
        return evaluate(plan, incoming._request, arguments, finish)
    (server, prefix), *inner = mounts
    chain = [one for one in server.chain if one.is_for(incoming.method)]
    return _compile_call(chain, partial(_call_mounted, inner))(incoming._without_prefix(prefix), finish)


def _write_value(incoming: MiddlewareRequest, value: Any) -> bytes:
    try:
        plan, _ = incoming._target or _find(incoming)
        return plan.respond(incoming._request, value)
    except BaseException as error:
        return _fail(incoming, incoming._request, error)


def _fail(incoming: MiddlewareRequest, request: Request, error: BaseException) -> bytes:
    if _has_feature(incoming):
        try:
            plan, _ = incoming._target or _find(incoming)
        except ProtocolError:  # there is no such feature, so there is no form for its errors
            pass
        else:
            return plan.fail(request, error)
    title = f"Method {request.method}"
    return error_response(internal_error(error, title), request.revision, request.id, title)


# Methods without a handler ------------------------------------------------------------------------


def _call_method(answer: Answer, incoming: MiddlewareRequest, finish: Finish) -> Steps:
    request = _with_inner_link(incoming._current())
    response = yield from _take_all(answer(incoming._server, request), request)
    incoming._response, incoming._result = response, _result_of(response, request)
    return finish(incoming._result)


def _with_inner_link(request: Request) -> Request:
    """The request for its method: it starts and ends once, around its middleware."""
    return request if request.link is None else msgspec.structs.replace(request, link=_InnerLink(request.link))


class _InnerLink:
    """The link of a request, for a method that does not start or end it."""

    def __init__(self, link: Any) -> None:
        self._link = link

    def __getattr__(self, name: str) -> Any:
        return getattr(self._link, name)

    def start(self, id: bytes) -> None:
        """Do nothing: the request has started."""

    def finish(self) -> bool:
        """Whether the response is wanted."""
        return not self._link.cancelled


def _take_all(answer: Exchange | bytes | dict[str, Any], request: Request) -> Steps:
    """The response of a method, after the steps that it takes."""
    if isinstance(answer, dict):
        return jsonrpc.encode_result(request.id, answer)
    if not isinstance(answer, Exchange):
        return answer
    while answer.step is not None:
        try:
            value = yield answer.step
        except ENDS as error:
            answer.throw(error)
        else:
            answer.send(value)
    return answer.response


def _result_of(response: bytes | None, request: Request) -> Any:
    """The result in a response; raises the error in it."""
    if response is None:
        raise Cancelled
    try:
        return codec.decode(read_result(response))
    except RpcError as error:
        raise to_error(error, request.revision) from None


def _write_result(incoming: MiddlewareRequest, result: Any) -> bytes:
    """The response: as the method wrote it, if the middleware returned the result unchanged."""
    written = incoming._response
    if written is not None and result is incoming._result and result == _result_of(written, incoming._request):
        return written
    try:
        return jsonrpc.encode_result(incoming._request.id, result)
    except BaseException as error:
        return _fail(incoming, incoming._request, error)


def _listen_after(accept: Call, answer_by: Answer, incoming: MiddlewareRequest, finish: Finish) -> Steps:
    """The steps of a request that stays open: its middleware ends before it starts."""
    yield from accept(incoming, keep)
    request = incoming._current()
    answer = answer_by(incoming._server, _with_inner_link(request))
    if isinstance(answer, Exchange) and isinstance(answer.step, Listen):
        answer.step = msgspec.structs.replace(answer.step, link=request.link)  # which the transport keeps open
    return (yield from _take_all(answer, request))


def _accept(incoming: MiddlewareRequest, finish: Finish) -> Steps:
    return None
    yield
