"""Changes a feature that is registered: for objects of other packages whose attributes a program may set."""

from functools import partial
from typing import Any, TypeVar

import msgspec

from ..foreign.annotations import hints_of
from ..protocol.feature_list import FeatureList
from ..protocol.features import Feature, ToolFeature

__all__ = ["change_feature", "output_of", "with_member"]

F = TypeVar("F", bound=Feature)
T = TypeVar("T")


def change_feature(features: FeatureList[F], former: F, **fields: Any) -> F:
    """A feature with other values for some fields; it takes the place of the former one, if that is registered."""
    feature = msgspec.structs.replace(former, plans={}, **fields)
    key, new_key = (getattr(one, "key") for one in (former, feature))  # noqa: B009 - each kind of feature has its own
    if features.registered.get(key) is former:
        if new_key != key:
            features.remove(key)
        features.add(feature, replace=True)
    return feature


def with_member(definition: T, name: str, value: Any) -> T:
    """A definition with another value for a member, as plain data; raises a ValueError if it does not fit."""
    hints = hints_of(type(definition))
    return msgspec.structs.replace(definition, **{name: msgspec.convert(value, hints[name])})  # type: ignore[type-var]


def output_of(other: ToolFeature, tool: ToolFeature) -> dict[str, Any]:
    """The fields of a tool that say what it returns, with what another tool declares in the place of its own."""
    normalize: Any = tool.normalize
    return {
        "output": other.output,
        "output_schema": other.output_schema,
        "normalize": partial(normalize.func, **{**normalize.keywords, "output": other.output}),
        "definition": with_member(tool.definition, "outputSchema", other.definition.outputSchema),
    }
