"""What may be said about a feature when it is registered: the keywords of the decorators, with their types."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypedDict

from .policy import Policy
from .types import Annotations, Icon, ToolAnnotations

__all__ = ["PromptOptions", "ResourceOptions", "ToolOptions"]


class FeatureOptions(TypedDict, total=False):
    """What every feature takes."""

    name: str | None
    title: str | None
    description: str | None
    icons: Sequence[Icon] | None
    meta: dict[str, Any] | None
    visible: Callable[[Any], bool] | None  # given who is calling
    needs: dict[str, Any]  # the client capabilities without which it cannot run
    inline: bool  # run a plain function in the event loop, not in a thread
    timeout: float | None  # seconds
    replace: bool  # put it in the place of one of the same name


class ToolOptions(FeatureOptions, total=False):
    """What a tool takes."""

    input_schema: dict[str, Any] | None
    output_schema: dict[str, Any] | bool | None
    annotations: ToolAnnotations | Mapping[str, Any] | None
    render: Literal["json", "yaml", "table", "markdown", "csv"] | Callable[[Any], str] | None
    policy: Policy | str


class ResourceOptions(FeatureOptions, total=False):
    """What a resource takes."""

    mime_type: str | None
    size: int | None
    annotations: Annotations | Mapping[str, Any] | None
    cache: tuple[int, Literal["public", "private"]] | None


class PromptOptions(FeatureOptions, total=False):
    """What a prompt takes."""
