"""Protocol Guarantee: what theory promises of a release."""

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
    """A limit that a guarantee puts on a measured number, and what it assumes."""

    guarantee: str
    metric: str
    limit: float
    assumes: str
    vacuous: bool = False


class Guarantee(Protocol):
    """Something that reads a promise off releases."""

    name: ClassVar[str]

    def promises(self, releases: Sequence[Release], about: About) -> Promise | None:
        """Return what is promised about this question, or None where nothing is."""
        ...


def read_off(model: PrivacyModel, releases: Sequence[Release], about: About) -> tuple[float, Float64] | None:
    """Return a model's highest score in any group of one release, and the share of people who have each value.

    None where nothing can be read off: of several releases, another question, an attribute of which nothing is known,
    counts with noise, or where shares are compared and somebody has several values. Groups whose score is undefined
    are passed over.
    """
    if about.question is not Question.ATTRIBUTE or len(releases) != 1 or about.name not in releases[0].counts:
        return None
    release = releases[0]
    if about.name in release.noise:
        return None
    counted = known_values(release, release.schema[about.name])
    if counted.overall.sum() <= 0:
        return None
    if counted.several and isinstance(model, ComparesShares):  # promised is how a belief in the one value moves
        return None
    worst = np.fmax.reduce(np.concatenate([np.zeros(1), *counted.scores((model,))]))
    return float(worst), counted.overall / counted.n_known
