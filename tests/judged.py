"""Hand-written beliefs and truths for tests of metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from unmask.arrays import Ragged
from unmask.beliefs import About, Beliefs
from unmask.estimate import Tally, Truth

ILL = About.attribute("ill")


def beliefs_of(*rows: Mapping[str, float], values: Sequence[str] = ("cold", "flu", "hiv")) -> Beliefs:
    """Return one belief per person, as given; an empty one is a person not attacked."""
    table = np.array([[row.get(value, 0.0) for value in values] for row in rows], float).reshape(-1, len(values))
    attacked = table.sum(axis=1) > 0
    row_of = np.where(attacked, np.cumsum(attacked) - 1, -1).astype(np.int32)
    return Beliefs(ILL, tuple(values), row_of, Ragged.of(table[attacked]))


def truth_of(
    answers: Sequence[str | None],
    values: Sequence[str] = ("cold", "flu", "hiv"),
    *,
    cluster: Sequence[int] | None = None,
    person: Sequence[int] | None = None,
) -> Truth:
    """Return the truth; None is unknown."""
    codes = np.array([-1 if a is None else values.index(a) for a in answers], np.int32)
    return Truth(
        ILL,
        tuple(values),
        codes,
        None if person is None else np.array(person, np.int32),
        None if cluster is None else np.array(cluster, np.int32),
    )


def judged(
    rows: Sequence[Mapping[str, float]],
    answers: Sequence[str | None],
    *,
    against: Mapping[str, Sequence[Mapping[str, float]]] | None = None,
    cluster: Sequence[int] | None = None,
    person: Sequence[int] | None = None,
) -> Tally:
    """Return the tally of beliefs and truths."""
    others = {name: beliefs_of(*other) for name, other in (against or {}).items()}
    return Tally.of(beliefs_of(*rows), truth_of(answers, cluster=cluster, person=person), others)


FLU = {"flu": 1.0}
COLD = {"cold": 1.0}
EVEN = {"flu": 0.5, "cold": 0.5}
