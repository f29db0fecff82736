"""One path for a call: every transport visits the same modules in the same order, and not many of them."""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

PROGRAM = Path(__file__).with_name("call_trace.py")
REVISIONS = ["2025-11-25", "2026-07-28"]
TRANSPORTS = ["handle", "connection", "stdio", "wsgi", "asgi"]

Event = list[Any]


@cache
def traces() -> dict[str, list[Event]]:
    """What was visited in each case: [module, function, whether it was called]."""
    done = subprocess.run([sys.executable, PROGRAM], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def core_of(events: list[Event]) -> list[Event]:
    """The part of a trace between decoding and encoding, without the runners and what a transport does around it."""
    first = max(at for at, event in enumerate(events) if event[1] == "dispatch" and event[2])
    encoding = [at for at, event in enumerate(events) if event[0] == "values/encode" and at > first]
    writing = [at for at, event in enumerate(events) if event[:2] == ["protocol/plan", "write"]]
    last = encoding[0] if encoding else writing[-1] + 1
    return [event for event in events[first:last] if is_core(event[0])]


def whole_core_of(events: list[Event]) -> list[Event]:
    """The part of a trace from decoding to the end, without the runners and what a transport does around it."""
    first = max(at for at, event in enumerate(events) if event[1] == "dispatch" and event[2])
    return [event for event in events[first:] if is_core(event[0])]


def is_core(module: str) -> bool:
    """Whether a module belongs to the path of a call, whatever the transport: invoke is where both runners meet."""
    return module == "transports/invoke" or not module.startswith(("transports/", "limits/", "server"))


def modules_of(events: list[Event]) -> list[str]:
    """The modules of a trace, in order, each as often as it is come back to."""
    modules: list[str] = []
    for module, _, _ in events:
        if not modules or modules[-1] != module:
            modules.append(module)
    return modules


def calls_of(events: list[Event]) -> int:
    return sum(called for _, _, called in events)


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("tool", ["echo", "model", "echo_context", "progress"])
def test_every_transport_visits_the_same_modules_in_the_same_order(tool: str, revision: str) -> None:
    paths = {
        f"{transport} {tool}{kind}": modules_of(core_of(traces()[f"{transport} {tool}{kind} {revision}"]))
        for transport in TRANSPORTS
        for kind in ("", "_async")
        if (transport, tool) != ("handle", "progress")  # it has nowhere to send a report
    }
    first = next(iter(paths.values()))
    assert {name: path for name, path in paths.items() if path != first} == {}, first


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("tool", ["echo", "model", "echo_async", "model_async"])
def test_a_call_visits_few_modules_between_decoding_and_encoding(tool: str, transport: str, revision: str) -> None:
    events = core_of(traces()[f"{transport} {tool} {revision}"])
    modules = modules_of(events)
    assert len(set(modules)) <= 8, modules
    assert len(modules) - 1 <= 16, modules
    assert calls_of(events) <= 25, events


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("tool", ["progress", "progress_async"])
def test_a_context_and_a_progress_report_add_little(tool: str, transport: str, revision: str) -> None:
    events = core_of(traces()[f"{transport} {tool} {revision}"])
    assert calls_of(events) <= 45, events


# How many modules a whole request visits over ASGI at most, and how often it moves from one to another.
WHOLE = {
    "echo_async": (14, 38),
    "echo_context_async": (15, 45),
    "progress_async": (17, 61),
    "model_async": (18, 46),
    "read": (20, 74),
    "prompt": (21, 66),
}


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("case", WHOLE)
def test_a_whole_request_over_asgi_visits_few_modules(case: str, revision: str) -> None:
    modules = modules_of(traces()[f"asgi {case} {revision}"])
    most_modules, most_moves = WHOLE[case]
    assert len(set(modules)) <= most_modules, sorted(set(modules))
    assert len(modules) - 1 <= most_moves, modules


# The same for an application that shares a store: what it needs of the store, it has asked before.
# On 2025-11-25 the table of sessions is one module, and what may follow a call another.
SHARED = {"2025-11-25": (15, 42), "2026-07-28": (14, 42)}


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_call_with_a_store_visits_few_modules_more(revision: str) -> None:
    modules = modules_of(traces()[f"store echo_async {revision}"])
    most_modules, most_moves = SHARED[revision]
    assert len(set(modules)) <= most_modules, sorted(set(modules))
    assert len(modules) - 1 <= most_moves, modules


def test_a_question_that_is_answered_at_another_replica_visits_few_modules() -> None:
    """Both requests, from the call to its result, without the threads that follow the store."""
    modules = modules_of(traces()["elicitation elsewhere"])
    assert len(set(modules)) <= 36, sorted(set(modules))
    assert len(modules) - 1 <= 300, modules


@pytest.mark.parametrize("kind", ["plain", "async", "generator"])
@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("tool", ["echo", "echo_async"])
def test_middleware_that_does_nothing_adds_few_calls(tool: str, transport: str, revision: str, kind: str) -> None:
    case = f"{transport} {tool} {revision}"
    with_it, without = traces()[f"{case} {kind} middleware"], traces()[case]
    added = calls_of(whole_core_of(with_it)) - calls_of(whole_core_of(without))
    assert 0 < added <= 20, with_it


@pytest.mark.parametrize("kind", ["plain", "async", "generator"])
def test_a_feature_is_found_once_with_middleware(kind: str) -> None:
    events = traces()[f"asgi echo_async 2026-07-28 {kind} middleware"]
    assert events.count(["protocol/plan", "find_by_name", True]) == 1


def test_parameters_that_middleware_could_change_are_encoded_once() -> None:
    events = traces()["asgi echo_async 2026-07-28 reading middleware"]
    assert events.count(["wire/jsonrpc", "with_changes", True]) == 1
    assert events.count(["protocol/plan", "find_by_name", True]) == 1


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_revision_of_a_request_is_found_once(revision: str) -> None:
    events = traces()[f"asgi echo_async {revision}"]
    assert {module for module, name, _ in events if "revision" in name} == {"protocol/dispatch"}
    assert events.count(["protocol/dispatch", "_revision_of", True]) == 1


def test_the_users_function_is_called_in_one_place() -> None:
    callers = {event[0] for events in traces().values() for event in events if event[1] == "invoke" and event[2]}
    assert callers == {"transports/invoke"}
    for name, events in traces().items():
        if name == "elicitation elsewhere":  # the store is asked there, too
            continue
        invoked = [event for event in events if event[:2] == ["transports/invoke", "invoke"] and event[2]]
        assert len(invoked) == (2 if name.endswith(("plain middleware", "async middleware")) else 1), name


def test_the_page_about_the_life_of_a_call_shows_what_is_traced() -> None:
    page = (Path(__file__).parents[2] / "docs" / "topics" / "life-of-a-call.md").read_text("utf-8")
    shown = page.partition("```text\n")[2].partition("```")[0].split()
    assert shown == list(dict.fromkeys(modules_of(traces()["asgi echo_async 2026-07-28"])))


def test_the_page_counts_the_modules_of_a_text() -> None:
    assert len(set(modules_of(core_of(traces()["asgi echo 2026-07-28"])))) == 5
