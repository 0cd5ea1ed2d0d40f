"""Two figures of ARX 3.9.2 that looked like disagreements, and what they are made of.

Both are about people who are left out. Neither definition is wrong; ours is the one that needs no second table.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.agreement.adult_lattice import N, Node, of_adult
from tests.sanitizers.test_full_domain_peers import adult, searched
from tests.utility import made
from tests.utility.drawn import RNG
from unmask.arrays import Int64
from unmask.models.average_risk import AverageRisk
from unmask.sanitizers._lattice.cell_losses import LabelShareLoss
from unmask.sanitizers.full_domain import FullDomain
from unmask.utility.non_uniform_entropy import NonUniformEntropy

ENTROPY_NODE: Node = (0, 0, 1, 1, 2, 2, 2, 1)
AVERAGE_NODE: Node = (0, 3, 0, 0, 2, 1, 0, 0)


def bits(folder: Path, node: Node, k: int) -> tuple[float, float, float]:
    """Return the bits that levels cost all people, and what suppression adds by ARX's reading and by ours."""
    lattice, profile_of = of_adult(folder)
    groups = lattice.groups(node)
    gone = groups.size[groups.of_profile[profile_of]] < k
    levels = theirs = ours = 0.0
    for column, level in zip(lattice.levels, node, strict=True):
        own = np.bincount(column.leaf)[column.leaf]
        label = column.label_of[level][column.leaf]
        shown = np.bincount(label)[label]
        levels += float(np.log2(shown / own).sum())
        left = np.bincount(label[gone])
        left = left[left > 0]
        theirs -= float(left @ np.log2(left / max(gone.sum(), 1)))
        ours += float(np.log2(N / shown[gone]).sum())
    return levels, theirs, ours


def test_non_uniform_entropy_where_people_are_left_out_has_two_readings(data_folder):
    """473 people are left out. ARX charges a star by how many of *those* had the label; here, by how many of all.

    The release discloses the whole column's distribution, not that of suppressed rows: so our loss is higher.
    """
    levels, theirs, ours = bits(data_folder, ENTROPY_NODE, 5)
    assert levels + theirs == pytest.approx(199602.3133790339, rel=1e-14)  # ARX, to the last digit that it prints
    case = made.arx_case(data_folder / "arx" / "adult", ENTROPY_NODE, 5)
    assert case.release.n_suppressed == 473
    measured = NonUniformEntropy().measure(case, RNG(0)).parts["bits"].value
    assert measured == pytest.approx(levels + ours, rel=1e-13)
    assert measured == pytest.approx(201603, abs=0.5)  # what the other reading was found to give


def test_the_search_charges_as_the_measure_does(data_folder):
    """Full-domain recoding that minimizes entropy minimizes what is reported afterwards; its best beats ARX's node."""
    best = searched(adult(data_folder), FullDomain(k=5, suppression=0.02, loss="entropy")).best
    assert best is not None
    levels, _, ours = bits(data_folder, best.node, 5)
    assert best.score == pytest.approx(levels + ours, rel=1e-12)
    levels, _, ours = bits(data_folder, ENTROPY_NODE, 5)
    assert best.score <= levels + ours + 1e-6


def test_which_of_887_equal_groups_are_left_out_is_all_that_average_risks_differ_in(data_folder):
    """421 of the 887 people who are alone must go. ARX's .10844 leaves out those whose columns lose least as they are.

    That is the choice which loses most: a star costs them more than others. The other extreme loses .10823.
    """
    lattice, _ = of_adult(data_folder)
    groups = lattice.groups(AVERAGE_NODE)
    measure = LabelShareLoss.of(lattice, "geometric", by_row=False)
    alone = np.flatnonzero(groups.size == 1)
    assert alone.size == 887
    cost = measure.costs.at(AVERAGE_NODE)[lattice.first[:, None] + groups.codes[:, alone]].sum(axis=0)

    def loss(order: Int64) -> float:
        safe = np.ones(groups.size.size, bool)
        safe[alone[order[:421]]] = False
        return measure.score(AVERAGE_NODE, groups, safe, 421)

    rising = np.argsort(cost, kind="stable")
    assert loss(rising) == pytest.approx(0.10844233589675589, abs=1e-9)
    assert loss(rising[::-1]) == pytest.approx(0.10823, abs=5e-6)
    best = searched(adult(data_folder), FullDomain(k=1, models=(AverageRisk(0.05),), suppression=0.02)).best
    assert best is not None
    assert best.node == AVERAGE_NODE
    assert loss(rising[::-1]) <= best.score <= loss(rising)
