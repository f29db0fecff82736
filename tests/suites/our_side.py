"""A pytest plugin: what a suite imports of the server side comes from the facades, and its clients connect to them.

It runs in the environment of a suite, on a copy whose imports `change_imports` has changed. The clients, the types of
the protocol and the transports of the clients stay those of the package.
"""

import ast
import importlib
import importlib.util
import os
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from .sides import PACKAGES, is_below, side_of

__all__ = ["change_imports", "load"]

_SCAFFOLDING = ("fastmcp.utilities.tests",)
"""What the suites have for their own use: it starts servers and clients."""


def change_imports(source: str, has_client: bool, is_scaffolding: bool = False) -> str:
    """The source of a module, with `load` in the place of imports of what is ours; lines keep their numbers.

    Private names in the scaffolding of a suite stay those of the package: they are not what is tested.
    """
    lines = source.split("\n")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            changed = _changed_names(node, has_client, is_scaffolding)
        elif isinstance(node, ast.Import):
            changed = _changed_modules(node, has_client, is_scaffolding)
        else:
            continue
        if changed:
            height = (node.end_lineno or node.lineno) - node.lineno
            indent = lines[node.lineno - 1][: node.col_offset]
            lines[node.lineno - 1 : node.end_lineno] = [indent + changed, *[""] * height]
    return "\n".join(lines)


def _is_ours(module: str, name: str, has_client: bool, is_scaffolding: bool) -> bool:
    """Whether a name comes from the facades: what is the server's, and without a client what belongs to both."""
    if module.partition(".")[0] not in PACKAGES or is_below(module, name, _SCAFFOLDING):
        return False
    if is_scaffolding and any(part.startswith("_") for part in (*module.split("."), name)):
        return False
    side = side_of(module, name)
    return side == "server" or (side == "both" and not has_client)


def _changed_names(node: ast.ImportFrom, has_client: bool, is_scaffolding: bool) -> str:
    ours = [one for one in node.names if _is_ours(node.module or "", one.name, has_client, is_scaffolding)]
    theirs = [one for one in node.names if one not in ours]
    if not ours:
        return ""
    parts = [f"{one.asname or one.name} = {_CALL}({node.module!r}, {one.name!r})" for one in ours]
    if theirs:
        names = ", ".join(f"{one.name} as {one.asname}" if one.asname else one.name for one in theirs)
        parts.insert(0, f"from {node.module} import {names}")
    return "; ".join(parts)


def _changed_modules(node: ast.Import, has_client: bool, is_scaffolding: bool) -> str:
    ours = [one for one in node.names if _is_ours(one.name, "", has_client, is_scaffolding)]
    return "; ".join(_changed_module(one, one in ours) for one in node.names) if ours else ""


def _changed_module(one: ast.alias, is_ours: bool) -> str:
    if not is_ours:
        return f"import {one.name}" + (f" as {one.asname}" if one.asname else "")
    top = one.name.partition(".")[0]
    return f"{one.asname or top} = {_CALL}({(one.name if one.asname else top)!r})"


_CALL = "__import__('suites.our_side', fromlist=['load']).load"


def load(module: str, name: str = "") -> Any:
    """A module of the packages, or a name in it, from the facades.

    What they do not have, because it is private, is a class that fails when it is used: other tests of the file run.
    """
    facade = _facade_of(module)
    if not name:
        return facade
    try:
        return getattr(facade, name)
    except AttributeError:
        pass
    submodule = _facade_of(f"{module}.{name}")
    if submodule is not None:
        return submodule
    real = getattr(importlib.import_module(module), name, None) if _is_importable(module) else None
    if real is not None and getattr(real, "__module__", module).partition(".")[0] not in PACKAGES:
        return real  # of another package, which this one imports for itself
    return _Absent(f"{module}.{name}", (), {"__class_getitem__": classmethod(lambda cls, item: cls)})


def _is_importable(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ImportError:
        return False


@cache
def _facade_of(module: str) -> ModuleType | None:
    from plainmcp.compat.drop_in import facade_of  # the plugin is loaded before the package is needed

    facade = facade_of(module)
    return None if facade is None else importlib.import_module(facade)


class _Absent(type):
    def __getattr__(cls, name: str) -> Any:
        raise AttributeError(f"the facade has no {cls.__name__}")

    def __call__(cls, *arguments: Any, **options: Any) -> Any:
        raise AttributeError(f"the facade has no {cls.__name__}")


# The clients -------------------------------------------------------------------------------------------------------


class _OnStreams:
    """A server of ours, with the methods that a client uses to serve it on two streams."""

    def __init__(self, server: Any) -> None:
        self._server = server

    def create_initialization_options(self) -> None:
        return None

    async def run(self, read: Any, write: Any, options: Any = None, **others: Any) -> None:
        from plainmcp.compat.mcp.message_streams import serve_messages

        await serve_messages(self._server, read, write)


def _send_messages_of(message_type: Any) -> None:
    """Put the package's own messages on the streams: its clients compare classes."""
    from mcp.shared.message import SessionMessage

    from plainmcp.compat.mcp import message_streams

    message_streams.SessionMessage = SessionMessage
    message_streams.JSONRPCMessage = message_type


def _connect_sdk_1() -> None:
    from mcp.shared import memory
    from mcp.types import JSONRPCMessage

    from plainmcp.compat.mcp.server.fastmcp import FastMCP

    memory.FastMCP = (memory.FastMCP, FastMCP)
    _send_messages_of(JSONRPCMessage)


class _Message:
    @staticmethod
    def model_validate_json(raw: bytes) -> Any:
        from mcp_types import jsonrpc_message_adapter

        return jsonrpc_message_adapter.validate_json(raw, by_name=False)


def _connect_sdk_2() -> None:
    from mcp.client import _memory, client
    from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher

    from plainmcp import Server

    _send_messages_of(_Message)
    theirs = client._connect_inproc

    def connect(server: Any) -> Any:
        if not isinstance(server, Server):
            return theirs(server)

        async def enter(stack: Any, mode: Any, raise_exceptions: bool) -> Any:
            return JSONRPCDispatcher(*await stack.enter_async_context(_memory.InMemoryTransport(_OnStreams(server))))

        return enter

    client._connect_inproc = connect
    client.Server = (client.Server, Server)

    def give(self: Any, server: Any, **options: Any) -> None:
        first(self, _OnStreams(server) if isinstance(server, Server) else server, **options)

    first = _memory.InMemoryTransport.__init__
    _memory.InMemoryTransport.__init__ = give


def _connect_fastmcp() -> None:
    from fastmcp import exceptions
    from fastmcp.client.transports import inference, memory
    from fastmcp.utilities import tests

    import plainmcp.compat.fastmcp.exceptions as ours
    from plainmcp import Server

    is_theirs, low_level_of, wait = inference._is_fastmcp_server, memory._lowlevel_of, tests._wait_for_server_started
    inference._is_fastmcp_server = lambda one: isinstance(one, Server) or is_theirs(one)
    memory._lowlevel_of = lambda one: _OnStreams(one) if isinstance(one, Server) else low_level_of(one)

    async def wait_for(server: Any, task: Any) -> None:
        if not isinstance(server, Server):
            await wait(server, task)

    tests._wait_for_server_started = wait_for
    _share_exceptions(exceptions, ours)


def _share_exceptions(theirs: ModuleType, ours: ModuleType) -> None:
    """Let the client raise the exceptions of the facade: a test raises and expects the same class."""
    classes = {
        one: getattr(ours, name)
        for name, one in vars(theirs).items()
        if hasattr(ours, name) and isinstance(one, type)
    }
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "fastmcp":
            for key, value in list(vars(module).items()):
                if isinstance(value, type) and value in classes:
                    setattr(module, key, classes[value])


def _connect() -> None:
    if importlib.util.find_spec("mcp_types"):
        if importlib.util.find_spec("fastmcp"):  # in the suite of mcp 1 it is also a folder of tests
            _connect_fastmcp()
        _connect_sdk_2()
    else:
        _connect_sdk_1()


_ONE_LOOP = "_module_runner_lease"
"""The fixture that lets the tests of a file of `mcp` 2 share an event loop."""


def pytest_addoption(parser: Any) -> None:
    """The option for a file with the ids of the tests to run, a line for each."""
    parser.addoption("--only-tests", default=None)


def pytest_configure() -> None:
    """Let the clients of the suite connect to servers of ours."""
    _connect()


def pytest_unconfigure() -> None:
    """End at once, the results are written: a thread that a test has left, such as one that reads, would go on."""
    sys.stdout.flush()
    os._exit(0)


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """Leave out tests that are not asked for: with their ids as arguments, a file that fails would end the run."""
    only = config.getoption("--only-tests")
    if only is not None:
        asked = set(Path(only).read_text("utf-8").splitlines())
        items[:] = [item for item in items if item.nodeid in asked]
    for item in items:
        if _ONE_LOOP in item.fixturenames:  # a test that fails would end the loop of those after it
            item.fixturenames.remove(_ONE_LOOP)
