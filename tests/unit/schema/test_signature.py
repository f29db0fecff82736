"""What is read from a function: parameters, hints, docstring; and which functions cannot be registered."""

import functools
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from typing import Annotated, Any, Optional

import msgspec
import pytest
from pydantic import Field

from plainmcp.errors import AuthorError
from plainmcp.schema.signature import Parameter, Signature, read

EMPTY = inspect.Parameter.empty


class Context:
    """Stands for the context a handler may ask for."""


class Special(Context):
    pass


def reading(function: Any, title_from: str = "explicit") -> Signature:
    return read(function, context_type=Context, title_from=title_from)


def names(function: Any) -> list[str]:
    return [parameter.name for parameter in reading(function).parameters]


def only(function: Any) -> Parameter:
    [parameter] = reading(function).parameters
    return parameter


# Parameters -------------------------------------------------------------------------------------


def test_parameters_come_in_order_with_their_hints_and_defaults():
    """S003-15, S003-19"""

    def forecast(city: str, days: int = 3, unit=None, *, exact: bool = False): ...

    found = reading(forecast)
    assert found.name == "forecast"
    assert found.parameters == (
        Parameter("city", str, True),
        Parameter("days", int, False, 3),
        Parameter("unit", Any, False, None),
        Parameter("exact", bool, False, False),
    )
    assert found.parameters[0].default is EMPTY


def test_a_function_without_parameters_has_none():
    def ping(): ...

    assert reading(ping) == Signature(name="ping")


def test_hints_written_as_text_are_resolved():
    def forecast(city: "str", days: "int | None" = None) -> "list[Special]": ...

    found = reading(forecast)
    assert [one.annotation for one in found.parameters] == [str, int | None]
    assert found.returns == list[Special]


def test_a_hint_that_cannot_be_resolved_is_named():
    def forecast(city: "Citty"): ...  # noqa: F821

    def place() -> "Playce": ...  # noqa: F821

    with pytest.raises(AuthorError, match=r"forecast: the hint of city, 'Citty', cannot be resolved"):
        reading(forecast)
    with pytest.raises(AuthorError, match=r"place: the return hint, 'Playce', cannot be resolved"):
        reading(place)


def test_positional_only_parameters_are_refused_with_the_reason():
    def forecast(city, /, days): ...

    with pytest.raises(AuthorError, match="city is positional-only, and arguments have names; drop the /"):
        reading(forecast)


def test_star_args_are_refused_with_what_to_do():
    def forecast(*cities): ...

    with pytest.raises(AuthorError, match=r"\*cities has no names to give arguments by; take a list instead"):
        reading(forecast)


def test_star_star_kwargs_make_a_function_open():
    def forecast(city: str, **others: Any): ...

    found = reading(forecast)
    assert found.open
    assert [one.name for one in found.parameters] == ["city"]
    assert not reading(lambda city: city).open


# The context ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "hint",
    [
        Context,
        "Context",
        Special,
        Context | None,
        Optional[Context],  # noqa: UP045
        Annotated[Context, "injected"],
        Annotated[Context | None, 1],
    ],
)
def test_a_parameter_that_takes_the_context_is_no_argument(hint):
    def forecast(city: str, ctx=None): ...

    forecast.__annotations__["ctx"] = hint
    found = reading(forecast)
    assert found.context == "ctx"
    assert [one.name for one in found.parameters] == ["city"]
    assert "ctx" in found.reserved


def test_the_context_may_come_only_once():
    def forecast(first: Context, second: Context): ...

    with pytest.raises(AuthorError, match="forecast takes the context twice: first and second"):
        reading(forecast)


def test_any_is_not_the_context():
    def forecast(ctx, other: Any): ...

    assert reading(forecast).context is None


# Kinds of functions -----------------------------------------------------------------------------


class Station:
    """A station that measures."""

    def measure(self, city: str) -> float:
        """Measure."""
        return 0.0

    @staticmethod
    def average(values: list[float]) -> float: ...

    @classmethod
    def nearest(cls, city: str) -> "Station": ...

    def __call__(self, city: str) -> float: ...


class AsyncStation:
    async def __call__(self, city: str) -> float:
        """Measure in your own time."""
        return 0.0


def test_a_bound_method_has_no_self():
    assert names(Station().measure) == ["city"]
    assert reading(Station().measure).name == "measure"


def test_a_method_without_its_object_is_refused():
    with pytest.raises(AuthorError, match="measure is a method without its object; give the bound one"):
        reading(Station.measure)


def test_static_and_class_methods_are_functions():
    assert names(Station.average) == ["values"]
    assert names(vars(Station)["average"]) == ["values"]
    assert names(Station.nearest) == ["city"]
    with pytest.raises(AuthorError, match="cannot be called as it is"):
        reading(vars(Station)["nearest"])


def test_a_callable_object_is_read_by_its_call_and_described_by_its_class():
    found = reading(Station())
    assert (found.name, found.description, found.is_async) == ("Station", "A station that measures.", False)
    assert [one.name for one in found.parameters] == ["city"]
    found = reading(AsyncStation())
    assert (found.description, found.is_async) == ("Measure in your own time.", True)


def test_a_class_is_no_function():
    with pytest.raises(AuthorError, match="Station is a class; give a function"):
        reading(Station)


@pytest.mark.parametrize("thing", [3, "forecast", None])
def test_what_cannot_be_called_is_refused(thing):
    with pytest.raises(AuthorError, match="cannot be called"):
        reading(thing)


def test_a_builtin_that_does_not_tell_its_parameters_is_refused():
    with pytest.raises(AuthorError, match=r"does not tell its parameters|positional-only"):
        reading(min)


def test_what_a_partial_has_given_is_gone_and_reserved():
    def forecast(city: str, days: int, unit: str = "c", **others: Any):
        """Forecast."""

    half = functools.partial(functools.partial(forecast, "Oslo"), unit="f")
    found = reading(half)
    assert (found.name, found.description) == ("forecast", "Forecast.")
    assert found.parameters == (Parameter("days", int, True),)
    assert found.reserved == {"city", "unit"}


def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


def test_a_wrapped_function_is_read_through_its_wrapper():
    @decorated
    @functools.lru_cache
    def forecast(city: "str", days: int = 3) -> "float":
        """Forecast."""
        return 0.0

    found = reading(forecast)
    assert found.name == "forecast"
    assert found.parameters == (Parameter("city", str, True), Parameter("days", int, False, 3))
    assert (found.returns, found.description, found.open) == (float, "Forecast.", False)


def test_a_lambda_has_no_name():
    assert reading(lambda city: city).name == ""
    assert reading(lambda city: city, "name").title is None


def test_a_coroutine_function_is_async():
    async def forecast(city: str) -> float:
        return 0.0

    assert reading(forecast).is_async
    assert reading(functools.partial(forecast, "Oslo")).is_async
    assert not reading(lambda: 1).is_async


def test_an_async_generator_is_refused_and_a_generator_is_not():
    async def stream() -> AsyncIterator[int]:
        yield 1

    def count() -> Iterator[int]:
        yield 1

    with pytest.raises(AuthorError, match="stream is an async generator; collect what it yields"):
        reading(stream)
    assert reading(count).returns == Iterator[int]


# Returns ----------------------------------------------------------------------------------------


def test_a_return_hint_is_kept_and_its_absence_too():
    def some() -> None: ...

    def nothing(): ...

    assert reading(some).returns is type(None)
    assert reading(nothing).returns is inspect.Signature.empty


def test_a_function_that_returns_an_awaitable_returns_what_it_awaits():
    def soon() -> Awaitable[int]: ...

    def later() -> Coroutine[Any, Any, str]: ...

    assert reading(soon).returns is int
    assert reading(later).returns is str


def test_a_return_may_be_described_by_its_hint_or_by_the_docstring():
    def one() -> Annotated[float, "In Celsius"]:
        """One.

        Returns:
            Something else
        """

    def two() -> float:
        """Two.

        Returns:
            In
            Celsius
        """

    assert (reading(one).returns, reading(one).returns_description) == (float, "In Celsius")
    assert reading(two).returns_description == "In Celsius"


# Descriptions -----------------------------------------------------------------------------------


def test_a_text_in_annotated_describes_and_wins_over_the_docstring():
    def forecast(city: Annotated[str, "The city"]):
        """Forecast.

        Args:
            city: Something else
        """

    assert only(forecast) == Parameter("city", str, True, description="The city")


def test_constraints_in_annotated_stay():
    meta = msgspec.Meta(min_length=1)

    def forecast(city: Annotated[str, "The city", meta]): ...

    assert only(forecast).annotation == Annotated[str, meta]
    assert only(forecast).description == "The city"


@pytest.mark.parametrize("said", [msgspec.Meta(description="The city"), Field(description="The city")])
def test_what_describes_inside_annotated_wins_over_the_docstring(said):
    def forecast(city):
        """Forecast.

        Args:
            city: Something else
        """

    forecast.__annotations__["city"] = Annotated[str, said]
    assert only(forecast).description == "The city"
    assert only(forecast).annotation == Annotated[str, said]


def test_a_field_as_default_is_a_hint_and_a_default():
    def forecast(city: str = Field(description="The city"), days: int = Field(3, ge=0)): ...

    city, days = reading(forecast).parameters
    assert (city.required, city.default, city.description, city.fill) == (True, EMPTY, "The city", None)
    assert (days.required, days.default) == (False, 3)
    assert days.fill is not None and days.fill() == 3


def test_a_field_with_a_factory_makes_a_new_default_each_time():
    def forecast(cities: list[str] = Field(default_factory=list)): ...  # noqa: B008

    fill = only(forecast).fill
    assert fill is not None
    assert fill() == [] and fill() is not fill()
    assert only(forecast).default is EMPTY and not only(forecast).required


# Docstrings -------------------------------------------------------------------------------------


def google(city, days=3):
    """Forecast for
    a city.

    Tells the weather
    of the coming days.

    Note: it may rain.

    Args:
        city: The name
            of the city
        days (int, optional): How many days

    Returns:
        float: The high

    Raises:
        ValueError: If there is no such city

    Example:
        >>> google("Oslo")
    """


def numpy(city, days=3):
    """Forecast for
    a city.

    Tells the weather
    of the coming days.

    Note: it may rain.

    Parameters
    ----------
    city : str
        The name
        of the city
    days : int, optional
        How many days

    Returns
    -------
    float
        The high

    Raises
    ------
    ValueError
        If there is no such city
    """


def sphinx(city, days=3):
    """Forecast for
    a city.

    Tells the weather
    of the coming days.

    Note: it may rain.

    :param city: The name
        of the city
    :param int days: How many days
    :returns: The high
    :raises ValueError: If there is no such city
    """


STYLES = pytest.mark.parametrize("function", [google, numpy, sphinx])


@STYLES
def test_parameter_sections_describe_parameters(function):
    """S003-18"""
    assert {one.name: one.description for one in reading(function).parameters} == {
        "city": "The name of the city",
        "days": "How many days",
    }
    assert reading(function).returns_description == "The high"


@STYLES
def test_the_description_is_the_prose_without_sections(function):
    found = reading(function)
    assert found.title is None
    assert found.description == (
        "Forecast for\na city.\n\nTells the weather\nof the coming days.\n\nNote: it may rain."
    )


@STYLES
def test_the_first_paragraph_is_the_title_where_the_policy_says_so(function):
    """S003-14, S003-16, S003-17"""
    found = reading(function, "docstring")
    assert found.title == "Forecast for a city."
    assert found.description == "Tells the weather\nof the coming days.\n\nNote: it may rain."


def test_one_line_is_a_title_without_a_description():
    def ping():
        """Are you there?"""

    found = reading(ping, "docstring")
    assert (found.title, found.description) == ("Are you there?", None)
    assert reading(ping).description == "Are you there?"


def test_no_docstring_says_nothing():
    def ping(): ...

    found = reading(ping, "docstring")
    assert (found.title, found.description) == (None, None)


@pytest.mark.parametrize(
    ("name", "title"), [("get_weather", "Get Weather"), ("_hidden", "Hidden"), ("parseJSON_v2", "ParseJSON V2")]
)
def test_the_title_may_be_the_name_in_words(name, title):
    def function(): ...

    function.__name__ = name
    assert reading(function, "name").title == title


@pytest.mark.parametrize(
    "text",
    [
        "Args:",
        "Args:\n  city The name",
        "Title\n-----\n\nParameters\n----------",
        ":param",
        "Args:\nReturns:\n",
        "::\n\n  code",
        "Returns:\n\tx\n  y: z\n",
    ],
)
def test_a_docstring_that_does_not_parse_is_never_an_error(text):
    def forecast(city): ...

    forecast.__doc__ = text
    reading(forecast)


def test_a_malformed_section_stays_in_the_prose():
    def forecast(city):
        """Forecast.

        Args:
            city The name
        """

    assert reading(forecast).description == "Forecast.\n\nArgs:\n    city The name"
