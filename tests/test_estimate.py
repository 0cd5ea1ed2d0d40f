"""Estimates with intervals and sources of uncertainty; tallies of beliefs and truths."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest
from scipy import stats

from tests.judged import COLD, EVEN, FLU, ILL, beliefs_of, judged, truth_of
from tests.rates import proportion_within
from unmask.arrays import Ragged
from unmask.auditing.uncertainty import NO_REPLICATES, STUDENT_95, half_width, judge
from unmask.errors import InvalidInputError
from unmask.estimate import Estimate, Tally, Truth, by_cluster
from unmask.metrics.accuracy import Accuracy
from unmask.metrics.belief_change import BeliefChange
from unmask.metrics.exposure import ExposedRightly
from unmask.metrics.scoring import Brier


def test_people_who_are_believed_alike_and_are_alike_are_counted_together():
    """Four people, three cells: two of flu rightly, one wrongly, one even."""
    tally = judged([FLU, FLU, FLU, EVEN], ["flu", "flu", "cold", "flu"])
    assert tally.n == 4
    assert sorted(tally.people.tolist()) == [1, 1, 1, 1]  # each has an own row here
    shared = replace(beliefs_of(FLU, EVEN), row_of=np.array([0, 0, 0, 1], np.int32))
    tally = Tally.of(shared, truth_of(["flu", "flu", "cold", "flu"]))
    assert sorted(tally.people.tolist()) == [1, 1, 2]
    assert tally.cell_of is not None
    assert tally.cell_of[0] == tally.cell_of[1] != tally.cell_of[2]


def test_targets_not_attacked_are_excluded_and_counted():
    """Of three people one has no belief, and of another the prior is missing."""
    tally = judged([FLU, {}, FLU], ["flu"] * 3, against={"prior": [EVEN, EVEN, {}]})
    assert (tally.n, tally.n_left_out) == (1, 2)


def test_the_probability_of_the_truth_is_undefined_where_the_truth_is_not_known():
    """NaN, not 0; 0 where the true value was thought impossible, or is not even among the answers."""
    tally = judged([EVEN, EVEN, EVEN], ["flu", None, "hiv"])
    found = tally.of_truth()[tally.cell_of]
    assert np.array_equal(found, [0.5, np.nan, 0], equal_nan=True)
    outside = Tally.of(beliefs_of(EVEN), truth_of(["plague"], ("plague",)))
    assert outside.of_truth().tolist() == [0]


def test_beliefs_held_against_may_list_values_in_another_order():
    """They align by label."""
    other = beliefs_of({"flu": 0.25, "cold": 0.75}, values=("hiv", "flu", "cold"))
    tally = Tally.of(beliefs_of(EVEN), truth_of(["flu"]), {"prior": other})
    assert tally.of_truth("prior").tolist() == [0.25]


def test_what_is_about_others_is_refused():
    """A truth of two, beliefs of three people."""
    with pytest.raises(InvalidInputError, match="the truth must be about the same 3 targets; got 2"):
        judged([FLU] * 3, ["flu"] * 2)
    with pytest.raises(InvalidInputError, match="beliefs 'prior' must be about the same 1 targets; got 2"):
        judged([FLU], ["flu"], against={"prior": [FLU, FLU]})
    with pytest.raises(InvalidInputError, match="cluster must have one entry for each of 2 targets"):
        truth_of(["flu", "flu"], cluster=[1])


def test_weights_are_people_of_the_population():
    """A row that stands for three people counts three times."""
    truth = Truth(ILL, ("cold", "flu", "hiv"), np.array([1, 0], np.int32), weight=np.array([3.0, 1.0]))
    assert Accuracy().measure(Tally.of(beliefs_of(FLU, FLU), truth)).value == 3 / 4


def test_rows_of_a_person_share_one_vote():
    """Two people; one has two rows, of which one is right: half a person of two. Weights of people multiply votes."""
    answers = ["flu", "flu", "cold"]
    tally = judged([FLU, COLD, FLU], answers, person=[0, 0, 1])
    assert Accuracy().measure(tally) == Estimate.exact(1 / 4, 2)
    truth = replace(truth_of(answers, person=[0, 0, 1]), weight=np.array([2.0, 2.0, 1.0]))
    assert Accuracy().measure(Tally.of(beliefs_of(FLU, COLD, FLU), truth)).value == pytest.approx((2 / 2) / 3)


def test_a_row_of_unknown_truth_takes_no_vote_from_its_person():
    """One of two rows is judged, and counts for the whole person: one person right, one wrong."""
    tally = judged([FLU, FLU, COLD], ["flu", None, "flu"], person=[0, 0, 1])
    assert Accuracy().measure(tally) == Estimate.exact(1 / 2, 2)


def test_undefined_is_not_zero():
    """There is no value, and a reason."""
    estimate = Estimate.undefined("no target was attacked")
    assert (estimate.value, estimate.low, estimate.high, estimate.why) == (None, None, None, "no target was attacked")
    exact = Estimate.exact(0.25, 8)
    assert (exact.low, exact.high, exact.source, exact.n) == (0.25, 0.25, "exact", 8)


# --- the attack's own randomness


def with_replicates(tally, levels):
    """Return a tally of beliefs about one row that were drawn: flu with these probabilities, else a cold."""
    rows = tuple(Ragged.of(np.array([[1 - p, p, 0]])) for p in levels)
    return replace(tally, beliefs=replace(tally.beliefs, replicates=rows))


def test_chains_widen_the_interval_by_their_spread():
    """Brier scores of four chains, .1 apart: mean ± t(.975, 3) · sd / √4, of source monte carlo."""
    tally = judged([{"flu": 0.8, "cold": 0.2}], ["flu"])
    levels = (0.7, 0.75, 0.85, 0.9)
    estimate = judge(Brier(), with_replicates(tally, levels))
    scores = [2 * (1 - p) ** 2 for p in levels]
    half = stats.t.ppf(0.975, 3) * np.std(scores, ddof=1) / 2
    assert estimate.source == "monte carlo"
    assert estimate.value == pytest.approx(0.08)
    assert (estimate.low, estimate.high) == pytest.approx((0.08 - half, 0.08 + half))


def test_without_chains_nothing_is_widened():
    """An exact attack has no width; a number that is undefined stays so."""
    tally = judged([FLU, COLD], ["flu", "flu"])
    assert judge(Accuracy(), tally) == Accuracy().measure(tally)
    assert judge(Accuracy(), with_replicates(judged([FLU], [None]), (0.5, 0.7))).value is None


def test_a_count_at_a_level_is_taken_near_the_beliefs_not_at_each_replicate():
    """Half of 24 replicates of 0.49 ± 0.1 are above 0.5, and so would one alone be; their mean errs by 0.02."""
    noise = stats.norm.ppf((np.arange(24) + 0.5) / 24) * 0.1
    above = {}
    for p in (0.49, 0.4):
        tally = judged([{"flu": p, "cold": 1 - p}], ["flu"])
        found = judge(ExposedRightly(0.5), with_replicates(tally, p + noise))
        assert found.source == "monte carlo"
        above[p] = found.high
    assert (above[0.49] or 0) > 1
    assert above[0.4] == 0


@pytest.mark.parametrize("n", [4, 24])
def test_intervals_of_counts_at_a_level_cover_the_count_without_noise(n):
    """100 tables of 100 people with beliefs near 1/2, each belief off by .01: at least nine in ten intervals hold it.

    Of intervals by the spread of what single replicates count, 86 % (n = 4) and 40 % (24) do.
    """
    rng, covered = np.random.default_rng(0), 0
    for _ in range(100):
        true = 0.5 + rng.normal(0, 0.02, 100)
        each = true + rng.normal(0, 0.01 * n**0.5, (n, 100))

        def rows(p):
            return Ragged.of(np.stack([1 - p, p, 0 * p], axis=1))

        beliefs = beliefs_of(*[EVEN] * 100)
        beliefs = replace(beliefs, rows=rows(each.mean(axis=0)), replicates=tuple(rows(one) for one in each))
        found = judge(ExposedRightly(0.5), Tally.of(beliefs, truth_of(["flu"] * 100)))
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= (true >= 0.5).sum() <= found.high
    assert covered >= 90


def test_what_was_drawn_without_replicates_is_not_measured():
    """A standard error is no interval of a metric: the number is refused, and the reason says so."""
    tally = judged([{"flu": 0.8, "cold": 0.2}], ["flu"])
    drawn = replace(tally, beliefs=replace(tally.beliefs, error=np.full(tally.beliefs.rows.data.size, 0.01)))
    estimate = judge(Brier(), drawn)
    assert (estimate.value, estimate.low, estimate.high, estimate.why) == (None, None, None, NO_REPLICATES)
    settled = replace(tally, beliefs=replace(tally.beliefs, error=np.zeros(tally.beliefs.rows.data.size)))
    assert judge(Brier(), settled) == Brier().measure(tally)


def test_a_control_that_was_drawn_widens_the_interval_too():
    """The difference of chains, draw by draw, where there are equally many; else both half-widths are added up."""
    metric = BeliefChange()
    levels, before = (0.7, 0.75, 0.85, 0.9), (0.2, 0.25, 0.35, 0.4)

    def judged_with(ours, theirs):
        prior = beliefs_of({"flu": 0.3, "cold": 0.7})
        prior = replace(prior, replicates=tuple(Ragged.of(np.array([[1 - p, p, 0]])) for p in theirs))
        tally = Tally.of(beliefs_of({"flu": 0.8, "cold": 0.2}), truth_of(["flu"]), {"prior": prior})
        return judge(metric, with_replicates(tally, ours) if ours else tally)

    def half(one):
        assert one.source == "monte carlo"
        return (one.high - one.low) / 2

    alone, control = half(judged_with(levels, ())), half(judged_with((), before))
    assert half(judged_with(levels, before)) == pytest.approx(0, abs=1e-12)  # they move together
    assert half(judged_with(levels, before[:3])) == pytest.approx(alone + half(judged_with((), before[:3])))
    assert alone == pytest.approx(control)


def test_an_interval_over_people_is_widened_by_the_draws_and_keeps_its_source():
    """Variances are added; what people like these would differ by stays what the interval is about."""

    class Known:
        """A number with an interval of its own."""

        name: ClassVar[str] = "known"
        higher_is_worse: ClassVar[bool] = True
        threshold: float | None = None

        def measure(self, tally: Tally) -> Estimate:
            """Return the first belief in flu, by an interval of .03 to either side."""
            p = float(tally.beliefs.rows.dense()[0, 1])
            return Estimate(p, p - 0.03, p + 0.03, 1, "people")

    levels = (0.79, 0.8, 0.81)
    found = judge(Known(), with_replicates(judged([{"flu": 0.8, "cold": 0.2}], ["flu"]), levels))
    wide = np.hypot(0.03, stats.t.ppf(0.975, 2) * np.std(levels, ddof=1) / np.sqrt(3))
    assert found.source == "people"
    assert (found.low, found.high) == pytest.approx((0.8 - wide, 0.8 + wide))


def test_intervals_of_chains_cover_as_often_as_they_say():
    """300 times four chains that scatter normally: 95 % of the intervals hold the mean, at 1 false alarm in 1,000."""
    rng = np.random.default_rng(3)
    tally, covered = judged([EVEN], ["flu"]), 0
    for _ in range(300):
        noise = rng.normal(0.3, 0.02, 4)
        centre = replace(tally, beliefs=beliefs_of({"flu": noise.mean(), "cold": 1 - noise.mean()}))
        estimate = judge(_Truthful(), with_replicates(centre, noise))
        assert estimate.low is not None
        assert estimate.high is not None
        covered += estimate.low <= 0.3 <= estimate.high
    proportion_within(covered, 300, 0.95, 1e-3)


class _Truthful:
    """The mean probability of the true value."""

    name: ClassVar[str] = "truthful"
    higher_is_worse: ClassVar[bool] = True
    threshold: float | None = None

    def measure(self, tally: Tally) -> Estimate:
        """Return it."""
        return tally.mean(tally.of_truth())


# --- people whose fates hang together


def test_two_of_a_pair_who_are_both_right_or_both_wrong_are_one_observation():
    """Six people in three pairs, two pairs right: residuals 2/3, 2/3, −4/3 by pair; times 3/2."""
    good = np.array([1.0, 1, 1, 1, 0, 0])
    low, high = by_cluster(good, np.ones(6), np.array([0, 0, 1, 1, 2, 2], np.int32))
    error = np.sqrt(((2 / 3) ** 2 * 2 + (4 / 3) ** 2) * 3 / 2) / 6
    half = stats.norm.ppf(0.975) * error
    assert (low, high) == pytest.approx((2 / 3 - half, 2 / 3 + half))
    alone = by_cluster(good, np.ones(6), np.arange(6, dtype=np.int32))
    assert alone[1] - alone[0] < high - low


@pytest.mark.parametrize("n", [2, 3, len(STUDENT_95), len(STUDENT_95) + 1, len(STUDENT_95) + 2])
def test_the_interval_of_replicates_is_that_of_student(n):
    """Of as many as the table has, and of more."""
    values = np.random.default_rng(n).normal(size=n).tolist()
    low, high = stats.t.interval(0.95, n - 1, np.mean(values), stats.sem(values))
    assert half_width(values) == pytest.approx((high - low) / 2, rel=1e-12)


def test_one_cluster_says_nothing_of_people_in_general():
    """All people in one group: any mean is possible."""
    assert by_cluster(np.ones(3), np.ones(3), np.zeros(3, np.int32)) == (-np.inf, np.inf)


def test_an_interval_by_group_covers_in_95_percent():
    """1,000 times 200 pairs, both right or both wrong: normal quantiles cover .95, at 1 false alarm in 1,000.

    Taking the 400 people for independent would cover only .83: the design effect is 2.
    """
    rng = np.random.default_rng(4)
    cluster = np.repeat(np.arange(200), 2).astype(np.int32)
    by_group = by_person = 0
    for _ in range(1000):
        good = (rng.random(200) < 0.585).astype(float)[cluster]
        low, high = by_cluster(good, np.ones(400), cluster)
        by_group += low <= 0.585 <= high
        low, high = by_cluster(good, np.ones(400), np.arange(400, dtype=np.int32))
        by_person += low <= 0.585 <= high
    proportion_within(by_group, 1000, 0.95, 1e-3)
    assert by_person < 900
