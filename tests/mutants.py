"""Does a test notice? Makes random changes in one module, one at a time, and runs the golden tests.

    make mutants MODULE=src/plainmcp/schema/generate.py            30 mutants of one module
    make mutants MODULE=… COUNT=10 SEED=7                 fewer mutants, and different ones

A mutant is a copy of src with one change, in a temporary directory: the working tree does not change. It is dead if
a test fails, if an import fails, or if the tests take too long. For each survivor its place and its change are
printed, and at the end the share of dead mutants. A seed gives the same mutants as long as the module does not
change. A survivor is either not tested, or changes nothing that a client can see.
"""

import argparse
import ast
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
FIRST = ("test_http.py", "test_hints.py")  # they notice the most, and are quick
TESTS = sorted((ROOT / "tests/golden").glob("test_*.py"), key=lambda file: (file.name not in FIRST, file.name))
OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.Lt: ast.GtE,
    ast.Gt: ast.LtE,
    ast.Is: ast.IsNot,
    ast.In: ast.NotIn,
}
OPPOSITES |= {other: one for one, other in OPPOSITES.items()}


# Mutants ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Mutant:
    """One change: some text of a module, and what stands there instead."""

    kind: str
    line: int
    start: int  # in bytes, from the beginning of the file
    end: int
    text: str

    def apply(self, source: bytes) -> bytes:
        """The module with this change."""
        return source[: self.start] + self.text.encode() + source[self.end :]

    def show(self, source: bytes) -> str:
        """The lines that differ."""
        changed = self.apply(source)
        before = source.count(b"\n", 0, self.start)
        old = source.decode().splitlines()[before : source.count(b"\n", 0, self.end) + 1]
        new = changed.decode().splitlines()[before : before + len(old) + changed.count(b"\n") - source.count(b"\n")]
        return "\n".join([*(f"    - {line.strip()}" for line in old), *(f"    + {line.strip()}" for line in new)])


class Places(ast.NodeVisitor):
    """Finds every change that can be made to a module."""

    def __init__(self, source: bytes) -> None:
        self._starts = [0]
        for line in source.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self.found: list[Mutant] = []

    def _change(self, kind: str, node: ast.expr | ast.stmt, new: str) -> None:
        assert node.end_lineno is not None and node.end_col_offset is not None
        start = self._starts[node.lineno - 1] + node.col_offset
        end = self._starts[node.end_lineno - 1] + node.end_col_offset
        self.found.append(Mutant(kind, node.lineno, start, end, new))

    # What is not looked at: hints, names that are exported, texts, and what only a log or a type checker reads.

    def visit_arg(self, node: ast.arg) -> None:
        pass

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        if [ast.unparse(target) for target in node.targets] == ["__all__"]:
            return
        if any(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets):
            self._change("a dropped statement", node, "pass")
        self.visit(node.value)

    def visit_Assert(self, node: ast.Assert) -> None:
        pass

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        pass

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for default in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(default)
        for statement in node.body:  # not its decorators: most are caches
            self.visit(statement)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.visit_FunctionDef(node)

    # What is changed.

    def visit_Compare(self, node: ast.Compare) -> None:
        opposite = OPPOSITES[type(node.ops[0])]()
        changed = ast.Compare(node.left, [opposite, *node.ops[1:]], node.comparators)
        self._change("a flipped comparison", node, f"({ast.unparse(changed)})")
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        self._change("and for or", node, f"({ast.unparse(ast.BoolOp(other, node.values))})")
        self.generic_visit(node)

    def _negate(self, condition: ast.expr) -> None:
        if ast.unparse(condition) != "TYPE_CHECKING":
            self._change("a negated condition", condition, f"(not ({ast.unparse(condition)}))")

    def visit_If(self, node: ast.If | ast.While | ast.IfExp) -> None:
        self._negate(node.test)
        self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        self.visit_If(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.visit_If(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for condition in node.ifs:
            self._negate(condition)
        self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> None:
        nothing = isinstance(node.value, ast.Constant) and not node.value.value  # as good as None
        if node.value is not None and not nothing:
            self._change("a lost return value", node, "return None")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if type(node.value) in (int, float):
            self._change("a number off by one", node, repr(node.value + 1))

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):  # a docstring
            return
        if isinstance(node.value, ast.Call) and ast.unparse(node.value.func).startswith("_log."):
            return
        self._change("a dropped statement", node, "pass")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._change("a dropped statement", node, "pass")
        self.generic_visit(node)

    def visit_Delete(self, node: ast.Delete) -> None:
        self._change("a dropped statement", node, "pass")


def mutants(source: bytes, count: int, seed: int) -> list[Mutant]:
    """So many of the changes that can be made, by chance, in the order of their lines."""
    places = Places(source)
    places.visit(ast.parse(source))
    chosen = random.Random(seed).sample(places.found, min(count, len(places.found)))
    return sorted(chosen, key=lambda mutant: (mutant.line, mutant.start))


# Running ------------------------------------------------------------------------------------------


def run_tests(tests: list[Path], source: Path, seconds: float | None = None) -> str:
    """What came of the tests with this directory for src: "passed", "failed" or "took too long"."""
    options = ["-q", "-x", "-n", "2", "-p", "no:cacheprovider", "--no-header", "--tb=no"]
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", *options, *tests],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return "passed" if process.wait(seconds) == 0 else "failed"
    except subprocess.TimeoutExpired:
        return "took too long"
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)  # it and its workers, which are in a session of their own
            process.wait()


def try_each(module: Path, chosen: list[Mutant], tests: list[Path]) -> Iterator[tuple[Mutant, str]]:
    """Each mutant, and what came of the tests."""
    source = module.read_bytes()
    with tempfile.TemporaryDirectory() as directory:
        copy = Path(directory) / "src"
        shutil.copytree(ROOT / "src", copy, ignore=shutil.ignore_patterns("__pycache__"))
        place = copy / module.relative_to(ROOT / "src")
        started = time.monotonic()
        if run_tests(tests, copy) != "passed":
            sys.exit("the tests fail as it is; see `pytest tests/golden`")
        seconds = time.monotonic() - started
        print(f"without a change the tests take {seconds:.0f} s", flush=True)
        for mutant in chosen:
            place.write_bytes(mutant.apply(source))
            yield mutant, run_tests(tests, copy, 60 + 3 * seconds)


def main() -> None:
    """Make mutants of one module, and tell which survive."""
    parser = argparse.ArgumentParser(description="random mutants of one module against the tests at the wire")
    parser.add_argument("module", type=Path)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tests", type=Path, nargs="*", default=TESTS, help="without it, all of tests/golden")
    given = parser.parse_args()
    module = given.module.resolve()
    source = module.read_bytes()
    made, died, by_kind = 0, 0, Counter[str]()
    for mutant, outcome in try_each(module, mutants(source, given.count, given.seed), given.tests):
        made += 1
        died += outcome != "passed"
        by_kind[mutant.kind] += 1
        by_kind[f"{mutant.kind}, died"] += outcome != "passed"
        if outcome == "passed":
            print(
                f"survived {module.relative_to(ROOT)}:{mutant.line}: {mutant.kind}\n{mutant.show(source)}",
                flush=True,
            )
        else:
            print(f"{'died' if outcome == 'failed' else 'hung'}     line {mutant.line}: {mutant.kind}", flush=True)
    for kind in sorted(kind for kind in by_kind if not kind.endswith(", died")):
        print(f"{by_kind[f'{kind}, died']:4} of {by_kind[kind]:<3} {kind}")
    print(f"{died} of {made} died ({100 * died / made:.0f} %)" if made else "there is nothing to change")


if __name__ == "__main__":
    main()
