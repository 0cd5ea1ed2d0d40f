"""Headcount: how many people rows are, and how models read a person with several values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unmask.errors import InvalidInputError
from unmask.models.beta_likeness import BetaLikeness
from unmask.models.delta_disclosure import DeltaDisclosure
from unmask.models.delta_presence import DeltaPresence
from unmask.models.equivalence_classes import MissingAs
from unmask.models.k_anonymity import KAnonymity
from unmask.models.k_map import KMap
from unmask.models.privacy_model import least_diverse, score_people
from unmask.models.release_assessment import measure_release
from unmask.models.t_closeness import TCloseness
from unmask.people_counts import Headcount, people_in, repeats
from unmask.sanitizers.mondrian import Mondrian
from unmask.sanitizers.suppression import LocalSuppression
from unmask.schema import Attribute, Missing, Ordered, Role
from unmask.table import Table

PEOPLE = np.array([7, 7, 7, 2, 2, 9], np.int32)
GROUPS = np.array([0, 0, 0, 0, 1, 1], np.int32)
VALUES = np.array([0, 0, 1, 1, -1, 0], np.int32)


def test_people_are_counted_once_in_each_group_and_once_in_all():
    """Person 2 has a row in both groups: two people in each, three in all."""
    found = Headcount.of(PEOPLE, GROUPS, 2, {"ill": (VALUES, 2, None)})
    assert found.total == 3
    assert found.of_group.tolist() == [2, 2]
    assert found.repeated == 1
    ill = found.holders["ill"]
    assert ill.counts.dense().tolist() == [[1, 2, 0], [1, 0, 1]]  # the last column: a row without a value
    assert ill.known.tolist() == [2, 1]
    assert (ill.total_known, ill.overall.tolist()) == (3, [2, 2, 1])


def test_groups_left_out_take_their_people_with_them():
    """No person is in two groups: what is left is what would have been counted. Else at least what must be left."""
    whole = Headcount.of(PEOPLE, np.array([0, 0, 0, 1, 1, 2], np.int32), 3, {"ill": (VALUES, 2, None)})
    left = whole.without(np.array([0, 2]))
    again = Headcount.of(PEOPLE[[0, 1, 2, 5]], np.array([0, 0, 0, 1]), 2, {"ill": (VALUES[[0, 1, 2, 5]], 2, None)})
    assert (left.total, left.of_group.tolist()) == (again.total, again.of_group.tolist())
    assert left.holders["ill"].overall.tolist() == again.holders["ill"].overall.tolist()
    assert left.holders["ill"].total_known == again.holders["ill"].total_known
    shared = Headcount.of(PEOPLE, GROUPS, 2, {"ill": (VALUES, 2, None)}).without(np.array([0]))
    assert shared.total == 2
    assert shared.holders["ill"].counts.dense().tolist() == [[1, 2, 0]]


def test_an_empty_group_or_more_than_all_is_refused():
    """What a stranger writes by hand may be wrong."""
    for total, groups in ((3.0, [0.0, 3.0]), (3.0, [4.0]), (9.0, [2.0, 3.0])):
        with pytest.raises(InvalidInputError, match="people must be at least 1 in each group"):
            Headcount(total, np.array(groups))


def test_whether_a_person_has_two_rows():
    """Without a key no person has."""
    assert repeats(PEOPLE)
    assert not repeats(None)
    assert (people_in(PEOPLE, 6), people_in(None, 6)) == (3, 6)


def test_as_few_values_as_possible_account_for_all_people():
    """Of four people three have the flu, three a cold and one HIV: flu for three, a cold for the fourth."""
    assert least_diverse(np.array([[1.0, 3.0, 3.0]]), np.array([4.0])).tolist() == [[0, 3, 1]]
    assert least_diverse(np.array([[2.0, 2.0]]), np.array([2.0])).tolist() == [[2, 0]]


@given(data=st.data())
def test_no_choice_of_one_value_a_person_is_more_concentrated(data: st.DataObject):
    """Law: the n most frequent values never belong to more people, for any n."""
    people = data.draw(st.lists(st.sets(st.integers(0, 4), min_size=1), min_size=1, max_size=7))
    counts = np.array([[sum(v in own for own in people) for v in range(5)]], float)
    filled = np.sort(least_diverse(counts, np.array([float(len(people))]))[0])[::-1].cumsum()
    chosen = [data.draw(st.sampled_from(sorted(own))) for own in people]
    assert (np.sort(np.bincount(chosen, minlength=5))[::-1].cumsum() <= filled + 1e-9).all()
    assert filled[-1] == len(people)


def scored(
    model: Any, known: list[float], counts: list[list[float]], total_known: float, overall: list[float]
) -> float:
    """Return the score of the first group."""
    arrays = np.array(known), np.array(known), np.array(counts)
    return float(score_people(model, *arrays, total_known, np.array(overall))[0])


def test_belief_in_one_value_is_not_diluted_by_the_other_values_of_a_person():
    """One of two has HIV alone, the other twenty illnesses and HIV: both have it, as every tenth of 100 people does."""
    counts, overall = [[2.0, *[1.0] * 19]], [10.0, *[5.0] * 19]
    assert scored(BetaLikeness(), [2.0], counts, 100, overall) == pytest.approx(9)  # (1 − .1) / .1
    assert scored(DeltaDisclosure(), [2.0], counts, 100, overall) == pytest.approx(np.log2(10))
    assert scored(TCloseness(), [2.0], counts, 100, overall) >= 0.9


def test_the_whole_table_is_at_distance_zero():
    """However many values people have."""
    attribute = Attribute("ill", Role.SENSITIVE, Ordered(("a", "b", "c")))
    for model in (TCloseness(), TCloseness(0.2, "ordered").bound(attribute), BetaLikeness(), DeltaDisclosure()):
        assert scored(model, [10.0], [[7.0, 7.0, 3.0]], 10, [7.0, 7.0, 3.0]) == pytest.approx(0)


@given(counts=st.lists(st.integers(0, 5), min_size=3, max_size=3).filter(any), seed=st.integers(0, 99))
def test_with_one_value_each_people_score_as_rows_do(counts: list[int], seed: int):
    """Law: nothing changes where no person has two values."""
    own = np.array([counts], float)
    overall = own[0] + np.random.default_rng(seed).integers(0, 4, 3)
    attribute = Attribute("ill", Role.SENSITIVE, Ordered(("a", "b", "c")))
    for model in (TCloseness(), TCloseness(0.2, "ordered").bound(attribute), BetaLikeness(), DeltaDisclosure()):
        by_row = model.score(own.sum(axis=1), own, overall)[0]
        assert scored(model, [sum(counts)], [list(counts)], overall.sum(), list(overall)) == pytest.approx(by_row)


def people() -> Table:
    """Return three people of four rows."""
    table = Table.of({"age": [30, 30, 30, 50], "ill": list("aabb")}, quasi=["age"], sensitive=["ill"])
    return replace(table, person_of=np.array([1, 1, 2, 3], np.int32))


def test_a_population_is_people_too():
    """Five rows of two people fit the group: k-map is 2, and presence 2 of 2."""
    release = Mondrian(k=1).sanitize(people(), np.random.default_rng(0)).release
    outside = Table.of({"age": [30, 30, 30, 30, 30, 50, 50]}, quasi=["age"])
    outside = replace(outside, person_of=np.array([1, 1, 1, 2, 2, 3, 4], np.int32))
    assert measure_release(release, KMap(2), population=outside).value == 2
    assert measure_release(release, DeltaPresence(0, 1), population=outside).value == 1
    weighted = replace(outside, weight=np.array([5, 5, 2, 3, 3, 4, 4], float))
    assert measure_release(release, KMap(2), population=weighted).value == 5  # each with the least of their weights


def test_a_star_is_no_company_for_the_person_who_has_it():
    """Read as a wildcard, a starred row matches the other row of the same person: still one person."""
    table = Table.of(
        {"age": [30, 40, 50, 50, 50, 60], "sex": list("ffmmmm")}, quasi=["age", "sex"], missing=Missing.OWN
    )
    table = replace(table, person_of=np.array([1, 1, 2, 3, 4, 4], np.int32))
    release = LocalSuppression(k=1).sanitize(table, np.random.default_rng(0)).release
    assert measure_release(release, KAnonymity(1)).readings[MissingAs.WILDCARD].value == 1
    hidden = LocalSuppression(k=2, policy="wildcard").sanitize(table, np.random.default_rng(0)).release
    own = measure_release(hidden, KAnonymity(1)).readings
    assert own[MissingAs.WILDCARD].value <= 4


def test_to_have_fewer_rows_in_a_group_is_no_distance():
    """Every person has both values in the table, and one of them in this group, as often each: t is 0."""
    assert scored(TCloseness(), [10.0], [[5.0, 5.0]], 20, [20.0, 20.0]) == pytest.approx(0)
    assert scored(TCloseness(), [10.0], [[10.0, 0.0]], 20, [20.0, 20.0]) == pytest.approx(1)
