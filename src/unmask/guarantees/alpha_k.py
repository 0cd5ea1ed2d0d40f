"""The guarantee of (α, k)-anonymity: no posterior exceeds α."""

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
class AlphaKPromise:
    """Bound every posterior by α, the largest share of one value in any group.

    This equals the guarantee of l-diversity with α = 1/l.

    Assumes
        One release; within a group every assignment of values to people is equally likely to the attacker.
    Promises
        `max-belief ≤ α`.
    """

    name: ClassVar[str] = "alpha-k"

    def promises(self, releases: Sequence[Release], about: About) -> Promise | None:
        """Return the promise about an attribute of one release, or None."""
        limit_and_shares = read_off(AlphaK(), releases, about)
        if limit_and_shares is None:
            return None
        alpha, _ = limit_and_shares
        assumes = message(
            "{guarantee} with {parameter}: within a group every assignment is equally likely, the person's attributes "
            "add no information, and this is the only release",
            guarantee=self.name,
            parameter=joined(["α", numeral(alpha, ".4g")], " = "),
        )
        return Promise(self.name, "max-belief", alpha, assumes, vacuous=alpha >= 1)


EXAMPLES = (AlphaKPromise(),)
