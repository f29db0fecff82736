"""`make suites`: the packages' own tests, with their clients and our servers; prints what passes under the rule.

python -m suites.run [--cache FOLDER] [--only NAME …] [--again]
"""

import argparse
import fnmatch
import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

from . import names
from .cases import SUITES, Suite
from .our_side import change_imports
from .reading import hidden_reads_of

ROOT = Path(__file__).parents[2]
TESTS = Path(__file__).parents[1]


def main() -> int:
    """Run the suites; returns 0 if nine in ten tests pass in each."""
    parser = argparse.ArgumentParser(description="the packages' own tests, with their clients and our servers")
    parser.add_argument("--cache", type=Path, default=ROOT / ".suites")
    parser.add_argument("--only", nargs="*", default=None)
    parser.add_argument("--count", action="store_true", help="count the last run again")
    parser.add_argument("--again", action="store_true", help="also run the real package again")
    options = parser.parse_args()
    passes = [names.check(options.cache.resolve())]
    passes += [
        count(SUITES[name], options.cache.resolve(), options.again, options.count) for name in options.only or SUITES
    ]
    return 0 if all(passes) else 1


def count(suite: Suite, cache: Path, again: bool, is_run: bool) -> bool:
    """Run one suite on the real package and on ours, and print the counts; whether nine in ten pass."""
    folder, python = prepare(suite, cache)
    files = files_of(suite, folder)
    kept = cache / f"{suite.name} real.json"
    if again or not kept.exists():
        kept.write_text(json.dumps(run(python, folder, list(files), cache / f"{suite.name} real.xml", ours=False)))
    real = json.loads(kept.read_text())
    results = cache / f"{suite.name} ours.xml"
    ours = read(results) if is_run else run(python, copy_of(folder, cache), list(files), results, ours=True)
    if not is_run:
        for _ in range(3):  # a test that takes too long also ends the loop of the tests after it
            fallen = [
                test for test, outcome in ours.items() if "ClosedResource" in outcome or "WouldBlock" in outcome
            ]
            if fallen:
                again_results = cache / f"{suite.name} again.xml"
                ours |= run(python, cache / f"{folder.name}-changed", fallen, again_results, ours=True)
        kept_ours = cache / f"{suite.name} ours.json"
        kept_ours.write_text(json.dumps(ours))
    else:
        ours = json.loads((cache / f"{suite.name} ours.json").read_text())
    hidden = {file: hidden_reads_of((folder / file).read_text("utf-8"), suite) for file in files}
    return report(suite, cache, files, real, ours, hidden)


def report(
    suite: Suite,
    cache: Path,
    files: dict[str, str],
    real: dict[str, str],
    ours: dict[str, str],
    hidden: dict[str, dict[str, str]],
) -> bool:
    """Print what counts and what passes, by area, and write the failures into a file."""
    totals: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    left: Counter[str] = Counter()
    failures: list[str] = []
    for test, outcome in sorted(real.items()):
        file, _, name = test.partition("::")
        if file not in files:
            continue
        reason = reason_to_leave_out(suite, test, name, outcome, hidden.get(file, {}))
        if reason:
            left[reason] += 1
            continue
        area = files[file]
        totals[area] += 1
        mine = ours.get(test, "did not run")
        passed[area] += mine == "passed"
        if mine != "passed":
            failures.append(f"{test}\n    {mine}")
    (cache / f"{suite.name} failures.txt").write_text("\n".join(failures) + "\n", "utf-8")
    counted, all_counted = (sum(n for area, n in one.items() if area not in suite.beside) for one in (passed, totals))
    print(f"\n{suite.name} ({suite.requirement}): {counted} of {all_counted}, {counted / all_counted:.1%}")
    for area in totals:
        note = " (not part of the count)" if area in suite.beside else ""
        print(f"  {area}: {passed[area]} of {totals[area]}{note}")
    for reason, number in left.most_common():
        print(f"  not counted, {reason}: {number}")
    return counted * 10 >= all_counted * 9


def reason_to_leave_out(suite: Suite, test: str, name: str, outcome: str, hidden: dict[str, str]) -> str | None:
    """Why a test does not count; None if it does."""
    if outcome != "passed":
        return "does not pass on the real package here"
    for reason, patterns in suite.tests_left_out.items():
        if any(fnmatch.fnmatch(test, pattern) for pattern in patterns):
            return reason
    reads = hidden.get(name.partition("[")[0])
    return {None: None, "no server": "has no server or client in it"}.get(
        reads, "reads private attributes or component objects"
    )


def files_of(suite: Suite, folder: Path) -> dict[str, str]:
    """The files that count, with their areas."""
    found: dict[str, str] = {}
    for path in sorted(folder.glob("tests/**/test_*.py")):
        name = path.relative_to(folder).as_posix()
        if any(fnmatch.fnmatch(name, one) for patterns in suite.left_out.values() for one in patterns):
            continue
        for area, patterns in suite.areas.items():
            if any(fnmatch.fnmatch(name, one) for one in patterns):
                found[name] = area
                break
    return found


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
    if not ready.exists():
        subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
        _pip(str(python), "install", suite.requirement, *suite.packages)
        _pip(str(python), "install", "--editable", f"{ROOT}[http,auth,otel,yaml]")
        ready.touch()
    return folder, python


def copy_of(folder: Path, cache: Path) -> Path:
    """A copy of a suite in which the imports of the server side are changed."""
    copy = cache / f"{folder.name}-changed"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("*.png", "*.gif", "*.mp4", ".git"))
    for part in ("tests", "docs_src", "examples"):
        for file in (copy / part).rglob("*.py"):
            file.write_text(change_imports(file.read_text("utf-8")), "utf-8")
    for part in ("src", "fastmcp_slim", "fastmcp_remote", "fastmcp_tasks"):
        shutil.rmtree(copy / part, ignore_errors=True)
    return copy


def run(python: Path, folder: Path, files: list[str], results: Path, ours: bool) -> dict[str, str]:
    """Run the tests of the files; returns "passed", "skipped" or the message of the failure by test."""
    command = [
        str(python),
        "-m",
        "pytest",
        "-q",
        "--timeout",
        "20" if not ours else "4",
        f"--junitxml={results}",
        "-o",
        "xfail_strict=false",
    ]
    command += [
        "-o",
        "junit_family=xunit1",
        "-o",
        "addopts=",
        "-o",
        "log_cli=false",
        "--tb=native",
        "--continue-on-collection-errors",
        "-p",
        "no:cacheprovider",
        "-W",
        "default",
    ]
    command += ["-p", "anyio", *(["-p", "suites.our_side"] if ours else []), *files]
    environment = {**os.environ, "PYTHONPATH": f"{TESTS}{os.pathsep}{folder}", "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run(
        command, cwd=folder, env=environment, stdout=results.with_suffix(".log").open("w"), stderr=subprocess.STDOUT
    )
    return read(results)


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
