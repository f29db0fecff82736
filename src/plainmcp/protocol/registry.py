"""What a server offers: tools, resources, templates, prompts and completions, and who is notified of changes.

This module does not know how a feature is created, nor how it is called.
"""

from collections.abc import Callable, Collection
from typing import Any, Protocol

from ..errors import AuthorError, ResourceNotFound
from ..policy import Policy
from .feature_list import FeatureList
from .features import Completion, PromptFeature, ResourceFeature, TemplateFeature, ToolFeature
from .listeners import Listeners
from .switches import Selection, Switches

__all__ = ["Registry"]


class Relay(Protocol):
    """Passes changes on to other processes."""

    def relay(self, event: str, uri: str | None, is_reported: bool) -> bool:
        """Pass a change on; returns whether it also calls `deliver` here, soon.

        `is_reported`: by the author. Otherwise a list was changed here, perhaps before the server starts.
        """
        ...


class Registry:
    """All features of one server, and the listeners for changes of them."""

    def __init__(self, policy: Policy, offers: Collection[str] = ()) -> None:
        by_name = policy.list_order == "name"
        self._listeners = Listeners[[str, str | None]]()
        self.forwards = Listeners[[str, str | None]]()
        """Called with the changes that the author reports: servers in which this one is mounted publish them, too."""
        self.relay: Relay | None = None
        """Passes changes on to other processes, if there are any."""
        self._switches = Switches()
        self.mounts: list[tuple[Registry, str]] = []
        """The registries of mounted servers, with their prefixes."""
        self.has_requirements = False
        """Whether any feature requires scopes."""
        is_enabled = self._switches.is_enabled
        tools, resources, prompts = map(self._publisher, ("tools", "resources", "prompts"))
        self.tools = FeatureList[ToolFeature]("tool", by_name, tools, is_enabled)
        self.resources = FeatureList[ResourceFeature]("resource", by_name, resources, is_enabled)
        self.templates = FeatureList[TemplateFeature]("resource template", by_name, resources, is_enabled)
        self.prompts = FeatureList[PromptFeature]("prompt", by_name, prompts, is_enabled)
        self.completions = FeatureList[Completion]("completion", by_name, lambda: None)
        self.resources.unknown = _refuse_uri
        self._lists: dict[str, tuple[FeatureList[Any], ...]] = {
            "tools": (self.tools,),
            "resources": (self.resources, self.templates),
            "prompts": (self.prompts,),
            "completions": (self.completions,),
        }
        self.offers = _check_offers(offers, self._lists)
        """What is announced although there may be none of it."""
        self.features_of: dict[str, tuple[dict[str, Any], ...]] = {
            method: tuple(features.registered for features in self._lists[kind])
            for method, kind in _KINDS.items()
            if kind not in self.offers
        }
        """The features without which a method does not exist, by method name; also those that are disabled."""

    def is_offered(self, kind: str) -> bool:
        """Whether a kind of features is announced: there are some, or the author promises them.

        The choices that hints give are completions, too.
        """
        is_there = any(features.registered for features in self._lists[kind])
        return is_there or kind in self.offers or (kind == "completions" and self._has_choices())

    def _has_choices(self) -> bool:
        features = (*self.prompts.registered.values(), *self.templates.registered.values())
        return any(feature.choices for feature in features)

    # Changes --------------------------------------------------------------------------------------

    def listen(self, listener: Callable[[str, str | None], None]) -> Callable[[], None]:
        """Call a function with (event, uri) on every change; returns a function that removes the listener."""
        return self._listeners.add(listener)

    def publish(self, event: str, uri: str | None = None) -> None:
        """Notify of what the author reports: "tools/list_changed", or "resources/updated" with its URI."""
        self.forwards.call(event, uri)
        self._notify(event, uri, is_reported=True)

    def _notify(self, event: str, uri: str | None, is_reported: bool) -> None:
        if self.relay is None or not self.relay.relay(event, uri, is_reported):
            self.deliver(event, uri)

    def deliver(self, event: str, uri: str | None) -> None:
        """Call the listeners in this process."""
        self._listeners.call(event, uri)

    def _publisher(self, kind: str) -> Callable[[], None]:
        def change() -> None:
            lists: tuple[FeatureList[Any], ...] = (self.tools, self.resources, self.templates, self.prompts)
            self.has_requirements = any(features.has_requirements for features in lists)
            self._notify(f"{kind}/list_changed", None, is_reported=False)

        return change

    def switch(self, selection: Selection, is_on: bool, only: bool = False) -> None:
        """Enable or disable the features of a selection, also later ones; with `only`, disable all others."""
        self._switches.add(selection, is_on, only)
        for features in (self.tools, self.resources, self.templates, self.prompts):
            features.refresh()

    # Lookup ---------------------------------------------------------------------------------------

    def resource(self, uri: str, principal: Any) -> tuple[ResourceFeature | TemplateFeature, dict[str, Any]]:
        """The resource at a URI and the variables of the URI; raises ResourceNotFound (RES-04, RES-05)."""
        resource = self.resources.features.get(uri)
        if resource is not None and (resource.visible is None or resource.is_seen(principal)):
            return resource, {}
        if resource is None and uri in self.resources.registered:  # it is disabled, also for templates
            return self.resources.unknown(uri), {}
        for template in self.templates.features.values():
            values = template.template.match(uri)
            if values is not None and template.is_seen(principal):
                return template, values
        return self.resources.unknown(uri), {}

    def has_resource(self, uri: str) -> bool:
        """Whether there is a resource at a URI, for any caller."""
        return uri in self.resources or any(template.template.match(uri) is not None for template in self.templates)

    def complete(self, ref: str, argument: str) -> Completion | None:
        """The completion for an argument of a prompt or template; None if there is none."""
        return self.completions.features.get(f"{ref} {argument}")


_KINDS = {
    "tools/list": "tools",
    "tools/call": "tools",
    "resources/list": "resources",
    "resources/templates/list": "resources",
    "resources/read": "resources",
    "resources/subscribe": "resources",
    "resources/unsubscribe": "resources",
    "prompts/list": "prompts",
    "prompts/get": "prompts",
}
"""The kind of features that a method works on."""


def _check_offers(offers: Collection[str], kinds: Collection[str]) -> frozenset[str]:
    for offer in [offers] if isinstance(offers, str) else offers:
        if isinstance(offers, str) or offer not in kinds:
            raise AuthorError(
                f'offers= takes a list out of {", ".join(kinds)}, such as ["resources"]; not {offers!r}'
            )
    return frozenset(offers)


def _refuse_uri(uri: str) -> ResourceFeature:
    raise ResourceNotFound(uri)
