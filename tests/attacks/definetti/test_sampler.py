"""The Gibbs sampler, compared with enumeration and the paper's example."""

from __future__ import annotations

from itertools import permutations, product
from math import lgamma

import numpy as np
import pytest

from unmask.arrays import distinct_rows, starts
from unmask.attacks.definetti.sampler import Sampling, learn
from unmask.attacks.shared import group_layout
from unmask.attacks.shared.grouped_people import GroupedPeople
from unmask.datasets.adult import adult
from unmask.errors import InvalidInputError
from unmask.sanitizers._buckets import buckets

SMOKING = GroupedPeople(  # Kifer 2009, table 6: does the patient smoke? cancer, flu, none
    profile_of=np.array([0, 0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 1], np.int32),
    start=np.arange(0, 13, 2),
    value=np.array([0, 1, 1, 2, 0, 2, 0, 2, 1, 2, 0, 2], np.int32),
    codes=np.array([[0], [1]], np.int32),
    levels=np.array([2], np.int32),
    n_values=3,
)
CANCER = [1 / 2, 1 / 2, 0, 0, 27 / 32, 5 / 32, 1 / 2, 1 / 2, 0, 0, 27 / 32, 5 / 32]


def believed(fit, groups):
    """Return the probabilities of all rows, (rows, values)."""
    dense = np.zeros((fit.slots.start.size - 1, groups.n_values))
    dense[np.repeat(np.arange(dense.shape[0]), np.diff(fit.slots.start)), fit.slots.column] = fit.mean
    return dense[fit.slots.of_row]


def log_evidence(groups, values, alpha):
    """Return the logarithm of P(attributes | values), the parameters integrated out: a product of gamma functions."""
    result = 0.0
    codes = groups.codes[groups.profile_of]
    for attribute, levels in enumerate(groups.levels):
        for value in range(groups.n_values):
            seen = codes[(values == value) & (codes[:, attribute] >= 0), attribute]
            result += lgamma(levels * alpha) - lgamma(levels * alpha + seen.size)
            result += sum(lgamma(alpha + (seen == x).sum()) - lgamma(alpha) for x in range(levels))
    return result


def enumerated(groups, alpha=1.0):
    """Return the exact probabilities of all rows by enumeration of all arrangements."""
    arrangements = [
        sorted(set(permutations(groups.value[a:b].tolist())))
        for a, b in zip(groups.start[:-1], groups.start[1:], strict=True)
    ]
    worlds = [np.concatenate([np.array(w, np.int64) for w in world]) for world in product(*arrangements)]
    weight = np.array([log_evidence(groups, world, alpha) for world in worlds])
    weight = np.exp(weight - weight.max())
    result = np.zeros((groups.value.size, groups.n_values))
    for world, share in zip(worlds, weight / weight.sum(), strict=True):
        result[np.arange(world.size), world] += share
    return result


def random_groups(seed, sizes=(3, 2, 3, 1, 2), n_values=3, missing=0.0):
    """Draw a small table whose attributes depend on the value, and hide who has which."""
    rng = np.random.default_rng(seed)
    levels = np.array([2, 3, 2], np.int32)
    value = rng.integers(n_values, size=sum(sizes)).astype(np.int32)
    rows = np.array([[(v + (rng.random() < 0.3)) % n for n in levels] for v in value], np.int32)
    rows[rng.random(rows.shape) < missing] = -1
    codes, profile_of = np.unique(rows, axis=0, return_inverse=True)
    start = np.concatenate([[0], np.cumsum(sizes)])
    return GroupedPeople(profile_of.ravel().astype(np.int32), start, value, codes.astype(np.int32), levels, n_values)


def test_smokers_in_groups_with_cancer_give_themselves_away():
    """The paper's example: patient 12, a non-smoker, has cancer with probability 5/32 instead of 1/2; so all twelve."""
    fit = learn(SMOKING, Sampling(limit=8000, r_hat=1.001), np.random.default_rng(1))
    cancer = believed(fit, SMOKING)[:, 0]
    assert cancer == pytest.approx(CANCER, abs=0.006)  # 4 standard errors of 64,000 sweeps
    assert enumerated(SMOKING)[:, 0] == pytest.approx(CANCER)
    assert learn(SMOKING, Sampling(), np.random.default_rng(2)).converged


@pytest.mark.parametrize(
    ("case", "options", "alpha"),
    [
        ("values that repeat", {}, 1.0),
        ("a sparse prior", {}, 0.3),
        ("missing attributes", {"missing": 0.3}, 1.0),
        ("a distinct value for each person", {"sizes": (4, 3, 2), "n_values": 9}, 2.0),
        ("one large group", {"sizes": (5, 2), "n_values": 4}, 1.0),
    ],
)
def test_probabilities_equal_enumeration_within_their_error(case, options, alpha):
    """16 chains: of all entries, errors of more than 4.5 standard errors (t with 15 degrees: 4e-4 each) are none."""
    for seed in range(2):
        groups = random_groups([seed, len(case)], **options)
        fit = learn(groups, Sampling(alpha=alpha, chains=16, limit=320), np.random.default_rng(seed))
        exact = enumerated(groups, alpha)
        assert believed(fit, groups).sum(axis=1) == pytest.approx(1.0)
        slots, first = np.unique(fit.slots.of_row, return_index=True)
        for slot, row in zip(slots, first, strict=True):
            entries = slice(fit.slots.start[slot], fit.slots.start[slot + 1])
            off = np.abs(fit.mean[entries] - exact[row, fit.slots.column[entries]])
            assert (off <= 4.5 * fit.error[entries] + 1e-9).all(), case


def test_the_stated_error_is_the_true_one():
    """z-scores against enumeration, one entry a table: t with 15 degrees of freedom, mean square 15/13; 4 sigma."""
    scores = []
    for seed in range(25):
        groups = random_groups([7, seed], sizes=(3, 2, 2))
        fit = learn(
            groups, Sampling(chains=16, limit=320, r_hat=9, r_hat_counts=9, spread=1), np.random.default_rng(seed)
        )
        entry = int(np.argmax(fit.error))
        slot = int(np.searchsorted(fit.slots.start, entry, side="right")) - 1
        row = int(np.flatnonzero(fit.slots.of_row == slot)[0])
        if fit.error[entry] > 0:
            scores.append((fit.mean[entry] - enumerated(groups)[row, fit.slots.column[entry]]) / fit.error[entry])
    assert len(scores) > 17
    assert abs(np.mean(scores)) < 4 * np.sqrt(15 / 13 / len(scores))
    assert np.mean(np.square(scores)) < 15 / 13 + 4 * np.sqrt(3.2 / len(scores))


def test_large_groups_move_by_blocks_to_the_same_probabilities(monkeypatch):
    """With sums over states forbidden, blocks of two move every group of three or more; enumeration judges."""
    groups = random_groups(3, sizes=(4, 3, 2))
    exact = enumerated(groups)
    monkeypatch.setattr(group_layout, "EXACT_STATES", 1)
    monkeypatch.setattr(group_layout, "BLOCK", 2)
    fit = learn(groups, Sampling(chains=8, limit=800), np.random.default_rng(4))
    assert fit.slots.layout.large.size > 0
    assert np.abs(believed(fit, groups) - exact).max() < 0.02


def test_products_below_the_smallest_number_lose_nothing():
    """Three people all want one value, 1e300 times more than the other, for 150 reasons; the first distinguishes them.

    People in groups of their own teach that reason: its level 0 goes with value 0 in 3 of 4 cases.
    """
    reasons = np.array([[0, 0], [1, 0], [0, 1], [1, 1], [-1, 0]])  # the first one, the other 149
    codes = np.concatenate([reasons[:, :1], np.repeat(reasons[:, 1:], 149, axis=1)], axis=1).astype(np.int32)
    profile_of = np.concatenate([np.repeat([0, 1, 2, 3], [75, 25, 25, 75]), [0, 1, 4]]).astype(np.int32)
    value = np.concatenate([np.repeat([0, 1], 100), [0, 1, 1]]).astype(np.int32)
    groups = GroupedPeople(profile_of, np.append(np.arange(201), 203), value, codes, np.full(150, 2, np.int32), 2)
    fit = learn(groups, Sampling(limit=320), np.random.default_rng(6))
    exact = enumerated(groups)
    assert exact[-3:, 0] == pytest.approx([0.68, 0.08, 0.24], abs=0.02)
    assert np.abs(believed(fit, groups) - exact).max() < 0.01


def test_profiles_looked_up_in_a_table_or_computed_are_the_same():
    """Unused profiles make the table too large to pay off; results stay equal."""
    groups = random_groups(8)
    unused = np.array(list(product(range(2), range(3), range(2))), np.int32)
    padded = GroupedPeople(
        groups.profile_of, groups.start, groups.value, np.concatenate([groups.codes, unused]), groups.levels, 3
    )
    fits = [learn(g, Sampling(limit=160), np.random.default_rng(9)) for g in (groups, padded)]
    assert fits[0].mean == pytest.approx(fits[1].mean, abs=1e-9)


def test_threads_change_nothing():
    """Each chain has its own stream: one thread or four, the same bits."""
    groups = random_groups(10, sizes=(3,) * 20)
    fits = [learn(groups, Sampling(threads=n), np.random.default_rng(11)) for n in (1, 4)]
    assert (fits[0].data == fits[1].data).all()
    assert fits[0].agreement.r_hat == fits[1].agreement.r_hat


def test_the_order_of_people_and_values_in_a_group_is_no_information():
    """Rows shuffled within groups, values sorted: all probabilities stay the same, to the bit."""
    groups = random_groups(12)
    order = np.concatenate(
        [
            a + np.random.default_rng(13).permutation(b - a)
            for a, b in zip(groups.start[:-1], groups.start[1:], strict=True)
        ]
    )
    value = np.concatenate(
        [np.sort(groups.value[a:b]) for a, b in zip(groups.start[:-1], groups.start[1:], strict=True)]
    )
    shuffled = GroupedPeople(groups.profile_of[order], groups.start, value, groups.codes, groups.levels, 3)
    first, second = (learn(g, Sampling(limit=160), np.random.default_rng(14)) for g in (groups, shuffled))
    assert (believed(first, groups)[order] == believed(second, shuffled)).all()


def test_a_groups_probabilities_add_up_to_its_list_of_values():
    """If one person gains a value, another loses it."""
    groups = random_groups(15, sizes=(5, 4, 3, 2, 1))
    rows = believed(learn(groups, Sampling(limit=160), np.random.default_rng(16)), groups)
    for a, b in zip(groups.start[:-1], groups.start[1:], strict=True):
        assert rows[a:b].sum(axis=0) == pytest.approx(np.bincount(groups.value[a:b], minlength=3))


def test_chains_that_settle_in_different_worlds_have_not_converged():
    """All groups are alike: all people of one profile have the first value, or the other; no chain visits both."""
    n = 150
    groups = GroupedPeople(
        np.tile([0, 1], n).astype(np.int32),
        np.arange(0, 2 * n + 1, 2),
        np.tile([0, 1], n).astype(np.int32),
        np.array([[0], [1]], np.int32),
        np.array([2], np.int32),
        2,
    )
    fit = learn(groups, Sampling(limit=320), np.random.default_rng(17))
    assert not fit.converged
    assert "the largest R-hat of 4 counts is" in fit.agreement.complaint(fit.sampling)


def test_groups_of_one_profile_stay_at_random_worlds():
    """Equal people share the group's values exactly."""
    groups = GroupedPeople(
        np.zeros(5, np.int32),
        np.array([0, 3, 5]),
        np.array([0, 0, 1, 1, 2], np.int32),
        np.array([[0]], np.int32),
        np.array([2], np.int32),
        3,
    )
    fit = learn(groups, Sampling(limit=160), np.random.default_rng(18))
    assert believed(fit, groups)[0] == pytest.approx([2 / 3, 1 / 3, 0])
    assert believed(fit, groups)[4] == pytest.approx([0, 1 / 2, 1 / 2])
    assert (fit.error == 0).all()
    assert fit.converged


def test_no_people_and_no_attributes_are_allowed():
    """An empty release converges at once; without attributes there is nothing to learn from."""
    nothing = np.zeros(0, np.int32)
    empty = GroupedPeople(
        nothing, np.zeros(1, np.int64), nothing, np.zeros((0, 1), np.int32), np.array([2], np.int32), 2
    )
    assert learn(empty, Sampling(limit=160), np.random.default_rng(19)).converged
    blank = GroupedPeople(
        np.zeros(2, np.int32),
        np.array([0, 2]),
        np.array([0, 1], np.int32),
        np.zeros((1, 0), np.int32),
        np.zeros(0, np.int32),
        2,
    )
    assert learn(blank, Sampling(limit=160), np.random.default_rng(20)).mean == pytest.approx(0.5)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("l", "error", "square", "right", "known"),
    [(2, 573, 324, 0.755, 0.571), (3, 941, 544, 0.585, 0.324), (4, 1171, 683, 0.470, 0.196)],
)
def test_adult_in_groups_of_l_as_an_independent_program_found_it(l, error, square, right, known):
    """Random ties, all rows known: the mean of three groupings, within a few of their standard deviations."""
    table = adult(quasi=("workclass", "relationship", "sex", "income"), sensitive=("occupation",))
    codes = np.stack([table[name] for name in ("workclass", "relationship", "sex", "income")], axis=1)
    profile, example = distinct_rows(codes)
    value = table["occupation"]
    found = []
    for seed in range(3):
        group_of = buckets(value, 14, l, "random", np.random.default_rng([l, seed]))
        order = np.argsort(group_of, kind="stable")
        groups = GroupedPeople(
            profile[order],
            starts(np.bincount(group_of)),
            value[order],
            codes[example].astype(np.int32),
            (codes.max(axis=0) + 1).astype(np.int32),
            14,
        )
        fit = learn(groups, Sampling(), np.random.default_rng(seed))
        assert fit.converged
        rows = believed(fit, groups)
        truth = np.eye(14)[value[order]]
        top = rows.max(axis=1)
        hit = (truth * (rows >= top[:, None] - 1e-9)).sum(axis=1) / (rows >= top[:, None] - 1e-9).sum(axis=1)
        found.append(
            [
                1000 * np.abs(rows - truth).sum(axis=1).mean(),
                1000 * np.square(rows - truth).sum(axis=1).mean(),
                hit.mean(),
                (top >= 0.8 - 1e-9).mean(),
            ]
        )
    assert (np.abs(np.mean(found, axis=0) - [error, square, right, known]) <= [10, 8, 0.01, 0.015]).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"start": np.array([0, 2, 11])}, "as many values as rows"),
        ({"value": np.full(12, 3, np.int32)}, "values must lie in 0 to 2"),
        ({"profile_of": np.full(12, 2, np.int32)}, "profiles must lie in 0 to 1"),
        ({"codes": np.array([[0], [2]], np.int32)}, "below its number of levels"),
    ],
)
def test_groups_that_do_not_fit_together_are_an_error(change, message):
    """Said at birth, in terms of counts."""
    fields = {name: getattr(SMOKING, name) for name in ("profile_of", "start", "value", "codes", "levels", "n_values")}
    with pytest.raises(InvalidInputError, match=message):
        GroupedPeople(**{**fields, **change})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"alpha": 0.0}, "alpha must be positive"),
        ({"chains": 1}, "chains must be at least 2"),
        ({"limit": 100}, "limit of iterations must be at least 160"),
    ],
)
def test_sampling_says_what_it_cannot_do(change, words):
    """No prior, a single chain, no iterations."""
    with pytest.raises(InvalidInputError, match=words):
        Sampling(**change)
