"""Notifications of clients that handlers of low-level servers get."""

from typing import Any

import pytest

from plainmcp.compat.mcp import types
from plainmcp.compat.mcp.server import Server, ServerRequestContext
from plainmcp.errors import AuthorError
from plainmcp.testing import Client

CHANGED = "notifications/roots/list_changed"
ROOTS = {"roots": [{"uri": "file:///home", "name": "home"}]}


def test_a_change_of_the_roots_reaches_its_handler_which_may_ask_for_them() -> None:
    seen: list[Any] = []

    async def changed(ctx: ServerRequestContext, params: Any) -> None:
        roots = (await ctx.session.list_roots()).roots
        seen.append((ctx.method, params, roots[0].name))

    server = Server("rooted", on_roots_list_changed=changed)
    Client(server, "2025-11-25", answers={"roots/list": lambda params: ROOTS}).notify(CHANGED)
    assert seen == [(CHANGED, types.NotificationParams(), "home")]


def test_a_handler_of_mcp_1_is_set_by_the_class_of_the_notification() -> None:
    server, seen = Server("rooted"), []

    async def changed(notification: Any) -> None:
        seen.append(type(notification))

    server.notification_handlers[types.RootsListChangedNotification] = changed
    server.notification_handlers[types.CancelledNotification] = changed  # plainmcp's own business
    client = Client(server, "2025-06-18")
    client.notify(CHANGED)
    client.notify("notifications/cancelled", {"requestId": 9})
    assert seen == [types.RootsListChangedNotification]


def test_a_handler_that_fails_is_in_the_log_and_nothing_else_happens(caplog: pytest.LogCaptureFixture) -> None:
    async def fail(ctx: Any, params: Any) -> None:
        raise ValueError("no disk")

    client = Client(Server("rooted", on_roots_list_changed=fail), "2025-11-25")
    client.notify(CHANGED)
    assert "no disk" in caplog.text
    assert client.request("ping") == {}


def test_other_notifications_have_no_handlers() -> None:
    with pytest.raises(AuthorError, match="there is no notification 'notifications/progress'"):
        Server("low").add_notification_handler("notifications/progress", None, print)
