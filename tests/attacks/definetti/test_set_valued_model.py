"""The set-valued model: levels identified by overlapping sets, by neighbors only, and not at all."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from tests.attacks.definetti.one_table import fit_one
from unmask.arrays import Float64, Ragged
from unmask.attacks.definetti import set_valued_model
from unmask.attacks.definetti.set_valued_model import UNKNOWN, AttributeAxis, LevelModel, fit_levels
from unmask.errors import InvalidInputError


def axis_of(sets: list[range], levels: int, *, ordered: bool = True) -> AttributeAxis:
    """Return an axis where group i shows the i-th set of levels."""
    cells = np.array([[float(x in one) for x in range(levels)] for one in sets])
    place = np.arange(levels, dtype=float) if ordered else None
    return AttributeAxis(Ragged.of(cells), np.arange(len(sets), dtype=np.int32), place)


def shares(one: LevelModel, group: int, level: int, people: Float64) -> Float64:
    """Return the posterior of a person of a level in a group, (values,)."""
    cell = one.axis.cell_of[[group]]
    evidence = people[group] * np.exp(one.lift(cell, np.array([level], np.int32))[0])
    return np.asarray(evidence / evidence.sum())


# --- the story: Kifer 2009, section 5.2

BANDS = [range(6), range(6, 11), range(11, 16), range(16, 46), range(46, 51), range(51, 56)]
HEARTS = np.array([[1.0, 29], [1, 29], [1, 29], [1, 2], [18, 12], [20, 10]])
"""Heart disease or not: rare among children, frequent above 45, one in a group of three between."""


def test_at_45_heart_disease_is_likelier_than_a_third_since_the_next_bands_have_more_of_it():
    """One of three in 16–45 has it; the others are probably younger, and at 16 the same reasoning says less."""
    one = fit_one(axis_of(BANDS, 56), HEARTS, bandwidth=3.0)
    assert shares(one, 3, 45, HEARTS)[0] > 1 / 3 + 0.05
    assert shares(one, 3, 16, HEARTS)[0] < 1 / 3


def test_smoothing_is_by_a_normal_density():
    """People of a level are spread as its density says at the other levels, and all people count."""
    axis = AttributeAxis(Ragged.of(np.ones((1, 3))), np.zeros(1, np.int32), np.array([0.0, 1, 5]))
    density = stats.norm(scale=2.0).pdf(np.subtract.outer([0, 1, 5], [0, 1, 5]))
    assert axis.smoother(2.0) == pytest.approx(density / density.sum(axis=0))


def test_without_smoothing_ages_that_no_set_parts_are_alike():
    """Exactly a third, at any age of the band."""
    one = fit_one(axis_of(BANDS, 56), HEARTS)
    for age in (16, 30, 45):
        assert shares(one, 3, age, HEARTS)[0] == pytest.approx(1 / 3, abs=1e-6)


LOCAL = [range(11), range(9, 13), range(11, 16)]
ILL = np.array([[2.0, 18], [18, 2], [2, 18]])
"""Most of those in 9–12 are ill, few in the other two."""


def test_sets_that_overlap_tell_ages_apart_without_smoothing():
    """The ill in 0–10 are rather 9 than 8, those in 11–15 rather 12 than 13: who is in 9–12 also tends to be ill."""
    one = fit_one(axis_of(LOCAL, 16), ILL)
    assert shares(one, 0, 9, ILL)[0] > shares(one, 0, 8, ILL)[0] + 0.1
    assert shares(one, 2, 12, ILL)[0] > shares(one, 2, 13, ILL)[0] + 0.05


def test_nine_and_ten_lie_in_the_same_two_sets_so_only_smoothing_parts_them():
    """The paper: these sets separate 9 from 10 without smoothing. Each holds both or neither: they cannot."""
    assert shares(fit_one(axis_of(LOCAL, 16), ILL), 0, 9, ILL) == pytest.approx(
        shares(fit_one(axis_of(LOCAL, 16), ILL), 0, 10, ILL), abs=1e-6
    )
    smooth = fit_one(axis_of(LOCAL, 16), ILL, bandwidth=1.0)
    assert shares(smooth, 0, 10, ILL)[0] > shares(smooth, 0, 9, ILL)[0] + 0.01


def test_disjoint_sets_tell_nothing_apart_without_smoothing():
    """0–8, 9–10, 11–15: 9 and 10, or 0 and 8, are indistinguishable."""
    one = fit_one(axis_of([range(9), range(9, 11), range(11, 16)], 16), ILL)
    assert shares(one, 0, 0, ILL) == pytest.approx(shares(one, 0, 8, ILL), abs=1e-6)
    assert shares(one, 1, 9, ILL)[0] == pytest.approx(0.9, abs=1e-6)


# --- edges


def test_a_level_that_is_not_known_or_not_in_the_set_says_nothing():
    """A person of unknown age in 0–10, and a person of 14 known to be there: the group's shares stay."""
    one = fit_one(axis_of(LOCAL, 16), ILL)
    assert shares(one, 0, UNKNOWN, ILL)[0] == pytest.approx(0.1)
    assert shares(one, 0, 14, ILL)[0] == pytest.approx(0.1)


def test_a_group_that_shows_one_exact_level_tells_nothing_more():
    """A row published as 3 has the value 3."""
    one = fit_one(axis_of([range(3, 4), range(5)], 5), np.array([[1.0, 3], [2, 2]]))
    assert one.lift(np.array([0], np.int32), np.array([3], np.int32)) == pytest.approx(0)


def test_where_there_is_no_order_nothing_is_smoothed():
    """Jobs have no neighbors."""
    axis = axis_of(LOCAL, 16, ordered=False)
    assert axis.smoother(2.0) is None
    assert fit_one(axis, ILL, bandwidth=2.0).theta == pytest.approx(fit_one(axis, ILL).theta)


def test_a_level_beside_the_line_keeps_its_people():
    """A missing age has no neighbors."""
    axis = axis_of([range(3), range(3, 4)], 4)
    kernel = AttributeAxis(axis.cells, axis.cell_of, np.array([0.0, 1, 2, np.nan])).smoother(1.0)
    assert kernel is not None
    assert kernel[3].tolist() == [0, 0, 0, 1]
    assert kernel.sum(axis=0) == pytest.approx(1)


def test_sets_and_groups_must_belong_together():
    """A group that shows a cell which is not there, or places for other levels."""
    cells = Ragged.of(np.ones((2, 3)))
    with pytest.raises(InvalidInputError, match="cells of groups must lie in 0 to 1"):
        AttributeAxis(cells, np.array([2], np.int32), None)
    with pytest.raises(InvalidInputError, match="places must be given for 3 levels"):
        AttributeAxis(cells, np.array([1], np.int32), np.zeros(2))


# --- laws


@st.composite
def releases(draw: st.DrawFn) -> tuple[AttributeAxis, Float64]:
    """Draw sets of levels, and people of two or three values in each."""
    levels = draw(st.integers(2, 7))
    ends = st.tuples(st.integers(0, levels - 1), st.integers(0, levels - 1)).map(sorted)
    sets = draw(st.lists(ends, min_size=1, max_size=5))
    values = draw(st.integers(2, 3))
    people = draw(st.lists(st.lists(st.integers(0, 5), min_size=values, max_size=values),
                           min_size=len(sets), max_size=len(sets)))  # fmt: skip
    return axis_of([range(a, b + 1) for a, b in sets], levels), np.array(people, float)


def guesses(axis: AttributeAxis, people: Float64, theta: Float64) -> Float64:
    """Distribute each person over their set, one by one, (levels, values): a slow and simple reference."""
    sets, found = axis.cells.dense(), np.zeros_like(theta)
    for group, cell in enumerate(axis.cell_of):
        for value, n in enumerate(people[group]):
            for _ in range(int(n)):
                inside = sets[cell] * theta[:, value]
                found[:, value] += inside / inside.sum()
    return found


@given(releases(), st.sampled_from([0.5, 1.0, 3.0]), st.sampled_from([0.0, 0.7, 2.0]))
def test_the_answer_is_a_fixed_point(release, alpha, bandwidth):
    """Distribute all people by the model, smooth, add alpha: the model stays; smoothing keeps the number of people."""
    axis, people = release
    one = fit_one(axis, axis.counts(people), bandwidth, alpha)
    expected = guesses(axis, people, one.theta)
    kernel = axis.smoother(bandwidth)
    expected = expected if kernel is None else kernel @ expected
    assert one.settled
    assert one.expected == pytest.approx(expected, abs=1e-4)
    again = expected + alpha
    assert one.theta == pytest.approx(again / again.sum(axis=0), abs=1e-4)
    assert one.expected.sum(axis=0) == pytest.approx(people.sum(axis=0))


@given(releases(), st.integers(0, 9))
def test_without_smoothing_every_start_leads_to_the_same(release, seed):
    """What is maximized is strictly concave: it has one top."""
    axis, people = release
    rng = np.random.default_rng(seed)
    start = rng.dirichlet(np.ones(axis.n_levels), people.shape[1]).T
    one, other = (fit_one(axis, axis.counts(people), start=begin) for begin in (None, start))
    assert one.theta == pytest.approx(other.theta, abs=1e-4)


@given(releases())
def test_without_smoothing_it_is_the_most_likely_parameter(release):
    """Against a general optimizer of log P(sets | theta) + Σ alpha log theta, with the parameter alpha + 1."""
    axis, people = release
    sets, counts = axis.cells.dense(), axis.counts(people)
    one = fit_one(axis, counts)

    def loss(free: Float64, value: int) -> float:
        theta = np.exp(free - free.max())
        theta /= theta.sum()
        return -float(counts[:, value] @ np.log(sets @ theta) + np.log(np.maximum(theta, 1e-300)).sum())

    for value in range(people.shape[1]):
        found = optimize.minimize(loss, np.zeros(axis.n_levels), args=(value,), method="BFGS").x
        best = np.exp(found - found.max())
        assert one.theta[:, value] == pytest.approx(best / best.sum(), abs=0.005)


def test_given_the_parameters_the_closed_form_is_a_sum_over_all_worlds():
    """A group of three: every assignment of values and levels is listed; the person asked about is at level 1."""
    theta = np.array([[0.5, 0.1], [0.3, 0.2], [0.2, 0.7]])
    inside, values = [0, 1], [0, 0, 1]
    total = np.zeros(2)
    for order in {(0, 0, 1), (0, 1, 0), (1, 0, 0)}:
        for levels in product(inside, repeat=3):
            if levels[0] == 1:
                total[order[0]] += np.prod([theta[x, v] for x, v in zip(levels, order, strict=True)])
    axis = axis_of([range(2)], 3)
    sure = LevelModel(axis, None, 1.0, theta, 1e12 * theta, 0, settled=True)  # so many people that one more is nothing
    people = np.array([[float(values.count(v)) for v in (0, 1)]])
    assert shares(sure, 0, 1, people) == pytest.approx(total / total.sum(), abs=1e-9)


# --- who is asked about is taken out


def test_one_person_alone_with_a_value_is_not_learned_from():
    """Without them the value has no people: each level of the set has its prior probability."""
    axis = axis_of([range(4), range(2)], 4)
    one = fit_one(axis, np.array([[0.0, 9], [1, 0]]))
    lift = one.lift(np.array([1, 1], np.int32), np.array([0, 1], np.int32))
    assert np.exp(lift[:, 0]) == pytest.approx(0.5)


def test_a_newcomer_is_predicted_by_the_other_groups():
    """Exact levels: with the own group's people taken out, it is the posterior mean of the rest."""
    axis = axis_of([range(1), range(1, 2), range(2)], 2)
    people = np.array([[3.0, 1], [1, 5], [0, 0]])
    one = fit_one(axis, people)
    chance = np.exp(one.newcomer(np.array([0, 2], np.int32), np.array([0, 0], np.int32), people[[0, 2]]))
    assert chance[0] == pytest.approx([(0 + 1) / (1 + 2), (0 + 1) / (5 + 2)])
    assert chance[1] == pytest.approx([(3 + 1) / (4 + 2), (1 + 1) / (6 + 2)])


def test_many_cells_are_handled_in_blocks(monkeypatch):
    """The same numbers, whatever the size of a block."""
    rng = np.random.default_rng(1)
    sets = [range(a, b + 1) for a, b in (sorted(ends) for ends in rng.integers(0, 30, (40, 2)))]
    axis = axis_of(sets, 30)
    one = fit_one(axis, rng.integers(0, 9, (40, 3)).astype(float), 1.5)
    cell, level = rng.integers(0, 40, 200).astype(np.int32), rng.integers(-1, 30, 200).astype(np.int32)
    whole = one.lift(cell, level)
    monkeypatch.setattr("unmask.attacks.definetti.set_valued_model._BLOCK", 70)
    assert one.lift(cell, level) == pytest.approx(whole)


@given(st.integers(0, 9999), st.integers(1, 4), st.sampled_from([0.0, 1.5]), st.booleans())
def test_tables_fitted_together_have_the_models_of_each_alone(seed, tables, bandwidth, large):
    """To the last bit, in as many iterations: some converge before others, and large ones are not held together."""
    rng = np.random.default_rng(seed)
    sets = [range(first := int(rng.integers(0, 9)), first + int(rng.integers(1, 6))) for _ in range(6)]
    axis = axis_of([range(10), *(range(one.start, min(one.stop, 10)) for one in sets)], 10)
    counts = rng.poisson(rng.gamma(1.0, 4.0, (tables, 1, 1)), (tables, 7, 3)).astype(float)
    start = rng.dirichlet(np.ones(10), (tables, 3)).transpose(0, 2, 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(set_valued_model, "_BLOCK", 1 if large else 1 << 21)
        found = fit_levels(axis, counts, bandwidth, 1.0, start)
    for one, table, begin in zip(found, counts, start, strict=True):
        alone = fit_one(axis, table, bandwidth, 1.0, begin)
        assert one.theta.tolist() == alone.theta.tolist()
        assert one.expected.tolist() == alone.expected.tolist()
        assert (one.iterations, one.settled) == (alone.iterations, alone.settled)


@given(st.integers(0, 9999), st.integers(1, 5))
def test_counts_without_a_fold_are_those_of_the_other_groups(seed, folds):
    """By addition, one group after another."""
    rng = np.random.default_rng(seed)
    axis = AttributeAxis(Ragged.of(np.eye(4)), rng.integers(0, 4, 12).astype(np.int32), None)
    people, fold = rng.poisson(2.0, (12, 3)).astype(float), rng.integers(0, folds, 12)
    expected = np.zeros((folds, 4, 3))
    for f, group in product(range(folds), range(12)):
        if fold[group] != f:
            expected[f, axis.cell_of[group]] += people[group]
    assert axis.counts_without(people, fold, folds).tolist() == expected.tolist()
