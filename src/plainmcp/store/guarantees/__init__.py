"""The guarantees of `Store`, as checks of any store: `plainmcp.testing.check_store` runs them.

Knows the interface alone. All keys of a run have one tag, and no key is used by two runs.
"""

import os
from functools import partial

from .following import (
    check_advance,
    check_expiry_of_logs,
    check_following,
    check_length,
    check_logs,
    check_many_logs,
    check_waiting,
)  # fmt: skip
from .keeping import check_change, check_contention, check_expiry_of_values, check_values
from .run import Make, StoreCheck, carry_out
from .using import Outage, check_closing, check_equality, check_fork, check_outage

__all__ = ["find_failures"]

_CHECKS = (
    check_values, check_change, check_contention, check_expiry_of_values, check_logs, check_many_logs,
    check_length, check_expiry_of_logs, check_advance, check_waiting, check_following, check_closing,
    check_equality,
)  # fmt: skip


def find_failures(make: Make, outage: Outage | None) -> list[str]:
    """A sentence for each guarantee that a store does not keep; see `plainmcp.testing.check_store`."""
    run = StoreCheck(make)
    try:
        if hasattr(os, "fork"):
            carry_out(run, check_fork)  # first, while no other thread uses the store
        carry_out(run, *_CHECKS)
        if outage is not None:
            carry_out(run, partial(check_outage, outage=outage))
    finally:
        run.store.close()
        run.other.close()
    return run.failures
