"""Choose the tests that `make test` leaves to `make check`: `python -m tests.thorough COVERAGE DURATIONS`.

COVERAGE is the data of a run with `--cov --cov-context=test`, DURATIONS its output with `--durations=0`. Of the slow
tests, slowest first, each is left out that reaches no line or branch that the others do not reach; so are slow tests
that reach none in this process, since they run commands in processes of their own.
"""

from __future__ import annotations

import re
import sqlite3
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path

LISTED = Path(__file__).with_name("thorough.txt")
SLOW, SLOW_APART = 1.0, 3.0  # seconds under coverage, on a busy machine

Arc = tuple[int, int, int]  # file, from line, to line


def left_out(reached: Mapping[str, AbstractSet[Arc]], seconds: Mapping[str, float]) -> list[str]:
    """Return the tests to leave out, by name: all that the others make superfluous, slowest first."""
    times = Counter(arc for arcs in reached.values() for arc in arcs)
    result = [name for name, taken in seconds.items() if name not in reached and taken >= SLOW_APART]
    for name in sorted(reached, key=lambda name: -seconds.get(name, 0.0)):
        if seconds.get(name, 0.0) >= SLOW and all(times[arc] > 1 for arc in reached[name]):
            times.subtract(reached[name])
            result.append(name)
    return sorted(result)


def _reached(data: Path) -> dict[str, set[Arc]]:
    found: dict[str, set[Arc]] = defaultdict(set)
    with sqlite3.connect(data) as database:
        query = "select context, file_id, fromno, tono from arc join context on context.id = context_id"
        for context, *arc in database.execute(query):
            found[_function(context.partition("|")[0])].add((arc[0], arc[1], arc[2]))
    return found


def _seconds(output: Path) -> dict[str, float]:
    taken: dict[str, float] = defaultdict(float)
    for line in output.read_text(encoding="utf-8").splitlines():
        if found := re.match(r"\s*([\d.]+)s (?:call|setup|teardown)\s+(\S+::.+)", line):
            taken[_function(found[2])] += float(found[1])
    return taken


def _function(test: str) -> str:
    return test.partition("[")[0].strip()


if __name__ == "__main__":
    names = left_out(_reached(Path(sys.argv[1])), _seconds(Path(sys.argv[2])))
    LISTED.write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
