"""`mcp.shared.uri_template` of `mcp` 2."""

from ..uri_templates import (
    DEFAULT_MAX_TEMPLATE_LENGTH,
    DEFAULT_MAX_URI_LENGTH,
    DEFAULT_MAX_VARIABLES,
    InvalidUriTemplate,
    UriTemplate,
    Variable,
)

__all__ = [
    "DEFAULT_MAX_TEMPLATE_LENGTH",
    "DEFAULT_MAX_URI_LENGTH",
    "DEFAULT_MAX_VARIABLES",
    "InvalidUriTemplate",
    "UriTemplate",
    "Variable",
]
