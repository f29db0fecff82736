"""The managers of resources and prompts behind a server of the official SDK: what is registered, by name."""

from typing import Any

from ...server import Server

__all__ = ["PromptManager", "ResourceManager"]


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
