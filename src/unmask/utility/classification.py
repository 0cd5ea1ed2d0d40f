"""The classification metric: how many people are not like most of their group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.utility.utility_measure import PublishedTable, Quality


@dataclass(frozen=True)
class Classification:
    """Count the people whose sensitive value is not the one that most of their group have.

    A classifier that sees only the group would be wrong about them, and about everybody who was left out. What helps
    it helps an intruder: the same number, read the other way, is what random worlds gets right of those shown.

    Measures
        `Σ (size − most frequent value) + suppressed`, as a share of all people; the mean over sensitive attributes.
        Rows of nothing but `*` in several columns count as suppressed. A value that is not known is one that most do
        not have.
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
            return Quality.undefined("no sensitive attribute is counted by group")
        parts = {}
        for name in counted:
            most = np.minimum(release.counts_of(name).maxima(), release.size)[~release.starred]
            parts[name] = 1 - float(most.sum() / case.n)
        return Quality.mean(parts, case.n)


EXAMPLES = (Classification(),)
