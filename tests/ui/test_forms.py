"""Forms for every kind of hint: a value that is written into a form is read from it again, without a mistake."""

import json
from typing import Any

import pytest

from interop import hinted
from plainmcp.testing import Client
from ui.conftest import Page

pytestmark = pytest.mark.slow

WRITE_AND_READ = """(async () => {
  const { formFor } = await import("/ui/form.js");
  return CASES.map(([schema, value]) => {
    const form = formFor(schema);
    form.write(value);
    return form.read();
  });
})()"""


def test_a_form_returns_what_was_written_into_it(page: Page) -> None:
    client = Client(hinted.server(), "2025-11-25")
    schemas = {tool["name"]: tool.get("outputSchema") for tool in client.list_tools()}
    cases: dict[str, tuple[Any, Any]] = {}
    for name, schema in schemas.items():
        value = client.call(name).get("structuredContent")
        if schema is not None and value is not None:
            cases[name] = schema, value
    assert len(cases) > 90
    page.open()
    forms = page.js(WRITE_AND_READ.replace("CASES", json.dumps(list(cases.values()))))
    for (name, (schema, value)), form in zip(cases.items(), forms, strict=True):
        assert form == {"value": value, "mistakes": []}, f"{name}: {schema}"
