"""How many answers a person is still hidden among."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.arrays import Float64
from unmask.estimate import Estimate, Tally


def possible(tally: Tally, name: str = "") -> Float64:
    """Count the values that are still believed possible, (cells,)."""
    rows = (tally.against[name] if name else tally.beliefs).rows
    return tally.per_row(np.bincount(rows.row[rows.data > 0], minlength=rows.n_rows).astype(np.float64), name)


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
        single = [name for name in tally.against if name.startswith("single ")]
        if not single:
            return Estimate.undefined("there is no single release to compare with", tally.n)
        return tally.mean(np.min([possible(tally, name) for name in single], axis=0))


EXAMPLES = (EffectiveAnonymity(), AnonymityBefore())
