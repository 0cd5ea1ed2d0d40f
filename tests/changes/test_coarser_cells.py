"""Coarser cells of releases made elsewhere: intervals, sets, spans and labels, with a declared order or a hierarchy."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unmask
from unmask.auditing.published_forms import published_forms
from unmask.changes.release_changes import coarsen, coarser_level
from unmask.errors import InvalidInputError
from unmask.files.raw import Raw
from unmask.files.release_folder import release_table
from unmask.files.releases import generalized
from unmask.files.roles import Roles
from unmask.release import Release

DEGREES = ("none", "primary", "middle", "high", "college", "bachelor", "master", "doctor")
AGES = ["[20, 25)", "[25, 30)", "[20, 30)", "[30, 35)", "[35, 40)", "[40, 45)", "[45, 50)", "[45, 50)"]

Span = tuple[int, int]
"""The first and the last value of a cell."""


def written(span: Span, how: str) -> str:
    """Return a cell of neighboring values."""
    first, last = span
    if first == last:
        return DEGREES[first]
    return f"{DEGREES[first]}..{DEGREES[last]}" if how == "span" else "{" + ", ".join(DEGREES[first : last + 1]) + "}"


def release_of(cells: list[str], ages: list[str] | None = None, **roles: Any) -> Release:
    """Read a release whose degrees are in a declared order."""
    table = {"age": ages or ["[20, 30)"] * len(cells), "degree": cells, "ill": ["flu", "cold"] * (len(cells) // 2)}
    given_roles = Roles.of(quasi=["age", "degree"], sensitive=["ill"], **{"order": {"degree": DEGREES}, **roles})
    return generalized(Raw.of(table), given_roles, name="release", also={"degree": DEGREES}).release


def sets_of(release: Release, column: str) -> list[frozenset[int]]:
    """Return the codes in the cell of each row."""
    lines = release.masked.lines
    cells, line = lines.cells[lines.column(column)], lines.line_of(release.group_of_row)
    found = []
    for cell in lines.cell_of(column)[line].tolist():
        pieces = range(cells.start[cell], cells.start[cell + 1])
        found.append(frozenset(v for i in pieces for v in range(int(cells.low[i]), int(cells.high[i]) + 1)))
    return found


SPANS = st.tuples(st.integers(0, 7), st.integers(0, 7)).map(lambda ends: (min(ends), max(ends)))


@given(spans=st.lists(SPANS, min_size=8, max_size=8), how=st.sampled_from(["span", "set"]), levels=st.integers(1, 2))
def test_a_cell_becomes_the_neighboring_values_that_it_touches(spans: list[Span], how: str, levels: int):
    """Law: each cell is the union of the pairs, or of the fours, that it touches, however it was written."""
    release = release_of([written(span, how) for span in spans])
    found = coarser_level(release, "degree", levels)
    before = sets_of(release, "degree")
    if found is None:
        with pytest.raises(InvalidInputError, match="Withhold it"):
            coarsen(release, "degree", levels)
        return
    _, level = found
    width = 2**level
    changed = coarsen(release, "degree", levels)
    after = sets_of(changed.release, "degree")
    assert changed.row_of.size == len(before)
    for row, own in enumerate(before):
        assert after[changed.row_of[row]] == {v for v in range(8) if v // width in {one // width for one in own}}


@pytest.mark.parametrize("how", ["span", "set"])
def test_pairs_become_fours(how: str):
    """The level that is published already is not a coarser one; there is no second one with two labels."""
    release = release_of([written((i, i + 1), how) for i in (0, 2, 4, 6)] * 2)
    changed = coarsen(release, "degree").release
    fours = ["{none, primary, middle, high}", "{college, bachelor, master, doctor}"]
    assert sorted(set(release_table(changed).column("degree").to_pylist())) == sorted(fours)
    assert changed.size.tolist() == [4, 4]
    assert [one.form for one in published_forms(release) if one.name == "degree"] == ["ranges"]
    assert coarser_level(release, "degree", 2) is None


def test_without_an_order_neighbors_are_unknown():
    """Sets of names have no coarser form; the message says what to do."""
    release = release_of(["{none, primary}", "{high, college}"] * 4, order={})
    with pytest.raises(InvalidInputError, match="or declare a hierarchy"):
        coarsen(release, "degree")


def test_intervals_become_wider_ones_and_leave_the_order_alone():
    """Ages in fives and tens become tens; the degrees stay as they are."""
    release = release_of(["none", "{primary, middle}", "none", "high", "high", "doctor", "doctor", "doctor"], AGES)
    changed = coarsen(release, "age")
    cells = release_table(changed.release)
    assert sorted(set(cells.column("age").to_pylist())) == ["20-29", "30-39", "40-49"]
    assert sorted(set(cells.column("degree").to_pylist())) == ["doctor", "high", "none", "{primary, middle}"]
    edges = changed.release.masked.lines.cells[changed.release.masked.lines.column("age")]
    assert all(low < high for low, high in zip(edges.low, edges.high, strict=True))
    assert all(one <= other for one, other in pairwise(edges.low))


@pytest.mark.parametrize("how", ["span", "set"])
@pytest.mark.parametrize("change", [{"coarser": ["degree"]}, {"coarser": ["degree", "age"]}, {"coarser": {"age": 2}}])
def test_everybody_still_fits_when_an_audit_is_of_a_coarser_release(how: str, change: dict[str, Any]):
    """The attack finds all people in the coarser cells, and here exposes no more of them than in the finer ones."""
    rng = np.random.default_rng(5)
    age, degree, ill = rng.integers(20, 60, 80), rng.integers(0, 8, 80), rng.integers(0, 3, 80)
    named = [DEGREES[i] for i in degree.tolist()]
    people = {"age": age.tolist(), "degree": named, "ill": [["flu", "cold", "hiv"][i] for i in ill.tolist()]}
    cells = [written((i // 2 * 2, i // 2 * 2 + 1), how) for i in degree.tolist()]
    release = {**people, "age": [f"[{a // 5 * 5}, {a // 5 * 5 + 5})" for a in age.tolist()], "degree": cells}
    options: dict[str, Any] = {
        "quasi": ["age", "degree"], "sensitive": ["ill"], "order": {"degree": DEGREES}, "attack": "random-worlds",
        "max_belief": 0.6, "seed": 1, "advice": 0,
    }  # fmt: skip
    table, published = pa.table(people), pa.table(release)
    before = unmask.audit(table, release=published, **options)
    after = unmask.audit(table, release=published, **options, **change)
    assert after.report.n_exposed is not None
    assert after.report.n_exposed <= (before.report.n_exposed or 0)
    results = [result for scene in after.report.scenes for result in scene.results if result.ran]
    assert results
    assert not any(result.unplaced for result in results)
    assert after.report.releases[0].n_groups < before.report.releases[0].n_groups
