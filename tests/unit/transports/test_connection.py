"""A client that stays: its handshake, what runs, what it is asked, what it is told."""

import json
import logging
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import official
from plainmcp import Context, Server
from plainmcp.limits.shares import OwnShare, Share
from plainmcp.protocol.methods.subscriptions import MAX_CHARACTERS, MAX_SUBSCRIPTIONS
from plainmcp.transports.connection import Connection
from plainmcp.transports.link import RequestLink
from speaking import ALL, HANDSHAKE, META, initialize, message, modern


class Line:
    """A connection, and what comes over it."""

    def __init__(self, server: Server, revision: str, **options: Any) -> None:
        self.revision = revision
        self.heard: list[dict[str, Any]] = []
        self.reply: Callable[[dict[str, Any]], Any] = lambda question: {}
        self.silent = False
        self.connection = Connection(server, self._hear, **options)

    def shake(self, **capabilities: Any) -> "Line":
        if self.revision in HANDSHAKE:
            self.connection.handle(initialize(self.revision, **capabilities))
            self.connection.handle({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    def ask(self, method: str, params: dict[str, Any] | None = None, id: Any = 1) -> Any:
        raw = self.connection.handle(message(self.revision, method, params, id))
        return None if raw is None else json.loads(raw)

    def cancel(self, id: Any) -> None:
        note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id, "reason": "bored"}}
        assert self.connection.handle(note) is None

    def _hear(self, raw: bytes) -> None:
        said = json.loads(raw)
        if "method" in said:
            official.check_sent(self.revision, raw)
        self.heard.append(said)
        if "method" in said and "id" in said and not self.silent:
            self.connection.handle({"jsonrpc": "2.0", "id": said["id"], "result": self.reply(said)})


every_revision = pytest.mark.parametrize("revision", ALL)
every_handshake = pytest.mark.parametrize("revision", HANDSHAKE)


@every_handshake
def test_a_failed_initialize_leaves_the_connection_as_it_was(revision: str) -> None:
    """R*-VER-01: a client may mend its message and try again."""
    line = Line(Server("s"), revision)
    bad = initialize(revision)
    bad["params"]["capabilities"] = []
    assert json.loads(line.connection.handle(bad) or b"")["error"]["code"] == -32602
    assert json.loads(line.connection.handle(initialize(revision)) or b"")["result"]["protocolVersion"] == revision


@every_handshake
def test_the_negotiated_revision_holds_for_every_later_message(revision: str) -> None:
    """R*-VER-06."""
    server = Server("s")

    @server.tool
    def which(context: Context) -> str:
        return context.revision

    line = Line(server, revision).shake()
    for _ in range(2):
        assert line.ask("tools/call", {"name": "which", "arguments": {}})["result"]["content"][0]["text"] == revision


@every_handshake
def test_questions_have_ids_of_their_own_that_are_never_used_twice(revision: str) -> None:
    """R*-BASE-07, R*-BASE-08."""
    server = Server("s")

    @server.tool
    def look(context: Context) -> int:
        return len(context.roots())

    line = Line(server, revision).shake(roots={})
    line.reply = lambda question: {"roots": []}
    for _ in range(5):
        line.ask("tools/call", {"name": "look", "arguments": {}})
    ids = [said["id"] for said in line.heard]
    assert len(ids) == len(set(ids)) == 5 and all(isinstance(id, str) and id for id in ids)


@pytest.fixture
def waiting() -> Iterator[tuple[Server, threading.Event, threading.Event]]:
    """A server with a tool that waits, whether it began, and what lets it go on."""
    server, begun, go = Server("s"), threading.Event(), threading.Event()

    @server.tool
    def wait(context: Context) -> str:
        begun.set()
        go.wait(5)
        context.progress(1)
        return "done"

    yield server, begun, go
    go.set()


@every_revision
def test_a_cancelled_request_is_not_answered_and_hears_nothing_more(
    revision: str, waiting: tuple[Server, threading.Event, threading.Event]
) -> None:
    """R*-CANC-01, R*-CANC-02, R*-PROG-03."""
    server, begun, go = waiting
    line, answers = Line(server, revision).shake(), []
    params = {"name": "wait", "arguments": {}, "_meta": {"progressToken": 1}}
    thread = threading.Thread(target=lambda: answers.append(line.ask("tools/call", params, "long")))
    thread.start()
    assert begun.wait(5)
    line.cancel("long")
    line.cancel("long")
    go.set()
    thread.join(5)
    assert answers == [None] and line.heard == []
    line.cancel("long")
    assert "result" in line.ask("tools/list")


@every_revision
def test_a_cancellation_of_something_else_changes_nothing(
    revision: str, waiting: tuple[Server, threading.Event, threading.Event]
) -> None:
    """R*-CANC-03."""
    server, begun, go = waiting
    line, answers = Line(server, revision).shake(), []
    thread = threading.Thread(
        target=lambda: answers.append(line.ask("tools/call", {"name": "wait", "arguments": {}}, "7"))
    )
    thread.start()
    assert begun.wait(5)
    for other in (7, "8", None, [], {}, "", 7.0, True):
        line.cancel(other)
    go.set()
    thread.join(5)
    assert answers[0]["result"]["content"][0]["text"] == "done"


@every_revision
def test_an_id_spelled_otherwise_is_the_same_id(
    revision: str, waiting: tuple[Server, threading.Event, threading.Event]
) -> None:
    """R*-CANC-01: JSON has several spellings for one text."""
    server, begun, go = waiting
    line, answers = Line(server, revision).shake(), []
    thread = threading.Thread(
        target=lambda: answers.append(line.ask("tools/call", {"name": "wait", "arguments": {}}, "a/b"))
    )
    thread.start()
    assert begun.wait(5)
    line.connection.handle(
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a\\/\\u0062"}}'
    )
    go.set()
    thread.join(5)
    assert answers == [None]


@every_revision
def test_why_a_request_was_cancelled_is_logged(
    revision: str, waiting: tuple[Server, threading.Event, threading.Event], caplog: pytest.LogCaptureFixture
) -> None:
    """R*-CANC-06."""
    server, begun, go = waiting
    line = Line(server, revision).shake()
    thread = threading.Thread(target=lambda: line.ask("tools/call", {"name": "wait", "arguments": {}}, "long"))
    thread.start()
    assert begun.wait(5)
    with caplog.at_level(logging.DEBUG, "plainmcp"):
        line.cancel("long")
    go.set()
    thread.join(5)
    assert "bored" in caplog.text


@every_handshake
def test_a_question_nobody_answers_is_given_up_and_called_off(revision: str) -> None:
    """R*-VER-08, R*-CANC-04: a client that does not answer is told that we no longer wait."""
    server = Server("s")

    @server.tool
    def look(context: Context) -> int:
        return len(context.roots())

    line = Line(server, revision, ask_seconds=0.05).shake(roots={})
    line.silent = True
    found = line.ask("tools/call", {"name": "look", "arguments": {}})
    assert found["result"]["isError"] is True
    assert line.heard[0]["method"] == "roots/list"
    if revision != "2024-11-05":
        off = line.heard[1]
        assert (off["method"], off["params"]["requestId"]) == ("notifications/cancelled", line.heard[0]["id"])
    late = {"jsonrpc": "2.0", "id": line.heard[0]["id"], "result": {"roots": []}}
    assert line.connection.handle(late) is None
    assert not line.connection._questions, "a question that was given up is forgotten"


def test_a_modern_server_cancels_nothing_but_what_is_listened_to() -> None:
    """R26-CANC-04, R26-BASE-23."""
    server = Server("s")

    @server.tool
    def ask(context: Context) -> str:
        context.progress(1)
        return context.elicit("Who?", {"type": "object", "properties": {}}).action

    line = Line(server, "2026-07-28")
    params = {"name": "ask", "arguments": {}, "_meta": {**modern(elicitation={}), "progressToken": 5}}
    assert line.ask("tools/call", params)["result"]["resultType"] == "input_required"
    assert [said["method"] for said in line.heard] == ["notifications/progress"]
    assert all("id" not in said for said in line.heard)


@every_revision
@pytest.mark.parametrize("value", [float("inf"), float("nan"), -1.0])
def test_progress_that_is_no_number_is_not_sent(revision: str, value: float) -> None:
    """R*-PROG-02."""
    server = Server("s")

    @server.tool
    def work(context: Context) -> str:
        context.progress(1, value)
        context.progress(value)
        context.progress(2)
        return "done"

    line = Line(server, revision).shake()
    line.ask("tools/call", {"name": "work", "arguments": {}, "_meta": {"progressToken": "t"}})
    told = [said["params"]["progress"] for said in line.heard]
    assert told == sorted(set(told)) and set(told) <= {1, 2}


@every_revision
def test_nothing_is_told_of_a_request_that_is_done(revision: str) -> None:
    """R*-PROG-01, R*-PROG-03, R26-LOG-03."""
    server, kept = Server("s"), []

    @server.tool
    def work(context: Context) -> str:
        kept.append(context)
        return "done"

    line = Line(server, revision).shake()
    meta = {"progressToken": "t"} | ({f"{META}logLevel": "debug"} if revision == "2026-07-28" else {})
    line.ask("tools/call", {"name": "work", "arguments": {}, "_meta": meta})
    kept[0].progress(1)
    if revision == "2026-07-28":
        kept[0].error("too late")
    assert line.heard == []


def test_each_kind_of_change_reaches_those_who_listen_for_it() -> None:
    """R26-TOOL-02, R26-RES-02, R26-PROM-02, R26-SUB-02, R26-SUB-03."""
    server = Server("s")
    server.add_text_prompt("p", "text")
    server.tool(name="t")(lambda: None)
    server.resource("memo://0")(lambda: "m")
    line = Line(server, "2026-07-28")
    for id, kind in enumerate(("toolsListChanged", "resourcesListChanged", "promptsListChanged")):
        assert line.ask("subscriptions/listen", {"notifications": {kind: True}}, id) is None
    assert [said["method"] for said in line.heard] == ["notifications/subscriptions/acknowledged"] * 3
    line.heard.clear()
    server.tool(name="t2")(lambda: None)
    server.resource("memo://1")(lambda: "m")
    server.add_text_prompt("p2", "text")
    told = [(said["method"], said["params"]["_meta"][f"{META}subscriptionId"]) for said in line.heard]
    assert told == [
        (f"notifications/{kind}/list_changed", id) for id, kind in enumerate(("tools", "resources", "prompts"))
    ]


def test_what_a_caller_may_not_see_it_cannot_listen_to() -> None:
    """R26-RES-08, R26-SUB-04: the acknowledgement leaves out what is not honoured."""
    server = Server("s")
    server.resource("memo://open")(lambda: "m")
    server.resource("memo://hidden", visible=lambda principal: principal == "root")(lambda: "m")
    line = Line(server, "2026-07-28", principal="guest")
    wanted = {"resourceSubscriptions": ["memo://open", "memo://hidden"]}
    line.ask("subscriptions/listen", {"notifications": wanted}, "L")
    assert line.heard[0]["params"]["notifications"] == {"resourceSubscriptions": ["memo://open"]}
    server.resource_updated("memo://hidden")
    server.resource_updated("memo://open")
    assert [said["params"]["uri"] for said in line.heard[1:]] == ["memo://open"]


@every_handshake
def test_what_a_caller_may_not_see_it_cannot_subscribe_to(revision: str) -> None:
    """R24-RES-08, R2503-RES-08, R2506-RES-08, R2511-RES-08."""
    server = Server("s")
    server.resource("memo://hidden", visible=lambda principal: principal == "root")(lambda: "m")
    line = Line(server, revision, principal="guest").shake()
    assert line.ask("resources/subscribe", {"uri": "memo://hidden"})["error"]["code"] == -32002
    server.resource_updated("memo://hidden")
    assert line.heard == []


def test_a_subscription_does_not_tell_of_resources_below_that_a_caller_may_not_read() -> None:
    server = Server("s")
    server.resource("memo://all")(lambda: "m")
    server.resource("memo://all/open")(lambda: "m")
    server.resource("memo://all/hidden", visible=lambda principal: principal == "root")(lambda: "m")
    server.resource("memo://all/secret", requires="secrets")(lambda: "m")
    server.resource("memo://all/broken", requires=lambda request: 1 / 0)(lambda: "m")
    line = Line(server, "2026-07-28", principal="guest")
    line.ask("subscriptions/listen", {"notifications": {"resourceSubscriptions": ["memo://all"]}}, "L")
    for name in ("hidden", "secret", "broken", "open", "not-registered"):
        server.resource_updated(f"memo://all/{name}")
    assert [said["params"]["uri"] for said in line.heard[1:]] == ["memo://all/open", "memo://all/not-registered"]


LONG = [f"{n}-{'x' * 1_000}" for n in range(MAX_CHARACTERS // 1_000 + 1)]


@pytest.mark.parametrize(
    ("names", "is_refused"),
    [
        ([str(n) for n in range(MAX_SUBSCRIPTIONS)], False),
        ([str(n) for n in range(MAX_SUBSCRIPTIONS + 1)], True),
        (LONG[: MAX_CHARACTERS // 1_100], False),
        (LONG[: -(-MAX_CHARACTERS // len(f"memo://{LONG[-1]}")) + 1], True),
    ],
)
def test_one_client_has_only_so_many_subscriptions(names: list[str], is_refused: bool) -> None:
    server = Server("s")
    server.resource("memo://{name}")(lambda name: name)
    uris = [f"memo://{name}" for name in names]
    line = Line(server, "2026-07-28")
    answer = line.ask("subscriptions/listen", {"notifications": {"resourceSubscriptions": uris}}, "L")
    assert (answer is not None and answer["error"]["code"] == -32602) is is_refused
    line = Line(server, "2025-11-25").shake()
    answers = [line.ask("resources/subscribe", {"uri": uri}) for uri in (*uris, uris[0])]
    assert any("too many subscriptions" in str(answer) for answer in answers) is is_refused
    assert "result" in answers[0] and "result" in answers[-1]  # it has this one already


@every_handshake
def test_one_client_s_subscription_is_not_another_s(revision: str) -> None:
    """R*-RES-12."""
    server = Server("s")
    server.resource("memo://1")(lambda: "m")
    one, other = Line(server, revision).shake(), Line(server, revision).shake()
    one.ask("resources/subscribe", {"uri": "memo://1"})
    server.resource_updated("memo://1")
    assert len(one.heard) == 1 and other.heard == []
    one.connection.close()
    server.resource_updated("memo://1")
    assert len(one.heard) == 1


@every_revision
def test_the_state_of_a_question_belongs_to_who_was_asked(revision: str) -> None:
    """R2511-ELIC-04, R26-ELIC-04, R2511-ELIC-09, R26-ELIC-09, R26-MRTR-07, R26-SESS-06."""
    server = Server("s")

    @server.tool
    def ask(context: Context) -> str:
        return context.elicit("Who?", {"type": "object", "properties": {"n": {"type": "string"}}}, key="q").data["n"]

    if revision == "2026-07-28":
        meta = modern(elicitation={})
        ada, bob = Line(server, revision, principal="ada"), Line(server, revision, principal="bob")
        state = ada.ask("tools/call", {"name": "ask", "_meta": meta})["result"]["requestState"]
        given = {"q": {"action": "accept", "content": {"n": "x"}}}
        params = {"name": "ask", "_meta": meta, "requestState": state, "inputResponses": given}
        assert bob.ask("tools/call", params)["error"]["code"] == -32602
        assert ada.ask("tools/call", params)["result"]["content"][0]["text"] == "x"
    elif revision in ("2025-06-18", "2025-11-25"):
        ada, bob = (Line(server, revision).shake(elicitation={}) for _ in range(2))
        ada.reply = lambda question: (
            bob.connection.handle(
                {"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {"n": "bob"}}}
            )
            or {"action": "accept", "content": {"n": "ada"}}
        )
        assert ada.ask("tools/call", {"name": "ask", "arguments": {}})["result"]["content"][0]["text"] == "ada"


def test_a_batch_runs_as_its_messages_would_alone() -> None:
    """R2503-BASE-09, R2503-CANC-01: cancellations and answers in a batch count, and an id is used once."""
    server = Server("s")
    seen = []

    @server.tool
    def work(context: Context) -> str:
        note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": context.request_id}}
        line.connection.handle([note])
        seen.append(context.cancelled)
        return "done"

    line = Line(server, "2025-03-26").shake()
    assert line.ask("tools/call", {"name": "work", "arguments": {}}, "x") is None
    assert seen == [True]


def test_an_answer_may_come_in_a_batch() -> None:
    """R2503-BASE-09."""
    server = Server("s")

    @server.tool
    def look(context: Context) -> int:
        return len(context.roots())

    line = Line(server, "2025-03-26", ask_seconds=1).shake(roots={})
    line.silent = True
    hear = line._hear

    def answering(raw: bytes) -> None:
        hear(raw)
        said = json.loads(raw)
        if said.get("method") == "roots/list":
            line.connection.handle(
                [{"jsonrpc": "2.0", "id": said["id"], "result": {"roots": [{"uri": "file:///a"}]}}]
            )

    line.connection._send = answering
    assert line.ask("tools/call", {"name": "look", "arguments": {}})["result"]["content"][0]["text"] == "1"


@every_revision
def test_requests_of_several_conversations_run_side_by_side(
    revision: str, waiting: tuple[Server, threading.Event, threading.Event]
) -> None:
    """R26-BASE-19, R*-PING-01: one request that takes its time holds up no other."""
    server, begun, go = waiting
    line, answers = Line(server, revision).shake(), []
    thread = threading.Thread(target=lambda: answers.append(line.ask("tools/call", {"name": "wait"}, 1)))
    thread.start()
    assert begun.wait(5)
    assert "result" in line.ask("ping" if revision in HANDSHAKE else "tools/list", id=2)
    assert line.ask("tools/call", {"name": "wait"}, id=1)["error"]["code"] == -32600, "an id is used once at a time"
    go.set()
    thread.join(5)
    assert "result" in answers[0]


@every_revision
@pytest.mark.parametrize(
    "meta", [b"null", b"[]", b'"text"', b'{"progressToken":1e400}', b'{"baggage":"\xff"}', b'{"x":"\xff"}']
)
def test_a_cancellation_counts_whatever_it_says_about_itself(
    revision: str, meta: bytes, waiting: tuple[Server, threading.Event, threading.Event]
) -> None:
    """R*-CANC-01, R*-BASE-05"""
    server, begun, go = waiting
    line, answers = Line(server, revision).shake(), []
    params = {"name": "wait", "arguments": {}}
    thread = threading.Thread(target=lambda: answers.append(line.ask("tools/call", params, 5)))
    thread.start()
    assert begun.wait(5)
    note = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5,"_meta":%b}}' % meta
    assert line.connection.handle(note) is None
    go.set()
    thread.join(5)
    assert answers == [None]


@every_revision
@pytest.mark.parametrize("with_context", [False, True])
def test_an_id_is_free_again_after_somebody_interrupts_the_process(revision: str, with_context: bool) -> None:
    server = Server("s")

    def plain() -> str:
        signal.raise_signal(signal.SIGINT)
        return "not interrupted"

    def knowing(context: Context) -> str:
        return plain()

    server.tool(name="stop")(knowing if with_context else plain)
    line = Line(server, revision).shake()
    with pytest.raises(KeyboardInterrupt):
        line.ask("tools/call", {"name": "stop", "arguments": {}})
    assert not line.connection.busy


def test_a_question_that_cannot_be_written_is_not_counted() -> None:
    share = Share("questions", "open", "max_questions", 2, 1)
    connection = Connection(Server("quiz"), lambda message: None, questions=OwnShare(share, "ann"))
    for params in ({"message": "\ud800"}, {"message": object()}):
        with pytest.raises((UnicodeError, TypeError)):
            RequestLink(connection).ask("elicitation/create", params)
        assert share.count == 0 and not connection._questions
