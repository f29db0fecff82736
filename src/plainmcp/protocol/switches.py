"""Which features are enabled: the rules of `server.enable` and `server.disable`. Knows tags, names and kinds."""

from collections.abc import Collection
from typing import Any, NamedTuple

from ..errors import AuthorError

__all__ = ["KINDS", "Selection", "Switches", "selection_of"]

KINDS = {"tool": "tool", "resource": "resource", "template": "resource template", "prompt": "prompt"}
"""The kinds of features, as authors write them, and as lists of features are named."""


class Selection(NamedTuple):
    """Some features: those that have one of the tags, one of the names and one of the kinds, as far as given."""

    tags: frozenset[str] | None
    names: frozenset[str] | None
    kinds: frozenset[str] | None

    def includes(self, feature: Any, kind: str) -> bool:
        """Whether a feature is selected. The name of a resource is its URI or its name."""
        return (
            (self.kinds is None or kind in self.kinds)
            and (self.tags is None or not self.tags.isdisjoint(feature.tags))
            and (self.names is None or feature.key in self.names or feature.definition.name in self.names)
        )


def selection_of(
    where: str,
    tags: Collection[str] | None,
    names: Collection[str] | None,
    kinds: Collection[str] | None,
) -> Selection:
    """The selection of some options; raises AuthorError if there are none, or for an unknown kind."""
    if tags is None and names is None and kinds is None:
        raise AuthorError(f'{where} needs to know which features: write {where}(tags=["admin"]), names= or kinds=')
    for kind in kinds or ():
        if kind not in KINDS:
            raise AuthorError(f"{where}: {kind!r} is not a kind of feature; the kinds are {', '.join(KINDS)}")
    return Selection(
        None if tags is None else frozenset(tags),
        None if names is None else frozenset(names),
        None if kinds is None else frozenset(KINDS[kind] for kind in kinds),
    )


class Switches:
    """The rules in their order: the last one that includes a feature decides. Without a rule it is enabled."""

    def __init__(self) -> None:
        self._rules: dict[Selection, bool] = {}  # whether the selected features are enabled
        self._default = True

    def add(self, selection: Selection, is_on: bool, only: bool = False) -> None:
        """Add a rule; with `only` it replaces all others, and what it does not include has the opposite state."""
        if only:
            self._rules, self._default = {}, not is_on
        self._rules.pop(selection, None)  # so that rules which alternate do not add up
        self._rules[selection] = is_on

    def is_enabled(self, feature: Any, kind: str) -> bool:
        """Whether a feature is enabled."""
        for selection, is_on in reversed(self._rules.items()):
            if selection.includes(feature, kind):
                return is_on
        return self._default
