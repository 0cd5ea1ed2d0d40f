"""DuckDB: a table that stays in files or a database is measured as one that is loaded."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sqlglot
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlglot import exp

import unmask
from tests.warehouse.compared import differences, in_engine, in_memory
from tests.warehouse.releases import published_tables
from tests.warehouse.tables import (
    ADULT_OPTIONS,
    INJECTION,
    LESS_MESSY_OPTIONS,
    MESSY_OPTIONS,
    adult_sample,
    less_messy,
    messy,
)
from unmask import catalog
from unmask.cli import run
from unmask.errors import InvalidInputError
from unmask.warehouse.duck import DuckDB
from unmask.warehouse.group_scores import score


@pytest.fixture
def messy_file(tmp_path: Path) -> Path:
    """A Parquet file whose names are SQL."""
    path = tmp_path / "messy.parquet"
    pq.write_table(messy(), path)
    return path


@pytest.fixture
def adult_file(tmp_path: Path) -> Path:
    """A Parquet file of the census."""
    path = tmp_path / "adult.parquet"
    pq.write_table(adult_sample(), path)
    return path


def test_the_census_has_the_same_document(adult_file):
    """Every model, the limits that all published columns break, and unique people."""
    options = ADULT_OPTIONS
    assert list(differences(in_engine(str(adult_file), "duckdb", **options), in_memory(adult_file, **options))) == []


def test_conditions_of_patterns_are_written_once(tmp_path):
    """Twelve patterns of missing cells are 144 pairs, which share their joins: a query stays below 40,000 letters."""
    pq.write_table(messy(), tmp_path / "people.parquet")
    found = unmask.measure(
        str(tmp_path / "people.parquet"), engine="duckdb", **MESSY_OPTIONS, missing_policy="wildcard", require=["k=2"]
    )
    texts = [one["text"] for one in json.loads(found.to_json())["engine"]["queries"]]
    assert max(map(len, texts)) < 40_000
    assert len(texts) > 10


@pytest.mark.parametrize("policy", ["own", "wildcard", "exclude"])
def test_a_messy_table_has_the_same_document(tmp_path, policy):
    """NULLs, marks, `*`, 64-bit keys, dates, and names that are SQL; booleans as well under one policy."""
    people, options = (messy(), MESSY_OPTIONS) if policy == "wildcard" else (less_messy(), LESS_MESSY_OPTIONS)
    pq.write_table(people, path := tmp_path / "messy.parquet")
    options = {**options, "missing_policy": policy, "require": ["k=2"]}
    assert list(differences(in_engine(str(path), "duckdb", **options), in_memory(path, **options))) == []


def test_a_database_is_measured_as_its_table(tmp_path):
    """A table and a query of DuckDB's own file, which is opened read-only."""
    path, options = tmp_path / "people.db", {**LESS_MESSY_OPTIONS, "missing_policy": "wildcard"}
    people = less_messy()
    with duckdb.connect(str(path)) as connection:
        connection.register("given", people)
        connection.execute('create table "people; --" as select * from given')
    before = path.read_bytes()
    expected = in_memory(people, **options)
    for wanted in ("people; --", 'select * from "people; --" where true'):
        assert list(differences(in_engine(f"duckdb:///{path}#{wanted}", "duckdb", **options), expected)) == []
    assert path.read_bytes() == before


def test_a_glob_is_one_table(tmp_path):
    """Files of one pattern count together."""
    people = adult_sample(400)
    pq.write_table(people[:150], tmp_path / "1.parquet")
    pq.write_table(people[150:], tmp_path / "2.parquet")
    options = ADULT_OPTIONS
    expected = in_memory(people, **options)
    assert list(differences(in_engine(f"{tmp_path}/*.parquet", "duckdb", **options), expected)) == []
    assert unmask.measure(f"{tmp_path}/*.parquet", engine="duckdb", quasi=["age"]).facts.name == tmp_path.name


CELLS = st.sampled_from(["1", "2", "x", "*", "?", "NA"])


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_random_tables_have_the_same_document(tmp_path, data):
    """Few values, so that groups merge, records are suppressed and sensitive values lack."""
    n, width = data.draw(st.integers(1, 25)), data.draw(st.integers(1, 2))
    policy = data.draw(st.sampled_from(["own", "wildcard"]))
    quasi = {f"q{i}": data.draw(st.lists(CELLS, min_size=n, max_size=n)) for i in range(width)}
    value = st.sampled_from(["a", "b", "c", "?", "*"])
    sensitive = {name: data.draw(st.lists(value, min_size=n, max_size=n)) for name in ("s", "u")}
    path = tmp_path / "random.parquet"
    pq.write_table(pa.table(quasi | sensitive), path)
    options = {"quasi": list(quasi), "sensitive": list(sensitive), "missing_policy": policy}
    assert list(differences(in_engine(str(path), "duckdb", **options), in_memory(path, **options))) == []


def test_every_model_is_computed():
    """A model that is added to the catalog gets its formula."""
    for entry in catalog.entries("models").values():
        assert score(entry.examples[0]).sql()


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_models_of_a_population_are_measured_as_in_memory(tmp_path, data):
    """k-map and delta-presence under both readings: bands, lists, suppressed and missing cells, people who fit none."""
    people, (release,) = data.draw(published_tables())
    policy = data.draw(st.sampled_from(["own", "wildcard"]))
    pq.write_table(people, tmp_path / "population.parquet")
    pq.write_table(release, tmp_path / "release.parquet")
    wanted: dict[str, Any] = {"quasi": ["age", "c"], "missing_policy": policy, "require": ["k-map=2"]}
    options = {**wanted, "population": str(tmp_path / "population.parquet")}
    paths = str(tmp_path / "release.parquet")
    found = _of_population(in_engine(paths, "duckdb", **options)), _of_population(in_memory(paths, **options))
    assert list(differences(*found)) == []


def _of_population(document: dict[str, Any]) -> list[Any]:
    return [one for one in document["measures"] if one["model"] in {"k-map", "delta-presence"}]


def test_a_population_without_a_column_is_refused(messy_file, tmp_path):
    """A missing column would match every value, and people would look safer."""
    pq.write_table(pa.table({"key": [1]}), tmp_path / "p.parquet")
    with pytest.raises(InvalidInputError, match="being the population; it lacks"):
        unmask.measure(str(messy_file), engine="duckdb", population=str(tmp_path / "p.parquet"), **MESSY_OPTIONS)


def test_only_aggregates_leave_the_engine(tmp_path, monkeypatch):
    """Each result is one row of numbers; only patterns of missing cells have several, and they count nothing."""
    results: list[tuple[str, pa.Table]] = []
    arrow = DuckDB.arrow

    def recorded(self: DuckDB, query: str) -> pa.Table:
        found = arrow(self, query)
        results.append((query, found))
        return found

    monkeypatch.setattr(DuckDB, "arrow", recorded)
    pq.write_table(less_messy(), path := tmp_path / "people.parquet")
    unmask.measure(str(path), engine="duckdb", **LESS_MESSY_OPTIONS, missing_policy="wildcard", require=["k=2"])
    assert len(results) > 5
    for query, found in results:
        patterns = all(re.fullmatch(r"w\d+", name) for name in found.column_names)
        assert found.num_rows == 1 or (patterns and found.num_rows <= 16)
        assert all(pa.types.is_floating(kind) or pa.types.is_integer(kind) for kind in found.schema.types)
        parsed = sqlglot.parse_one(query, read="duckdb")
        assert isinstance(parsed, exp.Query)
        for one in parsed.selects:
            if not patterns:
                assert one.find(exp.AggFunc), one.sql()


def test_names_that_are_sql_are_quoted_in_every_query(tmp_path):
    """The text of a name occurs as an identifier, and the table is still there."""
    pq.write_table(messy().drop_columns(["key", "notes; --"]), path := tmp_path / "messy.parquet")
    options = {**MESSY_OPTIONS, "quasi": [INJECTION, "born", "select"], "require": ["k=2"]}
    found = json.loads(unmask.measure(str(path), engine="duckdb", **options).to_json())
    texts = [one["text"] for one in found["engine"]["queries"]]
    assert any(INJECTION.replace('"', '""') in text for text in texts)
    for text in texts:
        for statement in sqlglot.parse(text, read="duckdb"):
            assert isinstance(statement, exp.Query)
            assert all(one.name != "people" for one in statement.find_all(exp.Table))


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"person_key": "key"}, "--person-key"),
        ({"quasi": ["kee"]}, "did you mean 'key'"),
        ({"require": ["t=ordered:0.2"]}, "distance=equal"),
    ],
    ids=["person key", "unknown column", "a distance of rows"],
)
def test_what_needs_rows_is_refused(messy_file, options, part):
    """One line, with the way out."""
    with pytest.raises(InvalidInputError, match=r"(?i)" + re.escape(part)):
        unmask.measure(str(messy_file), engine="duckdb", **{**MESSY_OPTIONS, **options})


def test_the_command_prints_the_engine_and_the_small_groups(adult_file, capsys):
    """People in small groups, and the number of queries."""
    code = run(["measure", str(adult_file), "-q", "age", "-q", "sex", "-s", "occupation", "--engine", "duckdb"])
    printed = capsys.readouterr().out
    assert code == 0
    assert "rows in groups of at most 1: " in printed
    assert "counted by duckdb in" in printed


def test_a_file_that_is_not_there_is_one_line(tmp_path, capsys):
    """Exit 2."""
    code = run(["measure", str(tmp_path / "none.parquet"), "-q", "age", "--engine", "duckdb"])
    assert code == 2
    assert "must be files that exist" in capsys.readouterr().err


def test_nothing_is_left_on_disk(adult_file, tmp_path, monkeypatch):
    """Temporary results end with the measurement."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    unmask.measure(str(adult_file), engine="duckdb", **ADULT_OPTIONS)
    assert list(folder.iterdir()) == []
