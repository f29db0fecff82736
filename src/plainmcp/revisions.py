"""What each protocol revision can carry, as frozen data: the only file with dates.

Ask `revision.audio`, never how old a revision is. Knows nothing of how a result is reshaped (see project).
"""

from dataclasses import dataclass
from typing import Literal

from .errors import AuthorError

__all__ = ["LATEST", "REVISIONS", "Revision", "named"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """One protocol revision: a row of facts about what its results may hold."""

    name: str
    audio: bool  # audio content blocks
    resource_link: bool  # resource_link content blocks
    structured: Literal["none", "object", "any"]  # what structuredContent may be
    titles: bool  # title, and an author's own fields, inside resource contents and links
    last_modified: bool  # annotations.lastModified
    content_meta: bool  # _meta on content blocks and resource contents
    icons: bool
    result_type: bool  # every result says resultType
    cache_hints: bool  # ttlMs and cacheScope on cacheable results

    @property
    def all_content(self) -> bool:
        """Whether any content block can be sent as it stands."""
        carried = (
            self.audio,
            self.resource_link,
            self.titles,
            self.last_modified,
            self.content_meta,
            self.icons,
        )
        return all(carried)


V2024_11_05 = Revision(
    name="2024-11-05",
    audio=False,
    resource_link=False,
    structured="none",
    titles=False,
    last_modified=False,
    content_meta=False,
    icons=False,
    result_type=False,
    cache_hints=False,
)

V2025_03_26 = Revision(
    name="2025-03-26",
    audio=True,
    resource_link=False,
    structured="none",
    titles=False,
    last_modified=False,
    content_meta=False,
    icons=False,
    result_type=False,
    cache_hints=False,
)

V2025_06_18 = Revision(
    name="2025-06-18",
    audio=True,
    resource_link=True,
    structured="object",
    titles=True,
    last_modified=True,
    content_meta=True,
    icons=False,
    result_type=False,
    cache_hints=False,
)

V2025_11_25 = Revision(
    name="2025-11-25",
    audio=True,
    resource_link=True,
    structured="object",
    titles=True,
    last_modified=True,
    content_meta=True,
    icons=True,
    result_type=False,
    cache_hints=False,
)

V2026_07_28 = Revision(
    name="2026-07-28",
    audio=True,
    resource_link=True,
    structured="any",
    titles=True,
    last_modified=True,
    content_meta=True,
    icons=True,
    result_type=True,
    cache_hints=True,
)

REVISIONS: dict[str, Revision] = {
    revision.name: revision for revision in (V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28)
}
"""Every revision by its wire name, oldest first."""

LATEST = V2026_07_28


def named(name: str) -> Revision:
    """The revision with this wire name.

    >>> named("2025-06-18").structured
    'object'
    """
    try:
        return REVISIONS[name]
    except KeyError:
        raise AuthorError(f"unknown revision {name!r}; the known ones are {', '.join(REVISIONS)}") from None
