"""`mcp.shared.tool_name_validation`: whether clients take a tool by its name (SEP-986)."""

import logging
import re
from dataclasses import dataclass, field

__all__ = ["ToolNameValidationResult", "issue_tool_name_warning", "validate_and_warn_tool_name", "validate_tool_name"]

_log = logging.getLogger("mcp.shared.tool_name_validation")

MAX_LENGTH = 128


@dataclass
class ToolNameValidationResult:
    """Whether a name is valid, and what to think about."""

    is_valid: bool
    warnings: list[str] = field(default_factory=list[str])


def validate_tool_name(name: str) -> ToolNameValidationResult:
    """Check a name: letters, digits, `_`, `-`, `.`, at most 128."""
    if not name:
        return ToolNameValidationResult(False, ["Tool name cannot be empty"])
    if len(name) > MAX_LENGTH:
        text = f"Tool name exceeds maximum length of {MAX_LENGTH} characters (current: {len(name)})"
        return ToolNameValidationResult(False, [text])
    warnings: list[str] = []
    for what, sign in (("a dash", "-"), ("a dot", ".")):
        if name.startswith(sign) or name.endswith(sign):
            warnings.append(f"Tool name starts or ends with {what}, which some clients may not take")
    refused = list(dict.fromkeys(re.findall(r"[^A-Za-z0-9_.-]", name)))
    if refused:
        warnings.append(f"Tool name contains invalid characters: {', '.join(map(repr, refused))}")
    return ToolNameValidationResult(not refused, warnings)


def issue_tool_name_warning(name: str, warnings: list[str]) -> None:
    """Log what is wrong with a name."""
    if warnings:
        _log.warning('Tool name validation warning for "%s":', name)
        for one in warnings:
            _log.warning("  - %s", one)
        _log.warning("Tool registration will proceed; see SEP-986 for the names that clients take")


def validate_and_warn_tool_name(name: str) -> bool:
    """Whether a name is valid; what is wrong with it is in the log."""
    result = validate_tool_name(name)
    issue_tool_name_warning(name, result.warnings)
    return result.is_valid
