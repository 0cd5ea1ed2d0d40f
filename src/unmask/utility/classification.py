"""Classification metric: the share of people outside the majority class of their group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.utility.utility_measure import PublishedTable, Quality
from unmask.wording import message


@dataclass(frozen=True)
class Classification:
    """Compute the share of people whose sensitive value differs from the majority value of their group.

    A classifier that sees only the group misclassifies these people, and all suppressed ones. One minus this share of
    the published people is the accuracy of the random-worlds attack: what helps an analyst helps an attacker.

    Measures
        `Σ (size − most frequent value) + suppressed`, as a share of all people; the mean over sensitive attributes.
        Rows of nothing but `*` in several columns count as suppressed. An unknown value counts as a minority value.
    Fails
        Undefined without a sensitive attribute that is counted by group.

    References
    ----------
    Iyengar. Transforming data to satisfy privacy constraints. KDD 2002, section 4.2.
    """

    name: ClassVar[str] = "classification"
    higher_is_better: ClassVar[bool] = False

    def measure(self, case: PublishedTable, rng: np.random.Generator) -> Quality:
        """Return the share, and that of each sensitive attribute."""
        del rng
        release = case.release
        counted = [a.name for a in release.schema.sensitive if a.name in release.counts]
        if not counted or case.n <= 0:
            return Quality.undefined(message("no sensitive attribute is counted by group"))
        parts = {}
        for name in counted:
            most = np.minimum(release.counts_of(name).maxima(), release.size)[~release.starred]
            parts[name] = 1 - float(most.sum() / case.n)
        return Quality.mean(parts, case.n)


EXAMPLES = (Classification(),)
