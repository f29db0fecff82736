"""Runs the program of a server without network, without processes and without writing outside its folder.

A program of its own, run by the interpreter of any environment: sandbox.py real|drop-in folder module:function
arguments…, or sandbox.py command folder script arguments…, for `plainmcp serve --drop-in script -- arguments…`.
Modules of other packages that the server imports and that are not installed are replaced by stubs.
"""

import ast
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
import types
from pathlib import Path

REAL = {"mcp", "mcp_types", "fastmcp", "plainmcp"}


# Stubs --------------------------------------------------------------------------------------------


class _StubClass(type):
    """The class of stubbed classes: every attribute exists."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return named_stub(f"{cls.__name__}.{name}")

    def __iter__(cls):
        return iter(())


class Stub:
    """A value of which every attribute exists, that can be called, awaited, entered and looped over."""

    _stub = "stub"

    def __init__(self, *arguments, **options):
        self.__dict__["_stub"] = type(self).__name__

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return attribute_of(self._stub, name)

    def __setattr__(self, name, value):
        self.__dict__[name] = value

    def __call__(self, *arguments, **options):
        if len(arguments) == 1 and not options and isinstance(arguments[0], types.FunctionType):
            return arguments[0]  # used as a decorator
        return named_stub(f"{self._stub}()")

    def __getitem__(self, key):
        return named_stub(f"{self._stub}[]")

    def __setitem__(self, key, value):
        pass

    def __iter__(self):
        return iter(())

    async def __aiter__(self):
        for item in ():
            yield item

    def __await__(self):
        return self
        yield

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False

    async def __aenter__(self):
        return self

    async def __aexit__(self, *error):
        return False

    def __len__(self):
        return 0

    def __bool__(self):
        return True

    def __contains__(self, item):
        return False

    def __or__(self, other):
        return self

    __ror__ = __add__ = __radd__ = __sub__ = __mul__ = __truediv__ = __or__

    def __lt__(self, other):
        return False

    __gt__ = __le__ = __ge__ = __lt__

    def __str__(self):
        return f"<{self._stub}>"

    __repr__ = __str__

    def __mro_entries__(self, bases):
        return ()


def named_stub(name):
    """A stub whose text is a name."""
    stub = Stub()
    stub._stub = name
    return stub


def attribute_of(owner, name):
    """A stub by the form of its name: an exception, a class, or a function."""
    if name.endswith(("Error", "Exception", "Warning")):
        return type(name, (Exception,), {})
    if name[:1].isupper() and not name.isupper():
        return _StubClass(name, (Stub,), {"__module__": owner})
    return named_stub(f"{owner}.{name}")


class StubFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules of packages that are not installed; it comes last, so what is installed is used."""

    def __init__(self, names):
        self.names = names

    def find_spec(self, name, path=None, target=None):
        """A stub for every module of the packages in `names`."""
        if not any(name == known or name.startswith(known + ".") for known in self.names):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        """A module whose attributes are created when they are asked for, and kept."""
        module = types.ModuleType(spec.name)

        def get(name):
            if name.startswith("__") and name != "__version__":
                raise AttributeError(name)
            value = "1.0.0" if name == "__version__" else attribute_of(spec.name, name)
            setattr(module, name, value)
            return value

        module.__getattr__ = get
        return module

    def exec_module(self, module):
        """Nothing: the module is ready."""


def missing_packages(folder):
    """The packages that the files of a server import, that are neither installed nor its own."""
    names = set()
    for file in folder.rglob("*.py"):
        try:
            tree = ast.parse(file.read_text("utf-8", "replace"))
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                names.add(node.module)
    # Also a package beside the server's own, in a namespace such as awslabs.
    names = {".".join(name.split(".")[:count]) for name in names for count in (1, 2)}
    ready = REAL | set(sys.stdlib_module_names)
    return {name for name in names if name.partition(".")[0] not in ready and not _is_found(name)}


def _is_found(name):
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


# Blocking -----------------------------------------------------------------------------------------

BLOCKED = {
    "subprocess.Popen",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.fork",
    "os.forkpty",
    "socket.connect",
    "socket.getaddrinfo",
    "socket.gethostbyname",
    "socket.sendto",
    "os.kill",
}
WRITING = {"os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod"}
FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC


def guard(folder):
    """Refuse network, processes, and writing outside a folder, with a PermissionError."""
    inside = str(folder.resolve())

    def is_inside(path):
        if not isinstance(path, (str, bytes, os.PathLike)):
            return True  # a descriptor that is open already
        path = os.path.realpath(os.fsdecode(path))
        return path == os.devnull or path == inside or path.startswith(inside + os.sep)

    def hook(event, arguments):
        if event in BLOCKED:
            raise PermissionError(f"{event} is blocked")
        if event == "open":
            path, mode, flags = arguments
            writes = (isinstance(mode, str) and set(mode) & set("wax+")) or (flags or 0) & FLAGS
            if writes and not is_inside(path):
                raise PermissionError("open is blocked")
        elif event in WRITING and not is_inside(arguments[0]):
            raise PermissionError(f"{event} is blocked")

    sys.addaudithook(hook)


def main():
    """Run the program of a server in the current folder."""
    way, folder, entry, *arguments = sys.argv[1:]
    sys.dont_write_bytecode = True
    sys.path[0] = folder
    sys.meta_path.append(StubFinder(missing_packages(Path(folder))))
    if way == "drop-in":
        from plainmcp import compat

        compat.install()
    guard(Path.cwd())
    if way == "command":
        from plainmcp.cli.main import main as run

        sys.exit(run(["serve", "--drop-in", entry, "--", *arguments]))
    module, _, function = entry.partition(":")
    sys.argv = [function, *arguments]
    result = getattr(importlib.import_module(module), function)()
    sys.exit(result if isinstance(result, int) else 0)


if __name__ == "__main__":
    main()
