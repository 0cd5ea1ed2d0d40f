"""The guarantee of β-likeness: no posterior exceeds (1 + β) times its prior."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from unmask.beliefs import About
from unmask.guarantees.guarantee import Promise, read_off
from unmask.models.beta_likeness import BetaLikeness
from unmask.number_format import numeral
from unmask.release import Release
from unmask.wording import joined, message


@dataclass(frozen=True)
class BetaLikenessPromise:
    """Bound the relative gain of every posterior by β, the largest relative gain of a share in any group.

    Assumes
        One release; the attacker's prior is the distribution in the whole release; within a group every assignment of
        values to people is equally likely.
    Promises
        `belief-gain ≤ β`, where the gain is (belief − prior) / prior of any value. No value can gain more than
        1 / share − 1 of its share, so a β that large for the rarest value is vacuous.
    """

    name: ClassVar[str] = "beta-likeness"

    def promises(self, releases: Sequence[Release], about: About) -> Promise | None:
        """Return the promise about an attribute of one release, or None."""
        limit_and_shares = read_off(BetaLikeness(), releases, about)
        if limit_and_shares is None:
            return None
        beta, overall = limit_and_shares
        most = float(overall.sum() / overall[overall > 0].min() - 1)
        assumes = message(
            "{guarantee} with {parameter}: beliefs start from the whole release, within a group every assignment is "
            "equally likely, and this is the only release",
            guarantee=self.name,
            parameter=joined(["β", numeral(beta, ".4g")], " = "),
        )
        return Promise(self.name, "belief-gain", beta, assumes, vacuous=beta >= most)


EXAMPLES = (BetaLikenessPromise(),)
