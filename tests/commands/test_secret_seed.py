"""The seed of a release opens it, so it must not be found by trying: the attack that found 31 bits, replayed."""

from __future__ import annotations

from typing import Any

import numpy as np

import unmask
from unmask import catalog
from unmask.arrays import Int64
from unmask.commands.sanitizing import published
from unmask.release import Release
from unmask.runtime.streams import secret_stream

TRIED = 300
"""Seeds that the attacker tries here: 31 bits took minutes."""

KNOWN = 20
"""People whose diagnosis the attacker knows, of N in the register."""

N = 60
ILL = [f"diagnosis {i % 7}" for i in range(N)]
ROLES: dict[str, Any] = {"quasi": ["age"], "sensitive": ["ill"]}


def register(ill: list[str]) -> dict[str, list[int] | list[str]]:
    """Return the register, whose order the attacker knows."""
    return {"age": list(range(N)), "ill": ill}


def published_values(release: Release) -> list[str]:
    """Return the diagnosis that each row shows, in the order of ages."""
    values = release.schema["ill"].values
    return [values[code] for code in release.columns["ill"].tolist()]


def opened(release: Release) -> Int64 | None:
    """Return whose diagnosis stands on each row, by the first small seed that agrees with the known diagnoses.

    What a seed shuffles does not depend on the diagnoses: a register with a mark for each person tells where they go.
    """
    permutation = catalog.build("sanitizers", "permutation", {"k": "5"})
    marks = unmask.sanitize(register([f"{i:02}" for i in range(N)]), "permutation", set={"k": 5}, **ROLES).table
    diagnoses = np.array(published_values(release))
    for seed in range(TRIED):
        made = published(permutation, marks, secret_stream(seed, "sanitizer", "permutation"))
        owner = np.array(published_values(made.release), np.int64)
        known = owner < KNOWN
        if (diagnoses[known] == np.array(ILL)[owner[known]]).all():
            return owner
    return None


def test_a_seed_that_can_be_tried_opens_the_release():
    """With a short seed, twenty known diagnoses give away the forty others; the user is warned of it."""
    made = unmask.sanitize(register(ILL), "permutation", set={"k": 5}, seed=211, **ROLES)
    owner = opened(made.release)
    assert owner is not None
    assert np.array(published_values(made.release)).tolist() == np.array(ILL)[owner].tolist()
    assert any("short enough to be tried out" in note for note in made.notes)


def test_the_seed_of_a_release_is_not_among_those_that_can_be_tried():
    """No small seed agrees with the known diagnoses; chance would let one with 300 / 5!^4, about 1e-6."""
    made = unmask.sanitize(register(ILL), "permutation", set={"k": 5}, **ROLES)
    assert opened(made.release) is None
    assert not any("tried out" in note for note in made.notes)
