"""examples/everything.py for other people's clients: one server on HTTP for all tests, on stdio one for each."""

import socket
import sys
import threading
from collections.abc import Iterator

import pytest
import uvicorn

from replica_set import running_set
from serving import EXAMPLES, load, served

collect_ignore = ["lazy_annotations.py"]  # a program for Python 3.14


@pytest.fixture(scope="session")
def url() -> Iterator[str]:
    """Where the example is served."""
    with served("everything") as address:
        yield address


@pytest.fixture(scope="session")
def sessionless() -> Iterator[str]:
    """Where it is served without sessions, whatever the client speaks."""
    app = load("everything").server.asgi(stateless=True)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="session")
def replicas() -> Iterator[str]:
    """Where two replicas with two workers each serve it and share a store, behind an nginx that takes turns."""
    with running_set(EXAMPLES / "everything.py", workers=2) as running:
        yield running.url


@pytest.fixture(params=["http", "stdio", "replicas"])
def target(request: pytest.FixtureRequest) -> list[str]:
    """A URL, or a command and its arguments."""
    return _target(request)


@pytest.fixture(params=["http", "stdio", "sessionless", "replicas"])
def anywhere(request: pytest.FixtureRequest) -> list[str]:
    """The same, and the URL of one without sessions: for what takes none."""
    return _target(request)


def _target(request: pytest.FixtureRequest) -> list[str]:
    if request.param == "stdio":
        return [sys.executable, str(EXAMPLES / "everything.py")]
    return [request.getfixturevalue("url" if request.param == "http" else request.param)]
