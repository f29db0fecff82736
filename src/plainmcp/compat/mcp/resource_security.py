"""What the values of a resource template may hold: the rules of the official SDK 2, which a server can change."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from .helper_types import ResourceNotFoundError
from .shared.path_security import contains_path_traversal, is_absolute_path

__all__ = ["DEFAULT_RESOURCE_SECURITY", "ResourceSecurity", "ResourceSecurityError"]


class ResourceSecurityError(ResourceNotFoundError):
    """A URI with a value that a template refuses; `param` is the variable. For clients there is no such resource."""

    def __init__(self, template: str, param: str) -> None:
        super().__init__(f"Parameter {param!r} of template {template!r} failed security validation")
        self.template, self.param = template, param


@dataclass(frozen=True)
class ResourceSecurity:
    """Which values are refused, by default all that lead out of a folder; any value of `exempt_params` is taken."""

    reject_path_traversal: bool = True
    reject_absolute_paths: bool = True
    reject_null_bytes: bool = True
    exempt_params: Collection[str] = frozenset()

    def validate(self, params: Mapping[str, str | list[str]]) -> str | None:
        """The name of the first variable with a value that is refused; None if there is none."""
        for name, value in params.items():
            texts = value if isinstance(value, list) else [value]
            if name not in self.exempt_params and any(map(self._is_refused, texts)):
                return name
        return None

    def _is_refused(self, text: Any) -> bool:
        return (
            (self.reject_null_bytes and "\0" in text)
            or (self.reject_path_traversal and contains_path_traversal(text))
            or (self.reject_absolute_paths and is_absolute_path(text))
        )


DEFAULT_RESOURCE_SECURITY = ResourceSecurity()
