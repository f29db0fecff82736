"""What a function declares about its return value: the schema that a tool lists, and the checks of what it returns.

Everything is worked out when the tool is registered. Knows hints, schemas and policies; not how results are written.
"""

from collections.abc import Callable
from functools import partial
from inspect import Signature as Inspected
from typing import Any

import msgspec

from ..errors import AuthorError
from ..policy import Policy
from ..schema import conform, fit, generate, hints, matching, records, returns, subschemas
from ..schema.conform import Conform
from ..schema.output_check import OutputCheck
from ..schema.subschemas import Schema
from ..values.encode import Rules
from ..values.payload import Declared, Output
from ..wire import codec

__all__ = ["declare", "declare_type"]


def declare(hint: Any, option: dict[str, Any] | bool | None, policy: Policy, rules: Rules, name: str) -> Output:
    """What a tool declares: by the hint of its return value, or by a schema that its author wrote."""
    declared: Declared = "nothing" if hint in (Inspected.empty, None, type(None)) else "hint"
    output = Output(declared=declared, conform=_compile_filter(hint, policy, rules, name))
    if isinstance(option, dict):
        return _declare_handwritten(output, hint, option, policy, name)
    listed = None if option is False else _listed_schema(hint, option is True, policy, rules, name)
    if listed is not None:
        return _declare_listed(output, hint, listed, policy)
    return _declare_unlisted(output, hint, policy, rules, name) if _is_checked(hint, policy) else output


def declare_type(hint: Any, policy: Policy, rules: Rules, name: str) -> Output:
    """What a resource or a prompt declares by the hint of its return value."""
    output = Output(conform=_compile_filter(hint, policy, rules, name))
    if not _is_checked(hint, policy):
        return output
    check = fit.compile(hint, rules, policy)
    return msgspec.structs.replace(output, fit=check, fitting=returns.fitting_classes(hint))


def _is_checked(hint: Any, policy: Policy) -> bool:
    """Whether values are checked by a hint whose schema is not listed."""
    return policy.validate_output and policy.check_return == "declared" and hint is not Inspected.empty


def _compile_filter(hint: Any, policy: Policy, rules: Rules, name: str) -> Conform | None:
    """The function that removes the fields which the declared type does not have; None without a type.

    Raises AuthorError, with the name of the function, for a hint without an end, or with names that would be lost.
    """
    if hint in (Inspected.empty, None, type(None)):
        return None
    problem = _lost_names_in(hint)
    if problem is not None:
        raise AuthorError(f"{name}: the return hint: {problem}")
    try:
        return conform.compile(hint, rules, policy)
    except AuthorError as error:
        raise AuthorError(f"{name}: the return hint: {error}") from error


def _lost_names_in(hint: Any) -> str | None:
    try:
        return records.lost_names_in(hint)
    except AuthorError:  # a hint that cannot be read declares nothing
        return None


def _listed_schema(hint: Any, wanted: bool, policy: Policy, rules: Rules, name: str) -> Schema | None:
    """The schema of a value, with the names that the policy sends, if its author or the policy wants it listed."""
    schema = returns.output_schema(
        hint,
        which="all" if wanted else policy.output_schema,
        opaque=rules.opaque,
        drop_none=policy.drop_none,
        show_defaults=policy.output_defaults == "show",
        envelopes=not wanted and policy.envelope == "exact",
    )
    return None if schema is None else _as_sent(schema, policy, name)


def _as_sent(schema: Schema, policy: Policy, name: str) -> Schema:
    """A schema with the names that the policy sends; raises AuthorError if two of them are the same."""
    if policy.key_case != "camel":
        return schema
    try:
        return subschemas.to_camel(schema)
    except AuthorError as error:
        raise AuthorError(f"the result of {name!r}: {error}") from None


# A schema that is listed --------------------------------------------------------------------------


def _declare_handwritten(output: Output, hint: Any, option: dict[str, Any], policy: Policy, name: str) -> Output:
    listed = generate.check_handwritten(option, f"the output schema of {name!r}", output=True)
    if policy.output_root == "object" and not subschemas.is_object(listed):  # S004-34
        raise AuthorError(f'the output schema of {name!r} needs "type": "object" at its root')
    return _declare_schema(output, listed, _is_wrapped(listed, returns.output_schema(hint, which="all")), policy)


def _declare_listed(output: Output, hint: Any, schema: Schema, policy: Policy) -> Output:
    """A schema that was made from the hint: values are data, and wrapped where they are not objects."""
    output = msgspec.structs.replace(
        output,
        pairs=not any(map(returns.is_collection, hints.choices_of(hint))),
        envelopes=not _may_have_content(schema),
        fitting=returns.fitting_classes(hint),
    )
    is_wrapped = not subschemas.is_object(schema) or (policy.wrap_objects == "generic" and hints.is_generic(hint))
    if policy.non_object == "raw" or not is_wrapped:
        return _declare_schema(output, schema, False, policy)
    listed = subschemas.wrap(schema, policy.wrap_key) | ({_WRAP_MARK: True} if policy.wrap_mark else {})
    output = _declare_schema(output, listed, True, policy)
    check = OutputCheck(schema) if policy.validate_output else None
    return msgspec.structs.replace(output, check=check, meta=_WRAP_META[policy.wrap_meta])


_WRAP_MARK = "x-fastmcp-wrap-result"
_WRAP_META: dict[bool, dict[str, Any] | None] = {True: {"fastmcp": {"wrap_result": True}}, False: None}


def _declare_schema(output: Output, listed: Schema, wrap: bool | None, policy: Policy) -> Output:
    """The declaration of a schema, with the checks of data, and of values before they are wrapped."""
    is_object = subschemas.is_object(listed)
    check = OutputCheck(listed) if policy.validate_output else None
    return msgspec.structs.replace(
        output,
        declared="schema",
        schema=listed,
        object_schema=subschemas.as_object(listed) if is_object else subschemas.wrap(listed, policy.wrap_key),
        wrap=wrap,
        wrap_older=not is_object,
        is_data=True,
        check=check if check is None or wrap is False else partial(_check_wrapped, check, policy.wrap_key, wrap),
        check_data=check,
        is_tuple_at=partial(matching.is_tuple_at, listed),
    )


def _is_wrapped(listed: Schema, natural: Schema | None) -> bool | None:
    """Whether values are wrapped to fit a handwritten schema (S004-26); None if that depends on the value."""
    if not subschemas.is_object(listed):
        return False
    return None if natural is None else not subschemas.is_object(natural)


def _check_wrapped(check: Callable[[bytes], None], key: str, wrap: bool | None, raw: bytes) -> None:
    check(codec.wrap(raw, key) if wrap or not raw.startswith(b"{") else raw)


def _may_have_content(schema: Schema) -> bool:
    """Whether an object of a schema may have a member `content`: then a dict with it is data, and not a result."""
    objects = [one for one in matching.branches_of(schema, schema) if isinstance(one, dict)]
    return any("content" in one.get("properties", {"content": {}}) for one in objects if subschemas.is_object(one))


# A type without a schema that is listed -----------------------------------------------------------


def _declare_unlisted(output: Output, hint: Any, policy: Policy, rules: Rules, name: str) -> Output:
    """The checks by a hint whose schema is not listed: of its JSON if it is data, else of each value."""
    output = msgspec.structs.replace(output, fitting=returns.fitting_classes(hint))
    schema = None if returns.is_open(hint) else returns.data_schema(hint, opaque=rules.opaque)
    if not schema:
        return msgspec.structs.replace(output, fit=fit.compile(hint, rules, policy))
    check = OutputCheck(_as_sent(schema, policy, name))
    return msgspec.structs.replace(
        output,
        is_data=True,
        pairs=False,
        envelopes=False,
        check=check,
        check_data=check,
        is_tuple_at=partial(matching.is_tuple_at, schema),
    )
