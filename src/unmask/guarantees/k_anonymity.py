"""The guarantee of k-anonymity: no person is matched correctly with probability above 1/k."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from unmask.beliefs import About, Question
from unmask.guarantees.guarantee import Promise
from unmask.number_format import numeral
from unmask.release import Release
from unmask.wording import joined, message


@dataclass(frozen=True)
class KAnonymityPromise:
    """Bound the re-identification risk by 1/k, k being the size of the smallest group.

    Assumes
        One release; the attacker matches quasi-identifiers and cannot distinguish the members of a group.
    Promises
        `max-risk ≤ 1 / people in the smallest group`. No guarantee for exact rows, where each row is a separate cell.
    """

    name: ClassVar[str] = "k-anonymity"

    def promises(self, releases: Sequence[Release], about: About) -> Promise | None:
        """Return the promise about linkage in one generalized release, or None."""
        if about.question is not Question.PLACE or len(releases) != 1 or releases[0].masked.is_exact:
            return None
        k = float(releases[0].people.min(initial=float("inf")))
        assumes = message(
            "{guarantee} with {parameter}: members of a group are indistinguishable, and this is the only release",
            guarantee=self.name,
            parameter=joined(["k", numeral(k, "g")], " = "),
        )
        return Promise(self.name, "max-risk", 1 / k, assumes, vacuous=k <= 1)


EXAMPLES = (KAnonymityPromise(),)
