"""ε of a release holds of its form, too: one record changes no file, column, notation or claim.

For every sanitizer that claims an ε, on tables of text that differ in one record: a record added, removed or
replaced, a cell made missing, a value that no other row has. Only what is declared decides the form.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unmask import catalog
from unmask.commands.sanitizing import sanitize
from unmask.errors import InfeasibleError, InvalidInputError
from unmask.release import Provenance

Rows = Sequence[tuple[str, ...]]
"""Records, a tuple of cells each."""

CELLS: dict[str, list[str]] = {
    "age": ["17", "31", "40.5", "62", "140", "-3", "1e2", "30.0", "", "?"],
    "height": ["1.5", "2", "1.755", "9", "", "NA"],
    "sex": ["f", "m", "f", "x", "", "?"],
    "code": ["1", "2", "3.0", "2.5", "", "?"],
    "ill": ["cold", "flu", "flu", "gout", "7", "", "NULL"],
}
"""Usual values and rare ones, of other forms, outside of what is declared, and missing."""

HOSTILE = (
    "1e101", "-1e300", "1e400", "123456789012345678901", "1.000,5", "1.000.000", "1,000", "1,5", "+5", "−7", "0042",
    "nan", "inf", "2020-01-01", "31.12.2020", "old", "*", "'", "a;b", "ä",
)  # fmt: skip
"""Cells that change how a detecting reader takes all numbers, dates or texts of a column or a file."""

NO_AGES = ("1e101", "-1e300", "1e400", "1.000,5", "1.000.000", "0042", "2020-01-01")

TREE = "f;any\nm;any\nx;any\n?;any\n"
SEXES = "f;woman;any\nm;man;any\nx;other;any\n?;other;any\n"


@dataclass(frozen=True)
class Way:
    """A sanitizer, and all that is declared."""

    name: str
    settings: Mapping[str, str]
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    columns: str = ""  # of roles.toml
    numbers: Mapping[str, str] = field(default_factory=dict)  # column with noise → what each of its numbers looks like
    person_key: str | None = None
    wrong: tuple[str, ...] = ()  # cells that break what is declared, and are refused


WHOLE, CENTS, ANY = r"-?\d+", r"-?\d+(\.\d{1,2})?", r"-?\d+(\.\d+)?(e-\d+)?"

WAYS = {
    "laplace by options": Way(
        "laplace", {"epsilon": "0.5", "attributes": "age=17,99,1; height=1,2.2,0.01", "missing": "middle"},
        ("age", "height"), numbers={"age": WHOLE, "height": CENTS},
    ),
    "laplace by roles": Way(
        "laplace", {"epsilon": "0.5", "missing": "middle"}, ("age", "height"),
        columns='age = { low = -99, high = 199, step = 1 }\nheight = { type = "number", low = 0, high = 9 }\n',
        numbers={"age": WHOLE, "height": ANY},
    ),
    "laplace of people": Way(
        "laplace", {"attributes": "age=17,99,1"}, ("age",), numbers={"age": WHOLE}, person_key="who", wrong=("", "?"),
    ),
    "laplace where missing is shown": Way(
        "laplace", {"attributes": "age=17,99,1", "missing": "show"}, ("age",), numbers={"age": rf"{WHOLE}|\?"}
    ),
    "counts by options": Way(
        "noisy-counts", {"epsilon": "0.1", "cells": "age=0,50,100; sex=f,m; ill=cold,flu,other"}, ("age", "sex"),
        ("ill",),
    ),
    "counts by roles": Way(
        "noisy-counts", {"neighbors": "add-remove", "cells": "age=0,50,100; ill=cold,flu; height=0,1.5,9"},
        ("age", "height"), ("ill",),
        columns='age = { low = -99, high = 199, step = 1 }\nheight = { type = "number", low = 0, high = 9 }\n',
    ),
    "counts of codes": Way("noisy-counts", {"cells": "age=0,50,100; code=1,2,3"}, ("age",), ("code",)),
    "counts of declared codes": Way(
        "noisy-counts", {"cells": "age=0,50,100"}, ("age",), ("code",),
        columns='code = { order = ["1", "2", "3.0", "2.5"] }',
    ),
    "counts by a level": Way(
        "noisy-counts", {"cells": "sex@1; ill=cold,flu"}, ("sex",), ("ill",),
        columns='sex = { hierarchy = "sexes.csv" }',
    ),
    "counts by the top": Way(
        "noisy-counts", {"cells": "sex@1; ill=cold,flu"}, ("sex",), ("ill",),
        columns='sex = { hierarchy = "tree.csv" }',
    ),
    "counts by masks": Way(
        "noisy-counts", {"cells": "sex@1; ill=cold,flu"}, ("sex",), ("ill",),
        columns='sex = { mask = true, order = ["f", "m", "x"] }',
    ),
    "counts by steps": Way(
        "noisy-counts", {"cells": "ill=cold,flu"}, ("age",), ("ill",),
        columns="age = { low = -99, high = 199, step = 0.5 }\n",
    ),
    "counts of people": Way(
        "noisy-counts", {"cells": "age=0,50,100; ill=cold,flu", "rows-per-person": "2"}, ("age",), ("ill",),
        person_key="who",
    ),
}  # fmt: skip


def rows(min_size: int = 2) -> st.SearchStrategy[list[tuple[str, ...]]]:
    """Draw records, a tuple each."""
    return st.lists(st.tuples(*map(st.sampled_from, CELLS.values())), min_size=min_size, max_size=6)


@st.composite
def neighbors(draw: st.DrawFn) -> tuple[Rows, Rows]:
    """Draw two tables that differ in one record."""
    table = draw(rows())
    at = draw(st.integers(0, len(table) - 1))
    other = list(table)
    match draw(st.sampled_from(["add", "remove", "replace", "missing", "usual"])):
        case "add":
            other.append(draw(rows(1))[0])
        case "remove" if len(table) > 1:
            del other[at]
        case "missing":
            column = draw(st.integers(0, len(CELLS) - 1))
            other[at] = tuple("" if i == column else cell for i, cell in enumerate(table[at]))
        case "usual":  # the only record of its kind becomes one like another: all ages are whole, no sex is missing
            other[at] = table[at - 1]
        case _:
            other[at] = draw(rows(1))[0]
    return table, other


@dataclass(frozen=True)
class Form:
    """What of a release is no number with noise."""

    about: dict[str, Any]
    provenance: Provenance
    files: tuple[str, ...]
    lines: dict[str, list[str]]


def form_of(folder: Path, way: Way, table: Rows, provenance: Provenance) -> Form:
    """Return the form of a written release; numbers with noise must look as their declaration says."""
    about = json.loads((folder / "release.json").read_text(encoding="utf-8"))
    del about["files"]  # hashes of what was drawn
    files = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    lines: dict[str, list[str]] = {}
    for name in files:
        text = (folder / name).read_text(encoding="utf-8").splitlines()
        if name in {"table.csv", "rows.csv"} or name.startswith("counts"):
            head = text[0].split(",")
            noisy = {head.index(column): pattern for column, pattern in (way.numbers or {"count": WHOLE}).items()}
            for line in text[1:]:
                cells = line.split(",") if way.numbers else line.rsplit(",", 1)
                shown = {i: cells[i if way.numbers else -1] for i in noisy}
                assert all(re.fullmatch(noisy[i], cell) for i, cell in shown.items()), line
                lines.setdefault(name, [text[0]]).append("" if way.numbers else cells[0])
            assert name != "rows.csv" or len(text) == len(table) + 1  # the number of rows is public
            lines[name] = lines[name][:1] if name == "rows.csv" else lines[name]
        elif name == "README.txt":
            lines[name] = [re.sub(r"(about )?-?[\d,]+ \w+ in \d+ groups", "some in some groups", line) for line in text]
        elif name != "release.json":
            lines[name] = text
    return Form(about, provenance, tuple(files), lines)


def published(way: Way, table: Rows, *, as_file: bool = False) -> Form:
    """Publish a table as a user would, and return the form of what was written."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "tree.csv").write_text(TREE)
        (folder / "sexes.csv").write_text(SEXES)
        (folder / "ages.csv").write_text("".join(f"{age};all\n" for age in ("20", "40", *NO_AGES)))
        (folder / "roles.toml").write_text(f"[columns]\n{way.columns}\n")
        columns = {name: [row[i] for row in table] for i, name in enumerate(CELLS)}
        frame = {"who": [f"p{i}" for i in range(len(table))], **columns}
        made = sanitize(
            written(folder, table) if as_file else frame, way.name, set=way.settings,
            roles=folder / "roles.toml", quasi=way.quasi, sensitive=way.sensitive, person_key=way.person_key,
        )  # fmt: skip
        made.write(folder / "out")
        return form_of(folder / "out", way, table, made.release.provenance)


@pytest.mark.parametrize("way", [pytest.param(way, id=name) for name, way in WAYS.items()])
@settings(max_examples=10, deadline=None)
@given(pair=neighbors())
def test_one_record_changes_nothing_but_numbers_with_noise(way: Way, pair: tuple[Rows, Rows]):
    """Same keys of release.json, files, headers, cells, words and claims; and nothing that is declared is refused."""
    pytest.importorskip("opendp", reason="the extra `release` is not installed")
    at = [list(CELLS).index(name) for name in (*way.quasi, *way.sensitive)]
    if any(row[i] in way.wrong for table in pair for row in table for i in at):
        with pytest.raises(InvalidInputError, match=f"column '{way.quasi[0]}' must"):
            [published(way, table) for table in pair]
        return
    first, second = (published(way, table) for table in pair)
    assert first == second
    claimed = first.provenance.epsilon is not None
    assert claimed is (first.provenance.neighbors is not None) is (way.settings.get("missing") != "show")


def written(folder: Path, table: Rows) -> Path:
    """Write a table as a CSV file."""
    file = folder / "people.csv"
    with file.open("w", encoding="utf-8", newline="") as opened:
        csv.writer(opened).writerows([("who", *CELLS), *((f"p{i}", *row) for i, row in enumerate(table))])
    return file


@st.composite
def hostile_neighbors(draw: st.DrawFn) -> tuple[Rows, Rows]:
    """Draw two tables that differ in one record, which has hostile cells in one of them."""
    table = draw(rows())
    bad = tuple(draw(st.sampled_from([*cells, *HOSTILE])) for cells in CELLS.values())
    at = draw(st.integers(0, len(table)))
    return table, [*table[:at], bad, *table[at + draw(st.integers(0, 1)) :]]


@pytest.mark.parametrize(
    "way",
    [pytest.param(way, id=name, marks=[pytest.mark.sweep] * (n % 2)) for n, (name, way) in enumerate(WAYS.items())],
)
@settings(max_examples=8, deadline=None)
@given(pair=hostile_neighbors())
def test_a_hostile_record_is_refused_or_changes_no_form(way: Way, pair: tuple[Rows, Rows]):
    """One cell that no declaration foresees, in a file: the form is that without it, or nothing is published."""
    pytest.importorskip("opendp", reason="the extra `release` is not installed")
    forms = []
    for table in pair:
        try:
            forms.append(published(way, table, as_file=True))
        except (InvalidInputError, InfeasibleError):
            return
    assert forms[0] == forms[1]


@pytest.mark.parametrize("cell", NO_AGES)
@pytest.mark.parametrize("hierarchy", ["", 'age = { hierarchy = "ages.csv" }'])
def test_edges_are_edges_whatever_one_cell_is(cell: str, hierarchy: str):
    """Once 1e101 made labels of all ages, and the declared edges became values; a hierarchy with the cell did, too."""
    pytest.importorskip("opendp", reason="the extra `release` is not installed")
    way = Way("noisy-counts", {"cells": "age=20,40,60; ill=cold,flu"}, ("age",), ("ill",), columns=hierarchy)
    ages = [("20", "", "", "", "flu"), ("40", "", "", "", "flu")]
    assert published(way, ages, as_file=True).lines["counts-ill.csv"]
    with pytest.raises(InvalidInputError, match="column 'age' must hold numbers"):
        published(way, [*ages, (cell, "", "", "", "flu")], as_file=True)


def test_every_sanitizer_that_can_claim_an_epsilon_is_tried():
    """Those with a parameter of that name."""
    having = {
        name for name, entry in catalog.entries("sanitizers").items() if "epsilon" in entry.kind.__dataclass_fields__
    }
    assert having == {way.name for way in WAYS.values()}


@pytest.mark.parametrize(
    ("name", "settings", "sensitive", "cell", "words"),
    [
        ("laplace", {"attributes": "age=17,99"}, (), "31", "column 'age' must have a declared step"),
        ("laplace", {"attributes": "age=17,99,1"}, (), "old", "column 'age' must hold numbers to be hidden by noise"),
        ("noisy-counts", {"cells": "age=0,50; ill=cold,flu"}, ("ill",), "old", "column 'age' must hold numbers only"),
        ("noisy-counts", {"cells": "ill=cold,flu"}, ("ill",), "31", "column 'age' must have a declared range"),
    ],
)
def test_what_would_change_the_form_is_refused(name, settings, sensitive, cell, words):
    """An undeclared step or range, and text among numbers: it would change how all other numbers are read."""
    pytest.importorskip("opendp", reason="the extra `release` is not installed")
    way = Way(name, settings, ("age",), sensitive)
    table = [("31", "", "", "", "flu"), (cell, "", "", "", "flu")]
    with pytest.raises(InvalidInputError, match=words):
        published(way, table)


def test_text_in_a_column_with_a_declared_range_is_refused():
    """It made the column text, published in clear: no noise, and no range."""
    way = Way("laplace", {}, ("age",), columns="age = { low = 0, high = 99, step = 1 }")
    with pytest.raises(InvalidInputError, match="column 'age' must hold numbers, by its type, low, high or step"):
        published(way, [("31", "", "", "", ""), ("old", "", "", "", "")])


def test_ages_and_half_ages_have_one_form():
    """31 whole ages, or 30 and one of 40.5: once `step` and the cells gave away which."""
    pytest.importorskip("opendp", reason="the extra `release` is not installed")
    whole = [(str(20 + i), "", "f", "", "flu") for i in range(31)]
    for name in ("laplace by options", "counts by options"):
        way = WAYS[name]
        assert published(way, whole) == published(way, [*whole[:-1], ("40.5", "", "f", "", "flu")])
