"""Measuring models on releases: small tables with right answers, laws, and both readings of what is missing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import stories
from tests.strategies import publications, tables
from unmask import catalog
from unmask.errors import InvalidInputError
from unmask.hierarchies import Hierarchy
from unmask.models import release_assessment
from unmask.models.alpha_k import AlphaK
from unmask.models.average_risk import AverageRisk
from unmask.models.delta_disclosure import DeltaDisclosure
from unmask.models.delta_presence import DeltaPresence
from unmask.models.equivalence_classes import MissingAs
from unmask.models.k_anonymity import KAnonymity
from unmask.models.k_map import KMap
from unmask.models.l_diversity import DistinctL, EntropyL
from unmask.models.max_risk import MaxRisk
from unmask.models.privacy_model import AnyModel, PopulationModel
from unmask.models.recursive_cl import RecursiveCL
from unmask.models.release_assessment import Measured, measure_release
from unmask.models.t_closeness import TCloseness
from unmask.models.uniqueness import SampleUniqueness
from unmask.release import Release
from unmask.schema import Categorical, Missing, Schema
from unmask.table import Table

OF_VALUES = [entry.examples[0] for entry in catalog.entries("models").values() if entry.kind.needs_values]
OF_SIZES: list[AnyModel] = [KAnonymity(5), MaxRisk(), AverageRisk(), SampleUniqueness()]
ALL = [*OF_VALUES, *OF_SIZES]


def bucketized(qi: Sequence[object], ill: Sequence[object] | None = None, missing: Missing = Missing.OWN) -> Release:
    """Publish rows; those that show the same are a group."""
    values = list(ill) if ill is not None else ["x"] * len(qi)
    table = Table.of({"qi": list(qi), "ill": values}, quasi=["qi"], sensitive=["ill"], missing=missing)
    looks = {look: i for i, look in enumerate(dict.fromkeys(qi))}
    return stories.boxed(table, [looks[look] for look in qi]).release


def values(release: Release, models: Sequence[AnyModel], reading: MissingAs = MissingAs.OWN) -> list[float]:
    """Return the values of models under a reading."""
    return [one.readings[reading].value for one in release_assessment.measure_all(release, models)]


def same(one: float, other: float) -> bool:
    """Whether two values agree, both undefined included."""
    return (math.isnan(one) and math.isnan(other)) or one == pytest.approx(other, rel=1e-12, abs=1e-12)


# --- small tables with right answers


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 1, 2, 0], [2, 0, 3, 1]])
def test_the_order_of_rows_does_not_make_a_group_diverse(order):
    """QI 1,1,2,2 with x,x,y,z: one group shares x, however the rows are sorted."""
    release = bucketized([[1, 1, 2, 2][i] for i in order], ["xxyz"[i] for i in order])
    distinct, alpha = release_assessment.measure_all(release, (DistinctL(2), AlphaK(0.5)))
    assert (distinct.value, distinct.people, distinct.strict.groups, distinct.holds) == (1, 2, 1, False)
    assert (alpha.value, alpha.people, alpha.strict.beyond) == (1, 2, 2)


@pytest.mark.parametrize("n", range(2, 31))
def test_n_equally_likely_values_have_entropy_n(n):
    """A real number, compared with a tolerance: other tools say n − 1 for 20 of these."""
    one = measure_release(bucketized([0] * n, [f"v{i}" for i in range(n)]), EntropyL(n))
    assert one.value == pytest.approx(n, rel=1e-12)
    assert one.holds


def test_a_missing_quasi_identifier_is_a_group_of_its_own():
    """30, 30, 30 and missing: k = 1. As a wildcard the fourth could be any of the others, and they could be four."""
    one = measure_release(bucketized([30, 30, 30, None]), KAnonymity(2))
    assert (one.value, one.people, one.holds) == (1, 1, False)
    assert (one.lenient.value, one.lenient.holds, one.differs) == (4, True, True)


def test_a_suppressed_widow_is_alone_or_one_of_five():
    """Single, Married, Married, Single and a suppressed cell: 1 as its own value, 3 as a wildcard; the 1 decides."""
    release = bucketized(["single", "married", "married", "single", None])
    for policy in (Missing.OWN, Missing.WILDCARD):  # `?` or `*`: how it is written changes neither reading
        quasi = tuple(replace(a, missing=policy) for a in release.schema)
        table = Table.of({"qi": ["single", "married", "married", "single", None], "ill": ["x"] * 5},
                         quasi=["qi"], sensitive=["ill"])  # fmt: skip
        release = stories.boxed(Table(Schema(quasi), table.columns, 5), [0, 1, 1, 0, 2]).release
        one = measure_release(release, KAnonymity(2))
        assert one.readings[MissingAs.OWN].value == 1
        assert one.readings[MissingAs.WILDCARD].value == 3
        assert (one.value, one.holds) == (1, False)


def test_an_unused_level_changes_nothing():
    """A category column with an unused level."""
    release = bucketized([1, 1, 2, 2], list("abab"))
    wider = replace(release.schema["ill"], domain=Categorical(("0", "a", "b", "z")))
    table = Table.of({"qi": [1, 1, 2, 2], "ill": list("abab")}, quasi=["qi"], sensitive=["ill"])
    schema = Schema((table.schema["qi"], wider))
    more = Table(schema, {"qi": table["qi"], "ill": table["ill"] + 1}, 4)
    assert values(stories.boxed(more, [0, 0, 1, 1]).release, ALL) == values(release, ALL)


def test_groups_of_four_and_two():
    """Two of six people are found on average."""
    assert measure_release(bucketized([1] * 4 + [2] * 2), AverageRisk()).value == pytest.approx(2 / 6)


def test_a_value_absent_from_one_group_breaks_every_delta():
    """Infinite: no finite δ holds."""
    one = measure_release(bucketized([1, 1, 2, 2], list("aaab")), DeltaDisclosure(1e6))
    assert (one.value, one.people, one.holds) == (math.inf, 2, False)


def test_a_constant_number_is_close():
    """All salaries are 7: t = 0 in every distance that needs no hierarchy."""
    release = bucketized([1, 1, 2], [7, 7, 7])
    assert values(release, [TCloseness(0, "equal"), TCloseness(0, "ordered")]) == [0, 0]


def test_a_group_of_which_nothing_is_known():
    """Its values are all missing: as one more value there is one; over known values there is no answer. Never two."""
    for missing in (Missing.OWN, Missing.WILDCARD):
        release = bucketized([1, 1, 2, 2], ["a", "b", None, None], missing)
        one = measure_release(release, DistinctL(1))
        assert one.readings[MissingAs.OWN].value == 1
        assert one.readings[MissingAs.OWN].holds
        assert math.isnan(one.readings[MissingAs.WILDCARD].value)
        assert (math.isnan(one.value), one.people, one.holds, one.differs) == (True, 2, False, True)


def test_counting_what_is_missing_as_a_value_can_be_the_safer_reading():
    """A, b and a missing one: three different values, or two. The smaller number decides."""
    one = measure_release(bucketized([1, 1, 1], ["a", "b", None]), DistinctL(3))
    assert one.readings[MissingAs.OWN].value == 3
    assert (one.value, one.holds) == (2, False)


def test_everything_suppressed():
    """All look the same: risk 1/n each."""
    release = bucketized([None] * 4, list("abab"))
    assert values(release, [KAnonymity(2), AverageRisk(), SampleUniqueness()]) == [4, 0.25, 0]


def test_exact_rows_count_equal_rows_not_groups():
    """Anatomy's group of three has exact ages: k is 1, or 2 where two rows of a group agree."""
    table = Table.of({"age": [20, 20, 30], "ill": list("abc")}, quasi=["age"], sensitive=["ill"])
    release = stories.exact(table, [0, 0, 0]).release
    assert values(release, [KAnonymity(2), SampleUniqueness(), DistinctL(3)]) == [1, pytest.approx(1 / 3), 3]


@pytest.mark.parametrize("renamed", ["c", "e", "0"])
def test_groups_that_are_as_far_from_the_table_are_worst_together(renamed):
    """Two groups of two lie 1/2 away, in other last digits by the name of a value: four people are in the worst."""
    release = bucketized([0, 0, 1, 1, 2, 2], ["b", renamed, "b", "d", "a", "d"])
    one = measure_release(release, TCloseness(0.2))
    assert one.value == pytest.approx(1 / 2)
    assert (one.people, one.strict.groups) == (4, 2)


def test_the_recursive_ratio_is_an_open_limit():
    """4, 1, 1 with l = 3: c = 4 is not enough."""
    release = bucketized([1] * 6, list("aaaabc"))
    assert not measure_release(release, RecursiveCL(4, 3)).holds
    assert measure_release(release, RecursiveCL(4.01, 3)).holds


def test_each_sensitive_attribute_is_measured_and_the_worst_counts():
    """Pay has two values in each group, job one in the second."""
    table = Table.of({"age": [1, 1, 2, 2], "pay": list("abab"), "job": list("xyzz")}, quasi=["age"],
                     sensitive=["pay", "job"])  # fmt: skip
    one = measure_release(stories.boxed(table, [0, 0, 1, 1]).release, DistinctL(2))
    assert {name: by[MissingAs.OWN].value for name, by in one.by_attribute.items()} == {"pay": 2, "job": 1}
    assert (one.value, one.people, one.strict.beyond) == (1, 2, 2)


def test_hierarchies_and_orders_come_from_the_release():
    """Diseases of the same organ are near each other."""
    tree = Hierarchy.from_rows([["ulcer", "stomach", "*"], ["gastritis", "stomach", "*"], ["flu", "lung", "*"]])
    table = Table.of({"age": [1, 1, 2], "ill": ["ulcer", "gastritis", "flu"]}, quasi=["age"], sensitive=["ill"])
    fitted = tuple(replace(a, hierarchy=tree) if a.name == "ill" else a for a in table.schema)
    release = stories.boxed(Table(Schema(fitted), table.columns, 3), [0, 0, 1]).release
    assert values(release, [TCloseness(0.2, "hierarchical")]) == pytest.approx([2 / 3])
    with pytest.raises(InvalidInputError, match="must have an order"):
        measure_release(release, TCloseness(0.2, "ordered"))


# --- the population


TOWN = Table.of({"qi": ["a"] * 3 + ["b"] * 2 + ["c"] * 4}, quasi=["qi"])


def test_one_person_is_hidden_by_the_town():
    """One a of three, two b of two: 2-map, though a is alone in the release; all people who fit b are in it."""
    release = bucketized(["a", "b", "b"])
    one = measure_release(release, KMap(2), population=TOWN)
    assert (one.value, one.people, one.holds) == (2, 2, True)
    presence = measure_release(release, DeltaPresence(0, 0.9), population=TOWN)
    assert (presence.value, presence.people, presence.holds) == (1, 2, False)


def test_people_who_fit_no_group_are_surely_not_in_the_release():
    """Four look like c, and no c is published: a lower limit is broken for these four people of the town."""
    release = bucketized(["a", "b"])
    assert measure_release(release, DeltaPresence(0, 0.5), population=TOWN).holds
    one = measure_release(release, DeltaPresence(0.1, 0.5), population=TOWN)
    assert (one.holds, one.strict.beyond) == (False, 4)


def test_weights_of_the_population_are_people():
    """Each line stands for ten."""
    heavy = replace(TOWN, weight=np.full(9, 10.0))
    assert measure_release(bucketized(["a", "b"]), KMap(2), population=heavy).value == 20


def test_a_missing_cell_fits_all_people_or_none():
    """No person of the town lacks a value; as a wildcard the cell fits all nine."""
    one = measure_release(bucketized(["a", None]), KMap(2), population=TOWN)
    assert (one.readings[MissingAs.OWN].value, one.readings[MissingAs.WILDCARD].value) == (0, 3)


# --- what is needed


def test_missing_requirements_of_a_model_are_refused():
    """A population, a sensitive attribute."""
    release = bucketized(["a", "b"])
    with pytest.raises(InvalidInputError, match="k-map must have a table of the population"):
        measure_release(release, KMap(2))
    bare = Table.of({"qi": ["a", "b"]}, quasi=["qi"])
    with pytest.raises(InvalidInputError, match="alpha must have a sensitive attribute"):
        measure_release(stories.boxed(bare, [0, 1]).release, AlphaK())


# --- laws

small = tables(min_rows=1, max_rows=8)


def by_hand(table: Table, group: Sequence[int], model: AnyModel) -> float:
    """Return the worst score of groups counted one by one."""
    assert not isinstance(model, PopulationModel)
    everywhere = [table["ill"].tolist().count(v) for v in range(len(table.schema["ill"].values))]
    scores = []
    for g in sorted(set(group)):
        members = [i for i, own in enumerate(group) if own == g]
        ill = [int(table["ill"][i]) for i in members]
        counts = [[float(ill.count(v)) for v in range(len(everywhere))]]
        scores.append(float(model.score(np.array([float(len(ill))]), np.array(counts), np.array(everywhere, float))[0]))
    return min(scores) if model.higher_is_safer else max(scores)


@given(data=st.data(), model=st.sampled_from([*OF_VALUES, KAnonymity(2), MaxRisk()]))
def test_the_value_is_that_of_the_worst_group(data, model):
    """Counted from the rows that went in."""
    table = data.draw(tables(missing=False))
    group = data.draw(st.lists(st.integers(0, 2), min_size=table.n_rows, max_size=table.n_rows))
    number = np.unique(np.array(group), return_inverse=True)[1].tolist()
    release = stories.boxed(table, number).release
    assert same(measure_release(release, model).value, by_hand(table, number, model))


@settings(max_examples=25)
@given(data=st.data())
def test_order_and_names_change_nothing(data):
    """Rows shuffled, values renamed (which sorts them anew): every value stays, but for what depends on an order."""
    table = data.draw(small)
    published = data.draw(publications(table))
    group = published.group_of
    form = stories.exact if published.release.masked.group_of_line.size != published.release.n_groups else stories.boxed
    order = np.array(data.draw(st.permutations(range(table.n_rows))))
    release = form(table, group.tolist()).release
    expected = release_assessment.measure_all(release, ALL)
    agree(expected, release_assessment.measure_all(form(table.take(order), group[order].tolist()).release, ALL))
    old = table.schema["ill"].values
    renamed = Categorical(tuple(sorted(f"{(i * 7) % 5}{v}" for i, v in enumerate(old))))
    code = np.array([next(j for j, v in enumerate(renamed.values) if v[1:] == o) for o in old], np.int32)
    schema = Schema(tuple(replace(a, domain=renamed) if a.name == "ill" else a for a in table.schema))
    other = replace(table, schema=schema, columns={**table.columns, "ill": code[table["ill"]]})
    agree(expected, release_assessment.measure_all(form(other, group.tolist()).release, ALL))


def agree(one: Sequence[Measured], other: Sequence[Measured]) -> None:
    """Assert equal values and counts of people and groups, under both readings."""
    for a, b in zip(one, other, strict=True):
        for reading in MissingAs:
            ours, theirs = a.readings[reading], b.readings[reading]
            assert same(ours.value, theirs.value), a.model
            assert ours.holds == theirs.holds
            assert ours.beyond == pytest.approx(theirs.beyond)
            assert ours.people == pytest.approx(theirs.people), a.model
            assert ours.groups == theirs.groups, a.model


@settings(max_examples=25)
@given(table=small, data=st.data())
def test_a_doubled_table_doubles_k_and_halves_risk(table, data):
    """All people twice: sizes double; shares, and all that is made of them, stay."""
    group = data.draw(st.lists(st.integers(0, 2), min_size=table.n_rows, max_size=table.n_rows))
    number = np.unique(np.array(group), return_inverse=True)[1].tolist()
    once = stories.boxed(table, number).release
    twice = stories.boxed(table.take(np.tile(np.arange(table.n_rows), 2)), number * 2).release
    for reading in MissingAs:
        assert values(twice, [KAnonymity(2)], reading)[0] == 2 * values(once, [KAnonymity(2)], reading)[0]
        for risk in (MaxRisk(), AverageRisk()):
            assert values(twice, [risk], reading)[0] == pytest.approx(values(once, [risk], reading)[0] / 2)
        for one, other in zip(values(twice, OF_VALUES, reading), values(once, OF_VALUES, reading), strict=True):
            assert same(one, other)


@given(table=small, data=st.data())
def test_joining_groups_never_raises_the_reidentification_risk(table, data):
    """Coarser groups are larger; nor does the mean risk grow, nor the share of people who are alone."""
    group = data.draw(st.lists(st.integers(0, 3), min_size=table.n_rows, max_size=table.n_rows))
    fine = np.unique(np.array(group), return_inverse=True)[1]
    coarse = np.unique(fine // 2, return_inverse=True)[1]
    before, after = (values(stories.boxed(table, g.tolist()).release, OF_SIZES) for g in (fine, coarse))
    assert after[0] >= before[0]
    assert all(a <= b + 1e-12 for a, b in zip(after[1:], before[1:], strict=True))


@given(data=st.data())
def test_a_wildcard_counts_all_rows_with_equal_known_cells(data):
    """Pair by pair, over rows of three cells of which some are missing: sizes and counts of values alike."""
    rows = data.draw(st.lists(st.tuples(*[st.sampled_from(["a", "b", None])] * 3), min_size=1, max_size=8))
    ill = data.draw(st.lists(st.sampled_from("xyz"), min_size=len(rows), max_size=len(rows)))
    columns: dict[str, Sequence[object]] = {f"q{i}": [row[i] for row in rows] for i in range(3)}
    table = Table.of({**columns, "ill": ill}, quasi=list(columns), sensitive=["ill"])
    looks = {look: i for i, look in enumerate(dict.fromkeys(rows))}
    release = stories.boxed(table, [looks[row] for row in rows]).release
    alike = [
        [j for j, other in enumerate(rows) if all(a == b or a is None or b is None for a, b in zip(row, other))]  # noqa: B905
        for row in rows
    ]
    k, mean, distinct, alpha = values(
        release, [KAnonymity(2), AverageRisk(), DistinctL(2), AlphaK()], MissingAs.WILDCARD
    )
    assert k == min(map(len, alike))
    assert mean == pytest.approx(sum(1 / len(a) for a in alike) / len(rows))
    assert distinct == min(len({ill[j] for j in a}) for a in alike)
    assert alpha == pytest.approx(max(max([ill[j] for j in a].count(v) / len(a) for v in "xyz") for a in alike))
