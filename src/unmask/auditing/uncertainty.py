"""Intervals for the randomness of an attack: every measure is repeated for each replicate of the beliefs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from unmask.beliefs import Beliefs
from unmask.estimate import Estimate, Metric, Tally
from unmask.wording import message

NO_REPLICATES = message("it was sampled, and no replicates say how far another seed may lead")
"""Why a measure of drawn beliefs is not defined: a number without its uncertainty would be taken for exact."""

STUDENT_95 = (
    12.706204736174694, 4.302652729749462, 3.1824463052837078, 2.7764451051977934, 2.5705818356363146,
    2.4469118511449786, 2.364624251592784, 2.306004135204166, 2.262157162798205, 2.228138851986274,
    2.200985160091639, 2.1788128296672284, 2.1603686564627913, 2.144786687917804, 2.131449545559776,
    2.1199052992212546, 2.1098155778333156, 2.1009220402410382, 2.0930240544083087, 2.085963447265864,
    2.0796138447276795, 2.0738730679040254, 2.0686576104190486, 2.0638985616280245, 2.0595385527532972,
    2.0555294386428735, 2.0518305164802846, 2.0484071417952454, 2.045229642132703, 2.0422724563012378,
)  # fmt: skip
"""Half-widths of Student's 95 % interval in standard errors, for 1, 2, ... degrees of freedom.

Attacks have fewer than 32 replicates, and SciPy's function takes a quarter of a second to load.
"""


@dataclass(frozen=True, eq=False)
class Replicates:
    """A tally with each replicate in turn, for one number of replicates: beliefs that have other numbers stay."""

    tally: Tally
    n: int

    @classmethod
    def of(cls, tally: Tally) -> tuple[Replicates, ...] | None:
        """Return the draws behind a tally, none where nothing was drawn; None where something was, without replicates.

        What is held against the beliefs is replaced with them, draw by draw, where it has as many replicates.
        """
        held = (tally.beliefs, *tally.against.values())
        if any(one.is_drawn and not one.replicates for one in held):
            return None
        return tuple(cls(tally, n) for n in sorted({len(one.replicates) for one in held} - {0}))

    @cached_property
    def alone(self) -> list[Tally]:
        """The tally of each replicate alone."""
        return [self._with(r, 1.0) for r in range(self.n)]

    @cached_property
    def near(self) -> list[Tally]:
        """The beliefs, moved towards each replicate by their standard error."""
        return [self._with(r, self.n**-0.5) for r in range(self.n)]

    def _with(self, r: int, weight: float) -> Tally:
        def drawn(one: Beliefs) -> Beliefs:
            return one.replicate(r, weight) if len(one.replicates) == self.n else one

        against = {name: drawn(one) for name, one in self.tally.against.items()}
        return replace(self.tally, beliefs=drawn(self.tally.beliefs), against=against)


def judge(metric: Metric, tally: Tally) -> Estimate:
    """Return the estimate, its interval widened by the attack's own randomness."""
    return judge_by(metric, tally, Replicates.of(tally))


def judge_by(metric: Metric, tally: Tally, draws: Sequence[Replicates] | None) -> Estimate:
    """Measure, and widen the interval by the attack's own randomness, of which the tally's draws are already made.

    Infers
        Each replicate of a sampler gives the metric once more; the mean of R replicates has the standard error of
        their spread over sqrt(R), and the interval is Student's at 95 % with R − 1 degrees of freedom. A count of
        people at a level jumps, and one replicate errs by more than all: so it is taken R times of the beliefs moved
        by a replicate's difference over sqrt(R), and the standard error is the root mean square of what changes. Where
        beliefs and control have other numbers of replicates, half-widths are added up. An interval that the metric
        has of its own is widened, variances added.
    """
    estimate = metric.measure(tally)
    if estimate.value is None:
        return estimate
    if draws is None:
        return Estimate.undefined(NO_REPLICATES, estimate.n)
    half = 0.0
    for one in draws:
        counts = metric.threshold is not None
        values = [metric.measure(drawn).value for drawn in (one.near if counts else one.alone)]
        known = [value for value in values if value is not None]
        if len(known) < len(values):
            return Estimate.undefined(message("not all replicates of what was sampled define it"), estimate.n)
        half += half_width(known, estimate.value) if counts else half_width(known)
    return _widened(estimate, half) if draws else estimate


def over_replicates(estimate: Estimate, values: Sequence[float]) -> Estimate:
    """Widen the interval of a number by how far it differs from replicate to replicate: Student's, at 95 %."""
    return estimate if estimate.value is None or len(values) < 2 else _widened(estimate, half_width(values))


def _widened(estimate: Estimate, half: float) -> Estimate:
    """Widen an interval by the attack's own randomness; what it is about besides stays its source."""
    if estimate.value is None:
        return estimate
    if estimate.source == "exact" or estimate.low is None or estimate.high is None:
        return replace(estimate, low=estimate.value - half, high=estimate.value + half, source="monte carlo")
    below, above = (float(np.hypot(end - estimate.value, half)) for end in (estimate.low, estimate.high))
    return replace(estimate, low=estimate.value - below, high=estimate.value + above)


def half_width(values: Sequence[float], around: float | None = None) -> float:
    """Return half the width of Student's 95 % interval for the mean of values, two at least.

    `around` a number: of values that each differ from it by a standard error. Values that all agree have width 0, such
    as a count at a level that no replicate crosses: the estimate keeps the source "monte carlo", it is not exact.
    """
    if not np.isfinite(values).all():
        return float("inf")
    n = len(values)
    if around is None:
        error = float(np.std(values, ddof=1)) / np.sqrt(n)
    else:
        error = float(np.sqrt(np.sum((np.asarray(values) - around) ** 2) / (n - 1)))
    return float(error * _student_95(n - 1))


def _student_95(freedom: int) -> float:
    if freedom <= len(STUDENT_95):
        return STUDENT_95[freedom - 1]
    from scipy import special  # noqa: PLC0415 - see above

    return float(special.stdtrit(freedom, 0.975))
