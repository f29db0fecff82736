"""The prompts of a server of the official SDK as objects, which a program makes, adds and renders.

As a tool (see tools), a prompt is a feature of a server: one that is not added anywhere has a server of its own.
"""

import asyncio
import inspect
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Protocol, Self

import msgspec

from ...errors import PlainMCPError, ProtocolError
from ...protocol.features import PromptFeature
from ...protocol.registry import Registry
from ...schema import signature
from .content_types import PromptArgument
from .context import Context
from .input_required import is_input_required
from .loaded_types import to_loaded
from .pieces import AssistantMessage, Message, UserMessage
from .wire_model import to_wire

__all__ = ["Prompt", "PromptManager"]


class PromptServer(Protocol):
    """What a prompt needs of the server that it is registered in."""

    registry: Registry
    settings: Any

    @property
    def add_prompt(self) -> Callable[..., None]:
        """Offers a prompt."""
        ...


class Prompt:
    """A function as a prompt."""

    server_class: ClassVar[type[Any]]
    """The server that registers a function as this class of prompts is."""
    arguments: list[Any]

    def __init__(
        self,
        fn: Callable[..., Any],
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        icons: Any = None,
        arguments: Sequence[Any] | None = None,
        context_kwarg: str | None = None,
    ) -> None:
        server = self.server_class("prompt")
        given = {"name": name, "title": title, "description": description, "icons": icons}
        self.options = {key: value for key, value in given.items() if value is not None}
        server.add_prompt(fn, **self.options)
        self._stand_for(next(iter(server.registry.prompts.registered.values())), fn)
        if arguments is not None:
            self.arguments = list(arguments)

    def _stand_for(self, feature: PromptFeature, fn: Callable[..., Any]) -> None:
        self.fn, self._bind, definition = fn, feature.bind, feature.definition
        self.name, self.title, self.icons = definition.name, definition.title, definition.icons
        self.description = definition.description or ""
        self.context_kwarg = signature.read(fn, context_type=Context).context
        self.arguments = [to_loaded(PromptArgument(**msgspec.to_builtins(one))) for one in definition.arguments or ()]

    @classmethod
    def from_function(cls, fn: Callable[..., Any], name: str | None = None, **options: Any) -> Self:
        """The prompt of a function: takes the options of the decorator. Raises ValueError for a lambda."""
        if (name or getattr(fn, "__name__", "")) == "<lambda>":
            raise ValueError("You must provide a name for lambda functions")
        return cls(fn, name, **options)

    @classmethod
    def of_feature(cls, feature: PromptFeature) -> Self:
        """The prompt that a server has registered."""
        prompt = cls.__new__(cls)
        prompt.options = {}
        prompt._stand_for(feature, getattr(feature.function, "__wrapped__", feature.function))
        return prompt

    async def render(self, arguments: dict[str, Any] | None = None, context: Any = None) -> Any:
        """The messages of the prompt; raises ValueError."""
        try:
            bound = self._bind(msgspec.json.encode(arguments or {}))
            if self.context_kwarg is not None:
                bound[self.context_kwarg] = context
            is_async = inspect.iscoroutinefunction(self.fn) or inspect.iscoroutinefunction(
                getattr(self.fn, "__call__", None)  # noqa: B004 - an object with an async `__call__`
            )
            value = self.fn(**bound) if is_async else await asyncio.to_thread(self.fn, **bound)
            value = await value if inspect.isawaitable(value) else value
            if is_input_required(value):
                return value
            return [_to_message(one) for one in (value if isinstance(value, list | tuple) else [value])]
        except (ProtocolError, PlainMCPError) as error:
            raise ValueError(str(error)) from error
        except Exception as error:
            raise ValueError(f"Error rendering prompt {self.name}: {error}") from error


def _to_message(item: Any) -> Message:
    """A message of what a prompt returned: a message, content, text, or other data as JSON."""
    if isinstance(item, Message):
        return item
    if isinstance(item, dict) and "role" in item:
        kinds: dict[Any, type[Message]] = {"user": UserMessage, "assistant": AssistantMessage}
        return kinds[item["role"]](item["content"])
    if isinstance(item, str) or hasattr(item, "_get_mime_type"):
        return UserMessage(item)
    plain = to_wire(item)
    if isinstance(plain, dict) and "type" in plain and plain is not item:
        return UserMessage(item)
    return UserMessage(msgspec.json.format(msgspec.json.encode(plain, enc_hook=str), indent=2).decode())


class PromptManager:
    """The prompts of a server; one that a program makes itself has a server of its own."""

    prompt_class: ClassVar[type[Prompt]] = Prompt

    def __init__(self, warn_on_duplicate_prompts: bool = True, *, server: PromptServer | None = None) -> None:
        self._server = self.prompt_class.server_class("prompts") if server is None else server
        self._known: dict[str, tuple[PromptFeature, Prompt]] = {}
        if not warn_on_duplicate_prompts:
            self._server.settings.warn_on_duplicate_prompts = False

    @property
    def _prompts(self) -> dict[str, Prompt]:
        """The prompts by name; each is one object as long as it is registered."""
        registered = self._server.registry.prompts.registered
        for name, feature in registered.items():
            known = self._known.get(name)
            if known is None or known[0] is not feature:
                self._known[name] = (feature, self.prompt_class.of_feature(feature))
        return {name: self._known[name][1] for name in registered}

    def get_prompt(self, name: str) -> Prompt | None:
        """The prompt of a name; None if there is none."""
        return self._prompts.get(name)

    def list_prompts(self) -> list[Prompt]:
        """All prompts."""
        return list(self._prompts.values())

    def add_prompt(self, prompt: Prompt) -> Prompt:
        """Offer a prompt; if there is one of this name, the first stays, and is returned."""
        before = self.get_prompt(prompt.name)
        self._server.add_prompt(prompt)
        if before is None:
            self._known[prompt.name] = (self._server.registry.prompts.registered[prompt.name], prompt)
        return before or prompt

    async def render_prompt(self, name: str, arguments: dict[str, Any] | None = None, context: Any = None) -> Any:
        """The messages of a prompt; raises ValueError."""
        prompt = self.get_prompt(name)
        if prompt is None:
            raise ValueError(f"Unknown prompt: {name}")
        return await prompt.render(arguments, context)
