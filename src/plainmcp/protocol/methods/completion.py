"""completion/complete."""

from typing import Any

import msgspec

from ...context import Context
from ...errors import InvalidParams, MethodNotFound, ProtocolError
from ..request import Request
from ..steps import FAILURES, Run
from . import shared
from .shared import Steps

__all__ = ["complete"]

MOST = 100
"""How many suggestions one answer may hold (COMP-02)."""


class _Reference(msgspec.Struct):
    type: str
    name: str | None = None
    uri: str | None = None


class _Argument(msgspec.Struct):
    name: str
    value: str


class _Context(msgspec.Struct):
    arguments: dict[str, str] | None = None


def complete(server: Any, request: Request) -> Steps:
    """Suggestions for an argument of a prompt or a variable of a template."""
    if not server.registry.completions:
        raise MethodNotFound("this server completes nothing")  # COMP-03
    params = request.params
    ref = params.get("ref", _Reference)
    argument = params.get("argument", _Argument)
    context = params.get("context", _Context, _Context())
    source = server.registry.complete(_target(server, request, ref), argument.name)
    found: list[str] = []
    if source is not None:
        try:
            given: dict[str, Any] = dict(zip(source.names, (argument.value, context.arguments or {}), strict=False))
            if source.context is not None:
                given[source.context] = Context(request, is_async=source.is_async)
            value = yield Run(source, given, request.link)
            found = [value] if isinstance(value, str) else [str(item) for item in value or ()]
        except ProtocolError:
            raise
        except FAILURES as error:
            raise shared.internal(error, f"Completion of {argument.name}") from error
    completion = {"values": found[:MOST], "total": len(found), "hasMore": len(found) > MOST}
    return shared.stamped({"completion": completion}, server, request)


def _target(server: Any, request: Request, ref: _Reference) -> str:
    """The prompt or template meant; raises InvalidParams for one that does not exist."""
    if ref.type == "ref/prompt" and ref.name is not None:
        return str(server.registry.prompts.known(ref.name, request.principal).key)
    if ref.type == "ref/resource" and ref.uri is not None:
        shelf = server.registry.templates
        if shelf.find(ref.uri, request.principal) or server.registry.resources.find(ref.uri, request.principal):
            return ref.uri
        raise InvalidParams(f"Unknown resource template: {ref.uri}")
    raise InvalidParams("params.ref is a ref/prompt with a name or a ref/resource with a uri")
