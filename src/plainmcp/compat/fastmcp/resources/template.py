"""`fastmcp.resources.template`."""

from ..components import FunctionResourceTemplate, ResourceTemplate
from ..uri_matching import build_regex, expand_uri_template, match_uri_template

__all__ = [
    "FunctionResourceTemplate",
    "ResourceTemplate",
    "build_regex",
    "expand_uri_template",
    "match_uri_template",
]
