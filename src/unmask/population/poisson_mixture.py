"""Poisson mixture estimator of population uniques, averaged over models of key rates."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy

from unmask.arrays import Float64, Int64
from unmask.estimate import Estimate
from unmask.wording import marked, message

_POINTS = 600
"""Points of the logarithmic grid of rates over which distributions are integrated."""

_COUNTED_TO = 150
"""Key size above which the density at the observed rate approximates the likelihood."""

_STEP = 1e-2
"""Step of the parameters for the curvature of the likelihood."""

_FARTHEST, _NEVER = 60.0, 1e12
"""Penalty of parameters out of bounds, and of distributions that cannot produce the sample."""

_VAGUE = 2.0
"""Largest standard error of the logarithm of uniques (a factor of 50 either way); beyond, no estimate is given."""

_ENOUGH = 20
"""Least number of keys for a fit."""

_NEGLIGIBLE_SHARE = 1e-3
"""Share of the population: an interval below it may span any factor."""


@dataclass(frozen=True, slots=True)
class _Law:
    """A distribution of key rates: the logarithm of a density over log-rates x, up to a constant."""

    name: str
    density: Callable[[Float64, Float64], Float64]  # of x, with these parameters
    starts: tuple[tuple[float, ...], ...]


def _log_normal(x: Float64, p: Float64) -> Float64:
    return np.asarray(-0.5 * ((x - p[0]) * np.exp(-p[1])) ** 2)


def _gamma(x: Float64, p: Float64) -> Float64:
    return np.asarray(np.exp(p[0]) * x - np.exp(x + p[1]))


def _inverse_gaussian(x: Float64, p: Float64) -> Float64:
    return np.asarray(p[0] * x - np.exp(x + p[1]) - np.exp(p[2] - x))


_LAWS = (
    _Law(marked("log-normal"), _log_normal, ((0.0, 0.0), (1.0, 0.7), (-2.0, 1.0))),
    _Law(marked("gamma"), _gamma, ((0.0, 0.0), (-2.0, -3.0))),
    _Law(
        marked("generalized inverse Gaussian"),
        _inverse_gaussian,
        ((0.0, 0.0, -2.0), (-0.7, -5.0, -2.0), (-0.5, -3.0, -3.0)),
    ),
)


def poisson_mixture(size: Int64, n_keys: Int64, population: float) -> Estimate:
    """Estimate the number of population uniques from the number of sample keys of each size, (sizes,).

    A key combines many attributes, each of which multiplies its rate by a factor: rates span orders of magnitude, and
    the logarithm of the rate has a simple distribution.

    Assumes
        The number of people of a key is Poisson with a rate of its own; rates follow a log-normal, a gamma or a
        generalized inverse Gaussian distribution; each person is drawn with the same probability.
    Infers
        The parameters of each distribution by maximum likelihood from the sample's keys; uniques = keys ·
        E[rate e^−rate]; and the average over distributions by Akaike weights. The 95 % interval covers the error of
        each fit (normal approximation of the likelihood) and the differences between distributions.
    Fails
        Undefined if all people of the sample are unique, for fewer than 20 keys, or where the interval would span a
        factor of fifty either way and more than a thousandth of the population.

    References
    ----------
    Skinner, Holmes. Modelling population uniqueness. International Seminar on Statistical Confidentiality 1993.
    Sichel. On a distribution law for word frequencies. JASA 1975. Hoshino. Random clustering based on the conditional
    inverse Gaussian-Poisson distribution. Journal of the Japan Statistical Society 2003. Burnham, Anderson. Model
    selection and multimodel inference. Springer 2002.
    """
    sizes, counts = size.astype(np.float64), n_keys.astype(np.float64)
    people = float(sizes @ counts)
    if people == 0 or size[0] != 1:
        return Estimate(0.0, n=people, source="sample", why=message("the sample has no uniques"))
    share = people / population
    if share >= 1:
        return Estimate.exact(float(counts[0]), people)
    if size[-1] == 1:
        return Estimate.undefined(message("all people of the sample are unique"), people)
    if counts.sum() < _ENOUGH:
        return Estimate.undefined(message("the sample must have {n} keys for a law to be fitted", n=_ENOUGH), people)
    keys = _Sample.of(sizes, counts, share)
    fits = [keys.fitted(law) for law in _LAWS]
    aic = np.array([fit.aic for fit in fits])
    weight = np.exp(-0.5 * (aic - aic.min()))
    weight /= weight.sum()
    logs = np.array([fit.log_uniques for fit in fits])
    mean = float(weight @ logs)
    spread = float(weight @ np.sqrt(np.array([fit.variance for fit in fits]) + (logs - mean) ** 2))
    value, low, high = (min(math.exp(min(mean + z * spread, 700.0)), population) for z in (0.0, -1.96, 1.96))
    if not (spread < _VAGUE or high < _NEGLIGIBLE_SHARE * population):
        return Estimate.undefined(message("the sample is too small to tell which law the rates of keys follow"), people)
    best = fits[int(aic.argmin())].law
    return Estimate(value, low, high, people, "sample", message("{law} rates fit best", law=message(best)))


@dataclass(frozen=True, slots=True)
class _Fit:
    law: str
    aic: float
    log_uniques: float
    variance: float  # of this logarithm


@dataclass(frozen=True, slots=True, eq=False)
class _Sample:
    """The keys of a sample, prepared for the likelihood of any distribution of (population) rates."""

    counts: Float64  # (sizes,) keys
    x: Float64  # (points + large sizes,) logarithms of rates: a grid, then the observed rates of large keys
    step: float  # of the grid
    chance: Float64  # (small sizes, points) of a key's size in the sample, by its rate
    shows: Float64  # (points,) the probability that a key occurs in the sample
    alone: Float64  # (points,) the probability that a key has one person in the population
    large: Float64  # (large sizes,)

    @classmethod
    def of(cls, sizes: Float64, counts: Float64, share: float) -> _Sample:
        """Prepare a grid of rates, from near zero to twice the largest."""
        x, step = np.linspace(math.log(1e-4), math.log(2 * sizes[-1] / share) + 1, _POINTS, retstep=True)
        drawn = share * np.exp(x)
        small, large = sizes[sizes <= _COUNTED_TO][:, None], sizes[sizes > _COUNTED_TO]
        return cls(
            counts,
            np.concatenate([x, np.log(large / share)]),
            float(step),
            np.exp(small * np.log(drawn) - drawn - scipy.special.gammaln(small + 1)),
            -np.expm1(-drawn),
            np.exp(x - np.exp(x)),
            large,
        )

    def fitted(self, law: _Law) -> _Fit:
        """Fit a distribution by maximum likelihood."""
        how = {"maxiter": 2000, "xatol": 1e-5, "fatol": 1e-5}
        found = [scipy.optimize.minimize(self._loss, start, (law,), "Nelder-Mead", options=how) for start in law.starts]
        best = min(found, key=lambda one: float(one.fun))
        at = np.asarray(best.x, np.float64)
        gradient, curvature = np.zeros(at.size), np.zeros((at.size, at.size))
        steps = _STEP * np.eye(at.size)
        for i, up in enumerate(steps):
            gradient[i] = (self._log_uniques(at + up, law) - self._log_uniques(at - up, law)) / (2 * _STEP)
            for j, right in enumerate(steps):
                corners = (at + up + right, at + up - right, at - up + right, at - up - right)
                loss = [self._loss(corner, law) for corner in corners]
                curvature[i, j] = (loss[0] - loss[1] - loss[2] + loss[3]) / (4 * _STEP**2)
        log_uniques = self._log_uniques(at, law)
        variance = float(gradient @ np.linalg.pinv(curvature, rcond=1e-9, hermitian=True) @ gradient)
        own = 1 / self.counts.sum() + math.exp(
            -max(log_uniques, 0.0)
        )  # probabilities that keys occur in the sample, and are unique
        return _Fit(law.name, 2 * float(best.fun) + 2 * at.size, log_uniques, max(variance, 0.0) + own)

    def _density(self, parameters: Float64, law: _Law) -> tuple[Float64, Float64]:
        """Return the share of keys at each point of the grid, and the density at the rates of large keys."""
        log = law.density(self.x, parameters)
        n = self.alone.size
        relative = np.exp(log - log[:n].max())
        total = relative[:n].sum()
        return relative[:n] / total, relative[n:] / (total * self.step)

    def _loss(self, parameters: Float64, law: _Law) -> float:
        """Return the negative log-likelihood of the keys' sizes, given that the keys occur in the sample."""
        if np.abs(parameters).max() > _FARTHEST:
            return _NEVER
        share, beyond = self._density(parameters, law)
        chance = np.concatenate([self.chance @ share, beyond / self.large]) / (self.shows @ share)
        if not (chance > 0).all():
            return _NEVER
        return -float(self.counts @ np.log(chance))

    def _log_uniques(self, parameters: Float64, law: _Law) -> float:
        share, _ = self._density(parameters, law)
        return math.log(self.counts.sum() * max(self.alone @ share, 1e-300) / (self.shows @ share))


ESTIMATES = (poisson_mixture,)
