"""prompts/list and prompts/get."""

from typing import Any

from ...errors import InvalidParams, ToolError
from ...revisions import Revision
from ...wire import jsonrpc
from .. import describe, project
from ..core import Core
from ..features import PromptFeature
from ..plan import Plan, add_server_info
from ..request import Request
from .pages import write_page

__all__ = ["PromptPlan", "list_"]


def list_(server: Core, request: Request) -> bytes:
    """One page of the prompts."""
    return write_page(server, request, server.registry.prompts, "prompts", _describe)


def _describe(feature: PromptFeature, revision: Revision) -> Any:
    return describe.prompt(feature.definition, revision)


class PromptPlan(Plan[PromptFeature]):
    """The compiled call of a prompt on one revision."""

    @property
    def title(self) -> str:
        """The kind and the name of the prompt."""
        return f"Prompt {self.feature.definition.name}"

    def bind(self, request: Request, arguments: Any) -> dict[str, Any]:
        """The keyword arguments; raises InvalidParams if they do not fit (PROM-04)."""
        try:
            return self.feature.bind(arguments)
        except ToolError as error:
            raise InvalidParams(str(error)) from None

    def write(self, request: Request, value: Any) -> bytes:
        """The response with the messages."""
        result = project.prompt_result(self.feature.normalize(value), self.revision)
        return jsonrpc.encode_result(request.id, add_server_info(result, self.server, self.revision))
