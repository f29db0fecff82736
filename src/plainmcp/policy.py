"""The choices that real systems make differently, one field each, and the named profiles.

Holds choices only; values/, schema/ and media carry them out.
"""

from functools import cached_property
from typing import Any, ClassVar, Literal, get_args, get_origin

import msgspec

from .errors import AuthorError

__all__ = ["Policy"]


class Policy(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """How returned values become results. It is frozen; `replace` makes a variant.

    >>> Policy.standard.replace(json_style="compact").json_style
    'compact'
    >>> Policy.of("kubernetes").key_case
    'camel'
    """

    standard: ClassVar["Policy"]
    openmcp: ClassVar["Policy"]
    fastmcp: ClassVar["Policy"]
    serializer: ClassVar["Policy"]
    kubernetes: ClassVar["Policy"]
    lean: ClassVar["Policy"]

    profiles: ClassVar[tuple[str, ...]] = (
        "standard",
        "openmcp",
        "fastmcp",
        "serializer",
        "kubernetes",
        "lean",
    )

    # Which values a handler may return: any, or only text, objects, models and builders.
    accept: Literal["any", "serializer"] = "any"
    # Whether a value is sent as structuredContent always, or only when there is an output schema.
    structured: Literal["always", "schema"] = "always"
    # Scalars and lists as structuredContent: wrapped under `wrap_key`; raw (bare where the revision
    # allows it); wrapped only if the return is annotated, or only if a schema is declared; or never.
    non_object: Literal["wrap", "raw", "annotated", "schema", "never"] = "wrap"
    # The key under which they are wrapped.
    wrap_key: str = "result"
    # An output schema that wraps its data has the keyword that FastMCP's client looks for.
    wrap_mark: bool = False
    # A result whose data is wrapped by its schema has the mark in its `_meta`, too.
    wrap_meta: bool = False
    # {}, [] and the like as structuredContent when there is no schema.
    empty_structured: Literal["emit", "omit"] = "emit"
    # The text beside structured data: its JSON, or nothing.
    object_text: Literal["json", "none"] = "json"
    # JSON in a text: with spaces after commas and colons, without, or over several lines.
    json_style: Literal["spaced", "compact", "indent"] = "spaced"
    # A list as content: a block per item; a block per item with nested lists flattened; one JSON text; one JSON text
    # unless the list is empty; or auto, which is one JSON text when structured data goes out beside it and blocks
    # when not.
    list_content: Literal["blocks", "flat", "json", "some", "auto"] = "flat"
    # A 2-tuple whose second item is an object is (payload, structured).
    pair: Literal["never", "object"] = "object"
    # A dict made of result keys only is a ready-made result.
    envelope: Literal["off", "exact"] = "exact"
    # bytes: base64 text; their text where they are UTF-8, and base64 where not; an embedded blob; image or audio
    # where the first bytes show it; refused.
    bytes_as: Literal["text", "decoded", "blob", "media", "error"] = "text"
    # An object with no JSON form but a text of its own: that text and nothing structured, or refused.
    unserializable: Literal["str", "error"] = "str"
    # NaN, Infinity and lone surrogates: refused with a path, or replaced by null and U+FFFD.
    unencodable: Literal["error", "replace"] = "error"
    # Fields of a returned record that its declared type does not have: left out, or sent.
    extra_fields: Literal["drop", "keep"] = "drop"
    # Members of an object that are None are left out.
    drop_none: bool = False
    # The keys at the top of an object.
    key_case: Literal["asis", "camel"] = "asis"
    # Lists of named entries at the top of an object: as they come, or sorted by their name.
    item_order: Literal["asis", "name"] = "asis"
    # Embedded files: text where the MIME type is textual, only where it is one of text/*, or always base64.
    file_block: Literal["auto", "text", "blob"] = "auto"
    # The MIME type of a resource that is sent as JSON text and has no declared type.
    resource_json_mime: str = "text/plain"
    # File contents carry their name, file messages their mimeType.
    contents_extras: bool = False
    # A 2-tuple from a prompt: (text, role), (role, text), or either.
    prompt_pair: Literal["text_role", "role_text", "either"] = "either"
    # Objects whose hint is a union or a Dict of typing: sent as they are, or wrapped like other values.
    wrap_objects: Literal["never", "generic"] = "never"
    # Which return hints become an output schema: none; a pydantic model; any record type by itself; any hint
    # with a record type in it (a list of them, for example); all that describe data; also None and lists of anything.
    # A dict of anything has none where `envelope` makes results of such dicts.
    output_schema: Literal["none", "model", "named", "typed", "all", "every"] = "all"
    # Fields with a default, in an output schema: required, as they are always sent, or optional with their default.
    output_defaults: Literal["hide", "show"] = "hide"
    # The root of an output schema written by hand: any, or objects only.
    output_root: Literal["any", "object"] = "any"
    # A result that breaks its output schema is an error instead of being sent.
    validate_output: bool = True
    # Which return values are checked in this way: all with a type hint, or those whose schema is listed.
    check_return: Literal["declared", "listed"] = "declared"
    # Defaults of parameters are shown in the input schema.
    schema_default: bool = True
    # The input schema: tidy, with all rules for the arguments; or as pydantic lists it, with null for what may be
    # left out, and without rules that it enforces but does not list.
    schema_form: Literal["tidy", "pydantic"] = "tidy"
    # The input schema of a tool says that there are no other arguments.
    schema_closed: bool = False
    # A docstring: split into a description and those of the parameters, in one line each or with their lines; or the
    # description as it is written.
    docstring: Literal["split", "lines", "whole"] = "split"
    # Arguments that a tool has no parameter for: refused, or ignored.
    extra_arguments: Literal["refuse", "ignore"] = "refuse"
    # The text of a failed call: {error} is what went wrong, {tool} the name of the tool.
    error_text: str = "{error}"
    # The text about arguments that do not fit: {problems} has a line for each problem, {count} is their number, {s}
    # is an "s" if there are several, {tool} is the name of the tool.
    arguments_text: str = "{problems}"
    # The text about a result that does not fit its output schema: {error} is what is wrong, {tool} the name of the
    # tool.
    withheld_text: str = "The result of {tool} was not valid and is withheld: {error}"
    # Features are listed by name or URI, or as they were registered.
    list_order: Literal["name", "registration"] = "name"
    # The title of a feature without one: none; the first paragraph of the docstring; the name in words.
    title_from: Literal["explicit", "docstring", "name"] = "explicit"

    def __post_init__(self) -> None:
        for name, allowed in _ALLOWED.items():
            value = getattr(self, name)
            if isinstance(allowed, type):
                if not isinstance(value, allowed):
                    raise AuthorError(f"policy field {name} takes a {allowed.__name__}, not {value!r}")
            elif value not in allowed:
                raise AuthorError(f"policy field {name} cannot be {value!r}; it is one of {', '.join(allowed)}")

    @cached_property
    def changed(self) -> frozenset[str]:
        """The names of the fields that are not as in `standard`.

        >>> sorted(Policy.openmcp.changed)
        ['check_return', 'list_order', 'output_schema', 'unencodable']
        """
        names = self.__struct_fields__
        return frozenset(name for name in names if getattr(self, name) != getattr(Policy.standard, name))

    def replace(self, **changes: Any) -> "Policy":
        """This policy with some fields changed."""
        unknown = [name for name in changes if name not in _ALLOWED]
        if unknown:
            raise AuthorError(f"a policy has no field {unknown[0]!r}; its fields are {', '.join(_ALLOWED)}")
        return msgspec.structs.replace(self, **changes)

    @classmethod
    def of(cls, policy: "Policy | str") -> "Policy":
        """The policy itself, or the profile of that name."""
        if isinstance(policy, cls):
            return policy
        if policy in cls.profiles:
            return getattr(cls, policy)  # type: ignore[no-any-return]
        raise AuthorError(f"unknown policy {policy!r}; the profiles are {', '.join(cls.profiles)}")


def _allowed_values_of(hint: Any) -> tuple[str, ...] | type:
    """The values a field may take: a tuple of literals, or the type any value must have."""
    return get_args(hint) if get_origin(hint) is Literal else hint


_ALLOWED: dict[str, tuple[str, ...] | type] = {
    field.name: _allowed_values_of(field.type) for field in msgspec.structs.fields(Policy)
}

# Each profile is `standard` with the differences of its system.
# The reasons are in docs/contributing/requirements.md, section 5.3.
Policy.standard = Policy()
Policy.openmcp = Policy(
    unencodable="replace",
    output_schema="none",
    check_return="listed",
    list_order="registration",
)
Policy.fastmcp = Policy(
    non_object="annotated",
    wrap_mark=True,
    json_style="compact",
    list_content="blocks",
    pair="never",
    envelope="off",
    bytes_as="blob",
    unencodable="replace",
    file_block="blob",
    output_schema="all",
    output_root="object",
    list_order="registration",
)
Policy.serializer = Policy(
    accept="serializer",
    non_object="never",
    object_text="none",
    pair="never",
    envelope="off",
    bytes_as="error",
    unserializable="error",
    drop_none=True,
    resource_json_mime="application/json",
    contents_extras=True,
    prompt_pair="text_role",
    output_schema="model",
    check_return="listed",
    schema_default=False,
    title_from="docstring",
)
Policy.kubernetes = Policy(
    non_object="never",
    empty_structured="omit",
    json_style="compact",
    list_content="json",
    envelope="off",
    bytes_as="blob",
    key_case="camel",
    item_order="name",
    resource_json_mime="application/json",
    output_schema="named",
)
Policy.lean = Policy(
    structured="schema",
    non_object="raw",
    json_style="compact",
    list_content="json",
    bytes_as="media",
    unencodable="replace",
    output_schema="typed",
    resource_json_mime="application/json",
)
