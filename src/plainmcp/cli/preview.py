"""Previews a call for each revision and policy: the shape, the size and the text of its result.

A tool in a file runs once; its value becomes results by the same rules that serve it. A remote server is called
on each revision, with its own policy.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from typing import Any

from ..client import RpcError
from ..policy import Policy
from ..preview.calls import CallPreview, copies_of, in_order, read_preview
from ..revisions import Revision
from ..server import Server
from .client import InProcessTransport, McpClient, OnNotification, Unreachable, text_of
from .show import block_lines, escape_controls, in_colour

__all__ = ["CallPreview", "preview_remote", "preview_server", "report_lines"]

_INCIDENT = re.compile(r"incident [0-9a-f]{8}")  # each incident has a random number
_HEADS = ("revision", "content", "structured content", "text", "data", "bytes", "~tokens")
_NOTE = (
    "text and data in characters; bytes of the whole message; ~tokens is (text + data) / 4, which is a rough guess"
)
_REMOTE = "as the server answers, with its own policy: the tool ran once for each line"


# Previews -----------------------------------------------------------------------------------------


def preview_server(
    server: Server,
    tool: str,
    arguments: dict[str, Any],
    policies: dict[str, Policy],
    revisions: list[Revision],
    on_notification: OnNotification | None = None,
    principal: Any = None,
) -> list[CallPreview]:
    """A preview for each policy and revision. Raises RpcError if there is no such tool."""
    previews: list[CallPreview] = []
    for name, copy, revision in copies_of(server, tool, policies, revisions, principal):
        connect = partial(InProcessTransport, copy, principal=principal)
        with closing(McpClient(connect, revision, None if previews else on_notification)) as client:
            previews.append(_preview_call(name, client, tool, arguments))
    return in_order(previews, policies, revisions)


def preview_remote(
    connect: Callable[[Revision], McpClient],
    revisions: list[Revision],
    tool: str,
    arguments: dict[str, Any],
    schema: dict[str, Any],
) -> tuple[list[CallPreview], dict[str, str]]:
    """A preview for each revision that a remote server supports, and the reason for each that it does not.

    Raises RpcError or Unreachable if it supports none.
    """
    previews: list[CallPreview] = []
    refusals: dict[str, str] = {}
    failure: Exception | None = None
    for revision in revisions:
        try:
            with closing(connect(revision)) as client:
                if client.revision == revision.name:
                    previews.append(_preview_call(None, client, tool, arguments, schema))
                else:
                    refusals[revision.name] = f"the server offers {client.revision} instead"
        except (RpcError, Unreachable) as error:
            refusals[revision.name], failure = text_of(error), error
    if not previews:
        raise failure or Unreachable("; ".join(f"nothing on {name}: {why}" for name, why in refusals.items()))
    return previews, refusals


def _preview_call(
    policy: str | None, client: McpClient, tool: str, arguments: dict[str, Any], schema: Any = None
) -> CallPreview:
    return read_preview(policy, client.revision, client.call(tool, arguments, schema), len(client.last_response))


# The report ---------------------------------------------------------------------------------------


def report_lines(previews: list[CallPreview], refusals: dict[str, str], limit: int | None) -> list[str]:
    """The report in lines: a table for each policy, the refusals, and each text, cut to `limit` lines."""
    rows = [preview.row for preview in previews]
    widths = [max(map(len, column)) for column in zip(_HEADS, *rows, strict=True)]
    lines: list[str] = []
    for policy in dict.fromkeys(preview.policy for preview in previews):
        lines += [_REMOTE if policy is None else f"policy {policy}", in_colour(_format_row(_HEADS, widths), "bold")]
        for preview in previews:
            if preview.policy == policy:
                row = _format_row(preview.row, widths)
                lines.append(in_colour(row, "red") if preview.failed else row)
        lines.append("")
    without = [in_colour(escape_controls(f"nothing on {name}: {reason}"), "dim") for name, reason in refusals.items()]
    return [*lines, in_colour(_NOTE, "dim"), *without, *_text_lines(previews, limit)]


def _format_row(row: tuple[str, ...], widths: list[int]) -> str:
    words, numbers = slice(3), slice(3, None)
    cells = [cell.ljust(width) for cell, width in zip(row[words], widths[words], strict=True)]
    cells += [cell.rjust(width) for cell, width in zip(row[numbers], widths[numbers], strict=True)]
    return "  ".join(cells)


def _text_lines(previews: list[CallPreview], limit: int | None) -> list[str]:
    """Each text as a model would read it, once for all previews that share it."""
    groups: dict[tuple[str, ...], list[CallPreview]] = {}
    for preview in previews:
        text = tuple(_INCIDENT.sub("incident …", line) for line in _numbered_lines(preview.result.get("content", [])))
        groups.setdefault(text, []).append(preview)
    lines: list[str] = []
    for text, group in groups.items():
        lines += ["", in_colour(f"the text on {_describe_places(group, previews)}", "bold"), *text[:limit]]
        if limit is not None and len(text) > limit:
            more = len(text) - limit
            lines.append(in_colour(f"   … {more} more {'line' if more == 1 else 'lines'}; --full shows all", "dim"))
    return lines


def _numbered_lines(content: list[dict[str, Any]]) -> Iterator[str]:
    """The lines of all blocks; the first line of each block has its number."""
    for number, block in enumerate(content, 1):
        for index, line in enumerate(block_lines(block)):
            yield f"{'' if index else number:>2} | {line}"


def _describe_places(group: list[CallPreview], previews: list[CallPreview]) -> str:
    every = {preview.revision for preview in previews}
    policies = {preview.policy for preview in previews}
    places: dict[tuple[str, ...], list[str | None]] = {}  # the policies, by the revisions they share
    for policy in dict.fromkeys(preview.policy for preview in group):
        where = tuple(preview.revision for preview in group if preview.policy == policy)
        places.setdefault(where, []).append(policy)
    parts: list[str] = []
    for where, group_policies in places.items():
        text = "every revision" if len(where) == len(every) > 1 else ", ".join(where)
        parts.append(text if len(policies) == 1 else f"{text} with {', '.join(map(str, group_policies))}")
    return "; ".join(parts)
