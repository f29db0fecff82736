"""The managers behind a server of the official SDK, for programs that look at them: what is registered, by name."""

from typing import Any

from ...errors import ToolError
from ...protocol.features import ToolFeature
from ...server import Server
from .fn_metadata import FuncMetadata

__all__ = ["ListedTool", "PromptManager", "ResourceManager", "ToolManager"]


class ListedTool:
    """A registered tool, as the SDK's manager shows it; `parameters` is the schema that is listed."""

    def __init__(self, feature: ToolFeature) -> None:
        self._feature = feature

    @property
    def name(self) -> str:
        """The name of the tool."""
        return self._feature.definition.name

    @property
    def title(self) -> str | None:
        """The title of the tool."""
        return self._feature.definition.title

    @property
    def description(self) -> str:
        """The description of the tool."""
        return self._feature.definition.description or ""

    @property
    def parameters(self) -> dict[str, Any]:
        """The input schema."""
        return self._feature.definition.inputSchema

    @property
    def output_schema(self) -> dict[str, Any] | None:
        """The output schema."""
        return self._feature.definition.outputSchema

    @property
    def annotations(self) -> Any:
        """The annotations of the tool."""
        return self._feature.definition.annotations

    @property
    def fn(self) -> Any:
        """The function, as its author wrote it."""
        return getattr(self._feature.function, "__wrapped__", self._feature.function)

    @property
    def fn_metadata(self) -> FuncMetadata:
        """The model of the arguments, and the output schema."""
        return FuncMetadata(self._feature, self.fn)

    @property
    def is_async(self) -> bool:
        """Whether the function is `async def`."""
        return self._feature.is_async


class ToolManager:
    """The tools of a server."""

    def __init__(self, server: Server) -> None:
        self._server: Any = server

    @property
    def _tools(self) -> dict[str, ListedTool]:
        return {name: ListedTool(feature) for name, feature in self._server.registry.tools.features.items()}

    def get_tool(self, name: str) -> ListedTool | None:
        """The tool of a name; None if there is none."""
        return self._tools.get(name)

    def list_tools(self) -> list[ListedTool]:
        """All tools."""
        return list(self._tools.values())

    def add_tool(self, fn: Any, *arguments: Any, **options: Any) -> ListedTool | None:
        """Offer a function as a tool."""
        self._server.add_tool(fn, *arguments, **options)
        return self.get_tool(options.get("name") or (arguments[0] if arguments else None) or fn.__name__)

    def remove_tool(self, name: str) -> None:
        """No longer offer a tool."""
        if name not in self._server.registry.tools:
            raise ToolError(f"Unknown tool: {name}")
        self._server.registry.tools.remove(name)


class ResourceManager:
    """The resources and templates of a server."""

    def __init__(self, server: Server) -> None:
        self._server: Any = server

    def list_resources(self) -> list[Any]:
        """The definitions of all resources."""
        return [feature.definition for feature in self._server.registry.resources]

    def list_templates(self) -> list[Any]:
        """The definitions of all resource templates."""
        return [feature.definition for feature in self._server.registry.templates]


class PromptManager:
    """The prompts of a server."""

    def __init__(self, server: Server) -> None:
        self._server: Any = server

    def list_prompts(self) -> list[Any]:
        """The definitions of all prompts."""
        return [feature.definition for feature in self._server.registry.prompts]

    def get_prompt(self, name: str) -> Any:
        """The definition of the prompt of a name; None if there is none."""
        feature = self._server.registry.prompts.features.get(name)
        return None if feature is None else feature.definition
