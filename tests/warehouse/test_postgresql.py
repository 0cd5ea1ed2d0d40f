"""PostgreSQL: a table that stays on its server is measured as one that is loaded; nothing is written, nothing told."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

import unmask
from tests import postgres
from tests.warehouse.audited import attack_differences, documents
from tests.warehouse.compared import differences, in_engine, in_memory
from tests.warehouse.releases import MESSY_RELEASE_OPTIONS, banded_adult
from tests.warehouse.tables import ADULT_OPTIONS, INJECTION, MESSY_OPTIONS, adult_sample, messy
from unmask.cli import run

TYPES = {"string": "text", "int64": "bigint", "int32": "integer", "date32[day]": "date", "bool": "boolean"}


@pytest.fixture(scope="module")
def server() -> Iterator[postgres.Server]:
    """A server for the tests of this file."""
    with postgres.server() as found:
        yield found


def put(server: postgres.Server, name: str, people: pa.Table) -> None:
    """Create a table of people on the server."""
    quoted = [f'"{column.replace(chr(34), chr(34) * 2)}"' for column in people.column_names]
    columns = ", ".join(f"{q} {TYPES[str(kind)]}" for q, kind in zip(quoted, people.schema.types, strict=True))
    server.run(f'create table "{name}" ({columns})')
    server.copy(f'copy "{name}" from stdin', [tuple(row.values()) for row in people.to_pylist()])


def test_the_census_has_the_same_document(server):
    """Every model, the limits that all published columns break, and unique people."""
    server.empty()
    people = adult_sample(1000)
    put(server, "people", people)
    found = in_engine(server.dsn("people"), "postgresql", **ADULT_OPTIONS)
    assert list(differences(found, in_memory(people, **ADULT_OPTIONS))) == []


@pytest.mark.parametrize("policy", ["own", pytest.param("wildcard", marks=pytest.mark.sweep)])
def test_a_messy_table_has_the_same_document(server, policy):
    """NULLs, marks, `*`, 64-bit keys, dates, booleans, and names that are SQL; the table is still there."""
    server.empty()
    people = messy()
    put(server, "people; --", people)
    options = {**MESSY_OPTIONS, "missing_policy": policy}
    if policy == "own":  # without a pattern of cells that match everything, the joins are few
        options["quasi"] = [INJECTION, "born"]
    found = in_engine(server.dsn("people; --"), "postgresql", **options)
    assert list(differences(found, in_memory(people, **options))) == []


def test_a_release_is_attacked_as_in_memory(server):
    """Both attackers, linkage, the control by the nearest groups, and exposed people, in one read-only transaction."""
    server.empty()
    people, release = banded_adult(120)
    put(server, "people", people)
    put(server, "release", release)
    options = {"quasi": ["age", "sex"], "sensitive": ["occupation"], "attack": ["random-worlds", "linkage"]}
    memory = people, [release]
    found = documents(server.dsn("people"), [server.dsn("release")], "postgresql", memory, **options, max_belief=0.6)
    assert list(attack_differences(*found)) == []
    assert postgres.PASSWORD not in str(found[0])


@pytest.mark.sweep
def test_a_messy_release_is_attacked_as_in_memory(server):
    """NULLs, marks, 64-bit keys, booleans, and names that are SQL."""
    server.empty()
    people = messy(30)
    release = people.slice(5).drop_columns(["notes; --", "born"])
    put(server, "people; --", people)
    put(server, "release", release)
    options = {**MESSY_RELEASE_OPTIONS, "quasi": [INJECTION, "select"]}
    memory = people, [release]
    found = documents(server.dsn("people; --"), [server.dsn("release")], "postgresql", memory, **options)
    assert list(attack_differences(*found)) == []


def test_nothing_is_left_in_the_database(server):
    """No table, no view, no schema."""
    server.empty()
    put(server, "people", adult_sample(100))
    relations = "select count(*) from pg_class"

    def number() -> object:
        import psycopg  # noqa: PLC0415

        with psycopg.connect(server.dsn()) as connection:
            return connection.execute(relations).fetchone()

    before = number()
    unmask.measure(server.dsn("people"), engine="postgresql", quasi=["age"])
    assert number() == before


def test_a_server_that_ends_in_the_middle_is_one_line(server, capsys):
    """Exit 5, and the password is nowhere."""
    server.empty()
    server.run("create view slow as select i as age, pg_sleep(0.2)::text as nap from generate_series(1, 100) i")
    ending = threading.Thread(target=_end_soon, args=(server,))
    ending.start()
    code = run(["measure", server.dsn("slow"), "-q", "age", "-q", "nap", "--engine", "postgresql", "--no-progress"])
    ending.join()
    printed = capsys.readouterr()
    assert code == 5
    assert printed.out == ""
    (line,) = [one for one in printed.err.splitlines() if one.startswith("error")]
    assert "broke off" in line
    assert postgres.PASSWORD not in printed.err
    assert postgres.ENCODED not in printed.err


def _end_soon(server: postgres.Server) -> None:
    """End the session of the measurement, as a server that stops does."""
    for _ in range(100):
        time.sleep(0.2)
        import psycopg  # noqa: PLC0415

        with psycopg.connect(server.dsn(), autocommit=True) as connection:
            ended = connection.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity "
                "where application_name = 'unmask' and query like '%count%'"
            ).fetchall()
        if ended:
            return


def test_the_document_and_its_queries_hold_no_password(server, tmp_path):
    """Neither the name of the table nor the queries tell how the server is reached."""
    server.empty()
    put(server, "people", adult_sample(50))
    document: Path = tmp_path / "found.json"
    arguments = ["measure", server.dsn("people"), "-q", "age", "--engine", "postgresql", "--json", str(document)]
    assert run(arguments) == 0
    assert postgres.PASSWORD not in document.read_text()
    assert postgres.ENCODED not in document.read_text()


def test_another_source_is_refused():
    """A file is not a server."""
    with pytest.raises(Exception, match="postgresql://HOST/DATABASE#TABLE"):
        unmask.measure("people.parquet", engine="postgresql", quasi=["age"])
