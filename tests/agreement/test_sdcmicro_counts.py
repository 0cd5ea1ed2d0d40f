"""What sdcMicro 5.8.0 counts before it computes anything, and its approximate risks, person by person.

Its approximation (its default) is not ours, but it is made of the same counts: that it comes out to the last digit
shows that these are the same.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.population import samples
from tests.population.test_individual_risk import approximate, risks
from unmask.arrays import Float64
from unmask.population.keys import Keys
from unmask.population.suda import suda
from unmask.table import Table


def approximated(table: Table) -> Float64:
    """Return sdcMicro's approximate risk of each row."""
    keys = Keys.of(table)
    assert keys.population is not None
    return approximate(keys.sample, keys.population)[keys.number]


def test_people_of_adult_by_how_many_look_like_them():
    """Seven columns: a quarter is alone, 13,657 have fewer than four others."""
    keys = Keys.of(samples.adults(weight=0))
    of_row = keys.sample[keys.number]
    edges = [1, 2, 3, 4, 5, 6, 11, 21, 51, 101, 1000]
    assert np.histogram(of_row, edges)[0].tolist() == [
        7653, 2756, 1908, 1340, 1085, 3471, 2874, 4398, 4094, 583,
    ]  # fmt: skip
    assert ((of_row < 3).sum(), (of_row < 5).sum()) == (10_409, 13_657)
    assert (1 / of_row).sum() == pytest.approx(11_089)
    assert keys.population is not None
    assert keys.population.sum() == 5_724_561_619
    assert keys.population[keys.number][:10].tolist() == [
        363364, 1617238, 3329570, 325345, 338409, 284582, 160187, 1192925, 514840, 7679917,
    ]  # fmt: skip


def test_approximate_risks_of_adult():
    """The first ten with a weight of ten each and with the survey's own; quartiles; the greatest."""
    ten = approximated(samples.adults(weight=10))
    assert ten[:10] == pytest.approx([
        .0476190476, .0140845070, .00584795322, .0826841347, .2558427881, .2558427881, .2558427881, .0163934426,
        .0476190476, .1 / 42.1,
    ], rel=1e-8)  # fmt: skip
    assert ten.max() == risks(samples.adults(weight=10)).max() == pytest.approx(0.25584278811045, rel=1e-12)
    own = approximated(samples.adults(weight=0))
    assert own[:10] == pytest.approx([
        4.12807489979e-6, 7.06671705236e-7, 3.18005986569e-7, 6.14690486538e-6, 3.76232550711e-5, 4.41307631781e-5,
        7.48136364087e-5, 9.7798732165e-7, 2.9135180439e-6, 1.33309954695e-7,
    ], rel=1e-11)  # fmt: skip
    assert own.max() == pytest.approx(6.92197484561619e-4, rel=1e-12)
    assert np.quantile(own, [0, 0.25, 0.5, 0.75]) == pytest.approx(
        [3.871387e-8, 1.822143e-7, 1.141697e-6, 2.716902e-5], rel=5e-7
    )


def test_counts_and_approximate_risks_of_households(data_folder):
    """4,580 people, a hundred each, by seven columns and by five."""
    keys = Keys.of(samples.households(data_folder))
    of_row = keys.sample[keys.number]
    assert [(of_row == n).sum() for n in (1, 2)] == [157, 124]
    assert ((of_row < 3).sum(), (of_row < 5).sum(), keys.sample.size) == (281, 458, 412)
    assert of_row[:10].tolist() == [107, 102, 176, 176, 46, 45, 94, 94, 105, 94]
    risk = approximated(samples.households(data_folder))
    assert risk.sum() == pytest.approx(10.7782989187348, rel=1e-12)
    assert risk[:10] == pytest.approx([
        9.43307235166e-5, 9.90000990001e-5, 5.71395923233e-5, 5.71395923233e-5, 2.22172850478e-4, 2.27221086117e-4,
        1.07515320933e-4, 1.07515320933e-4, 9.61446014806e-5, 1.07515320933e-4,
    ], rel=1e-11)  # fmt: skip
    five = Keys.of(samples.households(data_folder, samples.FIVE))
    assert five.sample[five.number][:6].tolist() == [359, 351, 359, 359, 161, 150]
    few = approximated(samples.households(data_folder, samples.FIVE))
    assert few[:6] == pytest.approx([
        2.79321806653e-5, 2.85706122682209e-05, 2.79321806653e-5, 2.79321806653e-5, 6.24960939941e-5, 6.71095899605e-5,
    ], rel=1e-11)  # fmt: skip


def test_who_is_at_a_risk_of_a_quarter(data_folder):
    """Of eight people the sixth and the seventh: whom sdcMicro would suppress at that threshold."""
    assert (np.flatnonzero(risks(samples.francdat(data_folder)) >= 0.25) + 1).tolist() == [6, 7]


def test_the_most_special_people_of_adult():
    """By SUDA's score, after the two of 720."""
    scores = suda(Keys.of(samples.adults())).scores()
    expected = {480: [21218, 27023], 474: [6408, 6668], 456: [15277], 432: [19898], 426: [21117]}
    assert {score: (np.flatnonzero(scores == score) + 1).tolist() for score in expected} == expected
    assert np.flatnonzero(scores == 414)[0] + 1 == 11565
