"""Small tables that make some tool give a wrong answer, from file to number: what no lesson elsewhere spells out."""

from __future__ import annotations

import numpy as np
import pytest

from tests import stories
from tests.utility import made
from tests.utility.drawn import RNG
from unmask.files.reading import read
from unmask.files.release_folder import write_release
from unmask.files.releases import read_release
from unmask.files.roles import Roles
from unmask.files.tables import to_table
from unmask.models import release_assessment
from unmask.models.average_risk import AverageRisk
from unmask.models.k_anonymity import KAnonymity
from unmask.models.max_risk import MaxRisk
from unmask.models.privacy_model import AnyModel
from unmask.models.uniqueness import SampleUniqueness
from unmask.population.assessment import population_risk
from unmask.sanitizers.mondrian import Mondrian
from unmask.table import Table
from unmask.utility.information_loss import NCP, InformationLoss

SIZES: tuple[AnyModel, ...] = (KAnonymity(2), MaxRisk(), AverageRisk(), SampleUniqueness())


def test_twelve_rows_with_a_repeated_index_are_twelve(tmp_path):
    """Not 160: an index column is a column like others, and joins nothing."""
    lines = [f"{i % 2},{20 + i % 4},{'ab'[i % 2]}" for i in range(12)]
    path = tmp_path / "people.csv"
    path.write_text("\n".join([",age,ill", *lines]) + "\n")
    table = to_table(read(path), Roles.of(quasi=["age"], sensitive=["ill"]))
    release = Mondrian(k=3).sanitize(table, np.random.default_rng(0)).release
    assert (table.n_rows, release.size.sum(), release.n_rows) == (12, 12, 12)


def test_seven_rows_of_which_one_is_all_stars_have_the_same_risk_when_read_back(tmp_path):
    """A person behind stars is published, and in every model; population risk counts them apart, as one left out."""
    columns = {"age": list("2233445"), "sex": list("ffmmffm"), "zip": list("1122331")}
    table = Table.of({**columns, "ill": list("abababa")}, quasi=list(columns), sensitive=["ill"])
    starred = {name: [*values[:6], "*"] for name, values in columns.items()}
    for number, kept in enumerate((None, [True] * 6 + [False])):
        release = made.recoded(table, starred, kept=kept).release
        folder = tmp_path / str(number)
        write_release(release, folder)
        again = read_release(folder, Roles(), name="release").release
        assert again.n_suppressed == release.n_suppressed == number
        before, after = (release_assessment.measure_all(one, SIZES) for one in (release, again))
        for one, other in zip(before, after, strict=True):
            for reading, score in one.readings.items():
                theirs = other.readings[reading]
                assert (score.value, score.people, score.beyond) == (theirs.value, theirs.people, theirs.beyond)
        assert population_risk(again).n == 6


def test_a_release_identical_to_the_original_finds_everybody():
    """Risk 1 for each of four different people, and no logarithm of 0 on the way to it."""
    table = Table.of({"age": [20, 30, 40, 50], "ill": list("abab")}, quasi=["age"], sensitive=["ill"])
    release = stories.exact(table, [0, 1, 2, 3]).release
    assert [one.value for one in release_assessment.measure_all(release, SIZES)] == [1, 1, 1, 1]
    found = population_risk(release)
    average = found.prosecutor.average
    assert average.value == 1
    assert average.low is None or average.low <= 1
    assert average.high is None or average.high == 1


def test_every_cell_suppressed_is_one_in_n_and_everything_lost():
    """No exception; each of five people is one of five."""
    table = Table.of({"age": [20, 30, 40, 50, 60], "sex": list("fmfmf"), "ill": list("ababa")}, quasi=["age", "sex"],
                     sensitive=["ill"])  # fmt: skip
    published = made.recoded(table, {"age": ["*"] * 5, "sex": ["*"] * 5})
    values = [one.value for one in release_assessment.measure_all(published.release, SIZES)]
    assert values == pytest.approx([5, 0.2, 0.2, 0])
    for loss in (NCP(), InformationLoss()):
        assert loss.measure(made.case_of(table, published), RNG(0)).value.value == 1
