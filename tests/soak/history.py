"""What clients did, what came of it and what the server did, and the rules that must hold: the checker.

Each operation has a word of its own that goes to the server and comes back, so that anything crossed is seen. All
times are those of the clock of the machine, in seconds.
"""

import json
from collections import Counter
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any

__all__ = ["RECOVERY", "Change", "History", "Operation", "Watch", "check", "find_lost", "summary_of"]

RECOVERY = 2.0
"""How many seconds after a trouble operations may still begin that fail."""
DELIVERY = 3.0
"""How many seconds an update may take to a stream that cannot be resumed, before its end excuses it."""
ENOUGH = 3
"""Of how many changes a client must have got one."""
ANSWERED = frozenset({"call", "question", "progress", "resume", "update"})
"""Operations that the server does once: the other ones are cancelled, or refused."""


@dataclass
class Operation:
    """One operation of a client."""

    kind: str
    client: str
    word: str
    began: float
    ended: float = 0.0
    outcome: str = "no answer"
    """"done", "failed" (the client saw an error), "wrong" (it got something that it must not), "no answer"."""
    detail: str = ""
    responses: int = 0
    """How many responses came to the request."""


@dataclass
class Watch:
    """What one client gets to know about changes: in one session, or on one listen stream."""

    client: str
    asked: set[str] = field(default_factory=set)
    """The URIs that it may get updates of: it has sent the subscription."""
    since: dict[str, float] = field(default_factory=dict)
    """The URIs that it must get updates of, and from when on: both the subscription and the stream are there."""
    until: float = inf
    """When its stream ended for good, so that the client knows."""
    got: list[str] = field(default_factory=list)


@dataclass
class Change:
    """A change of a resource, and when it was acknowledged: inf, if the client never saw that."""

    uri: str
    began: float
    acknowledged: float = inf


@dataclass
class History:
    """All operations, and what came on the streams that stay open."""

    operations: list[Operation] = field(default_factory=list)
    watches: list[Watch] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    troubles: list[tuple[str, float, float]] = field(default_factory=list)
    """What was done to the set, from when to when."""
    journal: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How often the server did what ("done" or "cancelled") with the operation of a word."""
    processes: Counter[int] = field(default_factory=Counter)
    """How much of that each process did."""

    def read_journal(self, file: Path) -> None:
        """Take the journal of the server."""
        lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        self.journal = Counter((word, what) for word, what, _ in lines)
        self.processes = Counter(process for _, _, process in lines)


def check(history: History) -> list[str]:
    """What is wrong with a history; nothing, if all rules hold."""
    problems = [problem for one in history.operations for problem in _check_operation(history, one)]
    for watch in history.watches:
        problems += _check_watch(history, watch)
    return problems + _find_deaf(history)


def _find_deaf(history: History) -> list[str]:
    """Clients that got no update at all, although they made changes to what they wanted to know of."""
    made = Counter(change.uri.rpartition("-")[0] for change in history.changes if change.acknowledged < inf)
    heard = {watch.client for watch in history.watches if watch.got}
    clients = {watch.client for watch in history.watches} - heard
    return [f"{client} got no update at all" for client in sorted(clients) if made[f"note://{client}"] >= ENOUGH]


def _check_operation(history: History, one: Operation) -> list[str]:
    problems = []
    done, cancelled = history.journal[one.word, "done"], history.journal[one.word, "cancelled"]
    is_in_trouble = _is_in_trouble(history, one.began, one.ended)
    if one.outcome == "wrong":
        problems.append(one.detail)
    if one.outcome == "no answer":
        problems.append(f"was never answered, from {one.began:.2f} to {one.ended:.2f}: {one.detail}")
    if one.responses > 1:
        problems.append(f"was answered {one.responses} times")
    if one.outcome == "failed" and not is_in_trouble:
        problems.append(
            f"failed although nothing was the matter: {one.detail}, from {one.began:.2f} to {one.ended:.2f}"
        )
    if one.outcome == "failed" and one.kind == "call" and is_in_trouble and not _is_of_replicas(history, one):
        problems.append(f"failed although it does not need Redis: {one.detail}")
    if done > 1:
        problems.append(f"was done {done} times")
    if one.outcome == "done" and one.kind in ANSWERED and not done:
        problems.append("was answered by nobody")
    is_lost = _is_in_trouble(history, one.began, one.ended + RECOVERY)  # clients do not wait until a cancel arrives
    if one.outcome == "done" and one.kind == "cancel" and not cancelled and not is_lost:
        problems.append(f"was not cancelled, from {one.began:.2f} to {one.ended:.2f}")
    return [f"{one.kind} {one.word}: {problem}" for problem in problems]


def _check_watch(history: History, watch: Watch) -> list[str]:
    problems = []
    strange = set(watch.got) - watch.asked
    if strange:
        problems.append(f"{watch.client} got updates of others: {sorted(strange)}")
    lost = find_lost(history, watch)
    if lost:
        times = [(change.began, change.acknowledged) for change in history.changes if change.uri in lost]
        problems.append(f"{watch.client} lost updates that were acknowledged: {dict(lost)} of {times} in {watch}")
    made = Counter(change.uri for change in history.changes)
    repeated = {uri: count for uri, count in (Counter(watch.got) - made).items() if uri in watch.asked}
    if repeated:
        problems.append(f"{watch.client} got updates more often than there were changes: {repeated}")
    return problems


def find_lost(history: History, watch: Watch) -> Counter[str]:
    """The updates that a client must have got, and has not: of changes that were acknowledged."""
    wanted = Counter(
        change.uri
        for change in history.changes
        if change.acknowledged < inf
        and change.began >= watch.since.get(change.uri, inf)
        and change.acknowledged + DELIVERY <= watch.until
    )
    return wanted - Counter(watch.got)


def _is_in_trouble(history: History, began: float, ended: float) -> bool:
    return bool(_find_troubles(history, began, ended))


def _is_of_replicas(history: History, one: Operation) -> bool:
    """Whether a replica was in trouble during an operation, and not only Redis."""
    return any(not name.startswith("Redis") for name in _find_troubles(history, one.began, one.ended))


def _find_troubles(history: History, began: float, ended: float) -> list[str]:
    return [name for name, begin, end in history.troubles if ended >= begin and began <= end + RECOVERY]


def summary_of(history: History) -> dict[str, Any]:
    """How many operations of each kind of client ended how, and how many there were during each trouble."""
    counts = Counter(f"{one.client.rstrip('0123456789')} {one.kind}: {one.outcome}" for one in history.operations)
    counts["processes"] = len(history.processes)
    for watch in history.watches:
        counts[f"{watch.client.rstrip('0123456789')} updates"] += len(watch.got)
    for name, begin, end in history.troubles:
        counts[f"while {name}"] = sum(one.began <= end and one.ended >= begin for one in history.operations)
    return dict(sorted(counts.items()))
