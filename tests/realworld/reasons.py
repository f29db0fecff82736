"""Why a server's lists or results differ from those of the real package, where they do on purpose."""

import json
from typing import Any

from .compare import Difference

__all__ = ["reason_of"]

WORDING = "what is wrong with arguments has another wording: one line for each problem, without the values"
UNKNOWN = "a call of an unknown tool is a JSON-RPC error, as the specification says, not a result"
WITHHELD = "a result that does not fit its output schema is withheld with another wording"
STUBS = "a stub stands for a value of a library that is not installed; a real value would be sent by both"

CONTENT = "content in a return hint is not listed, and not sent a second time, as data; mcp 2 does the same"
BYTES = "bytes are base64 in arguments and in data"
URIS = "the URI of a resource object is taken as it is, where pydantic refuses one without a scheme"
INDENTED = "the lines of a parameter's description are not indented"

_ARGUMENTS = ("validation error for", "validation errors for", "Input validation error", "Missing required")
_OUTPUTS = ("Output\\n", "DictOutput", "Output validation error")


def reason_of(line: str, difference: Difference) -> str | None:
    """The reason for a difference; None if it has none."""
    area, path, theirs, ours = difference
    if area != "calls":
        return _reason_in_list(line, path, theirs, ours)
    if path == "unknown tool":
        return UNKNOWN if "error" in ours else None
    text, here = json.dumps(theirs), json.dumps(ours)
    if "type=url_parsing" in text and line != "fastmcp":
        return URIS
    if line == "mcp1" and '"_meta": null' in text and theirs.get("structuredContent") and "_meta" not in here:
        return CONTENT
    if "withheld" in here:
        return STUBS if "tub" in text + here else WITHHELD
    if not (_has_failed(theirs) and _has_failed(ours)):
        return None
    if any(words in text for words in _ARGUMENTS) and not any(words in text for words in _OUTPUTS):
        return WORDING
    return None


def _reason_in_list(line: str, path: str, theirs: Any, ours: Any) -> str | None:
    text = json.dumps(theirs)
    if line == "mcp1" and path.endswith("/outputSchema") and ours == "(absent)" and "content for a message" in text:
        return CONTENT
    if path.endswith("/description") and isinstance(ours, str) and _lines(theirs) == _lines(ours):
        return INDENTED
    return BYTES if '"binary"' in text else None


def _lines(text: Any) -> list[str]:
    return [line.strip() for line in str(text).splitlines()]


def _has_failed(result: Any) -> bool:
    return isinstance(result, dict) and bool(result.get("isError") or "error" in result)
