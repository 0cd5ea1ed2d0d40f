"""The small tables of the papers, and the answers that are known for them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from unmask.attacks.intersection.attack import Intersection
from unmask.attacks.random_worlds import RandomWorlds
from unmask.attacks.shared.pooling import default_prior
from unmask.beliefs import Beliefs
from unmask.datasets.papers import (
    ganta_hospitals,
    ganta_people,
    kifer_listed,
    kifer_recoded,
    kifer_table_1,
    kifer_table_2,
    kifer_table_6,
)
from unmask.release import Publication, Release
from unmask.view import Knowledge, View

RNG = np.random.default_rng(0)


def attacked(attack: RandomWorlds | Intersection, *releases: Release) -> Beliefs:
    """Attack the three patients of the two hospitals."""
    people = ganta_people()
    return attack.infer(View(releases, Knowledge(people, default_prior(releases, "condition", people.n_rows))), RNG)


def test_two_hospitals_that_each_hide_alice_disclose_her_together():
    """Ganta et al. 2008: age 28, AIDS; 32 is disclosed by the first hospital alone; 45 keeps two possibilities."""
    h1, h2 = ganta_hospitals()
    together = attacked(Intersection(rule="set"), h1, h2)
    assert together.of(0) == {"AIDS": 1.0}
    assert together.of(1) == {"Cancer": 1.0}
    assert together.of(2) == pytest.approx({"Cancer": 1 / 2, "Viral Infection": 1 / 2})
    alone = attacked(RandomWorlds(), h1)
    assert alone.of(0) == pytest.approx({"Viral Infection": 1 / 2, "AIDS": 1 / 4, "Heart Disease": 1 / 4})
    assert alone.of(1) == {"Cancer": 1.0}


@pytest.mark.parametrize(
    ("attack", "cancer"),
    [
        (Intersection(rule="product"), Fraction(3, 7)),
        (Intersection(rule="bayes", local_weight=np.inf), Fraction(9, 29)),
    ],
)
def test_the_third_patient_by_each_rule(attack, cancer):
    """Cancer or a viral infection: 3 to 4 by the product, 9 to 20 where the population is divided out."""
    belief = attacked(attack, *ganta_hospitals()).of(2)
    assert belief["Cancer"] == pytest.approx(float(cancer))
    assert belief["Viral Infection"] == pytest.approx(1 - float(cancer))


def test_cells_stand_for_the_people_they_are_held_against():
    """130** is 13012 here; a person of 17 makes `<30` begin at 17; nationality is anything."""
    h1, _ = ganta_hospitals({"zip": ["13012", "14850"], "age": ["17", "28"]})
    assert h1.schema["zip"].values == ("13012",)
    assert h1.size.tolist() == [4, 4, 4]
    likely = h1.masked.likelihood("age", np.array([17.0, 29.0, 30.0, 41.0])).dense()
    assert likely.sum(axis=0).tolist() == [1, 1, 1, 0], "nobody of 41 was known of, so >=40 ends at 40"
    assert h1.masked.likelihood("nationality", np.array([-2])).dense().tolist() == [[1]]


def groups_of(publication: Publication, tuples: list[int]) -> list[int]:
    """Return the published groups of the paper's tuples, which count from 1."""
    return [int(publication.group_of[t - 1]) for t in tuples]


def test_twelve_patients_in_groups_of_two():
    """Kifer 2009, Table 6: tuple 12 is in a group with one case of cancer and one healthy person."""
    published = kifer_table_6()
    release = published.release
    assert release.masked.is_exact
    assert release.size.tolist() == [2] * 6
    group = groups_of(published, [11, 12])
    assert group[0] == group[1]
    assert release.schema["disease"].values == ("Cancer", "Flu", "None")
    assert release.counts_of("disease").dense()[group[0]].tolist() == [1, 0, 1]
    assert release.counts_of("disease").column_sums().tolist() == [4, 3, 5]
    smokers = {tuple(sorted(groups_of(published, [t]))): 0 for t in (1, 2, 7, 8)}
    assert len(smokers) == 2, "two groups are all smokers"


def test_two_hundred_people_with_one_lost_value():
    """Kifer 2009, Table 1: every tuple is known but the last one's cancer."""
    published = kifer_table_1()
    counts = published.release.counts_of("lung cancer")
    assert counts.column_sums().tolist() == [100, 99]
    assert counts.dense()[groups_of(published, [200])].tolist() == [[0, 0]]
    assert published.release.size.sum() == 200


def test_twelve_patients_in_three_forms():
    """Kifer 2009, Tables 2 to 5: groups of four; recoded, one has AIDS three times; by Anatomy, each disease once."""
    assert kifer_table_2().n_rows == 12
    for locally in (False, True):
        release = kifer_recoded(locally=locally)
        assert release.size.tolist() == [4] * 3
        assert not release.masked.is_exact
        assert release.counts_of("disease").dense().max() == 3
    for anatomized, most in ((True, 1), (False, 3)):
        published = kifer_listed(anatomized=anatomized)
        assert published.release.masked.is_exact
        assert published.release.size.tolist() == [4] * 3
        assert published.release.counts_of("disease").dense().max() == most
    fifth = kifer_listed(anatomized=True)
    assert len(set(groups_of(fifth, [1, 3, 7, 8]))) == len(set(groups_of(fifth, [4, 6, 11, 12]))) == 1


def test_each_patient_is_behind_the_own_cell():
    """A gender, an age and a zip code that the recoded cells allow: in the local form, too."""
    for locally in (False, True):
        release = kifer_recoded(locally=locally)
        people = kifer_table_2()
        ages = release.masked.likelihood("age", people["age"]).dense()
        codes = [release.schema["zip"].values.index(people.schema["zip"].values[code]) for code in people["zip"]]
        zips = release.masked.likelihood("zip", np.array(codes)).dense()
        cells = np.stack([release.masked.cell_of("age"), release.masked.cell_of("zip")], axis=1)
        for person in range(12):
            assert any(ages[age, person] and zips[code, person] for age, code in cells)
