"""`MCPMixin` of FastMCP: a class marks its methods, and each of its objects offers them on a server.

A mark is an attribute of the function with the options of its registration; programs read it, too.
"""

import inspect
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from ...components import Prompt, Tool
from ...fast_mcp import FastMCP
from ...resource_types import Resource

__all__ = ["MCPMixin", "mcp_prompt", "mcp_resource", "mcp_tool"]

F = TypeVar("F", bound=Callable[..., Any])

_SHARED = {"annotations", "auth", "description", "icons", "meta", "tags", "task", "title", "version"}
_OPTIONS = {
    "tool": _SHARED | {"exclude_args", "name", "output_schema", "run_in_thread", "serializer", "timeout"},
    "resource": _SHARED | {"mime_type", "name", "security", "size"},
    "prompt": _SHARED | {"name"},
}
"""The options of each kind, so that a wrong one fails where it is written."""


def mcp_tool(name: str | None = None, *, enabled: bool | None = None, **options: Any) -> Callable[[F], F]:
    """Mark a method as a tool; takes the options of Tool.from_function. With `enabled=False` it is left out."""
    return _mark("tool", name, enabled, options)


def mcp_resource(
    uri: str, *, name: str | None = None, enabled: bool | None = None, **options: Any
) -> Callable[[F], F]:
    """Mark a method as the resource at a URI; takes the options of Resource.from_function."""
    return _mark("resource", name, enabled, options, uri=uri)


def mcp_prompt(name: str | None = None, *, enabled: bool | None = None, **options: Any) -> Callable[[F], F]:
    """Mark a method as a prompt; takes the options of Prompt.from_function."""
    return _mark("prompt", name, enabled, options)


def _mark(kind: str, name: str | None, enabled: bool | None, options: dict[str, Any], **own: Any) -> Callable[[F], F]:
    unknown = sorted(options.keys() - _OPTIONS[kind])
    if unknown:
        raise TypeError(
            f"mcp_{kind}() got unexpected keyword argument(s): {unknown}; it takes {sorted(_OPTIONS[kind])}"
        )

    def mark(function: F) -> F:
        given = {**own, "name": name or function.__name__, **options}
        setattr(function, _attribute_of(kind), {**given, "enabled": enabled})
        return function

    return mark


def _attribute_of(kind: str) -> str:
    return f"_mcp_{kind}_registration"


class MCPMixin:
    """The base of a class whose objects offer their marked methods on a server."""

    def register_tools(self, mcp_server: FastMCP, prefix: str | None = None, separator: str = "_") -> None:
        """Offer the methods with @mcp_tool, with a prefix before their names."""
        for method, options in self._marked("tool", prefix, separator):
            mcp_server.add_tool(Tool.from_function(method, **options))

    def register_resources(self, mcp_server: FastMCP, prefix: str | None = None, separator: str = "+") -> None:
        """Offer the methods with @mcp_resource, with a prefix before their names and URIs."""
        for method, options in self._marked("resource", prefix, separator):
            mcp_server.add_resource(Resource.from_function(method, **options))

    def register_prompts(self, mcp_server: FastMCP, prefix: str | None = None, separator: str = "_") -> None:
        """Offer the methods with @mcp_prompt, with a prefix before their names."""
        for method, options in self._marked("prompt", prefix, separator):
            mcp_server.add_prompt(Prompt.from_function(method, **options))

    def register_all(
        self,
        mcp_server: FastMCP,
        prefix: str | None = None,
        tool_separator: str = "_",
        resource_separator: str = "+",
        prompt_separator: str = "_",
    ) -> None:
        """Offer all methods that are marked."""
        self.register_tools(mcp_server, prefix, tool_separator)
        self.register_resources(mcp_server, prefix, resource_separator)
        self.register_prompts(mcp_server, prefix, prompt_separator)

    def _marked(self, kind: str, prefix: str | None, separator: str) -> Iterator[tuple[Any, dict[str, Any]]]:
        """The methods with a mark, and their options. Properties are not read: they may do anything."""
        for name in dir(self):
            function: Any = inspect.getattr_static(self, name, None)
            mark = getattr(getattr(function, "__func__", function), _attribute_of(kind), None)
            if mark is None or mark["enabled"] is False:
                continue
            options = {key: value for key, value in mark.items() if key != "enabled"}
            if prefix:
                changed = {"name", "uri"} & options.keys()
                options |= {key: f"{prefix}{separator}{options[key]}" for key in changed}
            yield getattr(self, name), options
