"""Methods that an author adds: a function of the parameters as one object, whose value is the result.

Knows how a function becomes a row of the methods; the package knows what a row says.
"""

from collections.abc import Callable, Collection
from typing import Any

from ...context import Context
from ...errors import AuthorError
from ...policy import Policy
from ...revisions import MODERN, REVISIONS, revision_of
from ...schema import signature
from ...values.encode import Rules
from ...values.payload import strict_policy_of
from ...wire import codec, jsonrpc
from .. import dependencies
from ..core import Core
from ..features import Feature
from ..plan import Plan, with_server_info
from ..request import Request
from ..scopes import check_requirement
from . import METHODS, Method, method_of

__all__ = ["compile"]


class MethodFeature(Feature, kw_only=True):
    """The function of a method, and the parameter that takes the parameters of a request."""

    name: str
    parameter: str | None
    params: Any  # their type
    forbids_meta: bool  # whether that refuses the _meta of the protocol
    rules: Rules
    definition: None = None


class MethodPlan(Plan[MethodFeature]):
    """The compiled call of a method on one revision."""

    @property
    def title(self) -> str:
        """The name of the method."""
        return f"Method {self.feature.name}"

    def bind(self, request: Request, arguments: Any) -> dict[str, Any]:
        """The parameters as their type; raises InvalidParams."""
        feature = self.feature
        if feature.parameter is None:
            return {}
        params = request.params.without_meta() if feature.forbids_meta else request.params
        return {feature.parameter: params.read(feature.params)}

    def write(self, request: Request, value: Any) -> bytes:
        """The response with the JSON of the value, which must be an object."""
        raw = self.feature.rules.encode(value, strict_policy_of(Policy.standard))
        result = codec.decode(raw)
        if not isinstance(result, dict):
            raise TypeError(f"{self.title} needs an object for a result, such as a dict or a dataclass")
        return jsonrpc.encode_result(request.id, with_server_info(result, self.server, self.revision))


def compile(
    name: str,
    function: Callable[..., Any],
    rules: Rules,
    taken: Collection[str] = (),
    *,
    params: Any = None,
    revisions: Collection[str] | None = None,
    extension: str | None = None,
    mcp_name: str | None = None,
    **options: Any,
) -> Method:
    """A function as a method; raises AuthorError. `taken` has the names of methods that were added before."""
    _check_name(name, taken)
    for option, text in (("extension", extension), ("mcp_name", mcp_name), ("revisions", revisions)):
        if text is not None and not text:
            raise AuthorError(f"{name}: {option}= is empty; leave it out")
    read = signature.read(function, context_type=Context)
    if len(read.parameters) > 1 or read.others is not None:
        raise AuthorError(
            f"{name}: the function gets the parameters of a request as one object: give it one parameter"
        )
    parameter = read.parameters[0] if read.parameters else None
    params = params or (dict[str, Any] if parameter is None or parameter.annotation is Any else parameter.annotation)
    try:
        codec.decoder_of(params)
    except TypeError as error:
        raise AuthorError(f"{name}: the type of its parameters must be one that msgspec decodes: {error}") from None
    options["requires"] = check_requirement(options.get("requires"))
    needs: dict[str, Any] = {} if extension is None else {"extensions": {extension: {}}}
    feature = MethodFeature(
        name=name,
        function=function,
        parameter=None if parameter is None else parameter.name,
        params=params,
        forbids_meta=_forbids_meta(params),
        rules=rules,
        is_async=read.is_async,
        context=read.context,
        dependencies=dependencies.compile(read),
        needs={**options.pop("needs", {}), **needs},
        **options,
    )

    def find(server: Core, request: Request) -> tuple[Feature, Any]:
        return feature, None

    names = _revisions_of(revisions, extension)
    return method_of(find, MethodPlan, header=mcp_name, revisions=names, extension=extension)


def _check_name(name: str, taken: Collection[str]) -> None:
    if name in taken:
        raise AuthorError(f"there is a method {name!r} already")
    if name in METHODS:
        raise AuthorError(f"{name!r} is a method of the protocol, which the server answers itself")
    if not name.isprintable() or not name or " " in name or name.startswith("notifications/"):
        raise AuthorError(f"{name!r} is not the name of a request; write one such as 'books/list'")


def _forbids_meta(params: Any) -> bool:
    config = getattr(params, "__struct_config__", None)
    return config is not None and config.forbid_unknown_fields and "_meta" not in params.__struct_encode_fields__


def _revisions_of(revisions: Collection[str] | None, extension: str | None) -> frozenset[str]:
    """The revisions that have a method: an extension is declared on those without a handshake."""
    if revisions is None:
        return frozenset(REVISIONS if extension is None else MODERN)
    return frozenset(revision_of(one).name for one in revisions)
