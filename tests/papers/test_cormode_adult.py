"""The study of the minimality attack on Adult: the order of the file, a coin per group, and every occupation bounded.

The expected figures are of an independent program: one draw of each coin. It left the merged last group out, and, of
the coin per group, all groups of more than 900. Where every occupation is bounded it counted groups of up to 18 people
exactly, and took people of larger ones for vulnerable only if sampling put them .025 above 1/l.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from unmask.attacks.minimality.two_values import positive_given_position
from unmask.runtime.streams import stream
from unmask.sanitizers.greedy_rule.first_bucket import p_b1
from unmask.sanitizers.greedy_rule.rule import Coin, GreedyRule
from unmask.studies._cormode_2010.groups import SENSITIVE, AttackedGrouping, Way, attacked

COINS = {"Exec-managerial": 5, "Tech-support": 20}
"""Draws of each coin; the largest belief hangs on few groups where few people have the value."""

LARGE = 900
"""The independent program's limit for the coin per group."""

PS = (0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)

MEASURED: dict[tuple[str, str, Coin], tuple[tuple[float, float, float, float], ...]] = {
    ("Exec-managerial", "file", "prefix"): (
        (0.271, 0.102, 2.484, 12.3), (0.276, 0.108, 2.454, 12.7), (0.281, 0.109, 2.420, 13.0),
        (0.278, 0.107, 2.380, 13.2), (0.295, 0.115, 2.272, 14.7), (0.316, 0.087, 2.107, 17.6),
        (0.296, 0.033, 1.770, 30.2),
    ),
    ("Exec-managerial", "file", "group"): (
        (0.253, 0.102, 2.477, 12.3), (0.266, 0.102, 2.411, 13.6), (0.276, 0.097, 2.344, 15.3),
        (0.282, 0.088, 2.278, 17.3), (0.281, 0.042, 2.141, 24.0), (0.244, 0.020, 1.995, 41.3),
        (0.094, 0.004, 1.863, 123.6),
    ),
    ("Tech-support", "age", "group"): (
        (0.022, 0.018, 2.423, 6.19), (0.023, 0.018, 2.352, 6.90), (0.025, 0.017, 2.280, 7.75),
        (0.024, 0.015, 2.208, 8.84), (0.020, 0.003, 1.893, 12.3), (0.012, 0.002, 1.830, 20.4),
        (0.003, 0.000, 1.564, 58.9),
    ),
}  # fmt: skip
"""By value, order and coin, for each p: shares above 1/l and 1.5/l, the largest belief times l, people in a group."""


def run_of(way: Way, number: int) -> AttackedGrouping:
    """Publish and attack; of the coin per group, large groups are not scored."""
    made = way.publish(stream(1, "adult", way.key, str(number)))
    run = attacked(way, made, 1)
    large = made.release.size[made.release.group_of_row] > LARGE
    return replace(run, merged=run.merged | large) if way.coin == "group" else run


@pytest.mark.slow
@pytest.mark.parametrize(("value", "order", "coin"), MEASURED)
def test_who_is_vulnerable_on_adult(value, order, coin):
    """Shares ±.002 without a coin, ±.015 as a mean; maxima ±.005, of a coin in the range of one more draw of ours.

    Its rate is .1 % for each of 28 maxima.
    """
    for p, (above, far_above, factor, size) in zip(PS, MEASURED[value, order, coin], strict=True):
        runs = [run_of(Way(value, order, 6, p, coin), i) for i in range(COINS[value] if p else 1)]
        shares = np.mean([[run.vulnerable(1.0), run.vulnerable(1.5)] for run in runs], axis=0)
        factors = np.array([run.factor for run in runs])
        sizes = np.array([run.size for run in runs])
        print(f"\n{value}, {order}, {coin}, p = {p}: {shares.round(4)}, {factors.round(3)}, {sizes.mean():.2f}")
        assert (np.abs(shares - [above, far_above]) <= (0.015 if p else 0.002)).all()
        n = factors.size
        half = stats.t.isf(0.0005, n - 1) * factors.std(ddof=1) * np.sqrt(1 + 1 / n) if p else 0.0
        assert abs(factors.mean() - factor) <= half + 0.005
        assert sizes.mean() == pytest.approx(size, rel=0.1 if p else 0.005)


@pytest.mark.slow
def test_the_largest_belief_is_that_of_the_groups_that_occurred():
    """The exact maximum over all of them that closed."""
    way = Way("Tech-support", "age", 6, 0.5, "group")
    made = way.publish(stream(1, "adult", way.key, "0"))
    run = attacked(way, made, 1)
    closed = np.unique(made.release.group_of_row[~run.merged])
    value = made.release.schema[SENSITIVE].values.index(way.positive)
    counts = made.release.counts_of(SENSITIVE).dense_column(value)
    kinds = {(int(made.release.size[g]), int(counts[g])) for g in closed}
    rule = GreedyRule(6, 6, way.positive, 0.5, way.coin)
    most = max(float(positive_given_position(n, c, rule).max()) for n, c in kinds)
    assert run.factor == pytest.approx(6 * most, abs=1e-9)


@pytest.mark.slow
def test_half_of_the_people_are_left_over_where_managers_are_bounded_by_age():
    """17,790 in a merged last group: nearly all above 1/l, and none above 1.5/l."""
    run = run_of(Way("Exec-managerial", "age", 6), 0)
    assert int(run.merged.sum()) == 17_790
    assert run.vulnerable(1.0, last=True) > 0.6
    assert run.vulnerable(1.5, last=True) == run.vulnerable(1.5)
    assert run.factor_of_all == run.factor


OCCUPATIONS: dict[tuple[str, int], tuple[float, int, float, float | None, float]] = {
    ("age", 2): (2.9, 112, 0.194, None, 2.000),
    ("age", 3): (8.8, 1053, 0.350, None, 2.118),
    ("age", 4): (32.6, 3292, 0.291, None, 2.052),
    ("file", 2): (2.3, 18, 0.100, 0.086, 2.000),
    ("file", 3): (4.5, 36, 0.261, 0.121, 2.143),
    ("file", 4): (9.3, 148, 0.389, 0.097, 2.143),
}
"""By order and l: people in a group, in the largest; shares above 1/l and 1.5/l; the largest exact belief times l."""


@pytest.mark.slow
@pytest.mark.parametrize(("order", "l"), OCCUPATIONS)
def test_every_occupation_bounded(order, l):
    """All people are settled. No fewer are vulnerable than by counting small groups alone, and no belief exceeds p(b1).

    Where nearly all groups are small, shares are the same to .01.
    """
    size, largest, above, far_above, factor = OCCUPATIONS[order, l]
    run = run_of(Way("", order, l), 0)
    print(
        f"\n{order}, l = {l}: {run.vulnerable(1.0):.4f}, {run.vulnerable(1.5):.4f}, {run.factor:.3f}, {run.unsettled}"
    )
    assert run.size == pytest.approx(size, abs=0.06)
    assert run.largest == largest
    assert run.unsettled <= 0.05
    assert run.vulnerable(1.0) >= above - 0.002
    assert factor - 0.005 <= run.factor <= l * p_b1(l, largest // l) + 1e-9
    if far_above is not None:
        assert abs(run.vulnerable(1.5) - far_above) <= 0.01
        assert l == 4 or abs(run.vulnerable(1.0) - above) <= 0.01
