"""What a server of a facade answers for a name or a URI that it does not have, as the packages word and number it.

A call of an unknown tool is a failed result there, where the specification has an error of the protocol.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..errors import ToolError
from ..protocol import features
from ..protocol.features import ToolFeature
from ..server import Server
from .coded_error import CodedError, UnknownResource

__all__ = ["UnknownNames", "answer_unknown"]


class UnknownNames(NamedTuple):
    """The texts of a package, with a place for the name, and its codes; `has_data` if the error names the URI."""

    tool: str = "Unknown tool: {}"
    prompt: str = "Unknown prompt: {}"
    resource: str = "Unknown resource: {}"
    prompt_code: int = 0
    resource_code: int = 0
    has_data: bool = False


def answer_unknown(server: Server, names: UnknownNames) -> None:
    """Let a server answer unknown names as a package does. Its methods exist without registered features, too."""
    registry = server.registry
    registry.features_of.clear()
    registry.tools.unknown = _failing_tool_of(server, names.tool)

    def refuse_prompt(name: str) -> Any:
        raise CodedError(names.prompt_code, names.prompt.format(name))

    def refuse_resource(uri: str) -> Any:
        raise UnknownResource(
            names.resource_code, names.resource.format(uri), {"uri": uri} if names.has_data else None
        )

    registry.prompts.unknown, registry.resources.unknown = refuse_prompt, refuse_resource


class _UnknownTool(ToolError):
    """A tool that does not exist."""

    is_final = True


def _failing_tool_of(server: Server, text: str) -> Callable[[str], ToolFeature]:
    """A function that returns, for a name, a tool which fails with a text."""

    def make(name: str) -> ToolFeature:
        def fail(**arguments: Any) -> Any:
            raise _UnknownTool(text.format(name))

        return features.tool(fail, server.policy, server.rules, name="unknown", inline=True)

    return make
