"""Random counting queries: how wrong they are when they are answered from the release."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaincinv

from tests import stories
from tests.utility import made, reference
from tests.utility.drawn import RNG, Drawn, grouped
from unmask.arrays import Bool
from unmask.datasets.adult import adult
from unmask.errors import InvalidInputError
from unmask.runtime import work
from unmask.sanitizers.anatomy import Anatomy
from unmask.sanitizers.mondrian import Mondrian
from unmask.table import Table
from unmask.utility import _counting_queries
from unmask.utility._counting_queries import CountingQueries, _accept
from unmask.utility.query_error import QueryError, _QueriedTables, _summed
from unmask.utility.utility_measure import PublishedTable

FOUR = Table.of({"age": [20, 21, 22, 23], "ill": list("abab")}, quasi=["age"], sensitive=["ill"])


def _query(asked: _QueriedTables, accepted: dict[int, Bool], value: Bool | None) -> CountingQueries:
    """Return one query that accepts values of some quasi-identifiers, and of the first sensitive attribute."""
    n, wanted = len(asked.atoms), dict(sorted(accepted.items()))
    if value is not None:
        wanted[n] = value
    sizes = [*(one.n for one in asked.atoms), *(one.n_columns for one in asked.people)]
    marks = tuple(wanted.get(i, np.zeros(size, bool))[None, :] for i, size in enumerate(sizes))
    return CountingQueries(np.array([list(wanted)]), marks)


@pytest.mark.parametrize("cost", [0.0, np.inf], ids=["by table", "by shape"])
@given(grouped(), st.randoms(use_true_random=False))
def test_an_answer_is_what_an_analyst_would_say(cost, drawn: Drawn, random):
    """Cells spread evenly, independently of the group's values; and the truth is counted one by one."""
    case = drawn.case
    asked = _QueriedTables.of(case, drawn.table)
    names = list(drawn.columns)
    accepted, wanted = {}, {}
    for i in random.sample(range(len(names)), random.randint(1, min(2, len(names)))):
        axis = reference.axis(drawn.columns[names[i]])
        marks = np.array([random.random() < 0.5 for _ in axis])
        accepted[i], wanted[names[i]] = marks, {v for v, mark in zip(axis, marks, strict=True) if mark}
    ills = case.release.schema["ill"].values
    marks = np.array([random.random() < 0.5 for _ in ills])
    chosen = {ill for ill, mark in zip(ills, marks, strict=True) if mark}
    expected = reference.answer(drawn.columns, drawn.ill, drawn.group_of, wanted, chosen)
    truth = sum(
        ill in chosen and all(drawn.columns[name][i] in values for name, values in wanted.items())
        for i, ill in enumerate(drawn.ill)
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_counting_queries, "_PER_CELL", cost)
        query = _query(asked, accepted, marks)
        assert asked.answer(case, query)[0] == pytest.approx(expected, abs=1e-9)
        assert asked.truth(query)[0] == truth


def test_exact_rows_with_their_values_are_answered_exactly():
    """Each person is a group: no query has an error."""
    found = QueryError(queries=50).measure(made.case_of(FOUR, stories.boxed(FOUR, [0, 1, 2, 3])), RNG(0))
    assert {name: part.value for name, part in found.parts.items()} == {"median": 0, "mean": 0, "maximum": 0}


def test_one_group_answers_every_query_of_a_width_alike():
    """One of two ages of four, one of two illnesses: the release has half a person, the truth is 1 or 0."""
    case = made.case_of(FOUR, stories.boxed(FOUR, [0] * 4))
    found = QueryError(queries=200, selectivity=1 / 16, attributes=1).measure(case, RNG(0))
    assert found.value.value == pytest.approx(1 / 2)
    assert found.value.n < 200  # queries without people are left out


def test_who_was_left_out_is_spread_over_everything():
    """All people left out: as one group of everything."""
    gone = made.recoded(FOUR, {"age": ["20", "21", "22", "23"]}, kept=[True, False, False, False])
    case = made.case_of(FOUR, gone)
    asked = _QueriedTables.of(case, FOUR)
    first = np.array([False, True, False, False])
    assert asked.answer(case, _query(asked, {0: first}, None)) == pytest.approx(3 / 4)
    assert asked.answer(case, _query(asked, {0: first}, np.array([True, False]))) == pytest.approx(3 / 8)


def test_shares_of_several_predicates_multiply():
    """All in one group: half of the ages and one of three towns are a sixth of six people, half of whom are ill."""
    table = Table.of(
        {"age": [20, 21, 22, 23, 22, 23], "town": list("abcabc"), "ill": list("xyxyxy")},
        quasi=["age", "town"],
        sensitive=["ill"],
    )
    asked = _QueriedTables.of(case := made.case_of(table, stories.boxed(table, [0] * 6)), table)
    accepted = {0: np.array([True, True, False, False]), 1: np.array([True, False, False])}
    assert asked.answer(case, _query(asked, accepted, np.array([True, True]))) == pytest.approx(1)
    assert asked.answer(case, _query(asked, accepted, np.array([True, False]))) == pytest.approx(1 / 2)


@pytest.mark.parametrize("cost", [0.0, np.inf], ids=["by table", "by shape"])
@given(grouped(), st.integers(1, 3), st.integers(0, 99))
def test_queries_counted_together_have_the_answers_of_each_alone(cost, drawn: Drawn, predicates, seed):
    """Whichever way they are counted, and in whichever blocks."""
    asked = _QueriedTables.of(drawn.case, drawn.table)
    sizes = [one.n for one in asked.atoms], [one.n_columns for one in asked.people]
    many = CountingQueries.drawn(9, min(predicates, len(sizes[0])), *sizes, asked.ordered, 0.3, RNG(seed))
    alone = [CountingQueries(many.asked[[q]], tuple(one[[q]] for one in many.accepts)) for q in range(9)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_counting_queries, "_PER_CELL", cost)
        patch.setattr(_counting_queries, "DENSE_CELLS", 64)
        answers, truths = asked.answer(drawn.case, many), asked.truth(many)
    assert answers == pytest.approx([asked.answer(drawn.case, one)[0] for one in alone], abs=1e-12)
    assert truths.tolist() == [asked.truth(one)[0] for one in alone]


def test_predicates_together_accept_the_stated_share_of_combinations():
    """A twenty-fifth of two columns of 50 values, one of them sensitive: a fifth of each, ten values."""
    columns = {"zip": [f"z{i}" for i in range(50)], "ill": [f"i{i}" for i in range(50)]}
    table = Table.of(columns, quasi=["zip"], sensitive=["ill"])
    case = made.case_of(table, stories.boxed(table, [0] * 50))
    asked = _QueriedTables.of(case, table)
    drawn = CountingQueries.drawn(3, 1, [asked.atoms[0].n], [asked.people[0].n_columns], asked.ordered, 1 / 25, RNG(0))
    assert [marks.sum(axis=1).tolist() for marks in drawn.accepts] == [[10] * 3] * 2


def test_the_same_seed_asks_the_same_questions_of_every_release():
    """So that releases can be compared with less noise; another seed asks others."""
    rough, fine = (made.case_of(FOUR, stories.boxed(FOUR, group)) for group in ([0] * 4, [0, 0, 1, 1]))
    query = QueryError(queries=30)
    assert query.measure(rough, RNG(5)) == query.measure(rough, RNG(5))
    assert query.measure(rough, RNG(5)).value.n == query.measure(fine, RNG(5)).value.n


def test_queries_drawn_once_are_those_drawn_again():
    """Finished parts are kept while several releases are compared: the numbers stay the same."""
    cases = [made.case_of(FOUR, stories.boxed(FOUR, group)) for group in ([0] * 4, [0, 0, 1, 1])]
    again = [QueryError(queries=30).measure(case, RNG(5)) for case in cases]
    with work.keeping():
        assert [QueryError(queries=30).measure(case, RNG(5)) for case in cases] == again


@pytest.mark.parametrize(("n", "width", "many"), [(10, 0.3, 3), (10, 0.31, 4), (7, 1.0, 7), (5, 0.01, 1)])
@pytest.mark.parametrize("ordered", [True, False])
def test_a_predicate_accepts_its_share_of_values(n, width, many, ordered):
    """Rounded up; a run where values have an order."""
    for seed in range(20):
        accepts = np.zeros(n, bool)
        _accept(accepts, width, RNG(seed), ordered=ordered)
        assert accepts.sum() == many
        if ordered:
            assert np.ptp(np.flatnonzero(accepts)) == many - 1


@pytest.mark.parametrize(
    "settings", [{"queries": 0}, {"attributes": 0}, {"selectivity": 0.0}, {"selectivity": 1.5}], ids=str
)
def test_settings_that_cannot_be(settings):
    """Said with their values."""
    with pytest.raises(InvalidInputError, match="query-error must ask"):
        QueryError(**settings)


def test_without_the_original_there_is_no_truth():
    """Undefined."""
    found = QueryError().measure(PublishedTable.of(stories.boxed(FOUR, [0] * 4).release), RNG(0))
    assert (found.value.value, found.value.why) == (None, "needs the original table")


def test_anatomy_answers_better_than_mondrian_of_the_same_l():
    """The reason why Anatomy was invented (Xiao and Tao 2006, figure 4), on a tenth of Adult."""
    table = adult(quasi=("age", "workclass", "education", "sex"), sensitive=["occupation"])
    table = table.take(np.arange(0, table.n_rows, 10))
    error = {}
    for sanitizer in (Anatomy(l=4), Mondrian(k=30)):
        case = made.case_of(table, sanitizer.sanitize(table, RNG(1)))
        error[sanitizer.name] = QueryError(queries=300).measure(case, RNG(2)).value.value or 0
    assert error["anatomy"] < error["mondrian"]


def test_intervals_cover_at_their_rate():
    """Of 1,000 samples of 60 errors, 95 % should hold the true median and mean: at least 930 do (rate 3e-3 each).

    The mean of a skewed distribution is covered a little less often than the median.
    """
    rng = RNG(1)
    held = {"median": 0, "mean": 0}
    for _ in range(1000):
        parts = _summed(rng.gamma(4.0, 1.0, 60)).parts
        for name, true in (("median", gammaincinv(4.0, 0.5)), ("mean", 4.0)):
            held[name] += (parts[name].low or 0) <= true <= (parts[name].high or 0)
    assert held["median"] >= 930
    assert held["mean"] >= 915
