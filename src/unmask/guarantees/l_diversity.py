"""The guarantee of l-diversity: no posterior exceeds 1/l."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from unmask.beliefs import About
from unmask.guarantees.guarantee import Promise, read_off
from unmask.models.alpha_k import AlphaK
from unmask.number_format import numeral
from unmask.release import Release
from unmask.wording import joined, message


@dataclass(frozen=True)
class LDiversityPromise:
    """Bound every posterior by 1/l, the largest share of one value in any group, as random worlds attains it.

    Assumes
        One release; within a group every assignment of values to people is equally likely to the attacker. This
        excludes attackers who learn from the release, know the algorithm, or hold a second release.
    Promises
        `max-belief ≤ largest share of one group's people who have one value`.
    """

    name: ClassVar[str] = "l-diversity"

    def promises(self, releases: Sequence[Release], about: About) -> Promise | None:
        """Return the promise about an attribute of one release, or None."""
        limit_and_shares = read_off(AlphaK(), releases, about)
        if limit_and_shares is None:
            return None
        share, _ = limit_and_shares
        assumes = message(
            "{guarantee} with {parameter}: within a group every assignment is equally likely, the person's attributes "
            "add no information, and this is the only release",
            guarantee=self.name,
            parameter=joined(["l", numeral(1 / share, ".4g")], " = "),
        )
        return Promise(self.name, "max-belief", share, assumes, vacuous=share >= 1)


EXAMPLES = (LDiversityPromise(),)
