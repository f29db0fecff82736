"""prompts/list and prompts/get."""

from typing import Any

from ...errors import InvalidParams, ToolError
from ...wire import jsonrpc
from .. import describe, project
from ..request import Request
from . import shared
from .shared import Steps

__all__ = ["get", "list_"]


def list_(server: Any, request: Request) -> bytes:
    """One page of the prompts."""
    return shared.listed(
        server,
        request,
        server.registry.prompts,
        "prompts",
        lambda feature: describe.prompt(feature.definition, request.revision),
    )


def get(server: Any, request: Request) -> Steps:
    """The messages of a prompt; arguments that do not fit are the peer's to mend (PROM-04)."""
    params = request.params
    prompt = server.registry.prompts.known(params.get("name", str), request.principal)
    try:
        kwargs = prompt.bind(params.arguments)
    except ToolError as error:
        raise InvalidParams(str(error)) from None

    def respond(value: Any) -> bytes:
        result = project.prompt_result(prompt.normalize(value), request.revision)
        return jsonrpc.close(request.id, shared.finished(result, server, request.revision))

    what = f"Prompt {prompt.definition.name}"
    return (yield from shared.made(server, request, prompt, kwargs, respond, what))
