"""The titles that pydantic generates: the official SDK has them in the schemas of tools, and FastMCP too in forms."""

import enum
from collections.abc import Mapping
from typing import Any, get_args, get_origin

import msgspec

from ..protocol.features import ToolFeature
from ..questions import Elicit
from ..schema import hints, records
from ..schema.signature import Signature

__all__ = ["TitledForm", "add_titles"]


class TitledForm(Elicit, frozen=True, kw_only=True):
    """A form of a class, with titles."""

    kind: Any

    def params(self) -> dict[str, Any]:
        """The request's parameters, as in the newest revision."""
        plain = super().params()
        return {**plain, "requestedSchema": _titled(plain["requestedSchema"], self.kind)}


def add_titles(tool: ToolFeature, read: Signature, returns: Any, function: str) -> None:
    """Add titles to the listed schemas of a tool: from the names of its function, its parameters and of classes."""
    by_name = {one.name: one.annotation for one in read.parameters}
    definition = tool.definition
    inputs = {**_with_properties(definition.inputSchema, by_name), "title": f"{function}Arguments"}
    output = tool.output
    if output.schema is not None:
        schema = _titled_output(output.schema, returns, function)
        objects = output.object_schema
        if objects is output.schema:  # it stays one object, which a program may change
            objects = schema
        elif objects is not None:
            objects = _titled_output(objects, returns, function)
        output = msgspec.structs.replace(output, schema=schema, object_schema=objects)
    tool.output = output
    tool.definition = msgspec.structs.replace(definition, inputSchema=inputs, outputSchema=output.schema)


def _titled_output(schema: dict[str, Any], hint: Any, function: str) -> dict[str, Any]:
    inner = hints.unwrap_all(hint)
    if hints.is_record(inner):
        return _titled(schema, inner)  # type: ignore[no-any-return]
    if "properties" in schema:
        return {**_with_properties(schema, {"result": hint}), "title": f"{function}Output"}
    return {"title": f"{function}DictOutput", **schema}


def _with_properties(schema: dict[str, Any], by_name: Mapping[str, Any]) -> dict[str, Any]:
    if "properties" not in schema:
        return schema
    properties = schema["properties"].items()
    return {**schema, "properties": {name: _titled(one, by_name.get(name, Any), name) for name, one in properties}}


def _titled(schema: Any, hint: Any, name: str | None = None) -> Any:
    """A schema with titles; the schema of a class has its name, any other the name of its parameter or field."""
    if not isinstance(schema, dict) or "$ref" in schema:
        return schema
    inner = hints.unwrap_all(hint)
    if _is_class(inner):
        fields = records.fields_of(inner) if hints.is_record(inner) else []
        titled = _with_properties(schema, {one.sent_as: one.hint for one in fields if one.sent_as})
        return {"title": (get_origin(inner) or inner).__name__, **titled}
    choices = hints.choices_of(inner)
    if len(choices) > 1 and len(schema.get("anyOf", ())) == len(choices):
        schema = {**schema, "anyOf": [_titled(*one) for one in zip(schema["anyOf"], choices, strict=True)]}
        name = None if _is_class_or_null(choices) else name
    elif isinstance(schema.get("items"), dict) and get_args(inner):
        schema = {**schema, "items": _titled(schema["items"], get_args(inner)[0])}
    return schema if name is None else {**schema, "title": schema.get("title", name.replace("_", " ").title())}


def _is_class_or_null(choices: tuple[Any, ...]) -> bool:
    return len(choices) == 2 and type(None) in choices and any(map(_is_class, choices))


def _is_class(hint: Any) -> bool:
    return hints.is_record(hint) or (isinstance(hint, type) and issubclass(hint, enum.Enum))
