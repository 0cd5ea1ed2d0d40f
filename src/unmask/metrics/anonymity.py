"""Effective anonymity: the number of values that remain possible for a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.arrays import Float64
from unmask.estimate import Estimate, Tally
from unmask.wording import message

NO_SINGLE = message("there is no single release to compare with")


def possible(tally: Tally, name: str = "") -> Float64:
    """Return the number of values with positive posterior, (cells,)."""
    rows = (tally.against[name] if name else tally.beliefs).rows
    return tally.per_row(np.bincount(rows.row[rows.data > 0], minlength=rows.n_rows).astype(np.float64), name)


def possible_before(tally: Tally) -> Float64 | None:
    """Return the number of values that the best single release leaves possible, (cells,); None if there is none."""
    single = [possible(tally, name) for name in tally.against if name.startswith("single ")]
    return np.asarray(np.min(single, axis=0)) if single else None


@dataclass(frozen=True)
class EffectiveAnonymity:
    """The mean number of values that remain possible for a person.

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
    """The mean number of values that the best single release leaves possible, before composition.

    Measures
        The mean over people of the least number of values v with `P(v) > 0` over the single releases.
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
    """The mean number of values that several releases together rule out and no single release does.

    Measures
        The mean over people of the least number of values v with `P(v) > 0` over the single releases, minus that
        number for the judged posterior.

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
    """The number of people for whom several releases together rule out a value that no single release does.

    This is the vulnerable population of the paper. It excludes people whom one release exposes with certainty: nothing
    is left to rule out. So it counts the effect of composition alone; read it together with `exposed-already`.

    Measures
        People for whom the number of values v with `P(v) > 0` falls below its minimum over the single releases.

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
