"""tools/list."""

from typing import Any

from ...revisions import Revision
from .. import describe
from ..core import Core
from ..features import ToolFeature
from ..request import Request
from .pages import write_page

__all__ = ["list_"]


def list_(server: Core, request: Request) -> bytes:
    """One page of the tools."""
    return write_page(server, request, server.registry.tools, "tools", _describe)


def _describe(tool: ToolFeature, revision: Revision) -> Any:
    return describe.tool(tool.definition, tool.output.object_schema, revision)
