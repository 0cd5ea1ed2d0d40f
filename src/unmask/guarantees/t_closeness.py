"""The guarantee of t-closeness: prior and posterior differ by at most t."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from unmask.beliefs import About
from unmask.guarantees.guarantee import Promise, read_off
from unmask.models.t_closeness import TCloseness
from unmask.number_format import numeral
from unmask.release import Release
from unmask.wording import joined, message


@dataclass(frozen=True)
class TClosenessPromise:
    """Bound the distance between prior and posterior by t, the largest equal distance of a group from the table.

    The equal distance is the total variation: the largest change in the probability of any statement about a person.

    Assumes
        One release; the attacker's prior is the distribution in the whole release; within a group every assignment of
        values to people is equally likely.
    Promises
        `belief-change ≤ t`, for each person and so on average. At t = 1 this is vacuous.
    """

    name: ClassVar[str] = "t-closeness"

    def promises(self, releases: Sequence[Release], about: About) -> Promise | None:
        """Return the promise about an attribute of one release, or None."""
        limit_and_shares = read_off(TCloseness(), releases, about)
        if limit_and_shares is None:
            return None
        t, _ = limit_and_shares
        assumes = message(
            "{guarantee} with {parameter}: beliefs start from the whole release, within a group every assignment is "
            "equally likely, and this is the only release",
            guarantee=self.name,
            parameter=joined(["t", numeral(t, ".4g")], " = "),
        )
        return Promise(self.name, "belief-change", t, assumes, vacuous=t >= 1)


EXAMPLES = (TClosenessPromise(),)
