"""tests/unit mirrors the package: values/encode.py is tested in tests/unit/values/test_encode.py.

A module without a file of its own stands in tested_by, unless it defines no function and no class.
"""

import ast
from pathlib import Path

import pytest

from architecture.layers import PACKAGE
from architecture.tested_by import TESTED_BY

UNIT = Path(__file__).parents[1] / "unit"
FILES = sorted(file.relative_to(UNIT).as_posix() for file in UNIT.rglob("test_*.py"))

# Files about behaviour across modules, and why there is no module for them.
ACROSS = {
    "auth/test_hanging_issuer.py": "an issuer that does not answer, from its keys to the threads of a server",
    "compat/test_probed_names.py": "the attributes that programs look for on the servers of several facades",
    "suites/test_suites.py": "what is counted in the suites of other packages: see tests/suites",
    "test_arguments_at_the_wire.py": "hints to arguments to errors, through schema, protocol and server",
    "test_attacked_replicas.py": "what several processes share, against those who change it or have another clock",
    "test_bad_values.py": "values that cannot be sent, through values and the normalizers",
    "test_declared_results.py": "return types, through schema, values and protocol",
    "test_declared_returns.py": "the check of return values, through schema, values and protocol",
    "test_ending.py": "what ends a server and what holds it, on every way to serve",
    "test_everything.py": "an example server, on every revision",
    "test_expiring_tokens.py": "streams that stay open and the tokens of their callers, through all of HTTP",
    "test_forking.py": "handlers that fork, on every transport",
    "test_iterables.py": "what can be iterated, through values and every kind of feature",
    "test_shared_session_state.py": "what handlers keep in a session of several replicas, through context and HTTP",
    "test_standard_types.py": "types of the standard library, to schemas, arguments and results",
    "test_hostile_objects.py": "exceptions, values and callers that cannot be looked at, through all of it",
    "test_limits.py": "the table of limits, at the wire",
    "test_listed_hints.py": "hints to schemas, through schema, protocol and server",
    "test_peer_bugs.py": "values that other packages send wrong",
    "test_peer_bugs_protocol.py": "requests that other packages answer wrong",
    "test_profiles.py": "the profiles of policies, at the wire",
    "test_records_both_ways.py": "records, through schema, values and server, as arguments and as results",
    "test_running_in_a_loop.py": "server.run_async, through stdio, uvicorn and the runners",
    "transports/test_detach.py": "requests that go on after their response, through exchanges and both runners",
    "test_two_callers.py": "the state of one caller against another one, through all of HTTP",
    "test_typing.py": "what type checkers see of the public names",
    "test_whole_results.py": "what looks at whole results, through plans, middleware and state",
    "test_wire_contract.py": "names of fields on the wire, through values, schema and protocol",
}


def module_of(file: str) -> Path:
    """The module, or the package, that a file of tests is named after."""
    path = Path(file)
    return PACKAGE / path.parent / path.stem.removeprefix("test_")


@pytest.mark.parametrize("file", FILES)
def test_a_file_is_named_after_a_module_or_has_a_reason(file: str) -> None:
    module = module_of(file)
    assert file in ACROSS or module.is_dir() or module.with_suffix(".py").exists(), (
        f"tests/unit/{file}: there is no module {module.relative_to(PACKAGE)}.py; rename it, or say why in ACROSS"
    )


def test_every_reason_is_needed() -> None:
    unneeded = [file for file in ACROSS if file not in FILES or module_of(file).with_suffix(".py").exists()]
    assert not unneeded, f"take out of ACROSS: {', '.join(unneeded)}"


def defines_something(file: Path) -> bool:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return any(isinstance(node, kinds) for node in ast.parse(file.read_bytes()).body)


def name_of(file: Path) -> str:
    """The module of a file, or its package: values/encode."""
    module = file.parent if file.stem in ("__init__", "__main__") else file.with_suffix("")
    return module.relative_to(PACKAGE).as_posix()


MODULES = {name_of(file) for file in PACKAGE.rglob("*.py") if defines_something(file)}
MIRRORED = {module_of(file).relative_to(PACKAGE).as_posix() for file in FILES}
ELSEWHERE = [module for modules in TESTED_BY.values() for module in modules.split()]


def test_every_module_has_a_unit_file_or_stands_in_one() -> None:
    missing = sorted(MODULES - MIRRORED - set(ELSEWHERE))
    assert not missing, (
        f"write tests/unit/{missing[0].rpartition('/')[0]}/test_{missing[0].rpartition('/')[2]}.py, "
        f"or say in tested_by which file tests it; the same for: {', '.join(missing)}"
    )


def test_every_line_of_tested_by_is_needed() -> None:
    unneeded = [module for module in ELSEWHERE if module not in MODULES or module in MIRRORED]
    assert not unneeded, f"take out of tested_by: {', '.join(unneeded)}"
    assert sorted(ELSEWHERE) == sorted(set(ELSEWHERE)) and list(TESTED_BY) == sorted(TESTED_BY)
    assert not set(TESTED_BY) - set(FILES)
