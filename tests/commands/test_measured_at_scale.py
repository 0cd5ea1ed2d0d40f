"""A measured table: hashed or sorted, read once or twice, coded in the file or not, the numbers are the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unmask import arrays
from unmask.commands.measuring import measure
from unmask.commands.outcome.measured_release import MeasuredRelease

ROLES: dict[str, Any] = {"quasi": ["age", "sex", "zip"], "sensitive": ["ill"]}
PERSONS: dict[str, Any] = {"person_key": "who"}


def people(seed: int, *, stars: bool = False) -> pa.Table:
    """Draw 300 rows with missing values, and with suppressed sensitive cells on request; persons have several rows."""
    rng = np.random.default_rng(seed)
    ills = ["flu", "cold", "none", None, *(["*"] if stars else [])]
    return pa.table(
        {
            "who": pa.array(rng.integers(0, 200, 300)),
            "age": pa.array(rng.integers(20, 28, 300), mask=rng.random(300) < 0.03),
            "sex": pa.array([["f", "m", None][i] for i in rng.choice(3, 300, p=[0.5, 0.45, 0.05])]),
            "zip": pa.array([["130", " 131", "148"][i] for i in rng.integers(0, 3, 300)]),
            "ill": pa.array([ills[i] for i in rng.integers(0, len(ills), 300)]),
        }
    )


def printed(found: MeasuredRelease) -> tuple[str, str, str]:
    """Return everything that a user can read."""
    return str(found), found.to_json(), found.at_risk()


@pytest.mark.parametrize("policy", ["own", "wildcard"])
@pytest.mark.parametrize("more", [{}, PERSONS, {"sampled": "10%"}], ids=["rows", "persons", "sampled"])
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.sweep)])
def test_hashing_changes_no_number(seed, more, policy, monkeypatch):
    """Few distinct rows are hashed, many are sorted."""
    options: dict[str, Any] = {**ROLES, **more, "missing_policy": policy}
    monkeypatch.setattr(arrays, "SAMPLED", 10**9)
    by_sorting = printed(measure(people(seed), **options))
    monkeypatch.setattr(arrays, "SAMPLED", 1)
    assert printed(measure(people(seed), **options)) == by_sorting


@pytest.mark.parametrize("stars", [False, True])
def test_the_order_of_rows_and_their_number_in_the_file_change_no_number(stars, monkeypatch):
    """Every measure counts distinct rows: those of a shuffled table are the same."""
    monkeypatch.setattr(arrays, "SAMPLED", 1)
    table = people(3, stars=stars)
    shuffled = table.take(pa.array(np.random.default_rng(0).permutation(table.num_rows)))
    assert measure(table, **ROLES).to_json() == measure(shuffled, **ROLES).to_json()


@pytest.mark.parametrize("stars", [False, True])
def test_texts_coded_in_a_file_are_read_as_texts(stars, tmp_path: Path):
    """Parquet holds a dictionary per row group; data frames may bring one of their own, with texts that no row has."""
    table = people(4, stars=stars)
    file, text = tmp_path / "people.parquet", tmp_path / "people.csv"
    pq.write_table(table, file, row_group_size=70)
    names = [name for name in table.column_names if table.column(name).type == pa.string()]
    coded = table
    for name in names:
        column = table.column(name).combine_chunks().dictionary_encode()
        unused = pa.concat_arrays([column.dictionary, pa.array(["nowhere", "?"])])
        own = pa.DictionaryArray.from_arrays(column.indices.cast(pa.int8()), unused)
        coded = coded.set_column(coded.column_names.index(name), name, own)
    text.write_text("\n".join([",".join(table.column_names), *map(_line, table.to_pylist())]) + "\n")
    by_file, by_text = measure(file, **ROLES), measure(text, **ROLES)
    assert numbers(by_file) == numbers(by_text)
    assert by_file.at_risk() == by_text.at_risk()
    assert measure(coded, **ROLES).to_json() == measure(table, **ROLES).to_json()


def numbers(found: MeasuredRelease) -> dict[str, object]:
    """Return all but the notes, which count empty cells of a text file."""
    return {key: value for key, value in json.loads(found.to_json()).items() if key != "notes"}


def _line(row: dict[str, object]) -> str:
    return ",".join("" if value is None else str(value) for value in row.values())


def test_an_undefined_value_has_its_reason():
    """A group in which no sensitive value is known meets no limit, and its number is null with the reason."""
    table = {"age": [20, 20, 30, 30], "ill": ["a", "b", None, None]}
    found = measure(table, quasi="age", sensitive="ill", missing_policy="wildcard")
    entries = json.loads(found.to_json())["measures"]
    undefined = [one for one in entries if one["measured"] and one["value"] is None]
    assert undefined
    assert all(one["why"] for one in undefined)
    assert all(line["why"] for line in found.to_frame().to_pylist() if line["value"] is None)
