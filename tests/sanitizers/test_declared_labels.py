"""Declared labels are what is published, and what is read back: of numbers, words, codes and dates."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.trees import boxes_around
from unmask.errors import InfeasibleError, InvalidInputError
from unmask.files.raw import Raw
from unmask.files.reading import read as read_table
from unmask.files.release_folder import write_release
from unmask.files.releases import read_release
from unmask.files.roles import Roles
from unmask.files.tables import to_table
from unmask.hierarchies import Hierarchy
from unmask.links import Linking
from unmask.masks.atoms import labels_in
from unmask.release import Publication, Release, Sanitizer
from unmask.sanitizers.full_domain import FullDomain
from unmask.sanitizers.k_member import KMember
from unmask.sanitizers.mondrian import Mondrian
from unmask.table import Table


def table_of(folder: Path, columns: Mapping[str, Any], hierarchies: Mapping[str, str], roles: str = "") -> Table:
    """Return a table as its file and roles say: hierarchies in ARX's form, `s` sensitive, the rest published."""
    lines = [roles, "[columns]"] if "[columns]" not in roles else [roles]
    for name in columns:
        if name in hierarchies:
            (folder / f"{name}.csv").write_text(hierarchies[name])
            lines.append(f'{name} = {{ role = "quasi-identifier", hierarchy = "{name}.csv" }}')
        elif name == "s":
            lines.append('s = { role = "sensitive" }')
        elif f"{name} =" not in roles:
            lines.append(f'{name} = {{ role = "quasi-identifier" }}')
    (folder / "roles.toml").write_text("\n".join(lines))
    return to_table(Raw.of(dict(columns)), Roles.from_toml(folder / "roles.toml"))


def rows(folder: Path, name: str) -> list[str]:
    """Return a column of rows.csv."""
    with (folder / "rows.csv").open(encoding="utf-8", newline="") as file:
        return [row[name] for row in csv.DictReader(file)]


def written(sanitizer: Sanitizer, table: Table, folder: Path, seed: int = 0) -> tuple[Publication, Release]:
    """Publish a table, write the release and read it back, together with its people."""
    made = sanitizer.sanitize(table, np.random.default_rng(seed))
    write_release(made.release, folder, force=True)
    also = {a.name: list(labels_in(table, a.name)) for a in table.schema.quasi}
    return made, read_release(folder, also=also).release


def require_own_group(made: Publication, read: Release, table: Table) -> None:
    """Fail unless every person fits the own group of what was read back."""
    assert read.same_content(made.release)
    profile, profiles = table.visible("s").profiles()
    start = 0
    fits: set[tuple[int, int]] = set()
    for block in read.masked.links(profiles, read.size, Linking()):
        fits |= {(int(p) + start, int(g)) for p, g in zip(block.weight.row, block.weight.column, strict=True)}
        start += block.weight.n_rows
    own = [(int(p), int(g)) for p, g in zip(profile, made.group_of, strict=True) if g >= 0]
    assert set(own) <= fits


NUM3 = {"age": [20, 20, 24, 75, 77, 90], "s": list("ababab")}
YOUNG = "20;young;*\n24;young;*\n75;old;*\n77;old;*\n90;old;*\n"


def test_ages_are_published_as_young_and_old_not_as_the_ages_under_them(tmp_path):
    """The table's oldest is 90: `old` does not say so, and the declared hierarchy travels for those who read it."""
    table = table_of(tmp_path, NUM3, {"age": YOUNG})
    made, read = written(FullDomain(k=3), table, tmp_path / "n")
    assert rows(tmp_path / "n", "age") == ["young"] * 3 + ["old"] * 3
    assert (tmp_path / "n" / "hierarchies" / "age.csv").read_text() == YOUNG
    column = json.loads((tmp_path / "n" / "release.json").read_text())["columns"][0]
    assert (column["hierarchy"], column["level"]) == ("hierarchies/age.csv", 1)
    require_own_group(made, read, table)
    assert boxes_around(read, table.visible("s")).tolist() == [1] * 6


@pytest.mark.parametrize("sanitizer", [FullDomain(k=2), FullDomain(k=2, local=True)], ids=["global", "local"])
def test_a_label_over_one_leaf_is_published_not_the_leaf(tmp_path, sanitizer):
    """`Africa` has one country in the hierarchy: anyone who reads the table reads the continent."""
    places = "South;Africa;*\nFrance;Europe;*\nSpain;Europe;*\n"
    table = table_of(tmp_path, {"from": ["South", "South", "France", "Spain"], "s": list("abab")}, {"from": places})
    made, read = written(sanitizer, table, tmp_path / "n")
    assert "Europe" in rows(tmp_path / "n", "from")
    if not sanitizer.local:
        assert set(rows(tmp_path / "n", "from")) == {"Africa", "Europe"}
    require_own_group(made, read, table)


def test_a_label_that_is_a_leaf_elsewhere_is_read_by_its_level(tmp_path):
    """`Other` is a value, and the name of a class with two values: the level in release.json decides."""
    races = "Other;Other;*\nInuit;Other;*\nWhite;White;*\n"
    table = table_of(tmp_path, {"race": ["Other", "Inuit", "White", "White"], "s": list("abab")}, {"race": races})
    made, read = written(FullDomain(k=2), table, tmp_path / "n")
    assert Counter(rows(tmp_path / "n", "race")) == {"Other": 2, "White": 2}
    require_own_group(made, read, table)


def test_a_label_may_be_an_interval_that_its_values_are_not_in(tmp_path):
    """ARX's `0-19` holds 20: the hierarchy that travels says so, whatever the text looks like."""
    ages = "".join(f"{age};{(age - 1) // 20 * 20}-{(age - 1) // 20 * 20 + 19};*\n" for age in range(1, 41))
    table = table_of(tmp_path, {"age": [5, 20, 21, 40], "s": list("abab")}, {"age": ages})
    made, read = written(FullDomain(k=2), table, tmp_path / "n")
    assert rows(tmp_path / "n", "age") == ["0-19", "0-19", "20-39", "20-39"]
    require_own_group(made, read, table)
    assert boxes_around(read, table.visible("s")).tolist() == [1] * 4


def test_bins_have_open_ends_unless_values_are_declared(tmp_path):
    """`<20` and `75+`: the youngest and the oldest of the table stay out of it; no hierarchy file lists them either."""
    columns = {"age": [17, 18, 25, 29, 80, 91], "pay": [7.5, 8, 30, 31, 99, 99.5], "s": list("ababab")}
    binned = '{ role = "quasi-identifier", bins = [20, 75] }'
    bins = f"[columns]\nage = {binned}\npay = {binned.replace('75', '75.5')}"
    made, read = written(FullDomain(k=2), table_of(tmp_path, columns, {}, bins), tmp_path / "n")
    assert rows(tmp_path / "n", "age") == ["<20", "<20", "20-74", "20-74", "75+", "75+"]
    assert rows(tmp_path / "n", "pay") == ["<20", "<20", "[20, 75.5)", "[20, 75.5)", "75.5+", "75.5+"]
    assert not (tmp_path / "n" / "hierarchies").exists()
    require_own_group(made, read, table_of(tmp_path, columns, {}, bins))
    bounded = bins.replace("bins = [20, 75]", "bins = [20, 75], low = 0, high = 120")
    written(FullDomain(k=2), table_of(tmp_path, columns, {}, bounded), tmp_path / "n")
    assert rows(tmp_path / "n", "age") == ["0-19", "0-19", "20-74", "20-74", "75-120", "75-120"]


DAYS = [
    f"20{year}-{month:02}-{day:02}" for year in (19, 20) for month in (1, 2, 5, 6) for day in (3, 9, 11, 17, 21, 28)
]
DATED = '[columns]\nday = { role = "quasi-identifier", type = "date", levels = ["month", "quarter", "year"] }'


@pytest.mark.parametrize(
    ("sanitizer", "cells"),
    [
        (FullDomain(k=6), {f"20{year}-0{month}" for year in (19, 20) for month in (1, 2, 5, 6)}),
        (FullDomain(k=12), {"2019-Q1", "2019-Q2", "2020-Q1", "2020-Q2"}),
        (FullDomain(k=24), {"2019", "2020"}),
        (Mondrian(k=24, hierarchies=True), {"2019", "2020"}),
        (Mondrian(k=16), {"2019-01-03..2019-06-28", "2020-01-03..2020-06-28"}),
    ],
    ids=["month", "quarter", "year", "tree", "range"],
)
def test_dates_are_published_as_periods_or_ranges_never_listed(tmp_path, sanitizer, cells):
    """No cell lists days, no file lists the days of the table, and every person is still found in the own group."""
    roles = DATED.partition(", levels")[0] + " }" if sanitizer == Mondrian(k=16) else DATED
    table = table_of(tmp_path, {"day": DAYS, "s": ["a", "b"] * 24}, {}, roles)
    made, read = written(sanitizer, table, tmp_path / "n")
    assert set(rows(tmp_path / "n", "day")) == cells
    assert not (tmp_path / "n" / "hierarchies").exists()
    require_own_group(made, read, table)


def test_a_set_of_many_words_is_a_range(tmp_path):
    """More than 20 diagnoses in a group: `A00..A24`, in the order of the column; fewer are listed."""
    codes = [f"A{n:02}" for n in range(25)] + ["B1", "B2"]
    table = table_of(tmp_path, {"icd": codes, "sex": ["f"] * 25 + ["m"] * 2, "s": ["a", "b", "c"] * 9}, {})
    made, read = written(Mondrian(k=25), table, tmp_path / "n")
    assert set(rows(tmp_path / "n", "icd")) == {"A00..B2"}
    assert set(rows(tmp_path / "n", "sex")) == {"{f, m}"}
    require_own_group(made, read, table)
    readme = (tmp_path / "n" / "README.txt").read_text()
    assert "icd, sex: ranges run from the least to the greatest value of their group" in readme


def test_only_ranges_of_groups_are_extremes(tmp_path):
    """The ends of a label are no person's; the README warns of those of a range."""
    table = table_of(tmp_path, NUM3, {"age": YOUNG})
    written(FullDomain(k=3), table, tmp_path / "n")
    assert "Extremes" not in (tmp_path / "n" / "README.txt").read_text()
    written(Mondrian(k=3), table, tmp_path / "n")
    assert "  age: ranges run" in (tmp_path / "n" / "README.txt").read_text()
    assert "20-24" in rows(tmp_path / "n", "age")


def test_a_release_that_was_read_is_written_again_as_it_was(tmp_path):
    """A copy in a ledger shows the labels, not the values that are known to stand behind them."""
    columns = {"age": NUM3["age"], "far": [1, 2, 30, 40, 50, 60], "s": NUM3["s"]}
    table = table_of(
        tmp_path, columns, {"age": YOUNG}, '[columns]\nfar = { role = "quasi-identifier", bins = [20, 45] }'
    )
    written(FullDomain(k=1, loss="aecs"), table, tmp_path / "n")
    _, read = written(FullDomain(k=2, suppression=0.3), table, tmp_path / "n")
    write_release(read, tmp_path / "again")
    for name in ("age", "far"):
        assert rows(tmp_path / "again", name) == rows(tmp_path / "n", name)


def test_arx_adult_is_published_with_the_labels_of_arx(tmp_path, data_folder):
    """Nine columns of Adult along ARX's own hierarchies: every cell is one of their labels, and all are found again."""
    folder = data_folder / "arx" / "adult"

    quasi = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class"]
    roles = Roles.of(
        quasi=quasi, sensitive=["occupation"],
        hierarchy={name: str(folder / f"adult_hierarchy_{name}.csv") for name in quasi},
    )  # fmt: skip
    table = to_table(read_table(folder / "adult.csv.gz"), roles)
    for sanitizer in (FullDomain(k=5, suppression=0.04), FullDomain(k=5, local=True), Mondrian(k=50, hierarchies=True)):
        made, again = written(sanitizer, table, tmp_path / "n")
        for name in quasi:
            tree = Hierarchy.from_csv((folder / f"adult_hierarchy_{name}.csv").read_text())
            cells = set(rows(tmp_path / "n", name))
            assert cells <= {*tree.leaves, *(label for labels in tree.labels for label in labels)}
            if sanitizer == FullDomain(k=5, suppression=0.04):
                assert any(cells <= set(labels) for labels in (tree.leaves, *tree.labels))
        assert "1-20" not in rows(tmp_path / "n", "age")
        require_own_group(made, again, table)


NAMES = ["north", "south", "x", "a, b", "{c}", "<30", "20-29", "3*", "?", "b..d", '"q"', "2020", "=1", "", "a"]
names = st.sampled_from(NAMES)
SANITIZERS: list[Sanitizer] = [
    FullDomain(k=2), FullDomain(k=2, local=True), FullDomain(k=3, suppression=0.3), Mondrian(k=2, hierarchies=True),
    Mondrian(k=2, hierarchies=True, regions=True), Mondrian(k=2), KMember(k=2),
]  # fmt: skip


@pytest.mark.parametrize("sanitizer", SANITIZERS, ids=repr)
@settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_law_each_person_fits_the_own_group_of_what_is_read_back(tmp_path, sanitizer, data):
    """Whatever labels are called, in columns of numbers, decimals, words, codes and days, missing values or none."""
    n = data.draw(st.integers(4, 14))
    values = {
        "age": st.integers(0, 12), "x": st.integers(0, 12).map(lambda i: 0.35 + 0.1 * i).map(lambda x: round(x, 2)),
        "word": st.sampled_from([*"abcdefgh", "south"]), "code": st.integers(100, 112).map(lambda i: f"0{i}"),
        "day": st.integers(1, 12).map(lambda i: f"2020-{i:02}-15"),
    }  # fmt: skip
    chosen = data.draw(st.lists(st.sampled_from(list(values)), min_size=1, max_size=2, unique=True))
    columns: dict[str, list[Any]] = {
        name: data.draw(st.lists(st.none() | values[name] if data.draw(st.booleans()) else values[name],
                                 min_size=n, max_size=n)) for name in chosen
    }  # fmt: skip
    columns["s"] = ["a", "b"] * (n // 2) + ["a"] * (n % 2)
    trees = {}
    for name in chosen:
        known = sorted({str(v) for v in columns[name] if v is not None})
        known += data.draw(st.sampled_from([[], ["?"], ["z"]])) if name == "word" else []
        if known and data.draw(st.booleans()):
            label = {leaf: data.draw(names) for leaf in known}
            wider = {text: data.draw(names) for text in set(label.values())}
            rooted = [[leaf, label[leaf], wider[label[leaf]], "*"] for leaf in known]
            trees[name] = Hierarchy.from_rows(rooted).to_csv()
    made_of = {"age": "bins = [3, 8]", "x": "bins = [0.1]", "code": "mask = true",
               "day": 'type = "date", levels = ["month", "quarter"]'}  # fmt: skip
    declared = [f'{name} = {{ role = "quasi-identifier", {made_of[name]} }}' for name in chosen
            if name in made_of and name not in trees and any(v is not None for v in columns[name])]  # fmt: skip
    table = table_of(tmp_path, columns, trees, "\n".join(["[columns]", *declared]))
    if getattr(sanitizer, "hierarchies", False) and all(a.hierarchy is None for a in table.schema.quasi):
        return
    try:
        made, read = written(sanitizer, table, tmp_path / "n")
    except (InfeasibleError, InvalidInputError) as error:
        assert isinstance(error, InfeasibleError) or "must be nested" in str(error)  # noqa: PT017
        return
    require_own_group(made, read, table)
    for attribute in table.schema.quasi:
        tree = attribute.hierarchy
        if tree is not None and isinstance(sanitizer, FullDomain) and not sanitizer.local:
            labels = [set(tree.leaves), *map(set, tree.labels)]
            cells = {text.removeprefix("'") for text in rows(tmp_path / "n", attribute.name)}
            texts = {text.removesuffix("|?") for text in cells} - {"?"}
            if not {"", "?"} & set().union(*labels) and not any(text.startswith('"') for text in texts):
                assert any(texts <= level for level in labels)
