"""Epsilon audit: a lower bound on ε from many runs of a mechanism on two neighboring tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unmask.arrays import Float64, Int64
from unmask.errors import InvalidInputError
from unmask.neighboring_relation import Change
from unmask.number_format import numeral
from unmask.wording import message

CANDIDATES = 200
"""Candidate thresholds, at quantiles of the scores."""

LUCK = 50
"""Factor by which the level is stricter when the event is chosen, so that rare events are not chosen by chance.

Noise halved, 2,000 runs, ε = .2: refuted in 63 % of audits at 1, 82 % at 50. Ten times stricter is worse for small ε.
"""

FEWEST = 20
"""Least number of runs on each table; half of them choose the event."""


@dataclass(frozen=True, slots=True)
class EpsilonBound:
    """A lower bound on ε, with its event and the counts of the event.

    A `low` of 0 is no proof of privacy. The event was chosen on other runs than those counted here.
    """

    low: float
    level: float
    event: str
    often: int  # of `judged` runs on the table under which the event is the likelier
    rarely: int  # of as many on the other
    judged: int
    delta: float = 0.0

    def refutes(self, epsilon: float) -> bool:
        """Whether a claimed ε is refuted; a true claim is refuted with probability at most 1 − level."""
        return self.low > epsilon


def lower_bound(
    first: Float64,
    second: Float64,
    *,
    delta: float = 0.0,
    level: float = 0.95,
    names: Sequence[str] = ("score",),
) -> EpsilonBound:
    """Return a lower bound on ε from scores of the releases of two neighboring tables, one or several a run.

    Under (ε, δ) no event is more likely by a factor above e^ε, up to δ. So an event that is frequent under one table
    and rare under the other refutes every smaller ε.

    Assumes
        Independent runs, (runs,) or (runs, scores) each. Any score of a release is valid; the better it distinguishes
        the tables, the higher is the bound.
    Infers
        Of the events "score at least t" and "at most t", of any score, under either table, the one with the highest
        bound on the first half of the runs, at a stricter level. On the second half `ln((p − δ) / q)`, where p
        and q are Clopper–Pearson limits of the two probabilities, each at half of 1 − level.
    Fails
        With `InvalidInputError` for fewer than 20 runs, or scores that are no numbers. Infinite scores are fine.

    References
    ----------
    Ding, Wang, Wang, Zhang, Kifer. Detecting violations of differential privacy. CCS 2018.
    Clopper, Pearson. The use of confidence or fiducial limits illustrated in the case of the binomial. Biometrika 1934.
    """
    first, second = (np.asarray(one, np.float64) for one in (first, second))
    first, second = (one[:, None] if one.ndim == 1 else one for one in (first, second))
    if first.shape != second.shape or first.ndim != 2 or first.shape[0] < FEWEST:
        msg = message(
            "an audit of ε must have {least} runs or more, as many for either table; got {one}, {other}",
            least=FEWEST,
            one=first.shape[0],
            other=second.shape[0],
        )
        raise InvalidInputError(msg)
    if first.shape[1] != len(names):
        raise ValueError(f"{len(names)} names for {first.shape[1]} scores")
    if np.isnan(first).any() or np.isnan(second).any():
        msg = message("scores must be numbers; got NaN")
        raise InvalidInputError(msg)
    if not 0 < level < 1 or not 0 <= delta < 1:
        msg = message(
            "level must lie between 0 and 1, and delta be at least 0 and below 1; got {level} and {delta}",
            level=level,
            delta=delta,
        )
        raise InvalidInputError(msg)
    half = first.shape[0] // 2
    strict = 1 - (1 - level) / LUCK
    events = [_Event.of(first[:half, i], second[:half, i], delta, strict) for i in range(len(names))]
    best = max(range(len(names)), key=lambda i: events[i].bound)
    return events[best].judged(first[half:, best], second[half:, best], names[best], delta, level)


@dataclass(frozen=True, slots=True)
class _Event:
    """The event that distinguishes two tables best: a score of at least a threshold, or at most."""

    threshold: float
    at_least: bool
    swapped: bool  # likelier under the second table
    bound: float  # on the runs that chose it

    @classmethod
    def of(cls, first: Float64, second: Float64, delta: float, level: float) -> _Event:
        """Choose the event with the highest bound."""
        seen = np.sort(np.concatenate([first, second]))
        threshold = np.unique(seen[np.linspace(0, seen.size - 1, CANDIDATES).astype(np.int64)])
        one, other = _hits(first, threshold), _hits(second, threshold)
        n = first.size
        found = np.stack([_bound(one, other, n, delta, level), _bound(other, one, n, delta, level)])
        swapped, event = np.unravel_index(int(found.argmax()), found.shape)
        at_least = bool(event < threshold.size)
        return cls(float(threshold[event % threshold.size]), at_least, bool(swapped), float(found[swapped, event]))

    def judged(self, first: Float64, second: Float64, name: str, delta: float, level: float) -> EpsilonBound:
        """Return the bound by other runs."""
        place = 0 if self.at_least else 1
        often, rarely = (int(_hits(scores, np.array([self.threshold]))[place]) for scores in (first, second))
        if self.swapped:
            often, rarely = rarely, often
        low = float(_bound(np.array([often]), np.array([rarely]), first.size, delta, level)[0])
        sign = "≥" if self.at_least else "≤"
        under = message("the other table") if self.swapped else message("the first table")
        event = message(
            "{name} {sign} {threshold}, likelier under {table}",
            name=name,
            sign=sign,
            threshold=numeral(self.threshold, ".6g"),
            table=under,
        )
        return EpsilonBound(max(low, 0.0), level, event, often, rarely, first.size, delta)


def power_against_halved_noise(
    epsilon: float, runs: int, *, level: float = 0.95, change: Change = "add-remove"
) -> float:
    """Return how probably an audit refutes ε where Laplace noise has half the scale that ε asks for.

    Infers
        The noise keeps 2 ε in truth. Exact binomial probabilities for the best threshold of the noisy number itself,
        which changes by 1; where a record replaces another, of the difference of two noisy numbers of twice the scale,
        which changes by 2. It is what an audit can reach that chooses well, with so many runs on either table.
    """
    from scipy import stats  # noqa: PLC0415 - slow to load, and only audits need it

    judged = runs - runs // 2
    count = np.arange(judged + 1)
    low, high = _limits(count, judged, level)
    enough = np.searchsorted(high, low * np.exp(-epsilon), side="left") - 1  # so rare must the event be under the other
    tail, scale, shift = (_tail, 1 / (2 * epsilon), 1.0) if change == "add-remove" else (_tail_of_two, 1 / epsilon, 2.0)
    best = 0.0
    for threshold in np.linspace(0, shift + (4 if change == "add-remove" else 6) * scale, 60):
        often, rarely = (tail((threshold - moved) / scale) for moved in (shift, 0.0))
        refuted = stats.binom.pmf(count, judged, often) * stats.binom.cdf(enough, judged, rarely)
        best = max(best, min(float(refuted.sum()), 1.0))
    return best


def _tail(x: float) -> float:
    """Return the probability that Laplace noise of scale 1 is above a number."""
    return 0.5 * math.exp(-x) if x >= 0 else 1 - 0.5 * math.exp(x)


def _tail_of_two(x: float) -> float:
    """Return the probability that the difference of two independent ones is above a number."""
    return 0.25 * (2 + x) * math.exp(-x) if x >= 0 else 1 - 0.25 * (2 - x) * math.exp(x)


def _hits(scores: Float64, threshold: Float64) -> Int64:
    """Count scores of at least each threshold, then scores of at most each, (2 · thresholds,)."""
    ordered = np.sort(scores)
    at_least = scores.size - np.searchsorted(ordered, threshold, side="left")
    return np.concatenate([at_least, np.searchsorted(ordered, threshold, side="right")])


def _bound(often: Int64, rarely: Int64, n: int, delta: float, level: float) -> Float64:
    low, high = _limits(often, n, level)[0], _limits(rarely, n, level)[1]
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(low - delta, 0.0)) - np.log(high)


def _limits(hits: Int64, n: int, level: float) -> tuple[Float64, Float64]:
    """Return a lower and an upper limit of the probability, each wrong at most at the rate (1 − level) / 2."""
    from scipy import special  # noqa: PLC0415 - slow to load, and only audits need it

    alpha = (1 - level) / 2
    low = np.where(hits > 0, special.betaincinv(np.maximum(hits, 1), n - hits + 1, alpha), 0.0)
    high = np.where(hits < n, special.betaincinv(hits + 1, np.maximum(n - hits, 1), 1 - alpha), 1.0)
    return low, high
