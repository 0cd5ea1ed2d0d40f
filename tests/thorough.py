"""Choose the tests that `make test` leaves to `make check`: `python -m tests.thorough COVERAGE DURATIONS`.

COVERAGE is the data of a run with `--cov --cov-context=test`, DURATIONS its output with `--durations=0 -vv`. Of slow
tests, each case of a parameter is left out, slowest first, that reaches no line or branch that the others do not reach;
so are slow tests that reach none in this process, since they run commands in processes of their own or read the source.
"""

from __future__ import annotations

import ast
import re
import sqlite3
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

LISTED = Path(__file__).with_name("thorough.txt")
SLOW, SLOW_APART = 1.0, 3.0  # seconds of all cases of a test under coverage, on a busy machine
SLOW_CASE = 0.1

Arc = tuple[int, int, int]  # file, from line, to line


def left_out(
    reached: Mapping[str, Collection[Arc]], seconds: Mapping[str, float], optional: Collection[str] = ()
) -> list[str]:
    """Return the cases to leave out: all that the others make superfluous, slowest first; a test where all of its are.

    Its name is `file::test[case]`, or `file::test` without parameters. Optional cases are skipped where what they need
    is not installed: they make only each other superfluous.
    """
    of_test: dict[str, float] = defaultdict(float)
    for case, taken in seconds.items():
        of_test[function(case)] += taken
    apart = {test for test, taken in of_test.items() if taken >= SLOW_APART} - {function(case) for case in reached}
    result = {case for case in seconds if function(case) in apart}
    certain = Counter(arc for case, arcs in reached.items() if case not in optional for arc in arcs)
    perhaps = Counter(arc for case in optional for arc in reached.get(case, ()))
    for case in sorted(reached, key=lambda case: -seconds.get(case, 0.0)):
        slow = seconds.get(case, 0.0) >= SLOW_CASE and of_test[function(case)] >= SLOW
        if slow and case in optional and all(certain[arc] or perhaps[arc] > 1 for arc in reached[case]):
            perhaps.subtract(reached[case])
            result.add(case)
        elif slow and case not in optional and all(certain[arc] > 1 for arc in reached[case]):
            certain.subtract(reached[case])
            result.add(case)
    return sorted(_shortened(result, {*reached, *seconds}))


def function(case: str) -> str:
    """Return the test of a case."""
    return case.partition("[")[0]


def _shortened(cases: set[str], every: set[str]) -> set[str]:
    kept = {function(case) for case in every - cases}
    return {case if function(case) in kept else function(case) for case in cases}


def _reached(data: Path) -> dict[str, set[Arc]]:
    """Return what each case reaches, without what importing a file reaches: whoever calls its functions imports it."""
    found: dict[str, set[Arc]] = defaultdict(set)
    with sqlite3.connect(data) as database:
        files = [(number, Path(path)) for number, path in database.execute("select id, path from file")]
        inside = {number: set(_inside(path)) for number, path in files if path.exists()}  # else a test wrote it
        arcs: dict[Arc, Arc] = {}  # one object for each
        query = "select context, file_id, fromno, tono from arc join context on context.id = context_id"
        for context, number, start, end in database.execute(query):
            lines = inside.get(number, ())
            if number in inside and (not lines or start in lines or end in lines):
                arc = (number, start, end)
                found[context.rpartition("|")[0]].add(arcs.setdefault(arc, arc))
    return found


def _inside(path: Path) -> Iterator[int]:
    """Yield the lines of functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from range(node.body[0].lineno, (node.end_lineno or 0) + 1)


def _optional(cases: Collection[str]) -> set[str]:
    """Return the cases of files that look for data, a program or a package that may not be there."""
    looking = re.compile(
        r"^tests/warehouse/spark/|tests\.spark|data_folder|UNMASK_DATA|importorskip|opened_browser|weka|postgres"
    )
    root = LISTED.parents[1]
    files = {case.partition("::")[0] for case in cases} - {""}
    found = {file for file in files if looking.search(file + (root / file).read_text(encoding="utf-8"))}
    return {case for case in cases if case.partition("::")[0] in found}


def _seconds(output: Path) -> dict[str, float]:
    taken: dict[str, float] = defaultdict(float)
    for line in output.read_text(encoding="utf-8").splitlines():
        if found := re.match(r"\s*([\d.]+)s (?:call|setup|teardown)\s+(tests/\S+?::.+)", line):
            taken[found[2].strip()] += float(found[1])
    return taken


if __name__ == "__main__":
    reached = _reached(Path(sys.argv[1]))
    names = left_out(reached, _seconds(Path(sys.argv[2])), _optional(reached))
    LISTED.write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
