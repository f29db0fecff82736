"""URI templates as the official SDK 2 has them: every operator of RFC 6570, and matching in one pass.

A template is a row of literals and captures. At most one capture takes several segments; those before it end at the
first place where the next literal is, those after it begin at the last one. So no place is tried twice, and a long
URI takes time in proportion to its length. What a value may hold is checked elsewhere (see resource_security).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple, Self
from urllib.parse import quote, unquote

__all__ = ["DEFAULT_MAX_URI_LENGTH", "InvalidUriTemplate", "UriTemplate", "Variable"]

DEFAULT_MAX_TEMPLATE_LENGTH = 8192
DEFAULT_MAX_VARIABLES = 256
DEFAULT_MAX_URI_LENGTH = 65536

_NAME = re.compile(r"(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+(?:\.(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+)*")
_TRIPLET = re.compile(r"%[0-9A-Fa-f]{2}")
_RESERVED = ":/?#[]@!$&'()*+,;="


class _Operator(NamedTuple):
    """What an operator writes before its first value and between two, and what no value of it holds."""

    first: str
    between: str
    stops: str
    is_named: bool = False
    is_wide: bool = False
    can_explode: bool = False


_OPERATORS = {
    "": _Operator("", ",", "/?#&,"),
    "+": _Operator("", ",", "?#", is_wide=True),
    "#": _Operator("#", ",", "", is_wide=True),
    ".": _Operator(".", ".", "./?#", can_explode=True),
    "/": _Operator("/", "/", "/?#", can_explode=True),
    ";": _Operator(";", ";", ";/?#", is_named=True, can_explode=True),
    "?": _Operator("?", "&", "&#", is_named=True),
    "&": _Operator("&", "&", "&#", is_named=True),
}


class InvalidUriTemplate(ValueError):
    """A template with a mistake, and where it is."""

    def __init__(self, message: str, *, template: str, position: int) -> None:
        super().__init__(message)
        self.template, self.position = template, position


@dataclass(frozen=True)
class Variable:
    """A variable of a template."""

    name: str
    operator: str
    explode: bool = False

    @property
    def is_wide(self) -> bool:
        """Whether it takes several segments."""
        return self.explode or _OPERATORS[self.operator].is_wide


class _Capture(NamedTuple):
    """The place of a value. An optional one is that of `;name`: its value comes after an equals sign, or is empty."""

    variable: Variable
    is_optional: bool = False


_Atom = str | _Capture


@dataclass(frozen=True)
class UriTemplate:
    """A template; two of the same text are equal.

    >>> template = UriTemplate.parse("files://{owner}/{+path}{?version}")
    >>> template.match("files://ada/a/b.txt?version=2")
    {'owner': 'ada', 'path': 'a/b.txt', 'version': '2'}
    >>> template.expand({"owner": "ada", "path": "a/b"})
    'files://ada/a/b'
    """

    template: str
    variables: list[Variable] = field(compare=False, default_factory=list[Variable])
    parts: tuple[Any, ...] = field(compare=False, repr=False, default=())

    @staticmethod
    def is_template(value: str) -> bool:
        """Whether a text has an expression in braces."""
        return "}" in value[value.find("{") :] if "{" in value else False

    @classmethod
    def parse(
        cls,
        template: str,
        *,
        max_length: int = DEFAULT_MAX_TEMPLATE_LENGTH,
        max_variables: int = DEFAULT_MAX_VARIABLES,
    ) -> Self:
        """A template from its text; raises InvalidUriTemplate."""
        if len(template) > max_length:
            raise InvalidUriTemplate(
                f"Template exceeds maximum length of {max_length}", template=template[:50], position=max_length
            )
        parts = tuple(_read_parts(template))
        variables = [one for part in parts if not isinstance(part, str) for one in part]
        if len(variables) > max_variables:
            raise InvalidUriTemplate(
                f"Template exceeds maximum of {max_variables} variables", template=template, position=0
            )
        _check(template, parts, variables)
        return cls(template, variables, parts)

    def __str__(self) -> str:
        return self.template

    @property
    def variable_names(self) -> list[str]:
        """The names of the variables, in their order."""
        return [one.name for one in self.variables]

    @property
    def query_variable_names(self) -> frozenset[str]:
        """The variables of the query at the end, which a URI may leave out."""
        return frozenset(one.name for part in self._split()[1] for one in part)

    def expand(self, variables: Mapping[str, Any]) -> str:
        """The URI that values make; a variable without a value is left out."""
        for name, value in variables.items():
            is_list = isinstance(value, Sequence) and all(isinstance(one, str) for one in value)
            if not isinstance(value, str) and (isinstance(value, bytes) or not is_list):
                raise TypeError(f"Variable {name!r} must be str or a sequence of str, not {value!r}")
        return "".join(part if isinstance(part, str) else _expand(part, variables) for part in self.parts)

    def match(self, uri: str, *, max_uri_length: int = DEFAULT_MAX_URI_LENGTH) -> dict[str, str | list[str]] | None:
        """The values of a URI; None if it does not fit."""
        if len(uri) > max_uri_length:
            return None
        path, query = self._split()
        if not query:
            return _match(list(_atoms_of(self.parts)), uri)
        text, _, given = uri.partition("#")[0].partition("?")
        values = _match(list(_atoms_of(path)), text)
        if values is None:
            return None
        names = {one.name for part in query for one in part}
        for one in given.split("&"):
            name, _, value = one.partition("=")
            if name in names:
                values.setdefault(name, unquote(value))
        return values

    def _split(self) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The parts of the path, and those of a query at the end, whose fields may come in any order."""
        at = len(self.parts)
        while at and not isinstance(self.parts[at - 1], str) and self.parts[at - 1][0].operator in ("?", "&"):
            at -= 1
        path, query = self.parts[:at], self.parts[at:]
        is_plain = not any("?" in part or "#" in part for part in path if isinstance(part, str)) and not any(
            part[0].operator in ("#", "?", "&") for part in path if not isinstance(part, str)
        )
        return (path, query) if query and query[0][0].operator == "?" and is_plain else (self.parts, ())


# Reading a template -------------------------------------------------------------------------------


def _read_parts(template: str) -> Any:
    """The literals of a template, and the variables of each expression."""
    at = 0
    while at < len(template):
        start = template.find("{", at)
        if start != at:
            yield template[at : len(template) if start < 0 else start]
        if start < 0:
            return
        end = template.find("}", start)
        if end < 0:
            raise InvalidUriTemplate(f"Unclosed expression at {start}", template=template, position=start)
        yield _read_expression(template, template[start + 1 : end], start)
        at = end + 1


def _read_expression(template: str, body: str, position: int) -> tuple[Variable, ...]:
    def refuse(text: str) -> InvalidUriTemplate:
        return InvalidUriTemplate(f"{text} in {{{body}}} at {position}", template=template, position=position)

    if not body:
        raise refuse("Empty expression")
    operator = body[0] if body[0] in _OPERATORS else ""
    if operator == body:
        raise refuse("An operator but no variables")
    variables: list[Variable] = []
    for word in body.removeprefix(operator).split(","):
        name = word.removesuffix("*")
        if ":" in name and _NAME.fullmatch(name.partition(":")[0]):
            raise refuse("Prefix modifier {var:n} is not supported")
        if not _NAME.fullmatch(name):
            raise refuse(f"Invalid variable name {name!r}")
        if name != word and not _OPERATORS[operator].can_explode:
            raise refuse(f"Explode modifier is not supported with the operator {operator!r}")
        variables.append(Variable(name, operator, name != word))
    return tuple(variables)


def _check(template: str, parts: tuple[Any, ...], variables: list[Variable]) -> None:
    """Refuse what cannot be matched without guessing."""

    def refuse(text: str) -> InvalidUriTemplate:
        return InvalidUriTemplate(text, template=template, position=0)

    names = [one.name for one in variables]
    for name in names:
        if names.count(name) > 1:
            raise refuse(f"Variable {name!r} appears more than once")
    if sum(1 for part in parts if not isinstance(part, str) and part[0].operator == "?") > 1:
        raise refuse("A template has more than one {?…} expression; go on with {&…}")
    atoms = list(_atoms_of(UriTemplate(template, variables, parts)._split()[0]))
    for one, other in pairwise(atoms):
        if isinstance(one, _Capture) and isinstance(other, _Capture):
            both = f"{one.variable.name!r} and {other.variable.name!r}"
            raise refuse(f"Variables {both} are adjacent with no literal separator")
    if sum(1 for one in atoms if isinstance(one, _Capture) and one.variable.is_wide) > 1:
        raise refuse("Template contains more than one multi-segment variable")


def _atoms_of(parts: tuple[Any, ...]) -> Any:
    """The literals and captures of some parts, in which two literals are never neighbours."""
    text = ""
    for atom in _raw_atoms_of(parts):
        if isinstance(atom, str):
            text += atom
            continue
        if text:
            yield text
        text = ""
        yield atom
    if text:
        yield text


def _raw_atoms_of(parts: tuple[Any, ...]) -> Any:
    for part in parts:
        if isinstance(part, str):
            yield part
            continue
        for at, variable in enumerate(part):
            operator = _OPERATORS[variable.operator]
            if variable.explode:
                yield _Capture(variable)
                continue
            name = variable.name if operator.is_named else ""
            equals = "=" if variable.operator in ("?", "&") else ""
            yield (operator.between if at else operator.first) + name + equals
            yield _Capture(variable, is_optional=variable.operator == ";")


# Matching -----------------------------------------------------------------------------------------

_Values = dict[str, str | list[str]]


def _match(atoms: list[_Atom], text: str) -> _Values | None:
    wide = next((at for at, one in enumerate(atoms) if isinstance(one, _Capture) and one.variable.is_wide), None)
    if wide is None:
        values: _Values = {}
        return _in_order(values, atoms) if _match_back(atoms, text, 0, len(text), True, values) == 0 else None
    values = {}
    start = _match_on(atoms[:wide], text, values)
    end = None if start is None else _match_back(atoms[wide + 1 :], text, start, len(text), False, values)
    if start is None or end is None:
        return None
    capture: Any = atoms[wide]
    value = _read_wide(capture.variable, text[start:end])
    if value is None:
        return None
    values[capture.variable.name] = value
    return _in_order(values, atoms)


def _in_order(values: _Values, atoms: list[_Atom]) -> _Values:
    return {one.variable.name: values[one.variable.name] for one in atoms if isinstance(one, _Capture)}


def _match_on(atoms: list[_Atom], text: str, values: _Values) -> int | None:
    """Match from the beginning; returns where the rest begins. A capture ends where its literal comes first."""
    at = 0
    for number, atom in enumerate(atoms):
        if isinstance(atom, str):
            if not text.startswith(atom, at):
                return None
            at += len(atom)
            continue
        following: Any = atoms[number + 1]  # a capture is never the neighbour of another
        start, is_named = at, atom.is_optional and not text.startswith(following, at)
        if is_named:
            if not text.startswith("=", at):
                return None
            start += 1
        end = text.find(following, start)
        if end < 0 or not _keep(atom.variable, text[start:end], values):
            return None
        at = end
    return at


def _match_back(atoms: list[_Atom], text: str, floor: int, end: int, is_whole: bool, values: _Values) -> int | None:
    """Match from the end; returns where it begins. A capture begins where the literal before it comes last."""
    at = end
    number = len(atoms) - 1
    while number >= 0:
        atom = atoms[number]
        if isinstance(atom, str):
            if not text.endswith(atom, floor, at):
                return None
            at -= len(atom)
            number -= 1
            continue
        before = atoms[number - 1] if number else ""
        is_first = number <= 1
        start = _find_back(atom, str(before), text, floor, at, is_first and is_whole)
        if start is None:
            return None
        value = text[start:at]
        if not _keep(atom.variable, value.removeprefix("=") if atom.is_optional else value, values):
            return None
        at = start
        number -= 1
    return at


def _find_back(capture: _Capture, before: str, text: str, floor: int, end: int, is_first: bool) -> int | None:
    """Where the value of a capture begins: after the last place of the literal before it."""
    if is_first:  # it begins at the beginning
        start = floor + len(before)
        is_there = text.startswith(before, floor) and start <= end
        return start if is_there and (not capture.is_optional or text[start:end][:1] in ("", "=")) else None
    stop = end
    while True:
        found = text.rfind(before, floor, stop)
        if found < 0:
            return None
        start = found + len(before)
        if not capture.is_optional or text[start:end][:1] in ("", "="):
            return start
        stop = start - 1  # the name goes on: it is another one


def _keep(variable: Variable, raw: str, values: _Values) -> bool:
    """Keep a value, if it may be one."""
    if any(one in raw for one in _OPERATORS[variable.operator].stops):
        return False
    values[variable.name] = unquote(raw)
    return True


def _read_wide(variable: Variable, raw: str) -> str | list[str] | None:
    operator = _OPERATORS[variable.operator]
    if not variable.explode:
        return None if any(one in raw for one in operator.stops) else unquote(raw)
    if not raw:
        return []
    if not raw.startswith(operator.first):
        return None
    items = raw[1:].split(operator.between)
    stops = operator.stops.replace(operator.between, "")
    if any(one in item for item in items for one in stops):
        return None
    if operator.is_named:
        pairs = [item.partition("=") for item in items]
        if any(name != variable.name for name, _, _ in pairs):
            return None
        items = [value for _, _, value in pairs]
    return [unquote(item) for item in items]


# Expanding ----------------------------------------------------------------------------------------


def _expand(part: tuple[Variable, ...], variables: Mapping[str, str | Sequence[str]]) -> str:
    operator = _OPERATORS[part[0].operator]
    texts: list[str] = []
    for one in part:
        value = variables.get(one.name)
        if value is None or (not isinstance(value, str) and not value):
            continue
        items = [value] if isinstance(value, str) else list(value)
        encoded = [_encode(item, operator.is_wide) for item in items]
        texts += [_named(one, item) for item in (encoded if one.explode else [",".join(encoded)])]
    return operator.first + operator.between.join(texts) if texts else ""


def _named(variable: Variable, text: str) -> str:
    if not _OPERATORS[variable.operator].is_named:
        return text
    return variable.name if variable.operator == ";" and not text else f"{variable.name}={text}"


def _encode(text: str, is_reserved: bool) -> str:
    """A value in a URI; with `is_reserved` the characters of URIs stay, and what is encoded already."""
    if not is_reserved:
        return quote(text, safe="")
    pieces: list[str] = []
    at = 0
    for match in _TRIPLET.finditer(text):
        pieces += [quote(text[at : match.start()], safe=_RESERVED), match[0]]
        at = match.end()
    return "".join(pieces) + quote(text[at:], safe=_RESERVED)
