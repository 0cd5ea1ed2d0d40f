"""The audit in DuckDB: attacks on tables that stay where they are give what they give in memory."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
import sqlglot
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlglot import exp

import unmask
from tests.warehouse.audited import attack_differences, documents
from tests.warehouse.releases import MESSY_RELEASE_OPTIONS, OPTIONS, banded_adult, published_tables
from tests.warehouse.tables import INJECTION, messy
from unmask.auditing.policy import Verdict
from unmask.cli import run
from unmask.errors import InvalidInputError
from unmask.warehouse.duck import DuckDB

ADULT: dict[str, Any] = {"quasi": ["age", "sex", "workclass"], "sensitive": ["occupation"]}
COUNTED = ["random-worlds", "linkage"]
INTERSECTED: dict[str, Any] = {"attack": [*COUNTED, "intersection"], "attack_set": {"intersection.rule": "set"}}


def written(folder: Path, people: pa.Table, *releases: pa.Table) -> tuple[str, list[str]]:
    """Write a table and its releases as Parquet; return their paths."""
    pq.write_table(people, folder / "people.parquet")
    paths = [folder / f"r{i}.parquet" for i in range(len(releases))]
    for path, release in zip(paths, releases, strict=True):
        pq.write_table(release, path)
    return str(folder / "people.parquet"), list(map(str, paths))


def test_the_census_is_attacked_as_in_memory(tmp_path):
    """Both attackers, linkage with bands of ages, the control by the nearest groups, limits and exposed people."""
    people, release = banded_adult()
    table, paths = written(tmp_path, people, release)
    found = documents(table, paths, "duckdb", **ADULT, attack=COUNTED, max_belief=0.6, excess=0.1)
    assert list(attack_differences(*found)) == []
    assert {one["location"] for one in found[0]["attacks"]} == {"row", "attributes"}
    assert found[0]["verdict"] == found[1]["verdict"]


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_random_releases_are_attacked_as_in_memory(tmp_path, data):
    """Missing and suppressed cells, bands, lists, people left out: every measure, its control and its interval."""
    people, releases = data.draw(published_tables())
    options: dict[str, Any] = {**OPTIONS, "attack": COUNTED}
    options |= {"missing_policy": data.draw(st.sampled_from(["own", "wildcard"]))}
    options |= {"max_belief": data.draw(st.sampled_from([0.5, 1.0])), "excess": data.draw(st.sampled_from([None, 0.1]))}
    assert list(attack_differences(*documents(*written(tmp_path, people, *releases), "duckdb", **options))) == []


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_several_releases_are_intersected_as_in_memory(tmp_path, data):
    """The set rule, each release alone, the people exposed by any of them, and those who could not be compared."""
    people, releases = data.draw(published_tables(n_releases=data.draw(st.integers(2, 3))))
    options = {**OPTIONS, **INTERSECTED, "max_belief": data.draw(st.sampled_from([None, 0.8]))}
    here, loaded = documents(*written(tmp_path, people, *releases), "duckdb", **options)
    for one in (*here["attacks"], *loaded["attacks"]):
        one["notes"] = {}  # that a release shows the same as another, which an engine does not look for
    assert list(attack_differences(here, loaded)) == []


def test_people_in_no_group_of_one_of_several_releases_could_not_be_compared(tmp_path):
    """The other release has groups for them, which does not tell whether the record in the first was read."""
    people = messy()
    people = people.filter(
        pc.fill_null(pc.not_equal(people[INJECTION], "*"), pa.scalar(value=True))
    )  # a star matches everybody
    whole = people.drop_columns(["notes; --", "born"])
    keys = [7 if i % 4 == 0 else key for i, key in enumerate(whole["key"].to_pylist())]
    other = whole.set_column(whole.column_names.index("key"), "key", pa.array(keys, pa.int64()))
    options = {**MESSY_RELEASE_OPTIONS, **INTERSECTED, "max_belief": None}
    found = documents(*written(tmp_path, people, other, whole.slice(3)), "duckdb", **options)
    assert list(attack_differences(*found)) == []
    together = [one for one in found[0]["attacks"] if one["ran"] and len(one["releases"]) == 2]
    assert [one["unreadable"] for one in together] == [5, 5]


def test_a_messy_release_is_attacked_as_in_memory(tmp_path):
    """NULLs, marks, 64-bit keys, booleans, names that are SQL, and two sensitive columns."""
    people = messy()
    release = people.slice(5).drop_columns(["notes; --", "born"])
    found = documents(*written(tmp_path, people, release), "duckdb", **MESSY_RELEASE_OPTIONS)
    assert list(attack_differences(*found)) == []


def test_values_of_their_own_limit_and_harmless_ones(tmp_path):
    """Declared values are looked up by text inside the engine."""
    people = pa.table({"age": [1, 1, 2, 2, 2], "ill": ["flu", "hiv", "flu", "flu", "cold"]})
    table, paths = written(tmp_path, people, people)
    roles = tmp_path / "roles.toml"
    roles.write_text('[columns.ill]\nrole = "sensitive"\nharmless = ["flu"]\nlimit = { hiv = 0.4 }\n')
    found = documents(table, paths, "duckdb", quasi="age", roles=roles, attack=COUNTED, max_belief=0.9)
    assert list(attack_differences(*found)) == []
    assert found[0]["n_exposed"] == 2


def test_only_counts_leave_the_engine(tmp_path, monkeypatch):
    """Numbers alone, but for the distinct cells of the release, which is public; no value of people as text."""
    results: list[tuple[str, pa.Table]] = []
    arrow = DuckDB.arrow

    def recorded(self: DuckDB, query: str) -> pa.Table:
        found = arrow(self, query)
        results.append((query, found))
        return found

    monkeypatch.setattr(DuckDB, "arrow", recorded)
    people, release = banded_adult(100)
    table, paths = written(tmp_path, people, release)
    unmask.audit(table, release=paths, engine="duckdb", **ADULT, attack=COUNTED, max_belief=0.6)
    assert len(results) > 15
    texts = {tuple(found.column_names) for _, found in results if any(map(pa.types.is_string, found.schema.types))}
    assert texts == {("t", "n")}
    for query, _ in results:
        parsed = sqlglot.parse_one(query, read="duckdb")
        assert isinstance(parsed, exp.Query)
        assert parsed.args.get("group") is not None or all(one.find(exp.AggFunc) for one in parsed.selects), query


def test_attacks_that_need_rows_leave_the_limit_open(tmp_path):
    """They are named as not run; by default the limit on beliefs is not decided, with named attacks it is."""
    people = pa.table({"age": [1] * 4 + [2] * 4, "ill": ["flu", "cold", "hiv", "gout"] * 2})
    table, paths = written(tmp_path, people, people)
    options: dict[str, Any] = {"quasi": "age", "sensitive": "ill", "max_belief": 0.9}
    open_ = unmask.audit(table, release=paths, engine="duckdb", **options)
    assert open_.verdict is Verdict.NOT_DECIDED
    assert "definetti did not run" in open_.report.why[0]
    reasons = {one.name: one.reason for scene in open_.report.scenes for one in scene.results if not one.ran}
    assert "rows" in reasons["definetti"]
    decided = unmask.audit(table, release=paths, engine="duckdb", attack="random-worlds", **options)
    assert decided.verdict is Verdict.WITHIN


def test_required_models_and_columns_are_judged(tmp_path):
    """A policy's models are measured in the engine; a column that singles people out is a finding."""
    people = pa.table({"age": [1, 1, 2, 2], "ill": ["flu", "cold", "flu", "cold"], "note": ["a", "b", "c", "d"]})
    table, paths = written(tmp_path, people, people)
    policy = tmp_path / "policy.toml"
    policy.write_text('[limits]\nmax_risk = 0.5\nrequire = ["k=3", "k-map=2"]\n')
    options: dict[str, Any] = {"quasi": "age", "sensitive": "ill", "attack": COUNTED, "policy": policy}
    with pytest.raises(InvalidInputError, match="k-map must have a table of the population"):
        unmask.audit(table, release=paths, engine="duckdb", **options)
    found = unmask.audit(table, release=paths, engine="duckdb", population=table, **options)
    states = {(one.limit, str(one.state)) for one in found.report.limits}
    assert ("k", "broken") in states
    assert ("k-map", "kept") in states
    assert ("max-risk", "kept") in states
    assert any(limit == "published-columns" for limit, _ in states)


def test_the_queries_are_in_every_report(tmp_path):
    """The page has them in an appendix, the document under `engine`; names that are SQL are quoted."""
    people = messy(20)
    table, paths = written(tmp_path, people, people.drop_columns(["notes; --", "born"]))
    found = unmask.audit(table, release=paths, engine="duckdb", **MESSY_RELEASE_OPTIONS)
    queries = json.loads(found.to_json())["engine"]["queries"]
    assert any(INJECTION.replace('"', '""') in one["text"] for one in queries)
    for one in queries:
        assert isinstance(sqlglot.parse_one(one["text"], read="duckdb"), exp.Query)
    page = found.to_html()
    assert "Queries that ran in the engine" in page
    assert "unmask_r0_pairs" in page


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"sanitizer": "mondrian"}, "--sanitizer"),
        ({"control": "held-out", "sanitizer": None}, "held-out"),
        ({"quasi": ["aje", "sex"]}, "did you mean 'age'"),
    ],
    ids=["sanitizer", "held-out", "unknown column"],
)
def test_what_needs_rows_is_refused(tmp_path, options, part):
    """One line, with the way out."""
    table, paths = written(tmp_path, *banded_adult(20))
    given: dict[str, Any] = {**ADULT, "release": paths, "engine": "duckdb", **options}
    if options.get("sanitizer"):
        given.pop("release")
    with pytest.raises(InvalidInputError, match="(?i)" + re.escape(part)):
        unmask.audit(table, **given)


def test_the_command_writes_no_people_at_risk(tmp_path, capsys):
    """Who is exposed stays in the engine: exit 2, and nothing is written."""
    table, paths = written(tmp_path, *banded_adult(20))
    roles = ["-q", "age", "-q", "sex", "-q", "workclass", "-s", "occupation"]
    command = ["audit", table, "--release", paths[0], "--engine", "duckdb", *roles, "--max-belief", "0.5"]
    out = tmp_path / "people.csv"
    assert run([*command, "--people-at-risk", str(out)]) == 2
    assert "stays in the engine" in capsys.readouterr().err
    assert not out.exists()
    assert run(command) in {1, 4}


def test_tables_in_two_places_are_refused(tmp_path):
    """A file beside a database of DuckDB is elsewhere."""
    table, paths = written(tmp_path, *banded_adult(20))
    with pytest.raises(InvalidInputError, match="elsewhere"):
        unmask.audit(table, release=[f"duckdb:///{tmp_path}/x.db#r"], engine="duckdb", **ADULT)
    del paths
