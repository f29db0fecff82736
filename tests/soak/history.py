"""What clients did and what came of it, and the rules that must hold: the checker.

Each operation has a word of its own that goes to the server and comes back, so that anything crossed is seen.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

__all__ = ["History", "Operation", "check"]


@dataclass
class Operation:
    """One operation of a client."""

    kind: str
    session: str
    word: str
    began: float
    ended: float = 0.0
    outcome: str = "no answer"
    """"done", "failed" (the client saw an error), "wrong" (it got something that it must not), "no answer"."""
    detail: str = ""
    responses: int = 0
    """How many responses came to the request."""


@dataclass
class History:
    """All operations, and what came on the streams that stay open."""

    operations: list[Operation] = field(default_factory=list)
    updates: dict[str, list[str]] = field(default_factory=dict)
    """The URIs of the updates that each session got."""
    subscribed: dict[str, set[str]] = field(default_factory=dict)
    """The URIs that each session has subscribed to, and that were acknowledged."""
    changed: dict[str, list[tuple[str, float]]] = field(default_factory=dict)
    """The URIs that were changed for a session, each after its subscription, and when that was acknowledged."""
    troubles: list[tuple[str, float, float]] = field(default_factory=list)
    """What was done to the set, from when to when."""


GRACE = 12.0
"""How many seconds after a trouble operations may fail."""


def check(history: History) -> list[str]:
    """What is wrong with a history; nothing, if all rules hold."""
    problems: list[str] = []
    for one in history.operations:
        where = f"{one.kind} {one.word} of {one.session}"
        if one.outcome == "wrong":
            problems.append(f"{where}: {one.detail}")
        if one.outcome == "no answer":
            problems.append(f"{where} was never answered: {one.began:.2f} to {one.ended:.2f}, {history.troubles}")
        if one.responses > 1:
            problems.append(f"{where} was answered {one.responses} times")
        if one.outcome == "failed" and not _is_in_trouble(history, one):
            problems.append(f"{where} failed although nothing was the matter: {one.detail}")
    for session, uris in history.updates.items():
        strange = set(uris) - history.subscribed.get(session, set())
        if strange:
            problems.append(f"{session} got updates of others: {sorted(strange)}")
    for session, changes in history.changed.items():
        missing = Counter(uri for uri, _ in changes) - Counter(history.updates.get(session, []))
        if missing:
            problems.append(f"{session} lost updates that were acknowledged: {dict(missing)}")
    return problems


def _is_in_trouble(history: History, one: Operation) -> bool:
    return any(one.ended >= begin and one.began <= end + GRACE for _, begin, end in history.troubles)


def summary_of(history: History) -> dict[str, Any]:
    """How many operations of each kind ended how."""
    counts = Counter(f"{one.kind}: {one.outcome}" for one in history.operations)
    counts["updates"] = sum(map(len, history.updates.values()))
    return dict(sorted(counts.items()))
