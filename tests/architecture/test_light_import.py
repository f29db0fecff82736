"""`import plainmcp` is cheap and has no effects: no event loop, no other package, no output."""

import subprocess
import sys

HEAVY = {
    "asyncio",
    "attr",
    "attrs",
    "concurrent.futures",
    "docstring_parser",
    "email",
    "fastmcp",
    "http",
    "importlib.metadata",
    "jsonschema_rs",
    "matplotlib",
    "mcp",
    "multiprocessing",
    "numpy",
    "pandas",
    "PIL",
    "polars",
    "pydantic",
    "pydantic_core",
    "socket",
    "ssl",
    "unittest",
    "urllib.request",
    "uvicorn",
    "yaml",
}

REPORT = """
import sys
before = set(sys.modules)
import plainmcp
print(*sorted(set(sys.modules) - before), sep="\\n")
"""


def loaded(program: str) -> set[str]:
    """What this program prints in a fresh interpreter: the modules it loaded."""
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return set(done.stdout.split())


def test_importing_plainmcp_loads_nothing_heavy() -> None:
    modules = loaded(REPORT)
    assert "plainmcp" in modules
    offenders = modules & HEAVY
    assert not offenders, f"import plainmcp loads {', '.join(sorted(offenders))}"


def test_importing_plainmcp_loads_only_msgspec_beside_the_standard_library() -> None:
    foreign = {module.split(".")[0] for module in loaded(REPORT)} - sys.stdlib_module_names
    foreign -= {"plainmcp", "msgspec", "typing_extensions"}  # the last by msgspec, where it is installed
    assert not foreign, f"import plainmcp loads {', '.join(sorted(foreign))}"
