"""Spark: a table of its catalog, or files, is measured as one that is loaded; the session stays as it was."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

import unmask
from tests.warehouse.audited import attack_differences, documents
from tests.warehouse.compared import differences, in_engine, in_memory
from tests.warehouse.releases import banded_adult
from tests.warehouse.tables import INJECTION, MESSY_OPTIONS, adult_sample, messy
from unmask.errors import DatabaseError, InvalidInputError


@pytest.mark.usefixtures("spark")
def test_the_census_has_the_same_document(tmp_path):
    """Every model, and unique people by all published columns."""
    path = tmp_path / "adult.parquet"
    pq.write_table(adult_sample(1000).drop_columns("income"), path)
    options = {"quasi": ["age", "sex", "race", "workclass"], "sensitive": ["occupation"]}
    found = in_engine(str(path), "spark", **options)
    assert list(differences(found, in_memory(path, **options))) == []


@pytest.mark.usefixtures("spark")
@pytest.mark.slow
def test_a_release_is_attacked_as_in_memory(tmp_path):
    """Both attackers, linkage, the control by the nearest groups, and exposed people."""
    people, release = banded_adult(100)
    pq.write_table(people, tmp_path / "people.parquet")
    pq.write_table(release, tmp_path / "release.parquet")
    options: dict[str, Any] = {
        "quasi": ["age", "sex"],
        "sensitive": ["occupation"],
        "attack": ["random-worlds", "linkage"],
    }
    paths = str(tmp_path / "people.parquet"), [str(tmp_path / "release.parquet")]
    found = documents(*paths, "spark", **options, max_belief=0.6)
    assert list(attack_differences(*found)) == []


@pytest.mark.usefixtures("spark")
@pytest.mark.slow
def test_a_release_folder_has_the_same_document(tmp_path):
    """Roles and cells come from release.json; formulas and quotes in its rows are read as in memory."""
    people = pa.table({"age": [20, 30] * 9, "code": ["=1+1", "@x", '"q", r'] * 6, "ill": ["-flu", "'cold"] * 9})
    csv.write_csv(people, path := tmp_path / "people.csv")
    roles: dict[str, Any] = {"quasi": ["age", "code"], "sensitive": ["ill"]}
    unmask.sanitize(path, "mondrian", **roles, seed=1, set={"k": "3"}).write(release := tmp_path / "release")
    assert list(differences(in_engine(str(release), "spark"), in_memory(release))) == []


@pytest.mark.slow
def test_a_messy_table_of_the_catalog_has_the_same_document(tmp_path, spark):
    """NULLs, marks, `*`, 64-bit keys, dates, booleans, and names that are SQL; no view is left."""
    path = tmp_path / "messy.parquet"
    pq.write_table(messy(), path)
    spark.read.parquet(str(path)).createOrReplaceTempView("people")
    options = {**MESSY_OPTIONS, "quasi": [INJECTION, "born"]}
    found = in_engine("people", "spark", **options)
    assert list(differences(found, in_memory(path, **options))) == []
    assert [one.name for one in spark.catalog.listTables()] == ["people"]
    spark.catalog.dropTempView("people")


@pytest.mark.usefixtures("spark")
def test_what_spark_does_not_have_is_one_line(tmp_path):
    """No table, no file; the message holds neither a plan nor a trace."""
    for source in ("nothing", str(tmp_path / "none.parquet")):
        with pytest.raises(InvalidInputError, match="must be a table of the catalog, or files"):
            unmask.measure(source, engine="spark", quasi=["age"])


@pytest.mark.usefixtures("spark")
def test_a_query_that_breaks_off_is_a_database_error(tmp_path, monkeypatch):
    """Exit 5, as for every database, and no view is left."""
    path = tmp_path / "adult.parquet"
    pq.write_table(adult_sample(50), path)
    from unmask.warehouse.spark import Spark  # noqa: PLC0415 - an extra

    with closing(Spark(str(path), "adult")) as engine:
        monkeypatch.setattr(engine, "_session", _Gone())
        with pytest.raises(DatabaseError, match=r"broke off \(Py4JNetworkError\)"):
            engine.arrow("select 1")


class _Gone:
    """A session whose driver was killed."""

    def sql(self, query: str) -> None:
        from py4j.protocol import Py4JNetworkError  # noqa: PLC0415 - an extra

        raise Py4JNetworkError(query)
