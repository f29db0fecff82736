"""Whatever hint a parameter has: what its listed schema allows arrives as that hint, what it forbids is refused.

The hints are generated. The arguments are made from the schema in tools/list, and judged by a validator that is not
ours. Nothing is an incident, and nothing takes long.
"""

import faulthandler
import gc
import json
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations, islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import independent
from plainmcp import Policy, Server
from plainmcp.revisions import LATEST
from property import from_schema
from property.generated import LEAVES_AND_FIXED, examples, heard, kinds
from property.kinds import Kind
from property.telling import parsed
from speaking import answer, message

# Of a regular expression that will mean something else in a later Python.
pytestmark = pytest.mark.filterwarnings("ignore:Possible :FutureWarning")

SECONDS = 1.0
SECONDS_AT_MOST = 60
PLACE = re.compile(r"it\b.*: ")
AS_IT_IS = Policy.standard.replace(non_object="raw", pair="never")
MISSING = object()


def is_taken(kind: Kind) -> bool:
    """Whether a hint may be that of a parameter: not if only pydantic could read one part, and it cannot another."""
    return kind.taken and (kind.by_pydantic or not kind.of_pydantic)


class Offered:
    """A strict server and a lenient one with a tool that takes an argument of this hint, and what is listed of it."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.arrived: Any = MISSING
        self.refusal: str | None = None
        self.returned: Any = None

        def take(it: Any) -> str:
            self.arrived = it
            return "taken"

        def give() -> Any:
            return self.returned

        take.__annotations__["it"] = give.__annotations__["return"] = kind.hint
        self.servers = {"strict": Server("strict", lenient_arguments=False), "lenient": Server("lenient")}
        for server in self.servers.values():
            server.tool(take)
        [tool] = answer(self.servers["strict"], LATEST.name, "tools/list")["result"]["tools"]
        self.schema: dict[str, Any] = tool["inputSchema"]
        if kind.symmetric:
            self.servers["lenient"].tool(give, policy=AS_IT_IS)

    def give(self, value: Any) -> Any:
        """What a tool with this hint sends for a value."""
        self.returned = value
        result = answer(self.servers["lenient"], LATEST.name, "tools/call", {"name": "give"})["result"]
        return result.get("structuredContent")

    def take(self, way: str, argument: Any) -> bool:
        """Whether a tool takes an argument; if not, `refusal` is what the model is told."""
        self.arrived = MISSING
        params = {"name": "take", "arguments": {"it": argument}}
        with heard() as logged, bounded(f"{str(argument)[:99]!r} for {self.kind}"):
            raw = self.servers[way].handle(message(LATEST.name, "tools/call", params), revision=LATEST.name)
        assert raw is not None
        answered = parsed(raw)
        assert "result" in answered, answered
        said = " ".join(block["text"] for block in answered["result"]["content"])
        assert "incident" not in said, "\n".join(logged)
        self.refusal = said if answered["result"].get("isError") else None
        return self.refusal is None


@contextmanager
def bounded(what: str) -> Iterator[None]:
    """Fail if something takes long; where it seems to take for ever, nothing but the end of the process helps."""
    faulthandler.dump_traceback_later(SECONDS_AT_MOST, exit=True, file=sys.__stderr__)
    gc.disable()  # to look through the classes of thousands of hints takes a second by itself
    began = time.process_time()
    try:
        yield
        took = time.process_time() - began
    finally:
        gc.enable()
        faulthandler.cancel_dump_traceback_later()
    assert took < SECONDS, f"{took:.1f} s for {what}"


# One argument -------------------------------------------------------------------------------------


def check_understood(offered: Offered, way: str, argument: Any) -> None:
    """It is taken and arrives as its hint has it, or it is refused, and each line says where."""
    if offered.take(way, argument):
        assert offered.kind.holds(offered.arrived), f"{way}: {offered.arrived!r} is not of {offered.kind}"
    else:
        lines = str(offered.refusal).split("\n")
        assert all(PLACE.match(line) or line == "and more" for line in lines), f"no path in {offered.refusal!r}"


def check_allowed(offered: Offered, way: str, argument: Any) -> None:
    """It is taken."""
    check_understood(offered, way, argument)
    if offered.kind.exact:
        allowed = f"{way}: {offered.schema['properties']} allows {json.dumps(argument)}"
        assert offered.refusal is None, f"{allowed}, and yet: {offered.refusal}"


def check_forbidden(offered: Offered, argument: Any) -> None:
    """A strict server refuses it; a lenient one may take it for something that fits."""
    check_understood(offered, "lenient", argument)
    check_understood(offered, "strict", argument)
    forbidden = f"{offered.schema['properties']} forbids {json.dumps(argument)}"
    assert offered.refusal is not None, f"{forbidden}, and yet it was taken as {offered.arrived!r}"


def check_argument(offered: Offered, argument: Any) -> None:
    """All there is to check of one argument."""
    if independent.allows(offered.schema, {"it": argument}):
        for way in offered.servers:
            check_allowed(offered, way, argument)
    elif is_forbidden(offered, argument):
        check_forbidden(offered, argument)
    else:  # Only a format is against it, which is for readers; or a null stands where nothing need be.
        for way in offered.servers:
            check_understood(offered, way, argument)


def is_forbidden(offered: Offered, argument: Any) -> bool:
    """Whether the listed schema forbids an argument, whichever of its members that are null are left out."""
    return all(independent.forbids(offered.schema, {"it": one}) for one in with_fewer_nulls(argument))


def with_fewer_nulls(data: Any) -> Iterator[Any]:
    """The same with some or all of its members that are null left out: they may be null, which is not listed."""
    places = list(islice(null_members(data, ()), MANY_NULLS))
    for count in range(len(places) + 1):
        for chosen in combinations(places, count):
            yield without(data, set(chosen), ())
    yield without(data, set(null_members(data, ())), ())


MANY_NULLS = 6  # of more than these not every selection is tried


def null_members(data: Any, place: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Where a member of an object is null."""
    parts = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in parts:
        if value is None and isinstance(data, dict):
            yield (*place, key)
        yield from null_members(value, (*place, key))


def without(data: Any, places: set[tuple[Any, ...]], place: tuple[Any, ...]) -> Any:
    """The same without what stands at these places."""
    if isinstance(data, dict):
        kept = {key: value for key, value in data.items() if (*place, key) not in places}
        return {key: without(value, places, (*place, key)) for key, value in kept.items()}
    if isinstance(data, list):
        return [without(item, places, (*place, at)) for at, item in enumerate(data)]
    return data


def check_sent(offered: Offered, value: Any) -> None:
    """What a tool sends for a value may be given to a tool, and is that value again."""
    argument = offered.give(value)
    sent = f"{json.dumps(argument)}, which is sent for {value!r}"
    assert not is_forbidden(offered, argument), f"{offered.schema['properties']} forbids {sent}"
    for way in offered.servers:
        check_allowed(offered, way, argument)
        assert offered.kind.told(offered.arrived, argument), f"{way}: {offered.arrived!r} came of {sent}"


# One hint -----------------------------------------------------------------------------------------


def check_kind(kind: Kind, data: st.DataObject, others: list[Any]) -> None:
    """All there is to check of one hint: with what its schema allows, with what is nearly that, and with others."""
    offered = Offered(kind)
    independent.check_schema(offered.schema)
    allowed = from_schema.allowed(offered.schema)
    for arguments in data.draw(st.lists(allowed, min_size=2, max_size=2), "from the schema"):
        check_argument(offered, arguments["it"])
        check_argument(offered, data.draw(from_schema.changed(arguments["it"]), "changed"))
    for argument in others:
        check_argument(offered, argument)
    if kind.symmetric:
        check_sent(offered, data.draw(kind.fits, "sent"))


@pytest.mark.parametrize("kind", [*filter(is_taken, LEAVES_AND_FIXED)], ids=str)
@examples(quick=2, long=20)
@given(data=st.data())
def test_an_argument_with_this_hint_arrives_if_the_listed_schema_allows_it(kind: Kind, data: st.DataObject) -> None:
    check_kind(kind, data, from_schema.TROUBLES)


@examples(quick=150, long=30_000)
@given(st.data())
def test_an_argument_arrives_as_hinted_if_the_listed_schema_allows_it_and_is_refused_if_not(
    data: st.DataObject,
) -> None:
    kind = data.draw(kinds.filter(is_taken), "it: ")
    check_kind(kind, data, data.draw(st.lists(from_schema.anything, min_size=2, max_size=2), "anything"))
