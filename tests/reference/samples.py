"""The values that docs/reference/values.md shows: expressions, and the few names they use."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import namespace

__all__ = ["DATA", "HINTS", "ITERABLES", "PROMPTS", "RESOURCES", "TABLES", "TOOLS", "Sample", "source", "value"]


def source() -> str:
    """The program the expressions are read in, without its own docstring."""
    return inspect.getsource(namespace).partition("expressions\n\n")[2]


def value(expression: str) -> Any:
    """A new value of an expression."""
    return eval(expression, dict(vars(namespace)))


@dataclass(frozen=True)
class Sample:
    """An expression, the hint of the function that returns it, and a note."""

    expression: str
    hint: str | None = None
    note: str = ""
    mime_type: str | None = None

    @property
    def said(self) -> str:
        """The note beside the expression."""
        if self.hint is not None:
            return f"`-> {self.hint}`"
        return f"as `{self.mime_type}`" if self.mime_type else ""

    def function(self) -> Callable[[], Any]:
        """A function that returns the value."""

        def given() -> Any:
            return value(self.expression)

        given.__annotations__ = {} if self.hint is None else {"return": value(self.hint)}
        return given


DATA = [
    '"sunny"',
    "42",
    "2**70",
    "21.5",
    'float("nan")',
    "True",
    "None",
    'Decimal("12.30")',
    "Fraction(1, 3)",
    "datetime(2026, 7, 28, 12, 30, tzinfo=UTC)",
    "datetime(2026, 7, 28, 12, 30)",
    "date(2026, 7, 28)",
    "timedelta(hours=1, seconds=5)",
    'UUID("12345678-1234-5678-1234-567812345678")',
    "Sky.CLEAR",
    'Path("reports/may.csv")',
    'IPv4Address("127.0.0.1")',
    'ZoneInfo("Europe/Oslo")',
    're.compile("oslo", re.IGNORECASE)',
    "1 + 2j",
    'b"\\x89PNG"',
    "(1, 2)",
    '{"b", "a"}',
    "deque([1, 2])",
    "range(3)",
    "{1: 'one'}",
    "Point(1, 2)",
    'Forecast("Oslo", 21.5, 12.0)',
    'Person(name="Ada", born=date(1815, 12, 10))',
    "Reading(4, None)",
    'Plant("fern")',
    "numpy.array([[1, 2], [3, 4]])",
    "numpy.float32(0.5)",
    'pandas.DataFrame({"city": ["Oslo"], "high": [21.5]})',
    'polars.DataFrame({"city": ["Oslo"], "high": [21.5]})',
    'polars.LazyFrame({"city": ["Oslo"], "high": [21.5]})',
    "Engine()",
    "object()",
    '"\\ud800"',
]

TABLES = [
    "WEATHER",
    "WEATHER[WEATHER.high > 5]",
    'WEATHER.set_index("city")',
    'WEATHER.groupby("city").max()',
    'WEATHER.groupby(["city", "day"]).max()',
    'WEATHER.groupby("city").agg({"high": ["min", "max"]})',
    'WEATHER.pivot_table(index="day", columns="city", values="high")',
    'WEATHER.pivot_table(index="day", columns="city", values=["high"])',
    'WEATHER.groupby("city").agg(city=("high", "size"))',
    "WEATHER.high",
    "WEATHER.iloc[0]",
    "WEATHER.city.value_counts()",
    "WEATHER.high[WEATHER.high > 5]",
    "WEATHER.columns",
    'pandas.Timestamp("2026-07-28 12:30", tz="UTC")',
    'pandas.Period("2026Q3")',
    "pandas.Interval(0, 5)",
    "pandas.NA",
    'numpy.datetime64("2026-07-28")',
    'pandas.DataFrame([[1, 2]], columns=["a", "a"])',
    'numpy.array([(1, "a")], dtype=[("n", "i4"), ("s", "U3")])',
]

ITERABLES = [
    "(city for city in WEATHER.city)",
    '{"city": "Oslo"}.keys()',
    'ChainMap({"city": "Oslo"}, {"high": 21.5})',
    'SimpleCookie("city=Oslo")',
    'message_from_string("To: ada@example.com\\n\\nHigh: 21.5")',
    'ElementTree.fromstring("<city>Oslo</city>")',
    'networkx.DiGraph([("Oslo", "Bergen")])',
]

TOOLS = [
    Sample('"sunny"', "str"),
    Sample("42", "int"),
    Sample("42", note="The last one again, without a hint."),
    Sample("None", "None"),
    Sample('{"high": 21.5}', "dict"),
    Sample("{}", "dict"),
    Sample('Forecast("Oslo", 21.5, 12.0)', "Forecast"),
    Sample('[Forecast("Oslo", 21.5, 12.0), Forecast("Rome", 31.0, 22.5)]', "list[Forecast]"),
    Sample('["first", "second"]'),
    Sample('[["a", 1], ["b", 2]]'),
    Sample("[]", "list[Forecast]"),
    Sample(
        'Pods(items=[Pod("web", 2), Pod("db", 1)], next_page=None)',
        "Pods",
        note="An object with a list of named entries, a key of two words, and a `None`.",
    ),
    Sample('("2 pods", {"pods": 2})', note="A pair whose second part is an object."),
    Sample(
        '{"content": [{"type": "text", "text": "no such city"}], "isError": True}',
        note="A dict that has only the keys of a result.",
    ),
    Sample('b"\\x89PNG\\r\\n\\x1a\\n"', "bytes"),
    Sample('b"\\x00\\x01"', "bytes"),
    Sample("Image(data=PNG)"),
    Sample("Audio(data=WAV)"),
    Sample('File(data=b"city,high\\nOslo,4\\n", name="may.csv")'),
    Sample('["a chart", Image(data=PNG)]'),
    Sample('ToolResult("2 pods", {"pods": 2})'),
    Sample('ToolResult("see there").add_link("k8s://pods/web", mime_type="text/yaml")'),
    Sample('structured({"pods": 2})'),
    Sample('full("There are 2 pods.", {"pods": 2})'),
    Sample('text("There are 2 pods.")'),
    Sample('{"high": float("nan")}', "dict"),
    Sample("Engine()"),
]

HINTS = [
    "None",
    "str",
    "int",
    "dict",
    "dict[str, float]",
    "list",
    "list[int]",
    "Forecast",
    "Person",
    "Reading",
    "Weather",
    "Point",
    "list[Forecast]",
    "Forecast | None",
    "dict[str, Forecast]",
    "Image",
]

RESOURCES = [
    Sample('"# May"'),
    Sample('"# May"', mime_type="text/markdown"),
    Sample('{"high": 21.5}'),
    Sample('Forecast("Oslo", 21.5, 12.0)'),
    Sample('b"\\x89PNG\\r\\n\\x1a\\n"'),
    Sample("Image(data=PNG)"),
    Sample('File(data=b"city,high\\nOslo,4\\n", name="may.csv")'),
    Sample("None"),
    Sample('ResourceResult().add_text("first", title="One").add_bytes(b"\\x00", uri="memo://2")'),
]

PROMPTS = [
    Sample('"Report the weather."'),
    Sample('["Report the weather.", "In rhyme."]'),
    Sample('("Here it is.", "assistant")'),
    Sample('("assistant", "Here it is.")'),
    Sample('{"high": 21.5}'),
    Sample('PromptResult().add_text("What is this?").add_image(data=PNG)'),
    Sample("PromptResult().add_audio(data=WAV)"),
]
