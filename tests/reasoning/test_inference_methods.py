"""Ways to reason about a small table: who learns from one group about another, and who cannot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from tests import oracle, stories
from unmask.datasets.papers import kifer_listed, kifer_recoded, kifer_table_1, kifer_table_6
from unmask.errors import InvalidInputError, NotApplicableError, ResourceError
from unmask.reasoning.inference_methods import (
    Exchangeable,
    Independent,
    MaximumEntropy,
    NaiveBayes,
    RandomWorlds,
    Reasoning,
    TupleIndependent,
    from_own_group,
    models,
)
from unmask.reasoning.possible_worlds import SmallTable, weighed, weighed_by_group
from unmask.reasoning.small_tables import small_table
from unmask.release import Publication
from unmask.table import Table
from unmask.view import Knowledge, View, Worlds

HALF = Fraction(1, 2)


def believed(model: Reasoning, published: Publication, tuple_number: int, value: str) -> Fraction:
    """Return the belief about one of a paper's tuples, which count from 1."""
    release = published.release
    about = release.schema.sensitive[0].name
    table = small_table(release, about)
    row = int(published.row_of[tuple_number - 1])  # type: ignore[index]
    return model.believe(table)[row][table.values.index(value)]


# --- the story: Kifer 2009, tables 1 to 6


@pytest.mark.parametrize(
    ("model", "cancer"),
    [
        (RandomWorlds(), HALF),
        (Independent(), HALF),
        (TupleIndependent(), HALF),
        (MaximumEntropy(), HALF),
        (Exchangeable(), Fraction(100, 101)),
        (NaiveBayes(), Fraction(1020000, 1030201)),
    ],
    ids=lambda one: getattr(one, "name", ""),
)
def test_a_hundred_smokers_with_cancer_and_a_hundred_others_without(model, cancer):
    """Table 1: who learns is nearly sure of the last smoker; the others believe what they believed before."""
    assert believed(model, kifer_table_1(), 200, "y") == cancer


def test_a_distribution_that_is_known_stays_what_it_was():
    """Table 1: a known probability of 1/4 for smokers stays 1/4 after a hundred of them."""
    release = kifer_table_1().release
    table = small_table(release, "lung cancer")
    smoker = table.profiles[int(kifer_table_1().row_of[199])]  # type: ignore[index]
    quarter = [Fraction(3, 4), Fraction(1, 4)]
    row = int(kifer_table_1().row_of[199])  # type: ignore[index]
    assert Independent({smoker: quarter}).believe(table)[row] == tuple(quarter)
    assert TupleIndependent({row: quarter}).believe(table)[row] == tuple(quarter)


def test_a_smoker_in_the_group_makes_cancer_of_the_other_unlikely():
    """Table 6: 5/32 by either model that learns (only the table of counts matters), one half by the other four."""
    found = [believed(model, kifer_table_6(), 12, "Cancer") for model in models()]
    assert found == [HALF] * 4 + [Fraction(5, 32)] * 2


@pytest.mark.parametrize("locally", [False, True])
def test_recoded_cells_distinguish_no_members_of_a_group(locally):
    """Tables 3 and 4: three of four have AIDS; all show the same cells."""
    table = small_table(kifer_recoded(locally=locally), "disease")
    aids = table.values.index("AIDS")
    group = next(g for g, listed in zip(table.groups, table.lists, strict=True) if listed.count(aids) == 3)
    for model in models():
        beliefs = model.believe(table)
        assert [beliefs[row][aids] for row in group] == [Fraction(3, 4)] * 4


def test_a_complete_list_distinguishes_them():
    """With a list of all patients tuple 2, the only woman, is the likeliest without AIDS."""
    beliefs = [believed(NaiveBayes(), kifer_listed(anatomized=False), n, "AIDS") for n in (1, 2, 3, 4)]
    assert sum(beliefs) == 3
    assert min(beliefs) == beliefs[1] < HALF


def test_where_each_group_has_the_same_list_there_is_nothing_to_learn():
    """Table 5: exchanging two diseases everywhere changes nothing that is published, so each has 1/4."""
    for model in models():
        assert believed(model, kifer_listed(anatomized=True), 1, "AIDS") == Fraction(1, 4)


# --- laws


@st.composite
def small(draw: st.DrawFn) -> SmallTable:
    """Draw up to six rows in groups, some of whose values may be unknown."""
    n = draw(st.integers(1, 6))
    owner = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    groups = [tuple(r for r in range(n) if owner[r] == g) for g in sorted(set(owner))]
    profiles = [(draw(st.integers(0, 1)), draw(st.integers(0, 2))) for _ in range(n)]
    lists = []
    for group in groups:
        known = draw(st.integers(max(0, len(group) - 1), len(group)))
        lists.append(tuple(draw(st.lists(st.integers(0, 2), min_size=known, max_size=known))))
    return SmallTable(tuple(profiles), tuple(groups), tuple(lists), ("a", "b", "c"), (2, 3))


@settings(max_examples=40)
@given(small(), st.data())
def test_who_knows_the_distribution_learns_nothing_from_other_groups(table, data):
    """Whatever the distribution is: the belief given everything is the belief given the own group."""
    weights = st.lists(st.integers(1, 5).map(Fraction), min_size=3, max_size=3)
    by_profile = {profile: data.draw(weights) for profile in table.profiles}
    by_row = {row: data.draw(weights) for row in range(len(table.profiles))}
    committed: list[Reasoning] = [
        RandomWorlds(), Independent(by_profile), TupleIndependent(by_row), MaximumEntropy(),
    ]  # fmt: skip
    for model in committed:
        together = model.believe(table)
        assert not model.learns
        if isinstance(model, TupleIndependent):  # rows are numbered anew where a group stands alone
            for number, rows in enumerate(table.groups):
                alone = TupleIndependent({i: by_row[row] for i, row in enumerate(rows)}).believe(table.only(number))
                assert [together[row] for row in rows] == list(alone)
        else:
            assert together == from_own_group(model, table)


@settings(max_examples=40)
@given(small())
def test_beliefs_add_up_to_what_is_published(table):
    """Each row has a distribution; a group with a complete list has, on average, its shares, by every model."""
    for model in models():
        beliefs = model.believe(table)
        assert all(sum(row) == 1 and min(row) >= 0 for row in beliefs)
        for rows, listed in zip(table.groups, table.lists, strict=True):
            if len(listed) == len(rows):
                for value in range(3):
                    assert sum(beliefs[row][value] for row in rows) == listed.count(value)


@settings(max_examples=25)
@given(small())
def test_worlds_are_counted_before_they_are_listed(table):
    """So that too large a table is refused at once."""
    listed = 1
    for one in table.arrangements:
        assert len(set(one)) == len(one)
        listed *= len(one)
    assert table.n_worlds == listed


@pytest.mark.parametrize("seed", range(4))
def test_who_learns_agrees_with_the_oracle(seed):
    """Naive Bayes at three priors, and the joint model, on eight people in groups of different sizes with repeats."""
    rng = np.random.default_rng(seed)
    table = Table.of(
        {"sex": rng.choice(list("fm"), 8).tolist(), "town": rng.choice(list("xyz"), 8).tolist(),
         "ill": rng.choice(["aids", "cold", "flu"], 8).tolist()},
        quasi=["sex", "town"], sensitive=["ill"],
    )  # fmt: skip
    published = stories.exact(table, [0, 0, 0, 1, 1, 2, 2, 2])
    prior = stories.view_of(published.release, table.visible("ill"), "ill").knowledge.prior
    view = View((published.release,), Knowledge.of_rows(published.release, prior))
    read = small_table(published.release, "ill")
    for alpha in (Fraction(1), Fraction(1, 2), Fraction(3)):
        expected = oracle.exact(view, Worlds("dirichlet", alpha=float(alpha)))
        assert [list(row) for row in NaiveBayes(alpha).believe(read)] == expected
    assert [list(row) for row in Exchangeable().believe(read)] == oracle.exact(view, Worlds("dirichlet"), "joint")


def test_no_other_belief_has_more_entropy():
    """Found by a numerical search over all beliefs that publish the same: three rows, of which two values are known."""
    table = SmallTable((("x",), ("y",), ("z",)), ((0, 1, 2),), ((0, 0),), ("a", "b", "c"), (3,))
    ours = np.array([[float(p) for p in row] for row in MaximumEntropy().believe(table)])

    def disorder(p: np.ndarray) -> float:
        return float((p * np.log(np.maximum(p, 1e-12))).sum())

    rows = [{"type": "eq", "fun": lambda p, i=i: p.reshape(3, 3)[i].sum() - 1} for i in range(3)]
    listed = {"type": "ineq", "fun": lambda p: p.reshape(3, 3)[:, 0].sum() - 2}
    best = optimize.minimize(
        disorder,
        np.random.default_rng(0).dirichlet(np.ones(3), 3).ravel(),
        bounds=[(0, 1)] * 9,
        constraints=[*rows, listed],
    )
    assert best.success
    assert disorder(ours) <= best.fun + 1e-6
    assert ours == pytest.approx(best.x.reshape(3, 3), abs=1e-3)


# --- the edges


def test_too_many_worlds_are_refused_with_the_way_out():
    """Counted, not listed: twelve different values in one group are half a billion arrangements."""
    with pytest.raises(ResourceError, match=r"at most 200,000; this one has more\. Take fewer rows .* definetti"):
        SmallTable(((),) * 12, (tuple(range(12)),), (tuple(range(12)),), tuple("abcdefghijkl"), ())


def test_a_table_of_thousands_is_refused_at_once():
    """The number of its worlds has too many digits to count to the end."""
    pairs = tuple((2 * i, 2 * i + 1) for i in range(15_000))
    with pytest.raises(ResourceError, match="at most 200,000"):
        SmallTable(((),) * 30_000, pairs, ((0, 1),) * 15_000, ("a", "b"), ())
    with pytest.raises(ResourceError, match="at most 200,000"):
        SmallTable(((),) * 30_000, (tuple(range(30_000)),), ((0,) * 29_999,), ("a", "b"), ())
    assert SmallTable(((),) * 30_000, (tuple(range(30_000)),), ((0,) * 30_000,), ("a", "b"), ()).n_worlds == 1


def test_few_worlds_of_many_rows_are_refused_by_the_time_they_take():
    """Two groups of four hundred, one of each with another value: 160,000 worlds, of 800 rows each."""
    groups = tuple(range(400)), tuple(range(400, 800))
    with pytest.raises(ResourceError, match=r"at most 60 seconds; it would take about 5 minutes\. Take fewer"):
        SmallTable((("x", "y"),) * 800, groups, ((0,) * 399 + (1,),) * 2, ("a", "b"), (1, 1))


def test_without_learning_from_other_groups_each_is_listed_alone():
    """A hundred groups of three: 3 arrangements each, not 3 to the power of 100; as from all worlds."""
    table = SmallTable((("x",), ("y",), ("x",)) * 3, tuple((3 * i, 3 * i + 1, 3 * i + 2) for i in range(3)),
                       ((0, 1, 2), (0, 0, 1), (0,)), ("a", "b", "c"), (2,))  # fmt: skip

    def chance(row: int, value: int, _seen: Counter[Hashable]) -> tuple[int, int]:
        return row + value + 1, 30

    assert weighed_by_group(table, chance) == weighed(table, chance)


def test_thousands_whose_value_is_known_are_no_burden():
    """3,000 people each alone, one of them attacked: two worlds."""
    n = 3_000
    profiles = tuple(("y" if i % 2 else "n",) for i in range(n))
    lists = (*((i % 2,) for i in range(n - 1)), ())
    table = SmallTable(profiles, tuple((i,) for i in range(n)), lists, ("a", "b"), (2,))
    assert table.n_worlds == 2
    assert Exchangeable().believe(table)[-1][1] == Fraction(n // 2, n // 2 + 1)


def test_what_is_believed_beforehand_may_rule_out_everything():
    """Then there is no posterior."""
    table = SmallTable((("x",),), ((0,),), ((0,),), ("a", "b"), (1,))
    with pytest.raises(InvalidInputError, match="must give a positive probability to a world"):
        Independent({("x",): [Fraction(0), Fraction(1)]}).believe(table)


def test_combinations_need_every_attribute():
    """Naive Bayes passes over what is missing."""
    table = SmallTable(((None,), ("x",)), ((0, 1),), ((0, 1),), ("a", "b"), (2,))
    assert NaiveBayes().believe(table)[0] == (HALF, HALF)
    with pytest.raises(InvalidInputError, match="some are missing"):
        Exchangeable().believe(table)


def test_noisy_counts_are_no_list_of_values():
    """Halves of people cannot be given to rows."""
    release = kifer_table_6().release
    counts = release.counts["disease"]
    noisy = replace(release, counts={"disease": replace(counts, data=counts.data + 0.5)})
    with pytest.raises(NotApplicableError, match="whole numbers"):
        small_table(noisy, "disease")


def test_rows_and_groups_must_belong_together():
    """Each row in one group; no more values than rows."""
    with pytest.raises(InvalidInputError, match="each of 2 rows must be in one group"):
        SmallTable(((), ()), ((0,),), ((),), ("a",), ())
    with pytest.raises(InvalidInputError, match="at most as many values as rows"):
        SmallTable(((),), ((0,),), ((0, 0),), ("a",), ())
