"""What (α, k)-anonymity promises: no value is believed with more than α."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from unmask.beliefs import About
from unmask.guarantees.guarantee import Promise, read_off
from unmask.models.alpha_k import AlphaK
from unmask.release import Release


@dataclass(frozen=True)
class AlphaKPromise:
    """Read α off the group in which one value has the largest share.

    It is the promise of l-diversity in another word: α is 1/l.

    Assumes
        One release; within a group every assignment of values to people is equally likely to the attacker.
    Promises
        `max-belief ≤ α`.
    """

    name: ClassVar[str] = "alpha-k"

    def promises(self, releases: Sequence[Release], about: About) -> Promise | None:
        """Return the promise about an attribute of one release."""
        limit_and_shares = read_off(AlphaK(), releases, about)
        if limit_and_shares is None:
            return None
        alpha, _ = limit_and_shares
        assumes = (
            f"{self.name} with α = {alpha:.4g}: within a group every assignment is equally likely, the person's "
            f"attributes tell nothing more, and this is the only release"
        )
        return Promise(self.name, "max-belief", alpha, assumes, vacuous=alpha >= 1)


EXAMPLES = (AlphaKPromise(),)
