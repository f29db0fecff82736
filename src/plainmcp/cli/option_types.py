"""The values of options: each function turns a text into a value, or says why it cannot."""

import argparse
import re

from ..errors import AuthorError
from ..transports import uvicorn
from ..transports.shutdown import MAX_GRACE, check_grace

__all__ = ["to_access_format", "to_address", "to_count", "to_grace", "to_header", "to_seconds", "to_variable"]

_HEADER = re.compile(r"([A-Za-z0-9!#$%&'*+.^_`|~-]+):(.*)", re.DOTALL)


def to_count(text: str) -> int:
    """How many of something, at least one."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def to_grace(text: str) -> float:
    """A number of seconds that running calls may take after a signal."""
    try:
        seconds = float(text)
        check_grace(seconds)
    except (ValueError, AuthorError):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds, from 0 to {MAX_GRACE}") from None
    return seconds


def to_seconds(text: str) -> float:
    """A number of seconds to wait, more than none."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if not 0 < seconds <= 10**6:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds, such as 30 or 0.5")
    return seconds


def to_access_format(text: str) -> str:
    """The format of the access log."""
    if text not in ("plain", "json"):
        raise argparse.ArgumentTypeError(f"{text!r} is not plain or json; write FILE before --access-log")
    return text


def to_address(text: str) -> str:
    """A host and a port."""
    try:
        uvicorn.address_of(text)
    except AuthorError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def to_variable(text: str) -> str:
    """The name of an environment variable."""
    if not (text.isascii() and text.isidentifier()):
        raise argparse.ArgumentTypeError(f"{text!r} is not the name of a variable, such as SHOP_TOKEN")
    return text


def to_header(text: str) -> tuple[str, str]:
    """The name and the value of an HTTP header."""
    header = _HEADER.fullmatch(text)
    if header is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a header, such as 'X-Team: blue'")
    return header[1], header[2].strip()
