"""The base of the official SDK's types: built, read and dumped as there, without pydantic.

A field has its name on the wire, as in `mcp` 1. The snake_case name of `mcp` 2 works too, in the constructor and as
an attribute. Knows no particular type.
"""

import functools
import re
import types
from typing import Any, ClassVar, Self, Union, get_args, get_origin

import msgspec

from ...foreign.annotations import hints_of, own_annotations
from ...foreign.classes import wire_type_of

__all__ = ["Model", "ModelType", "Uri", "to_snake", "to_wire"]

_REQUIRED: Any = object()


class Uri(str):
    """A URI as text, with the parts that pydantic's AnyUrl has."""

    def __eq__(self, other: object) -> bool:
        return str(self) == (str(other) if hasattr(other, "unicode_string") else other)

    __hash__ = str.__hash__

    @property
    def scheme(self) -> str:
        """The part before the colon."""
        return self.partition(":")[0]

    @property
    def host(self) -> str | None:
        """The part after `//`, up to the next slash or colon."""
        match = re.match(r"[^:/?#]+://(?:[^/?#@]*@)?([^/?#:]*)", self)
        return match[1] or None if match else None

    @property
    def path(self) -> str | None:
        """The path; None if there is none."""
        match = re.match(r"[^:/?#]+:(?://[^/?#]*)?([^?#]*)", self)
        return match[1] or None if match else None

    @property
    def query(self) -> str | None:
        """The part after the question mark; None if there is none."""
        rest = self.partition("#")[0].partition("?")[2]
        return rest or None

    @property
    def fragment(self) -> str | None:
        """The part after the number sign; None if there is none."""
        return self.partition("#")[2] or None

    def unicode_string(self) -> str:
        """The URI as plain text."""
        return str(self)


class ModelType(type):
    """The class of the types: an object of the real package's class of a name is an instance of ours, too."""

    def __instancecheck__(cls, value: object) -> bool:
        if type.__instancecheck__(cls, value):
            return True
        kind = type(value)
        return kind.__name__ == cls.__name__ and kind.__module__.partition(".")[0] in ("mcp", "mcp_types")


class Model(metaclass=ModelType):
    """A type of the protocol, with the fields that its class annotates.

    >>> class Point(Model):
    ...     xPosition: int
    ...     label: str | None = None
    >>> point = Point(x_position=3)
    >>> point.xPosition, point.x_position, point.model_dump(exclude_none=True)
    (3, 3, {'xPosition': 3})
    """

    _defaults: ClassVar[dict[str, Any]] = {}
    _names: ClassVar[dict[str, str]] = {}  # every name of a field, and its name here

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        own = [name for name in own_annotations(cls) if not name.startswith("_")]
        cls._defaults = {**cls._defaults, **{name: cls.__dict__.get(name, _REQUIRED) for name in own}}
        cls._names = {**cls._names}
        for name in own:
            cls._names |= {name: name, to_snake(name): name}
        if not wire_type_of(cls):  # the others are content or results, not data
            cls.__plain__ = cls.to_plain  # type: ignore[attr-defined]
        if "meta" in own:
            cls._names["_meta"] = "meta"

    def __class_getitem__(cls, parameters: Any) -> Any:
        return cls

    def __init__(self, **values: Any) -> None:
        names, fields = self._names, vars(self)
        kinds = _hints_of(type(self))  # a class has a hash
        given = {names.get(name, name): value for name, value in values.items()}
        for name, default in self._defaults.items():  # in their order, as pydantic dumps them
            if name in given:
                fields[name] = _read(given.pop(name), kinds.get(name))
            elif default is _REQUIRED:
                raise ValueError(f"{type(self).__name__} needs {name}=")
            else:
                fields[name] = list(default) if type(default) is list else default
        fields.update(given)

    def __getattr__(self, name: str) -> Any:
        known = type(self)._names.get(name)
        if known is None or known == name:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return vars(self)[known]

    def __setattr__(self, name: str, value: Any) -> None:
        vars(self)[self._names.get(name, name)] = value

    def __eq__(self, other: object) -> bool:
        if type(self) is type(other):
            return vars(self) == vars(other)
        return _is_same_type(self, other) and to_wire(self) == to_wire(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{key}={value!r}' for key, value in vars(self).items())})"

    def __iter__(self) -> Any:
        return iter(vars(self).items())

    @property
    def model_extra(self) -> dict[str, Any]:
        """The fields that the class does not declare."""
        return {name: value for name, value in vars(self).items() if name not in self._defaults}

    @property
    def model_fields_set(self) -> set[str]:
        """The fields that are not None."""
        return {name for name, value in vars(self).items() if value is not None}

    # pydantic's methods ---------------------------------------------------------------------------

    def model_dump(
        self,
        *,
        mode: str = "python",
        by_alias: bool = False,
        exclude_none: bool = False,
        exclude_unset: bool = False,
        include: Any = None,
        exclude: Any = None,
        **options: Any,
    ) -> dict[str, Any]:
        """The fields as a dict; with `by_alias`, `meta` is `_meta`. A field that is None counts as one not set."""
        del mode, options
        exclude_none = exclude_none or exclude_unset
        dumped: dict[str, Any] = {}
        for name, value in vars(self).items():
            if (exclude_none and value is None) or name in (exclude or ()) or (include and name not in include):
                continue
            plain = name if not by_alias or name != "meta" else "_meta"
            dumped[plain] = (
                value if name == "meta" and isinstance(value, dict) else _dump(value, by_alias, exclude_none)
            )
        return dumped

    def model_dump_json(self, *, indent: int | None = None, **options: Any) -> str:
        """The fields as JSON."""
        raw = msgspec.json.encode(self.model_dump(**options))
        return (raw if indent is None else msgspec.json.format(raw, indent=indent)).decode()

    @classmethod
    def model_validate(cls, value: Any, **options: Any) -> Self:
        """An object of this class from a dict, or the object itself."""
        return value if isinstance(value, cls) else cls(**to_wire(value))

    @classmethod
    def model_validate_json(cls, raw: str | bytes, **options: Any) -> Self:
        """An object of this class from JSON."""
        return cls(**msgspec.json.decode(raw))

    @classmethod
    def model_construct(cls, **values: Any) -> Self:
        """An object of this class; the same as calling the class."""
        return cls(**values)

    def model_copy(self, *, update: dict[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy with some fields changed."""
        copy = object.__new__(type(self))
        vars(copy).update(vars(self))
        for name, value in (update or {}).items():
            setattr(copy, name, value)
        return copy

    def to_plain(self) -> dict[str, Any]:
        """The fields in the form of the wire."""
        return self.model_dump(by_alias=True, exclude_none=True)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema  # pydantic asks: a model of the user's has a field of this class

        dump = core_schema.plain_serializer_function_ser_schema(lambda value: value.to_plain())
        return core_schema.no_info_plain_validator_function(cls.model_validate, serialization=dump)

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> dict[str, Any]:
        return {"type": "object", "title": cls.__name__}


def _is_same_type(ours: Model, other: object) -> bool:
    """Whether an object is of the real package's class of the same name."""
    kind = type(other)
    return kind.__name__ == type(ours).__name__ and kind.__module__.partition(".")[0] in ("mcp", "mcp_types")


def to_wire(value: Any) -> Any:
    """An object of the SDK, the real one or ours, as data in the form of the wire; any other value as it is."""
    if isinstance(value, Model):
        return value.to_plain()
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", by_alias=True, exclude_none=True)
    if isinstance(value, msgspec.Struct):
        return msgspec.to_builtins(value)
    return [to_wire(item) for item in value] if isinstance(value, list) else value


def _dump(value: Any, by_alias: bool, exclude_none: bool) -> Any:
    if isinstance(value, Model):
        return value.model_dump(by_alias=by_alias, exclude_none=exclude_none)
    if isinstance(value, list):
        return [_dump(item, by_alias, exclude_none) for item in value]
    if isinstance(value, dict):
        return {key: _dump(item, by_alias, exclude_none) for key, item in value.items()}
    if isinstance(value, (str, int, float, type(None))):
        return str(value) if type(value) is Uri else value
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", by_alias=by_alias, exclude_none=exclude_none)
    return str(value) if hasattr(value, "scheme") else value  # a URL of pydantic


def to_snake(name: str) -> str:
    """The name of a field in `mcp` 2, for its name on the wire."""
    return re.sub(r"(?<!^)([A-Z])", lambda match: "_" + match[1].lower(), name)


# Reading ------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=512)
def _hints_of(kind: type[Model]) -> dict[str, Any]:
    """The fields whose values may be models in the form of dicts: the models among the choices of their hints."""
    hints = hints_of(kind)
    return {name: hint for name, hint in hints.items() if name in kind._defaults and _models_in(hint)}


def _models_in(hint: Any) -> list[type[Model]]:
    if isinstance(hint, type) and issubclass(hint, Model):
        return [hint]
    return [model for inner in get_args(hint) for model in _models_in(inner)]


def _read(value: Any, hint: Any) -> Any:
    """A value in which the dicts are models, where the hint has some."""
    if hint is None:
        return value
    if isinstance(value, dict):
        choices = [one for one in _choices_of(hint) if isinstance(one, type) and issubclass(one, Model)]
        fitting = next((one for one in choices if _fits(one, value)), None)
        return value if fitting is None else fitting(**value)
    if isinstance(value, (list, tuple)):
        items = [get_args(one)[0] for one in _choices_of(hint) if get_origin(one) is list]
        return [_read(item, items[0]) for item in value] if items else value
    return value


def _choices_of(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)


def _fits(kind: type[Model], value: dict[str, Any]) -> bool:
    """Whether a dict has the required fields of a model, and its `type` if it has one."""
    given = {kind._names.get(name, name) for name in value}
    if "type" in value and kind._defaults.get("type", value["type"]) not in (value["type"], _REQUIRED):
        return False
    return all(name in given for name, default in kind._defaults.items() if default is _REQUIRED)
