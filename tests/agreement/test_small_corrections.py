"""Small tables on which a peer is wrong, or is right in a way that needs a word."""

from __future__ import annotations

import math

import pytest

from tests.models.test_peers import TOY, measured, released
from tests.population import samples
from tests.utility import made
from unmask.hierarchies import Hierarchy
from unmask.models import release_assessment
from unmask.models.average_risk import AverageRisk
from unmask.models.delta_disclosure import DeltaDisclosure
from unmask.models.equivalence_classes import MissingAs
from unmask.models.k_anonymity import KAnonymity
from unmask.models.max_risk import MaxRisk
from unmask.models.uniqueness import SampleUniqueness
from unmask.table import Table


@pytest.mark.parametrize("node", [(1, 2), (2, 1), (2, 2)], ids=str)
def test_delta_is_infinite_where_a_group_of_patients_lacks_a_disease(data_folder, node):
    """ARX says log2 3, for what is present; six diseases do not fit into groups of three patients."""
    release = released(data_folder / "arx" / "toy", "test2", TOY, node, "Disease")
    one = release_assessment.measure_release(release, DeltaDisclosure(100))
    assert (one.value, one.holds) == (math.inf, False)


def test_delta_of_one_group_of_everybody_is_zero(data_folder):
    """The group is the table."""
    release = released(data_folder / "arx" / "toy", "test2", TOY, (3, 2), "Disease")
    assert measured(release, (DeltaDisclosure(1),)) == [0]


STARS = {2: [("Key1", 4), ("Key2", 7), ("Key4", 5), ("Key4", 6)],
         3: [("Key1", 4), ("Key1", 7), ("Key1", 8), ("Key2", 7), ("Key3", 1), ("Key3", 2), ("Key3", 3), ("Key4", 5),
             ("Key4", 6)]}  # fmt: skip
"""The cells that sdcMicro suppresses for each k, by their row, the first being 1."""


@pytest.mark.parametrize("k", list(STARS))
def test_what_sdcmicro_calls_k_anonymous_is_so_for_wildcards_only(data_folder, k):
    """Each reading is reported; if a star is a value, one person is alone. The strict one decides."""
    columns = samples.read(data_folder / "sdcmicro" / "francdat.csv")
    shown = {name: list(columns[name]) for name in samples.FRANCDAT}
    for name, row in STARS[k]:
        shown[name][row - 1] = "*"
    table = Table.of({name: columns[name] for name in samples.FRANCDAT}, quasi=samples.FRANCDAT)
    one = release_assessment.measure_release(made.recoded(table, shown).release, KAnonymity(k))
    assert one.readings[MissingAs.WILDCARD].value >= k
    assert one.readings[MissingAs.OWN].value == 1
    assert one.differs
    assert not one.holds


SEVEN = {
    "age": ["45", "34", "66", "70", "34", "70", "45"],
    "gender": list("fmmffmm"),
    "zip": ["81675", "81667", "81925", "81931", "81931", "81931", "81931"],
}
RULES = {
    "age": Hierarchy.from_csv("34;<50;*\n45;<50;*\n66;>=50;*\n70;>=50;*\n"),
    "gender": Hierarchy.from_csv("f;*\nm;*\n"),
    "zip": Hierarchy.from_csv("\n".join(
        ";".join(code[: 5 - n] + "*" * n for n in range(6)) for code in ("81667", "81675", "81925", "81931")
    )),
}  # fmt: skip


def test_the_seven_people_of_arx_s_documentation_at_a_risk_of_one_half():
    """Young women, young men and old men in pairs; the one old woman is left out, and is in no figure."""
    table = Table.of(SEVEN, quasi=list(SEVEN))
    shown = {
        "age": ["<50" if age < "50" else ">=50" for age in SEVEN["age"]],
        "gender": SEVEN["gender"],
        "zip": ["81***"] * 7,
    }
    release = made.recoded(table, shown, kept=[row != 3 for row in range(7)], hierarchies=RULES).release
    assert (release.size.tolist(), release.n_suppressed) == ([2, 2, 2], 1)
    assert measured(release, (AverageRisk(0.5), MaxRisk(0.5), SampleUniqueness(0))) == [0.5, 0.5, 0]
    assert all(
        one.holds
        for one in release_assessment.measure_all(release, (AverageRisk(0.5), MaxRisk(0.5), SampleUniqueness(0)))
    )
