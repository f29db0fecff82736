"""Where something lives is an object that is passed: nothing of HTTP is a subclass that overrides the endpoint."""

import gc
import importlib
import pkgutil

import plainmcp
from plainmcp.transports.connection import Connection
from plainmcp.transports.http.endpoint import Endpoint
from plainmcp.transports.http.sessions.http_session import HttpSession
from plainmcp.transports.http.shared.session import SharedSession

FINAL = (Endpoint, HttpSession, SharedSession, Connection)
OPTIONAL = ("plainmcp.compat", "plainmcp.otel")  # they load other packages


def is_ours(kind: type) -> bool:
    return str(type.__getattribute__(kind, "__module__")).startswith("plainmcp")


def test_no_class_derives_from_the_endpoint_or_from_a_session() -> None:
    for module in pkgutil.walk_packages(plainmcp.__path__, "plainmcp."):
        if not module.name.startswith(OPTIONAL) and not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    # Not isinstance: some tests leave objects behind that raise when anyone looks at them.
    classes = [one for one in gc.get_objects() if issubclass(type(one), type) and is_ours(one)]
    assert len(classes) > 300
    derived = [one for one in classes if issubclass(one, FINAL) and one not in FINAL]
    assert derived == []
