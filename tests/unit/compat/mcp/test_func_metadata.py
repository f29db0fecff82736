"""`func_metadata` of the official SDK: the models of the arguments and the result of a function (D18)."""

import asyncio
from typing import Annotated, Any, TypedDict

import pytest
from pydantic import BaseModel, Field, ValidationError

from plainmcp.compat.mcp.server.fastmcp.exceptions import InvalidSignature
from plainmcp.compat.mcp.server.fastmcp.utilities.func_metadata import func_metadata
from plainmcp.compat.mcp.server.mcpserver.utilities.func_metadata import func_metadata as newer_func_metadata


class Shirt(BaseModel):
    size: int


def order(shirts: list[Shirt], note: Annotated[str, Field(description="A note")] = "none") -> dict[str, int]:
    return {note: sum(one.size for one in shirts)}


@pytest.mark.parametrize("make", [func_metadata, newer_func_metadata])
def test_arguments_are_validated_and_the_function_is_called(make: Any) -> None:
    """D18. A list that a client sends as a text is a list, too."""
    metadata = make(order)
    schema = metadata.arg_model.model_json_schema()
    assert (schema["required"], schema["properties"]["note"]["description"]) == (["shirts"], "A note")
    validated = metadata.validate_arguments({"shirts": '[{"size": 2}, {"size": 3}]'})
    assert validated == {"shirts": [Shirt(size=2), Shirt(size=3)], "note": "none"}
    assert asyncio.run(metadata.call_fn(order, False, validated)) == {"none": 5}
    with pytest.raises(ValidationError, match="size"):
        metadata.validate_arguments({"shirts": [{}]})


def test_the_result_of_each_version_is_converted_as_it_converts_it() -> None:
    """D18. `mcp` 1: content and data; `mcp` 2: a whole result."""
    content, data = func_metadata(order).convert_result({"a": 1})
    assert (content[0].text, data) == ('{\n  "a": 1\n}', {"a": 1})
    assert newer_func_metadata(order).convert_result({"a": 1}).structured_content == {"a": 1}


class Weather(TypedDict, total=False):
    degrees: float


def test_the_schema_of_a_result_is_that_of_its_hint() -> None:
    """D18."""

    def number() -> int:
        return 1

    def weather() -> Weather:
        return {}

    assert func_metadata(number).output_schema == {
        "type": "object",
        "properties": {"result": {"type": "integer", "title": "Result"}},
        "required": ["result"],
        "title": "numberOutput",
    }
    assert set(func_metadata(weather).output_schema["properties"]) == {"degrees"}
    assert func_metadata(number, structured_output=False).output_schema is None


def test_a_function_that_cannot_be_described_is_refused() -> None:
    """D18."""

    def private(_hidden: int) -> None: ...

    def unknown(x: "Nowhere") -> None: ...  # type: ignore[name-defined]  # noqa: F821

    def anything(x: int):  # type: ignore[no-untyped-def]
        return x

    with pytest.raises(InvalidSignature, match="cannot start with '_'"):
        func_metadata(private)
    with pytest.raises(InvalidSignature, match="Unable to evaluate"):
        func_metadata(unknown)
    with pytest.raises(InvalidSignature, match="return annotation required"):
        func_metadata(anything, structured_output=True)
