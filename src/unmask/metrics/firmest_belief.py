"""The largest posterior over all people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.estimate import Estimate, Tally
from unmask.parameters import check_parameters
from unmask.schema import Harm
from unmask.wording import message

NO_HARMLESS = Harm()
"""The default: all values are harmful."""


@dataclass(frozen=True)
class FirmestBelief:
    """The largest posterior of a harmful value over all people, right or wrong.

    Guarantees for all people are compared with it: one person is enough to violate them.

    Measures
        `max over people and harmful v of P(v)`.
    """

    name: ClassVar[str] = "firmest-belief"
    higher_is_worse: ClassVar[bool] = True
    threshold: ClassVar[float | None] = None
    harm: Harm = NO_HARMLESS

    def __post_init__(self) -> None:
        check_parameters(self)

    def measure(self, tally: Tally) -> Estimate:
        """Return the probability."""
        if tally.n == 0:
            return Estimate.undefined(message("no target was attacked"))
        rows = tally.beliefs.rows
        best = np.zeros(rows.n_rows)
        counted = self.harm.harmful(tally.beliefs.values)[rows.column]
        np.maximum.at(best, rows.row[counted], rows.data[counted])
        return Estimate.exact(float(best[tally.row[""]].max()), tally.n)


EXAMPLES = (FirmestBelief(),)
