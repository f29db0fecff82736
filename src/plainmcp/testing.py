"""An in-memory client for tests: any revision, no socket, no loop. Knows the messages of a client.

`client` is a fixture for pytest, which is imported only for those who import the fixture.

>>> from plainmcp import Server
>>> server = Server("adder")
>>> @server.tool
... def add(a: int, b: int) -> int:
...     return a + b
>>> Client(server, "2025-06-18").call("add", a=1, b=2)["structuredContent"]
{'result': 3}
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from . import revisions
from .client import ClientMessages, RpcError, list_all, params_of_next_round, read_result
from .protocol.core import Core
from .revisions import REVISIONS, Revision
from .transports.connection import Connection

if TYPE_CHECKING:
    from .store.interface import Store

    client: Any  # made by __getattr__

__all__ = ["Client", "RpcError", "assert_valid_on_every_revision", "check_store", "client"]

Check = Callable[[Revision, str, bytes], None]
Answer = Callable[[dict[str, Any]], Any]

_INFO = {"name": "plainmcp-testing", "version": "1"}
_ROUNDS = 10


class Client:
    """A client of one revision; it does the handshake, if the revision has one.

    `answers` has the functions that answer questions of the server, by method: {"elicitation/create": function}. The
    notifications of the server are in `notifications`. `check` is called with every message of the server: the
    revision, the method that is answered (or that of the notification), and the raw bytes.
    """

    def __init__(
        self,
        server: Core,
        revision: str = revisions.LATEST.name,
        *,
        answers: dict[str, Answer] | None = None,
        capabilities: dict[str, Any] | None = None,
        log_level: str | None = None,
        principal: Any = None,
        check: Check | None = None,
    ) -> None:
        self.revision = revisions.revision_of(revision)
        self.notifications: list[dict[str, Any]] = []
        self.initialized: dict[str, Any] = {}
        self._answers = answers or {}
        self._check = check
        capabilities = _capabilities_for(self._answers) if capabilities is None else capabilities
        self._messages = ClientMessages(self.revision, capabilities, _INFO, log_level)
        self._connection = Connection(server, self._receive, principal=principal)
        if self.revision.handshake:
            self._initialize(log_level)

    # Requests -------------------------------------------------------------------------------------

    def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a request; returns its result or raises RpcError. Questions of the server are answered meanwhile."""
        params = dict(params or {})
        for _ in range(_ROUNDS):
            result = self._exchange(self._messages.build_request(method, params))
            following = params_of_next_round(result, params, self._answer)
            if following is None:
                return msgspec.json.decode(result)  # type: ignore[no-any-return]
            params = following
        raise AssertionError(f"{method} still wants input after {_ROUNDS} rounds")

    def notify(self, method: str, params: dict[str, Any] | None = None) -> None:
        """Send a notification."""
        message = {"jsonrpc": "2.0", "method": method} | ({} if params is None else {"params": params})
        answer = self._connection.handle(msgspec.json.encode(message))
        assert answer is None, f"a notification was answered: {answer!r}"

    def send(self, message: bytes) -> bytes | None:
        """Send bytes as they are; returns the bytes of the response."""
        return self._connection.handle(message)

    def call(self, name: str, arguments: dict[str, Any] | None = None, /, **named: Any) -> dict[str, Any]:
        """Call a tool; returns its result."""
        return self.request("tools/call", {"name": name, "arguments": {**(arguments or {}), **named}})

    def read(self, uri: str) -> dict[str, Any]:
        """Read a resource; returns its result."""
        return self.request("resources/read", {"uri": uri})

    def get_prompt(self, name: str, arguments: dict[str, str] | None = None, /, **named: str) -> dict[str, Any]:
        """Get the messages of a prompt; returns its result."""
        return self.request("prompts/get", {"name": name, "arguments": {**(arguments or {}), **named}})

    def list_tools(self) -> list[dict[str, Any]]:
        """Every tool, all pages."""
        return list(list_all(self.request, "tools/list", "tools"))

    def list_resources(self) -> list[dict[str, Any]]:
        """Every resource, all pages."""
        return list(list_all(self.request, "resources/list", "resources"))

    def list_templates(self) -> list[dict[str, Any]]:
        """Every resource template, all pages."""
        return list(list_all(self.request, "resources/templates/list", "resourceTemplates"))

    def list_prompts(self) -> list[dict[str, Any]]:
        """Every prompt, all pages."""
        return list(list_all(self.request, "prompts/list", "prompts"))

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _initialize(self, log_level: str | None) -> None:
        result = self._exchange(self._messages.build_handshake(self.revision.name))
        self.initialized = msgspec.json.decode(result)
        assert self.initialized["protocolVersion"] == self.revision.name
        self.notify("notifications/initialized")
        if log_level is not None:
            self.request("logging/setLevel", {"level": log_level})

    def _exchange(self, message: dict[str, Any]) -> bytes:
        """Send a request, and return its result as JSON."""
        method, id = message["method"], message["id"]
        raw = self._connection.handle(msgspec.json.encode(message))
        assert raw is not None, f"{method} was not answered"
        if self._check is not None:
            self._check(self.revision, method, raw)
        answered = msgspec.json.decode(raw).get("id")
        assert answered == id, f"the answer to {id} came for {answered!r}"
        return read_result(raw)

    # Messages of the server --------------------------------------------------------------------------------------

    def _receive(self, raw: bytes) -> None:
        message = msgspec.json.decode(raw)
        if self._check is not None:
            self._check(self.revision, message.get("method", ""), raw)
        if "id" not in message or "method" not in message:
            self.notifications.append(message)
            return
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": self._answer(message)}
        self._connection.handle(msgspec.json.encode(answer))

    def _answer(self, question: dict[str, Any]) -> Any:
        answer = self._answers.get(question["method"])
        assert answer is not None, f"the server asked {question['method']} and this test has no answer for it"
        return answer(question.get("params", {}))


def _capabilities_for(answers: dict[str, Answer]) -> dict[str, Any]:
    """The capabilities of a client that can answer these questions."""
    names = {"elicitation/create": "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots"}
    forms: dict[str, Any] = {"form": {}, "url": {}}
    return {name: forms if name == "elicitation" else {} for method, name in names.items() if method in answers}


def assert_valid_on_every_revision(server: Core) -> None:
    """Fail if the server sends a client of any revision something that the revision does not allow.

    Lists everything, reads every resource and gets every prompt that takes no arguments; runs no tool.
    """
    for name in REVISIONS:
        client = Client(server, name)
        for tool in client.list_tools():
            _check_tool(tool, client.revision)
        for resource in client.list_resources():
            assert resource["uri"] and resource["name"], f"{name}: a resource without a uri or a name"
        for template in client.list_templates():
            assert template["uriTemplate"], f"{name}: a template without a uriTemplate"
        for prompt in client.list_prompts():
            if not any(argument.get("required") for argument in prompt.get("arguments", [])):
                with suppress(RpcError):  # a prompt that asks the user something fails in this client
                    assert client.get_prompt(prompt["name"])["messages"] is not None
        client.close()


def _check_tool(tool: dict[str, Any], revision: Revision) -> None:
    where = f"{revision.name}: tool {tool['name']!r}"
    schema = tool["inputSchema"]
    assert schema.get("type") == "object", f"{where}: its input schema is not the schema of an object"
    for name, field in schema.get("properties", {}).items():
        assert isinstance(field, dict), f"{where}: the schema of {name!r} is {field!r}, not an object"
    output_schema = tool.get("outputSchema")
    if revision.structured == "none":
        assert output_schema is None and "title" not in tool, f"{where}: it shows what the revision does not know"
    elif revision.structured == "object" and output_schema is not None:
        assert output_schema.get("type") == "object", f"{where}: its output schema is not the schema of an object"


def check_store(
    make: Callable[[], "Store"], *, outage: Callable[[], AbstractContextManager[object]] | None = None
) -> None:
    """Fail if a store does not keep a guarantee of `plainmcp.store.Store`; a sentence says which, for each of them.

    `make` makes an object for the store; all that it makes are for the same one, if that is shared by processes.
    `outage()` gives a context in which the store cannot be reached: without it, time limits are not checked. Takes
    some two seconds, forks once, and leaves only keys that expire.
    """
    from .store.guarantees import find_failures  # loaded for those who have written a store

    failures = find_failures(make, outage)
    if failures:
        text = "\n".join(f"- {failure}" for failure in failures)
        raise AssertionError(f"this store does not keep what plainmcp.store.Store guarantees:\n{text}")


# The fixture --------------------------------------------------------------------------------------


def __getattr__(name: str) -> Any:
    if name == "client":
        return _build_fixture()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@cache
def _build_fixture() -> Any:
    import pytest  # not a dependency: only those who write tests with it have it

    @pytest.fixture(params=REVISIONS, name="client")
    def client(request: pytest.FixtureRequest) -> Iterator[Client]:
        """A Client of the fixture `server`, once for each revision.

        If there is a fixture `answers`, it has the answers to questions of the server, as in `Client(answers=…)`.
        """
        answers = request.getfixturevalue("answers") if "answers" in request.fixturenames else None
        client = Client(request.getfixturevalue("server"), request.param, answers=answers)
        yield client
        client.close()

    return client
