"""Copula estimator of population uniques, from the attributes' joint distribution.

Other estimators see the sizes of keys alone. This one fits a model of the attributes, and so knows which keys are
rare in the population even if the sample is too small to hold them twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np
import scipy

from unmask.arrays import Float64, Int64, frozen
from unmask.estimate import Estimate
from unmask.population.keys import Keys
from unmask.schema import Numeric, Ordered
from unmask.wording import message

_PEOPLE = 4096
"""People drawn from the model, of whom the share of uniques is computed."""

_POINTS = 256
"""Points of the integral that gives the probability of a key."""

_MOST_LEVELS = 256
"""Levels of an attribute in the fit of a correlation; neighbors among more are merged."""

_SCORING_STEPS, _SETTLED = 60, 1e-3
_BISECTIONS = 14
_LARGEST_CORRELATION = 0.999
_LEAST_EIGENVALUE = 1e-4
_TINY = 1e-300
_RATES = np.geomspace(1e-9, 200.0, 400)
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)


def copula(keys: Keys, population: float) -> Estimate:
    """Estimate the number of population uniques from the keys of a sample, by a Gaussian copula.

    Assumes
        Each attribute is a normal variable cut at the quantiles of the sample, and two attributes are dependent by the
        correlation of these variables alone. Numbers and ordered values keep their order; others are ordered by their
        first axis of correspondence with the rest, and may lack values in the sample, as many as Chao's estimate, whose
        share is Good and Turing's. Each person is drawn with the same probability; a missing value is one more value.
    Infers
        Correlations whose mutual information is that of the sample, less its bias; the nearest positive definite
        matrix; and uniques = N · E[(1 − p)^(N − 1)] over people drawn from the model, with p the probability of their
        key: a normal integral over a box. Deterministic: points are a lattice, none are drawn at random.
    Fails
        Undefined for fewer than two people, or a sample without attributes that differ.

    References
    ----------
    Rocher, Hendrickx, de Montjoye. Estimating the success of re-identifications in incomplete datasets using generative
    models. Nature Communications 2019.
    Genz. Numerical computation of multivariate normal probabilities. J. Computational and Graphical Statistics 1992.
    """
    people, n = keys.people, float(keys.people.sum())
    axes = [one for one in _axes(keys) if one.share.size > 1]
    if n < 2 or not axes:
        return Estimate.undefined(message("needs people who differ in an attribute"), n)
    level, cuts = np.stack([one.level for one in axes], axis=1), [one.cuts() for one in axes]
    root = np.asarray(np.linalg.cholesky(_correlations(level, people, cuts)), np.float64)
    drawn = scipy.special.ndtri(_lattice(_PEOPLE, len(cuts))) @ root.T
    boxes = np.stack([np.searchsorted(cuts[i][1:-1], drawn[:, i]) for i in range(len(cuts))], axis=1)
    alone = np.exp((population - 1) * np.log1p(-np.minimum(key_probability(boxes, cuts, root), 1 - 1e-15)))
    return Estimate(population * float(alone.mean()), n=n, source="sample")


def key_probability(boxes: Int64, cuts: list[Float64], root: Float64) -> Float64:
    """Return the probability of each box of levels, (boxes,), for normal variables with a root of their correlations.

    `boxes` (boxes, attributes) are levels; level l of an attribute lies between its cuts l and l + 1. By separation of
    variables: one conditional normal variable after another, at the points of a lattice.
    """
    result = np.empty(boxes.shape[0])
    points = np.abs(2 * _lattice(_POINTS, max(len(cuts) - 1, 1)) - 1)  # folded: the integrand need not be periodic
    step = max(1, (1 << 22) // (_POINTS * len(cuts)))
    for first in range(0, boxes.shape[0], step):
        some = boxes[first : first + step]
        product = np.ones((some.shape[0], _POINTS))
        value = np.zeros((some.shape[0], _POINTS, len(cuts)))
        for i, cut in enumerate(cuts):
            mean = value[:, :, :i] @ root[i, :i]
            below = scipy.special.ndtr((cut[some[:, i], None] - mean) / root[i, i])
            inside = scipy.special.ndtr((cut[some[:, i] + 1, None] - mean) / root[i, i]) - below
            product *= np.maximum(inside, _TINY)
            if i < points.shape[1]:
                value[:, :, i] = scipy.special.ndtri(np.clip(below + points[None, :, i] * inside, 1e-15, 1 - 1e-15))
        result[first : first + step] = product.mean(axis=1)
    return result


@dataclass(frozen=True, slots=True, eq=False)
class _Axis:
    """An attribute: the ordered level of each key, and each level's share of people, with levels that no key has."""

    level: Int64  # (keys,)
    share: Float64  # (levels,)

    def cuts(self) -> Float64:
        """Return where a normal variable is cut, (levels + 1,), so that each level has its share of people."""
        below = np.cumsum(self.share)[:-1] / self.share.sum()
        return np.asarray(scipy.special.ndtri(np.concatenate([[0.0], below, [1.0]])))


def _axes(keys: Keys) -> list[_Axis]:
    schema = keys.profiles.schema
    levels = [np.unique(keys.profiles.ranks(one.name)[0], return_inverse=True)[1].astype(np.int64) for one in schema]
    counts = [np.bincount(one, keys.people).astype(np.float64) for one in levels]
    scores = _scores(levels, counts, keys.people)
    return [
        _Axis(level, count) if isinstance(one.domain, Numeric | Ordered) else _with_unseen(level, count, score)
        for one, level, count, score in zip(schema, levels, counts, scores, strict=True)
    ]


def _with_unseen(level: Int64, people: Float64, score: Float64) -> _Axis:
    """Order levels by their scores; those that the sample lacks come in the middle, with the mean score.

    References
    ----------
    Good. The population frequencies of species and the estimation of population parameters. Biometrika 1953.
    Chao. Nonparametric estimation of the number of classes in a population. Scandinavian J. Statistics 1984.
    """
    once, twice = float((people == 1).sum()), float((people == 2).sum())
    unseen = round(once * (once - 1) / (2 * (twice + 1)))
    order = np.argsort(score, kind="stable")
    before = int((score < 0).sum())
    place = np.empty(people.size, np.int64)
    place[order] = np.arange(people.size) + unseen * (np.arange(people.size) >= before)
    gone = once / people.sum() if unseen else 0.0
    share = np.full(people.size + unseen, gone / max(unseen, 1))
    share[place] = (1 - gone) * people / people.sum()
    return _Axis(place[level], share)


def _scores(levels: list[Int64], counts: list[Float64], people: Float64) -> list[Float64]:
    """Return a score of each level of each attribute, by reciprocal averaging: those of like people are near."""
    scores = [np.linspace(-1.0, 1.0, count.size) for count in counts]
    before = np.zeros(people.size)
    for _ in range(_SCORING_STEPS if len(levels) > 1 and people.size else 0):
        of_key = np.sum([score[one] for score, one in zip(scores, levels, strict=True)], axis=0)
        of_key -= np.average(of_key, weights=people)
        of_key /= np.sqrt(np.average(of_key**2, weights=people)) + _TINY
        if np.abs(of_key - before).max() < _SETTLED:
            break
        before = of_key
        scores = [np.bincount(one, people * of_key) / count for one, count in zip(levels, counts, strict=True)]
    side = np.sign(sum(float(count @ score**3) for count, score in zip(counts, scores, strict=True))) or 1.0
    return [side * score for score in scores]  # on the side that does not depend on the names of values


def _correlations(level: Int64, people: Float64, cuts: list[Float64]) -> Float64:
    """Return the correlation matrix of the normal variables, (attributes, attributes): positive definite."""
    result = np.eye(len(cuts))
    merged = [_merged(one, cut) for one, cut in zip(level.T, cuts, strict=True)]
    for i, j in combinations(range(len(cuts)), 2):
        result[i, j] = result[j, i] = _correlation(merged[i], merged[j], people)
    values, vectors = np.linalg.eigh(result)
    near = (vectors * np.maximum(values, _LEAST_EIGENVALUE)) @ vectors.T
    scale = np.sqrt(np.diag(near))
    return np.asarray(near / np.outer(scale, scale))


def _merged(level: Int64, cut: Float64) -> tuple[Int64, Float64]:
    """Return coarser levels and their cuts, at most `_MOST_LEVELS` of about as many people where there are more."""
    most = cut.size - 1
    if most <= _MOST_LEVELS:
        return level, cut
    share = scipy.special.ndtr(cut)
    last = np.unique(np.searchsorted(share[1:], np.arange(1, _MOST_LEVELS + 1) / _MOST_LEVELS - 1e-12))
    kept = np.concatenate([cut[:1], cut[1:][np.minimum(last[:-1], most - 1)], cut[-1:]])
    return np.searchsorted(last[:-1], level), np.asarray(kept)


def _correlation(a: tuple[Int64, Float64], b: tuple[Int64, Float64], people: Float64) -> float:
    """Return the correlation at which two attributes' mutual information is that of the sample, less its bias."""
    rows, columns = a[1].size - 1, b[1].size - 1
    observed = np.bincount(a[0] * columns + b[0], people, rows * columns).astype(np.float64).reshape(rows, columns)
    expected = np.outer(observed.sum(axis=1), observed.sum(axis=0)) / observed.sum()
    wanted = mutual_information(observed) - chance_information(expected)
    sign = np.sign(_middles(a[1]) @ (observed - expected) @ _middles(b[1])) or 1.0
    low, high = 0.0, _LARGEST_CORRELATION
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        less = mutual_information(box_probability(a[1], b[1], sign * middle)) < wanted
        low, high = (middle, high) if less else (low, middle)
    return float(sign * low)


def _middles(cut: Float64) -> Float64:
    """Return the mean of a normal variable between each pair of cuts, (levels,)."""
    density = np.exp(-(cut**2) / 2) / np.sqrt(2 * np.pi)
    return np.asarray(-np.diff(density) / np.maximum(np.diff(scipy.special.ndtr(cut)), _TINY))


def mutual_information(joint: Float64) -> float:
    """Return the mutual information of two attributes in nats, from counts or probabilities, (levels, levels)."""
    share = joint / joint.sum()
    apart = np.outer(share.sum(axis=1), share.sum(axis=0))
    here = share > 0
    return float((share[here] * np.log(share[here] / apart[here])).sum())


def chance_information(expected: Float64) -> float:
    """Return the mutual information, in nats, that independent attributes show by chance in so many people.

    `expected` (levels, levels) are the people of each cell at independence. Counts are taken as Poisson, and as fixed
    in their margins: of n large ones the known bias, (rows − 1) (columns − 1) / 2n.

    References
    ----------
    Roulston. Estimating the errors on measures of entropy and mutual information. Physica D 1999.
    """
    rows, columns = (int(np.count_nonzero(expected.sum(axis=axis))) for axis in (1, 0))
    excess = np.interp(np.log(np.maximum(expected, _TINY)), np.log(_RATES), _excesses(), left=0.0, right=0.5)
    free = (rows - 1) * (columns - 1) / max(rows * columns, 1)
    return float(free * excess.sum() / expected.sum())


@cache
def _excesses() -> Float64:
    """Return E[X log X] − λ log λ of Poisson counts X of the tabulated rates λ, (rates,); computed once."""
    rates = _RATES
    counts = np.arange(1.0, 400.0)
    mass = np.exp(counts * np.log(rates[:, None]) - rates[:, None] - scipy.special.gammaln(counts + 1))
    return frozen(mass @ (counts * np.log(counts)) - rates * np.log(rates))


def box_probability(a: Float64, b: Float64, correlation: float) -> Float64:
    """Return the probability of each pair of levels of two normal variables, (levels, levels), by their cuts.

    References
    ----------
    Drezner, Wesolowsky. On the computation of the bivariate normal integral. J. Statistical Computation and Simulation
    1990.
    """
    finite_a, finite_b = np.where(np.isfinite(a), a, 0.0)[:, None], np.where(np.isfinite(b), b, 0.0)
    half, dependent = np.arcsin(correlation) / 2, np.zeros((a.size, b.size))
    for node, weight in zip(_NODES, _WEIGHTS, strict=True):
        sine = np.sin(half * (node + 1))
        squares = finite_a**2 + finite_b**2 - 2 * sine * finite_a * finite_b
        dependent += weight * np.exp(-squares / (2 * (1 - sine**2)))
    dependent *= half / (2 * np.pi)
    dependent[~np.isfinite(a)], dependent[:, ~np.isfinite(b)] = 0.0, 0.0
    below = np.outer(scipy.special.ndtr(a), scipy.special.ndtr(b)) + dependent
    return np.asarray(np.maximum(np.diff(np.diff(below, axis=0), axis=1), 0.0))


def _lattice(points: int, dimensions: int) -> Float64:
    """Return evenly spread points of the unit cube, (points, dimensions): multiples of powers of a generalized ratio.

    References
    ----------
    Roberts. The unreasonable effectiveness of quasirandom sequences. 2018 (the root of x^(d+1) = x + 1).
    """
    ratio = 1.5
    for _ in range(40):
        ratio = (1 + ratio) ** (1 / (dimensions + 1))
    steps = ratio ** -np.arange(1.0, dimensions + 1)
    return np.asarray((0.5 + np.outer(np.arange(1, points + 1), steps)) % 1.0)


ESTIMATES = (copula,)
