"""Theorem 3 read as k-map: where every identification costs c, a loss of at most c / k is k people who fit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests import stories
from tests.decision_risk import plain
from tests.strategies import groupings
from unmask.decision_risk.comparisons.contains import Contains
from unmask.decision_risk.consistency import Consistency
from unmask.decision_risk.dictionary import Dictionary
from unmask.decision_risk.disclosure_risk import Risk, risk
from unmask.decision_risk.sensitivity import Sensitivity
from unmask.masks.lines import Lines
from unmask.masks.notation.notation import write_cells
from unmask.masks.suppressed_rows import publish_starred_rows
from unmask.models import release_assessment
from unmask.models.k_anonymity import KAnonymity
from unmask.models.k_map import KMap
from unmask.release import Provenance, Release
from unmask.schema import Missing
from unmask.table import Table

TOWN = Table.of({"job": ["nurse", "nurse", "clerk", "clerk", "clerk", "judge"], "age": [30, 40, 30, 30, 40, 40]},
                quasi=["job", "age"], missing=Missing.WILDCARD)  # fmt: skip


def costs(records: Table, population: Table, disclosed: np.ndarray, c: float = 3.0) -> Risk:
    """Assess disclosed records for an intruder with the population, every identification at the same harm."""
    part = Consistency.of(records, Dictionary("town", population))
    return risk(part, Sensitivity.same(c, disclosed.shape), disclosed)


def starred(table: Table, disclosed: np.ndarray) -> Release:
    """Publish rows with stars in place of what is not disclosed."""
    return publish_starred_rows(table, np.arange(table.n_rows), ~disclosed, Provenance()).release


def test_a_clerk_a_nurse_and_a_man_of_forty():
    """Two patients of a town of six: a clerk fits three, so a harm of 3 costs 1; with the age, two, and 1.5.

    Each is alone in the release, which is not 2-anonymous, and hidden in the town all the same.
    """
    patients = TOWN.take(np.array([2, 0]))
    by_job = np.array([[True, False]] * 2)
    assert [1.0, 1.5] == costs(patients, TOWN, by_job).loss.tolist()
    assert [1.5, 3.0] == costs(patients, TOWN, np.ones((2, 2), bool)).loss.tolist()
    release = starred(patients, by_job)
    assert 2 == release_assessment.measure_release(release, KMap(2), population=TOWN).value
    assert 1 == release_assessment.measure_release(release, KAnonymity(2)).value
    assert [3.0, 3.0] == costs(patients, patients, by_job).loss.tolist()


def test_whose_job_the_register_lacks_fits_every_job():
    """A seventh of the town without a job makes one more of each: 3 / 4 for the clerk, 3 / 3 for the nurse."""
    gap = Table.of({"job": [*("nurse",) * 2, *("clerk",) * 3, "judge", None], "age": [30, 40, 30, 30, 40, 40, 50]},
                   quasi=["job", "age"], missing=Missing.WILDCARD)  # fmt: skip
    patients = gap.take(np.array([2, 0]))
    by_job = np.array([[True, False]] * 2)
    assert [0.75, 1.0] == costs(patients, gap, by_job).loss.tolist()
    assert 3 == release_assessment.measure_release(starred(patients, by_job), KMap(3), population=gap).value


@st.composite
def towns(draw: st.DrawFn) -> tuple[Table, Table, np.ndarray]:
    """Draw a population with gaps, some of its people as patients, and what is shown of each."""
    n = draw(st.integers(2, 9))
    columns: dict[str, Sequence[object]] = {
        "age": draw(st.lists(st.integers(20, 23) | st.none(), min_size=n, max_size=n)),
        "sex": draw(st.lists(st.sampled_from("fm") | st.none(), min_size=n, max_size=n)),
        "zip": draw(st.lists(st.sampled_from(["130", "131"]) | st.none(), min_size=n, max_size=n)),
    }
    population = Table.of(columns, quasi=list(columns), missing=Missing.WILDCARD)
    patients = population.take(np.array(draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=6, unique=True))))
    flags = st.lists(st.booleans(), min_size=3, max_size=3)
    disclosed = np.array(draw(st.lists(flags, min_size=patients.n_rows, max_size=patients.n_rows)))
    return population, patients, disclosed


@given(towns(), st.integers(1, 5))
def test_a_loss_of_at_most_c_over_k_is_k_map(drawn, k):
    """The model says of the release what the losses say of its rows, whatever is missing on either side.

    Rows that show nothing are suppressed people, of whom the model asks nothing.
    """
    population, patients, disclosed = drawn
    available = np.stack([~patients.missing(name) for name in patients.schema.names], axis=1)
    visible = (disclosed & available).any(axis=1)
    assume(visible.any())
    found = costs(patients, population, disclosed)
    measured = release_assessment.measure_release(starred(patients, disclosed), KMap(k), population=population)
    assert measured.value == found.count[visible].min()
    assert measured.value == pytest.approx(3.0 / found.loss[visible].max())
    assert measured.holds == (found.loss[visible] <= 3.0 / k + 1e-12).all()


@given(towns(), st.integers(1, 5))
def test_against_the_table_itself_it_is_k_anonymity_of_rows_that_show_everything(drawn, k):
    """Rows without gaps that show the same columns fit each other or not at all: then groups are who fits."""
    _, patients, disclosed = drawn
    whole = np.flatnonzero(np.stack([~patients.missing(name) for name in patients.schema.names], axis=1).all(axis=1))
    assume(whole.size > 0)
    assume(disclosed[0].any())
    patients, disclosed = patients.take(whole), np.tile(disclosed[0], (whole.size, 1))
    found = costs(patients, patients, disclosed)
    measured = release_assessment.measure_release(starred(patients, disclosed), KAnonymity(k))
    assert measured.value == found.count.min()
    assert measured.holds == (found.loss <= 3.0 / k + 1e-12).all()


@settings(max_examples=40)
@given(st.data())
def test_generalized_cells_contain_as_many_people_as_k_map_counts(data):
    """Boxes of ages and of postal codes are written as a release writes them, and compared by `contains`."""
    n = data.draw(st.integers(2, 8))
    ages = data.draw(st.lists(st.integers(20, 26) | st.none(), min_size=n, max_size=n))
    heights = data.draw(st.lists(st.sampled_from([150, 160, 170, 180]), min_size=n, max_size=n))
    population = Table.of({"age": ages, "height": heights}, quasi=["age", "height"], missing=Missing.WILDCARD)
    rows = sorted(data.draw(st.sets(st.integers(0, n - 1), min_size=1)))
    groups = data.draw(groupings(len(rows)))
    own = np.unique(groups, return_inverse=True)[1].ravel().tolist()
    release = stories.boxed(population.take(np.array(rows)), own).release
    masked = release.masked
    assert isinstance(masked, Lines)
    cells = {
        name: [write_cells(masked.cells[masked.column(name)])[i] for i in masked.cell_of(name)]
        for name in ("age", "height")
    }
    records = Table.of(cells, quasi=["age", "height"])
    part = Consistency.of(records, Dictionary("town", population), {name: Contains() for name in cells})
    found = risk(part, Sensitivity.same(3.0, (release.n_groups, 2)), np.ones((release.n_groups, 2), bool))
    measured = release_assessment.measure_release(release, KMap(2), population=population)
    assert measured.value == found.count.min()
    assert measured.holds == (found.loss <= 1.5 + 1e-12).all()


def test_plain_tables_tell_the_same():
    """The definition by hand: of the clerks of the town three fit a clerk of no age."""
    records = [("clerk", None), ("judge", 40)]
    rows = [("nurse", 30), ("nurse", 40), ("clerk", 30), ("clerk", 30), ("clerk", 40), ("judge", 40)]
    assert [3, 1] == [len(plain.fitting(record, rows, (0, 1))) for record in records]
    assert [3, 1] == costs(plain.table(records, ["job", "age"]), TOWN, np.ones((2, 2), bool)).count.tolist()
