"""A release as a folder: what is written, what never is, and that reading it back changes no number."""

from __future__ import annotations

import csv
import json
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unmask.arrays import Int32, Ragged
from unmask.errors import InvalidInputError, OutputError
from unmask.files.raw import Raw
from unmask.files.release_files import file_name
from unmask.files.release_folder import write_release
from unmask.files.releases import read_release
from unmask.files.roles import Roles
from unmask.files.tables import to_table
from unmask.links import Linking
from unmask.masks.boxes import publish_boxes
from unmask.masks.exact_rows import publish_exact_rows
from unmask.partition import Partition
from unmask.release import Provenance, Release
from unmask.schema import Missing
from unmask.table import Table

PEOPLE: dict[str, list[Any]] = {
    "age": [23, 27, 31, 38, 44, 61, None, 25],
    "weight": [70.5, 80.25, 66, 71, 90, 55.5, 60, 70.5],
    "sex": ["F", "M", "F", "F", "M", None, "M", "F"],
    "condition": ["flu", "cold", "flu", "none", "cold", "flu", "none", None],
    "ward": ["a", "b", "a", "b", "a", "b", "a", "b"],
}


def boxes(table: Table, group_of: list[int], provenance: Provenance = Provenance("by-hand")) -> Release:
    """Publish groups with the range of each quasi-identifier."""
    partition = Partition(np.array(group_of, np.int32), max(group_of) + 1)
    low, high = [], []
    for attribute in table.schema.quasi:
        column = table[attribute.name].astype(float)
        column = np.where(table.missing(attribute.name), np.nan, column)
        ends = [column[(partition.group_of == g) & ~np.isnan(column)] for g in range(partition.n_groups)]
        low.append(np.array([e.min() if e.size else np.nan for e in ends]))
        high.append(np.array([e.max() if e.size else np.nan for e in ends]))
    return publish_boxes(table, partition, low, high, provenance).release


def people(**changes: Any) -> Table:
    """Return eight patients."""
    options: dict[str, Any] = {"quasi": ["age", "weight", "sex"], "sensitive": ["condition"], "insensitive": ["ward"]}
    return Table.of(PEOPLE, **{**options, **changes})


def weights(release: Release, table: Table) -> Ragged:
    """Link all people to groups."""
    blocks = list(release.masked.links(table.visible(None), release.size, Linking()))
    return Ragged.stacked([block.weight for block in blocks])


def require_same(read: Release, written: Release, table: Table) -> None:
    """Fail unless two releases show the same and give the same numbers."""
    assert read.same_content(written)
    assert read.n_suppressed == written.n_suppressed
    assert read.provenance == written.provenance
    for ours, theirs in zip(read.schema, written.schema, strict=True):
        assert (ours.name, ours.role, ours.missing, ours.mark) == (
            theirs.name,
            theirs.role,
            theirs.missing,
            theirs.mark,
        )
    for name, counts in written.counts.items():
        assert read.schema[name].values == written.schema[name].values
        np.testing.assert_array_equal(read.counts[name].dense(), counts.dense())
    np.testing.assert_array_equal(weights(read, table).dense(), weights(written, table).dense())


GROUPS = [0, 0, 1, 1, 2, 2, 1, 0]


@pytest.mark.parametrize("copies", [1, 5])
@pytest.mark.parametrize("policy", [Missing.OWN, Missing.WILDCARD])
def test_boxes_read_back_give_the_same_numbers(tmp_path, policy, copies):
    """The story: what a recipient reads is what the publisher measured (the trap of ARX's issue 259).

    Where most rows repeat others, they are read once for each kind.
    """
    table = people(missing=policy).take(np.tile(np.arange(8), copies))
    release = boxes(table, GROUPS * copies)
    write_release(release, tmp_path / "out")
    require_same(read_release(tmp_path / "out").release, release, table)


@pytest.mark.parametrize("policy", [Missing.OWN, Missing.WILDCARD])
def test_exact_rows_read_back_give_the_same_numbers(tmp_path, policy):
    """Anatomy's form: rows with a group number, and a count for each group and value."""
    table = people(missing=policy)
    release = publish_exact_rows(
        table, Partition(np.array(GROUPS, np.int32), 3), Provenance("anatomy", {"l": 2})
    ).release
    write_release(release, tmp_path / "out")
    read = read_release(tmp_path / "out")
    require_same(read.release, release, table)
    assert read.group_column == "group"
    assert read.group_of == {"0": 0, "1": 1, "2": 2}
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == [
        "README.txt", "counts-condition.csv", "release.json", "rows.csv",
    ]  # fmt: skip


def test_what_the_recipient_finds(tmp_path):
    """Cells as people write them, groups told by the cells alone, lines in an order that is not the input's."""
    write_release(boxes(people(), GROUPS), tmp_path / "out")
    lines = (tmp_path / "out" / "rows.csv").read_text(encoding="utf-8").splitlines()
    assert lines == [
        "age,weight,sex,condition,ward",
        '23-27,"[70.5, 80.25]","{F, M}",cold,b',
        '23-27,"[70.5, 80.25]","{F, M}",flu,a',
        '23-27,"[70.5, 80.25]","{F, M}",?,b',
        '44-61,"[55.5, 90]",M|?,cold,a',
        '44-61,"[55.5, 90]",M|?,flu,b',
        '31-38|?,"[60, 71]","{F, M}",flu,a',
        '31-38|?,"[60, 71]","{F, M}",none,a',
        '31-38|?,"[60, 71]","{F, M}",none,b',
    ]
    about = json.loads((tmp_path / "out" / "release.json").read_text(encoding="utf-8"))
    assert about["unmask_release"] == 1
    assert about["columns"][0] == {
        "name": "age", "role": "quasi-identifier", "cells": "cells", "domain": {"type": "numeric", "step": 1.0},
        "missing": {"mark": "?", "policy": "own"},
    }  # fmt: skip
    assert about["columns"][2]["domain"] == {"type": "categorical"}, "values that were only seen are not published"
    assert about["made_by"] == {"sanitizer": "by-hand", "parameters": {}}
    assert "group_column" not in about
    assert "seed" not in json.dumps(about)


def test_the_input_order_leaves_no_trace(tmp_path):
    """The same people in another order give the same bytes."""
    table = people()
    order = np.array([5, 3, 0, 7, 1, 6, 2, 4])
    write_release(boxes(table, GROUPS), tmp_path / "a")
    write_release(boxes(table.take(order), [GROUPS[i] for i in order]), tmp_path / "b")
    for file in ("rows.csv", "release.json", "README.txt"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_groups_that_look_alike_are_told_apart_by_a_column(tmp_path):
    """Two groups of the same range: without a group column they would become one."""
    table = Table.of({"age": [20, 30, 20, 30], "group": list("abab"), "s": list("xxyy")}, quasi=["age", "group"],
                     sensitive=["s"])  # fmt: skip
    release = boxes(table, [0, 0, 1, 1])
    write_release(release, tmp_path / "out")
    assert (tmp_path / "out" / "rows.csv").read_text().splitlines()[0] == "group_,age,group,s"
    require_same(read_release(tmp_path / "out").release, release, table)


def test_what_a_spreadsheet_would_execute_is_made_harmless_and_comes_back(tmp_path):
    """`=cmd()`, `+1-2`, `@x`, tabs, and what already has an apostrophe; minus five is only a number."""
    odd = ["=cmd()", "+1-2", "-x", "@x", "'=y", "'tis", "-5", "5"]
    table = Table.of({"q": odd, "=n": [-5, 5, 1, 2, 3, 4, 5, 6], "s": odd[::-1]}, quasi=["q", "=n"], sensitive=["s"])
    for release in (boxes(table, [0, 1, 2, 3, 4, 5, 6, 7]), boxes(table, [0, 0, 1, 1, 2, 2, 3, 3])):
        write_release(release, tmp_path / "out", force=True)
        with (tmp_path / "out" / "rows.csv").open(encoding="utf-8", newline="") as file:
            cells = [cell for row in csv.reader(file) for cell in row]
        assert all(not cell.startswith(("=", "+", "@", "-x")) for cell in cells)
        assert "-5" in cells or "[-5, 5]" in cells
        require_same(read_release(tmp_path / "out").release, release, table)


def test_odd_names_make_odd_files_that_still_work(tmp_path):
    """`Full Name`, `a"b`, `select`, `../x`, ä: percent-encoded where they become file names."""
    assert file_name('Full Name/../ä"') == "Full%20Name%2F%2E%2E%2F%C3%A4%22"
    names = ["Full Name", 'a"b', "select", "../x", "ä,ö"]
    columns: dict[str, list[Any]] = {name: [1, 2, 3, 4] for name in names}
    table = Table.of(columns, quasi=names[:3], sensitive=names[3:])
    release = publish_exact_rows(table, Partition(np.array([0, 0, 1, 1], np.int32), 2), Provenance("x")).release
    write_release(release, tmp_path / "out")
    assert (tmp_path / "out" / "counts-%2E%2E%2Fx.csv").exists()
    require_same(read_release(tmp_path / "out").release, release, table)


def test_declared_orders_and_numbers_as_sensitive_values_survive(tmp_path):
    """A declared order is published; numbers that are sensitive are sorted by size again."""
    columns: dict[str, list[Any]] = {
        "edu": ["HS", "BA", "MA", "HS"],
        "pay": [9, 10.5, 100, None],
        "z": ["01", "1", "2", "3"],
    }
    table = Table.of(columns, quasi=["edu", "z"], sensitive=["pay"], orders={"edu": ["none", "HS", "BA", "MA"]})
    release = boxes(table, [0, 0, 1, 1])
    write_release(release, tmp_path / "out")
    read = read_release(tmp_path / "out").release
    require_same(read, release, table)
    assert read.schema["edu"].domain == table.schema["edu"].domain
    assert read.schema["pay"].values == ("9", "10.5", "100", "?")


def test_regions_are_a_second_set_of_cells(tmp_path):
    """Summaries and regions of the same groups, linked by the group column."""
    table = people(quasi=["age"], insensitive=[])
    partition = Partition(np.array([0, 0, 1, 1, 1, 1, 1, 0], np.int32), 2)
    low, high = [np.array([23.0, 31.0])], [np.array([27.0, 61.0])]
    regions = ([np.array([0.0, 30.0])], [np.array([29.0, 120.0])])
    release = publish_boxes(table, partition, low, high, Provenance("x"), regions).release
    write_release(release, tmp_path / "out")
    assert (tmp_path / "out" / "regions.csv").read_text() == "group,age\n0,0-29\n1,30-120|?\n"
    read = read_release(tmp_path / "out").release
    require_same(read, release, table)
    assert read.regions is not None
    np.testing.assert_array_equal(read.regions.group_of_line, [0, 1])
    np.testing.assert_array_equal(read.regions.cell_of("age"), release.regions.cell_of("age"))  # type: ignore[union-attr]


def test_only_the_owner_can_read_and_an_existing_folder_is_kept(tmp_path):
    """0700 and 0600; a second write needs --force, and leaves the user's own notes alone."""
    release = boxes(people(), GROUPS)
    write_release(release, tmp_path / "out")
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o700
    assert {stat.S_IMODE(f.stat().st_mode) for f in (tmp_path / "out").iterdir()} == {0o600}
    with pytest.raises(OutputError, match="--force"):
        write_release(release, tmp_path / "out")
    (tmp_path / "out" / "notes.txt").write_text("mine")
    (tmp_path / "out" / "counts-old.csv").write_text("group,value,count\n")
    write_release(release, tmp_path / "out", force=True)
    assert (tmp_path / "out" / "notes.txt").read_text() == "mine"
    assert (tmp_path / "out" / "counts-old.csv").exists()  # whatever it is called: unmask did not write it


def test_a_hierarchy_is_published_only_where_its_leaves_are_declared(tmp_path):
    """Masks made of the data would publish every code in it; a declared hierarchy comes along, and is read back."""
    (tmp_path / "edu.csv").write_text("BA;Higher;*\nHS;Lower;*\nMA;Higher;*\nnone;Lower;*\n")
    (tmp_path / "roles.toml").write_text(
        '[columns]\nedu = { role = "quasi-identifier", hierarchy = "edu.csv" }\n'
        'zip = { role = "quasi-identifier", mask = true }\ns = { role = "sensitive" }\n'
    )
    raw = Raw.of({"edu": ["BA", "MA", "HS", "HS"], "zip": ["13012", "13053", "14850", "14850"], "s": list("xyxy")})
    table = to_table(raw, Roles.from_toml(tmp_path / "roles.toml"))
    release = boxes(table, [0, 0, 1, 1])
    write_release(release, tmp_path / "out")
    assert (tmp_path / "out" / "rows.csv").read_text().splitlines() == [
        "edu,zip,s",
        '"{BA, HS, MA}",130**,x',
        '"{BA, HS, MA}",130**,y',
        "HS,14850,x",
        "HS,14850,y",
    ]
    assert [f.name for f in (tmp_path / "out" / "hierarchies").iterdir()] == ["edu.csv"]
    read = read_release(tmp_path / "out", also={"zip": ["13012", "13053", "14850"]}).release
    assert read.schema["edu"].domain == table.schema["edu"].domain
    require_same(read, release, table)


def hand_written(folder: Path, about: dict[str, Any], **files: str) -> Path:
    """Write a release folder as a stranger would."""
    folder.mkdir(exist_ok=True)
    (folder / "release.json").write_text(json.dumps(about))
    for name, text in files.items():
        (folder / f"{name.replace('__', '-')}.csv").write_text(text)
    return folder


ABOUT: dict[str, Any] = {
    "unmask_release": 1,
    "columns": [{"name": "age", "role": "quasi-identifier"}, {"name": "sick", "role": "sensitive"}],
}


def test_a_stranger_can_write_a_release_by_hand(tmp_path):
    """Two keys are enough; everything else is found in the cells."""
    folder = hand_written(tmp_path / "h", ABOUT, rows="age,sick\n<30,flu\n<30,cold\n30-39,flu\n30-39,flu\n")
    read = read_release(folder, also={"age": ["22", "39"]})
    assert read.release.name == "h"
    assert read.release.size.tolist() == [2, 2]
    assert read.release.counts_of("sick").dense().tolist() == [[1, 1], [0, 2]]
    assert list(read.row_of) == [1, 0, 2, 3]
    assert read.group_of == {}


@pytest.mark.parametrize(
    ("change", "files", "message"),
    [
        ({"rowz": "people"}, {}, "Did you mean 'rows'"),
        ({"columns": [{"name": "age", "rol": "x"}]}, {}, r"key 'columns.0.rol' in release.json.*Did you mean 'role'"),
        ({"columns": [{"name": "age", "role": "household"}]}, {}, "must be one of"),
        (
            {"columns": [{"name": "age", "role": "sensitive", "cells": "pseudonym"}]},
            {"rows": "age\n20\n"},
            "must be a person-key to hold pseudonyms",
        ),
        ({"unmask_release": 2}, {}, "'unmask_release' in release.json must be at most 1"),
        ({"columns": [{"role": "sensitive"}]}, {}, "'columns.0.name' in release.json must be given"),
        ({}, {"rows": "age,sick,who\n20,flu,Ann\n"}, "who is not"),
        ({}, {"rows": "sick\nflu\n"}, "'age' of release.json must be in rows.csv"),
        ({}, {"rows": "age\n20\n"}, "'counts-sick.csv' must exist|counts-sick"),
        ({"group_column": "g"}, {"rows": "age,sick\n20,flu\n"}, "column of rows.csv must be one of"),
        ({"group_column": "g"}, {"rows": "age,sick,g\n20,flu,1\n21,flu,\n"}, "every row of release 'h' must name"),
        (
            {"group_column": "g"},
            {"rows": "age,g\n20,1\n", "counts__sick": "group,value,count\n2,flu,1\n"},
            "must be of its own groups; 1 entries",
        ),
        ({}, {"rows": "age\n20\n", "counts__sick": "group,value,count\n0,flu,1\n"}, "must have a group column"),
        (
            {"group_column": "g"},
            {"rows": "age,g\n20,1\n", "counts__sick": "group,value,count\n1,flu,many\n"},
            "must hold numbers only",
        ),
        (
            {"columns": [{"name": "age", "role": "quasi-identifier", "hierarchy": "../../etc/passwd"}]},
            {"rows": "age\n20\n"},
            "must lie in its folder",
        ),
        (
            {"columns": [{"name": "age", "role": "quasi-identifier", "cells": "noisy"}]},
            {"rows": "age\n20\n"},
            "tell its noise where cells are noisy",
        ),
    ],
)
def test_a_folder_that_does_not_fit_together_is_one_clear_line(tmp_path, change, files, message):
    """Unknown keys, missing files, undescribed columns, groups that do not exist, paths that lead out."""
    folder = hand_written(tmp_path / "h", {**ABOUT, **change}, **{"rows": "age,sick\n20,flu\n", **files})
    with pytest.raises(InvalidInputError, match=message) as caught:
        read_release(folder)
    assert "\n" not in str(caught.value)


def test_a_folder_that_is_no_release_is_refused(tmp_path):
    """No release.json, or broken JSON in it."""
    with pytest.raises(InvalidInputError, match="a folder without one"):
        read_release(tmp_path)
    (tmp_path / "release.json").write_text('{"unmask_release": 1,\n oops')
    with pytest.raises(InvalidInputError, match="valid JSON; it breaks at line 2"):
        read_release(tmp_path)


def test_a_table_without_rows_has_a_line_for_each_group(tmp_path):
    """A table of counts, noisy ones included: sizes need not be whole or positive."""
    about = {
        "unmask_release": 1,
        "rows": "none",
        "columns": [{"name": "age", "role": "quasi-identifier"}, {"name": "sick", "role": "sensitive"}],
    }
    folder = hand_written(
        tmp_path / "t",
        about,
        table="group,age,count\nb,30-39,1.5\na,20-29,4\n",
        counts__sick="group,value,count\na,flu,5\na,cold,-1\nb,flu,1.5\n",
    )
    release = read_release(folder).release
    assert release.start is None
    assert release.size.tolist() == [4, 1.5]
    assert release.counts_of("sick").dense().tolist() == [[-1, 5], [0, 1.5]]
    write_release(release, tmp_path / "again")
    assert (tmp_path / "again" / "table.csv").read_text() == "group,age,count\n0,20-29,4\n1,30-39,1.5\n"
    again = read_release(tmp_path / "again").release
    assert again.same_content(release)
    assert (again.start, again.rows) == (None, "none")


ages = st.one_of(st.none(), st.integers(-5, 5), st.integers(0, 99))
words = st.one_of(st.none(), st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=4)
                  .map(str.strip).filter(lambda t: bool(t) and t != "?"))  # fmt: skip


@settings(max_examples=25)
@given(st.lists(st.tuples(ages, st.floats(-1e3, 1e3).map(lambda x: round(x, 3)), words, words, st.integers(0, 3)),
                min_size=1, max_size=12), st.booleans(), st.booleans())  # fmt: skip
def test_law_whatever_is_written_is_read_back(tmp_path_factory, rows, exact, wildcard):
    """Any table, any partition, both forms, both policies: same content, same links."""
    age, weight, word, sick, group = zip(*rows, strict=True)
    columns: dict[str, Any] = {"age": age, "weight": weight, "word": word, "sick": sick}
    policy = Missing.WILDCARD if wildcard else Missing.OWN
    table = Table.of(columns, quasi=["age", "weight", "word"], sensitive=["sick"], missing=policy)
    number: Int32 = np.unique(group, return_inverse=True)[1].astype(np.int32)
    partition = Partition(number, int(number.max()) + 1)
    release = publish_exact_rows(table, partition, Provenance("x")).release if exact else boxes(table, number.tolist())
    folder = tmp_path_factory.mktemp("law") / "out"
    write_release(release, folder)
    require_same(read_release(folder).release, release, table)


def test_a_release_without_rows_is_bad_input(tmp_path):
    """What is undefined is not zero: without people, no model is met and no risk is low."""
    write_release(boxes(people(), [0, 0, 0, 1, 1, 1, 2, 2]), tmp_path / "out")
    rows = tmp_path / "out" / "rows.csv"
    rows.write_text(rows.read_text().splitlines()[0] + "\n")
    with pytest.raises(InvalidInputError, match=r"'out' must have at least one row; rows\.csv has none below"):
        read_release(tmp_path / "out")


def test_what_is_written_can_be_read_at_any_length(tmp_path):
    """Texts of more than 2 MB, which DuckDB refuses unless it is prepared."""
    long = "x" * 2_200_000
    table = Table.of({"age": [1, 1, 2, 2], "ill": [long, "b", "b", long]}, quasi=["age"], sensitive=["ill"])
    release = boxes(table, [0, 0, 1, 1])
    write_release(release, tmp_path / "out")
    assert read_release(tmp_path / "out").release.same_content(release)
