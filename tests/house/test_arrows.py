"""Imports run one way. A failure prints the arrow: turn it round, or change plan.py and say why."""

import sys

import pytest

from house.plan import FRONT_DOOR, STOREYS, imports, rooms, storey_of

# What may be imported inside a function, and why it is not at the top.
LAZY = {
    "jsonschema_rs": "a native validator, needed only once a schema is checked",
    "docstring_parser": "needed only while functions are registered",
    "hashlib": "brings OpenSSL, a thirtieth of what the whole package takes to load; few answers need a hash",
    "hmac": "as hashlib",
    "difflib": "needed only where somebody misspelled something",
    "yaml": "an extra: most people do not have it",
    "uvicorn": "an extra: whoever mounts the server elsewhere does without",
    "pydantic": "belongs to the user; touched only when one of their types is pydantic's",
    "pydantic_core": "as pydantic",
}

# Rooms of ours that load something heavy, for those who need it.
LAZY_ROOMS = {
    "transports/looped": "asyncio takes as long to load as all the rest, and many servers never need it",
    "transports/lent": "the same",
    "transports/asgi": "the same",
    "transports/wsgi": "needed only by those who mount the server",
    "transports/stdio": "needed only by those who run the server",
    "transports/serving": "the same",
    "transports/http_server": "asyncio, as above",
    "cli_remote": "http.client takes long to load, and only URLs and commands need it",
}

# What may stand at the top of a file.
ALWAYS = {"msgspec", *sys.stdlib_module_names}

Arrows = dict[str, set[str]]


def arrows(sources: dict[str, str]) -> Arrows:
    """Who imports whom among our rooms."""
    known = set(sources)
    return {
        room: {found.target for found in imports(room, source, known) if found.ours} - {room}
        for room, source in sources.items()
    }


def objection(room: str, target: str) -> str | None:
    """Why this arrow may not be drawn, or None."""
    here, there = storey_of(room), storey_of(target)
    if room == FRONT_DOOR:
        return None
    if target == FRONT_DOOR:
        shell = here is not None and STOREYS[here].layer == "shells"
        return None if shell else "only shells come in by the front door; import the room itself"
    if here is None or there is None:
        return None  # told by the test about places
    left, right = STOREYS[here], STOREYS[there]
    if here == there and left.strangers:
        return f"{left.layer} may not know each other"
    if here > there and left.layer == right.layer:
        return f"inside {left.layer}, {room} stands to the right of {target}"
    if here > there:
        return f"{left.layer} may not know {right.layer}"
    return None


def offences(drawn: Arrows) -> list[str]:
    found = []
    for room, targets in sorted(drawn.items()):
        for target in sorted(targets):
            reason = objection(room, target)
            if reason:
                found.append(f"{room}.py -> {target}.py: {reason}")
    return found


def cycle(drawn: Arrows) -> list[str]:
    """Rooms that lead back to where they began, or nothing."""
    done: set[str] = set()

    def follow(room: str, trail: list[str]) -> list[str]:
        if room in trail:
            return [*trail[trail.index(room) :], room]
        if room in done:
            return []
        for target in sorted(drawn.get(room, ())):
            ring = follow(target, [*trail, room])
            if ring:
                return ring
        done.add(room)
        return []

    return next((ring for room in sorted(drawn) if (ring := follow(room, []))), [])


def third_parties(sources: dict[str, str]) -> list[str]:
    """Imports of other people's packages, and imports inside functions, that are not on the lists above."""
    found = []
    for room, source in sources.items():
        for statement in imports(room, source, set(sources)):
            top = statement.target.split(".")[0]
            arrow = f"{room}.py:{statement.line} -> {statement.target}"
            lazy = statement.target in LAZY_ROOMS if statement.ours else top in LAZY
            if statement.inside and not lazy:
                found.append(f"{arrow}: inside {statement.inside}(); move it to the top")
            elif not statement.inside and not statement.ours and top not in ALWAYS:
                found.append(f"{arrow}: only the standard library and msgspec are there for everybody")
    return found


def test_every_room_has_a_place() -> None:
    homeless = [room for room in rooms() if room != FRONT_DOOR and storey_of(room) is None]
    assert not homeless, f"place these rooms in tests/house/plan.py: {', '.join(homeless)}"


def test_imports_run_from_left_to_right() -> None:
    found = offences(arrows(rooms()))
    assert not found, "\n" + "\n".join(found)


def test_no_imports_go_round() -> None:
    ring = cycle(arrows(rooms()))
    assert not ring, " -> ".join(f"{room}.py" for room in ring)


def test_only_listed_packages_are_imported_and_only_lazy_ones_inside_functions() -> None:
    found = third_parties(rooms())
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("room", "source", "complaint"),
    [
        ("project", "from . import normalize", "normalize.py: translators may not know each other"),
        ("project", "import plainmcp.normalize", "normalize.py: translators may not know each other"),
        ("policy", "def f():\n    from .types import Tool", "types.py: facts may not know words"),
        ("kinds", "if TYPE_CHECKING:\n    from .render import x", "render.py: values may not know tra"),
        ("methods/a", "from ..server import Server", "server.py: inside protocol, methods/a stands to"),
        ("normalize", "from plainmcp import Policy", "__init__.py: only shells come in by the front door"),
    ],
)
def test_an_arrow_to_the_left_is_printed(room: str, source: str, complaint: str) -> None:
    house = dict.fromkeys(["__init__", "normalize", "render", "server", "types"], "") | {room: source}
    [found] = offences(arrows(house))
    assert found.startswith(f"{room}.py -> {complaint}")


def test_arrows_to_the_right_are_free() -> None:
    house = {
        "__init__": "from .server import Server",
        "cli": "from plainmcp import Server",
        "server": "from .methods import tools",
        "methods/__init__": "",
        "methods/tools": "from ..normalize import tool_result\nfrom .. import project",
        "normalize": "from . import jsonable, types",
        "project": "from .types import Tool",
        "jsonable": "from .errors import NormalizeError",
        "types": "",
        "errors": "",
    }
    assert arrows(house)["methods/tools"] == {"normalize", "project"}
    assert offences(arrows(house)) == []
    assert cycle(arrows(house)) == []


def test_a_ring_of_neighbours_is_found() -> None:
    house = {
        "media": "from . import results",
        "results": "def f():\n    from .codec import x",
        "codec": "import plainmcp.media",
    }
    assert cycle(arrows(house)) == ["codec", "media", "results", "codec"]


def test_an_import_hidden_in_a_function_is_found() -> None:
    house = {
        "schema": "def of():\n    import pydantic\n    import json",
        "render": "import yaml",
        "jsonable": "def find():\n    return importlib.import_module('numpy')",
    }
    assert third_parties(house) == [
        "schema.py:3 -> json: inside of(); move it to the top",
        "render.py:1 -> yaml: only the standard library and msgspec are there for everybody",
        "jsonable.py:2 -> numpy: inside find(); move it to the top",
    ]
