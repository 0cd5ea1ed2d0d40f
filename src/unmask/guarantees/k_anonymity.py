"""What k-anonymity promises: nobody is named rightly with more than 1/k."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from unmask.beliefs import About, Question
from unmask.guarantees.guarantee import Promise
from unmask.release import Release


@dataclass(frozen=True)
class KAnonymityPromise:
    """Read k off the group of fewest people: who matches quasi-identifiers names a row rightly with at most 1/k.

    Assumes
        One release; the attacker matches quasi-identifiers and knows nothing that tells the members of a group apart.
    Promises
        `max-risk ≤ 1 / people in the smallest group`. Of exact rows nothing: there each row is its own cell.
    """

    name: ClassVar[str] = "k-anonymity"

    def promises(self, releases: Sequence[Release], about: About) -> Promise | None:
        """Return the promise about a place in one generalized release."""
        if about.question is not Question.PLACE or len(releases) != 1 or releases[0].masked.is_exact:
            return None
        k = float(releases[0].people.min(initial=float("inf")))
        assumes = f"{self.name} with k = {k:g}: members of a group cannot be told apart, and this is the only release"
        return Promise(self.name, "max-risk", 1 / k, assumes, vacuous=k <= 1)


EXAMPLES = (KAnonymityPromise(),)
