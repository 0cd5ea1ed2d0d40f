"""Protocol Guarantee: a proven bound on a measured number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from unmask.arrays import Float64
from unmask.beliefs import About, Question
from unmask.models.known_values import known_values
from unmask.models.privacy_model import ComparesShares, PrivacyModel
from unmask.release import Release


@dataclass(frozen=True, slots=True)
class Promise:
    """The limit of a guarantee on a measured number, and its assumptions."""

    guarantee: str
    metric: str
    limit: float
    assumes: str
    vacuous: bool = False


class Guarantee(Protocol):
    """A rule that derives a bound from releases."""

    name: ClassVar[str]

    def promises(self, releases: Sequence[Release], about: About) -> Promise | None:
        """Return the promise about this question, or None if there is none."""
        ...


def read_off(model: PrivacyModel, releases: Sequence[Release], about: About) -> tuple[float, Float64] | None:
    """Return a model's highest score in any group of one release, and the share of people who have each value.

    None for several releases, another question, an attribute without known values, counts with noise, and where shares
    are compared and people have several values. Groups with an undefined score are skipped.
    """
    if about.question is not Question.ATTRIBUTE or len(releases) != 1 or about.name not in releases[0].counts:
        return None
    release = releases[0]
    if about.name in release.noise:
        return None
    counted = known_values(release, release.schema[about.name])
    if counted.overall.sum() <= 0:
        return None
    if counted.several and isinstance(model, ComparesShares):  # the promise is about a single value
        return None
    worst = np.fmax.reduce(np.concatenate([np.zeros(1), *counted.scores((model,))]))
    return float(worst), counted.overall / counted.n_known
