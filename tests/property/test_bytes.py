"""Any bytes give an answer or silence, and every answer is one the revision allows: nothing ever raises."""

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import official
from plainmcp import Server
from plainmcp.transports.connection import Connection
from property.offering import everything, requests
from speaking import ALL, HANDSHAKE, META, initialize

SERVER = everything()
revisions = st.sampled_from(ALL)


@pytest.fixture(autouse=True, scope="module")
def quiet() -> Iterator[None]:
    """What goes wrong here goes wrong on purpose."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


# What is sent -------------------------------------------------------------------------------------

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
WORDS = [
    "jsonrpc",
    "id",
    "method",
    "params",
    "result",
    "error",
    "_meta",
    "name",
    "arguments",
    "uri",
    "cursor",
    "code",
]
METHODS = sorted({one["method"] for name in ALL for one in requests(name)})
messages = st.dictionaries(
    st.sampled_from(WORDS) | st.text(max_size=5),
    st.just("2.0") | st.sampled_from(METHODS) | values,
    max_size=6,
)
ids = st.sampled_from([1, "a", 2**70, 1.5, -0.0, "", None, True, [], {}, "\u2028", "\x00"])


def written(data: Any) -> bytes:
    return json.dumps(data).encode()


def places(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a message where something can go wrong."""
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [path, *(place for key, value in inside for place in places(value, (*path, key)))]


def changed(data: Any, path: tuple[Any, ...], change: Any) -> Any:
    """The message with another value in one place; `change` None takes the place away."""
    if not path:
        return None if change is None else change[0]
    copy = dict(data) if isinstance(data, dict) else list(data)
    if len(path) > 1:
        copy[path[0]] = changed(data[path[0]], path[1:], change)
    elif change is None:
        del copy[path[0]]
    else:
        copy[path[0]] = change[0]
    return copy


@st.composite
def almost_valid(draw: st.DrawFn, revision: str) -> bytes:
    """A valid request with something changed, taken away, added, or with bytes that were hit on the way."""
    said: Any = draw(st.sampled_from(requests(revision)))
    for _ in range(draw(st.integers(0, 3))):
        path = draw(st.sampled_from(places(said)[1:] or [()]))
        said = changed(said, path, draw(st.none() | st.tuples(values)))
        if not isinstance(said, dict):
            break
    if isinstance(said, dict) and draw(st.booleans()):
        said = said | {"id": draw(ids)}
    raw = bytearray(written([said] if draw(st.integers(0, 9)) == 0 else said))
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
        at = draw(st.integers(0, len(raw)))
        raw[at : at + draw(st.integers(0, 2))] = draw(st.binary(max_size=2))
    return bytes(raw)


exchanges = revisions.flatmap(lambda revision: st.tuples(st.just(revision), almost_valid(revision)))
conversations = revisions.flatmap(
    lambda revision: st.tuples(st.just(revision), st.lists(almost_valid(revision) | st.binary(), max_size=4))
)


# What may come back -------------------------------------------------------------------------------


def judge(raw: Any, said: bytes, *spoken: str) -> None:
    """Fail unless this is silence, or a valid answer to that on one of the revisions it may be in."""
    if raw is None:
        return
    assert isinstance(raw, bytes) and b"\n" not in raw
    answers = official.decoded(raw)
    assert answers != []
    try:
        asked = json.loads(said)
    except ValueError:
        asked = None
    for answer in answers if isinstance(answers, list) else [answers]:
        method = asked.get("method") if isinstance(asked, dict) and "result" in answer else None
        failures = []
        for revision in dict.fromkeys([*spoken, *(["2026-07-28"] if META.encode() in said else [])]):
            try:
                official.check_answer(revision, json.dumps(answer).encode(), method)
                break
            except AssertionError as failure:
                failures.append(failure)
        else:
            raise failures[0]


def handled(said: Any, revision: str) -> None:
    raw = SERVER.handle(said, revision=revision)
    judge(raw, said if isinstance(said, bytes) else written(said), revision)


class Hearing:
    """A connection, shaken hands on; what comes over it is judged, what is asked is left unanswered."""

    def __init__(self, revision: str, server: Server = SERVER) -> None:
        self.revision = revision
        self._connection = Connection(server, self._hear, ask_seconds=0.001)
        if revision in HANDSHAKE:
            self._connection.handle(initialize(revision, elicitation={}, roots={}))
            self._connection.handle({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def say(self, said: bytes) -> None:
        judge(self._connection.handle(said), said, self.revision, "2025-11-25")

    def close(self) -> None:
        self._connection.close()

    def _hear(self, raw: bytes) -> None:
        if "method" not in json.loads(raw):
            return official.check_answer("2026-07-28", raw, "subscriptions/listen")
        failures = []
        for revision in (self.revision, "2026-07-28"):
            try:
                return official.check_sent(revision, raw)
            except AssertionError as failure:
                failures.append(failure)
        raise failures[0]


# The tests ------------------------------------------------------------------------------------------


@given(st.binary() | st.text(), revisions)
def test_any_bytes_are_answered_or_not_and_nothing_raises(said: bytes | str, revision: str) -> None:
    judge(SERVER.handle(said, revision=revision), b"" if isinstance(said, str) else said, revision)
    judge(SERVER.connect().handle(said), b"", "2025-11-25")


@given(values | messages | st.lists(messages, max_size=3), revisions)
def test_any_json_is_answered_or_not_and_nothing_raises(said: Any, revision: str) -> None:
    handled(written(said), revision)
    line = Hearing(revision)
    line.say(written(said))
    line.close()


@given(exchanges)
def test_almost_valid_messages_get_valid_answers(exchange: tuple[str, bytes]) -> None:
    revision, said = exchange
    handled(said, revision)


@given(conversations)
def test_no_message_does_lasting_harm_to_a_connection(conversation: tuple[str, list[bytes]]) -> None:
    revision, said = conversation
    line = Hearing(revision)
    for one in said:
        line.say(one)
    last = requests(revision)[-1] | {"id": "the last one"}
    raw = line._connection.handle(last)
    assert raw is not None and json.loads(raw)["id"] == "the last one" and "result" in json.loads(raw)
    line.close()


@given(values | st.binary() | st.sets(st.integers()) | st.builds(object))
def test_whatever_python_hands_over_is_answered_or_not(said: Any) -> None:
    judge(SERVER.handle(said), b"", "2025-11-25")


@pytest.mark.parametrize("revision", ALL)
def test_every_valid_request_gets_a_valid_answer(revision: str) -> None:
    """R*-STDIO-01: on one line, valid by the official schema.json of the revision and by the SDK where it speaks."""
    line = Hearing(revision)
    for one in requests(revision):
        if one["method"] != "subscriptions/listen":
            handled(one, revision)
        if one["method"] != "initialize":
            line.say(written(one))
    line.close()


# What a client must never, or always, see -----------------------------------------------------------


def seen(revision: str, *said: Any) -> list[Any]:
    """Everything a client is sent when it asks for all there is: results, errors, notifications, questions."""
    server, heard = everything(), []
    line = Connection(server, lambda raw: heard.append(json.loads(raw)), ask_seconds=0.001)
    if revision in HANDSHAKE:
        line.handle(initialize(revision, elicitation={}, roots={}, sampling={}))
        line.handle({"jsonrpc": "2.0", "method": "notifications/initialized"})
        line.handle({"jsonrpc": "2.0", "id": 0, "method": "logging/setLevel", "params": {"level": "debug"}})
    for n, one in enumerate([*requests(revision), *said]):
        raw = line.handle(one | {"id": n})
        while raw is not None:
            heard.append(json.loads(raw))
            cursor = heard[-1].get("result", {}).get("nextCursor")
            more = one | {"id": n, "params": one["params"] | {"cursor": cursor}}
            raw = None if cursor is None else line.handle(more)
    server.tool(name="another")(lambda: None)
    server.resource_updated("memo://1")
    line.close()
    return heard


def keys(data: Any, path: str = "$") -> Iterator[tuple[str, str, Any]]:
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in inside:
        yield path, str(key), value
        yield from keys(value, f"{path}.{key}")


def own(path: str) -> bool:
    """Whether a place is inside a schema, where every word is the author's own."""
    return "inputSchema" in path or "requestedSchema" in path


def test_a_2024_11_05_client_never_sees_title_output_schema_structured_content_audio_or_resource_link() -> None:
    """R24-VER-06."""
    heard = seen("2024-11-05")
    assert len(heard) > 25
    for path, key, value in keys(heard):
        if own(path):
            continue
        assert key not in ("title", "outputSchema", "structuredContent", "icons", "annotations_title"), (
            f"{path}.{key}"
        )
        assert key not in ("resultType", "ttlMs", "cacheScope", "lastModified", "websiteUrl"), f"{path}.{key}"
        assert (key, value) not in (("type", "audio"), ("type", "resource_link")), f"{path}.{key}"
        assert key != "_meta" or path.endswith(".result"), f"{path}.{key}"


def test_a_2025_03_26_client_never_sees_title_output_schema_structured_content_or_resource_link() -> None:
    """R2503-VER-06."""
    for path, key, value in keys(seen("2025-03-26")):
        if own(path):
            continue
        assert key != "title" or path.endswith(".annotations"), f"{path}.{key}"
        assert key not in ("outputSchema", "structuredContent", "icons", "resultType", "ttlMs", "lastModified")
        assert (key, value) != ("type", "resource_link"), f"{path}.{key}"


@pytest.mark.parametrize("revision", ["2025-06-18", "2025-11-25"])
def test_a_client_between_sees_structured_content_as_objects_only(revision: str) -> None:
    """R2506-VER-06, R2511-VER-06."""
    found = list(keys(seen(revision)))
    for path, key, value in found:
        if not own(path):
            assert key not in ("resultType", "ttlMs", "cacheScope"), f"{path}.{key}"
            assert key != "icons" or revision == "2025-11-25", f"{path}.{key}"
        assert key != "structuredContent" or isinstance(value, dict)
        assert key != "outputSchema" or value["type"] == "object"
    assert {key for _, key, _ in found} >= {"structuredContent", "outputSchema", "title"}


def test_a_2026_07_28_client_never_lacks_result_type() -> None:
    """R26-BASE-12, R26-META-07, R26-BASE-23."""
    heard = seen("2026-07-28")
    results = [one["result"] for one in heard if "result" in one]
    assert len(results) > 20
    for result in results:
        assert result["resultType"] in ("complete", "input_required")
        assert result["_meta"][f"{META}serverInfo"]["name"] == "everything"
    assert {result["resultType"] for result in results} == {"complete", "input_required"}
    assert not [one for one in heard if "method" in one and "id" in one], "a modern client is never asked"
