"""Sramka, Safavi-Naini and Denzinger 2010 on Adult: Table I where it is reproduced, two databases of the paper's size.

An independent program gave, on another database, for schooling at k = 2, 10 and 50: 132, 1,337 and 4,931 partly, 5,310,
5,120 and 4,698 exactly by the formula as it is printed, and 1,901, 1,719 and 1,392 with the middle half a step later.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from unmask.studies.sramka_2010 import Sramka2010


@pytest.fixture(scope="module")
def ours(data_folder: Path) -> dict[str, float]:
    """Run it with groups, and with one noise."""
    del data_folder
    found = Sramka2010(epsilons=(0.1,), edu=("taxonomy",), databases=2).run(427810395)
    return {one.id: one.ours or 0.0 for one in found.figures}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("k", "partly", "exactly", "near"), [(2, 9, 3204, 0.2), (10, 20, 1456, 0.2), (50, 23, 682, 0.3)]
)
def test_ages_come_near_the_table(ours, k, partly, exactly, near):
    """Partly within 5 points of the paper, exactly within a fifth (a third at k = 50), no worse than the best miner.

    At k = 100 they do not: 12 percent partly beside 22.
    """
    assert ours[f"age/k={k}/a/sigma-ideal"] == pytest.approx(partly, abs=5)
    assert ours[f"age/k={k}/b-inclusive/utility"] == pytest.approx(exactly, rel=near)
    assert ours[f"age/k={k}/a/sigma-best"] >= 98


@pytest.mark.slow
@pytest.mark.parametrize(
    ("k", "partly", "printed", "later"), [(2, 132, 5310, 1901), (10, 1337, 5120, 1719), (50, 4931, 4698, 1392)]
)
def test_schooling_comes_near_an_independent_program(ours, k, partly, printed, later):
    """Partly and half a step later within a quarter, by the printed formula within a tenth."""
    assert ours[f"edu/taxonomy/k={k}/a/utility"] == pytest.approx(partly, rel=0.25)
    assert ours[f"edu/taxonomy/k={k}/b-inclusive/utility"] == pytest.approx(printed, rel=0.1)
    assert ours[f"edu/taxonomy/k={k}/b-exclusive/utility"] == pytest.approx(later, rel=0.25)


@pytest.mark.slow
def test_behind_noise_ages_are_nearer_for_nearly_everybody(ours):
    """At least 93 of 100, and at least 94 percent of the best miner's utility; hardly any exactly."""
    assert ours["age/eps=.1/a/sigma-ideal"] >= 93
    assert ours["age/eps=.1/a/sigma-best"] >= 94
    assert ours["age/eps=.1/b/sigma-ideal"] < 5
