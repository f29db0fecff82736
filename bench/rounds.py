"""Systems taking turns: processes that are asked what a call costs, and the statistics of their answers."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

__all__ = ["HERE", "Sample", "Timed", "Worker", "cpu_seconds_of", "environment", "resident", "turns"]

HERE = Path(__file__).parent
Timed = Callable[[int], float]
"""Takes how many calls, gives the seconds they took."""


class Sample(list[float]):
    """What one system took, round by round, in microseconds a call."""

    @property
    def middle(self) -> float:
        """The median."""
        return median(self)

    @property
    def best(self) -> float:
        """The least: what remains of a measurement on a machine with other work."""
        return min(self)

    def over(self, other: "Sample") -> float:
        """How many times the other's time this is, in the middle of the rounds: what slows both down is not seen."""
        return median(self._ratios(other))

    def _ratios(self, other: "Sample") -> list[float]:
        return sorted(one / two for one, two in zip(self, other, strict=True))

    def spread(self, other: "Sample") -> tuple[float, float]:
        """The same in single rounds: the first and the last decile."""
        ratios = self._ratios(other)
        cut = len(ratios) // 10
        return ratios[cut], ratios[-1 - cut]  # of few rounds, the least and the most


class Worker:
    """A process which holds one system and answers how long its calls take."""

    def __init__(self, system: str) -> None:
        self.system = system
        command = [sys.executable, str(HERE / "worker.py"), system]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment())

    def timed(self, way: str, name: str, **asked: Any) -> Timed:
        """What is to be timed; the first call builds it and looks at its answer."""
        spec = {"kind": "async", "wire": "", "tools": None, "rows": 1_000, "policy": None, "observe": None}
        spec["auth"] = None
        return lambda calls: self._ask({**spec, "way": way, "name": name, **asked, "calls": calls})

    def _ask(self, asked: dict[str, Any]) -> float:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        said = self._process.stdout.readline()
        if not said:
            raise SystemExit(f"{self.system} ended while asked for {asked}")
        return float(said)

    def resident(self) -> float:
        """MiB of its memory."""
        return resident(self._process.pid)

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def resident(pid: int) -> float:
    """MiB of memory a process has."""
    return int(re.findall(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[0]) / 1024


def cpu_seconds_of(pid: int) -> float:
    """The CPU time of a process with all its threads, by the clock of clock_getcpuclockid(3) on Linux."""
    return time.clock_gettime(~pid << 3 | 2)


def environment() -> dict[str, str]:
    """The environment of every process of the benchmark: plainmcp is that of this tree and may keep its bytecode."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    path = os.pathsep.join([str(HERE), str(HERE.parent / "src")])
    return {**kept, "PYTHONPATH": path, "PYTHONHASHSEED": "0", "FASTMCP_LOG_ENABLED": "false"}


FINER = 5
"""Where calls are short, slices are so many times shorter and rounds as many times more: a machine has other work,
and the sooner all have had their turn the likelier it meets them all."""


def turns(contestants: dict[str, Timed], rounds: int, slice: float) -> dict[str, Sample]:
    """Let every contestant run for a slice of so many seconds, in turn, so many times; each after a warm-up."""
    calls = {name: _calibrated(timed, slice) for name, timed in contestants.items()}
    if min(calls.values()) >= 2 * FINER:
        rounds, calls = rounds * FINER, {name: many // FINER for name, many in calls.items()}
    samples = {name: Sample() for name in contestants}
    for _ in range(rounds):
        for name, timed in contestants.items():
            samples[name].append(timed(calls[name]) / calls[name] * 1e6)
    return samples


def _calibrated(timed: Timed, slice: float) -> int:
    """How many calls fill a slice."""
    calls = 1
    timed(1)
    while (took := timed(calls)) < slice / 4:
        calls *= 4
    return max(1, round(calls * slice / took))
