"""A definition, a capability or a question -> exactly what one revision allows. Total, as project is for results."""

from typing import Any

import msgspec

from ..revisions import Revision
from ..types import Implementation, Prompt, PromptArgument, Resource, ResourceTemplate, Tool, ToolAnnotations, Wire

__all__ = ["capabilities", "filled", "implementation", "prompt", "question", "resource", "tool"]


def tool(one: Tool, object_schema: dict[str, Any] | None, revision: Revision) -> Tool:
    """A tool; `object_schema` is its output schema where only objects may be promised."""
    if revision.structured == "any" and revision.icons and one.execution is None:
        return one
    changes: dict[str, Any] = _shared(one, revision) | {"execution": None}
    if revision.structured != "any":
        changes["outputSchema"] = object_schema if revision.structured == "object" else None
    if one.title is not None and not revision.titles and revision.tool_annotations:
        hints = one.annotations or ToolAnnotations()
        changes["annotations"] = msgspec.structs.replace(hints, title=hints.title or one.title)
    if not revision.tool_annotations:
        changes["annotations"] = None
    return msgspec.structs.replace(one, **changes)


def resource(one: Resource | ResourceTemplate, revision: Revision) -> Resource | ResourceTemplate:
    """A resource or a template."""
    changes = _shared(one, revision)
    if one.annotations is not None and not revision.last_modified:
        changes["annotations"] = msgspec.structs.replace(one.annotations, lastModified=None)
    return msgspec.structs.replace(one, **changes) if changes else one


def prompt(one: Prompt, revision: Revision) -> Prompt:
    """A prompt and its arguments."""
    changes = _shared(one, revision)
    if one.arguments and not revision.titles:
        changes["arguments"] = [_argument(argument) for argument in one.arguments]
    return msgspec.structs.replace(one, **changes) if changes else one


def _argument(one: PromptArgument) -> PromptArgument:
    return msgspec.structs.replace(one, title=None, description=one.description or one.title)


def _shared(one: Any, revision: Revision) -> dict[str, Any]:
    """What changes about the fields every definition has; a title nobody else tells becomes the description."""
    changes: dict[str, Any] = {}
    if one.title is not None and not revision.titles:
        changes |= {"title": None, "description": one.description or one.title}
    if one.icons is not None and not revision.icons:
        changes["icons"] = None
    if one._meta is not None and not revision.content_meta:
        changes["_meta"] = None
    return changes


def implementation(one: Implementation, revision: Revision) -> Wire:
    """Who the server is."""
    hidden = {name: None for name in one.__struct_fields__ if name not in revision.implementation}
    return msgspec.structs.replace(one, **hidden)


def capabilities(offered: dict[str, Any], revision: Revision) -> dict[str, Any]:
    """What the server can do, of what the revision has a word for."""
    known = {"completions": revision.completions, "extensions": revision.extensions}
    return {name: value for name, value in offered.items() if known.get(name, True)}


# Questions ----------------------------------------------------------------------------------------


def question(params: dict[str, Any], method: str, revision: Revision, id: str) -> dict[str, Any]:
    """The parameters of something asked of the client; `id` names a visit to a page where the revision wants that."""
    if method == "elicitation/create":
        return _elicitation(params, revision, id)
    if method == "sampling/createMessage" and not revision.sampling_lists:
        messages = [one for message in params["messages"] for one in _one_block_each(message)]
        known = {key: value for key, value in params.items() if key not in ("tools", "toolChoice")}
        return known | {"messages": messages}
    return params


def _elicitation(params: dict[str, Any], revision: Revision, id: str) -> dict[str, Any]:
    if params["mode"] == "url":
        return params | ({"elicitationId": id} if revision.handshake else {})
    if not revision.elicitation_mode:
        params = {key: value for key, value in params.items() if key != "mode"}
    if not revision.rich_forms:
        wanted = params["requestedSchema"]
        plain = {name: _plain_field(field) for name, field in wanted.get("properties", {}).items()}
        params = params | {"requestedSchema": wanted | {"properties": plain}}
    return params


def _plain_field(field: dict[str, Any]) -> dict[str, Any]:
    """A field of a form without titled choices, and with a default only where it is a yes or no."""
    kept = {key: value for key, value in field.items() if key != "default" or field.get("type") == "boolean"}
    choices = kept.pop("oneOf", None)
    if choices is not None:
        kept |= {"enum": [one["const"] for one in choices], "enumNames": [one["title"] for one in choices]}
    if kept.get("type") == "array":  # several choices at once: typed in, with commas
        items = field.get("items", {})
        options = items.get("enum") or [one["const"] for one in items.get("anyOf", [])]
        asked = field.get("description", "")
        return {"type": "string", "description": f"{asked} Any of: {', '.join(options)}.".strip()}
    return kept


def filled(content: Any, wanted: dict[str, Any], revision: Revision) -> Any:
    """What a user filled in, as the form was before the revision had a say: typed choices are a list again."""
    if revision.rich_forms or not isinstance(content, dict):
        return content
    fields = wanted.get("properties", {})
    return {name: _typed(value, fields.get(name, {})) for name, value in content.items()}


def _typed(value: Any, field: dict[str, Any]) -> Any:
    if field.get("type") != "array" or not isinstance(value, str):
        return value
    return [part.strip() for part in value.split(",") if part.strip()]


def _one_block_each(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    return [message | {"content": block} for block in content] if isinstance(content, list) else [message]
