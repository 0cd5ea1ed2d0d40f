"""Protocol Guarantee: what theory promises of a release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from unmask.arrays import Float64
from unmask.beliefs import About, Question
from unmask.privacy_model import PrivacyModel
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
    """Return a model's highest score in any group of one release, and how often each value occurs in all of it.

    None where nothing can be read off: of several releases, another question, an attribute of which nothing is known,
    or counts with noise. Groups whose score is undefined are passed over.
    """
    if about.question is not Question.ATTRIBUTE or len(releases) != 1 or about.name not in releases[0].counts:
        return None
    release, counts = releases[0], releases[0].counts_of(about.name)
    overall = counts.column_sums()
    if overall.sum() <= 0 or about.name in release.noise:
        return None
    scores = [model.score(release.size[part], counts.dense(part), overall) for part in counts.blocks()]
    return float(np.fmax.reduce(np.concatenate([np.zeros(1), *scores]))), overall
