"""URI templates (RFC 6570): which URIs fit one and with what values, and the URI that values make.

Knows no resources, files or handlers. Matching is exact: the whole URI counts, scheme and host compare letter
by letter, an undeclared query parameter is no match. What a value may hold is checked in uri_variable.

| form | a value is | given as |
|---|---|---|
| `{a}` `{a,b}` `{/a}` `{.a}` | one segment: no slash, no backslash, neither `.` nor `..` | str |
| `{+a}` `{a*}` | segments, none of them `.` or `..`, the first not empty; no backslash | str |
| `{/a*}` | segments as in `{/a}` | list |
| `{#a}` | any text | str |
| `{?a,b}` `{&a}` | any text, in any order; a missing one is absent | str |
| `{?a*}` `{&a*}` | any text, any number of times | list |

Only the parameters of a query may be missing or empty; no value holds control characters.
"""

import re
from collections.abc import Sequence
from typing import TypeAlias
from urllib.parse import quote

from msgspec import Struct

from ..errors import AuthorError
from .uri_variable import Kind, Piece, Value, Variable, decode_value

__all__ = ["MAX_LENGTH", "UriTemplate", "compile", "is_template"]

# A longer URI fits no template.
MAX_LENGTH = 8192

# By operator: the text before the first value and between two; the kind of a value, and of one with *.
_OPERATORS: dict[str, tuple[str, str, Kind, Kind | None]] = {
    "": ("", ",", "segment", "path"),
    "+": ("", ",", "path", "path"),
    "#": ("#", ",", "text", None),
    "/": ("/", "/", "segment", "segments"),
    ".": (".", ".", "segment", None),
    "?": ("?", "&", "text", "texts"),
    "&": ("&", "&", "text", "texts"),
}
_TOKEN = re.compile(r"\{([^{}]*)\}|[^{}]+|[{}]")
# Characters that stay as they are in a URI, besides letters, digits and -._~
_URI = "%:/?#[]@!$&'()*+,;="
# Those that stay as they are in a value after + or #. RFC 6570 would also keep ? and #, which end a path, and a %
# that looks like an escape; encoded, every value comes back as it went in.
_RESERVED = ":/[]@!$&'()*+,;="

Token: TypeAlias = str | Variable


class UriTemplate(Struct, frozen=True, eq=False):
    """A template ready for use; `names` are its variables in their order.

    >>> forecast = compile("weather://{city}/{day}{?unit}")
    >>> forecast.match("weather://S%C3%A3o%20Paulo/today?unit=C")
    {'city': 'São Paulo', 'day': 'today', 'unit': 'C'}
    >>> forecast.match("weather://..%2F..%2Fetc/passwd") is None
    True
    >>> forecast.expand(city="Oslo", day="today")
    'weather://Oslo/today'
    """

    template: str
    names: tuple[str, ...]
    path: tuple[Piece, ...]
    fields: tuple[Piece, ...]  # of the query, before the parameters, in this order
    parameters: dict[str, Variable]
    fragment: tuple[Piece, ...]  # one or none
    wide: int | None  # which piece of the path may hold slashes

    def match(self, uri: str) -> dict[str, Value] | None:
        """The values if this URI fits, or None; every value is percent-decoded exactly once."""
        text = _encode(uri) if len(uri) <= MAX_LENGTH else None
        if text is None:
            return None
        text, has_fragment, fragment = text.partition("#")
        text, has_query, query = text.partition("?")
        segments = self._split_path(text.split("/"))
        fields = query.split("&") if has_query else []
        fragments = [fragment] if has_fragment else []
        fixed = len(self.fields)
        if segments is None or len(fields) < fixed or len(fragments) != len(self.fragment):
            return None
        values = self._match_parameters(fields[fixed:])
        pieces = (*self.path, *self.fields, *self.fragment)
        for piece, part in zip(pieces, [*segments, *fields[:fixed], *fragments], strict=True):
            matched = piece.match(part)
            if matched is None or values is None:
                return None
            values |= matched
        return None if values is None else {name: values[name] for name in self.names if name in values}

    def expand(self, /, **values: object) -> str:
        """The URI these values make; AuthorError if one is missing, or if `match` would not give them back."""
        present = {name: value for name, value in values.items() if value not in (None, [], ())}
        for name in present.keys() - set(self.names):
            raise AuthorError(f"{self.template!r} has no variable {name!r}")
        for name in set(self.names) - present.keys() - self.parameters.keys():
            raise AuthorError(f"{self.template!r} needs a value for {name!r}")
        uri = "/".join(piece.expand(present) for piece in self.path)
        fields = [piece.expand(present) for piece in self.fields]
        for name, variable in self.parameters.items():
            fields += [f"{name}={text}" for text in variable.write(present[name])] if name in present else []
        uri += f"?{'&'.join(fields)}" if fields else ""
        uri += "".join(f"#{piece.expand(present)}" for piece in self.fragment)
        if self.match(uri) != {name: _to_value(value) for name, value in present.items()}:
            raise AuthorError(f"{self.template!r} cannot carry these values: a reader would find others")
        return uri

    def _split_path(self, segments: list[str]) -> list[str] | None:
        """A text for each piece of the path: the piece that may hold slashes gets all that is left."""
        over = len(segments) - len(self.path)
        if self.wide is None or over < 0:
            return None if over else segments
        stop = self.wide + over + 1
        return [*segments[: self.wide], "/".join(segments[self.wide : stop]), *segments[stop:]]

    def _match_parameters(self, fields: list[str]) -> dict[str, Value] | None:
        """The values of query parameters; None if one is unknown, broken, or there twice without being a list."""
        values: dict[str, list[str]] = {}
        for text in fields:
            name, equals, raw = text.partition("=")
            value = decode_value(raw, "text")
            if not equals or value is None or name not in self.parameters:
                return None
            values.setdefault(name, []).append(value)
        single = {name for name in values if self.parameters[name].kind == "text"}
        if any(len(values[name]) > 1 for name in single):
            return None
        return {name: texts[0] if name in single else texts for name, texts in values.items()}


def is_template(text: str) -> bool:
    """Whether this is a template rather than a URI, in which a brace can never stand.

    >>> is_template("weather://{city}"), is_template("weather://oslo")
    (True, False)
    """
    return "{" in text or "}" in text


def compile(template: str) -> UriTemplate:
    """A template ready for use; raises AuthorError with the position of an error.

    >>> compile("docs://{+path}").match("docs://guide/start.md")
    {'path': 'guide/start.md'}
    """
    tokens: list[Token] = []
    parameters: dict[str, Variable] = {}
    for match in _TOKEN.finditer(template):
        try:
            _add(match[0], match[1], tokens, parameters)
        except ValueError as error:
            raise AuthorError(f"{template!r}, character {match.start() + 1}: {error}") from None
    head, *fragment = _split(tokens, "#", 1)
    path, *query = _split(head, "?", 1)
    segments = tuple(map(_to_piece, _split(path, "/")))
    fields = tuple(_to_piece(part) for whole in query for part in _split(whole, "&"))
    fragments = tuple(map(_to_piece, fragment))
    names = [*_names_of(segments), *_names_of(fields), *parameters, *_names_of(fragments)]
    return UriTemplate(
        template, tuple(names), segments, fields, parameters, fragments, _find_wide(template, segments)
    )


# Reading a template -------------------------------------------------------------------------------


def _add(text: str, body: str | None, tokens: list[Token], parameters: dict[str, Variable]) -> None:
    """Add a literal, or an expression by its body; ValueError if it is not allowed there."""
    operator, variables = ("", []) if body is None else _parse_expression(body)
    first, between = _OPERATORS[operator][:2]
    before = "".join(token for token in tokens if isinstance(token, str))
    _check_unique([*parameters, *_variable_names(tokens), *_variable_names(variables)])
    if operator in ("?", "&"):
        _check_query(operator, before, parameters)
        parameters.update({variable.name: variable for variable in variables})
    elif text in ("{", "}"):
        raise ValueError("this brace has no partner")
    elif parameters and "#" not in before and not (first or text).startswith("#"):
        raise ValueError("only {&…} and a fragment may follow the parameters of a query")
    elif body is None:
        tokens.append(quote(text, safe=_URI))
    elif not first and _variable_names(tokens[-1:]):
        raise ValueError("two variables need a text between them, or nobody can tell where one ends")
    else:
        for at, variable in enumerate(variables):
            tokens += [between if at else first, variable]


def _check_query(operator: str, before: str, parameters: dict[str, Variable]) -> None:
    if "#" in before or (operator == "?") == ("?" in before or bool(parameters)):
        raise ValueError("a query begins with {?…}, goes on with {&…} and stands before the fragment")


def _check_unique(names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name!r} is there twice")


def _variable_names(tokens: Sequence[Token]) -> list[str]:
    return [token.name for token in tokens if isinstance(token, Variable)]


def _parse_expression(body: str) -> tuple[str, list[Variable]]:
    """The operator and the variables between two braces."""
    operator = body[:1] if body[:1] in _OPERATORS else ""
    _, _, plain, starred = _OPERATORS[operator]
    variables: list[Variable] = []
    for word in body.removeprefix(operator).split(","):
        name = word.removesuffix("*")
        kind = plain if word == name else starred
        if kind is None or not (name.isascii() and name.isidentifier()):
            raise ValueError(f"{{{body}}} is not a known form; a name is made of letters, digits and _")
        variables.append(Variable(name, kind, _RESERVED if kind == "path" or operator == "#" else ""))
    return operator, variables


def _split(tokens: list[Token], separator: str, most: int = -1) -> list[list[Token]]:
    """The tokens between separators, which are part of literals."""
    parts: list[list[Token]] = [[]]
    for token in tokens:
        if isinstance(token, Variable):
            parts[-1].append(token)
            continue
        here, *others = token.split(separator, most - len(parts) + 1 if most > 0 else -1)
        parts[-1].append(here)
        for other in others:
            parts.append([other])
    return parts


def _to_piece(tokens: list[Token]) -> Piece:
    literals, variables = [""], []
    for token in tokens:
        if isinstance(token, Variable):
            variables.append(token)
            literals.append("")
        else:
            literals[-1] += token
    return Piece(tuple(literals), tuple(variables))


def _find_wide(template: str, path: tuple[Piece, ...]) -> int | None:
    """The index of the piece that may hold any number of slashes; with two of them a path would be ambiguous."""
    places = [
        (at, position, variable.name)
        for at, piece in enumerate(path)
        for position, variable in enumerate(piece.variables)
        if variable.kind in ("path", "segments")
    ]
    if len(places) > 1:
        raise AuthorError(f"{template!r}: only one of {places[0][2]!r} and {places[1][2]!r} may hold slashes")
    if places and places[0][1]:
        raise AuthorError(f"{template!r}: {places[0][2]!r} may hold slashes, so a slash must stand before it")
    return places[0][0] if places else None


def _names_of(pieces: tuple[Piece, ...]) -> list[str]:
    return [name for piece in pieces for name in _variable_names(piece.variables)]


# Reading a URI ------------------------------------------------------------------------------------


def _encode(uri: str) -> str | None:
    """A URI with spaces and letters beyond ASCII encoded, which many clients do not do; None for invalid text."""
    try:
        return quote(uri, safe=_URI)
    except UnicodeEncodeError:  # a lone surrogate
        return None


def _to_value(value: object) -> Value:
    return [str(item) for item in value] if isinstance(value, list | tuple) else str(value)
