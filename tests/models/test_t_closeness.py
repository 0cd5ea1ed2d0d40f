from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models import reference
from tests.models.strategies import arrays, groups
from unmask.errors import InvalidInputError
from unmask.hierarchies import Hierarchy
from unmask.models.privacy_model import ComparesShares, bound, holds
from unmask.models.t_closeness import TCloseness
from unmask.schema import Attribute, Categorical, Ordered, Role

SALARIES = [str(n) for n in range(3, 12)]
DISEASES = Hierarchy.from_rows([
    ["gastric ulcer", "stomach", "digestive", "any"],
    ["gastritis", "stomach", "digestive", "any"],
    ["colitis", "colon", "digestive", "any"],
    ["flu", "infection", "lung", "any"],
    ["bronchitis", "infection", "lung", "any"],
])  # fmt: skip


def ordered(values: list[str], mark: str = "?") -> Attribute:
    """Return a sensitive attribute with an order."""
    return Attribute("pay", Role.SENSITIVE, Ordered(tuple(values)), mark=mark)


def in_tree(hierarchy: Hierarchy, *more: str) -> Attribute:
    """Return a sensitive attribute with a hierarchy."""
    return Attribute("ill", Role.SENSITIVE, Categorical((*hierarchy.leaves, *more)), hierarchy)


def salaries(*groups_of: list[int]) -> list[list[int]]:
    """Return counts of the salaries 3 to 11 (in thousands) by group."""
    return [[row.count(n) for n in range(3, 12)] for row in groups_of]


def test_the_salaries_of_the_paper():
    """Li et al., section 4: 3, 4, 5 of nine salaries are 0.375 away, and 6, 8, 11 are 1/6 away."""
    model = bound(TCloseness(0.2, "ordered"), ordered(SALARIES))
    size, counts, overall = arrays(salaries([3, 4, 5], [6, 8, 11], [7, 9, 10]))
    score = model.score(size, counts, overall)
    assert score[:2] == pytest.approx([0.375, 1 / 6])
    assert holds(model, score).tolist() == [False, True, False]
    assert TCloseness().score(size, counts, overall) == pytest.approx([2 / 3] * 3)


def test_one_group_and_a_constant_value_are_at_distance_zero():
    """The group is the table. With one value there is nothing to divide by."""
    for counts in ([[3, 1, 2]], [[4, 0, 0], [1, 0, 0]]):
        for distance in ("equal", "ordered"):
            model = bound(TCloseness(0, distance), ordered(list("abc")))
            score = model.score(*arrays(counts))
            assert score == pytest.approx(0)
            assert holds(model, score).all()


def test_diseases_of_one_organ_are_closer_than_diseases_of_two():
    """Both groups have one disease; where all other people have one of the same organ, little must be moved far."""
    tree = bound(TCloseness(1, "hierarchical"), in_tree(DISEASES))
    near = tree.score(*arrays([[1, 0, 0, 0, 0], [0, 1, 0, 0, 0]]))
    far = tree.score(*arrays([[1, 0, 0, 0, 0], [0, 0, 0, 1, 0]]))
    assert near == pytest.approx([1 / 6] * 2)
    assert far == pytest.approx([1 / 2] * 2)


def test_an_unused_level_changes_nothing():
    """Neither first nor between nor last: the order counts the values that occur."""
    model = bound(TCloseness(1, "ordered"), ordered(list("abcde")))
    plain = bound(TCloseness(1, "ordered"), ordered(list("bd")))
    assert (
        model.score(*arrays([[0, 2, 0, 1, 0], [0, 1, 0, 3, 0]])).tolist()
        == plain.score(*arrays([[2, 1], [1, 3]])).tolist()
    )


def test_what_is_missing_lies_below_all_values_and_apart_in_a_tree():
    """As one more value: the order puts it first wherever it is listed, the hierarchy right under the root."""
    listed_last = bound(TCloseness(1, "ordered"), ordered(["a", "b", "?"]))
    first = bound(TCloseness(1, "ordered"), ordered(["?", "a", "b"], mark="none"))
    assert listed_last.score(*arrays([[2, 0, 1], [0, 3, 0]])) == pytest.approx(
        first.score(*arrays([[1, 2, 0], [0, 0, 3]]))
    )
    tree = bound(TCloseness(1, "hierarchical"), in_tree(DISEASES, "?"))
    assert tree.score(*arrays([[1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1]])) == pytest.approx([1 / 2] * 2)


def test_a_hierarchy_without_one_top_gets_a_root():
    """Two organs and nothing above: they meet one level higher."""
    flat = Hierarchy.from_rows([["a", "x"], ["b", "x"], ["c", "y"]])
    rooted = Hierarchy.from_rows([["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"]])
    counts = arrays([[2, 1, 0], [0, 1, 2]])
    scores = [bound(TCloseness(1, "hierarchical"), in_tree(h)).score(*counts).tolist() for h in (flat, rooted)]
    assert scores[0] == scores[1]


def test_nothing_known_is_undefined_and_never_safe():
    """For every distance."""
    for model in (
        TCloseness(1),
        bound(TCloseness(1, "ordered"), ordered(list("abcde"))),
        bound(TCloseness(1, "hierarchical"), in_tree(DISEASES)),
    ):
        score = model.score(np.array([2.0]), np.zeros((1, 5)), np.ones(5))
        assert np.isnan(score).all()
        assert not holds(model, score).any()


def test_missing_requirements_of_a_distance_are_refused():
    """An order, a hierarchy with every value, nested levels; t between 0 and 1; a distance that exists."""
    category = Attribute("ill", Role.SENSITIVE, Categorical(("flu",)))
    with pytest.raises(InvalidInputError, match=r"'ill' must have an order .* Declare one with --order"):
        bound(TCloseness(0.2, "ordered"), category)
    with pytest.raises(InvalidInputError, match=r"'ill' must have a hierarchy .* Give one with --hierarchy"):
        bound(TCloseness(0.2, "hierarchical"), category)
    with pytest.raises(InvalidInputError, match="it lacks 1 of"):
        bound(TCloseness(0.2, "hierarchical"), in_tree(DISEASES, "cold"))
    crossed = Hierarchy.intervals([1, 2, 3], [2, 3])
    with pytest.raises(InvalidInputError, match="must be nested"):
        bound(TCloseness(0.2, "hierarchical"), replace(ordered(["1", "2", "3"]), hierarchy=crossed))
    with pytest.raises(InvalidInputError, match="must be bound to an attribute"):
        TCloseness(0.2, "ordered").score(*arrays([[1]]))
    with pytest.raises(InvalidInputError, match="t must lie between 0 and 1"):
        TCloseness(1.5)
    with pytest.raises(InvalidInputError, match="distance must be one of equal, ordered, hierarchical"):
        TCloseness(0.2, "orderly")  # type: ignore[arg-type]


def test_values_that_a_group_has_more_of_are_moved_the_whole_way():
    """Several values a person: .5 values more a person than in the table, beside the transport of the others.

    Members have the first two of three values, half of the table has each. Equal: ½ (½ + ½ + ½), and half the excess.
    Ordered: the excess is put above all values, where that costs more: (½ + 1) / 2, and the excess; at most 1. In the
    tree: the mean of ½ (½ + ½ + ½) + ¼ for the values and ½ (1 + ½) + ¼ for what is above them.
    """
    share, everywhere = np.array([[1.0, 1, 0]]), np.array([0.5, 0.5, 0.5])
    assert TCloseness(1).score_shares(share, everywhere) == pytest.approx([1.0])
    line = bound(TCloseness(1, "ordered"), ordered(list("abc")))
    assert isinstance(line, ComparesShares)
    assert line.score_shares(share, everywhere) == pytest.approx([1.0])
    tree = bound(TCloseness(1, "hierarchical"), in_tree(Hierarchy.from_rows([["a", "x"], ["b", "x"], ["c", "y"]])))
    assert isinstance(tree, ComparesShares)
    assert tree.score_shares(share, everywhere) == pytest.approx([1.0])


@pytest.mark.parametrize("seed", range(5))
def test_ordered_shares_are_moved_by_the_cheapest_transport_beside_the_excess(seed):
    """Linear programming, the excess put below all values and above all values; the dearer one, and the excess."""
    rng = np.random.default_rng(seed)
    share, everywhere = rng.integers(5, 11, 4) / 10, rng.integers(1, 6, 4) / 10
    excess = float(share.sum() - everywhere.sum())
    costs = []
    for end in (0, 3):
        target = everywhere.copy()
        target[end] += excess
        counts, whole = (np.round(one * 10).astype(int).tolist() for one in (share, target))
        costs.append(reference.earth_mover(counts, whole, lambda i, j: abs(i - j) / 3) * share.sum())
    model = bound(TCloseness(1, "ordered"), ordered(list("abcd")))
    assert isinstance(model, ComparesShares)
    assert model.score_shares(share[None], everywhere) == pytest.approx([min(max(costs) + excess, 1)])


@settings(max_examples=15)
@given(counts=groups())
def test_the_distances_are_the_cheapest_transports(counts):
    """Linear programming on `any two values are 1 apart`, and on the ranks of the values that occur."""
    size, table, overall = arrays(counts)
    used = np.flatnonzero(overall)
    span = max(used.size - 1, 1)
    rank = {int(v): i / span for i, v in enumerate(used)}
    everywhere = [int(n) for n in overall]
    equal = [reference.earth_mover(row, everywhere, lambda i, j: float(i != j)) for row in counts]
    assert TCloseness(1).score(size, table, overall) == pytest.approx(equal, abs=1e-9)
    line = [reference.earth_mover([row[v] for v in used], [everywhere[v] for v in used],
            lambda i, j: abs(rank[int(used[i])] - rank[int(used[j])])) for row in counts]  # fmt: skip
    model = bound(TCloseness(1, "ordered"), ordered([str(v) for v in range(overall.size)]))
    assert model.score(size, table, overall) == pytest.approx(line, abs=1e-9)


@st.composite
def trees(draw: st.DrawFn, leaves: int) -> list[list[int]]:
    """Draw the labels of nested levels over some leaves, from the leaves to one root."""
    levels = [list(range(leaves))]
    for _ in range(draw(st.integers(0, 3))):
        below = sorted(set(levels[-1]))
        joined = dict(zip(below, draw(st.lists(st.integers(0, 2), min_size=len(below), max_size=len(below)))))  # noqa: B905
        levels.append([joined[label] for label in levels[-1]])
    return [*levels, [0] * leaves]


@settings(max_examples=15)
@given(counts=groups(), data=st.data())
def test_the_hierarchical_distance_is_the_cheapest_transport_in_the_tree(counts, data):
    """Two leaves are as far apart as the level at which they meet, over the height of the root."""
    size, table, overall = arrays(counts)
    levels = data.draw(trees(overall.size))
    hierarchy = Hierarchy.from_rows([
        [str(leaf), *(f"{n}:{level[leaf]}" for n, level in enumerate(levels[1:]))] for leaf in range(overall.size)
    ])  # fmt: skip
    height = len(levels) - 1

    def meet(i: int, j: int) -> float:
        return next(n for n in itertools.count() if levels[n][i] == levels[n][j]) / height

    everywhere = [int(n) for n in overall]
    expected = [reference.earth_mover(row, everywhere, meet) for row in counts]
    score = bound(TCloseness(1, "hierarchical"), in_tree(hierarchy)).score(size, table, overall)
    assert score == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
def test_no_distance_is_above_one(distance):
    """Where people have many values each, all of a group may have values that few others have: t = 1 holds for all."""
    rng = np.random.default_rng(1)
    attribute = in_tree(Hierarchy.from_rows([["a", "x"], ["b", "x"], ["c", "y"], ["d", "y"]]))
    if distance == "ordered":
        attribute = ordered(list("abcd"))
    model = bound(TCloseness(1, distance), attribute)
    assert isinstance(model, ComparesShares)
    share = np.concatenate([rng.random((200, 4)), np.eye(4), np.ones((1, 4))])
    everywhere = rng.random((50, 4)) / 2
    found = np.array([model.score_shares(share, one) for one in everywhere])
    assert found.min() >= 0
    assert found.max() == 1
