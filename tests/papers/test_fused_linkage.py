"""Does fusion re-identify? Hardly: on Adult, fused ages identify no more people than their ranges do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.papers.fused_linkage import FUSED, HIDDEN, OTHERS, RANGES, SANITIZERS, tried


@pytest.mark.slow
@pytest.mark.parametrize("title", ["k-member, k = 10", "Mondrian, k = 50"])
def test_fused_ages_find_nobody_whom_ranges_do_not(data_folder: Path, title: str):
    """The chance to name the own row moves by less than a fifth of a point, though true ages would give 20 more.

    The likeliest row is right at most a point more often: where rows are as likely, income decides.
    """
    found = tried(data_folder, SANITIZERS[title], seed=4)
    for way in (FUSED, HIDDEN, OTHERS):
        assert abs(found.gained(way)["own"][0]) < 0.002
        assert found.gained(way)["right"][0] < 0.01
    assert found.gained("true ages")["own"][1] > 0.2
    assert found.gained("no ages")["own"][2] < 0 or found.ways["no ages"].own.mean() < found.ways[RANGES].own.mean()


@pytest.mark.slow
def test_in_boxes_that_do_not_overlap_only_columns_in_clear_can_tell(data_folder: Path):
    """Mondrian: each person fits one group of equal rows. Without incomes no belief changes."""
    found = tried(data_folder, SANITIZERS["Mondrian, k = 50"], seed=5, n=2_000)
    assert np.allclose(found.ways[HIDDEN].own, found.ways[RANGES].own, rtol=1e-9)
    assert np.abs(found.ways[FUSED].own - found.ways[RANGES].own).max() > 0
