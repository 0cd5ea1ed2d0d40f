"""l-diversity as sdcMicro 5.8.0 counts it, for every person: distinct, by entropy, and recursive.

Its "recursive" value is no verdict but a count: the largest l for which the group is recursively (2, l)-diverse.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.population import samples
from unmask.arrays import Float64
from unmask.datasets.adult import adult
from unmask.models.l_diversity import DistinctL, EntropyL
from unmask.models.privacy_model import holds
from unmask.models.recursive_cl import RecursiveCL
from unmask.population.keys import Keys
from unmask.table import Table


def diversity(table: Table) -> tuple[Float64, Float64, Float64]:
    """Return the three numbers of the one sensitive attribute, for each row's look-alikes."""
    (attribute,) = table.schema.sensitive
    keys = Keys.of(table)
    counts = np.zeros((keys.sample.size, len(attribute.values)))
    np.add.at(counts, (keys.number, table[attribute.name]), 1)
    groups = counts.sum(axis=1), counts, counts.sum(axis=0)
    recursive = np.zeros(keys.sample.size)
    for l in range(1, len(attribute.values) + 1):
        model = RecursiveCL(2, l)
        recursive[holds(model, model.score(*groups))] = l
    distinct, entropy = DistinctL().score(*groups), EntropyL().score(*groups)
    return distinct[keys.number], entropy[keys.number], recursive[keys.number]


def survey(folder: Path, quasi: Sequence[str], about: str) -> Table:
    """Return the households with one sensitive column."""
    columns = samples.read(folder / "sdcmicro" / "testdata.csv.gz")
    return Table.of({name: columns[name] for name in (*quasi, about)}, quasi=quasi, sensitive=[about])


def test_occupations_of_adult():
    """30,162 people, seven columns: for 8,819 of them one occupation is possible, for 10,349 by recursion."""
    distinct, entropy, recursive = diversity(adult(quasi=samples.KV7, sensitive=["occupation"]))
    assert (distinct.sum(), recursive.sum()) == (141_270, 93_550)
    assert (entropy.sum(), entropy.max(), np.median(entropy)) == pytest.approx((111315.55615095, 9.90578174668, 3))
    assert Counter(distinct.tolist()) == {
        1: 8819, 2: 3545, 3: 2643, 4: 2228, 5: 1709, 6: 1437, 7: 1402, 8: 1915, 9: 1860, 10: 2229, 11: 1448, 12: 790,
        13: 137,
    }  # fmt: skip
    assert Counter(recursive.tolist()) == {
        1: 10349, 2: 4569, 3: 3589, 4: 3560, 5: 2962, 6: 2638, 7: 1858, 8: 339, 9: 280, 10: 18,
    }  # fmt: skip
    first = [(2, 1.88988157484, 1), (4, 3.7467482975, 3), (8, 6.02847554649, 5), (2, 2, 2), (1, 1, 1), (1, 1, 1),
             (1, 1, 1), (5, 4.37136934401, 4), (1, 1, 1), (6, 4.6132580458, 4)]  # fmt: skip
    for row, expected in enumerate(first):
        assert (distinct[row], entropy[row], recursive[row]) == pytest.approx(expected, rel=1e-10)


def test_eight_people(data_folder):
    """All three are 2 for the pairs, and 1 for who is alone."""
    columns = samples.read(data_folder / "sdcmicro" / "francdat.csv")
    names = (*samples.FRANCDAT, "Num2")
    table = Table.of({name: columns[name] for name in names}, quasi=samples.FRANCDAT, sensitive=["Num2"])
    for found in diversity(table):
        assert found == pytest.approx([2, 2, 2, 1, 1, 1, 1, 2])


@pytest.mark.parametrize(
    ("without", "about", "sums", "table", "first"),
    [
        (("electcon", "relat"), "electcon", (10_875, 7846.27822224, 6110), {1: 579, 2: 1707, 3: 2294},
         (3, 1.76542410381, 1)),
        (("electcon", "relat"), "relat", (25_300, 11796.1643152, 9098), None, None),
        (("relat",), "relat", (None, 11574.4751798, 8849),
         {1: 20, 2: 592, 3: 673, 4: 962, 5: 755, 6: 749, 7: 622, 8: 207}, (5, 2.25041947859, 2)),
    ],
    ids=["electcon in five keys", "relat in five keys", "relat in six keys"],
)  # fmt: skip
def test_households(data_folder, without, about, sums, table, first):
    """4,580 people."""
    quasi = [name for name in samples.HOUSING if name not in without]
    found = diversity(survey(data_folder, quasi, about))
    for values, total in zip(found, sums, strict=True):
        assert total is None or values.sum() == pytest.approx(total, rel=1e-10)
    assert table is None or Counter(found[0].tolist()) == table
    assert first is None or [values[0] for values in found] == pytest.approx(first, rel=1e-10)
