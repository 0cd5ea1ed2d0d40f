"""ARX 3.9.2's tables of sizes, its shares of pairs told apart, and the quality of its two k = 5 releases.

Some of its measures are ours by another name: the formula that leads from one to the other is part of the lesson.
"""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import pytest

from tests.agreement.adult_lattice import N, Node, of_adult
from tests.population import samples
from tests.utility import made
from tests.utility.drawn import RNG
from unmask.population.dankar import dankar
from unmask.population.keys import Keys
from unmask.population.pitman import pitman
from unmask.population.slide_negative_binomial import slide_negative_binomial
from unmask.population.zayatz import zayatz
from unmask.table import Table
from unmask.utility.discernibility import Discernibility
from unmask.utility.information_loss import InformationLoss
from unmask.utility.precision import Precision

USA = 317_238_626
PUBLISHED, WHOLE = (0, 3, 0, 2, 2, 1, 1, 0), (0, 4, 1, 2, 3, 2, 0, 0)
"""ARX's best nodes for k = 5, with 2 % left out and with none."""


# --- sizes


def test_the_sizes_of_the_raw_groups():
    """12,458 groups by eight columns: 8,841 of one person, one of 137."""
    size, n_groups = samples.sizes(quasi=samples.QI8)
    found = dict(zip(size.tolist(), n_groups.tolist(), strict=True))
    expected = {1: 8841, 2: 1565, 3: 686, 4: 331, 5: 219, 6: 150, 7: 106, 8: 61, 9: 58, 10: 29, 137: 1}
    assert {one: found[one] for one in expected} == expected
    assert (n_groups.sum(), size.max()) == (12_458, 137)
    assert n_groups[0] / N == pytest.approx(0.29311716729659837)


def test_the_sizes_of_the_published_groups(data_folder):
    """222 groups of at least five: 20 of exactly five, the largest of 3,218."""
    size = of_adult(data_folder)[0].groups(PUBLISHED).size
    found = Counter(size[size >= 5].tolist())
    assert {n: found[n] for n in range(5, 16)} == {
        5: 20, 6: 21, 7: 12, 8: 6, 9: 6, 10: 9, 11: 10, 12: 9, 13: 0, 14: 4, 15: 2,
    }  # fmt: skip
    kept = sum(n * count for n, count in found.items())
    assert (found.total(), kept, max(found)) == (222, 29_656, 3218)
    assert max(found) / kept == pytest.approx(0.10851, abs=5e-6)  # the share of people at the lowest risk
    assert (kept / USA, N / USA) == pytest.approx((9.348168e-5, 9.507669e-5), rel=1e-6)  # the share that was drawn


@pytest.mark.parametrize(
    ("quasi", "counts"),
    [
        (("sex", "age", "race"), (528, 62, 59)),
        (("sex", "age", "race", "marital-status"), (1690, 543, 251)),
        (("sex", "age", "race", "marital-status", "education"), (6072, 3187, 908)),
    ],
    ids=len,
)
def test_groups_uniques_and_pairs_of_fewer_columns(quasi, counts):
    """What the models of uniqueness begin with; and which is believed.

    ARX takes Zayatz at one in five, having no slide negative binomial; with the right one the smaller of both counts.
    """
    size, n_keys = samples.sizes(quasi=quasi)
    assert (n_keys.sum(), n_keys[0], n_keys[1]) == counts
    for population in (USA, 3_016_200, 150_810):
        each = [model(size, n_keys, population) for model in (pitman, zayatz, slide_negative_binomial)]
        believed = dankar(N / population, *each)
        if population > 10 * N:
            assert believed == "pitman"
        else:
            values = {"zayatz": each[1].value, "slide-negative-binomial": each[2].value}
            assert believed == min((value, name) for name, value in values.items() if value is not None)[1]


# --- which column tells people apart


def told_apart(table: Table) -> tuple[float, float]:
    """Return ARX's distinction, which is our average risk, and its separation: the share of pairs told apart."""
    keys, n = Keys.of(table), table.n_rows
    risk = float((1 / keys.sample)[keys.number].mean())
    alike = keys.sizes[1] @ (keys.sizes[0] * (keys.sizes[0] - 1))
    return risk, float(1 - alike / (n * (n - 1)))


@pytest.mark.parametrize(
    ("quasi", "distinction", "separation"),
    [
        (["income"], 6.6309e-5, .3739325606), (["sex"], 6.6309e-5, .4382843481), (["race"], 1.65772e-4, .2510168706),
        (["workclass"], 2.32080e-4, .4384710833), (["marital-status"], 2.32080e-4, .6572008210),
        (["education"], 5.30469e-4, .8074379804), (["native-country"], 1.359326e-3, .1678946113),
        (["age"], 2.387110e-3, .9781172561), (samples.QI8, .4130362708, .9994994262),
        ([name for name in samples.QI8 if name != "age"], .1101717393, .9876253237),
    ],
    ids=lambda value: ",".join(value) if not isinstance(value, float) else "",
)  # fmt: skip
def test_distinction_and_separation_of_adult(quasi, distinction, separation):
    """Age alone distinguishes 97.8 % of all pairs, but hardly a row: it identifies .24 % of the rows."""
    found = told_apart(samples.adults(quasi=tuple(quasi)))
    assert found == pytest.approx((distinction, separation), rel=1e-5)
    assert found[1] == pytest.approx(separation, abs=5e-11)


SEVEN: dict[str, list[object]] = {
    "age": [45, 34, 66, 70, 34, 70, 45],
    "gender": [*"fmmffmm"],
    "zip": ["81675", "81667", "81925", "81931", "81931", "81931", "81931"],
}
"""The example of ARX's documentation."""


@pytest.mark.parametrize(
    ("quasi", "expected"),
    [
        (["gender"], (2 / 7, .571428571)), (["zip"], (4 / 7, .714285714)), (["age"], (4 / 7, .857142857)),
        (["gender", "zip"], (5 / 7, .904761905)), (["age", "zip"], (6 / 7, .952380952)), (["age", "gender"], (1, 1)),
    ],
    ids=str,
)  # fmt: skip
def test_the_seven_people_of_arx_s_documentation(quasi, expected):
    """Age and gender identify all people."""
    assert told_apart(Table.of({name: SEVEN[name] for name in quasi}, quasi=quasi)) == pytest.approx(expected)


# --- quality


def quality(folder: Path, node: Node) -> dict[str, float]:
    """Return our measures in ARX's form: 1 for the original, 0 for nothing told.

    Discernibility is scaled from the original's own to that of one group; average group size counts only who is
    published, unlike the loss of the same name that the search minimizes, where all who were left out are one group.
    """
    case = made.arx_case(folder / "arx" / "adult", node, 5)
    size, n_keys = samples.sizes(quasi=samples.QI8)
    raw = float(n_keys @ size**2)
    pairs = Discernibility().measure(case, RNG(0)).value.value or math.nan
    mean, at_best = float(case.release.size.mean()), N / n_keys.sum()
    return {
        "intensity": Precision().measure(case, RNG(0)).value.value or math.nan,
        "discernibility": 1 - (pairs - raw) / (N * N - raw),
        "aecs": 1 - (mean - at_best) / (N - at_best),
        "granularity of age": 1 - (InformationLoss().measure(case, RNG(0)).parts["age"].value or 0),
    }


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (PUBLISHED, {"intensity": 0.5633053732069006, "discernibility": 0.94285, "aecs": 0.99565,
                     "granularity of age": 0.79452}),
        (WHOLE, {"intensity": 0.375, "discernibility": 0.80153, "aecs": 0.96162, "granularity of age": 0}),
    ],
    ids=["2 %", "0 %"],
)  # fmt: skip
def test_the_quality_of_the_two_releases_in_arx_s_words(data_folder, node, expected):
    """Generalization intensity is our precision; the others follow from ours. It prints five digits of most."""
    found = quality(data_folder, node)
    assert found == pytest.approx(expected, abs=5e-6)
    assert found["intensity"] == pytest.approx(expected["intensity"], rel=1e-13)


def test_missing_cells_are_counted_like_lost_ones(data_folder):
    """ARX: .1397 and .625 of all cells are stars, level or suppressed person alike."""
    for node, share in ((PUBLISHED, 0.1396790663749089), (WHOLE, 0.625)):
        case = made.arx_case(data_folder / "arx" / "adult", node, 5)
        starred = sum(
            float(case.release.size @ cells.anything[case.release.masked.cell_of(cells.attribute.name)])
            for cells in case.lines.cells
        )
        assert (starred + 8 * case.release.n_suppressed) / (8 * N) == pytest.approx(share, rel=1e-12)
