"""Queries for a warehouse that cannot be reached: in its dialect, marked as never run, and right where tried."""

from __future__ import annotations

import duckdb
import pytest
import sqlglot

from tests.warehouse.tables import adult_sample
from unmask.cli import run

OPTIONS = ["-q", "age", "-q", "sex", "-s", "occupation", "--print-sql"]


@pytest.mark.parametrize("dialect", ["snowflake", "bigquery", "databricks", "postgres", "spark", "duckdb"])
def test_queries_are_written_in_the_dialect(capsys, dialect):
    """Each parses there, and the first line says that nothing has run it."""
    assert run(["measure", "clinic.people", *OPTIONS, dialect]) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"-- Written by unmask for {dialect}, and never run there")
    assert len([one for one in sqlglot.parse(text, read=dialect) if one is not None]) > 4


def test_the_queries_run_as_written(capsys):
    """DuckDB stands for the warehouse: each query returns one row."""
    assert run(["measure", "people", *OPTIONS, "duckdb"]) == 0
    statements = [one for one in capsys.readouterr().out.split(";\n") if one.strip()]
    people = adult_sample(300)
    with duckdb.connect() as connection:
        connection.register("people", people)
        for one in statements:
            assert connection.sql(one).to_arrow_table().num_rows == 1


def test_an_unknown_dialect_is_named(capsys):
    """With the known ones."""
    assert run(["measure", "people", *OPTIONS, "snowflak"]) == 2
    assert "snowflake" in capsys.readouterr().err


AUDIT = ["-q", "age", "-q", "sex", "-s", "occupation", "--max-belief", "0.5", "--print-sql"]


@pytest.mark.parametrize("dialect", ["snowflake", "bigquery", "duckdb"])
def test_the_queries_of_an_audit_are_written_in_the_dialect(capsys, dialect):
    """Matches, posteriors, the control and people by belief; each parses there."""
    assert run(["audit", "clinic.people", "--release", "clinic.published", *AUDIT, dialect]) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"-- Written by unmask for {dialect}, and never run there")
    assert "two values" in text
    assert len([one for one in sqlglot.parse(text, read=dialect) if one is not None]) > 15


def test_the_queries_of_an_audit_run_as_written(capsys):
    """DuckDB stands for the warehouse."""
    assert run(["audit", "people", "--release", "published", *AUDIT, "duckdb"]) == 0
    statements = [one for one in capsys.readouterr().out.split(";\n") if one.strip()]
    people = adult_sample(60)
    with duckdb.connect() as connection:
        connection.register("people", people)
        connection.register("published", people)
        for one in statements:
            connection.sql(one).to_arrow_table()


def test_an_audit_without_a_release_has_no_queries(capsys):
    """Exit 2."""
    assert run(["audit", "people", *AUDIT, "duckdb"]) == 2
    assert "--release" in capsys.readouterr().err
