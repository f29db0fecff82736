"""tools/list and tools/call."""

from typing import Any

from ...revisions import Revision
from .. import describe
from ..core import Core
from ..exchange import Exchange
from ..features import Feature, ToolFeature
from ..plan import ToolPlan, start_call
from ..request import Request
from .pages import write_page

__all__ = ["call", "find", "list_"]


def list_(server: Core, request: Request) -> bytes:
    """One page of the tools."""
    return write_page(server, request, server.registry.tools, "tools", _describe)


def _describe(tool: ToolFeature, revision: Revision) -> Any:
    return describe.tool(tool.definition, tool.output.object_schema, revision)


def call(server: Core, request: Request) -> Exchange:
    """Run a tool; what goes wrong inside it is a result that the model can read (TOOL-11, TOOL-12)."""
    feature, arguments = find(server, request)
    return start_call(ToolPlan, server, feature, request, arguments)


def find(server: Core, request: Request) -> tuple[Feature, Any]:
    """The tool that a request names, and its arguments."""
    params = request.params
    name = params.name if type(params.name) is str else params.get("name", str)
    return server.registry.tools.get(name, request.principal), params.arguments
