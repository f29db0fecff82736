"""Definitions, capabilities and questions, exactly as one revision allows them; project does this for results."""

from typing import Any, TypeVar

import msgspec

from ..errors import ToolError
from ..revisions import Revision
from ..types import Implementation, Prompt, PromptArgument, Resource, ResourceTemplate, Tool, ToolAnnotations, Wire

__all__ = ["capabilities", "implementation", "prompt", "question", "resource", "restore_form", "tool"]

_Definition = TypeVar("_Definition", bound=Wire)


def tool(definition: Tool, object_schema: dict[str, Any] | None, revision: Revision) -> Tool:
    """A tool on a revision; `object_schema` is its output schema where only objects are allowed."""
    changes = _common_changes(definition, revision)
    changes |= _absent(definition, execution=False, annotations=revision.tool_annotations)
    if revision.structured != "any":
        changes["outputSchema"] = object_schema if revision.structured == "object" else None
    if definition.title is not None and not revision.content.titles and revision.tool_annotations:
        hints = definition.annotations or ToolAnnotations()
        changes["annotations"] = msgspec.structs.replace(hints, title=hints.title or definition.title)
    return _replace(definition, changes)


def resource(definition: Resource | ResourceTemplate, revision: Revision) -> Resource | ResourceTemplate:
    """A resource or a template on a revision."""
    changes = _common_changes(definition, revision)
    if definition.annotations is not None and not revision.content.last_modified:
        changes["annotations"] = msgspec.structs.replace(definition.annotations, lastModified=None)
    return _replace(definition, changes)


def prompt(definition: Prompt, revision: Revision) -> Prompt:
    """A prompt and its arguments on a revision."""
    changes = _common_changes(definition, revision)
    if definition.arguments and not revision.content.titles:
        changes["arguments"] = [_describe_argument(argument) for argument in definition.arguments]
    return _replace(definition, changes)


def _describe_argument(argument: PromptArgument) -> PromptArgument:
    return msgspec.structs.replace(argument, title=None, description=argument.description or argument.title)


def _common_changes(definition: Any, revision: Revision) -> dict[str, Any]:
    """The changes of the fields that every definition has; without titles, a title becomes the description."""
    changes = _absent(definition, icons=revision.content.icons, _meta=revision.content.meta)
    if definition.title is not None and not revision.content.titles:
        changes |= {"title": None, "description": definition.description or definition.title}
    return changes


def _absent(definition: Any, **known: bool) -> dict[str, None]:
    """The changes that take out the fields which a revision does not know."""
    return {name: None for name, is_known in known.items() if not is_known and getattr(definition, name) is not None}


def _replace(definition: _Definition, changes: dict[str, Any]) -> _Definition:
    return msgspec.structs.replace(definition, **changes) if changes else definition


def implementation(info: Implementation, revision: Revision) -> Wire:
    """The name of the server, with the fields that a revision has."""
    hidden = {name: None for name in info.__struct_fields__ if name not in revision.implementation}
    return msgspec.structs.replace(info, **hidden)


def capabilities(capabilities: dict[str, Any], revision: Revision) -> dict[str, Any]:
    """The capabilities of the server that a revision has."""
    known = {"completions": revision.completions, "extensions": revision.extensions}
    return {name: value for name, value in capabilities.items() if known.get(name, True)}


# Questions ----------------------------------------------------------------------------------------


def question(params: dict[str, Any], method: str, revision: Revision, id: str) -> dict[str, Any]:
    """The parameters of a request to the client; `id` is for an elicitation by URL, where the revision needs one.

    Raises ToolError for messages to the model that the revision cannot carry.
    """
    match method:
        case "elicitation/create":
            return _describe_elicitation(params, revision, id)
        case "sampling/createMessage":
            return _describe_sampling(params, revision)
    return params


def _describe_elicitation(params: dict[str, Any], revision: Revision, id: str) -> dict[str, Any]:
    if params["mode"] == "url":
        page = {key: value for key, value in params.items() if key != "elicitationId"}
        return page | ({"elicitationId": params.get("elicitationId", id)} if revision.handshake else {})
    if not revision.elicitation_mode:
        params = {key: value for key, value in params.items() if key != "mode"}
    if not revision.rich_forms:
        schema = params["requestedSchema"]
        plain = {name: _simplify_field(field) for name, field in schema.get("properties", {}).items()}
        params = params | {"requestedSchema": schema | {"properties": plain}}
    return params


def _simplify_field(field: dict[str, Any]) -> dict[str, Any]:
    """A field of a form without titled choices, and with a default only where it is a boolean."""
    simple = {key: value for key, value in field.items() if key != "default" or field.get("type") == "boolean"}
    choices = simple.pop("oneOf", None)
    if choices is not None:
        simple |= {"enum": [one["const"] for one in choices], "enumNames": [one["title"] for one in choices]}
    if simple.get("type") == "array":  # several choices at once: the user types them, with commas
        items = field.get("items", {})
        options = items.get("enum") or [one["const"] for one in items.get("anyOf", [])]
        description = field.get("description", "")
        return {"type": "string", "description": f"{description} Any of: {', '.join(options)}.".strip()}
    return simple


def restore_form(content: Any, schema: dict[str, Any], revision: Revision) -> Any:
    """The content of a filled form, as `schema` has it: choices that the user typed are a list again."""
    if revision.rich_forms or not isinstance(content, dict):
        return content
    fields = schema.get("properties", {})
    return {name: _restore_field(value, fields.get(name, {})) for name, value in content.items()}


def _restore_field(value: Any, field: dict[str, Any]) -> Any:
    if field.get("type") != "array" or not isinstance(value, str):
        return value
    return [part.strip() for part in value.split(",") if part.strip()]


def _describe_sampling(params: dict[str, Any], revision: Revision) -> dict[str, Any]:
    single = [one for message in params["messages"] for one in _split_blocks(message)]
    for message in single:
        kind = message["content"].get("type") if isinstance(message["content"], dict) else None
        if kind not in revision.sampling_kinds:
            raise ToolError(f"The client's revision {revision.name} has no {kind} in messages to the model.")
    if revision.sampling_lists:
        return params
    known = {key: value for key, value in params.items() if key not in ("tools", "toolChoice")}
    return known | {"messages": single}


def _split_blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    return [message | {"content": block} for block in content] if isinstance(content, list) else [message]
