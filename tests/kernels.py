"""Compile the kernels that tests call and the demo does not: `python -m tests.kernels`.

Two workers that begin at the same time would compile the same ones, each for itself.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np

import unmask
from tests import stories
from unmask import catalog
from unmask.compiled_code import Interpreter
from unmask.errors import UnmaskError
from unmask.table import Table

DEMONSTRATED = {"anatomy", "mondrian", "definetti", "learned-intersection", "learned-minimality"}
"""What the demo compiles meanwhile."""

PROCESSES = {"fusion"}
"""Attacks that compute in processes of their own, and compile nothing."""

SETTINGS: tuple[tuple[str, dict[str, str]], ...] = (
    ("mondrian", {"cut": "relaxed"}),
    ("full-domain", {"local": "true"}),
    ("greedy-grouping", {"l": "2", "positive": "gout"}),
    ("noisy-counts", {"epsilon": "1", "cells": "age=20,50,80; job=clerk,cook,judge,nurse,smith"}),
)
"""Beside the examples of the catalog."""


def patients(n: int = 120) -> dict[str, list[str] | list[int]]:
    """Return people whose illness goes with their job, each as frequent as another."""
    rng = np.random.default_rng(1)
    job = rng.integers(0, 5, n)
    ill = np.where(rng.random(n) < 0.5, job, rng.integers(0, 5, n))
    return {
        "age": rng.integers(20, 80, n).tolist(),
        "job": [("clerk", "cook", "judge", "nurse", "smith")[i] for i in job],
        "ill": [("asthma", "cancer", "cold", "flu", "gout")[i] for i in ill],
    }


def main() -> None:
    """Try each sanitizer, each attack on its release, and the risk of the table."""
    Interpreter.steps_left = 0
    people = patients()
    table = Table.of(people, quasi=["age", "job"], sensitive=["ill"])
    attacks = [one for entry in catalog.entries("attacks").values() for one in entry.examples]
    attacks = [one for one in attacks if one.name not in DEMONSTRATED | PROCESSES]
    for name, settings in [*((name, {}) for name in catalog.entries("sanitizers")), *SETTINGS]:
        if name in DEMONSTRATED and not settings:
            continue
        with suppress(UnmaskError):  # a table that suits all does not exist
            made = catalog.build("sanitizers", name, settings).sanitize(table, np.random.default_rng(0))
            view = stories.view_of(made.release, table.visible("ill"), "ill", [made.group_of], rows=[made.row_of])
            for attack in attacks:
                with suppress(UnmaskError):
                    attack.infer(view, np.random.default_rng(0))
    unmask.disclosure_risk(people, quasi=["age", "job"], sensitive=["ill"])
    unmask.risk(people, quasi=["age", "job"], sensitive=["ill"])


if __name__ == "__main__":
    main()
