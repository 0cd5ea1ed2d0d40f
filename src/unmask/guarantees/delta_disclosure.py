"""The guarantee of δ-disclosure privacy: no posterior exceeds 2^δ times its prior."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.beliefs import About
from unmask.guarantees.guarantee import Promise, read_off
from unmask.models.delta_disclosure import DeltaDisclosure
from unmask.number_format import numeral
from unmask.release import Release
from unmask.wording import joined, message


@dataclass(frozen=True)
class DeltaDisclosurePromise:
    """Bound the change of every posterior by a factor 2^δ, the most extreme ratio of shares in any group.

    Assumes
        One release; the attacker's prior is the distribution in the whole release; within a group every assignment of
        values to people is equally likely.
    Promises
        `belief-gain ≤ 2^δ − 1`, where the gain is (belief − prior) / prior of any value; and, which no measure here
        uses, that no posterior falls below 2^−δ of its prior. Where a group lacks a value of the table, δ is infinite,
        and there is no guarantee. For one release β-likeness never bounds the gain less tightly: it covers only that
        side.

    References
    ----------
    Brickell, Shmatikov. The cost of privacy: destruction of data-mining utility in anonymized data publishing.
    KDD 2008.
    """

    name: ClassVar[str] = "delta-disclosure"

    def promises(self, releases: Sequence[Release], about: About) -> Promise | None:
        """Return the promise about an attribute of one release, or None."""
        limit_and_shares = read_off(DeltaDisclosure(), releases, about)
        if limit_and_shares is None:
            return None
        delta, overall = limit_and_shares
        if np.isinf(delta):
            return None
        gain = float(np.exp2(delta) - 1)
        most = float(overall.sum() / overall[overall > 0].min() - 1)
        assumes = message(
            "{guarantee} with {parameter}: beliefs start from the whole release, within a group every assignment is "
            "equally likely, and this is the only release",
            guarantee=self.name,
            parameter=joined(["δ", numeral(delta, ".4g")], " = "),
        )
        return Promise(self.name, "belief-gain", gain, assumes, vacuous=gain >= most)


EXAMPLES = (DeltaDisclosurePromise(),)
