"""Which values take so long to write that other requests should not wait for them: large ones, and files to be read.

Looks at classes and at the parts of our own, so that no code of a value runs. Knows no policies.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from ..foreign.classes import MEDIA, painter_of, wire_type_of
from ..media import LARGE, Media
from ..results import Part, PromptResult, ResourceResult, ToolResult, Turn

__all__ = ["LARGE", "look_for", "takes_long"]

MAX_ITEMS = 64
"""How many items of a list are looked at; a list of content is shorter, and for data they stand for all."""
MAX_DEPTH = 4
"""How many lists and results of ours may be around a value."""

Look = Callable[[Any], bool | Sequence[Any]]
"""Returns whether a value takes long, or the values inside it, which may take long."""


def takes_long(value: Any) -> bool:
    """Whether the response for a value takes so long to write that other requests should not wait for it."""
    values: Sequence[Any] = (value,)
    for _ in range(MAX_DEPTH):
        looks = {kind: look for kind in {*map(type, values)} if (look := look_for(kind)) is not None}
        if not looks:
            return False
        inner: list[Any] = []
        for one in values:
            outcome = looks[type(one)](one) if type(one) in looks else ()
            if outcome is True:
                return True
            inner += outcome or ()
        values = inner[:MAX_ITEMS]
    return False


def _field_of(kind: type, name: str) -> Callable[[Any], Any]:
    """What reads a field of a class of ours, also in a subclass that has code for it."""
    return vars(kind)[name].__get__  # type: ignore[no-any-return]


_data = _field_of(Media, "data")
_HOLDERS = {
    kind: _field_of(kind, name)
    for kind, name in {
        ToolResult: "content",
        ResourceResult: "contents",
        PromptResult: "messages",
        Turn: "content",
        Part: "payload",
    }.items()
}
_FIRST = slice(MAX_ITEMS)


@lru_cache(maxsize=512)
def _choose_look(kind: type) -> Look | None:
    if kind is str:
        return None  # inside of something: the caller looks at a text alone, and a list of texts is common
    for text in (str, bytes, bytearray):
        if issubclass(kind, text):
            return lambda value: text.__len__(value) > LARGE
    if kind is memoryview:
        return lambda value: value.nbytes > LARGE
    if issubclass(kind, Media):
        return lambda value: (data := _data(value)) is None or len(data) > LARGE  # None is a file still to be read
    for base in (list, tuple):
        if issubclass(kind, base):
            return lambda value: base.__getitem__(value, _FIRST)
    for holder, field in _HOLDERS.items():
        if issubclass(kind, holder):
            return lambda value: held if isinstance(held := field(value), list) else (held,)
    if wire_type_of(kind) in MEDIA and painter_of(kind) is None:
        return lambda value: True  # another package's: it may read a file
    return None


look_for: Callable[[type], Look | None] = _choose_look
"""How to look at the values of a class; None for one whose values are written at once, such as records."""
