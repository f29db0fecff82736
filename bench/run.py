"""Every system on the same workload, taking turns: `make bench`, or a part of it while tuning.

run.py                       everything; writes RESULTS.md and the drawings
run.py --quick --only asgi   one way in, in less than a minute; prints the best of a few rounds and writes nothing
"""

import argparse
import json
import sys
import time

import report
from measures import WAYS, Pace, Row
from rounds import HERE

__all__: list[str] = []

FULL = Pace(rounds=15, slice=0.05, starts=9, http_rounds=8, http_seconds=0.6)
QUICK = Pace(rounds=7, slice=0.02, starts=3, http_rounds=1, http_seconds=0.3)
KEPT = HERE / ".results.json"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds; writes nothing")
    parser.add_argument("--only", action="append", choices=list(WAYS), help="a way in; may be given several times")
    options = parser.parse_args()
    pace = QUICK if options.quick else FULL
    rows: list[Row] = []
    about = report.about(" ".join(["bench/run.py", *sys.argv[1:]]), pace)
    start, source = time.monotonic(), report.source()
    for name in options.only or WAYS:
        print(f"\n{name}: {WAYS[name].__doc__}", flush=True)
        WAYS[name](pace, lambda row: _show(rows, row))
    print(f"\n{time.monotonic() - start:.0f} s")
    if not options.quick and not options.only:
        about["changed"] = source != report.source()
        KEPT.write_text(json.dumps({"about": about, "rows": [row.plain() for row in rows]}))
        report.write(KEPT)


def _show(rows: list[Row], row: Row) -> None:
    rows.append(row)
    figures = "  ".join(f"{name} {sample.best:,.2f}" for name, sample in row.samples.items())
    ours = row.samples.get("plainmcp")
    ratios = "  ".join(
        f"= {ours.best / sample.best:.2f} floors" if name == "floor" else f"{name} x {sample.best / ours.best:.2f}"
        for name, sample in row.samples.items()
        if ours and name != "plainmcp"
    )
    print(f"  {row.way:24} {row.what:30} {row.unit:6} {figures}    {ratios}", flush=True)


if __name__ == "__main__":
    main()
