"""The dbt package: its tests find in DuckDB and PostgreSQL what `unmask measure` finds, and store only counts."""

from __future__ import annotations

import importlib.metadata
import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import unmask
from tests import postgres
from tests.warehouse.tables import ADULT_OPTIONS, INJECTION, adult_sample, messy
from tests.warehouse.test_postgresql import put
from unmask.files.raw import MISSING

PACKAGE = Path(__file__).parents[2] / "integrations" / "dbt"
ENVIRONMENT = PACKAGE.parents[1] / ".peers" / "dbt"
PINNED = ("dbt-core<2", "dbt-duckdb", "dbt-postgres")
LEAST = 1e-6  # below a measured risk

PROJECT = """
name: clinic
version: "1.0"
config-version: 2
profile: clinic
"""


@dataclass(frozen=True)
class Case:
    """A table, and how it is measured."""

    name: str
    people: pa.Table
    quasi: Sequence[str]
    sensitive: str
    person_key: str | None = None


def visits() -> pa.Table:
    """Return rows of people with several visits, some without a key, and suppressed rows."""
    age = ["30", "30", "30", "31", None, " 31", "*", "*", "30", "31", "32", "32"]
    ill = ["flu", "flu", "cold", "flu", "?", "cold", "HIV", "flu", "*", None, "*", "NA"]
    key = ["1", "1", "2", "3", "4", None, "5", "6", "2", None, "7", "8"]
    sex = ["f", "f", "f", "m", "m", "m", "*", "*", "f", "m", "f", "f"]
    return pa.table({"age": age, "sex": sex, "ill": ill, "id": key})


CASES = [
    Case("adult", adult_sample(500), ADULT_OPTIONS["quasi"], "occupation"),
    Case("people; --", messy(), [INJECTION, "born"], "ill"),
    Case("visits", visits(), ["age", "sex"], "ill", "id"),
    Case("visit_rows", visits(), ["age", "sex"], "ill"),
]


def test_the_package_has_the_version_of_the_program():
    """One number for both, and its default marks of missing values are those of the program."""
    project_file = (PACKAGE / "dbt_project.yml").read_text()
    assert f'version: "{importlib.metadata.version("unmask")}"' in project_file
    macros = (PACKAGE / "macros" / "groups.sql").read_text()
    (marks,) = re.findall(r'var\("unmask_missing", (\[.*?\])\)', macros)
    assert tuple(json.loads(marks)) == MISSING


@pytest.fixture(scope="module")
def dbt() -> Path:
    """The program, in an environment of its own that is made on demand."""
    program = ENVIRONMENT / "bin" / "dbt"
    if not program.exists():
        pip = [str(ENVIRONMENT / "bin" / "python"), "-m", "pip", "install", "-q", "--only-binary", ":all:"]
        for command in ([sys.executable, "-m", "venv", str(ENVIRONMENT)], [*pip, *PINNED]):
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)  # noqa: S603 - ours
            if done.returncode:
                pytest.skip(f"dbt could not be installed: {done.stderr.strip().splitlines()[-1]}")
    return program


@pytest.fixture(scope="module")
def server() -> Iterator[postgres.Server]:
    """A server for the tests of this file."""
    with postgres.server() as found:
        yield found


def measured(case: Case) -> dict[str, tuple[float, float]]:
    """Return the value of each model by `measure`, and the people in the worst groups."""
    options: dict[str, Any] = {} if case.person_key is None else {"person_key": case.person_key}
    found = unmask.measure(case.people, quasi=list(case.quasi), sensitive=[case.sensitive], **options)
    rows = json.loads(found.to_json())["measures"]
    return {
        one["model"]: (one["value"], one["people"]) for one in rows if one["model"] in {"k", "distinct-l", "max-risk"}
    }


def fewest_values(case: Case) -> tuple[int, float]:
    """Return the fewest different sensitive values of a group, without missing ones, and the people in such groups."""
    people: dict[tuple[str | None, ...], set[int | str]] = defaultdict(set)
    values: dict[tuple[str | None, ...], set[str | None]] = defaultdict(set)
    for i, row in enumerate(case.people.to_pylist()):
        cells = {name: None if row[name] is None else str(row[name]).strip() for name in row}
        cells = {name: None if text in MISSING else text for name, text in cells.items()}
        group = tuple(cells[name] for name in case.quasi)
        if set(group) == {"*"}:
            continue
        key = None if case.person_key is None else cells[case.person_key]
        people[group].add(i if key is None else key)
        values[group] |= {cells[case.sensitive]} - {None, "*"}
    fewest = {group: max(len(found), 1) for group, found in values.items()}
    least = min(fewest.values())
    return least, sum(len(people[group]) for group, n in fewest.items() if n == least)


def asked(case: Case) -> list[tuple[str, Mapping[str, Any], float]]:
    """Return tests that just pass and that just fail: name, arguments, the expected number of failures."""
    found = measured(case)
    shared: dict[str, Any] = {"quasi": list(case.quasi)}
    shared |= {} if case.person_key is None else {"person_key": case.person_key}
    values = {"sensitive": case.sensitive}
    (k, of_k), (risk, of_risk) = found["k"], found["max-risk"]
    l, of_l = fewest_values(case)
    assert l <= found["distinct-l"][0]  # equal where no sensitive value is missing
    assert case.name != "adult" or (l, of_l) == found["distinct-l"]
    return [
        ("k_anonymity", {**shared, "k": int(k)}, 0),
        ("k_anonymity", {**shared, "k": int(k) + 1}, of_k),
        ("distinct_l", {**shared, **values, "l": l}, 0),
        ("distinct_l", {**shared, **values, "l": l + 1}, of_l),
        ("max_risk", {**shared, "max_risk": risk}, 0),
        ("max_risk", {**shared, "max_risk": risk - LEAST}, of_risk),
    ]


def project(
    folder: Path, target: Mapping[str, Any], tests: Mapping[str, Sequence[tuple[str, Mapping[str, Any]]]]
) -> None:
    """Write a project with sources in a database and tests of them; JSON is YAML."""
    (folder / "models").mkdir()
    (folder / "dbt_project.yml").write_text(PROJECT)
    (folder / "profiles.yml").write_text(json.dumps({"clinic": {"target": "here", "outputs": {"here": target}}}))
    (folder / "packages.yml").write_text(json.dumps({"packages": [{"local": str(PACKAGE)}]}))
    tables = [
        {
            "name": f"t{i}", "identifier": name,
            "data_tests": [{f"unmask.{test}": {"name": f"t{i}_{j}", "arguments": dict(arguments)}}
                           for j, (test, arguments) in enumerate(each)],
        }
        for i, (name, each) in enumerate(tests.items())
    ]  # fmt: skip
    schema = "main" if target["type"] == "duckdb" else "public"
    sources = {"sources": [{"name": "clinic", "schema": schema, "quoting": {"identifier": True}, "tables": tables}]}
    (folder / "models" / "schema.yml").write_text(json.dumps(sources))


def run(dbt: Path, folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run dbt in a project, without a message to its makers."""
    line = [str(dbt), *command, "--project-dir", str(folder), "--profiles-dir", str(folder)]
    environment = {"DBT_SEND_ANONYMOUS_USAGE_STATS": "false", "NO_COLOR": "1", "PATH": "/usr/bin:/bin"}
    return subprocess.run(  # noqa: S603 - ours
        line, capture_output=True, text=True, check=False, timeout=300, cwd=folder, env=environment
    )


def failures(dbt: Path, folder: Path) -> dict[str, int]:
    """Install the package, run all tests, and return the number of failures of each."""
    installed = run(dbt, folder, "deps")
    assert installed.returncode == 0, installed.stdout
    done = run(dbt, folder, "test", "--store-failures")
    document = json.loads((folder / "target" / "run_results.json").read_text())
    assert all(one["status"] in {"pass", "fail"} for one in document["results"]), done.stdout
    return {one["unique_id"].split(".")[2]: one["failures"] for one in document["results"]}


def expected() -> dict[str, float]:
    """Return the number of failures of each test of each case."""
    return {f"t{i}_{j}": n for i, case in enumerate(CASES) for j, (_, _, n) in enumerate(asked(case))}


def wanted() -> dict[str, list[tuple[str, Mapping[str, Any]]]]:
    """Return the tests of each table."""
    return {case.name: [(name, arguments) for name, arguments, _ in asked(case)] for case in CASES}


@pytest.mark.slow
def test_duckdb_agrees_with_measure(dbt: Path, tmp_path: Path):
    """What just passes passes, one step further fails for as many people; stored failures hold counts alone."""
    file = tmp_path / "clinic.duckdb"
    with duckdb.connect(str(file)) as connection:
        for case in CASES:
            table = case.people
            connection.register("given", table)
            connection.table("given").create(f'"{case.name}"')
    project(tmp_path, {"type": "duckdb", "path": str(file)}, wanted())
    assert failures(dbt, tmp_path) == expected()
    with duckdb.connect(str(file)) as connection:
        stored = connection.execute(
            "select distinct column_name, data_type from information_schema.columns where table_schema like '%audit%'"
        ).fetchall()
    names = {"broken_groups", "people", "smallest", "fewest_values", "largest_risk"}
    assert {name for name, _ in stored} == names
    assert not any("VARCHAR" in kind for _, kind in stored)


@pytest.mark.slow
def test_postgresql_agrees_with_measure(dbt: Path, server: postgres.Server, tmp_path: Path):
    """The same, and tables with names that are SQL are still there."""
    server.empty()
    for case in CASES:
        put(server, case.name, case.people)
    target = {
        "type": "postgres", "host": server.folder, "port": 5432, "user": "owner", "password": postgres.PASSWORD,
        "dbname": "db", "schema": "public", "threads": 1,
    }  # fmt: skip
    project(tmp_path, target, wanted())
    assert failures(dbt, tmp_path) == expected()
    for case in CASES:
        found = unmask.measure(server.dsn(case.name), quasi=list(case.quasi), sensitive=[case.sensitive])
        document = json.loads(found.to_json())
        assert document["rows"] + document["suppressed"] == case.people.num_rows


@pytest.mark.slow
@pytest.mark.parametrize(
    ("test", "arguments", "words"),
    [
        ("k_anonymity", {"quasi": [], "k": 2}, "quasi must be a list of at least one column"),
        ("k_anonymity", {"quasi": "age", "k": 2}, "quasi must be a list of at least one column; got age"),
        ("k_anonymity", {"quasi": ["age"], "k": 0}, "k must be at least 1; got 0. Write k: 5"),
        ("distinct_l", {"quasi": ["age"], "sensitive": "ill", "l": "two"}, "l must be at least 1; got two"),
        ("max_risk", {"quasi": ["age"], "max_risk": 2}, "max_risk must be at least 0 and at most 1; got 2"),
    ],
)
def test_bad_arguments_are_one_line(dbt: Path, tmp_path: Path, test: str, arguments: dict[str, Any], words: str):
    """The requirement and the way out."""
    file = tmp_path / "clinic.duckdb"
    project(tmp_path, {"type": "duckdb", "path": str(file)}, {"people": [(test, arguments)]})
    run(dbt, tmp_path, "deps")
    done = run(dbt, tmp_path, "test")
    assert done.returncode != 0
    assert words in done.stdout
