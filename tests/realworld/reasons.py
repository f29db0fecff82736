"""Why a server's lists or results differ from those of the real package, where they do on purpose."""

from .compare import Difference

__all__ = ["reason_of"]


def reason_of(line: str, difference: Difference) -> str | None:
    """The reason for a difference; None if it has none."""
    return None
