"""`make realworld`: published servers, run on the real package and on ours; prints counts and every difference.

python -m realworld.run [--cache FOLDER] [--only NAME …] [--verbose]
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from .cases import CASES, Case
from .compare import Difference, differences
from .conversation import Seen, see, see_http
from .environments import ROOT, changed_copy, entry_of, interpreter_of, interpreter_with, unpacked
from .reasons import reason_of

WAYS = ("changed import", "drop-in", "command")
"""Our ways to run a server: with its imports changed, with `compat.install()`, by `plainmcp serve --drop-in`."""
SANDBOX = Path(__file__).with_name("sandbox.py")


def look(case: Case, way: str, cache: Path, known: Seen | None = None) -> Seen:
    """What a client sees of a server on the real package ("real"), or on ours by one of the WAYS."""
    command = command_of(case, way, cache) if case.app is None else command_of_app(case, way, cache)
    with tempfile.TemporaryDirectory() as work:
        environment = {
            "PATH": os.defpath,
            "HOME": work,
            "TMPDIR": work,
            "LANG": "C.UTF-8",
            "PYTHONPATH": "" if way == "real" else str(ROOT / "src"),
            "PYTHONDONTWRITEBYTECODE": "1",
            **case.environment,
        }
        talk = see if case.app is None else see_http
        return asyncio.run(talk([*command, *case.arguments], Path(work).resolve(), environment, known))


def command_of(case: Case, way: str, cache: Path) -> list[str]:
    """The command of a published server, in the sandbox."""
    folder = unpacked(case, cache)
    source = changed_copy(case, folder, cache) if way == "changed import" else folder
    python = interpreter_of(case.line if way == "real" else "ours", cache)
    script, entry = entry_of(case, folder)
    start = script if way == "command" else entry
    return [str(python), str(SANDBOX), way.replace("changed import", "real"), str(source), start]


def command_of_app(case: Case, way: str, cache: Path) -> list[str]:
    """The command of a program of ours that uses a framework: it serves HTTP by itself."""
    app = str(Path(__file__).with_name("apps") / str(case.app))
    python = str(interpreter_with(case, cache))
    return [python, app] if way == "real" else [python, "-m", "plainmcp", "serve", "--drop-in", app]


def ways_of(case: Case, ways: Sequence[str]) -> list[str]:
    """The ways in which a case is run: the imports of a framework are not changed, and the command installs ours."""
    return [way for way in ways if case.app is None or way == "command"]


def is_listed_same(found: list[Difference]) -> bool:
    """Whether the lists are the same whole."""
    return not any(area in ("tools", "resources", "resourceTemplates", "prompts") for area, *_ in found)


def is_named_same(found: list[Difference]) -> bool:
    """Whether the lists have the same names, and the tools the same input schemas."""
    for area, path, old, new in found:
        if area != "calls" and "/" not in path and "(absent)" in (old, new):
            return False
        if area == "tools" and "/inputSchema" in path:
            return False
    return True


def main() -> int:
    """Run the cases; returns 1 if a difference has no explanation."""
    parser = argparse.ArgumentParser(description="published servers, on the real package and on ours")
    parser.add_argument("--cache", type=Path, default=ROOT / ".realworld")
    parser.add_argument("--only", nargs="*", action="extend")
    parser.add_argument("--way", choices=WAYS, action="append")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    cache = options.cache.resolve()
    cases = [case for case in CASES if options.only is None or any(text in case.name for text in options.only)]
    for line in dict.fromkeys([*(case.line for case in cases), "ours"]):
        interpreter_of(line, cache)
    ways = options.way or list(WAYS)
    with ThreadPoolExecutor(2) as pool:
        reports = list(pool.map(lambda case: examine(case, ways, cache), cases))
    return report(reports, ways, options.verbose)


Report = tuple[Case, Seen, dict[str, Seen]]


def examine(case: Case, ways: Sequence[str], cache: Path) -> Report:
    """One case, on the real package and in every way of ours."""
    kept = cache / "seen" / f"{case.name}.json"  # the real package does not change from run to run
    if kept.exists():
        theirs = json.loads(kept.read_text("utf-8"))
    else:
        theirs = look(case, "real", cache)
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(theirs), "utf-8")
    return case, theirs, {way: look(case, way, cache, {"tools": [], **theirs}) for way in ways_of(case, ways)}


def report(reports: list[Report], ways: list[str], verbose: bool) -> int:
    """Print the counts and the differences; returns 1 if a difference has no explanation."""
    counts: Counter[tuple[str, str]] = Counter()
    unexplained: Counter[str] = Counter()
    explained: Counter[str] = Counter()
    for case, theirs, seen in reports:
        size = f"{len(theirs.get('tools', []))} tools, {len(theirs['calls'])} calls"
        print(f"\n{case.name} ({case.line}; {size})")
        if not theirs["starts"]:
            print("  does not start on the real package:", *theirs["stderr"].strip().splitlines()[-3:], sep="\n    ")
        for way, ours in seen.items():
            counts[way, "run"] += 1
            counts[way, "starts"] += ours["starts"]
            if not ours["starts"]:
                print(f"  {way}: does not start:", *ours["stderr"].strip().splitlines()[-3:], sep="\n    ")
                unexplained[f"start of {case.name}"] += theirs["starts"]
                continue
            found = differences(theirs, ours)
            counts[way, "names and input schemas the same"] += is_named_same(found)
            counts[way, "lists the same"] += is_listed_same(found)
            wrong = [one for one in found if one[0] == "calls"]
            counts[way, "calls"] += len(theirs["calls"])
            counts[way, "calls the same"] += len(theirs["calls"]) - len(wrong)
            print(f"  {way}: {len(found) - len(wrong)} differences in lists, {len(wrong)} in calls")
            for one in found:
                reason = reason_of(case.line, one)
                (explained if reason else unexplained)[reason or f"{one[0]} of {case.name}"] += 1
                if verbose or not reason:
                    print(f"    {one[0]}: {one[1]}\n      theirs: {_short(one[2])}\n      ours:   {_short(one[3])}")
    real = sum(theirs["starts"] for _, theirs, _ in reports)
    print(f"\n{len(reports)} servers; {real} start on the real package")
    for way in ways:
        print(f"{way}: " + ", ".join(f"{count} {name}" for (key, name), count in counts.items() if key == way))
    for reason, count in explained.most_common():
        print(f"{count} differences: {reason}")
    print(f"{sum(unexplained.values())} differences without an explanation")
    return 1 if unexplained else 0


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 700 else f"{text[:350]} … {text[-300:]}"


if __name__ == "__main__":
    sys.exit(main())
