"""What a server offers: tools, resources, templates, prompts and completions, and who may see which.

The pages of each list are stored as bytes per revision, until the list changes. This module does not know how a
feature is created, nor how it is called.
"""

from bisect import insort
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from ..errors import AuthorError, InvalidParams, ParseError, ResourceNotFound
from ..policy import Policy
from ..revisions import Revision
from ..wire import codec
from ..wire import cursor as paging
from .features import Completion, Feature, PromptFeature, ResourceFeature, TemplateFeature, ToolFeature

__all__ = ["FeatureList", "Registry"]

F = TypeVar("F", bound=Feature)
Event = Callable[[str, str | None], None]


class FeatureList(Generic[F]):
    """Features of one kind, by key and in listing order."""

    def __init__(self, kind: str, by_name: bool, changed: Callable[[], None]) -> None:
        self.kind = kind
        self._by_name = by_name
        self._changed = changed
        self.features: dict[str, F] = {}  # by key
        self._order: list[Any] = []  # the sort keys: names, or serial numbers
        self._by_serial: dict[int, F] = {}
        self._pages: dict[tuple[str, str | None, int | None], bytes] = {}
        self._serial = 0
        self._guarded = False  # whether any feature is hidden from some callers
        self.has_headers = False
        """Whether any feature has arguments that are repeated in headers."""

    def __len__(self) -> int:
        return len(self.features)

    def __contains__(self, key: object) -> bool:
        return key in self.features

    def __iter__(self) -> Any:
        return iter(self.features.values())

    def add(self, feature: F, replace: bool = False) -> None:
        """Offer a feature; with `replace` it may take the place of one with the same key. Raises AuthorError."""
        key = feature.key  # type: ignore[attr-defined]
        _check_listed(feature, f"the {self.kind} {key!r}")
        if key in self.features:
            if not replace:
                raise AuthorError(
                    f"there is already a {self.kind} {key!r}; pass replace=True to put this in its place"
                )
            feature.serial = self.features[key].serial
        else:
            self._serial += 1
            feature.serial = self._serial
            insort(self._order, key if self._by_name else feature.serial)
        self._guarded = self._guarded or feature.visible is not None  # before a request can find the feature
        self.has_headers = self.has_headers or bool(getattr(feature, "headers", None))
        self.features[key] = feature
        self._by_serial[feature.serial] = feature
        self._touch()

    def remove(self, key: str) -> None:
        """Stop offering a feature; raises AuthorError if there is none with this key."""
        feature = self.features.pop(key, None)
        if feature is None:
            raise AuthorError(f"there is no {self.kind} {key!r} to remove")
        del self._by_serial[feature.serial]
        self._order.remove(key if self._by_name else feature.serial)
        self._touch()

    def _touch(self) -> None:
        self._pages.clear()
        self._changed()

    def find(self, key: str, principal: Any) -> F | None:
        """The feature with a key; None if there is none that this caller may see."""
        feature = self.features.get(key)
        if feature is None or (self._guarded and not feature.is_seen(principal)):
            return None
        return feature

    def get(self, key: str, principal: Any) -> F:
        """The feature with a key; raises InvalidParams where this caller may see none (TOOL-13, PROM-04)."""
        feature = self.features.get(key)
        if feature is None or (self._guarded and not feature.is_seen(principal)):
            raise InvalidParams(f"Unknown {self.kind}: {key}")
        return feature

    def page(
        self,
        cursor: str | None,
        size: int | None,
        revision: Revision,
        principal: Any,
        write: Callable[[list[Any], str | None], bytes],
    ) -> bytes:
        """One page of the list: the bytes that `write` returns for the features on it."""
        key = (revision.name, cursor, size)
        if not self._guarded and key in self._pages:
            return self._pages[key]
        order = self._order
        if self._guarded:
            order = [k for k in order if self._at(k).is_seen(principal)]
        page = paging.page_of(order, cursor, size, self.kind)
        listed = [self._at(k) for k in order[page.start : page.stop]]
        raw = write(listed, page.next_cursor)
        if not self._guarded:
            self._pages[key] = raw
        return raw

    def _at(self, key: Any) -> F:
        return self.features[key] if self._by_name else self._by_serial[key]

    @property
    def guarded(self) -> bool:
        """Whether the list differs between callers."""
        return self._guarded


def _check_listed(feature: Any, what: str) -> None:
    """Refuse a definition that is not valid JSON: one such feature would break the whole list."""
    try:
        raw = codec.encode(feature.definition)
        codec.check_depth(raw)
        codec.decoder_of(type(feature.definition))(raw)
    except (TypeError, ValueError, RecursionError, ParseError) as error:
        raise AuthorError(f"{what} cannot be listed as JSON: {error}") from error


class Registry:
    """All features of one server, and the listeners for changes of them."""

    def __init__(self, policy: Policy) -> None:
        by_name = policy.list_order == "name"
        self._listeners: list[Event] = []
        self.tools = FeatureList[ToolFeature]("tool", by_name, self._publisher("tools"))
        self.resources = FeatureList[ResourceFeature]("resource", by_name, self._publisher("resources"))
        self.templates = FeatureList[TemplateFeature]("resource template", by_name, self._publisher("resources"))
        self.prompts = FeatureList[PromptFeature]("prompt", by_name, self._publisher("prompts"))
        self.completions: dict[str, Completion] = {}
        resources = (self.resources.features, self.templates.features)
        self.features_of: dict[str, tuple[dict[str, Any], ...]] = {
            "tools/list": (self.tools.features,),
            "tools/call": (self.tools.features,),
            "resources/list": resources,
            "resources/templates/list": resources,
            "resources/read": resources,
            "resources/subscribe": resources,
            "resources/unsubscribe": resources,
            "prompts/list": (self.prompts.features,),
            "prompts/get": (self.prompts.features,),
        }
        """The features that a method works on, by method name."""

    # Changes --------------------------------------------------------------------------------------

    def listen(self, listener: Event) -> Callable[[], None]:
        """Call a function with (event, uri) on every change; returns a function that removes the listener."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def publish(self, event: str, uri: str | None = None) -> None:
        """Call the listeners: a list changed ("tools/list_changed"), or a resource changed ("resources/updated")."""
        for listener in list(self._listeners):
            listener(event, uri)

    def _publisher(self, kind: str) -> Callable[[], None]:
        return lambda: self.publish(f"{kind}/list_changed")

    # Lookup ---------------------------------------------------------------------------------------

    def resource(self, uri: str, principal: Any) -> tuple[ResourceFeature | TemplateFeature, dict[str, Any]]:
        """The resource at a URI and the variables of the URI; raises ResourceNotFound (RES-04, RES-05)."""
        resource = self.resources.find(uri, principal)
        if resource is not None:
            return resource, {}
        for template in self.templates:
            values = template.template.match(uri)
            if values is not None and template.is_seen(principal):
                return template, values
        raise ResourceNotFound(uri)

    def complete(self, ref: str, argument: str) -> Completion | None:
        """The completion for an argument of a prompt or template; None if there is none."""
        return self.completions.get(f"{ref} {argument}")
