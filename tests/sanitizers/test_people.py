"""A person with several rows: a group of five rows of two people hides no person among five."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from tests.strategies import tables
from unmask.arrays import Int32
from unmask.errors import InfeasibleError, InvalidInputError
from unmask.hierarchies import Hierarchy
from unmask.models.average_risk import AverageRisk
from unmask.models.beta_likeness import BetaLikeness
from unmask.models.equivalence_classes import MissingAs
from unmask.models.k_anonymity import KAnonymity
from unmask.models.l_diversity import DistinctL, EntropyL, MaxShareL
from unmask.models.max_risk import MaxRisk
from unmask.models.privacy_model import PrivacyModel
from unmask.models.recursive_cl import RecursiveCL
from unmask.models.release_assessment import measure_all
from unmask.models.t_closeness import TCloseness
from unmask.models.uniqueness import SampleUniqueness
from unmask.release import Publication
from unmask.sanitizers.anatomy import Anatomy
from unmask.sanitizers.full_domain import FullDomain
from unmask.sanitizers.microaggregation import Microaggregation
from unmask.sanitizers.mondrian import Mondrian
from unmask.sanitizers.suppression import LocalSuppression, RecordSuppression
from unmask.schema import Missing
from unmask.table import Table

MODELS: tuple[PrivacyModel, ...] = (
    KAnonymity(), MaxRisk(), AverageRisk(), SampleUniqueness(), DistinctL(), EntropyL(), MaxShareL(), RecursiveCL(2, 2),
    TCloseness(), BetaLikeness(),
)  # fmt: skip

SANITIZERS: list[Any] = [
    Mondrian(k=2),
    Mondrian(k=3),
    Mondrian(k=1, models=(MaxShareL(1.5),)),
    Mondrian(k=2, models=(TCloseness(0.6), DistinctL(2))),
    Mondrian(k=2, cut="literal"),
    Mondrian(k=2, cut="relaxed", models=(MaxShareL(1.5),)),
    FullDomain(k=2),
    FullDomain(k=2, suppression=0.4),
    FullDomain(k=2, models=(EntropyL(1.3),), suppression=0.3),
    FullDomain(k=2, models=(MaxShareL(1.5),), local=True, suppression=0.2),
    FullDomain(k=1, models=(AverageRisk(0.6),), suppression=0.5),
    RecordSuppression(k=2),
    LocalSuppression(k=2),
    LocalSuppression(k=3),
]


def visits() -> Table:
    """Return five visits of two people and two of two more."""
    table = Table.of(
        {"age": [30, 30, 30, 30, 30, 50, 50], "ill": ["flu", "flu", "flu", "cold", "flu", "cold", "flu"]},
        quasi=["age"],
        sensitive=["ill"],
    )
    return replace(table, person_of=np.array([1, 1, 1, 2, 2, 3, 4], np.int32))


@st.composite
def repeating(draw: st.DrawFn, *, missing: bool = False) -> Table:
    """Draw a table in which some people have several rows, alike or not."""
    table = draw(tables(min_rows=2, max_rows=9, missing=missing, blanks=missing))
    person = draw(st.lists(st.integers(0, 5), min_size=table.n_rows, max_size=table.n_rows))
    return replace(table, person_of=np.array(person, np.int32))


def members(publication: Publication, table: Table) -> list[dict[int, set[int]]]:
    """Return for each group its people, and the values that each has there."""
    groups: list[dict[int, set[int]]] = [{} for _ in range(publication.release.n_groups)]
    assert table.person_of is not None
    for row, group in enumerate(publication.group_of.tolist()):
        if group >= 0:
            groups[group].setdefault(int(table.person_of[row]), set()).add(int(table["ill"][row]))
    return groups


def choices(group: dict[int, set[int]]) -> list[np.ndarray[Any, Any]]:
    """Return how often each value would occur, for every choice of one value of each person."""
    return [np.bincount(chosen, minlength=9).astype(float) for chosen in itertools.product(*group.values())]


def test_a_group_of_five_rows_of_two_people_is_two_anonymous():
    """The story: k = 3 by rows, and only two people to look for."""
    release = Mondrian(k=2).sanitize(visits(), np.random.default_rng(0)).release
    assert release.size.tolist() == [5, 2]
    assert release.people.tolist() == [2, 2]
    assert [one.value for one in measure_all(release, (KAnonymity(), MaxRisk()))] == [2, 0.5]
    with pytest.raises(InfeasibleError, match="number of people, 4; got 5"):
        Mondrian(k=5).sanitize(visits(), np.random.default_rng(0))


def test_a_person_with_the_same_value_three_times_counts_once_and_with_two_values_once_in_each():
    """Both of the first group had the flu: by rows 4 of 5, by people 2 of 2, and no person doubts it."""
    release = Mondrian(k=2).sanitize(visits(), np.random.default_rng(0)).release
    share, distinct = measure_all(release, (MaxShareL(), DistinctL()))
    assert share.value == 1
    assert distinct.value == 1  # one value is enough to account for every person


def test_suppressed_people_and_rows_are_counted_apart():
    """Person 5 loses the only row, person 1 one of four: one person is gone, and two rows."""
    table = Table.of({"age": [30, 30, 30, 30, 40, 60], "ill": list("aabbab")}, quasi=["age"], sensitive=["ill"])
    table = replace(table, person_of=np.array([1, 1, 1, 2, 1, 5], np.int32))
    release = RecordSuppression(k=2).sanitize(table, np.random.default_rng(0)).release
    assert (release.n_suppressed, release.n_suppressed_rows) == (1, 2)
    assert release.n_people == 2


def test_a_sanitizer_that_cannot_count_people_says_so():
    """Anatomy takes rows apart one by one."""
    with pytest.raises(InvalidInputError, match=r"one row for each person.*full-domain or mondrian"):
        Anatomy(l=2).sanitize(visits(), np.random.default_rng(0))


@pytest.mark.parametrize("sanitizer", SANITIZERS, ids=str)
@given(table=repeating())
@settings(max_examples=15, deadline=None)
def test_what_is_promised_is_promised_to_people(sanitizer: Any, table: Table):
    """Law: every group has k different people, and no choice of one value a person is less safe than measured."""
    try:
        publication = sanitizer.sanitize(table, np.random.default_rng(0))
    except InfeasibleError:
        return
    groups = members(publication, table)
    assert min(len(group) for group in groups) >= sanitizer.k
    people_of_groups = {person for group in groups for person in group}
    assert publication.release.n_people == len(people_of_groups)
    for model in getattr(sanitizer, "models", ()):
        if isinstance(model, AverageRisk):
            worst = {p: max(1 / len(g) for g in groups if p in g) for p in people_of_groups}
            assert sum(worst.values()) / len(worst) <= model.limit + 1e-9
        elif not isinstance(model, TCloseness):
            for group in groups:
                for chosen in choices(group):
                    assert model.score(chosen.sum(keepdims=True), chosen[None], chosen)[0] >= model.limit - 1e-9
    lost = {int(table.person_of[r]) for r in np.flatnonzero(publication.group_of < 0)}  # type: ignore[index]
    if isinstance(sanitizer, FullDomain):
        assert len(lost) <= sanitizer.suppression * np.unique(table.person_of).size + 1e-9  # type: ignore[arg-type]


@given(table=repeating())
@settings(max_examples=12, deadline=None)
def test_measuring_counts_the_same_people(table: Table):
    """Law: k, risk and uniqueness equal a plain count; the diversity models are no safer than any choice of values."""
    publication = Mondrian(k=1).sanitize(table, np.random.default_rng(0))
    groups = members(publication, table)
    found = {one.model.name: one.readings[MissingAs.OWN].value for one in measure_all(publication.release, MODELS)}
    assert found["k"] == min(len(group) for group in groups)
    assert found["max-risk"] == max(1 / len(group) for group in groups)
    people_of_groups = {person for group in groups for person in group}
    alone = {p for p in people_of_groups if any(p in g and len(g) == 1 for g in groups)}
    assert found["uniqueness"] >= len(alone) / len(people_of_groups) - 1e-9
    for model in MODELS:
        if model.name in {"distinct-l", "entropy-l", "max-share-l", "recursive-cl"}:
            worst = [model.score(c.sum(keepdims=True), c[None], c)[0] for g in groups for c in choices(g)]
            if model.higher_is_safer:
                assert found[model.name] <= min(worst) + 1e-9
            else:
                assert found[model.name] >= max(worst) - 1e-9
    if all(len(values) == 1 for group in groups for values in group.values()):
        assert found["distinct-l"] == min(len(set().union(*group.values())) for group in groups)


@pytest.mark.parametrize(
    "sanitizer", [Mondrian(k=2), Mondrian(k=1, models=(MaxShareL(1.2),)), FullDomain(k=2), LocalSuppression(k=2)],
    ids=str,
)  # fmt: skip
@given(table=tables(min_rows=2, missing=False), times=st.integers(2, 3))
@settings(max_examples=12, deadline=None)
def test_repeating_each_row_changes_no_measure(sanitizer: Any, table: Table, times: int):
    """Law: rows of the same person are no company."""
    table = replace(table, person_of=np.arange(table.n_rows, dtype=np.int32))
    stacked = table.take(np.tile(np.arange(table.n_rows), times))
    try:
        once = sanitizer.sanitize(table, np.random.default_rng(0)).release
    except InfeasibleError:
        with pytest.raises(InfeasibleError, match=r" must be at (least|most) "):
            sanitizer.sanitize(stacked, np.random.default_rng(0))
        return
    again = sanitizer.sanitize(stacked, np.random.default_rng(0)).release
    assert once.headcount is None
    assert again.size.tolist() == (once.size * times).tolist()
    for one, other in zip(measure_all(once, MODELS), measure_all(again, MODELS), strict=True):
        assert one.value == pytest.approx(other.value, nan_ok=True)


@given(table=repeating(), seed=st.integers(0, 99))
@settings(max_examples=15, deadline=None)
def test_the_order_of_rows_and_the_numbers_of_people_change_nothing(table: Table, seed: int):
    """Law: the release is the same, also in how many people it counts."""
    order = np.random.default_rng(seed).permutation(table.n_rows)
    named: Int32 = (7 - np.asarray(table.person_of)).astype(np.int32)
    for sanitizer in (Mondrian(k=2), FullDomain(k=2, suppression=0.3)):
        try:
            one = sanitizer.sanitize(table, np.random.default_rng(0)).release
        except InfeasibleError:
            continue
        other = sanitizer.sanitize(replace(table, person_of=named).take(order), np.random.default_rng(0)).release
        assert one.same_content(other)


def test_where_no_person_has_two_rows_a_person_key_changes_nothing():
    """The common case takes the old way."""
    table = replace(visits(), person_of=np.arange(7, dtype=np.int32))
    for sanitizer in (Mondrian(k=2), FullDomain(k=2), LocalSuppression(k=2), Anatomy(l=1)):
        one = sanitizer.sanitize(table, np.random.default_rng(0)).release
        other = sanitizer.sanitize(replace(table, person_of=None), np.random.default_rng(0)).release
        assert one.headcount is None
        assert one.same_content(other)


def test_hierarchies_are_climbed_until_people_not_rows_look_alike():
    """Three rows of one person in 13012 are not enough: the zip code is coarsened."""
    table = Table.of({"zip": ["13012"] * 3 + ["13013"] * 2, "ill": list("aabbc")}, quasi=["zip"], sensitive=["ill"])
    attribute = replace(table.schema["zip"], hierarchy=Hierarchy.masks(["13012", "13013"]))
    schema = replace(table.schema, attributes=(attribute, table.schema["ill"]))
    table = replace(table, schema=schema, person_of=np.array([1, 1, 1, 2, 3], np.int32))
    by_people = FullDomain(k=2).sanitize(table, np.random.default_rng(0)).release
    by_rows = FullDomain(k=2).sanitize(replace(table, person_of=None), np.random.default_rng(0)).release
    assert (by_people.n_groups, by_rows.n_groups) == (1, 2)
    assert by_people.people.tolist() == [3]


CLAIMING: list[Any] = [
    Mondrian(k=2, models=(MaxShareL(1.5), TCloseness(0.5))),
    RecordSuppression(k=1, models=(DistinctL(1), BetaLikeness(2))),
    Microaggregation(k=2, models=(RecursiveCL(3, 2), EntropyL(1.3))),
]


@pytest.mark.parametrize("sanitizer", CLAIMING, ids=str)
@given(table=repeating(missing=True), policy=st.sampled_from([Missing.OWN, Missing.WILDCARD]))
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
def test_claims_hold_where_people_are_in_several_groups_and_cells_match_everything(sanitizer, table, policy):
    """Law: that groups match which share people never makes a model worse than it is in each of them."""
    schema = replace(table.schema, attributes=tuple(replace(a, missing=policy) for a in table.schema))
    try:
        release = sanitizer.sanitize(replace(table, schema=schema), np.random.default_rng(0)).release
    except InfeasibleError:
        reject()
    assert [one.model.name for one in measure_all(release, sanitizer.claims) if not one.holds] == []
