"""What clients receive for one value from a tool, a resource and a prompt, alone and nested, on every revision."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from plainmcp import Policy, Server
from plainmcp.revisions import REVISIONS
from plainmcp.testing import Client, RpcError

__all__ = ["Refused", "Text", "check_sent"]


class Text(str):
    """A value that is sent as a text, and not as data."""


class Refused(str):
    """Why a value is not sent."""


def check_sent(make: Callable[[], Any], form: Any, policy: Policy | str = "standard") -> None:
    """Compare everything that clients receive for a value with its JSON, its Text, or why it is Refused."""
    server = Server("returning", policy=policy)
    for name, value in {"alone": lambda: make(), "nested": lambda: {"it": make(), "all": [make()]}}.items():
        server.tool(name=name)(value)
        server.resource(f"it://{name}", name=name)(value)
        server.prompt(name=name)(value)
    for revision in REVISIONS:
        client = Client(server, revision)
        if isinstance(form, Refused):
            _check_refused(client, "alone", f"$: {form}")
            _check_refused(client, "nested", f"$.it: {form}")
        else:
            _check_texts(client, "alone", form)
            _check_texts(client, "nested", {"it": form, "all": [form]})


def _check_texts(client: Client, name: str, form: Any) -> None:
    whole = form if isinstance(form, str) else json.dumps(form, ensure_ascii=False)
    texts = list(_texts_of(form))
    data = {"structuredContent": form if isinstance(form, dict) else {"result": form}}
    has_data = not _holds_text(form) and client.revision.structured != "none"
    blocks = [{"type": "text", "text": text} for text in texts]
    assert _call(client, name) == {"content": blocks} | (data if has_data else {})
    assert client.read(f"it://{name}")["contents"] == [
        {"uri": f"it://{name}", "mimeType": "text/plain", "text": whole}
    ]
    assert client.get_prompt(name)["messages"] == [{"role": "user", "content": block} for block in blocks]


def _call(client: Client, name: str) -> dict[str, Any]:
    result = client.call(name)
    return {key: result[key] for key in result.keys() - {"_meta", "resultType"}}


def _texts_of(form: Any) -> Iterator[str]:
    """The text of each item of a list, or that of any other value."""
    if isinstance(form, list):
        for item in form:
            yield from _texts_of(item)
    else:
        yield form if isinstance(form, str) else json.dumps(form, ensure_ascii=False)


def _holds_text(form: Any) -> bool:
    if isinstance(form, (list, dict)):
        return any(map(_holds_text, form.values() if isinstance(form, dict) else form))
    return isinstance(form, Text)


def _check_refused(client: Client, name: str, problem: str) -> None:
    text = f"The result of {name} was not valid and is withheld: {problem}"
    assert _call(client, name) == {"content": [{"type": "text", "text": text}], "isError": True}
    for kind, ask in (
        ("Resource", lambda: client.read(f"it://{name}")),
        ("Prompt", lambda: client.get_prompt(name)),
    ):
        with pytest.raises(RpcError) as caught:
            ask()
        expected = f"-32603: The result of {kind} {name} was not valid and is withheld: {problem}"
        assert str(caught.value) == expected
