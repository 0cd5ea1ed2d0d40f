"""Statistical assertions that keep their false-alarm rate.

A random result can miss its expected value by chance. Each function here
computes the probability of a miss at least as large as the one seen, if the
claim is true (the p-value), and raises `AssertionError` where that is at most
`alpha`. A correct program is therefore accused at most at the rate `alpha`,
which the caller states. The p-value is returned; with `alpha=0` nothing is
asserted until `holm` has seen all p-values together.

A miss in a seeded test repeats: draw another seed only to learn whether it was
chance, never to make it go away.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

SMALLEST_BIN = 5
"""Expected ranks per bin from which the chi-square distribution is close enough to the statistic's own."""

Side = Literal["both", "at least", "at most"]


def proportion_within(successes: int, n: int, expected: float, alpha: float, *, side: Side = "both") -> float:
    """Assert that `successes` of `n` agree with the proportion `expected`; return the p-value.

    Under `side="at least"` the claim is that the proportion is `expected` or
    more, and only too few successes speak against it; `"at most"` mirrors that.

    Assumes
        Independent trials, each a success with the same probability.
    Measures
        The exact binomial p-value; of both sides, the total probability of all
        counts that are no likelier than the one seen. Counts are discrete, so
        the false-alarm rate is at most `alpha`, and for small `n` well below.
    Fails
        With `ValueError` for counts or a proportion that cannot be.

    References
    ----------
    Clopper and Pearson. The use of confidence or fiducial limits illustrated in
    the case of the binomial. Biometrika 1934.
    """
    _require_rate(alpha)
    alternative = {"both": "two-sided", "at least": "less", "at most": "greater"}[side]
    p = float(stats.binomtest(int(successes), int(n), expected, alternative=alternative).pvalue)
    claim = f"{'' if side == 'both' else side + ' '}{expected:.6g}"
    return _judge(p, alpha, f"the proportion must be {claim}; got {successes} of {n} ({successes / n:.6g})")


def mean_zero(values: ArrayLike, alpha: float, *, sd: float | None = None) -> float:
    """Assert that independent values have mean zero; return the p-value.

    Give `sd` where theory knows the standard deviation of one value: 1 for
    z-scores. Otherwise it is estimated, and Student's t pays for the estimate.

    Assumes
        Independent values, either normal or so many that their mean is.
    Measures
        Both sides of ``mean / (sd / sqrt(n))``.
    Fails
        With `ValueError` for fewer than two values, values that are not finite
        (which no comparison would ever catch), or an `sd` that is not positive.
    """
    _require_rate(alpha)
    x = np.asarray(values, dtype=np.float64).ravel()
    if x.size < 2 or not np.isfinite(x).all():
        raise ValueError(f"the values must be at least two, and finite; got {x.size}")
    if sd is not None and not 0 < sd < np.inf:
        raise ValueError(f"the standard deviation must be positive; got {sd}")
    if sd is None and x.min() == x.max():  # no spread to estimate: zero, or certainly not
        return _judge(float(x[0] == 0), alpha, f"the mean must be 0; all values are {x[0]:.6g}")
    mean, spread = float(x.mean()), float(x.std(ddof=1)) if sd is None else sd
    z = abs(mean) / (spread / x.size**0.5)
    p = 2 * float(stats.t.sf(z, x.size - 1) if sd is None else stats.norm.sf(z))
    return _judge(
        p, alpha, f"the mean must be 0; got {mean:.6g}, which is {z:.3g} standard errors over {x.size} values"
    )


def uniform_ranks(ranks: ArrayLike, draws: int, bins: int, alpha: float) -> float:
    """Assert that ranks are uniform on ``0 … draws``; return the p-value.

    This is how simulation-based calibration judges a sampler. Draw a parameter
    from the prior and data given the parameter; then the parameter's rank among
    `draws` independent posterior draws (how many are smaller) is uniform. Ranks
    heaped in the middle tell of beliefs too wide, at both ends of beliefs too
    sure, at one end of a bias.

    Assumes
        Independent ranks, and ties broken at random: a discrete parameter that
        counts ties as smaller is not uniform.
    Measures
        Pearson's chi-square over `bins` equal bins, with ``bins - 1`` degrees
        of freedom. The rate is `alpha` up to the usual approximation, which the
        tests of this file measure.
    Fails
        With `ValueError` where the bins do not divide ``draws + 1``, or a bin
        expects fewer than five ranks, or a rank is not a whole number in range.

    References
    ----------
    Talts, Betancourt, Simpson, Vehtari and Gelman. Validating Bayesian inference
    algorithms with simulation-based calibration. arXiv 1804.06788, 2018.
    """
    _require_rate(alpha)
    x = np.asarray(ranks).ravel()
    if bins < 2 or (draws + 1) % bins:
        raise ValueError(f"the bins must be two or more and divide the {draws + 1} possible ranks; got {bins}")
    if x.size < SMALLEST_BIN * bins:
        raise ValueError(f"the ranks must be at least {SMALLEST_BIN} a bin, {SMALLEST_BIN * bins} in all; got {x.size}")
    if not np.issubdtype(x.dtype, np.integer) or x.min() < 0 or x.max() > draws:
        raise ValueError(f"the ranks must be whole numbers from 0 to {draws}; got {x.min()} to {x.max()}")
    seen = np.bincount(x // ((draws + 1) // bins), minlength=bins)
    p = float(stats.chisquare(seen).pvalue)
    return _judge(p, alpha, f"the ranks must be uniform over {bins} bins; got {seen.tolist()}")


def holm(pvalues: Sequence[float], alpha: float) -> list[bool]:
    """Return which claims are rejected, when *any* false alarm among all of them may occur at the rate `alpha`.

    The smallest of m p-values has to reach ``alpha / m``, the next ``alpha / (m - 1)``,
    and so on; the first that does not ends it. Valid however the claims depend on one
    another, and never weaker than dividing `alpha` by m throughout.

    Fails
        With `ValueError` for a p-value outside of ``[0, 1]``, or none at all.

    References
    ----------
    Holm. A simple sequentially rejective multiple test procedure. Scandinavian
    Journal of Statistics 1979.
    """
    _require_rate(alpha)
    p = np.asarray(pvalues, dtype=np.float64)
    if p.size == 0 or not ((p >= 0) & (p <= 1)).all():
        raise ValueError(f"the p-values must be one or more numbers between 0 and 1; got {p.size}")
    order = np.argsort(p, kind="stable")
    reached = p[order] <= alpha / np.arange(p.size, 0, -1)
    rejected = np.zeros(p.size, np.bool_)
    rejected[order] = np.logical_and.accumulate(reached)
    return [bool(value) for value in rejected]


def _require_rate(alpha: float) -> None:
    if not 0 <= alpha < 1:
        raise ValueError(f"the false-alarm rate must be in [0, 1); got {alpha}")


def _judge(p: float, alpha: float, sentence: str) -> float:
    """Raise if the p-value speaks against the claim; with `alpha` 0 leave the judgment to the caller."""
    if alpha > 0 and not p > alpha:  # "not >" also catches a p-value that is no number
        raise AssertionError(f"{sentence}. By chance this happens at a rate of {p:.3g}; the limit is {alpha:.3g}")
    return p
