"""`make suites`: the packages' own tests, with their clients and our servers; prints what passes.

python -m suites.run [--cache FOLDER] [--only NAME …] [--again]

What is counted are test functions: one passes if all its cases pass. A test is left out only for one of the four
reasons in `reasons.py`. The real package is run once, and kept.
"""

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

from . import names, record
from .cases import SUITES, Suite
from .our_side import change_imports
from .reading import Reader
from .reasons import reason_for

ROOT = Path(__file__).parents[2]
TESTS = Path(__file__).parents[1]

_SECONDS_THERE, _SECONDS_HERE = 30, 10
"""How long one test may take."""

_SECONDS_OF_A_PROCESS = 900

_PROCESSES, _FILES_IN_A_PROCESS = 2, 12


def main() -> int:
    """Run the suites; returns 0 if every file has an area or a reason, and enough of the rest passes."""
    parser = argparse.ArgumentParser(description="the packages' own tests, with their clients and our servers")
    parser.add_argument("--cache", type=Path, default=ROOT / ".suites")
    parser.add_argument("--only", nargs="*", default=None)
    parser.add_argument("--count", action="store_true", help="count the last run again")
    parser.add_argument("--again", action="store_true", help="also run the real package again")
    options = parser.parse_args()
    cache = options.cache.resolve()
    passes = [names.check(cache)]
    for name in options.only or SUITES:
        checked = Checked(SUITES[name], cache)
        if options.again or not checked.real.exists():
            checked.run_real()
        if not options.count:
            checked.run_ours()
        passes.append(checked.report())
    return 0 if all(passes) else 1


class Function(NamedTuple):
    """A test function: its cases that count, and the reason why others do not."""

    file: str
    cases: list[str]
    reason: str


class Checked:
    """One suite: its folder, its environment, and the outcomes of its last runs."""

    def __init__(self, suite: Suite, cache: Path) -> None:
        self.suite, self.cache = suite, cache
        self.real, self.ours = cache / f"{suite.name} real.json", cache / f"{suite.name} ours.json"
        self.folder, self.python = prepare(suite, cache)
        self.reader = Reader(self.folder, suite.paths)
        self.files = [
            path.relative_to(self.folder).as_posix() for path in sorted(self.folder.glob("tests/**/test_*.py"))
        ]

    def run_real(self) -> None:
        """Run the tests on the real package."""
        outcomes = self._run(self.folder, "real", self.files, [], _SECONDS_THERE)
        self.real.write_text(json.dumps(outcomes))

    def run_ours(self) -> None:
        """Run the tests that count on our servers; what fails once more, because a test may spoil those after it."""
        copy = self._copy()
        tests = [test for function in self.functions() for test in function.cases]
        outcomes = self._run_on_ours(copy, tests, "ours")
        fallen = [test for test in tests if outcomes.get(test) != "passed"]
        again = self._run_on_ours(copy, fallen, "again") if fallen else {}
        self.ours.write_text(json.dumps(outcomes | {test: one for test, one in again.items() if one == "passed"}))

    def functions(self) -> Iterator["Function"]:
        """The test functions, each with the cases that count."""
        real: dict[str, str] = json.loads(self.real.read_text())
        cases: dict[tuple[str, str], list[str]] = {}
        for test in real:
            file, _, name = test.partition("::")
            cases.setdefault((file, name.partition("[")[0]), []).append(test)
        for file in self.files:
            for name, uses in self.reader.uses_of_tests(file).items():
                tests = cases.get((file, name), [f"{file}::{name}"])
                reasons = {test: reason_for(file, test, real.get(test, "did not run"), uses) for test in tests}
                left_out = Counter(filter(None, reasons.values())).most_common(1)
                yield Function(
                    file, [test for test in tests if reasons[test] is None], left_out[0][0] if left_out else ""
                )

    def report(self) -> bool:
        """Print and write the counts, and write the failures into a file; whether enough passes."""
        counts, failures = self._count()
        (self.cache / f"{self.suite.name} failures.txt").write_text("\n".join(failures) + "\n", "utf-8")
        record.write(counts)
        print(f"\n{self.suite.name} ({self.suite.requirement})")
        for line in record.headline_of(counts, self.suite.name):
            print(f"  {line}")
        lost = record.without_place(counts)
        for file in lost:
            print(f"  {file} has neither an area in cases.py nor a reason in reasons.py")
        counted = sum(one.counted for one in counts)
        return not lost and sum(one.passed for one in counts) >= counted * self.suite.wanted

    def _count(self) -> tuple[list[record.FileCount], list[str]]:
        ours: dict[str, str] = json.loads(self.ours.read_text())
        counts = {file: record.FileCount(self.suite.name, file) for file in self.files}
        failures: list[str] = []
        for function in self.functions():
            count = counts[function.file]
            if not function.cases:
                count.left_out[function.reason] += 1
                continue
            failed = [test for test in function.cases if ours.get(test) != "passed"]
            count.counted += 1
            count.passed += not failed
            failures += [f"{test}\n    {ours.get(test, 'did not run')}" for test in failed[:1]]
        return [one for one in counts.values() if one.counted or one.left_out], failures

    def _copy(self) -> Path:
        """A copy of the suite in which the imports of what is ours are changed."""
        copy = self.cache / f"{self.folder.name}-changed"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(
            self.folder, copy, ignore=shutil.ignore_patterns("*.png", "*.gif", "*.mp4", ".git", "__pycache__")
        )
        for part in ("tests", "docs_src", "examples"):
            for file in (copy / part).rglob("*.py"):
                name = file.relative_to(copy).as_posix()
                has_client = name not in self.files or self.reader.has_client(name)
                source = change_imports(file.read_text("utf-8"), has_client, name not in self.files)
                file.write_text(source, "utf-8")
        for part in ("src", "fastmcp_slim", "fastmcp_remote", "fastmcp_tasks"):
            shutil.rmtree(copy / part, ignore_errors=True)
        return copy

    def _run_on_ours(self, folder: Path, tests: list[str], name: str) -> dict[str, str]:
        """Run some tests on our servers."""
        only = self.cache / f"{self.suite.name} {name}.txt"
        only.write_text("\n".join(tests), "utf-8")
        files = list(dict.fromkeys(test.partition("::")[0] for test in tests))
        return self._run(folder, name, files, ["-p", "suites.our_side", f"--only-tests={only}"], _SECONDS_HERE)

    def _run(self, folder: Path, name: str, files: list[str], options: list[str], seconds: int) -> dict[str, str]:
        """Run the tests of files, some files in each process; returns what came out by test."""
        groups = [files[at : at + _FILES_IN_A_PROCESS] for at in range(0, len(files), _FILES_IN_A_PROCESS)]
        outcomes: dict[str, str] = {}
        with ThreadPoolExecutor(_PROCESSES) as pool:
            for found in pool.map(
                lambda numbered: self._run_group(folder, f"{name}-{numbered[0]}", [*options, *numbered[1]], seconds),
                enumerate(groups),
            ):
                outcomes |= found
        return outcomes

    def _run_group(self, folder: Path, name: str, options: list[str], seconds: int) -> dict[str, str]:
        """Run tests; returns "passed", "skipped" or the message of the failure by test."""
        logs = self.cache / f"{self.suite.name} logs"
        logs.mkdir(exist_ok=True)
        results = logs / f"{name}.xml"
        results.unlink(missing_ok=True)
        command = [str(self.python), "-m", "pytest", "-q", "--timeout", str(seconds), f"--junitxml={results}"]
        command += ["--rootdir", str(folder)]
        for setting in ("xfail_strict=false", "junit_family=xunit1", "addopts=", "log_cli=false"):
            command += ["-o", setting]
        command += ["--tb=native", "--continue-on-collection-errors", "-W", "default"]
        command += ["-p", "no:cacheprovider", "-p", "anyio", *options]
        paths = [TESTS, folder, *(folder / path for path in self.suite.paths)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths)), "PYTHONDONTWRITEBYTECODE": "1"}
        with results.with_suffix(".log").open("w") as log:
            run_to_end(command, cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT)
        return read(results) if results.exists() else {}  # a test may end the process


def prepare(suite: Suite, cache: Path) -> tuple[Path, Path]:
    """The folder of a suite, and the interpreter of its environment; both are made only once."""
    name = suite.requirement.replace("==", "-")
    folder = cache / name
    environment = cache / f"{name}-environment"
    if not folder.exists():
        cache.mkdir(parents=True, exist_ok=True)
        _pip(sys.executable, "download", "--no-deps", "--no-binary", ":all:", "--dest", str(cache), suite.requirement)
        with tarfile.open(cache / f"{name}.tar.gz") as archive:
            archive.extractall(cache, filter="data")
    python = environment / "bin" / "python"
    ready = environment / ".ready"
    if not ready.exists() or ready.read_text() != repr(suite.packages):
        subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
        _pip(str(python), "install", suite.requirement, *suite.packages)
        _pip(str(python), "install", "--editable", f"{ROOT}[http,auth,otel,yaml]")
        ready.write_text(repr(suite.packages))
    return folder, python


def run_to_end(command: list[str], **options: Any) -> None:
    """Run a command without input; one that does not end, because a test left a thread, is ended."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        subprocess.run(command, stdin=subprocess.DEVNULL, check=False, timeout=_SECONDS_OF_A_PROCESS, **options)


def read(results: Path) -> dict[str, str]:
    """The outcomes in a file of results."""
    outcomes: dict[str, str] = {}
    for case in ElementTree.parse(results).iter("testcase"):
        file = case.get("file") or ""
        inside = (case.get("classname") or "").removeprefix(file.removesuffix(".py").replace("/", "."))
        name = "::".join([file, *filter(None, inside.split(".")), case.get("name") or ""])
        outcome = "passed"
        for child in case:
            if child.tag in ("failure", "error"):
                outcome = f"{child.get('message') or child.text}"[:600]
            elif child.tag == "skipped":
                outcome = "skipped"
        outcomes[name] = outcome
    return outcomes


def _pip(python: str, *arguments: str) -> None:
    done = subprocess.run(
        [python, "-m", "pip", "--disable-pip-version-check", "--quiet", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"pip {' '.join(arguments)} failed:\n{done.stderr}")


if __name__ == "__main__":
    sys.exit(main())
