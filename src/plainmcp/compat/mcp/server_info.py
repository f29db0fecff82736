"""What a server of the official SDK says about itself, as attributes."""

from typing import Any

import msgspec

from ...types import Icon
from . import types
from .wire_model import to_wire

__all__ = ["ServerInfo", "to_icons"]


class ServerInfo:
    """The attributes of a server that clients are shown."""

    @property
    def name(self: Any) -> str:
        """The server's name."""
        return self.info.name  # type: ignore[no-any-return]

    @property
    def version(self: Any) -> str:
        """The server's version."""
        return self.info.version  # type: ignore[no-any-return]

    @property
    def title(self: Any) -> str | None:
        """The server's title."""
        return self.info.title  # type: ignore[no-any-return]

    @property
    def description(self: Any) -> str | None:
        """The server's description."""
        return self.info.description  # type: ignore[no-any-return]

    @property
    def website_url(self: Any) -> str | None:
        """The server's web page."""
        return self.info.websiteUrl  # type: ignore[no-any-return]

    @property
    def icons(self: Any) -> list[types.Icon] | None:
        """The server's icons."""
        icons = self.info.icons
        return [types.Icon(**msgspec.to_builtins(icon)) for icon in icons] if icons else None


def to_icons(icons: Any) -> list[Icon] | None:
    """Icons of the SDK, the real ones or ours, as those of plainmcp."""
    return [msgspec.convert(to_wire(icon), Icon) for icon in icons] if icons else None
