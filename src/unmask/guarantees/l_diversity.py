"""What l-diversity promises: no value is believed with more than 1/l."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.beliefs import About, Question
from unmask.guarantee import Promise
from unmask.release import Release


@dataclass(frozen=True)
class LDiversityPromise:
    """Read l off the largest share of a value in any group: random worlds believes nothing more firmly than 1/l.

    Assumes
        One release; within a group every assignment of values to people is equally likely to the attacker. Whoever
        learns from the release itself, knows the algorithm, or holds a second release does not reason so.
    Promises
        `max-belief ≤ largest share of one value in one group`.
    """

    name: ClassVar[str] = "l-diversity"

    def promises(self, releases: Sequence[Release], about: About) -> Promise | None:
        """Return the promise about an attribute of one release."""
        if about.question is not Question.ATTRIBUTE or len(releases) != 1 or about.name not in releases[0].counts:
            return None
        if about.name in releases[0].noise:
            return None
        share = float(np.max(releases[0].counts_of(about.name).normalized().data, initial=0.0))
        if share <= 0:
            return None
        assumes = (
            f"{self.name} with l = {1 / share:.4g}: within a group every assignment is equally likely, the person's "
            f"attributes tell nothing more, and this is the only release"
        )
        return Promise(self.name, "max-belief", share, assumes, vacuous=share >= 1)


EXAMPLES = (LDiversityPromise(),)
