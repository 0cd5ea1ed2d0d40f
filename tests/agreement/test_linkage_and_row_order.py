"""Equal order of two files identifies no person: ties are shared, whatever the order.

sdcMicro's record linkage (development version 5.8.1) breaks ties by position: in groups of three equal rows of the
Tarragona companies it names 65.3 % rightly, where no attack can expect more than a third.
"""

from __future__ import annotations

import csv

import numpy as np
import pytest

from tests.attacks.linkage.test_attack import risk, where
from unmask.attacks.linkage.attack import Linkage
from unmask.sanitizers.mondrian import Mondrian
from unmask.table import Table


@pytest.mark.parametrize("k", [3, 5, 10])
def test_nobody_among_k_equal_rows_is_named_with_more_than_one_in_k(data_folder, k):
    """834 companies by three numbers, in the file's order and shuffled: the same chances, one by one."""
    text = (data_folder / "sdcmicro" / "Tarragona.csv").read_text("utf-8")
    header, *rows = csv.reader(text.splitlines())
    names = [name for name in header if name][:3]
    columns = {name: [float(row[header.index(name)]) for row in rows] for name in names}
    table = Table.of({**columns, "kind": ["a", "b"] * (len(rows) // 2) + ["a"] * (len(rows) % 2)}, quasi=names,
                     sensitive=["kind"])  # fmt: skip
    order = np.random.default_rng(1).permutation(table.n_rows)
    chances = []
    for people in (table, table.take(order)):
        publication = Mondrian(k=k).sanitize(people, np.random.default_rng(0))
        found = Linkage().infer(where(publication, people.visible(None)), np.random.default_rng(0))
        chances.append(np.array([risk(found, person) for person in range(table.n_rows)]))
    assert chances[1] == pytest.approx(chances[0][order])
    assert chances[0].max() <= 1 / k + 1e-12
