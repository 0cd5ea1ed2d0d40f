"""What δ-disclosure privacy promises: belief in no value grows by more than a factor of 2 to the δ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.beliefs import About
from unmask.guarantees.guarantee import Promise, read_off
from unmask.models.delta_disclosure import DeltaDisclosure
from unmask.release import Release


@dataclass(frozen=True)
class DeltaDisclosurePromise:
    """Read δ off the group in which some value is most over- or underrepresented.

    Assumes
        One release; the attacker believes beforehand what the whole release shows, and within a group every assignment
        of values to people is equally likely to them.
    Promises
        `belief-gain ≤ 2^δ − 1`, where the gain is (belief − prior) / prior of any value; and, which no measure here
        asks for, that no value's belief falls below 2^−δ of what it was. Where a group lacks a value of the table, δ
        is infinite, and nothing is promised. Of one release β-likeness never promises less of the gain: it looks at
        that side alone.

    References
    ----------
    Brickell, Shmatikov. The cost of privacy: destruction of data-mining utility in anonymized data publishing.
    KDD 2008.
    """

    name: ClassVar[str] = "delta-disclosure"

    def promises(self, releases: Sequence[Release], about: About) -> Promise | None:
        """Return the promise about an attribute of one release."""
        limit_and_shares = read_off(DeltaDisclosure(), releases, about)
        if limit_and_shares is None:
            return None
        delta, overall = limit_and_shares
        if np.isinf(delta):
            return None
        gain = float(np.exp2(delta) - 1)
        most = float(overall.sum() / overall[overall > 0].min() - 1)
        assumes = (
            f"{self.name} with δ = {delta:.4g}: beliefs start from the whole release, within a group every assignment "
            f"is equally likely, and this is the only release"
        )
        return Promise(self.name, "belief-gain", gain, assumes, vacuous=gain >= most)


EXAMPLES = (DeltaDisclosurePromise(),)
