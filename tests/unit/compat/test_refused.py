"""Names of the packages that are not here can be imported, and are refused with advice when they are used (D2)."""

import abc
import enum
import importlib
import os
import sys
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Optional, Protocol, TypeVar

import pydantic
import pytest

from plainmcp.compat import facade_modules, mcp
from plainmcp.compat.mcp.server.fastmcp import FastMCP
from plainmcp.compat.refused import MissingFeature, refuse_name
from plainmcp.errors import AuthorError
from plainmcp.testing import Client

T = TypeVar("T")
Session: Any = refuse_name("Session", "package", "use another one")
Broken: Any = refuse_name("Broken", "package", "use another one", "!")
REFUSED = "^there is no Session here; use another one$"


@pytest.fixture
def not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the real packages, whose clients are used where they are, were not there."""
    monkeypatch.setattr(facade_modules, "find_client", lambda module: None)
    for name in [name for name in sys.modules if name.startswith("plainmcp.compat.mcp.client")]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("Client", "ClientSession"):
        monkeypatch.delitem(vars(mcp), name, raising=False)


@pytest.mark.usefixtures("not_installed")
@pytest.mark.parametrize(
    ("module", "name", "advice"),
    [
        ("client", "Client", "install the package, whose client is then used; in tests, use plainmcp.testing.Client"),
        ("client.session", "ClientSession", "install the package, whose client is then used"),
        ("client.stdio", "stdio_client", "install the package, whose client is then used"),
        ("client.streamable_http", "streamable_http_client", "install the package, whose client is then used"),
        ("client.sse", "sse_client", "install the package, whose client is then used"),
        ("server.auth.provider", "OAuthAuthorizationServerProvider", "log users in at an authorization server"),
        ("server.auth.settings", "ClientRegistrationOptions", "log users in at an authorization server"),
        ("server.sse", "SseServerTransport", r"mount server\.streamable_http_app\(\)"),
    ],
)
def test_a_name_is_refused_when_it_is_used(module: str, name: str, advice: str) -> None:
    refused = getattr(importlib.import_module(f"plainmcp.compat.mcp.{module}"), name)

    class Own(refused[int]):  # type: ignore[misc,name-defined]
        pass

    with pytest.raises(AuthorError, match=f"^there is no {name} here; {advice}"):
        Own(1, a=2)
    with pytest.raises(AuthorError, match=f"^there is no {name} here; {advice}"):
        refused()


def test_a_name_that_no_version_has_is_missing() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        _ = mcp.Nothing  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "use",
    [
        lambda: Session("x"),
        lambda: Session.connect,
        lambda: setattr(Session, "timeout", 3),
        lambda: [*Session],
        lambda: "x" in Session,
        lambda: len(Session),
        lambda: Session + 1,
        lambda: Session < 1,
        lambda: int(Session),
        lambda: os.fspath(Session),
        lambda: Session().__enter__(),
    ],
    ids=["call", "attribute", "set", "loop", "in", "len", "add", "compare", "int", "path", "with"],
)
def test_every_use_says_what_to_do(use: Callable[[], Any]) -> None:
    with pytest.raises(AuthorError, match=r"^there is no Session(\.connect)? here; use another one$"):
        use()


def test_hasattr_and_truth_are_no_uses() -> None:
    assert not hasattr(Session, "connect")
    assert not hasattr(Session, "__wrapped__")
    assert Session
    assert {Session: 1}[Session] == 1
    assert repr(Session) == "package.Session"


def test_a_class_can_inherit_from_it_beside_any_other() -> None:
    class Plain(Session):  # type: ignore[misc]
        def __init__(self) -> None:
            """Without the constructor of the name."""

    class Abstract(Session, abc.ABC):  # type: ignore[misc]
        @abc.abstractmethod
        def run(self) -> None: ...

    class Typed(Session[T], Generic[T]):  # type: ignore[misc]
        pass

    class Model(pydantic.BaseModel, Session):  # type: ignore[misc]
        x: int = 1

    class Optioned(Session, total=False):  # type: ignore[misc]
        pass

    class Runs(Session, Protocol):  # type: ignore[misc]
        def run(self) -> None: ...

    class Further(Plain, Session):
        pass

    for kind in (Plain, Typed, Typed[int], Model, Optioned, Further):
        with pytest.raises(AuthorError, match=REFUSED):
            kind()
    assert issubclass(Plain, Session)
    assert issubclass(Abstract, Session)
    assert not issubclass(int, Session)
    assert not isinstance(3, Session)
    assert not isinstance(3, (str, Session))


def test_it_can_be_in_hints_and_models() -> None:
    def take(one: Session | None, two: "Session[int, None] | None", three: Optional[Session] = None) -> list[Session]:  # noqa: UP045
        return []

    @dataclass
    class Record:
        session: Session | None = None

    class Model(pydantic.BaseModel):
        session: Session | None = None
        other: Annotated[str | Session, "note"] = "x"

    assert list(typing.get_type_hints(take)) == ["one", "two", "three", "return"]
    assert Record() == Record(None)
    assert Model().model_dump() == {"session": None, "other": "x"}

    class Kind(enum.Enum):
        SESSION = Session

    assert Kind.SESSION.value is Session


def test_an_exception_can_be_caught() -> None:
    with pytest.raises(KeyError):
        try:
            raise KeyError("x")
        except Broken:
            pass

    class Own(Broken):  # type: ignore[misc,valid-type]
        pass

    assert issubclass(Own, Exception)


def test_a_type_variable_and_a_logger_are_what_they_are_there() -> None:
    kind: Any = refuse_name("ResultT", "package", "nothing", "~")

    class Box(Generic[kind]):  # type: ignore[valid-type]
        pass

    assert repr(Box[int]).endswith("Box[int]")
    assert refuse_name("logger", "fastmcp.server", "nothing").name == "fastmcp.server"


@pytest.mark.usefixtures("not_installed")
def test_a_server_that_names_a_client_is_served() -> None:
    """As published servers do: a client of another server that is made when it is needed."""
    space: dict[str, Any] = {}
    exec(
        "from plainmcp.compat.mcp import ClientSession\n"
        "from plainmcp.compat.mcp.client.stdio import StdioServerParameters, stdio_client\n"
        "from plainmcp.compat.mcp.server.fastmcp import FastMCP\n"
        "session: ClientSession | None = None\n"
        "class Kept(ClientSession): ...\n"
        "mcp = FastMCP('demo')\n"
        "@mcp.tool()\n"
        "def ask(name: str) -> str:\n"
        "    if name == 'other':\n"
        "        stdio_client(StdioServerParameters(command=name))\n"
        "    return 'here'\n",
        space,
    )
    server: FastMCP = space["mcp"]
    client = Client(server, "2025-06-18")
    assert client.call("ask", name="me")["content"] == [{"type": "text", "text": "here"}]
    assert client.call("ask", name="other") == {
        "content": [
            {
                "type": "text",
                "text": "Error executing tool ask: there is no StdioServerParameters here; install the package, "
                "whose client is then used; in tests, use plainmcp.testing.Client",
            }
        ],
        "isError": True,
    }


def test_the_error_is_of_a_class_of_its_own() -> None:
    with pytest.raises(MissingFeature):
        Session()
    assert issubclass(MissingFeature, AttributeError)


@pytest.mark.parametrize("options", [{"auth": object()}, {"auth_server_provider": object()}, {"token_verifier": 1}])
def test_what_is_not_a_verifier_of_tokens_is_refused_by_the_server(options: Any) -> None:
    with pytest.raises(AuthorError, match="has verifiers of keys and tokens"):
        FastMCP("demo", **options)
