"""The features of one kind: those that are registered, those that clients may use, and their pages.

The pages are stored as bytes per revision, until the list changes. Knows mounted servers as other lists, of whose
features it has copies. Does not know how a feature is created, nor how it is called.
"""

from bisect import insort
from collections.abc import Callable, Iterator
from typing import Any, Generic, NamedTuple, TypeVar

from ..errors import AuthorError, InvalidParams, ParseError
from ..revisions import Revision
from ..wire import codec
from ..wire import cursor as paging
from .features import Feature

__all__ = ["FeatureList"]

F = TypeVar("F", bound=Feature)


class Origin(NamedTuple):
    """The feature of a mounted server that a feature was copied from."""

    features: "FeatureList[Any]"
    key: str

    @property
    def is_enabled(self) -> bool:
        """Whether the mounted server offers the feature."""
        return self.key in self.features.features


def _enable(feature: Any, kind: str) -> bool:
    """Enable every feature."""
    return True


class FeatureList(Generic[F]):
    """Features of one kind, by key and in listing order.

    `features` has what clients may use; `registered` has the disabled features too.
    """

    def __init__(
        self,
        kind: str,
        by_name: bool,
        changed: Callable[[], None],
        is_enabled: Callable[[Any, str], bool] = _enable,
    ) -> None:
        self.kind = kind
        self._by_name = by_name
        self._changed = changed
        self._is_enabled = is_enabled
        self.features: dict[str, F] = {}  # by key
        self.registered: dict[str, F] = {}  # by key
        self._origins: dict[str, Origin] = {}  # of the copies, by their key
        self._copies: list[tuple[FeatureList[F], Callable[[F], F]]] = []  # the lists with copies, and how to copy
        self._order: list[Any] = []  # the sort keys: names, or serial numbers
        self._by_serial: dict[int, F] = {}
        self._pages: dict[tuple[str, str | None, int | None], bytes] = {}
        self._serial = 0
        self._guarded = False  # whether any feature is hidden from some callers
        self.has_headers = False
        """Whether any feature has arguments that are repeated in headers."""
        self.has_requirements = False
        """Whether any feature requires scopes."""
        self.unknown: Callable[[str], F] = self._refuse_unknown
        """Called with a key that has no feature for the caller: raises an error, or returns another feature."""

    def __len__(self) -> int:
        return len(self.features)

    def __contains__(self, key: object) -> bool:
        return key in self.features

    def __iter__(self) -> Any:
        return iter(self.features.values())

    # Changes --------------------------------------------------------------------------------------

    def add(self, feature: F, replace: bool = False, origin: Origin | None = None) -> None:
        """Offer a feature; with `replace` it may take the place of one with the same key. Raises AuthorError."""
        for features, copy, source in list(self._check_new(feature, replace, origin)):
            features._put(copy, source)

    def _check_new(self, feature: F, replace: bool, origin: Origin | None) -> Iterator[Any]:
        """Every list that gets the feature, with its copy; raises AuthorError before any of them changes."""
        key = _key_of(feature)
        _check_listed(feature, f"the {self.kind} {key!r}")
        if key in self.registered and not (replace and self._origins.get(key) == origin):
            raise AuthorError(self._describe_conflict(key, origin))
        yield self, feature, origin
        for features, copy in self._copies:
            yield from features._check_new(copy(feature), key in self.registered, Origin(self, key))

    def _describe_conflict(self, key: str, origin: Origin | None) -> str:
        if origin is not None:
            return (
                f"the {self.kind} {origin.key!r} of a mounted server would be {key!r}, and there is one already; "
                "choose another prefix, or another name"
            )
        if key in self._origins:
            return f"there is already a {self.kind} {key!r}, of a mounted server; choose another name"
        return f"there is already a {self.kind} {key!r}; pass replace=True to put this in its place"

    def _put(self, feature: F, origin: Origin | None) -> None:
        key = _key_of(feature)
        former = self.registered.get(key)
        if former is None:
            self._serial += 1
        feature.serial = self._serial if former is None else former.serial
        self._guarded = self._guarded or feature.visible is not None  # before a request can find the feature
        self.has_headers = self.has_headers or bool(getattr(feature, "headers", None))
        self.has_requirements = self.has_requirements or feature.requires is not None
        self.registered[key] = feature
        if origin is not None:
            self._origins[key] = origin
        was_enabled, can_offer = key in self.features, self._can_offer(key)
        if former is not None and was_enabled != can_offer:
            self._rebuild()
        elif can_offer:
            if former is None:
                insort(self._order, key if self._by_name else feature.serial)
            self.features[key] = feature
            self._by_serial[feature.serial] = feature
            self._touch()

    def remove(self, key: str) -> None:
        """Stop offering a feature; raises AuthorError if there is none with this key."""
        if key not in self.registered:
            raise AuthorError(f"there is no {self.kind} {key!r} to remove")
        if key in self._origins:
            raise AuthorError(
                f"the {self.kind} {key!r} is one of a mounted server: remove it there, or disable it with "
                f"server.disable(names=[{key!r}])"
            )
        self._drop(key)

    def _drop(self, key: str) -> None:
        feature = self.registered.pop(key)
        self._origins.pop(key, None)
        if self.features.pop(key, None) is not None:
            del self._by_serial[feature.serial]
            self._order.remove(key if self._by_name else feature.serial)
            self._touch()
        for features, copy in self._copies:
            features._drop(_key_of(copy(feature)))

    def _touch(self) -> None:
        self._pages = {}  # another one, because a request may be writing a page of the former list
        self._changed()

    def forget_pages(self) -> None:
        """Write the pages again when they are asked for: a program may have changed a definition in its place."""
        self._pages = {}
        for features, _ in self._copies:
            features.forget_pages()

    # Enabling -------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Enable and disable features, after the rules for this or those of a mounted server have changed."""
        if any(self._can_offer(key) != (key in self.features) for key in self.registered):
            self._rebuild()
            for features, _ in self._copies:
                features.refresh()

    def _can_offer(self, key: str) -> bool:
        origin = self._origins.get(key)
        return (origin is None or origin.is_enabled) and self._is_enabled(self.registered[key], self.kind)

    def _rebuild(self) -> None:
        """Compute which features are enabled; their order is that of their registration."""
        features = {key: feature for key, feature in self.registered.items() if self._can_offer(key)}
        self._by_serial = {feature.serial: feature for feature in features.values()}
        self._order = sorted(features if self._by_name else self._by_serial)
        self.features = features
        self._touch()

    # Mounting -------------------------------------------------------------------------------------

    def check_copies(self, features: "FeatureList[F]", copy: Callable[[F], F]) -> None:
        """Refuse features of which another list cannot take copies; raises AuthorError."""
        for key, feature in self.registered.items():
            list(features._check_new(copy(feature), False, Origin(self, key)))

    def copy_to(self, features: "FeatureList[F]", copy: Callable[[F], F]) -> None:
        """Keep a copy of each feature, also of later ones, in another list; `copy` makes it. Raises AuthorError."""
        for key, feature in self.registered.items():
            features.add(copy(feature), origin=Origin(self, key))
        self._copies.append((features, copy))

    # Lookup ---------------------------------------------------------------------------------------

    def find(self, key: str, principal: Any) -> F | None:
        """The feature with a key; None if there is none that this caller may see."""
        feature = self.features.get(key)
        if feature is None or (self._guarded and not feature.is_seen(principal)):
            return None
        return feature

    def get(self, key: str, principal: Any) -> F:
        """The feature with a key; where this caller may see none, what `unknown` does (TOOL-13, PROM-04)."""
        feature = self.features.get(key)
        if feature is None or (self._guarded and not feature.is_seen(principal)):
            return self.unknown(key)
        return feature

    def _refuse_unknown(self, key: str) -> F:
        raise InvalidParams(f"Unknown {self.kind}: {key}")

    def page(
        self,
        cursor: str | None,
        size: int | None,
        revision: Revision,
        principal: Any,
        write: Callable[[list[Any], str | None], bytes],
        owner: str = "",
    ) -> bytes:
        """One page of the list: the bytes that `write` returns for the features on it.

        `owner` is a text for the caller, if the list differs between callers: a cursor is valid for its owner only.
        """
        key, pages = (revision.name, cursor, size), self._pages
        if not self._guarded and key in pages:
            return pages[key]
        # Another thread may change the list meanwhile.
        features: dict[Any, F] = self.features if self._by_name else self._by_serial
        order = [k for k in self._order if k in features]
        if self._guarded:
            order = [k for k in order if features[k].is_seen(principal)]
        page = paging.page_of(order, cursor, size, f"{self.kind} {owner}" if owner else self.kind)
        listed = [features[k] for k in order[page.start : page.stop]]
        raw = write(listed, page.next_cursor)
        if not self._guarded:
            pages[key] = raw
        return raw

    @property
    def guarded(self) -> bool:
        """Whether the list differs between callers."""
        return self._guarded


def _key_of(feature: Any) -> str:
    return feature.key  # type: ignore[no-any-return]


def _check_listed(feature: Any, what: str) -> None:
    """Refuse a definition that is not valid JSON: one such feature would break the whole list."""
    if not hasattr(feature, "definition"):
        return  # it is never listed
    try:
        raw = codec.encode(feature.definition)
        codec.check_depth(raw)
        codec.decoder_of(type(feature.definition))(raw)
    except RecursionError as error:  # how deep that is depends on the version of Python
        raise AuthorError(f"{what} cannot be listed as JSON: {codec.TOO_DEEP}") from error
    except (TypeError, ValueError, ParseError) as error:
        raise AuthorError(f"{what} cannot be listed as JSON: {error}") from error
