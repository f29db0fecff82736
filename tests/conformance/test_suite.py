"""The official conformance suite against examples/everything.py: behind each parser of uvicorn, on several processes.

A failure is a failure and so is a warning, whether the suite scores the scenario or not. What the suite asks of
extensions that are not served here stands below, each with its reason.
"""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from npm import NODE, installed
from replica_set import running_set
from serving import EXAMPLES, served

SUITE = ("@modelcontextprotocol/conformance", "0.2.0-alpha.12")
SECONDS = 120
NAMED = re.compile(r"server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z")  # a scenario's directory, with a time at its end

TASKS = "the tasks extension is not served"
SKILLS = "the skills extension is not served"
NOT_SERVED = {
    "tasks-capability-negotiation": TASKS,
    "tasks-dispatch-and-envelope": TASKS,
    "tasks-lifecycle": TASKS,
    "tasks-mrtr-composition": TASKS,
    "tasks-mrtr-input": TASKS,
    "tasks-request-headers": TASKS,
    "tasks-request-state-removal": TASKS,
    "tasks-required-task-error": TASKS,
    "tasks-status-notifications": TASKS,
    "tasks-wire-fields": TASKS,
    "sep-2640-skills-directory": SKILLS,
    "sep-2640-skills-enumeration": SKILLS,
    "sep-2640-skills-manifest": SKILLS,
}


SETS = {"replicas": (2, 1), "workers": (1, 2)}
"""Processes that share a store behind nginx: how many servers, and how many workers each."""


@pytest.fixture(scope="module", params=["h11", "httptools", *SETS])
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    if request.param in SETS:
        with running_set(EXAMPLES / "everything.py", *SETS[request.param]) as replicas:
            yield replicas.url
        return
    with served("everything", request.param) as address:
        yield address


def scenarios(url: str, results: Path, *which: str) -> dict[str, list[dict[str, str]]]:
    """Run some of the suite; gives the checks of each scenario that is not about something we do not serve."""
    program = installed(*SUITE) / "dist" / "index.js"
    done = subprocess.run(
        [NODE, program, "server", "--url", url, "-o", results, *which],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    found = {}
    for file in results.glob("server-*/checks.json"):
        found[NAMED.fullmatch(file.parent.name)[1]] = json.loads(file.read_text("utf-8"))  # type: ignore[index]
    assert found, done.stdout + done.stderr
    return {name: checks for name, checks in found.items() if name not in NOT_SERVED}


def complaints(checks: dict[str, list[dict[str, str]]]) -> list[str]:
    return [
        f"{one['status']} {scenario} {one['id']}: {one.get('errorMessage', one.get('description'))}"
        for scenario, all_ in sorted(checks.items())
        for one in all_
        if one["status"] in ("FAILURE", "WARNING", "SKIPPED")
    ]


RUNS = {
    "2025-11-25": (("--requirements", "2025-11-25"), 30 + 3),
    "2026-07-28": (("--requirements", "2026-07-28"), 37 + 3),
    "2025-06-18": (("--suite", "all", "--spec-version", "2025-06-18"), 27),
    "2025-03-26": (("--suite", "all", "--spec-version", "2025-03-26"), 1),
}
"""What to run for each revision, and how many scenarios it has: those it scores and those it only reports."""


@pytest.mark.parametrize("revision", RUNS)
def test_the_official_suite_has_nothing_to_complain_of(url: str, revision: str, tmp_path: Path) -> None:
    which, there_are = RUNS[revision]
    checks = scenarios(url, tmp_path, *which)
    assert complaints(checks) == []
    assert len(checks) == there_are, sorted(checks)
    # A scenario that could not check anything has not been passed.
    assert [name for name, all_ in checks.items() if not any(one["status"] == "SUCCESS" for one in all_)] == []
