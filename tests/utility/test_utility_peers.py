"""Agreement with ARX 3.9.2 on 30,162 people and eight columns, where another program confirmed its figures."""

from __future__ import annotations

import numpy as np
import pytest

from tests.utility import made
from tests.utility.drawn import RNG
from unmask.utility.average_group_size import AverageGroupSize
from unmask.utility.discernibility import Discernibility
from unmask.utility.information_loss import InformationLoss
from unmask.utility.non_uniform_entropy import NonUniformEntropy
from unmask.utility.precision import Precision
from unmask.utility.utility_measure import PublishedTable

LOSSES = {
    ((0, 3, 0, 2, 2, 1, 1, 0), 5): (0.2464771552496603, 506, 222),
    ((0, 4, 1, 2, 3, 2, 0, 0), 5): (0.542210825407941, 0, 26),
    ((0, 3, 0, 0, 2, 1, 1, 0), 2): (0.14462307163902888, 481, 733),
    ((0, 3, 0, 1, 2, 1, 1, 0), 3): (0.19488931811526422, 444, 394),
}
"""ARX's optimal nodes for k: its score is the geometric mean of 1 + loss, less 1."""


@pytest.mark.parametrize(("node", "k"), list(LOSSES), ids=str)
def test_the_score_of_optimal_nodes(data_folder, node, k):
    """ARX rounds losses to about ten decimals."""
    case = made.arx_case(data_folder / "arx" / "adult", node, k)
    score, left_out, groups = LOSSES[node, k]
    assert (case.release.n_suppressed, case.release.n_groups) == (left_out, groups)
    losses = [part.value or 0 for part in InformationLoss().measure(case, RNG(0)).parts.values()]
    assert np.exp(np.mean(np.log1p(losses))) - 1 == pytest.approx(score, abs=1e-9)


def test_granularity_by_column(data_folder):
    """One minus the loss; ARX prints five digits."""
    case = made.arx_case(data_folder / "arx" / "adult", (0, 3, 0, 2, 2, 1, 1, 0), 5)
    parts = InformationLoss().measure(case, RNG(0)).parts
    printed = (0.98322, 0.79452, 0.98322, 0, 0.62201, 0.71415, 0.70230, 0.98322)
    assert [1 - (part.value or 0) for part in parts.values()] == pytest.approx(printed, abs=5e-6)


@pytest.mark.parametrize(
    ("node", "expected"), [((1, 0, 1, 2, 2, 2, 0, 1), 30162 / 597), ((0, 4, 1, 2, 0, 2, 2, 1), 942.5625)], ids=str
)
def test_average_group_size(data_folder, node, expected):
    """All who were left out are one group."""
    case = made.arx_case(data_folder / "arx" / "adult", node, 5)
    assert AverageGroupSize().measure(case, RNG(0)).value.value == pytest.approx(expected)


@pytest.mark.parametrize(
    ("node", "expected"), [((0, 0, 1, 2, 3, 2, 2, 0), 9_268_952), ((1, 1, 1, 1, 3, 2, 2, 1), 55_170_356)], ids=str
)
def test_discernibility(data_folder, node, expected):
    """The first of them leaves out 60 people."""
    case = made.arx_case(data_folder / "arx" / "adult", node, 5)
    assert Discernibility().measure(case, RNG(0)).value.value == expected


@pytest.mark.parametrize(
    ("node", "lost"), [((0, 4, 0, 1, 1, 1, 1, 0), 0.3651082764184514), ((0, 4, 1, 2, 3, 2, 0, 0), 0.625)], ids=str
)
def test_precision(data_folder, node, lost):
    """ARX counts what was lost."""
    case = made.arx_case(data_folder / "arx" / "adult", node, 5)
    assert Precision().measure(case, RNG(0)).value.value == pytest.approx(1 - lost)


def test_non_uniform_entropy_without_suppression(data_folder):
    """In bits; where people are left out ARX reads the definition in another way."""
    case = made.arx_case(data_folder / "arx" / "adult", (1, 1, 1, 1, 3, 2, 2, 1), 5)
    assert case.release.n_suppressed == 0
    assert NonUniformEntropy().measure(case, RNG(0)).parts["bits"].value == pytest.approx(324620.5269918692)


def test_people_are_found_by_their_values(data_folder):
    """After full-domain recoding the rows of people need not be given: those left out fit nothing."""
    case = made.arx_case(data_folder / "arx" / "adult", (0, 3, 0, 2, 2, 1, 1, 0), 5)
    found = PublishedTable.of(case.release, case.original)
    assert found.line_of is not None
    assert case.line_of is not None
    assert np.array_equal(found.line_of, case.line_of)
    assert (found.line_of < 0).sum() == 506


@pytest.mark.parametrize(
    ("node", "expected"),
    [((0, 3, 0, 2, 2, 1, 1, 0), 0.691621940812764), ((0, 4, 1, 2, 3, 2, 0, 0), 0.2913638535559926)],
    ids=str,
)
def test_mean_granularity_weighs_columns_by_what_they_can_lose(data_folder, node, expected):
    """ARX adds up shares of the leaves before it divides, so a column of n leaves weighs 1 − 1/n; ours weigh alike."""
    folder = data_folder / "arx" / "adult"
    parts = InformationLoss().measure(made.arx_case(folder, node, 5), RNG(0)).parts
    weight = [1 - 1 / len(made.arx_adult(folder)[2][name].leaves) for name in made.QI8]
    kept = [1 - (part.value or 0) for part in parts.values()]
    assert np.average(kept, weights=weight) == pytest.approx(expected, abs=1e-12)
