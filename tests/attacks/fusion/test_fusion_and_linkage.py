"""Does fusion re-identify? Rows of a group differ by what stands on them in clear, and by nothing else."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import stories
from tests.mined_here import mined_here
from tests.narrowing import Cells, Named, linked_rows
from tests.strategies import row_numbers
from unmask.arrays import Float64, Int32, Int64
from unmask.attacks.fusion.attack import Fusion
from unmask.masks import published_values
from unmask.release import Release
from unmask.table import Table
from unmask.view import Knowledge, View

DECADES = (20, 50)


@pytest.fixture(autouse=True, scope="module")
def miners_here() -> Iterator[None]:
    """Start no process for any miner."""
    with mined_here():
        yield


def towns(n: int = 60, *, informative: float = 1.0, seed: int = 1) -> tuple[Release, Table, Int64]:
    """Return a release of towns of two people each, the people with their exact ages, and the row of each.

    Two towns of three are young or old, and shown so. In the others one is young and one old, and both are shown as
    20-59. A share `told` of people has the job that goes with their age; it stands on the row.
    """
    rng = np.random.default_rng(seed)
    town = np.repeat(np.arange(n), 2)
    mixed = town % 3 == 0
    old = np.where(mixed, np.tile([0, 1], n), np.repeat(rng.integers(0, 2, n), 2))
    works = np.where(rng.random(2 * n) < informative, old, rng.integers(0, 2, 2 * n))
    age = np.array(DECADES)[old] + rng.integers(0, 10, 2 * n)
    job = np.array(["student", "pensioner"])[works]
    table = Table.of(
        {"age": age.tolist(), "town": [f"t{t:02}" for t in town], "job": job.tolist()},
        quasi=["age", "town"], sensitive=["job"],
    )  # fmt: skip
    low = [20 if t % 3 == 0 else DECADES[old[2 * t]] for t in range(n)]
    high = [59 if t % 3 == 0 else DECADES[old[2 * t]] + 9 for t in range(n)]
    ranges = {"age": list(zip(low, high, strict=True)), "town": [(t, t) for t in range(n)]}
    made = stories.boxed(table, town.tolist(), ranges)
    who = np.flatnonzero(mixed)
    return made.release, table.take(who).visible(None), row_numbers(made)[who]


def fused(release: Release) -> tuple[Cells, Float64, tuple[str, ...]]:
    """Return what rows show, and what two miners believe of each row, (rows, values)."""
    prior = published_values.default_prior(release, "age", release.n_rows)
    found = Fusion(("naive-bayes", "logistic"), folds=3).infer(
        View((release,), Knowledge.of_rows(release, prior)), np.random.default_rng(1)
    )
    return Cells.of(release, "age", found.values), found.dense(), found.values


def code_of(people: Table, values: tuple[str, ...]) -> Int32:
    """Return which of the values is each person's age, (people,)."""
    return np.array([values.index(f"{age:g}") for age in people["age"]], np.int32)


def test_a_belief_about_rows_separates_two_people_of_a_town():
    """By hand: the young person's row is believed to be young with .9, the other with .1. Half becomes nine tenths."""
    release, people, own = towns(3)
    values = published_values.values_behind(release, "age")
    cells = Cells.of(release, "age", values)
    young = np.array([int(v) < 40 for v in values])
    believed = np.where(np.arange(release.n_rows) == own[0], 0.9, 0.1)[:, None]
    odds = cells.alone * np.where(
        young, believed / cells.usual[young].sum(), (1 - believed) / cells.usual[~young].sum()
    )
    belief = odds / odds.sum(axis=1, keepdims=True)
    rows = linked_rows(release, people)
    assert [0.5, 0.5] == pytest.approx(Named.of(rows, own).own.tolist())
    assert [0.9, 0.9] == pytest.approx(
        Named.of(cells.narrowed(rows, belief, code_of(people, values)), own).own.tolist()
    )


def test_miners_learn_it_where_a_column_in_clear_tells_the_age():
    """Students of other towns are young: linkage is right with a half, and with what was fused nearly always."""
    release, people, own = towns()
    cells, belief, values = fused(release)
    rows = linked_rows(release, people)
    assert Named.of(rows, own).own == pytest.approx(0.5)
    found = Named.of(cells.narrowed(rows, belief, code_of(people, values)), own)
    assert found.own.mean() > 0.8
    assert found.right.mean() > 0.95
    assert found.gained(Named.of(rows, own), release.group_of_row[own])["own"][1] > 0


def test_where_it_tells_nothing_nothing_is_gained():
    """Jobs are independent of ages. The interval of the gain contains zero; by chance it would not for 5 % of seeds."""
    release, people, own = towns(informative=0.0)
    cells, belief, values = fused(release)
    rows = linked_rows(release, people)
    found = Named.of(cells.narrowed(rows, belief, code_of(people, values)), own)
    _, low, high = found.gained(Named.of(rows, own), release.group_of_row[own])["own"]
    assert low < 0 < high


@given(st.integers(0, 2**32 - 1))
def test_who_knows_no_more_than_the_cell_changes_nothing(seed):
    """And a belief that all rows of a group share tells none of them from another, whatever it is."""
    release, people, _ = towns(6)
    cells = Cells.of(release, "age", published_values.values_behind(release, "age"))
    code = code_of(people, published_values.values_behind(release, "age"))
    rows = linked_rows(release, people)
    assert cells.narrowed(rows, cells.alone, code).data == pytest.approx(rows.data)
    rng = np.random.default_rng(seed)
    shared = rng.dirichlet(np.ones(cells.usual.size), release.n_groups)[release.group_of_row]
    assert cells.narrowed(rows, cells.cut(shared), code).data == pytest.approx(rows.data)
