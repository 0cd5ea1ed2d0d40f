"""A million rows: resampled Adult, and Adult's columns drawn independently. ARX overflows at some."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests.agreement.adult_lattice import N, Node, lattice_of, resampled
from tests.models.test_peers import QI8, read
from tests.sanitizers.test_full_domain_peers import TREE, adult, searched
from unmask.arrays import Float64
from unmask.models.privacy_model import bound
from unmask.population.keys import Keys
from unmask.population.suda import suda
from unmask.sanitizers.full_domain import FullDomain
from unmask.table import Table

MILLION = 1_000_000


@cache
def independent(folder: Path) -> Table:
    """Return a million people whose columns are drawn one by one, in the file's order."""
    table, rng = adult(folder), np.random.default_rng(7)
    drawn = {name: table[name][rng.integers(0, N, MILLION)] for name in read(folder / "arx" / "adult" / "adult.csv.gz")}
    return Table(table.schema, {a.name: drawn[a.name] for a in table.schema}, MILLION)


def thirty_three_fold(folder: Path) -> Table:
    """Return a million people drawn from Adult."""
    return resampled(folder, MILLION)


def distances(table: Table, node: Node) -> tuple[Float64, Float64]:
    """Return the people of each group at a node, and its occupations' distance from all occupations in the tree."""
    lattice, profile_of = lattice_of(table)
    groups = lattice.groups(node)
    attribute = table.schema["occupation"]
    counts = np.zeros((groups.size.size, len(attribute.values)))
    np.add.at(counts, (groups.of_profile[profile_of], table["occupation"]), 1)
    size = groups.size.astype(float)
    return size, bound(TREE, attribute).score(size, counts, counts.sum(axis=0))


def test_below_its_overflow_arx_is_right(data_folder):
    """At 100,000 rows it finds the node that we find; no group is farther than .177."""
    table = resampled(data_folder, 100_000)
    best = searched(table, FullDomain(k=5, models=(TREE,), suppression=0.02)).best
    assert best is not None
    assert best.node == (1, 4, 0, 2, 3, 1, 2, 1)
    assert distances(table, best.node)[1][best.safety.safe].max() == pytest.approx(0.177, abs=5e-4)


def test_beyond_it_arx_publishes_groups_that_are_not_close(data_folder):
    """Its node for 2 %: 12 of 14 groups are farther than .2, up to .487. Ours is the one of the smaller tables."""
    table = resampled(data_folder, MILLION)
    size, far = distances(table, (0, 4, 1, 2, 2, 2, 1, 0))
    largest = np.argsort(-size)[:14]
    assert far[largest].max() == pytest.approx(0.487, abs=5e-4)
    assert (far[largest] > 0.2).sum() == 12


@pytest.mark.parametrize(
    ("make", "k", "share", "node", "score", "n_groups", "left_out"),
    [
        (thirty_three_fold, 166, 0.02, (0, 3, 0, 2, 2, 1, 1, 0), .24768557589709617, 212, 18_238),
        (thirty_three_fold, 166, 0, (1, 4, 1, 1, 3, 2, 0, 0), .6132105776000869, 26, 0),
        (independent, 5, 0.02, (0, 3, 0, 0, 1, 1, 0, 0), .09120806924540226, 5836, 15_517),
        (independent, 5, 0, (0, 4, 0, 2, 1, 2, 2, 0), .4452802133046043, 100, 0),
    ],
    ids=["resampled 2 %", "resampled 0 %", "independent 2 %", "independent 0 %"],
)  # fmt: skip
def test_best_nodes(data_folder, make, k, share, node, score, n_groups, left_out):
    """As ARX found them, score and all."""
    best = searched(make(data_folder), FullDomain(k=k, suppression=share)).best
    assert best is not None
    assert (best.node, int(best.safety.safe.sum()), best.safety.n_unsafe) == (node, n_groups, left_out)
    assert best.score == pytest.approx(score, abs=1e-10)


def test_special_people_among_a_million(data_folder):
    """sdcMicro: 78,630 uniques and 35,074 people in pairs; scores add up to 1,000,819."""
    keys = Keys.of(independent(data_folder).only([name for name in QI8 if name != "salary-class"]))
    size, n_keys = keys.sizes
    assert (n_keys[0], 2 * n_keys[1], n_keys.sum()) == (78_630, 35_074, 131_851)
    found = suda(keys)
    scores = found.scores()
    assert (scores.sum(), scores.max()) == (1_000_819, 390)
    dis = found.disclosure(scores)
    assert (dis.sum(), dis.max()) == pytest.approx((5571.1634671, 0.7535704161), rel=3e-7)
    assert size[0] == 1
