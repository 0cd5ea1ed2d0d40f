"""Negative and positive control of the deFinetti attack: no excess without an association, and a planted one is found.

A dead attack passes the first; a boastful one the second.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tests.rates import proportion_within
from tests.strategies import row_numbers
from unmask.attacks.definetti.attack import DeFinetti
from unmask.attacks.random_worlds import RandomWorlds
from unmask.attacks.shared.pooling import default_prior
from unmask.beliefs import Beliefs
from unmask.errors import NotConvergedError
from unmask.sanitizers.anatomy import Anatomy
from unmask.table import Table
from unmask.view import Knowledge, Located, View

PEOPLE = 200
LEVEL = 0.01
"""Of one test: how often chance alone makes deFinetti look better than random worlds."""

PLANTED = 0.6
"""How often a job gives its holder's value away; else it is any of the three."""


def town(planted: float, rng: np.random.Generator) -> Table:
    """Return people with three values and two attributes, one associated with the value as often as planted."""
    value = rng.integers(0, 3, PEOPLE)
    job = np.where(rng.random(PEOPLE) < planted, value, rng.integers(0, 3, PEOPLE))
    return Table.of(
        {
            "job": [f"job {j}" for j in job],
            "street": [f"street {s}" for s in rng.integers(0, 4, PEOPLE)],
            "ill": [f"ill {v}" for v in value],
        },
        quasi=["job", "street"],
        sensitive=["ill"],
    )


def surprise(beliefs: Beliefs, table: Table) -> np.ndarray:
    """Return each person's log loss."""
    return -np.log(np.maximum(beliefs.dense()[np.arange(PEOPLE), table["ill"]], 1e-6))


def found(planted: float, seed: int) -> bool:
    """Whether deFinetti is better than random worlds by more than chance makes it at the level; not if it declines.

    Groups are independent, given what is published: the differences are added up by group, and tested by Student's t.
    """
    rng = np.random.default_rng(seed)
    table = town(planted, rng)
    published = Anatomy(l=2).sanitize(table, rng)
    people = table.visible("ill")
    places = (Located(published.group_of, row_numbers(published)),)
    view = View((published.release,), Knowledge(people, default_prior([published.release], "ill", PEOPLE), places))
    try:
        learned = DeFinetti(limit=1600, assignments=0).infer(view, rng)
    except NotConvergedError:
        return False
    gain = surprise(RandomWorlds().infer(view, rng), table) - surprise(learned, table)
    by_group = np.bincount(published.group_of, weights=gain)
    return bool(stats.ttest_1samp(by_group, 0, alternative="greater").pvalue < LEVEL)


def test_a_planted_dependence_is_found_and_its_absence_is_too():
    """Three towns of each kind, quickly: found in all, and in at most one by chance (1 false alarm in 3,350)."""
    assert all(found(PLANTED, seed) for seed in range(3))
    assert sum(found(0.0, seed) for seed in range(3)) <= 1


@pytest.mark.slow
def test_where_values_do_not_depend_on_attributes_nothing_is_learned():
    """200 towns, each tested at 1 %: at most 6 rejections, which chance exceeds once in 230 times."""
    assert sum(found(0.0, seed) for seed in range(100, 300)) <= 6


@pytest.mark.slow
def test_a_planted_dependence_of_six_in_ten_is_found_in_95_percent():
    """100 towns; where the chains disagree nothing is found. At 1 false alarm in 1,000."""
    n_found = sum(found(PLANTED, seed) for seed in range(100, 200))
    proportion_within(n_found, 100, 0.95, 1e-3, side="at least")
