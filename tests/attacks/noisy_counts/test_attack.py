"""Noisy counts read by their likelihood: expected counts, several releases, and what clipping would do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tests import stories
from unmask.arrays import Float64, Ragged
from unmask.attacks.intersection.attack import Intersection
from unmask.attacks.noisy_counts.attack import NoisyCounts
from unmask.attacks.noisy_counts.denoising import lifts
from unmask.attacks.random_worlds import RandomWorlds
from unmask.attacks.shared.expected_counts import expected_sizes, people_of
from unmask.attacks.shared.pooling import pooled
from unmask.beliefs import Beliefs
from unmask.errors import InvalidInputError, NotApplicableError
from unmask.masks.declared_cells import declared_cells, parse_cells
from unmask.masks.lines import Lines
from unmask.release import Noise, Release
from unmask.schema import Schema
from unmask.table import Table
from unmask.view import NOT_IN_IT, View

ILLS = ("cold", "flu", "hiv")
PEOPLE = Table.of({"age": [21, 35, 36, 99]}, quasi=["age"])
RNG = np.random.default_rng(0)


def release_of(counts: object, scale: float | None = 2.0, name: str = "counts", edges: str = "20,30,40") -> Release:
    """Return a release of counts by age, (cells, 3 values), which have noise of a scale, or none."""
    table = Table.of({"age": [20], "ill": ["flu"]}, quasi=["age"], sensitive=["ill"])
    age = declared_cells(table, "age", parse_cells(f"age={edges}"))
    ill = declared_cells(table, "ill", parse_cells("ill=" + ",".join(ILLS)))
    matrix = np.asarray(counts, float)
    lines = np.arange(age.cells.n, dtype=np.int32)
    return Release(
        Schema((age.attribute, ill.attribute)), Lines((age.cells,), lines[:, None], lines, age.cells.n),
        matrix.sum(axis=1), None, {}, {"ill": Ragged.of(matrix)}, rows="none", name=name,
        noise={} if scale is None else {"ill": Noise("discrete-laplace", scale)},
    )  # fmt: skip


def believed(attack: NoisyCounts, *releases: Release, people: Table = PEOPLE, **known: object) -> Beliefs:
    """Attack releases with known ages."""
    return attack.infer(stories.view_of(releases, people, "ill", **known), RNG)  # type: ignore[arg-type]


def test_noise_adds_up_over_the_numbers_that_are_added_up():
    """Shares are of sums over cells, sizes are sums over values: as many variances as numbers."""
    counts, variance = np.array([[1, 7, -2], [3, 2, -4], [0, 1, 3]]), stats.dlaplace(1 / 2).var()
    release = release_of(counts, edges="20,30,40,50")
    totals, spread = counts.sum(axis=0), np.sqrt(3 * variance)
    expected = np.array([stats.truncnorm(-t / spread, np.inf, t, spread).mean() for t in totals])
    assert pooled([release], "ill", ILLS) == pytest.approx(expected / expected.sum())
    assert people_of(release) == pytest.approx(expected_sizes(counts.sum(axis=1).astype(float), spread))


def test_a_large_count_tells_and_a_negative_one_is_a_small_one():
    """Seven noisy cases of flu among people in their twenties, minus two of HIV: flu is likely, HIV not ruled out."""
    belief = believed(NoisyCounts(), release_of([[1, 7, -2], [3, 2, 4]])).of(0)
    assert "flu" == next(iter(belief))
    assert 0 < belief["hiv"] < belief["cold"] < belief["flu"]


def test_beliefs_are_those_of_the_likelihood():
    """The formula, with the pooled share, the expected size of the cell, and the declared scale."""
    release = release_of([[1, 7, -2], [3, 2, 4]])
    share = pooled([release], "ill", ILLS)
    size = expected_sizes(release.size, (3 * release.noise["ill"].variance) ** 0.5)
    expected = share * lifts(share, 20.0, size[:1], np.array([[[1.0]], [[7.0]], [[-2.0]]]), np.full((1, 1), 2.0), True)  # noqa: FBT003
    assert expected / expected.sum() == pytest.approx(believed(NoisyCounts(), release).dense()[0], rel=1e-12)


def test_with_ever_less_noise_it_becomes_random_worlds():
    """Shares of the cell, under any prior."""
    counts, prior = [[1, 7, 2], [3, 2, 4]], {"cold": 0.2, "flu": 0.2, "hiv": 0.6}
    exact = stories.view_of(release_of(counts, None), PEOPLE, "ill", prior=prior)
    noisy = believed(NoisyCounts(), release_of(counts, 0.01), prior=prior)
    assert RandomWorlds().infer(exact, RNG).dense() == pytest.approx(noisy.dense(), rel=1e-9)


def test_two_exact_releases_beside_hardly_noisy_ones_are_the_intersection():
    """With the pooled distribution in each cell, counts multiply as in rule `bayes` with infinite local weight."""
    counts = [[[1, 7, 2], [3, 2, 4]], [[5, 2, 3], [1, 1, 6]]]
    exact = [release_of(one, None, f"r{i}") for i, one in enumerate(counts)]
    noisy = [release_of(one, 0.01, f"r{i}") for i, one in enumerate(counts)]
    view = stories.view_of(exact, PEOPLE, "ill")
    found = believed(NoisyCounts(local_weight=np.inf), *noisy)
    assert Intersection(local_weight=np.inf).infer(view, RNG).dense() == pytest.approx(found.dense(), rel=1e-9)


def test_a_release_without_noise_may_stand_beside_one_with():
    """An exact zero rules a value out, for all noisy counts."""
    found = believed(NoisyCounts(), release_of([[0, 7, 2], [3, 2, 4]], None, "a"), release_of([[9, 1, 1], [1, 1, 1]]))
    assert 0 == found.probability("cold")[0]


def test_the_same_people_counted_twice_have_one_true_count():
    """With members shared, two noisy counts are two looks at one: half the noise in the limit, not a second group."""
    releases = [release_of([[1, 7, 0], [3, 2, 4]], 4.0, "a"), release_of([[0, 8, 1], [2, 3, 4]], 4.0, "b")]
    one = believed(NoisyCounts(), releases[0]).probability("flu")[0]
    shared = believed(NoisyCounts(members="shared"), *releases).probability("flu")[0]
    assert one < shared < 8 / 9
    with pytest.raises(NotApplicableError, match="same cells"):
        believed(NoisyCounts(members="shared"), releases[0], release_of([[9, 9, 9]], 4.0, "c", "20,40"))


def test_a_release_given_twice_counts_once():
    """Its noise was drawn once; a copy adds no evidence."""
    one = release_of([[1, 7, -2], [3, 2, 4]])
    twice = believed(NoisyCounts(), one, replace(one, name="copy"))
    assert believed(NoisyCounts(), one).dense() == pytest.approx(twice.dense())
    assert twice.outcome.repeated


def test_who_fits_no_cell_or_several_stays_at_the_prior_and_is_counted():
    """A person of 99 is in no cell; a person of unknown age is in one of two."""
    release = release_of([[1, 7, -2], [3, 2, 4]])
    found = believed(NoisyCounts(), release)
    assert found.dense()[3] == pytest.approx(pooled([release], "ill", ILLS))
    assert 1 == found.unplaced[0].sum()
    unknown = Table.of({"town": ["x"]}, quasi=["town"])
    assert believed(NoisyCounts(), release, people=unknown).outcome.ambiguous == {"counts": 1}


def test_who_is_known_not_to_be_counted_is_not_looked_for():
    """Their belief is the prior; who is known to be in a cell is read there, whatever their age."""
    release = release_of([[1, 7, -2], [3, 2, 4]])
    found = believed(NoisyCounts(), release, groups=[[NOT_IN_IT, 0, 1, 0]])
    free = believed(NoisyCounts(), release)
    assert found.dense()[0] == pytest.approx(pooled([release], "ill", ILLS))
    assert found.dense()[1] == pytest.approx(free.dense()[0])


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(-6, 12), min_size=12, max_size=12), st.sampled_from([0.5, 3.0]), st.integers(0, 2))
def test_beliefs_are_distributions_and_a_value_ruled_out_stays_so(numbers, scale, banned):
    """For all noise: nothing negative, each row adds up to one, and no release overturns a zero."""
    first, second = np.array(numbers).reshape(2, 2, 3)
    prior = {value: float(i != banned) for i, value in enumerate(ILLS)}
    for releases in ([release_of(first, scale)], [release_of(first, scale, "a"), release_of(second, scale, "b")]):
        found = believed(NoisyCounts(), *releases, prior=prior).dense()
        assert (found >= 0).all()
        assert found.sum(axis=1) == pytest.approx(1)
        assert (found[:, banned] == 0).all()


def test_without_the_own_cell_it_is_what_is_usual_nearby():
    """The control of a person in the twenties uses the counts of the thirties, as of people who are not counted."""
    release = release_of([[1, 7, -2], [3, 2, 14]])
    found = believed(NoisyCounts(), release)
    assert found.left_out is not None
    control = found.left_out([np.array([0, 1, 1, -1], np.int32)])
    assert "hiv" == next(iter(control.of(0)))
    assert control.of(1)["flu"] > control.of(0)["flu"]
    assert control.dense().sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize("attack", [RandomWorlds(), Intersection()])
def test_attacks_that_read_true_counts_decline_noisy_ones(attack):
    """Shares of noisy counts may be negative; and what they are read by stands in the reason."""
    releases = [release_of([[1, 7, -2], [3, 2, 4]], 2.0, "a"), release_of([[1, 8, -1], [3, 2, 4]], 2.0, "b")]
    with pytest.raises(NotApplicableError, match="have noise"):
        attack.infer(stories.view_of(releases[: 1 + isinstance(attack, Intersection)], PEOPLE, "ill"), RNG)


def test_exact_counts_are_left_to_the_attacks_that_read_them():
    """Random worlds gives the same result, and is quicker."""
    with pytest.raises(NotApplicableError, match="needs counts with noise"):
        believed(NoisyCounts(), release_of([[1, 7, 2], [3, 2, 4]], None))
    with pytest.raises(InvalidInputError, match="local-weight must be greater than 0"):
        NoisyCounts(local_weight=0)
    with pytest.raises(InvalidInputError, match="members"):
        NoisyCounts(members="some")  # type: ignore[arg-type]


# --- on data drawn from the model


def drawn(rng: np.random.Generator, n_releases: int, epsilon: float) -> tuple[list[Release], np.ndarray]:
    """Draw 400 cells of people around their own rates, one person counted in each by their rates, and noise."""
    share, cells = np.array([0.5, 0.3, 0.2]), 400
    rate = rng.gamma(20 * share, 1 / 20, (cells, 3))
    value = (rng.random(cells)[:, None] > np.cumsum(rate / rate.sum(axis=1, keepdims=True), axis=1)).sum(axis=1)
    scale = 2 / epsilon
    releases = []
    for r in range(n_releases):
        true = rng.poisson(12 * rate)
        true[np.arange(cells), value] += 1
        noise = rng.geometric(1 - np.exp(-1 / scale), (2, cells, 3))
        edges = ",".join(map(str, range(cells + 1)))
        releases.append(release_of(true + noise[0] - noise[1], scale, f"r{r}", edges))
    return releases, value


def posterior(releases: list[Release]) -> Float64:
    """Return what is believed of the person in each cell."""
    n = releases[0].n_groups
    people = Table.of({"age": [float(i) for i in range(n)]}, quasi=["age"])
    view: View = stories.view_of(releases, people, "ill", [np.arange(n)] * len(releases))
    return NoisyCounts().infer(view, RNG).dense()


def clipped(releases: list[Release]) -> Float64:
    """Return the posterior from shares of counts clipped at zero, multiplied over releases and divided by the prior."""
    share = pooled(releases, "ill", ILLS)
    each = [np.maximum(r.counts_of("ill").dense(), 0) + 1e-9 for r in releases]
    result = np.prod([one / one.sum(axis=1, keepdims=True) for one in each], axis=0) / share ** (len(each) - 1)
    return np.asarray(result / result.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("n_releases", [1, 2])
def test_beliefs_are_right_as_often_as_they_say(n_releases):
    """On 2,400 people drawn from the model: of those believed with p, p have it; chi-square in ten bins at 1 in 10,000.

    Sizes and pooled shares are estimated from the releases, with little loss here.
    """
    rng = np.random.default_rng(3)
    beliefs, truth = [], []
    for _ in range(6):
        releases, value = drawn(rng, n_releases, 1.0)
        beliefs.append(posterior(releases))
        truth.append(value)
    p, right = np.concatenate(beliefs).ravel(), (np.concatenate(truth)[:, None] == np.arange(3)).ravel()
    place = np.clip((p * 10).astype(int), 0, 9)
    n, expected, seen = (np.bincount(place, w, 10) for w in (np.ones(p.size), p, right))
    spread = np.bincount(place, p * (1 - p), 10)
    used = n > 20
    assert stats.chi2.sf((((seen - expected) ** 2)[used] / spread[used]).sum(), int(used.sum())) > 1e-4


def test_the_likelihood_predicts_better_than_clipped_counts_and_two_releases_better_than_one():
    """Log loss of the truth on 2,400 people at epsilon 1: by more than 4.5 standard errors each."""
    rng = np.random.default_rng(5)
    loss: dict[str, list[Float64]] = {"one": [], "two": [], "clipped": []}
    for _ in range(6):
        releases, value = drawn(rng, 2, 1.0)
        for name, found in (
            ("one", posterior(releases[:1])),
            ("two", posterior(releases)),
            ("clipped", clipped(releases)),
        ):
            loss[name].append(-np.log(np.maximum(found[np.arange(value.size), value], 1e-6)))
    one, two, by_clipping = (np.concatenate(loss[name]) for name in ("one", "two", "clipped"))
    for better, worse in ((two, one), (one, by_clipping)):
        gain = worse - better
        assert gain.mean() > 4.5 * gain.std() / np.sqrt(gain.size)
