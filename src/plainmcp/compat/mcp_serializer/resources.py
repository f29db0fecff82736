"""The resources of a registry of mcp-serializer: by URI or template, what each is listed with, and how it is read.

Knows no requests: the registry offers these resources on a plainmcp server.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec

from ... import types
from ...schema.signature import Signature
from ...wire import codec, uri_template
from ...wire.uri_template import UriTemplate
from .blocks import Data, to_contents
from .calls import (
    ARGUMENTS,
    RESOURCES,
    UnsupportedResultTypeError,
    compile_call,
    internal_error,
    missing_error,
    read_function,
    unknown_error,
)
from .resource_result import ResourceResult
from .tool_result import WEB, mime_type_of_web

__all__ = ["Assembler", "ResourceContainer", "ResourceEntry", "with_uri"]

_UNSUPPORTED = "Feature returned unsupported type. Check return values."


class ResourceEntry(msgspec.Struct, kw_only=True, eq=False):
    """One registered resource: a result, a function, or neither for an address on the web."""

    uri: str
    extra: Data
    result: ResourceResult | None = None
    metadata: Signature | None = None
    full_uri: str  # with the variables of a template
    function: Callable[..., Any]
    template: UriTemplate | None = None
    call: Callable[..., Any] | None = None

    def to_result(self, value: Any) -> types.ReadResourceResult:
        """A value as contents, the first of them with the names of the resource (S003-64, S003-65).

        Contents without a URI are still to be given the one of the request.
        """
        if not isinstance(value, ResourceResult):
            raise internal_error(UnsupportedResultTypeError(value), _UNSUPPORTED)
        contents = [to_contents(one.model_dump()) for one in value.content_list]
        for first in contents[:1]:
            read, extra = self.metadata, self.extra
            first.uri = first.uri or ("" if uri_template.is_template(self.uri) else self.uri)
            first.name = first.name or extra.get("name") or (read and read.name) or None
            first.title = first.title or extra.get("title") or (read and read.title) or None
            first.annotations = first.annotations or extra.get("annotations")
        return types.ReadResourceResult(contents=contents)


class Assembler:
    """The resources and the resource templates of a container, by URI."""

    def __init__(self, entries: dict[str, ResourceEntry]) -> None:
        self._entries = entries

    @property
    def resource_list(self) -> list[ResourceEntry]:
        """The resources."""
        return self._sort(has_template=False)

    @property
    def resource_template_list(self) -> list[ResourceEntry]:
        """The resource templates."""
        return self._sort(has_template=True)

    def _sort(self, has_template: bool) -> list[ResourceEntry]:
        found = [one for one in self._entries.values() if (one.template is not None) is has_template]
        return sorted(found, key=lambda one: one.uri)


class ResourceContainer:
    """The resources of a registry; a program may add results to it, and read a resource by its URI."""

    def __init__(self, on_add: Callable[[ResourceEntry], None] | None = None) -> None:
        self.entries: dict[str, ResourceEntry] = {}
        """The resources by their URI, with the variables of a template."""
        self._on_add = on_add
        self.schema_assembler = Assembler(self.entries)

    def add_resource(self, uri: str, result: ResourceResult | None = None, **extra: Any) -> ResourceEntry:
        """Add a result, or an address on the web without one, which is listed and cannot be read here."""
        if result is None and uri.startswith(WEB):
            extra["mime_type"] = extra.get("mime_type") or mime_type_of_web(uri)
            refuse = partial(_refuse, uri)
            return self._add(ResourceEntry(uri=uri, full_uri=uri, extra=extra, function=refuse))
        if not isinstance(result, ResourceResult):
            raise ValueError("result must be a ResourceResult object")
        entry = ResourceEntry(uri=uri, full_uri=uri, extra=extra, result=result, function=lambda: result)
        entry.call = lambda **_: entry.to_result(result)
        return self._add(entry)

    def register(self, function: Callable[..., Any], uri: str, **extra: Any) -> ResourceEntry:
        """Add a function; its parameters are added to the end of the URI as a template (S003-12)."""
        read = read_function(function)
        names = uri_template.compile(uri).names if uri_template.is_template(uri) else ()
        missing = [one.name for one in read.parameters if one.required and one.name not in names]
        full_uri, base = uri, uri
        if missing:
            full_uri = uri + ("" if uri.endswith("/") else "/") + "/".join(f"{{{name}}}" for name in missing)
            base = uri if uri.endswith("://") else uri.rstrip("/")
        template = uri_template.compile(full_uri) if uri_template.is_template(full_uri) else None
        entry = ResourceEntry(
            uri=base, full_uri=full_uri, extra=extra, function=function, metadata=read, template=template
        )
        entry.call = compile_call(function, read, RESOURCES, None, entry.to_result)
        return self._add(entry)

    def find(self, uri: str) -> tuple[ResourceEntry, Data]:
        """The resource that a URI means, and the variables of the URI; raises CallError.

        A slash at the end makes no difference. For a URI that ends too early for a template, the error names the
        variable that is missing.
        """
        readable = [one for one in self.entries.values() if one.call is not None]
        for entry in readable:
            if entry.template is None and entry.uri.rstrip("/") == uri.rstrip("/"):
                return entry, {}
        for entry in readable:
            variables = None if entry.template is None else entry.template.match(uri)
            if variables is not None:
                return entry, variables
        for entry in readable:
            missing = _missing_variable_of(uri, entry)
            if missing is not None and entry.metadata is not None:
                raise missing_error(RESOURCES, uri, {}, entry.metadata.name, missing)
        raise unknown_error(RESOURCES, uri)

    def call(self, uri: str) -> Data:
        """The contents of the resource at a URI, as data."""
        entry, variables = self.find(uri)
        assert entry.call is not None  # find returns readable ones only
        data: Data = codec.decode(codec.encode(with_uri(uri, entry.call(**{ARGUMENTS: variables}))))
        return data

    def _add(self, entry: ResourceEntry) -> ResourceEntry:
        self.entries[entry.full_uri] = entry
        if self._on_add is not None:
            self._on_add(entry)
        return entry


def with_uri(uri: str, result: types.ReadResourceResult) -> types.ReadResourceResult:
    """Contents with the URI of the request where they have none."""
    for contents in result.contents:
        contents.uri = contents.uri or uri
    return result


def _refuse(uri: str) -> Any:
    raise unknown_error(RESOURCES, uri)


def _missing_variable_of(uri: str, entry: ResourceEntry) -> str | None:
    """The first variable that is missing in a URI which ends too early for a template; None if it is no such URI."""
    if entry.template is None or entry.metadata is None or not (uri.rstrip("/") + "/").startswith(entry.uri + "/"):
        return None
    values = [one for one in uri[len(entry.uri) :].strip("/").split("/") if one]
    names = [one.name for one in entry.metadata.parameters if one.required]
    return names[len(values)] if len(values) < len(names) else None
