"""How many answers a person is still hidden among."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.arrays import Float64
from unmask.estimate import Estimate, Tally

NO_SINGLE = "there is no single release to compare with"


def possible(tally: Tally, name: str = "") -> Float64:
    """Count the values that are still believed possible, (cells,)."""
    rows = (tally.against[name] if name else tally.beliefs).rows
    return tally.per_row(np.bincount(rows.row[rows.data > 0], minlength=rows.n_rows).astype(np.float64), name)


def possible_before(tally: Tally) -> Float64 | None:
    """Count the values that the best single release leaves possible, (cells,); None where none is compared with."""
    single = [possible(tally, name) for name in tally.against if name.startswith("single ")]
    return np.asarray(np.min(single, axis=0)) if single else None


@dataclass(frozen=True)
class EffectiveAnonymity:
    """The number of values that remain possible for a person, on average.

    Measures
        The mean number of values v with `P(v) > 0`.

    References
    ----------
    Ganta, Kasiviswanathan, Smith. Composition attacks and auxiliary information in data privacy. KDD 2008, section 3.
    """

    name: ClassVar[str] = "effective-anonymity"
    higher_is_worse: ClassVar[bool] = False
    threshold: ClassVar[float | None] = None

    def measure(self, tally: Tally) -> Estimate:
        """Return the mean number of values."""
        return tally.mean(possible(tally))


@dataclass(frozen=True)
class AnonymityBefore:
    """The number of values that the best single release leaves possible, on average: what composition starts from.

    Measures
        The mean over people of the least number of values v with `P(v) > 0`, over the releases alone.
    """

    name: ClassVar[str] = "effective-anonymity-before"
    higher_is_worse: ClassVar[bool] = False
    threshold: ClassVar[float | None] = None

    def measure(self, tally: Tally) -> Estimate:
        """Return the mean number of values; undefined unless single releases are compared with."""
        before = possible_before(tally)
        return Estimate.undefined(NO_SINGLE, tally.n) if before is None else tally.mean(before)


@dataclass(frozen=True)
class AnonymityDrop:
    """How many values several releases rule out that no release alone does, on average.

    Measures
        The mean over people of the least number of values v with `P(v) > 0` over the releases alone, less that number
        for the judged beliefs.

    References
    ----------
    Ganta, Kasiviswanathan, Smith. Composition attacks and auxiliary information in data privacy. KDD 2008, section 3.
    """

    name: ClassVar[str] = "anonymity-drop"
    higher_is_worse: ClassVar[bool] = True
    threshold: ClassVar[float | None] = None

    def measure(self, tally: Tally) -> Estimate:
        """Return the mean number of values; undefined unless single releases are compared with."""
        before = possible_before(tally)
        return Estimate.undefined(NO_SINGLE, tally.n) if before is None else tally.mean(before - possible(tally))


@dataclass(frozen=True)
class Vulnerable:
    """The people of whom several releases together rule out a value that no release alone does.

    The paper's vulnerable population. Whoever one release exposes with certainty is not in it: there is nothing left
    to rule out. So it counts what composition does, and must stand beside those who were exposed already.

    Measures
        People for whom the number of values v with `P(v) > 0` falls below its least over the releases alone.

    References
    ----------
    Ganta, Kasiviswanathan, Smith. Composition attacks and auxiliary information in data privacy. KDD 2008, section 3.
    """

    name: ClassVar[str] = "vulnerable"
    higher_is_worse: ClassVar[bool] = True
    threshold: ClassVar[float | None] = None

    def measure(self, tally: Tally) -> Estimate:
        """Return the number of people; undefined unless single releases are compared with."""
        before = possible_before(tally)
        if before is None or tally.n == 0:
            return Estimate.undefined(NO_SINGLE, tally.n)
        return Estimate.exact(tally.by_person(possible(tally) < before), tally.n)


EXAMPLES = (EffectiveAnonymity(), AnonymityBefore(), AnonymityDrop(), Vulnerable())
