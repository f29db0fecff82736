"""What a handler can know and ask while it runs."""

import time
from enum import Enum
from typing import Any, Literal

import pytest

from plainmcp import Context, Server
from plainmcp.errors import AuthorError
from speaking import ALL, HANDSHAKE, META, answer, client, modern

every_revision = pytest.mark.parametrize("revision", ALL)
CAN_ASK = [name for name in ALL if name not in ("2024-11-05", "2025-03-26")]


@every_revision
@pytest.mark.parametrize("is_async", [False, True])
def test_a_call_takes_no_longer_than_it_may(revision: str, is_async: bool) -> None:
    """R2503-VER-09, R2506-VER-09, R2511-VER-09, R26-VER-09: per tool or for all, progress or not."""
    server = Server("s", timeout=0.05)

    if is_async:

        @server.tool
        async def slow(context: Context) -> str:
            import asyncio

            for n in range(20):
                context.progress(n)
                await asyncio.sleep(0.02)
            return "done"
    else:

        @server.tool
        def slow(context: Context) -> str:
            for n in range(20):
                context.progress(n)
                time.sleep(0.02)
            return "done"

    @server.tool(timeout=None)
    def patient() -> str:
        time.sleep(0.07)
        return "done"

    began = time.monotonic()
    found = answer(server, revision, "tools/call", {"name": "slow", "arguments": {}, "_meta": {"progressToken": 1}})
    assert found["result"]["isError"] is True and "0.05 seconds" in found["result"]["content"][0]["text"]
    assert time.monotonic() - began < 0.3
    assert "isError" not in answer(server, revision, "tools/call", {"name": "patient"})["result"]


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_tools_are_offered_to_a_model_only_if_the_client_can(revision: str) -> None:
    """R2511-SAMP-01, R26-SAMP-01."""
    server = Server("s")

    @server.tool
    def think(context: Context) -> str:
        return str(context.sample("Hi", tools=[{"name": "t", "inputSchema": {"type": "object"}}])["content"]["text"])

    said: list[Any] = []

    def reply(params: dict[str, Any]) -> Any:
        said.append(params)
        return {"role": "assistant", "model": "m", "content": {"type": "text", "text": "hello"}}

    able = client(
        server, revision, answers={"sampling/createMessage": reply}, capabilities={"sampling": {"tools": {}}}
    )
    assert able.call("think")["content"][0]["text"] == "hello"
    assert said[0]["tools"][0]["name"] == "t"
    said.clear()
    if revision == "2026-07-28":
        params = {"name": "think", "_meta": modern(sampling={})}
        assert answer(server, revision, "tools/call", params)["error"]["code"] == -32021
    else:
        unable = client(server, revision, answers={"sampling/createMessage": reply}, capabilities={"sampling": {}})
        assert unable.call("think")["isError"] is True
    assert said == []


@every_revision
def test_nobody_s_context_is_asked_for(revision: str) -> None:
    """R2511-SAMP-02, R26-SAMP-02, R*-SAMP-04."""
    server, said = Server("s"), []

    @server.tool
    def think(context: Context) -> str:
        return str(context.sample("Hi")["content"]["text"])

    def reply(params: dict[str, Any]) -> Any:
        said.append(params)
        return {"role": "assistant", "model": "m", "content": {"type": "text", "text": "hello"}}

    client(server, revision, answers={"sampling/createMessage": reply}).call("think")
    assert len(said) == 1 and said[0].get("includeContext", "none") == "none"


@pytest.mark.parametrize("revision", CAN_ASK)
def test_an_answer_is_checked_against_the_form_however_it_was_described(revision: str) -> None:
    """R2506-ELIC-03, R2511-ELIC-03, R26-ELIC-03."""
    server = Server("s")
    form = {"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"]}

    @server.tool
    def ask(context: Context) -> str:
        return str(context.elicit("How old?", form).data)

    def reply(content: Any) -> Any:
        answers = {"elicitation/create": lambda params: {"action": "accept", "content": content}}
        return client(server, revision, answers=answers).call("ask")

    assert reply({"age": 36})["content"][0]["text"] == "{'age': 36}"
    if revision in HANDSHAKE:
        assert reply({"age": "old"})["isError"] is True
    else:
        params = {"name": "ask", "inputResponses": {"elicit_1": {"action": "accept", "content": {"age": "old"}}}}
        found = answer(server, revision, "tools/call", params | {"_meta": modern(elicitation={})})
        assert found["result"]["resultType"] == "input_required", "it is asked again"


@pytest.mark.parametrize("revision", CAN_ASK)
def test_a_user_may_say_no(revision: str) -> None:
    """R2506-ELIC-08, R2511-ELIC-08, R26-ELIC-08."""
    server = Server("s")

    @server.tool
    def ask(context: Context) -> str:
        answer = context.elicit("Sure?", {"type": "object", "properties": {}})
        return f"{answer.action} {answer.accepted} {answer.data}"

    for action in ("decline", "cancel"):
        answers = {"elicitation/create": lambda params, action=action: {"action": action}}
        assert client(server, revision, answers=answers).call("ask")["content"][0]["text"] == f"{action} False None"


def test_a_question_keeps_its_name_however_often_the_handler_is_run() -> None:
    """R26-MRTR-04, R26-MRTR-03: and every answer so far is in the state, not with us."""
    server, ran = Server("s"), []

    @server.tool
    async def ask(context: Context) -> str:
        ran.append(1)
        given = []
        for n in range(3):
            form = {"type": "object", "properties": {"n": {"type": "integer"}}}
            given.append((await context.elicit(f"Number {n}?", form)).data["n"])
        return str(given)

    asked: list[str] = []

    def reply(params: dict[str, Any]) -> Any:
        asked.append(params["message"])
        return {"action": "accept", "content": {"n": len(asked)}}

    found = client(server, "2026-07-28", answers={"elicitation/create": reply}).call("ask")
    assert found["content"][0]["text"] == "[1, 2, 3]"
    assert asked == ["Number 0?", "Number 1?", "Number 2?"] and len(ran) == 4


def test_a_state_is_good_on_every_replica_that_has_the_key_and_on_no_other() -> None:
    """R26-MRTR-06, R26-BASE-20, R26-BASE-21."""

    def made(key: bytes | None, name: str = "s") -> Server:
        server = Server(name, key=key)

        @server.tool
        def ask(context: Context) -> str:
            return str(context.elicit("?", {"type": "object", "properties": {"n": {"type": "string"}}}).data)

        return server

    meta = modern(elicitation={})
    params = {"name": "ask", "arguments": {}, "_meta": meta}
    state = answer(made(b"k" * 32), "2026-07-28", "tools/call", params)["result"]["requestState"]
    again = params | {
        "requestState": state,
        "inputResponses": {"elicit_1": {"action": "accept", "content": {"n": "x"}}},
    }
    assert "result" in answer(made(b"k" * 32), "2026-07-28", "tools/call", again)
    for other in (b"x" * 32, None):
        assert answer(made(other), "2026-07-28", "tools/call", again)["error"]["code"] == -32602
    elsewhere = answer(made(b"k" * 32, "another"), "2026-07-28", "tools/call", again)
    assert elsewhere["error"] == {"code": -32602, "message": "requestState belongs to another request"}


def test_with_a_state_only_answers_to_what_was_asked_count() -> None:
    server = Server("s")

    @server.tool
    def ask(context: Context) -> str:
        form = {"type": "object", "properties": {"n": {"type": "string"}}}
        first = context.elicit("First?", form, key="first").data
        return f"{first} {context.elicit('Second?', form, key='second').data}"

    def accept(text: str) -> dict[str, Any]:
        return {"action": "accept", "content": {"n": text}}

    params: dict[str, Any] = {"name": "ask", "arguments": {}, "_meta": modern(elicitation={})}
    asked = answer(server, "2026-07-28", "tools/call", params)["result"]
    params |= {"requestState": asked["requestState"]}
    early = params | {"inputResponses": {"first": accept("a"), "second": accept("early")}}
    asked = answer(server, "2026-07-28", "tools/call", early)["result"]
    assert list(asked["inputRequests"]) == ["second"]
    params |= {"requestState": asked["requestState"], "inputResponses": {"first": accept("x"), "second": accept("b")}}
    done = answer(server, "2026-07-28", "tools/call", params)["result"]
    assert done["content"][0]["text"] == "{'n': 'a'} {'n': 'b'}"


@every_revision
def test_log_messages_of_no_known_level_are_the_author_s_mistake(revision: str) -> None:
    """R*-LOG-04."""
    server, caught = Server("s"), []

    @server.tool
    def chatty(context: Context) -> str:
        try:
            context.log("loud", "x")
        except AuthorError as error:
            caught.append(str(error))
        return "done"

    client(server, revision, log_level="debug").call("chatty")
    assert caught and "loud" in caught[0]


@every_revision
def test_a_handler_knows_who_asks_and_in_which_words(revision: str) -> None:
    """R26-META-08, R26-BASE-18."""
    server = Server("s")

    @server.tool
    def facts(context: Context) -> list[Any]:
        return [context.revision, context.client_name, context.principal, sorted(context.capabilities), context.meta]

    line = client(server, revision, principal="ada", capabilities={"roots": {}})
    found = line.request("tools/call", {"name": "facts", "arguments": {}, "_meta": {"example.com/a": 1}})
    text = "".join(block["text"] for block in found["content"])
    for wanted in (revision, "plainmcp-testing", "ada", "roots", "example.com/a"):
        assert wanted in text


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_what_cannot_be_written_is_not_sent(revision: str, caplog: pytest.LogCaptureFixture) -> None:
    """R*-LOG-06: a log message nobody can write is the author's log line, and the call goes on."""
    server = Server("s")

    @server.tool
    def chatty(context: Context) -> str:
        context.error(object())
        context.error("\ud800")
        context.error(nest(130))
        context.error(nest(5_000))
        context.error({"fine": True})
        return "done"

    line = client(server, revision)
    assert line.call("chatty")["content"][0]["text"] == "done"
    assert [said["params"]["data"] for said in line.notifications] == [{"fine": True}]
    assert META not in caplog.text


def nest(levels: int) -> Any:
    value: Any = 0
    for _ in range(levels):
        value = [value]
    return value


@every_revision
@pytest.mark.parametrize("levels", [130, 5_000])
def test_a_question_that_nests_too_deep_is_the_authors_mistake(
    revision: str, levels: int, caplog: pytest.LogCaptureFixture
) -> None:
    server = Server("s")

    @server.tool
    def ask(context: Context) -> str:
        context.sample([{"role": "user", "content": {"type": "text", "text": "?", "_meta": {"x": nest(levels)}}}])
        return "done"

    line = client(server, revision, capabilities={"sampling": {}})
    assert "incident" in line.call("ask")["content"][0]["text"]
    assert "the question 'sample_1' nests more than 128 levels deep" in caplog.text


@pytest.mark.slow
@every_revision
@pytest.mark.parametrize("total", [3_000, None])
@pytest.mark.parametrize("fails", [False, True])
def test_progress_nobody_could_follow_is_told_in_part_and_its_last_step_always(
    revision: str, total: int | None, fails: bool
) -> None:
    """R*-PROG-04"""
    clock = [0.0]
    server = Server("s", now=lambda: clock[0])

    @server.tool
    def hasty(context: Context) -> str:
        for done in range(1, 3_001):
            clock[0] += 0.001
            context.progress(done, total)
        if fails:
            raise ValueError("no")
        return "done"

    line = client(server, revision)
    line.request("tools/call", {"name": "hasty", "arguments": {}, "_meta": {"progressToken": "p"}})
    told = [said["params"]["progress"] for said in line.notifications]
    assert told[:1_000] == list(range(1, 1_001)) and told == sorted(set(told)) and told[-1] == 3_000
    assert 1_290 <= len(told) <= 1_310  # a thousand at once, and a hundred in each of three seconds


@every_revision
def test_log_messages_nobody_could_read_are_counted_instead_and_errors_never(revision: str) -> None:
    """R*-LOG-06"""
    clock = [0.0]
    server = Server("s", now=lambda: clock[0])

    @server.tool
    def chatty(context: Context) -> str:
        for number in range(1_500):
            context.warning(number)
        context.progress(1, 2)  # which keeps a pace of its own
        context.error("at last")
        clock[0] += 0.01
        for number in range(3):
            context.warning(number)
        clock[0] -= 1
        context.warning("a clock that goes backwards")
        return "done"

    line = client(server, revision, log_level="warning")
    line.request("tools/call", {"name": "chatty", "arguments": {}, "_meta": {"progressToken": "p"}})
    told = [(said["params"].get("level"), said["params"].get("data")) for said in line.notifications]
    left_out = "log messages were left out here: there were more than 100 a second"
    assert told[:1_000] == [("warning", number) for number in range(1_000)]
    assert told[1_000:] == [
        (None, None),
        ("error", f"500 {left_out}"),
        ("error", "at last"),
        ("warning", 0),
        ("warning", f"3 {left_out}"),
    ]


class Color(Enum):
    RED = "red"
    GREEN = "green"


@pytest.mark.parametrize("revision", CAN_ASK)
@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize(
    ("kind", "field", "said", "given"),
    [
        (int, {"type": "integer"}, 3, 3),
        (str, {"type": "string"}, "Oslo", "Oslo"),
        (bool, {"type": "boolean"}, True, True),
        (float, {"type": "number"}, 1.5, 1.5),
        (Color, {"type": "string", "enum": ["red", "green"]}, "red", Color.RED),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}, "b", "b"),
    ],
)
def test_a_single_value_may_be_asked_for(
    revision: str, is_async: bool, kind: Any, field: Any, said: Any, given: Any
) -> None:
    """R*-ELIC-03: it is a form with one field, and the answer is the value itself"""
    server, answers = Server("s"), []

    @server.tool(name="ask")
    def ask(context: Context) -> str:
        answers.append(context.elicit("?", kind))
        return "done"

    @server.tool(name="ask_later")
    async def ask_later(context: Context) -> str:
        answers.append(await context.elicit("?", kind))
        return "done"

    def fill_in(params: Any) -> Any:
        assert params["requestedSchema"] == {"type": "object", "properties": {"value": field}, "required": ["value"]}
        return {"action": "accept", "content": {"value": said}}

    line = client(server, revision, answers={"elicitation/create": fill_in}, capabilities={"elicitation": {}})
    assert line.call("ask_later" if is_async else "ask")["content"][0]["text"] == "done"
    assert [(one.accepted, one.data) for one in answers] == [(True, given)]


@pytest.mark.parametrize("form", [dict, list[int], 3, None])
def test_what_is_no_form_says_what_one_is(form: Any, caplog: pytest.LogCaptureFixture) -> None:
    server = Server("s")

    @server.tool
    def ask(context: Context) -> str:
        return str(context.elicit("?", form))

    line = client(server, "2025-11-25", capabilities={"elicitation": {}})
    assert "incident" in line.call("ask")["content"][0]["text"]
    assert "is not a form; give a class, a single value's type or a JSON Schema" in caplog.text
