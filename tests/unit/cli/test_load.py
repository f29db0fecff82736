"""Servers in files, packages and modules, and functions that return one."""

import sys
from pathlib import Path
from typing import Any

import pytest

from plainmcp.cli.load import load
from plainmcp.cli.source import LoadError, find_source

FACTORIES = """
from plainmcp import Server

def make() -> Server:
    return Server("made")

async def make_later() -> Server:
    return Server("made later")

def fail() -> Server:
    raise ValueError("no such luck")

def mistake() -> int:
    return 3

def choose(name: str) -> Server:
    return Server(name)

class Shop:
    server = Server("inner")
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a package whose modules import one another relatively, and a file with factories."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    inner = tmp_path / "shop" / "inner"
    inner.mkdir(parents=True)
    (tmp_path / "shop" / "__init__.py").write_text("from .names import NAME\n", "utf-8")
    (tmp_path / "shop" / "names.py").write_text("NAME = 'shop'\n", "utf-8")
    (inner / "__init__.py").write_text("", "utf-8")
    served = "from plainmcp import Server\nfrom .. import NAME\nserver = Server(NAME)\n"
    (inner / "served.py").write_text(served, "utf-8")
    (tmp_path / "shop" / "broken.py").write_text("from .missing import thing\n", "utf-8")
    (tmp_path / "factories.py").write_text(FACTORIES, "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("target", "is_module", "name"),
    [
        ("shop/inner/served.py", False, "shop"),
        ("shop/inner/served.py:server", False, "shop"),
        ("shop.inner.served", False, "shop"),
        ("shop.inner.served:server", False, "shop"),
        ("shop.inner.served", True, "shop"),
        ("factories:make", False, "made"),
        ("factories:make", True, "made"),
        ("factories.py:make", False, "made"),
        ("factories.py:make_later", False, "made later"),
        ("factories.py:Shop.server", False, "inner"),
    ],
)
def test_a_server_is_found_by_its_file_or_module(folder: Path, target: str, is_module: bool, name: str) -> None:
    assert load(target, is_module=is_module).info.name == name


def test_a_package_is_imported_under_its_own_name(folder: Path) -> None:
    server = load("shop/inner/served.py")
    assert sys.modules["shop.inner.served"].server is server
    assert load("shop/inner/served.py") is server


@pytest.mark.parametrize(
    ("target", "is_module", "complaint"),
    [
        ("shop.inner.gone:server", False, "there is no module shop.inner.gone in "),
        ("gone.inner:server", False, "there is no module gone.inner: gone is not in "),
        ("gone", True, "there is no module gone: gone is not in "),
        ("a b", True, "'a b' is not the name of a module"),
        ("shop/broken.py", False, "ModuleNotFoundError: No module named 'shop.missing'"),
        ("shop.broken:server", False, "ModuleNotFoundError: No module named 'shop.missing'"),
        ("factories.py", False, "or name a function that returns one: factories.py:function"),
        ("factories.py:fail", False, "factories.py:fail failed\n\nTraceback"),
        ("factories.py:mistake", False, "factories.py:mistake returned a int; it has to return a server"),
        ("factories.py:choose", False, "TypeError: choose() missing 1 required positional argument"),
        ("factories.py:Shop.gone", False, "has no server called 'Shop.gone': there is none"),
    ],
)
def test_a_target_without_a_server_is_explained(folder: Path, target: str, is_module: bool, complaint: str) -> None:
    with pytest.raises(LoadError) as caught:
        load(target, is_module=is_module)
    assert complaint in str(caught.value)
    assert "plainmcp/cli" not in str(caught.value) and "importlib" not in str(caught.value)


def test_the_folder_of_a_source_is_that_of_its_package(folder: Path) -> None:
    assert find_source("shop/inner/served.py").folder == (folder / "shop").resolve()
    assert find_source("factories.py").folder == folder.resolve()
    assert find_source("shop.inner.served:server").folder == folder.resolve()


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("root, part = Server('root'), Server('part')\nroot.mount(part)", "root"),
        ("part, other = Server('part'), Server('other')\nother.mount(part)\nserver = Server('s')", "s"),
        ("app, mcp, other = Server('app'), Server('mcp'), Server('other')", "mcp"),
        ("app, other = Server('app'), Server('other')", "app"),
        ("server, root = Server('server'), Server('root')\nroot.mount(server)", "root"),
    ],
)
def test_of_several_servers_the_one_that_nobody_mounts_is_taken(folder: Path, code: str, name: str) -> None:
    """D17. If there are several of these, one with a usual name: server, mcp or app."""
    (folder / "several.py").write_text(f"from plainmcp import Server\n{code}\n", "utf-8")
    assert load("several.py").info.name == name


def test_of_several_servers_without_a_usual_name_those_that_nobody_mounts_are_named(folder: Path) -> None:
    """D17."""
    names = "a, b, part = Server('a'), Server('b'), Server('part')\na.mount(part)"
    (folder / "several.py").write_text(f"from plainmcp import Server\n{names}\n", "utf-8")
    with pytest.raises(LoadError, match=r"has several servers; say which: several\.py:a, several\.py:b$"):
        load("several.py")


def test_every_command_takes_a_module(folder: Path, run: Any) -> None:
    code, out, _ = run("list", "-m", "shop.inner.served")
    assert (code, out.splitlines()[0]) == (0, "shop 0.0.0, on 2026-07-28")
    assert run("list", "shop.inner.served:server")[0] == 0
    assert run("call", "-m", "shop.inner.served:server", "gone")[::2] == (
        2,
        "plainmcp: there is no tool 'gone'; there is none\n",
    )


def test_what_failed_inside_the_package_is_shown_once(tmp_path: Path) -> None:
    file = tmp_path / "unreadable.py"
    file.write_text(
        "from plainmcp import Server\nserver = Server('s')\nclass Thing: ...\n"
        "@server.tool\ndef use(thing: Thing) -> str: ...\n",
        "utf-8",
    )
    with pytest.raises(LoadError) as raised:
        load(str(file))
    said = str(raised.value)
    assert said.count("Traceback") == 1 and "type_tree.py" not in said
    assert said.endswith("parameter thing: Thing cannot be read from JSON; use a dataclass, a TypedDict or a model")


def test_a_cause_in_the_authors_code_is_shown(tmp_path: Path) -> None:
    file = tmp_path / "caused.py"
    file.write_text(
        "try:\n    {}['key']\nexcept KeyError as error:\n    raise ValueError('no key') from error\n", "utf-8"
    )
    with pytest.raises(LoadError) as raised:
        load(str(file))
    said = str(raised.value)
    assert "KeyError: 'key'" in said and "The above exception was the direct cause" in said
    assert "ValueError: no key" in said and "importlib" not in said


def test_a_package_that_the_sdk_would_bring_is_named_with_what_to_install(tmp_path: Path) -> None:
    """D13. Only such a package: another that is missing is the author's own."""
    for name, advice in (("starlette.requests", "pip install starlette"), ("shop_tools", None)):
        file = tmp_path / "importing.py"
        error = f"ModuleNotFoundError('No module named {name}', name='{name}')"
        file.write_text(f"from plainmcp import Server\nraise {error}\n", "utf-8")
        with pytest.raises(LoadError) as raised:
            load(str(file))
        assert str(raised.value).endswith(f"{advice or 'No module named ' + name}")
