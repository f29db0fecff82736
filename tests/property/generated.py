"""Generated hints of every kind, for return values and for parameters, and how many of them are tried."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from hypothesis import Phase, settings
from hypothesis import strategies as st

from property.containers import CONTAINERS
from property.fixed import FIXED
from property.kinds import Kind
from property.leaves import LEAVES
from property.records import RECORDS

__all__ = ["LEAVES_AND_FIXED", "examples", "heard", "kinds"]

LEAVES_AND_FIXED: list[Kind] = [*LEAVES, *FIXED]

kinds: st.SearchStrategy[Kind] = st.recursive(
    st.sampled_from(LEAVES_AND_FIXED),
    lambda inner: st.one_of([make(inner) for make in (*CONTAINERS, *RECORDS)]),
    max_leaves=4,
)
"""Hints that hold hints."""

# A hint is one example, and is tried with several values. That takes some seconds by itself, and more than ten
# minutes with `--hypothesis-profile=long`. To make a failure smaller takes minutes too, so only the latter does it.
_quick = settings.default.derandomize
_phases = [Phase.generate] if _quick else [Phase.reuse, Phase.generate, Phase.shrink]


def examples(quick: int, long: int) -> settings:
    """How many hints are tried by each of the two profiles."""
    return settings(max_examples=quick if _quick else long, phases=_phases)


@contextmanager
def heard() -> Iterator[list[str]]:
    """What is logged meanwhile, for nobody else to read."""
    lines: list[str] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(self.format(record))

    log, listener = logging.getLogger("plainmcp"), Listener()
    log.addHandler(listener)
    before, log.propagate = log.propagate, False
    try:
        yield lines
    finally:
        log.removeHandler(listener)
        log.propagate = before
