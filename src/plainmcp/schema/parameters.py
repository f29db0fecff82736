"""The parameters of a function: the hint, the default and the description of each. Knows no JSON."""

import functools
import inspect
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Annotated, Any, get_args, get_origin

import msgspec

from ..errors import AuthorError
from ..foreign import classes
from ..values.families import family_of
from . import records
from .docstring import Prose, prose_of_class
from .generics import class_of

__all__ = ["Parameter", "naming", "others_of", "split_description", "to_parameter"]

EMPTY = inspect.Parameter.empty


class Parameter(msgspec.Struct, frozen=True):
    """One parameter of a function; `default` is `inspect.Parameter.empty` when there is none.

    `fill` makes the default where it is a `Field` in the function: `days: int = Field(3)`.
    """

    name: str
    annotation: Any
    required: bool
    default: Any = EMPTY
    description: str | None = None
    fill: Callable[[], Any] | None = None


@contextmanager
def naming(parameter: Parameter) -> Generator[None, None, None]:
    """Name a parameter in the errors about its hint."""
    try:
        yield
    except AuthorError as error:
        raise AuthorError(f"parameter {parameter.name}: {error}") from error
    except RecursionError as error:
        raise AuthorError(f"parameter {parameter.name}: its type contains itself without an end") from error


def to_parameter(one: inspect.Parameter, hint: Any, prose: Prose) -> Parameter:
    """A parameter that is given by its name."""
    default, fill = one.default, None
    if classes.is_field(default):  # `days: int = Field(3, ge=0)`: the hint and the default are in there
        hint = Annotated[hint, default]
        required = default.is_required()
        fill = None if required else functools.partial(default.get_default, call_default_factory=True)
        default = EMPTY if required or default.default_factory else default.default
    elif default is EMPTY and (field := _field_with_default_in(hint)) is not None:
        required = False
        fill = functools.partial(field.get_default, call_default_factory=True)
        default = EMPTY if field.default_factory else field.default
    else:
        required = default is EMPTY
    hint, description = split_description(hint)
    return Parameter(one.name, hint, required, default, description or prose.parameters.get(one.name), fill)


def _field_with_default_in(hint: Any) -> Any:
    """The `Field(…)` with a default in `Annotated[…, Field(default=3)]`; None if there is none."""
    metadata = getattr(hint, "__metadata__", ())
    return next((one for one in metadata if classes.is_field(one) and not one.is_required()), None)


def split_description(hint: Any) -> tuple[Any, str | None]:
    """A hint without the text in `Annotated[..., "text"]`, and that text, or another description in Annotated."""
    metadata = getattr(hint, "__metadata__", ())
    texts = [description for description in metadata if isinstance(description, str)]
    for description in metadata:
        texts += [
            getattr(description, name) for name in ("documentation", "description") if hasattr(description, name)
        ]
    rest = tuple(description for description in metadata if not isinstance(description, str))
    if len(rest) != len(metadata):
        hint = Annotated[(hint.__origin__, *rest)] if rest else hint.__origin__
    return hint, next((inspect.cleandoc(text) for text in texts if text), None)


# Others -------------------------------------------------------------------------------------------


def others_of(name: str, hint: Any, prose: Prose) -> tuple[tuple[Parameter, ...], Parameter | None]:
    """What the hint of `**name` allows: the keys of a TypedDict in Unpack as parameters, and others of one type.

    Raises AuthorError.
    """
    if getattr(get_origin(hint), "_name", None) != "Unpack":
        return (), _to_others(name, hint, prose)
    kind = get_args(hint)[0]
    record = records.record_of(kind) if family_of(class_of(kind)) == "typed_dict" else None
    if record is None:
        raise AuthorError(f"**{name}: Unpack takes a TypedDict; for arguments of one type write **{name}: int")
    words = prose_of_class(class_of(kind)).parameters | prose.parameters
    others = None if record.extra is None else _to_others(name, record.extra, prose)
    return tuple(_to_key(field, words) for field in record.fields), others


def _to_others(name: str, hint: Any, prose: Prose) -> Parameter:
    hint, description = split_description(hint)
    return Parameter(name, hint, False, EMPTY, description or prose.parameters.get(name))


def _to_key(field: records.RecordField, words: dict[str, str]) -> Parameter:
    hint, description = split_description(field.hint)
    name = str(field.name)
    return Parameter(name, hint, field.required, EMPTY, description or words.get(name))
