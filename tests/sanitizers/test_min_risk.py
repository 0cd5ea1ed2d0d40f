"""min-risk: each row shows the cells that cost least; checked by counting who fits, and by trying all sets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import tables
from unmask import catalog
from unmask.errors import InfeasibleError, InvalidInputError
from unmask.masks.lines import Lines
from unmask.release import Publication
from unmask.sanitizers.min_risk import MinRiskSuppression
from unmask.table import Table

CLINIC = {"visit": [f"2020-01-0{day}" for day in range(1, 9)], "town": ["Ulm", "Bonn"] * 4, "ill": ["flu"] * 8}


def clinic() -> Table:
    """Return eight patients: a day each, two towns."""
    return Table.of(CLINIC, quasi=["visit", "town"], sensitive=["ill"])


def published(sanitizer: MinRiskSuppression, table: Table) -> Publication:
    """Sanitize; nothing is drawn."""
    return sanitizer.sanitize(table, np.random.default_rng(0))


def disclosed(publication: Publication, table: Table) -> np.ndarray:
    """Return which cells of each input row are published, (rows, attributes)."""
    masked = publication.release.masked
    assert isinstance(masked, Lines)
    cells = [masked.cells[i].anything[masked.cell[publication.group_of, i]] for i in range(len(table.schema.quasi))]
    return ~np.stack(cells, axis=1)


def losses(table: Table, sanitizer: MinRiskSuppression, cells: Sequence[int], row: int) -> float:
    """Return what a row costs that shows some cells, against the table: e^(their number), or it, over who fits."""
    columns = [table[a.name] for a in table.schema.quasi]
    gone = [table.missing(a.name) for a in table.schema.quasi]
    fits = [
        all(gone[j][i] or gone[j][row] or columns[j][i] == columns[j][row] for j in cells) for i in range(table.n_rows)
    ]
    disclosed_columns = [j for j in cells if not gone[j][row]]
    return (math.exp(len(disclosed_columns)) if sanitizer.sensitivity == 5 else float(len(disclosed_columns))) / sum(
        fits
    )


def test_the_town_is_published_and_the_day_hidden():
    """A day names one of eight and a town one of four: each row shows its town, and rows of one town look alike."""
    publication = published(MinRiskSuppression(disclose=1), clinic())
    assert disclosed(publication, clinic()).tolist() == [[False, True]] * 8
    assert publication.release.size.tolist() == [4, 4]
    assert publication.release.n_suppressed == 0


def test_a_weight_turns_it_round_and_never_is_never_published():
    """e^5 / 4 for the town is more than e / 1 for the day; what must never be published leaves a row of stars."""
    assert disclosed(published(MinRiskSuppression(1, weights={"town": 5}), clinic()), clinic())[:, 0].all()
    both = MinRiskSuppression(2, "exact", weights={"visit": math.inf, "town": math.inf})
    assert not disclosed(published(both, clinic()), clinic()).any()


def test_exact_sees_that_two_columns_are_one():
    """Job and title go together in pairs of two; with the shift any pair names one person of six."""
    table = Table.of(
        {"job": list("xxyyzz"), "title": list("xxyyzz"), "shift": list("pqpqpq")}, quasi=["job", "title", "shift"]
    )
    assert disclosed(published(MinRiskSuppression(2, "exact"), table), table).tolist() == [[True, True, False]] * 6
    assert disclosed(published(MinRiskSuppression(2, "min-risk"), table), table).tolist() == [[True, False, True]] * 6


def test_a_missing_value_is_not_published_and_fits_all_people():
    """The third row lacks its town: it shows a star, and is counted with both towns."""
    table = Table.of({"town": ["Ulm", "Bonn", None]}, quasi=["town"])
    publication = published(MinRiskSuppression(1), table)
    assert disclosed(publication, table).tolist() == [[True], [True], [False]]


def test_rows_of_one_person_count_once():
    """A person came three times by the same door: for that, it is no more common, whatever else the rows say."""
    columns = {"door": ["a", "a", "a", "b", "b"], "hat": ["x", "y", "z", "x", "y"]}
    table = Table.of(columns, quasi=["door", "hat"])
    alone = Table(table.schema, table.columns, 5, person_of=np.array([0, 0, 0, 1, 2], np.int32))
    same = Table.of({name: values[:1] * 3 + values[3:] for name, values in columns.items()}, quasi=["door", "hat"])
    same = Table(same.schema, same.columns, 5, person_of=alone.person_of)
    assert disclosed(published(MinRiskSuppression(1), same), same)[0].tolist() == [
        False,
        True,
    ]  # 2 wear x, 1 took door a
    assert disclosed(published(MinRiskSuppression(1), alone), alone)[0].tolist() == [False, True]
    others = Table(table.schema, table.columns, 5)
    assert disclosed(published(MinRiskSuppression(1), others), others)[0].tolist() == [
        True,
        False,
    ]  # three people there


@settings(max_examples=40)
@given(table=tables(min_rows=2), which=st.sampled_from([3, 5]), k=st.integers(0, 3))
def test_exact_costs_as_little_as_any_choice(table, which, k):
    """All sets of k cells are tried by hand for each row; MinRisk is never below that."""
    m = len(table.schema.quasi)
    k = min(k, m)
    best = MinRiskSuppression(k, "exact", which)
    fast = MinRiskSuppression(k, "min-risk", which)
    chosen, quick = (disclosed(published(one, table), table) for one in (best, fast))
    for row in range(table.n_rows):
        there = [j for j, a in enumerate(table.schema.quasi) if not table.missing(a.name)[row]]
        least = min(losses(table, best, cells, row) for cells in combinations(there, min(k, len(there))))
        assert losses(table, best, np.flatnonzero(chosen[row]).tolist(), row) == pytest.approx(least)
        assert losses(table, best, np.flatnonzero(quick[row]).tolist(), row) >= least - 1e-12
        assert chosen[row].sum() == quick[row].sum() == min(k, len(there))


@given(table=tables(min_rows=2))
@settings(max_examples=20)
def test_a_constant_harm_costs_at_most_a_kth_where_k_rows_fit(table):
    """Theorem 3: with weights of 0 harm is 1, and the loss of a row is one over the rows that fit what it shows."""
    weights = {a.name: 0.0 for a in table.schema.quasi}
    cells = disclosed(published(MinRiskSuppression(1, weights=weights), table), table)
    for row in range(table.n_rows):
        disclosed_columns = np.flatnonzero(cells[row]).tolist()
        loss = losses(table, MinRiskSuppression(1), disclosed_columns, row) / math.exp(len(disclosed_columns))
        fits = round(1 / loss)
        assert all((loss <= 1 / k + 1e-12) == (fits >= k) for k in range(1, table.n_rows + 1))


@pytest.mark.parametrize(
    ("settings_", "message"),
    [
        ({"disclose": -1}, "disclose must be a whole number of at least 0"),
        ({"rule": "bayes"}, "rule must be one of min-risk, exact"),
        ({"sensitivity": 4}, "sensitivity must be 3"),
        ({"weights": "town"}, "COLUMN=NUMBER"),
        ({"weights": "town=-1"}, "at least 0"),
        ({"weights": "town=nan"}, "at least 0"),
        ({"weights": "town=1; town=2"}, "each column once"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings_, message):
    """In a line, with what was given."""
    with pytest.raises(InvalidInputError, match=message):
        catalog.build("sanitizers", "min-risk", settings_)


def test_what_the_table_does_not_have_is_refused():
    """More attributes than quasi-identifiers, weights of other columns, no row at all."""
    with pytest.raises(InvalidInputError, match="at most the number of quasi-identifiers, 2; got 3"):
        published(MinRiskSuppression(3), clinic())
    with pytest.raises(InvalidInputError, match="a quasi-identifier of weights must be one of visit, town; got 'ill'"):
        published(MinRiskSuppression(1, weights={"ill": 2}), clinic())
    with pytest.raises(InfeasibleError, match="at least one row"):
        published(MinRiskSuppression(1), clinic().take(np.zeros(0, np.int64)))
