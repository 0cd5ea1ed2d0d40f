"""What every privacy model keeps, whatever it measures: all that the catalog knows, t with each distance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests import stories
from tests.strategies import groupings, tables
from unmask import catalog
from unmask.arrays import Ragged
from unmask.errors import InvalidInputError
from unmask.hierarchies import Hierarchy
from unmask.models import privacy_model, release_assessment
from unmask.models.delta_presence import DeltaPresence
from unmask.models.equivalence_classes import MissingAs
from unmask.models.privacy_model import AnyModel, PopulationModel, bound, holds, unites
from unmask.models.t_closeness import TCloseness
from unmask.release import Release
from unmask.schema import Categorical, Ordered, Schema
from unmask.table import Table

EXAMPLES: list[AnyModel] = [
    *(example for entry in catalog.entries("models").values() for example in entry.examples),
    TCloseness(0.2, "ordered"),
    TCloseness(0.2, "hierarchical"),
]
ALL = [pytest.param(model, id=f"{model.name}-{getattr(model, 'distance', '')}".rstrip("-")) for model in EXAMPLES]

ALIKE = [
    p
    for p in ALL
    if p.values[0].needs_values  # type: ignore[union-attr]
    and getattr(p.values[0], "distance", "equal") == "equal"
]
"""Models of values that are bound to no attribute."""

UNITING = [p for p in ALL if unites(p.values[0])]  # type: ignore[arg-type]
"""Models that say of themselves that safe groups are safe together."""

HALVES, DOUBLES, VANISHES = ("max-risk", "average-risk"), ("k", "k-map"), ("uniqueness",)
"""The factor of a score if all people are published twice; all other scores stay."""

TREE = Hierarchy.from_rows([
    ["aids", "virus", "*"], ["cold", "virus", "*"], ["flu", "virus", "*"], ["none", "healthy", "*"],
    ["unused", "other", "*"],
])  # fmt: skip


def fitted(table: Table, order: Sequence[str] | None = None) -> Table:
    """Return the table with an order and a hierarchy of its sensitive values, of which some may not occur."""
    old = table.schema["ill"]
    values = tuple(order or old.values)
    new = replace(old, domain=Ordered(values), hierarchy=TREE)
    place = np.array([*(values.index(v) for v in old.values), -1], np.int32)
    schema = Schema(tuple(new if a.name == "ill" else a for a in table.schema))
    return replace(table, schema=schema, columns={**table.columns, "ill": place[table["ill"]]})


def release_of(table: Table, group: Sequence[int]) -> Release:
    """Publish groups; numbers without people are passed over."""
    return stories.boxed(table, np.unique(np.array(group), return_inverse=True)[1].ravel().tolist()).release


def scores(release: Release, model: AnyModel, population: Table) -> list[tuple[float, float, bool]]:
    """Return the value, the people beyond the limit and the verdict, under both readings."""
    one = release_assessment.measure_release(release, model, population=population)
    return [(one.readings[r].value, one.readings[r].beyond, one.readings[r].holds) for r in MissingAs]


def agree(one: list[tuple[float, float, bool]], other: list[tuple[float, float, bool]]) -> bool:
    """Whether two measurements are equal, undefined values included."""
    return all(a == pytest.approx(b, nan_ok=True, rel=1e-12, abs=1e-12) for a, b in zip(one, other, strict=True))


def fitting(population: Table, rows: Sequence[int], group: Sequence[int]) -> list[tuple[object, list[int]]]:
    """Return for each group the ranges of its members, and the people of a population who lie in all of them."""
    found: list[tuple[object, list[int]]] = []
    names = [a.name for a in population.schema.quasi]
    for g in sorted(set(group)):
        members = [row for row, number in zip(rows, group, strict=True) if number == g]
        ends = {n: (min(population[n][members]), max(population[n][members])) for n in names}
        inside = [
            person for person in range(population.n_rows)
            if all(low <= population[n][person] <= high for n, (low, high) in ends.items())
        ]  # fmt: skip
        found.append((ends, inside))
    return found


@st.composite
def published(draw: st.DrawFn, *, missing: bool = True) -> tuple[Table, list[int]]:
    """Draw a table whose sensitive values have an order and a hierarchy, and groups."""
    table = fitted(draw(tables(missing=missing, blanks=missing)))
    return table, draw(groupings(table.n_rows))


@pytest.mark.parametrize("model", ALL)
@given(drawn=published(), seed=st.integers(0, 99))
@settings(max_examples=8)
def test_the_order_of_rows_changes_nothing(model, drawn, seed):
    """Nor that of groups, nor that of the people of the population."""
    table, group = drawn
    order = np.random.default_rng(seed).permutation(table.n_rows)
    shuffled = table.take(order)
    other = release_of(shuffled, [2 - group[i] for i in order])
    assert agree(scores(release_of(table, group), model, table), scores(other, model, shuffled))


@pytest.mark.parametrize("model", ALL)
@given(drawn=published())
@settings(max_examples=8)
def test_values_that_nobody_has_change_nothing(model, drawn):
    """One more value in the order, between others, and in the hierarchy."""
    table, group = drawn
    values = table.schema["ill"].values
    wider = fitted(table, [*values[:1], "unused", *values[1:]])
    assert agree(scores(release_of(table, group), model, table), scores(release_of(wider, group), model, wider))


@pytest.mark.parametrize("model", ALL)
@given(drawn=published(), codes=st.permutations(range(4)))
@settings(max_examples=8)
def test_names_and_codes_of_values_change_nothing(model, drawn, codes):
    """Values are renamed, and without an order also coded anew; orders are kept, and trees renamed with them."""
    table, group = drawn
    old = table.schema["ill"]
    new = {value: f"{n}{value}" for n, value in zip(codes, old.values)}  # noqa: B905 - fewer values than codes
    tree = Hierarchy.from_rows([[new.get(v, v), label, "*"] for v, label in
                                [("aids", "a"), ("cold", "a"), ("flu", "a"), ("none", "b")]])  # fmt: skip
    in_order = getattr(model, "distance", "") == "ordered"
    values = tuple(new.values()) if in_order else tuple(sorted(new.values()))
    attribute = replace(old, domain=Ordered(values) if in_order else Categorical(values), hierarchy=tree)
    place = np.array([*(values.index(new[v]) for v in old.values), -1], np.int32)
    schema = Schema(tuple(attribute if a.name == "ill" else a for a in table.schema))
    other = replace(table, schema=schema, columns={**table.columns, "ill": place[table["ill"]]})
    assert agree(scores(release_of(table, group), model, table), scores(release_of(other, group), model, other))


@pytest.mark.parametrize("model", ALL)
@given(drawn=published())
@settings(max_examples=8)
def test_a_table_stacked_on_itself(model, drawn):
    """All people twice, in the population too: sizes double, re-identification risks halve, shares stay."""
    table, group = drawn
    twice = table.take(np.tile(np.arange(table.n_rows), 2))
    once, both = (scores(release_of(one, own), model, one) for one, own in ((table, group), (twice, [*group, *group])))
    factor = 2 if model.name in DOUBLES else 0.5 if model.name in HALVES else 1
    for (value, _, _), (other, _, _) in zip(once, both, strict=True):
        expected = 0.0 if model.name in VANISHES else factor * value
        assert other == pytest.approx(expected, nan_ok=True, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("model", ALL)
@given(drawn=published(missing=False))
@settings(max_examples=12)
def test_joining_groups_never_makes_it_worse(model, drawn):
    """Each model is fine with a group of two parts if it was with both; so a coarser release is never less safe."""
    table, group = drawn
    if isinstance(model, PopulationModel):  # a person who fits two groups is in the release by either
        assume(sum(len(inside) for _, inside in fitting(table, range(table.n_rows), group)) == table.n_rows)
    fine, coarse = (scores(release_of(table, own), model, table)[0] for own in (group, [g // 2 for g in group]))
    if model.higher_is_safer:
        assert coarse[0] >= fine[0] - 1e-12
    else:
        assert coarse[0] <= fine[0] + 1e-12
    assert coarse[2] or not fine[2]


@given(drawn=published(missing=False), chosen=st.sets(st.integers(0, 7), min_size=1))
def test_who_is_hidden_among_the_population_is_counted_person_by_person(drawn, chosen):
    """k-map and δ-presence against a loop over all people: a person within the ranges of a group fits it.

    Groups with equal ranges are one to an attacker: their members count together.
    """
    population, group = drawn
    rows = sorted(row for row in chosen if row < population.n_rows) or [0]
    own = np.unique([group[row] for row in rows], return_inverse=True)[1].ravel().tolist()
    release = stories.boxed(population.take(np.array(rows)), own).release
    ranges = fitting(population, rows, own)
    shown_alike = [sum(own.count(h) for h, (ends, _) in enumerate(ranges) if ends == mine) for mine, _ in ranges]
    for model in EXAMPLES:
        if not isinstance(model, PopulationModel):
            continue
        found = release_assessment.measure_release(release, model, population=population).value
        if model.name == "k-map":
            assert found == min(len(people) for _, people in ranges)
        else:
            assert found == pytest.approx(
                max(n / len(people) for n, (_, people) in zip(shown_alike, ranges, strict=True))
            )
        assert math.isfinite(found)


def test_twins_in_two_groups_are_present_together():
    """Both of the town's twins are published, each in a group of their own: that they are in it is certain."""
    twins = Table.of({"age": [20, 20], "ill": list("ab")}, quasi=["age"], sensitive=["ill"])
    for release in (stories.boxed(twins, [0, 1]).release, stories.exact(twins, [0, 1]).release):
        one = release_assessment.measure_release(release, DeltaPresence(0, 0.5), population=twins)
        assert (one.value, one.people, one.holds) == (1, 2, False)


def test_every_model_is_tried():
    """A model that the catalog knows is in the laws above, or they prove nothing of it."""
    names = {model.name for model in EXAMPLES}
    assert len(catalog.entries("models")) == len(names)
    assert {*HALVES, *DOUBLES, *VANISHES} <= names


@pytest.mark.parametrize("model", UNITING)
def test_groups_that_are_safe_are_safe_together(model):
    """So every cut above safe groups was safe: replaying the cuts relies on it."""

    @settings(max_examples=30)
    @given(st.lists(st.lists(st.integers(0, 9), min_size=4, max_size=4).filter(any), min_size=2, max_size=6))
    def law(groups: list[list[int]]) -> None:
        counts = np.array(groups, np.float64)
        domain = Ordered(("aids", "cold", "flu", "none"))
        table = Table.of({"ill": list(domain.values)}, sensitive=["ill"])
        attribute = replace(table.schema["ill"], domain=domain, hierarchy=TREE)
        both = np.concatenate([counts[:2], counts[:2].sum(axis=0, keepdims=True)])
        size = both.sum(axis=1)
        for limit in (model, *limits_near(model, size, both, counts.sum(axis=0))):
            ours = bound(limit, attribute)
            safe = holds(ours, ours.score(size, both, counts.sum(axis=0)))
            assert safe[2] or not safe[:2].all()

    law()


def limits_near(model: Any, size: Any, counts: Any, overall: Any) -> list[Any]:
    """Return the model with the limit that two groups just meet, where it may be set so."""
    if not hasattr(model, "limit") or "limit" not in getattr(model, "__dataclass_fields__", {}):
        return []
    if getattr(model, "distance", "equal") != "equal":
        return []
    score = model.score(size, counts, overall)[:2]
    worst = float(score.min() if model.higher_is_safer else score.max())
    try:
        return [replace(model, limit=worst)]
    except InvalidInputError:
        return []


def test_models_of_values_say_whether_safe_groups_are_safe_together():
    """All that the catalog has do; the others look at sizes alone, or at the whole release."""
    silent = {m.name for m in EXAMPLES if m.needs_values and not unites(m)}
    assert silent == set()


@pytest.mark.parametrize("model", ALIKE)
@settings(max_examples=12, deadline=None)
@given(
    rows=st.lists(st.lists(st.integers(0, 3), min_size=9, max_size=9), min_size=1, max_size=12),
    unknown=st.lists(st.sampled_from([0.0, 0.5, 2.0]), min_size=9, max_size=9),
    cells=st.integers(1, 40),
)
def test_values_that_no_group_has_may_be_put_together(model, rows, unknown, cells):
    """What a model says of groups is the same if absent values are one, whatever runs of groups it is asked about."""
    dense = np.array(rows, np.float64)
    counts, overall = Ragged.of(dense), dense.sum(axis=0) + np.array(unknown)  # the table has people in no group, too
    size = dense.sum(axis=1)
    right = model.score(size, dense, overall)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(privacy_model, "NARROW", 0)
        blocks = list(privacy_model.dense_blocks(counts, overall, cells, merged=True))
    found = [model.score(size[part], here, everywhere) for part, here, everywhere in blocks]
    assert [part.start for part, *_ in blocks] == [0, *(part.stop for part, *_ in blocks[:-1])]
    np.testing.assert_allclose(np.concatenate(found), right, rtol=1e-12, atol=1e-12)


def test_what_many_values_cost_grows_with_those_that_occur():
    """A hundred thousand people with as many values are millions of cells, not ten billions."""
    n = 100_000  # people of one group each, and as many values: 10^10 cells, were all looked at
    value = np.random.default_rng(1).integers(0, n, n)
    counts = Ragged.gather(np.arange(n), value, np.ones(n), (n, n))
    blocks = privacy_model.dense_blocks(counts, counts.column_sums(), 1 << 16, merged=True)
    assert sum(here.size for _, here, _ in blocks) < n * 300
