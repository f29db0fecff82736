"""Imports go one way: down. A failure prints the import: reverse it, or change layers.py and give the reason."""

import sys

import pytest

from architecture.layers import LAYERS, OUTER, ROOT, imports, layer_of, modules

# What may be imported inside a function, and why it is not at the top.
LAZY = {
    "a module chosen while running": "drop-in: a module of a facade is loaded in the place of another package's",
    "jsonschema_rs": "a native validator, needed only once a schema is checked",
    "docstring_parser": "needed only while functions are registered",
    "hashlib": "brings OpenSSL, a thirtieth of what the whole package takes to load; few answers need a hash",
    "hmac": "as hashlib",
    "ipaddress": "needed only for clients with IPv6 addresses",
    "difflib": "needed only for hints on misspelled names",
    "csv": "needed only by results that are rendered as CSV",
    "importlib": "importlib.metadata takes long to load, and only --version needs it",
    "yaml": "an extra: most users do not have it",
    "redis": "an extra: most servers are one process",
    "redis.backoff": "as redis",
    "redis.cluster": "as redis",
    "redis.connection": "as redis",
    "redis.exceptions": "as redis",
    "redis.retry": "as redis",
    "http": "http.client brings ssl, which takes long to load, and only issuers that are asked need it",
    "joserfc": "an extra: needed only to verify JSON Web Tokens",
    "sqlite3": "most servers are one process, and others use another store",
    "uvicorn": "an extra: not needed if the server is mounted in an application",
    "pytest": "belongs to the user; needed only for the fixture of plainmcp.testing",
    "pydantic": "belongs to the user; touched only when one of their types is pydantic's",
    "pydantic_core": "as pydantic",
    "httpx": "as starlette: the SDK's examples get their client for HTTP from the SDK",
    "starlette": "belongs to the user; needed only if they mount the application of a facade",
    "anyio": "as starlette: the official SDK's streams are its own; needed only to read them without a server",
}

# Modules of ours that load something heavy.
LAZY_MODULES = {
    "cli/scripts": "importlib.metadata takes long to load, and only a name that is no file needs it",
    "redis/__init__": "an extra: needed only with --store",
    "replicas/presence": "needed only with a store",
    "store/sqlite": "needed only with --store",
    "store/guarantees/__init__": "needed only by the tests of a store",
    "transports/http/sessions/none": "needed only with stateless=True",
    "transports/http/sessions/shared": "needed only with a store",
    "transports/http/sessions/signed": 'needed only with sessions="signed"',
    "transports/run_async": "asyncio takes as long to load as all the rest, and many servers never need it",
    "transports/background_loop": "as run_async",
    "transports/applications": "needed only if the server is mounted",
    "transports/asgi": "as run_async",
    "transports/asgi_body": "as run_async",
    "transports/lifespan": "as run_async",
    "transports/asgi_routes": "as run_async",
    "transports/wsgi": "needed only if the server is mounted",
    "transports/wsgi_routes": "as run_async",
    "transports/asgi_observed": "as run_async, and needed only if there are observers",
    "transports/wsgi_observed": "needed only if there are observers",
    "observe/__init__": "needed only for the access log",
    "otel/recording": "needs an extra",
    "transports/http/routes": "needed only if there are routes, or the server is at a path",
    "ui/page_app": "as run_async, and needed only if the page is served",
    "transports/stdio_async": "as run_async",
    "transports/stdio": "needed only if the server is run",
    "transports/uvicorn": "as stdio",
    "transports/http_server": "asyncio, as run_async",
    "transports/http/protection": "brings hashlib, and is needed only if there is auth=",
    "transports/callers": "as http/protection",
    "transports/callers_async": "as http/protection",
    "transports/well_known": "needed only if there is auth=",
    "auth/keys": "brings hashlib, and is needed only with --auth",
    "cli/advice": "brings the facade of FastMCP, and only a file that cannot be served as it is needs advice",
    "cli/commands": "serving a file starts sooner without, as the two below",
    "cli/config": "as commands",
    "cli/shell": "as commands",
    "cli/reload": "multiprocessing takes long to load, and only --reload needs it",
    "compat/token_verifiers": "brings plainmcp.auth, which only protected servers need",
    "compat/fastmcp/server/auth/__init__": "as compat/token_verifiers",
    "compat/fastmcp/server/auth/auth": "as compat/token_verifiers",
    "compat/mcp/message_streams": "as run_async",
    "compat/mcp/content_types": "as compat/mcp/session, for those who write prompts or call their own tools",
    "compat/mcp/loaded_types": "as compat/mcp/content_types",
    "compat/fastmcp/shared": "brings asyncio, for those who use Shared of FastMCP",
    "compat/mcp/argument_models": "brings pydantic, for those who ask for models of their functions",
    "compat/mcp/func_metadata": "as compat/mcp/argument_models",
    "compat/mcp/request_context": "as compat/mcp/session",
    "compat/mcp/shared/_httpx_utils": "brings httpx, for those who have resources of other servers",
    "compat/mcp/resolve": "brings asyncio, for those who use Resolve of mcp 2",
    "compat/mcp/types": "as compat/mcp/session, for those who complete arguments",
    "compat/mcp/session": "brings the types of the official SDK, which few handlers of FastMCP need",
    "cli/remote": "http.client takes long to load, and only URLs and commands need it",
}

# What may stand at the top of a file.
ALWAYS = {"msgspec", *sys.stdlib_module_names}

# What type checkers have, and stands only where they look.
FOR_CHECKERS = {"context": "typing_extensions"}

# Modules that are loaded only if an extra is installed.
EXTRAS = {"otel/recording": "opentelemetry"}

# Packages that the programs behind the facades have. They stand at the top of modules that only such programs load.
OF_PROGRAMS = {"pydantic", "pydantic_core", "starlette", "typing_extensions"}

Arrows = dict[str, set[str]]


def arrows(sources: dict[str, str]) -> Arrows:
    """Who imports whom among our modules."""
    known = set(sources)
    return {
        module: {found.target for found in imports(module, source, known) if found.ours} - {module}
        for module, source in sources.items()
    }


def objection(module: str, target: str) -> str | None:
    """Why this import is not allowed, or None."""
    names, here, there = list(LAYERS), layer_of(module), layer_of(target)
    if module == ROOT or here is None:
        return None  # what has no layer fails a test of its own
    if target == ROOT:
        return None if names[here] in OUTER else "only the outer layers import the package; import the module itself"
    if there is None or here <= there:
        return None
    return f"{names[here]} may not know {names[there]}"


def offences(drawn: Arrows) -> list[str]:
    return [
        f"{module}.py -> {target}.py: {reason}"
        for module, targets in sorted(drawn.items())
        for target in sorted(targets)
        if (reason := objection(module, target))
    ]


def cycle(drawn: Arrows) -> list[str]:
    """Modules that lead back to where they began, or nothing."""
    done: set[str] = set()

    def follow(module: str, trail: list[str]) -> list[str]:
        if module in trail:
            return [*trail[trail.index(module) :], module]
        if module in done:
            return []
        for target in sorted(drawn.get(module, ())):
            circle = follow(target, [*trail, module])
            if circle:
                return circle
        done.add(module)
        return []

    return next((circle for module in sorted(drawn) if (circle := follow(module, []))), [])


def loaded_always(sources: dict[str, str]) -> set[str]:
    """The modules that are loaded without being asked for: packages, all outside of the facades, and their imports.

    The others are modules of a facade which a program imports by their names, or ours which a function imports.
    """
    todo = [one for one in sources if not one.startswith("compat/") or one.endswith("/__init__")]
    always: set[str] = set()
    while todo:
        module = todo.pop()
        if module in sources and module not in always:
            always.add(module)
            statements = imports(module, sources[module], set(sources))
            todo += [one.target for one in statements if one.ours and not one.inside]
    return always


def third_parties(sources: dict[str, str]) -> list[str]:
    """Imports of other people's packages, and imports inside functions, that are not on the lists above."""
    found = []
    always = loaded_always(sources)
    for module, source in sources.items():
        for statement in imports(module, source, set(sources)):
            top = statement.target.split(".")[0]
            arrow = f"{module}.py:{statement.line} -> {statement.target}"
            lazy = statement.target in LAZY_MODULES if statement.ours else top in LAZY
            if statement.inside and not lazy:
                found.append(f"{arrow}: inside {statement.inside}(); move it to the top")
            elif (
                not statement.inside
                and not statement.ours
                and top not in (*ALWAYS, FOR_CHECKERS.get(module), EXTRAS.get(module))
                and (module in always or top not in OF_PROGRAMS)
            ):
                found.append(f"{arrow}: only the standard library and msgspec are always installed")
    return found


def test_every_module_has_a_layer() -> None:
    without = [module for module in modules() if module != ROOT and layer_of(module) is None]
    assert not without, f"give these modules a place in tests/architecture/layers.py: {', '.join(without)}"


def test_imports_go_down() -> None:
    found = offences(arrows(modules()))
    assert not found, "\n" + "\n".join(found)


def test_schema_knows_of_the_protocol_only_which_classes_are_content() -> None:
    protocol = {"client", "questions", "results", "media", "types", "web", "revisions"}
    knowing = {
        module: targets & protocol
        for module, targets in arrows(modules()).items()
        if module.startswith("schema/") and targets & protocol
    }
    assert knowing == {"schema/returns": {"types"}}


def test_no_imports_go_in_a_circle() -> None:
    circle = cycle(arrows(modules()))
    assert not circle, " -> ".join(f"{module}.py" for module in circle)


def test_only_listed_packages_are_imported_and_only_lazy_ones_inside_functions() -> None:
    found = third_parties(modules())
    assert not found, "\n" + "\n".join(found)


def test_the_top_level_shows_what_people_import_and_the_packages() -> None:
    top = [module for module in modules() if "/" not in module]
    assert len(top) <= 15, f"{len(top)} modules stand in the top level: {', '.join(top)}"


@pytest.mark.parametrize(
    ("module", "source", "complaint"),
    [
        ("values/walk", "from ..schema import hints", "schema/hints.py: values may not know schema"),
        ("values/walk", "import plainmcp.schema.hints", "schema/hints.py: values may not know schema"),
        ("policy", "def f():\n    from .types import Tool", "types.py: facts may not know vocabulary"),
        ("wire/codec", "if TYPE_CHECKING:\n    from ..types import x", "types.py: wire may not know vocabulary"),
        ("protocol/methods/a", "from ...server import Server", "server.py: protocol may not know server"),
        ("values/walk", "from plainmcp import Policy", "__init__.py: only the outer layers import the package"),
    ],
)
def test_an_import_that_goes_up_is_printed(module: str, source: str, complaint: str) -> None:
    package = dict.fromkeys(["__init__", "schema/hints", "server", "types"], "") | {module: source}
    [found] = offences(arrows(package))
    assert found.startswith(f"{module}.py -> {complaint}")


def test_imports_that_go_down_are_free() -> None:
    package = {
        "__init__": "from .server import Server",
        "cli/main": "from plainmcp import Server",
        "server": "from .protocol.methods import tools",
        "protocol/methods/__init__": "",
        "protocol/methods/tools": "from ...values.normalize import tool_result\nfrom .. import project",
        "protocol/project": "from ..types import Tool",
        "values/normalize": "from . import encode\nfrom .. import types",
        "values/encode": "from ..errors import NormalizeError",
        "types": "",
        "errors": "",
    }
    assert arrows(package)["protocol/methods/tools"] == {"values/normalize", "protocol/project"}
    assert offences(arrows(package)) == []
    assert cycle(arrows(package)) == []


def test_a_circle_of_neighbours_is_found() -> None:
    package = {
        "media": "from . import results",
        "results": "def f():\n    from .types import x",
        "types": "import plainmcp.media",
    }
    assert cycle(arrows(package)) == ["media", "results", "types", "media"]


def test_a_package_of_programs_stands_only_in_modules_that_they_load() -> None:
    package = {
        "compat/mcp/__init__": "from . import server",
        "compat/mcp/server": "from . import models",
        "compat/mcp/models": "import pydantic",
        "compat/mcp/routes": "import starlette.routing\nfrom . import server",
        "values/walk": "import pydantic",
    }
    assert third_parties(package) == [
        "compat/mcp/models.py:1 -> pydantic: only the standard library and msgspec are always installed",
        "values/walk.py:1 -> pydantic: only the standard library and msgspec are always installed",
    ]


def test_an_import_hidden_in_a_function_is_found() -> None:
    package = {
        "schema/pydantic": "def of():\n    import pydantic\n    import json",
        "values/render": "import yaml",
        "values/encode": "def find():\n    return importlib.import_module('numpy')",
    }
    assert third_parties(package) == [
        "schema/pydantic.py:3 -> json: inside of(); move it to the top",
        "values/render.py:1 -> yaml: only the standard library and msgspec are always installed",
        "values/encode.py:2 -> numpy: inside find(); move it to the top",
    ]
