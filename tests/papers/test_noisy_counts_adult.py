"""Differential privacy under composition on Adult: what the own record adds, for one noisy release and for two.

Ganta et al. 2008, section 4, play two games: in Game 0 the person's record is in the tables, in Game i it is not. The
attacker believes it is, in both. What they guess right more often in Game 0 is the gap; epsilon limits the gap, not how
often they are right, since people's age and education tell of their occupation whether they are counted or not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import tanh

import numpy as np
import pytest
from scipy import stats

from unmask.arrays import Float64, Int32
from unmask.attacks.noisy_counts.attack import NoisyCounts
from unmask.attacks.noisy_counts.denoising import lifts
from unmask.attacks.shared.expected_counts import people_of
from unmask.attacks.shared.pooling import default_prior, pooled
from unmask.datasets.adult import adult
from unmask.release import Release
from unmask.sanitizers import noisy_counts as sanitizer
from unmask.table import Table
from unmask.view import Knowledge, Located, View

BOTH, DRAWS = 5_000, 5
EPSILONS = (None, 5.0, 1.0, 0.5, 0.1)
"""Of each release; None: exact counts."""

EXACT = 1_000.0
"""The epsilon at which no noise is drawn, in effect: at scale 0.002 one count in 10^217 is not exact."""


@dataclass(frozen=True)
class Played:
    """How often the attacker is right in both games, (draws,)."""

    with_record: Float64
    without: Float64

    @property
    def gap(self) -> Float64:
        """What the own record adds, (draws,)."""
        return self.with_record - self.without


def tables(rng: np.random.Generator) -> tuple[list[Table], Int32]:
    """Return two halves of Adult that share 5,000 people, who come first, and what is true of these."""
    table = adult(quasi=["age", "education", "sex"], sensitive=["occupation"])
    size = (table.n_rows + BOTH) // 2
    order = rng.permutation(table.n_rows)
    first, second = order[:size], np.concatenate([order[:BOTH], order[size : 2 * size - BOTH]])
    return [table.take(first), table.take(second)], table["occupation"][order[:BOTH]]


def right(beliefs: Float64, truth: Int32) -> Float64:
    """Return the credit of each guess, (people,): split where several values are equally likely."""
    top = beliefs >= beliefs.max(axis=1, keepdims=True) * (1 - 1e-9)
    return np.asarray(top[np.arange(truth.size), truth] / top.sum(axis=1))


def believed(releases: list[Release], cell: Int32, truth: Int32 | None) -> Float64:
    """Return what is believed of people in these cells; with `truth`, as if their own record were not counted."""
    values = releases[0].schema["occupation"].values
    share = pooled(releases, "occupation", values)
    sizes = [people_of(release) for release in releases]
    counts = np.stack([release.counts_of("occupation").dense() for release in releases], axis=2)  # cells, values, R
    scale = np.array([[r.noise["occupation"].scale if r.noise else 0.0] for r in releases])
    key = np.stack([cell, np.full(cell.size, -1) if truth is None else truth], axis=1)
    distinct, number = np.unique(key, axis=0, return_inverse=True)
    result = np.zeros((len(distinct), len(values)))
    for i, (here, own) in enumerate(distinct):
        noisy = counts[here][:, :, None].copy()
        if truth is not None:
            noisy[own] -= 1
        size = np.array([one[here] for one in sizes])
        result[i] = share * lifts(share, 20.0, size, noisy, scale, True)  # noqa: FBT003
        result[i] = result[i] / result[i].sum() if result[i].any() else share
    return np.asarray(result[number.ravel()])


def play(epsilon: float | None, draws: int = DRAWS) -> tuple[Played, Played]:
    """Play both games against one release and against two, once for each draw of people and noise."""
    scores: list[list[tuple[float, float]]] = [[], []]
    values = adult(quasi=["age"], sensitive=["occupation"]).schema["occupation"].values
    cells = {"age": tuple(range(17, 92)), "sex": ("Female", "Male"), "occupation": values}
    for draw in range(draws):
        rng = np.random.default_rng(draw)
        halves, truth = tables(rng)
        made = sanitizer.NoisyCounts(epsilon or EXACT, cells=cells)
        published = [made.sanitize(half, rng) for half in halves]
        releases = [replace(one.release, name=f"half {i}") for i, one in enumerate(published)]
        if epsilon is None:
            releases = [replace(release, noise={}) for release in releases]
        cell = published[0].group_of[:BOTH]
        assert np.array_equal(cell, published[1].group_of[:BOTH])
        for n in (1, 2):
            inside = believed(releases[:n], cell, None)
            if draw == 0 and epsilon is not None:  # these are the beliefs of the attack without parameters
                people = halves[0].take(np.arange(BOTH)).visible("occupation")
                places = tuple(Located(cell) for _ in range(n))
                view = View(
                    tuple(releases[:n]), Knowledge(people, default_prior(releases[:n], "occupation", BOTH), places)
                )
                assert NoisyCounts().infer(view, rng).dense() == pytest.approx(inside, abs=1e-9)
            outside = believed(releases[:n], cell, truth)
            scores[n - 1].append((right(inside, truth).mean(), right(outside, truth).mean()))
    one, two = (Played(*np.array(score).T) for score in scores)
    return one, two


def interval(numbers: Float64) -> tuple[float, float]:
    """Return the mean over draws, and half of its 95 % interval."""
    half = stats.t.ppf(0.975, numbers.size - 1) * numbers.std(ddof=1) / np.sqrt(numbers.size)
    return float(numbers.mean()), float(half)


@pytest.mark.slow
def test_what_the_own_record_adds_on_adult():
    """Exact counts: a gap of at least .10 with two releases; noise: below tanh(ε/2), and never less for two than one.

    Two draws of noise cannot be compared without chance: "never less" is refuted at 4.5 standard errors.
    """
    pytest.importorskip("opendp", reason="the extra `release` is not installed")
    print(
        "\n| ε of each release | gap, one release | ceiling | gap, two releases | ceiling | right, one | right, two |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for epsilon in EPSILONS:
        one, two = play(epsilon)
        limits = [1.0 if epsilon is None else tanh(n * epsilon / 2) for n in (1, 2)]
        cells = [f"{'exact' if epsilon is None else format(epsilon, 'g')}"]
        for played, limit in zip((one, two), limits, strict=True):
            mean, half = interval(played.gap)
            cells += [f"{mean:.3f} ± {half:.3f}", "none" if epsilon is None else f"{limit:.3f}"]
            assert mean - half <= limit
        cells += [f"{100 * played.with_record.mean():.1f} %" for played in (one, two)]
        print(f"| {' | '.join(cells)} |")
        for more in (two.gap - one.gap, two.with_record - one.with_record):
            assert more.mean() > -4.5 * more.std(ddof=1) / np.sqrt(DRAWS)
        if epsilon is None:
            assert two.gap.mean() >= 0.10
