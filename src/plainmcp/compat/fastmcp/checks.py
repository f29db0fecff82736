"""Mistakes in the options of FastMCP's servers and decorators, found where that package finds them."""

from collections.abc import Collection
from typing import Any

from ...errors import OptionError
from ...schema import subschemas
from ...schema.signature import Signature
from ..registration import names_in, refuse

__all__ = ["check_output_schema", "check_page_size", "check_thread", "check_uri", "check_variables"]


def check_page_size(size: int | None) -> None:
    """Refuse pages without entries."""
    if size is not None and size < 1:
        refuse(f"list_page_size must be a positive integer, or None for lists in one piece; not {size!r}")


def check_output_schema(schema: Any) -> None:
    """Refuse an output schema of other values than objects."""
    if isinstance(schema, dict) and not subschemas.is_object(schema):
        refuse('Output schemas must represent object types: write "type": "object", and the value in a property')


def check_thread(run_in_thread: bool | None, timeout: float | None, is_async: bool) -> None:
    """Refuse a timeout for a plain function that runs in the event loop: nothing can interrupt it there."""
    if run_in_thread is False and timeout is not None and not is_async:
        refuse("timeout cannot be enforced with run_in_thread=False; leave one of them out, or write async def")


def check_uri(uri: Any) -> None:
    """Refuse `@mcp.resource` without a URI; raises a TypeError."""
    if callable(uri):
        problem = "The @resource decorator was used incorrectly: uri takes a text, not function"
        raise OptionError(f'{problem}; write @mcp.resource("memo://notes")')
    if not isinstance(uri, str):
        raise OptionError(f'@mcp.resource takes a URI, such as "memo://notes", not {type(uri).__name__}')


def check_variables(uri: str, read: Signature) -> None:
    """Refuse a function that lacks a variable of its URI, or takes more than the URI can give it."""
    names, in_query = names_in(uri)
    takes = [one.name for one in read.parameters]
    required = [one.name for one in read.parameters if one.required]
    if takes and not names:
        refuse(
            f"URI template must contain at least one parameter: {read.name} takes {takes[0]}, write {{{takes[0]}}}"
        )
    if not names - in_query >= set(required):
        path = _show(names - in_query)
        refuse(f"Required function arguments {_show(required)} must be a subset of the URI path parameters {path}")
    if not set(takes) >= names and not read.open:
        refuse(f"URI parameters {_show(names)} must be a subset of the function arguments {_show(takes)}")


def _show(names: Collection[str]) -> str:
    return f"{{{', '.join(map(repr, sorted(names)))}}}"
