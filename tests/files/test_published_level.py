"""Sensitive columns at a level of their hierarchy: labels are the values that models, attacks and audits count."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import unmask
from unmask.errors import InvalidInputError
from unmask.files.raw import Raw
from unmask.files.releases import read_release
from unmask.files.roles import Roles
from unmask.files.tables import to_table
from unmask.hierarchies import Hierarchy
from unmask.table import Table

DIAGNOSES = ["E11.9", "E10.1", "E14", "I21.4", "I20.0", "J45.0", "J44.1", "K50.0"]
BLOCKS = ["E10-E14", "E10-E14", "E10-E14", "I20-I25", "I20-I25", "J40-J47", "J40-J47", "K50-K52"]


def table_of(declaration: str, values: list[str], tmp_path: Path) -> Table:
    """Return a table of eight people with a sensitive column declared in roles.toml."""
    (tmp_path / "roles.toml").write_text(
        f'[columns]\nage = {{ role = "quasi-identifier" }}\nill = {{ {declaration} }}\n'
    )
    return to_table(Raw.of(columns_of(values)), Roles.from_toml(tmp_path / "roles.toml"), require=())


def columns_of(values: list[str]) -> dict[str, list[Any]]:
    """Return eight people, aged 20 to 27."""
    return {"age": list(range(20, 20 + len(values))), "ill": values}


@pytest.mark.parametrize(
    ("level", "labels", "above"),
    [
        ('"category"', ["E11.-", "E10.-", "E14.-", "I21.-", "I20.-", "J45.-", "J44.-", "K50.-"], 3),
        ('"block"', BLOCKS, 2),
        ("2", BLOCKS, 2),
        ('"chapter"', ["IV E00-E90"] * 3 + ["IX I00-I99"] * 2 + ["X J00-J99"] * 2 + ["XI K00-K93"], 1),
    ],
)
def test_the_labels_of_the_level_are_the_values(level: str, labels: list[str], above: int, tmp_path: Path):
    """By name or number; the levels above are the hierarchy of the published values."""
    declaration = f'role = "sensitive", hierarchy = "preset:icd10", level = {level}'
    table = table_of(declaration, DIAGNOSES, tmp_path)
    attribute = table.schema["ill"]
    assert [attribute.values[code] for code in table["ill"].tolist()] == labels
    assert attribute.hierarchy is not None
    assert set(attribute.hierarchy.leaves) == set(labels)
    assert attribute.hierarchy.n_levels == above + 1
    assert attribute.hierarchy.labels[-1] == ("*",)
    assert attribute.hierarchy.is_nested()


def test_missing_values_harm_and_order_are_of_the_labels(tmp_path: Path):
    """Harmless blocks, the order of chapters; a missing value stays one."""
    declaration = (
        'role = "sensitive", hierarchy = "preset:icd10", level = "block", harmless = ["J40-J47"], '
        'order = ["J40-J47", "K50-K52", "I20-I25", "E10-E14"]'
    )
    table = table_of(declaration, [*DIAGNOSES[:-1], "?"], tmp_path)
    attribute = table.schema["ill"]
    assert attribute.values == ("J40-J47", "K50-K52", "I20-I25", "E10-E14", "?")
    assert attribute.values[table["ill"].tolist()[-1]] == "?"
    assert attribute.harm.harmful(attribute.values).tolist() == [False, True, True, True, True]


def test_a_file_and_the_levels_of_a_date_have_numbers_and_names(tmp_path: Path):
    """Level 1 of a file; months by their name."""
    (tmp_path / "ill.csv").write_text("flu;airways;*\nasthma;airways;*\ngout;joints;*\n")
    table = table_of('role = "sensitive", hierarchy = "ill.csv", level = 1', ["flu", "asthma", "gout"], tmp_path)
    assert table.schema["ill"].values == ("airways", "joints")
    days = ["2020-01-02", "2020-01-09", "2020-05-01"]
    declaration = 'role = "sensitive", type = "date", levels = ["month", "year"], level = "month"'
    assert table_of(declaration, days, tmp_path).schema["ill"].values == ("2020-01", "2020-05")


@pytest.mark.parametrize(
    ("declaration", "values", "words"),
    [
        ('role = "sensitive", hierarchy = "preset:icd10", level = "blocks"', DIAGNOSES, "Did you mean 'block'"),
        ('role = "sensitive", hierarchy = "preset:icd10", level = 5', DIAGNOSES, "a number from 1 to 4; got '5'"),
        ('role = "sensitive", level = "block"', DIAGNOSES, "must have a hierarchy to have a level"),
        ('role = "quasi-identifier", hierarchy = "preset:icd10", level = 1', DIAGNOSES, "must be sensitive"),
        ('role = "sensitive", hierarchy = "preset:icd10", level = 1', [*DIAGNOSES, "none"], "1 of 9 have none"),
        ('role = "sensitive", hierarchy = "h.csv", level = 1', ["a", "b"], "levels from 1 up must be nested"),
    ],
)
def test_a_level_must_fit(declaration: str, values: list[str], words: str, tmp_path: Path):
    """Unknown names and numbers, other roles, unknown values, levels that cut across each other."""
    (tmp_path / "h.csv").write_text("a;x;1;*\nb;x;2;*\n")
    with pytest.raises(InvalidInputError, match=words):
        table_of(declaration, values, tmp_path)


def test_the_hierarchy_above_a_level_gets_a_root():
    """Also above the coarsest level."""
    levels = Hierarchy.from_rows([("a", "x", "1"), ("b", "x", "1"), ("c", "y", "2")])
    assert levels.above(1).to_csv() == "x;1;*\ny;2;*\n"
    assert levels.above(2).to_csv() == "1;*\n2;*\n"


def test_a_release_publishes_the_level_and_the_attacker_infers_it(tmp_path: Path):
    """Beliefs are about blocks, and t-closeness is measured by blocks and chapters from the release alone."""
    values = DIAGNOSES * 2
    roles_text = (
        '[columns]\nage = { role = "quasi-identifier" }\n'
        'ill = { role = "sensitive", hierarchy = "preset:icd10", level = "block" }\n'
    )
    (tmp_path / "roles.toml").write_text(roles_text)
    data, roles = columns_of(values), Roles.from_toml(tmp_path / "roles.toml")
    made = unmask.sanitize(data, "mondrian", set={"k": 4}, roles=roles, seed=1)
    made.write(tmp_path / "release")
    text = (tmp_path / "release" / "rows.csv").read_text()
    assert Counter(line.rsplit(",", 1)[-1] for line in text.splitlines()[1:]) == Counter(BLOCKS * 2)
    assert not any(value in text for value in DIAGNOSES if "." in value)
    release = read_release(tmp_path / "release", roles).release
    hierarchy = release.schema["ill"].hierarchy
    assert hierarchy is not None
    assert hierarchy.to_csv() == (
        "E10-E14;IV E00-E90;*\nI20-I25;IX I00-I99;*\nJ40-J47;X J00-J99;*\nK50-K52;XI K00-K93;*\n"
    )
    found = unmask.audit(data, release=tmp_path / "release", roles=roles, attack="random-worlds")
    assert found.verdict
    beliefs = unmask.attack("random-worlds", tmp_path / "release", people=data, truth=data, roles=roles)
    assert set(beliefs.beliefs[0].values) == set(BLOCKS)
    measured = unmask.measure(tmp_path / "release", require=["t=hierarchical:1"])
    assert measured.exit_code == 0
