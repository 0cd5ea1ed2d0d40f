"""Whole commands as a user types them: processor time and peak memory, beside goals and beside bare engines.

Run with `make bench`, or `python -m benchmarks.commands [--only TEXT] [--limit SECONDS] [--largest ROWS]`. Tables are
Adult's complete rows, resampled with ages moved by up to three years, seven quasi-identifiers and the occupation. A
command's time is that of its process and of the processes that it waited for: user and system time, so that other work
on the machine counts little. The best of the runs counts. Results are kept in `benchmarks/results.json`, and
`benchmarks/RESULTS.md` is written from them; a run replaces only the rows that it measured.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from unmask.datasets.adult import adult
from unmask.schema import Numeric

QUASI = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country")
SENSITIVE = "occupation"
ADULT = 30_162
ROLES = [part for name in QUASI for part in ("-q", name)] + ["-s", SENSITIVE]

HERE = Path(__file__).parent
_ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
"""Installing a package compiles its modules to bytecode; without it, a command parses hundreds of files."""

RESULTS = HERE / "results.json"
PAGE = HERE / "RESULTS.md"

RELEASES: Mapping[str, Sequence[str]] = {
    "mondrian": ("mondrian", "--set", "k=5"),
    "anatomy": ("anatomy", "--set", "l=3"),
    "greedy-grouping": ("greedy-grouping", "--set", "l=3"),
    "k-member": ("k-member", "--set", "k=10"),
}


@dataclass(frozen=True)
class Case:
    """A command, on a table of so many rows or on a release of it, and what it should take at most.

    In `command`, `TABLE` stands for the table's file, `NEW` for a new path, and `@NAME` for a release of `RELEASES`.
    """

    name: str
    command: Sequence[str]
    rows: int = 0
    seconds: float | None = None
    gigabytes: float | None = None
    before: str = ""
    runs: int = 1
    compiled: bool = True  # else, as after installing: nothing is compiled yet
    exit_codes: Sequence[int] = (0, 1)
    program: Sequence[str] = field(default=(sys.executable, "-m", "unmask"))


@dataclass(frozen=True)
class Result:
    """What a command took; `seconds` is nothing if it did not end within the limit."""

    seconds: float | None
    wall: float
    gigabytes: float
    measured: str


def _attack(name: str, release: str, *more: str) -> tuple[str, ...]:
    out = () if "--out" in more else ("--json", "NEW")
    return ("attack", name, "--release", f"@{release}", "--people", "TABLE", *ROLES, *more, *out)


def _audit(release: str) -> tuple[str, ...]:
    return ("audit", "TABLE", "--release", f"@{release}", *ROLES, "--json", "NEW", "--seed", "1")


_GROUP_BY = """
import sys, duckdb
names = ", ".join(f'"{name}"' for name in sys.argv[2:])
sql = f"select min(n), count(*) from (select count(*) n from read_parquet('{sys.argv[1]}') group by {names})"
print(duckdb.sql(sql).fetchall())
"""
_PANDAS = """
import sys, pandas
groups = pandas.read_parquet(sys.argv[1]).groupby(sys.argv[2:-1], observed=True)[sys.argv[-1]]
print(groups.size().min(), groups.nunique().min())
"""

_MEASURE = ("measure", "TABLE", *ROLES, "--json", "NEW")
_SANITIZE = ("sanitize", "TABLE", "mondrian", "--set", "k=5", *ROLES, "--out", "NEW")
_EXACT = ("attack", "definetti", "--release", "@anatomy", "-s", SENSITIVE, "--seed", "1", "--json", "NEW")  # rows
_FAST = (*_EXACT, "--set", "tier=fast")
_FUSION = ("attack", "fusion", "--release", "@k-member", "-s", "age", "--seed", "1", "--json", "NEW")
_PLAIN = (sys.executable, "-c")

CASES: tuple[Case, ...] = (
    Case("list", ("list",), seconds=0.5, before="4", runs=5),
    Case("explain k", ("explain", "k"), seconds=0.5, before="5.5", runs=5),
    Case("a missing file is refused", ("measure", "missing.csv"), seconds=0.3, before="2.2", runs=5, exit_codes=(2,)),
    Case("sanitize mondrian", _SANITIZE, 1000, 1.0, before="2.4-5", runs=5),
    Case("measure", _MEASURE, 1000, 1.0, before="2.4-5", runs=5),
    Case("attack random-worlds", _attack("random-worlds", "mondrian"), 1000, 1.0, before="2.4-5", runs=5),
    Case("audit mondrian", _audit("mondrian"), 1000, 1.5, before="2.4-5", runs=5),
    Case("first sanitize mondrian", _SANITIZE, 1000, 3, before="11", compiled=False),
    Case("first measure", _MEASURE, 1000, 3, before="11.5", compiled=False),
    Case("first audit mondrian", _audit("mondrian"), 1000, 6, before="23", compiled=False),
    Case("first audit anatomy", _audit("anatomy"), 1000, 15, before="77", compiled=False),
    Case("audit mondrian", _audit("mondrian"), ADULT, 5, before="5.9 (wall)"),
    Case("audit anatomy", _audit("anatomy"), ADULT, 15, before="23.8 (wall)"),
    Case("audit greedy-grouping", _audit("greedy-grouping"), ADULT, 60, before="not ended at 269 (wall)"),
    Case("attack definetti, exact", _EXACT, ADULT, 4, before="20.6"),
    Case("attack definetti, fast", _FAST, ADULT, 2, before="6.6"),
    Case("attack definetti, fast", _FAST, 10**6, 15, before="88"),
    Case("attack fusion", _FUSION, ADULT, 60, before="not ended at 173"),
    Case("attack minimality", _attack("minimality", "greedy-grouping"), 10**5, 5, before="45.6"),
    Case("attack minimality", _attack("minimality", "greedy-grouping"), 10**6, 60, before="not ended at 150"),
    Case("attack random-worlds --out", _attack("random-worlds", "mondrian", "--out", "NEW"), 10**6, 6, before="22"),
    Case("measure", _MEASURE, 10**6, 2, before="5.9"),
    Case("measure", _MEASURE, 10**7, 12, 1.0, before="53, 3.8 GB"),
    Case("sanitize mondrian", _SANITIZE, 10**7, 15, 2.5, before="63.5, 4.6 GB"),
    Case("audit mondrian", _audit("mondrian"), 10**7, 60, 3.0, before="231, 4.5 GB"),
    *(
        Case("bare group-by (DuckDB)", ("TABLE", *QUASI, SENSITIVE), rows, runs=3, program=(*_PLAIN, _GROUP_BY))
        for rows in (10**6, 10**7)
    ),
    Case("k and l by groupby (pandas)", ("TABLE", *QUASI, SENSITIVE), 10**6, runs=3, program=(*_PLAIN, _PANDAS)),
)

GROWTH: Mapping[str, tuple[Sequence[str], Sequence[int]]] = {
    "measure": (_MEASURE, (10**3, 10**4, 10**5, 10**6, 10**7)),
    "sanitize mondrian": (_SANITIZE, (10**3, 10**4, 10**5, 10**6, 10**7)),
    "attack random-worlds": (_attack("random-worlds", "mondrian"), (10**3, 10**4, 10**5, 10**6)),
    "attack definetti, fast": (_FAST, (10**3, 10**4, 10**5, 10**6)),
    "attack minimality": (_attack("minimality", "greedy-grouping"), (10**3, 10**4, 10**5, 10**6)),
}
"""Commands whose growth with the number of rows is printed, and at which numbers."""


def adult_like(rows: int) -> pa.Table:
    """Return Adult's complete rows, or so many rows drawn from them with ages moved by up to three years."""
    table = adult(quasi=QUASI, sensitive=(SENSITIVE,))
    rng = np.random.default_rng(1)
    drawn = np.arange(ADULT) if rows == ADULT else rng.integers(0, ADULT, rows)
    columns = {}
    for name in (*QUASI, SENSITIVE):
        domain, values = table.schema[name].domain, table.columns[name]
        if isinstance(domain, Numeric):
            moved = 0 if rows == ADULT else rng.integers(-3, 4, rows)
            columns[name] = pa.array((values[drawn] + moved).astype(np.int64))
        else:
            words = pa.array(domain.values)
            columns[name] = words.take(pa.array(values[drawn]))
    return pa.table(columns)


def _write(rows: int, file: Path) -> None:
    """Write a table; in a process of its own, since the peak memory of a command includes that of its parent."""
    parquet.write_table(adult_like(rows), file)


class Folder:
    """Tables and releases that several commands share, made when first asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @cache  # noqa: B019 - lives as long as the run
    def table(self, rows: int) -> Path:
        """Return the file of a table."""
        file = self.path / f"{rows}.parquet"
        maker = multiprocessing.get_context("spawn").Process(target=_write, args=(rows, file))
        maker.start()
        maker.join()
        if maker.exitcode:
            raise RuntimeError(f"the table of {rows} rows was not written; its process ended with {maker.exitcode}")
        return file

    @cache  # noqa: B019 - lives as long as the run
    def release(self, name: str, rows: int) -> Path:
        """Return the folder of a release of the table."""
        folder = self.path / f"{name}-{rows}"
        command = [sys.executable, "-m", "unmask", "sanitize", str(self.table(rows)), *RELEASES[name], *ROLES]
        subprocess.run([*command, "--out", str(folder), "--quiet"], check=True, capture_output=True)  # noqa: S603 - our own program
        return folder

    def filled(self, case: Case) -> list[str]:
        """Return the command with the places of its files."""
        new = tempfile.mktemp(dir=self.path)  # noqa: S306 - a name in a folder of ours
        places = {"TABLE": lambda: str(self.table(case.rows)), "NEW": lambda: new}
        return [
            *case.program,
            *(
                str(self.release(part[1:], case.rows)) if part.startswith("@") else places.get(part, lambda p=part: p)()
                for part in case.command
            ),
        ]


def run(case: Case, folder: Folder, limit_s: float) -> Result:
    """Run a command, and return the best of its times."""
    results = []
    for _ in range(case.runs):
        command = folder.filled(case)
        with tempfile.TemporaryDirectory(dir=folder.path) as cache_folder:
            extra = {} if case.compiled else {"NUMBA_CACHE_DIR": cache_folder}
            results.append(_once(command, {**_ENVIRONMENT, **extra}, case.exit_codes, limit_s))
        if results[-1].seconds is None:
            break
    return min(results, key=lambda result: math.inf if result.seconds is None else result.seconds)


def _once(command: Sequence[str], environment: Mapping[str, str], exit_codes: Sequence[int], limit_s: float) -> Result:
    with tempfile.TemporaryFile() as errors:
        start = time.monotonic()
        process = subprocess.Popen(  # noqa: S603 - our own program
            command, env=environment, stdout=subprocess.DEVNULL, stderr=errors, start_new_session=True
        )
        timer = threading.Timer(limit_s, os.killpg, (process.pid, signal.SIGKILL))
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        wall = time.monotonic() - start
        code = os.waitstatus_to_exitcode(status)
        gigabytes = usage.ru_maxrss / 2**20
        if code not in exit_codes and code != -signal.SIGKILL:
            errors.seek(0)
            raise RuntimeError(f"{' '.join(command)}: exit code {code}\n{errors.read().decode()}")
    ended = code != -signal.SIGKILL
    seconds = usage.ru_utime + usage.ru_stime
    return Result(seconds if ended else None, wall, gigabytes, datetime.now(UTC).strftime("%Y-%m-%d"))


def exponent(seconds: Mapping[int, float]) -> float | None:
    """Return the growth exponent between the largest two numbers of rows that take over a second; none if too short."""
    rows = sorted(n for n, s in seconds.items() if s >= 1)[-2:]
    if len(rows) < 2:
        return None
    small, large = rows
    return math.log(seconds[large] / seconds[small]) / math.log(large / small)


def measured(cases: Sequence[Case], limit_s: float) -> Iterator[tuple[Case, Result]]:
    """Run each command on tables of one temporary folder."""
    with tempfile.TemporaryDirectory(prefix="unmask-bench-") as path:
        folder = Folder(Path(path))
        for case in cases:
            result = run(case, folder, limit_s)
            took = f"{result.seconds:.2f} s" if result.seconds is not None else f"not ended at {result.wall:.0f} s"
            print(f"{case.name:32} {case.rows:>10,} {took:>22} {result.gigabytes:6.2f} GB", flush=True)
            yield case, result


def key(case: Case) -> str:
    """Return the name under which a result is kept."""
    return f"{case.name} @ {case.rows}"


def growing() -> Iterator[Case]:
    """Return a case for each number of rows of each command whose growth is printed."""
    for name, (command, numbers) in GROWTH.items():
        for rows in numbers:
            yield Case(name, command, rows)


def page(results: Mapping[str, Result]) -> str:
    """Return the page of results."""
    lines = [
        "# Times of whole commands",
        "",
        "Written by `make bench` (`benchmarks/commands.py`); processor seconds (user and system, child processes",
        "included) on 2 cores shared with other work, and peak memory of the largest process. Tables: Adult's 30,162",
        "complete rows, or rows drawn from them with ages moved by up to three years; seven quasi-identifiers.",
        "",
        "| command | rows | before | goal | now | memory | measured |",
        "|---|---|---|---|---|---|---|",
    ]
    for case in CASES:
        result = results.get(key(case))
        goal = "" if case.seconds is None else f"≤ {case.seconds:g} s"
        if case.gigabytes is not None:
            goal += f", ≤ {case.gigabytes:g} GB"
        rows = f"{case.rows:,}" if case.rows else ""
        lines.append(f"| {case.name} | {rows} | {case.before} | {goal} | {_taken(result)} |")
    lines += [
        "",
        "## Growth",
        "",
        "Processor seconds by number of rows; the exponent is that between the largest two that take a second or more.",
        "",
        "| command | 10³ | 10⁴ | 10⁵ | 10⁶ | 10⁷ | exponent |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, (_, numbers) in GROWTH.items():
        kept = {n: results[f"{name} @ {n}"].seconds for n in numbers if f"{name} @ {n}" in results}
        seconds = {n: s for n, s in kept.items() if s is not None}
        power = exponent(seconds)
        cells = [f"{seconds[n]:.2f}" if n in seconds else "" for n in (10**3, 10**4, 10**5, 10**6, 10**7)]
        lines.append(f"| {name} | {' | '.join(cells)} | {'' if power is None else f'{power:.2f}'} |")
    return "\n".join(lines) + "\n"


def _taken(result: Result | None) -> str:
    if result is None:
        return "not measured | |"
    took = f"{result.seconds:.2f} s" if result.seconds is not None else f"not ended at {result.wall:.0f} s (wall)"
    return f"{took} | {result.gigabytes:.2f} GB | {result.measured}"


def main() -> None:
    """Measure the commands whose name contains a text, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="commands whose name contains this text")
    parser.add_argument("--limit", type=float, default=300, help="seconds after which a command is stopped")
    parser.add_argument("--largest", type=int, default=10**7, help="no tables of more rows")
    parser.add_argument("--growth", action="store_true", help="also the commands whose growth is printed")
    options = parser.parse_args()
    cases = {key(case): case for case in ([*growing()] if options.growth else [])}
    cases |= {key(case): case for case in CASES}
    chosen = [case for case in cases.values() if options.only in case.name and case.rows <= options.largest]
    kept = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    results = {name: Result(**values) for name, values in kept.items()}
    for case, result in measured(chosen, options.limit):
        results[key(case)] = result
        RESULTS.write_text(json.dumps({k: asdict(r) for k, r in sorted(results.items())}, indent=1) + "\n", "utf-8")
        PAGE.write_text(page(results), encoding="utf-8")


if __name__ == "__main__":
    main()
