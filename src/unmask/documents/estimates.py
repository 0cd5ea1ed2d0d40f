"""Numbers of documents: an estimate with its interval, and a measure of an attack."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import TypedDict

from unmask.estimate import Source

Infinite = Literal["infinite"]
"""How an infinite number is written, since JSON has none."""

Settings = dict[str, Any]
"""Parameters of an algorithm, by name."""


class EstimateJson(TypedDict):
    """A number, its 95 % interval, and where its uncertainty comes from."""

    value: float | None
    """The number; null where it is undefined, which is not zero: `why` has the reason."""
    low: float | None
    """Lower end of the 95 % interval; equal to `value` where the number is exact, null where there is no interval."""
    high: float | None
    """Upper end of the 95 % interval."""
    source: Source
    """Source of the uncertainty: `exact` (every person of the release was attacked), `monte carlo` (random draws of the
    attack), `sample` (some of the people), `sanitizer` (other releases by the same method), `people` (another
    population like this one)."""
    n: float | None
    """Number of people, or rows where the unit is rows, that the number is about."""
    why: str
    """Why `value` is null; empty where it is a number."""


class MeasureJson(EstimateJson):
    """A measure of an attacker's beliefs."""

    metric: str
    """Name of the metric, as `unmask list metrics` prints it."""
    threshold: float | None
    """Probability at which the metric counts; null where it has none."""
    higher_is_worse: bool
    """Whether a higher value is worse for the people of the table."""
