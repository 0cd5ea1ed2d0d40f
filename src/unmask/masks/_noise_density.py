"""The density of a number with noise, given the true value, and over all people.

All densities are logarithms, up to the height of the noise at zero, which is the same for every number of a column.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unmask.arrays import DENSE_CELLS, Float64
from unmask.release import Noise
from unmask.schema import Numeric

_MOST = 512
"""The largest number of distinct true values."""

_ROUNDS, _GAIN = 1_000, 1e-9


def within(values: Float64, domain: Numeric) -> Float64:
    """Return true values clipped to the declared range, as the publisher does; infinity is unchanged."""
    moved = np.clip(
        values, -np.inf if domain.low is None else domain.low, np.inf if domain.high is None else domain.high
    )
    return np.where(np.isfinite(values), moved, values)


def log_baseline(published: Float64, people: Float64, noise: Noise, domain: Numeric, *, pooled: bool) -> Float64:
    """Return the log density of each number over all people, (lines,); NaN where missing.

    Infers
        `log Σ_x π(x) exp(−|published − x| / scale)`, over the declared range, else over the published range. Where
        `pooled`, π is the maximum likelihood estimate from the published numbers, by expectation maximization from a
        uniform start; noise blurs it, but the sum is insensitive to that. Otherwise π is uniform.

    References
    ----------
    Agrawal, Aggarwal. On the design and quantification of privacy preserving data mining algorithms. PODS 2001.
    """
    known = ~np.isnan(published)
    result = np.full(published.size, np.nan)
    if not known.any():
        return result
    axis = _Axis.of(published[known], domain)
    share = np.full(axis.middle.size, 1.0 / axis.middle.size)
    if pooled and people[known].sum() > 0:
        share = _likeliest(axis, published[known], people[known], noise.scale)
    distinct, number = np.unique(published[known], return_inverse=True)
    result[known] = _mixed(distinct, axis, share, noise.scale)[number.ravel()]
    return result


@dataclass(frozen=True, slots=True)
class _Axis:
    """The distinct true values: points, or intervals with uniform density."""

    middle: Float64  # (values,) rising, at equal distances
    width: float  # of an interval; 0: points

    @classmethod
    def of(cls, published: Float64, domain: Numeric) -> _Axis:
        """Return the declared range, else the published one, cut at its steps where these are few."""
        low = float(published.min()) if domain.low is None else domain.low
        high = max(low, float(published.max()) if domain.high is None else domain.high)
        n = _MOST + 1 if domain.step is None else round((high - low) / domain.step) + 1
        if n <= _MOST or low == high:
            return cls(np.asarray(np.linspace(low, high, n if low < high else 1), np.float64), 0.0)
        width = (high - low) / _MOST
        return cls(np.asarray(low + width * (np.arange(_MOST) + 0.5), np.float64), width)

    def density(self, published: Float64, scale: float) -> tuple[Float64, Float64]:
        """Return `exp(−|published − x| / scale)`, (published, values), the mean over an interval, and its scaling.

        The scaling is a logarithm, (published,): far beyond the range the density would vanish.
        """
        far = np.abs(published[:, None] - self.middle)
        out = np.maximum(far - self.width / 2, 0.0) / scale
        lift = -out.min(axis=1)
        near = np.exp(-lift[:, None] - out)
        if self.width == 0:
            return near, lift
        part = self.width / scale
        ends = np.exp(-(self.width / 2 + far) / scale) + np.exp(-np.maximum(self.width / 2 - far, 0.0) / scale)
        return np.where(out > 0, near * -np.expm1(-part), 2 - ends) / part, lift


def _likeliest(axis: _Axis, published: Float64, people: Float64, scale: float) -> Float64:
    """Return the maximum likelihood distribution of true values, (values,).

    A number beyond the range is evidence for each true value as the end of the range is. So it is counted there, and
    the sums have no more terms than the axis has values, however many people there are.
    """
    n = axis.middle.size
    if n == 1:
        return np.ones(1)
    apart = axis.middle[1] - axis.middle[0]
    place = np.clip(np.rint((published - axis.middle[0]) / apart), 0, n - 1).astype(np.int64)
    weight = np.bincount(place, people, n) / people.sum()
    occupied = np.flatnonzero(weight)
    kernel, _ = axis.density(axis.middle[occupied], scale)
    share, before, weight = np.full(n, 1.0 / n), -np.inf, weight[occupied]
    for _ in range(_ROUNDS):
        mixed = kernel @ share
        share *= (weight / mixed) @ kernel
        share /= share.sum()
        reached = float(weight @ np.log(mixed))
        if reached - before < _GAIN:
            break
        before = reached
    return share


def _mixed(published: Float64, axis: _Axis, share: Float64, scale: float) -> Float64:
    result = np.empty(published.size)
    step = max(1, DENSE_CELLS // axis.middle.size)
    for first in range(0, published.size, step):
        near, lift = axis.density(published[first : first + step], scale)
        result[first : first + step] = np.log(near @ np.maximum(share, np.finfo(float).tiny)) + lift
    return result
