"""The fields of a trace that a client sends, as far as they are well-formed: `traceparent`, `tracestate`, `baggage`.

OpenTelemetry logs what it cannot read, in full. So a malformed or oversized field is dropped here: a client must not
write into the log, and not flood it. The grammar is that of the W3C.
"""

import re

__all__ = ["check_fields"]

_TRACEPARENT = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")
_STATE_VALUE = r"[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]"
_STATE_KEY = r"[a-z][_0-9a-z\-*/]{0,255}|[a-z0-9][_0-9a-z\-*/]{0,240}@[a-z][_0-9a-z\-*/]{0,13}"
_STATE_MEMBER = re.compile(f"(?:{_STATE_KEY})={_STATE_VALUE}")
_TOKEN = r"[!#-'*+\-.0-9A-Z^-z|~]+"
_BAGGAGE_VALUE = r"[!#-+\--:<-\[\]-~]*"
_PAIR = rf"{_TOKEN}[ \t]*=[ \t]*{_BAGGAGE_VALUE}"
_BAGGAGE_MEMBER = re.compile(rf"{_PAIR}(?:[ \t]*;[ \t]*(?:{_PAIR}|{_TOKEN}))*")
_BLANKS = re.compile(r"[ \t]{2}")  # no one needs them, and they make matching slow
_MAX_STATE, _MAX_STATES = 1024, 32
_MAX_BAGGAGE, _MAX_MEMBERS = 8192, 180


def check_fields(fields: dict[str, str]) -> dict[str, str]:
    """The fields that are well-formed.

    >>> check_fields({"traceparent": "00-zz", "tracestate": "a=1", "baggage": "tenant=blue, plan=free"})
    {'tracestate': 'a=1', 'baggage': 'tenant=blue, plan=free'}
    """
    return {name: value for name, value in fields.items() if _CHECKS[name](value)}


def _is_parent(value: str) -> bool:
    return _TRACEPARENT.fullmatch(value) is not None


def _is_state(value: str) -> bool:
    if len(value) > _MAX_STATE:
        return False
    members = [member.strip(" \t") for member in value.split(",")]
    keys = {member.partition("=")[0] for member in members}
    return len(keys) == len(members) <= _MAX_STATES and all(map(_STATE_MEMBER.fullmatch, members))


def _is_baggage(value: str) -> bool:
    if len(value) > _MAX_BAGGAGE or _BLANKS.search(value):
        return False
    members = [member.strip(" \t") for member in value.split(",")]
    return len(members) <= _MAX_MEMBERS and all(map(_BAGGAGE_MEMBER.fullmatch, members))


_CHECKS = {"traceparent": _is_parent, "tracestate": _is_state, "baggage": _is_baggage}
