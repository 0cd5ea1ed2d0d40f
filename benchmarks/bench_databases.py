"""How long it takes to read a million rows of eight columns from databases, beside the same rows as a CSV file.

Run with `pytest benchmarks/bench_databases.py`. Time is that of this process, of all its threads: what the server of
PostgreSQL does beside it is not counted.
"""

from __future__ import annotations

import csv
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import psycopg
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from tests.postgres import Server, server
from unmask.files.reading import read

N = 1_000_000
COLUMNS = "id int, zip text, age int, sex text, born date, income numeric(9, 2), married boolean, ill text"
ROWS = f"""
    select i, lpad((i % 9999)::text, 5, '0'), 20 + i % 60, (array['M', 'F'])[1 + i % 2],
        date '1950-01-01' + (i % 20000), round((i % 10007)::numeric / 7, 2), i % 3 = 0,
        (array['flu', 'cold', 'hiv', 'asthma'])[1 + (i * 7) % 4]
    from generate_series(1, {N}) as i
"""  # noqa: S608 - a number of ours


@pytest.fixture(scope="module")
def postgres() -> Iterator[Server]:
    """Run a server with the table."""
    with server() as found:
        found.run(f"create table people ({COLUMNS})", f"insert into people {ROWS}")
        yield found


@pytest.fixture(scope="module")
def sources(postgres: Server, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Write the table in every form, and return what it is read from."""
    folder: Path = tmp_path_factory.mktemp("people")
    table = folder / "people.csv"
    copying = "copy people to stdout (format csv, header)"
    with psycopg.connect(postgres.dsn()) as there, there.cursor().copy(copying) as copy, table.open("wb") as file:
        file.writelines(bytes(block) for block in copy)
    with duckdb.connect(str(folder / "people.duckdb")) as database:
        database.execute(f"create table people ({COLUMNS}); copy people from '{table}' (header)")
    with closing(sqlite3.connect(folder / "people.db")) as lite, lite, table.open(newline="") as lines:
        lite.execute(f"create table people ({COLUMNS})")
        _, *rows = csv.reader(lines)
        lite.executemany("insert into people values (?, ?, ?, ?, ?, ?, ?, ?)", rows)
    return {
        "csv": str(folder / "people.csv"),
        "postgresql": postgres.dsn("people"),
        "duckdb": f"duckdb:///{folder}/people.duckdb#people",
        "sqlite": f"sqlite:///{folder}/people.db#people",
    }


@pytest.mark.parametrize("form", ["csv", "postgresql", "duckdb", "sqlite"])
def test_reading_a_million_rows(benchmark: BenchmarkFixture, sources: dict[str, str], form: str):
    """From the first byte to columns of codes."""
    taken = []

    def reading() -> int:
        began = time.process_time()
        n = read(sources[form]).n_rows
        taken.append(time.process_time() - began)
        return n

    assert benchmark.pedantic(reading, rounds=3, warmup_rounds=1) == N
    benchmark.extra_info["processor seconds"] = round(min(taken), 2)
    print(form, benchmark.extra_info)
