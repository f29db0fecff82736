"""The official schema.json of every revision, for tests that check what we send against it.

They are data files of mcp-fuzzer, whose code is never imported; a hash for each shows that it is genuine.
"""

import hashlib
import importlib.util
import json
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

import jsonschema_rs

__all__ = ["SHA256", "assert_valid", "definitions"]

SHA256 = {
    "2024-11-05": "61cea2392d4f284092d09bc84b9ac488c0d5618ac2b38a56942fc5b99fd960ce",
    "2025-03-26": "e720669548c8100a4282c49e580efd6ddf7f28899ea786fc8db251dbdb356131",
    "2025-06-18": "af845e7e5b9d27107d1690f0936022546177a1403e63ffb11470135b296a2e01",
    "2025-11-25": "268a5f82ba70fd7e4b6dc4aa1e64f116f74b4d0edcb69dc046829c79dd4e97e7",
    "2026-07-28": "ef70b61f99b6d2e5e3b46863822eab08dff6a45bedc7a08914e0e5b133f40203",
}


def assert_valid(revision_name: str, definition: str, message: bytes | dict[str, Any] | list[Any]) -> None:
    """Fail unless the message is a `definition` of that revision; the failure names each offending path."""
    data = json.loads(message, parse_constant=_refuse) if isinstance(message, bytes) else message
    errors = list(_validator(revision_name, definition).iter_errors(data))
    if errors:
        lines = [f"{_path(error.instance_path)}: {error.message}" for error in errors]
        raise AssertionError("\n".join([f"not a {definition} of {revision_name}:", *lines]))


def definitions(revision_name: str) -> dict[str, Any]:
    """Every definition of that revision's schema, by name."""
    schema = _schema(revision_name)
    found: dict[str, Any] = schema[_container(schema)]
    return found


@cache
def _validator(revision_name: str, definition: str) -> Any:
    if definition not in definitions(revision_name):
        raise LookupError(f"{revision_name} has no definition {definition}")
    schema = _schema(revision_name)
    entry = {**schema, "$ref": f"#/{_container(schema)}/{definition}"}
    # `format` is an annotation: an author's uri may be relative, and no revision forbids sending it.
    return jsonschema_rs.validator_for(entry, validate_formats=False)


@cache
def _schema(revision_name: str) -> dict[str, Any]:
    spec = importlib.util.find_spec("mcp_fuzzer")
    assert spec is not None and spec.origin is not None, "mcp-fuzzer is not installed"
    file = Path(spec.origin).parent / "schemas/mcp-spec/schema" / revision_name / "schema.json"
    content = file.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    assert digest == SHA256[revision_name], f"not the published {revision_name}/schema.json: {digest}"
    schema: dict[str, Any] = json.loads(content)
    return schema


def _container(schema: dict[str, Any]) -> str:
    return "$defs" if "$defs" in schema else "definitions"


def _path(steps: list[str | int]) -> str:
    return "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)


def _refuse(constant: str) -> NoReturn:
    raise AssertionError(f"{constant} is not JSON")
