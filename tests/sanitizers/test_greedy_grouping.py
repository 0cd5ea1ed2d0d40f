"""Greedy grouping: sorted people, groups closed as soon as they are diverse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import greedy
from tests.rates import proportion_within
from unmask import catalog
from unmask.datasets.adult import adult
from unmask.errors import InfeasibleError, InvalidInputError
from unmask.release import Publication
from unmask.sanitizers import _greedy
from unmask.sanitizers.greedy_grouping import GreedyGrouping
from unmask.sanitizers.greedy_rule.rule import GreedyRule
from unmask.schema import Missing
from unmask.table import Table

IN_ORDER = ("age", "workclass", "education-num", "marital-status", "relationship", "race", "sex", "income")


def ward(ills: str, missing: Missing = Missing.OWN, **more: Sequence[object]) -> Table:
    """Return patients by age, with their diseases, a letter each; other columns are insensitive."""
    columns: dict[str, Any] = {"age": range(20, 20 + len(ills)), "ill": [None if i == "?" else i for i in ills]}
    return Table.of({**columns, **more}, quasi=["age"], sensitive=["ill"], insensitive=list(more), missing=missing)


def publish(table: Table, seed: int = 0, **settings: Any) -> Publication:
    """Publish with a fresh generator."""
    return GreedyGrouping(**settings).sanitize(table, np.random.default_rng(seed))


def sizes(table: Table, seed: int = 0, **settings: Any) -> list[int]:
    """Return the sizes of the groups in the order of ages, which is that of groups."""
    found = publish(table, seed, **settings).group_of
    return [int((found == group).sum()) for group in dict.fromkeys(found[found >= 0].tolist())]


# --- the story


def test_the_slides_salaries_are_closed_in_pairs():
    """50, 50, 60, 65, 50, 60, l = 2: a pair of two 50s is not diverse; four are, and then two."""
    salaries = Table.of(
        {"born": [1, 2, 3, 4, 5, 6], "salary": [50_000, 50_000, 60_000, 65_000, 50_000, 60_000]},
        quasi=["born"], sensitive=["salary"],
    )  # fmt: skip
    release = publish(salaries, l=2).release
    assert release.size.tolist() == [4, 2]
    assert release.counts_of("salary").dense().tolist() == [[2, 1, 1], [1, 1, 0]]
    assert (release.provenance.order, release.provenance.tail) == (("born",), "closed")


def test_a_group_is_closed_at_the_first_person_with_whom_it_is_safe():
    """Of `y` at most one in three: three, then six since two came together, then three without any."""
    assert sizes(ward("nynyynnnnnnn"), l=3, positive="y") == [3, 6, 3]


def test_remaining_people_join_backwards_until_all_are_safe():
    """Two `y` at the end are not safe with the group before them alone, but with the one before that."""
    assert sizes(ward("nnnnnnnynnyy"), l=3, positive="y") == [3, 9]
    assert publish(ward("nnnnnnnynnyy"), l=3, positive="y").release.provenance.tail == "merged"
    assert publish(ward("nnnnnnnny"), l=3, positive="y").release.provenance.tail == "closed"


def test_without_a_minimum_size_a_single_no_is_a_group_and_longer_groups_begin_with_a_yes():
    """What makes the bound of e/l false: anyone who is first in a longer group is known."""
    table = ward("nynnnyynnnnn")
    assert sizes(table, l=3, positive="y", minimum=1) == [1, 3, 1, 6, 1]


def test_a_merged_group_can_tell_more_where_the_minimum_is_above_l():
    """Of two `y` at most one is among the five who were closed, so the sixth person is the other for certain."""
    every = greedy.groups(6, "ny", GreedyRule(3, 5, "y"))
    assert max(group.belief[-1].get("y", 0) for group in every if group.merged) == 1


# --- what is published


def test_rows_show_each_person_exactly_and_values_are_counted_by_group():
    """Nothing stands beside a row; all that the attacker may know is told, and no seed."""
    release = publish(ward("abcabc"), l=3, p=0.25, coin="group").release
    assert release.masked.is_exact
    assert release.columns == {}
    parameters = {"l": 3, "minimum": 3, "p": 0.25, "coin": "group", "ties": "random", "publish": "rows"}
    assert dict(release.provenance.parameters) == parameters


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"l": 2, "p": 0.5},
        {"l": 2, "order": ("bed", "age"), "tail": "hidden"},
        {"l": 2, "positive": "a", "minimum": 1},
    ],
)
def test_the_parameters_make_the_same_sanitizer(settings):
    """What is published is all that replaying needs, written as it is on the command line."""
    release = publish(ward("abcabc", bed=[6, 2, 3, 4, 5, 1]), **settings).release
    parameters = {key: str(value) for key, value in release.provenance.parameters.items()}
    again = catalog.build("sanitizers", "greedy-grouping", parameters)
    assert again.rule == GreedyGrouping(**settings).rule
    for word in ("order", "ties", "tail", "publish"):
        assert getattr(again, word) == getattr(GreedyGrouping(**settings), word)


def test_boxes_show_the_ranges_of_groups_and_values_stay_with_their_rows():
    """Two groups of three: ages 20 to 22, and 23 to 25."""
    published = publish(ward("abcabc"), l=3, publish="boxes")
    release = published.release
    (cells,) = release.masked.cells  # type: ignore[attr-defined]
    assert np.stack([cells.low, cells.high]).T.tolist() == [[20, 22], [23, 25]]
    assert release.columns["ill"][published.row_of].tolist() == [0, 1, 2, 0, 1, 2]


def test_a_hidden_tail_is_not_published():
    """Closed and merged look alike."""
    for ills, tail in (("abab", "closed"), ("ababcab", "merged")):
        assert publish(ward(ills), l=2).release.provenance.tail == tail
        assert publish(ward(ills), l=2, tail="hidden").release.provenance.tail == "hidden"


def test_max_belief_picks_the_least_l_that_keeps_it():
    """At 1/2: l = 5, whose first buckets reach .488; e/l would have needed 6."""
    assert GreedyGrouping(max_belief=0.5).rule.l == 5
    assert GreedyGrouping(max_belief=0.25).rule.l == 11
    assert GreedyGrouping().rule.l == 3
    assert GreedyGrouping(max_belief=0.5).rule.minimum == 5


def test_max_belief_is_not_taken_beside_a_minimum_that_breaks_it():
    """From groups of one on, anyone who is first in a longer one has the value for certain."""
    for minimum in (1, 4, 6):
        with pytest.raises(InvalidInputError, match=rf"minimum must be l, here 5, .*; got {minimum}\. Drop minimum"):
            GreedyGrouping(max_belief=0.5, minimum=minimum)
    assert GreedyGrouping(max_belief=0.5, minimum=5).rule.minimum == 5


def test_the_order_may_be_of_other_columns_that_are_published():
    """By age two `a` come first, so that four people are needed; by bed they alternate."""
    table = ward("aabb", bed=[3, 1, 4, 2])
    assert publish(table, l=2).group_of.tolist() == [0, 0, 0, 0]
    assert publish(table, l=2, order=("bed",)).group_of.tolist() == [0, 1, 0, 1]
    assert publish(table, l=2, order=("bed",)).release.provenance.order == ("bed",)
    assert publish(table, l=2, order=("bed", "age")).release.provenance.order == ("bed", "age")


def test_ties_are_drawn_unless_the_place_in_the_input_is_published():
    """All of one age: who joins whom is random; `stable` follows the file, and says where every person stood in it."""
    table = Table.of({"age": [30] * 4, "ill": list("abab")}, quasi=["age"], sensitive=["ill"])
    pairs = sum(publish(table, seed, l=2).release.n_groups == 2 for seed in range(300))
    proportion_within(pairs, 300, 2 / 3, 1e-3)  # a and b differ in the first two places
    stable = publish(table, l=2, ties="stable")
    assert stable.group_of[0] == stable.group_of[1] != stable.group_of[2]
    assert stable.release.provenance.order == ("age", "position")
    position = stable.release.columns["position"][stable.row_of]
    assert [stable.release.schema["position"].values[code] for code in position] == ["0", "1", "2", "3"]


def test_missing_values_come_first_in_the_order_and_rows_without_a_known_value_are_left_out():
    """A missing age is one more value; a missing disease under the wildcard policy cannot be counted."""
    table = Table.of({"age": [30, None, 20, 40], "ill": list("abab")}, quasi=["age"], sensitive=["ill"])
    assert publish(table, l=2).group_of.tolist() == [1, 0, 0, 1]  # missing and 20; 30 and 40
    loose = publish(ward("ab?ab", missing=Missing.WILDCARD), l=2)
    assert (loose.release.n_rows, loose.release.n_suppressed) == (4, 1)


# --- coins


def test_a_coin_per_prefix_carries_on_inside_one_group():
    """It may stop at 3, 4 or 5 of 7; at 5 two are left over, and join again. 1 false alarm in 1,000 each."""
    table = ward("nnnnnny")
    hit = [sizes(table, seed, l=3, positive="y", p=0.5)[0] for seed in range(600)]
    for size, chance in ((3, 1 / 2), (4, 1 / 4), (7, 1 / 4)):
        proportion_within(hit.count(size), 600, chance, 1e-3)


def test_a_coin_per_group_joins_finished_groups():
    """Three pairs: two coins, so one group of six people in a quarter of all runs; 1 false alarm in 1,000."""
    joined = sum(len(sizes(ward("ababab"), seed, l=2, p=0.5, coin="group")) == 1 for seed in range(600))
    proportion_within(joined, 600, 1 / 4, 1e-3)


@pytest.mark.parametrize("coin", ["prefix", "group"])
def test_a_coin_that_always_says_to_carry_on_leaves_one_group(coin):
    """At p = 1 the release is the list of all values."""
    assert sizes(ward("abcabc"), l=3, p=1, coin=coin) == [6]


@given(data=st.data())
def test_cuts_are_those_of_the_slow_reference(data):
    """A law, without coins: groups end where they end by hand, and the tail is called the same."""
    n = data.draw(st.integers(1, 14))
    values = data.draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n))
    l = data.draw(st.integers(1, 3))
    rule = GreedyRule(l, data.draw(st.integers(1, 5)), data.draw(st.sampled_from([None, "a"])))
    if not greedy.safe(values, rule):
        return
    codes = np.array(["abc".index(v) if rule.positive in {None, v} else -1 for v in values], np.int32)
    first, merged = _greedy.cut(codes, 3, rule, np.random.default_rng(0))
    ((wanted, weight),) = greedy.cuts(values, rule)
    assert (tuple(map(int, first)), merged) == wanted
    assert weight == 1


@pytest.mark.parametrize("coin", ["prefix", "group"])
@pytest.mark.parametrize("values", ["aabbab", "aabcbcabb", "abababaab"])
def test_coins_cut_as_often_as_in_the_slow_reference(values, coin):
    """4,000 runs, each way to cut with its own rate; 1 false alarm in 10,000 each."""
    rule = GreedyRule(2, 2, None, 0.4, coin)
    codes = np.array(["abc".index(v) for v in values], np.int32)
    rng = np.random.default_rng(7)
    seen = [_greedy.cut(codes, 3, rule, rng) for _ in range(4000)]
    found = [(tuple(first.tolist()), merged) for first, merged in seen]
    chances: dict[greedy.Cut, float] = {}
    for cut, weight in greedy.cuts(values, rule):
        chances[cut] = chances.get(cut, 0.0) + float(weight)
    assert sum(chances.values()) == pytest.approx(1)
    assert set(found) <= set(chances)
    for cut, chance in chances.items():
        proportion_within(found.count(cut), 4000, chance, 1e-4)


# --- edges


def test_a_table_that_is_not_eligible_is_refused_with_the_largest_share():
    """Three of four have the same: l may be 1."""
    with pytest.raises(InfeasibleError, match=r"l must be at most 1, since 3 of 4 people \(75 %\) have its most fre"):
        publish(ward("aaab"), l=2)
    with pytest.raises(InfeasibleError, match="have value 'a' in column 'ill'; got 2"):
        publish(ward("aaab"), l=2, positive="a")
    with pytest.raises(InfeasibleError, match=r"got 5, the least for max-belief 0\.5\. Raise max-belief"):
        publish(ward("abcabc"), max_belief=0.5)
    assert sizes(ward("aaab"), l=2, positive="b") == [2, 2]


def test_a_column_of_one_value_hides_nothing():
    """Anyone who is in the table has it."""
    with pytest.raises(InfeasibleError, match="column 'ill' must have at least 2 values"):
        publish(ward("aaaa"), l=1)


def test_fewer_people_than_a_group_has_are_no_group():
    """Five wanted, four there; the word is the one that was set."""
    with pytest.raises(InfeasibleError, match="minimum must be at most the number of rows, 4; got 5"):
        publish(ward("abab"), l=2, minimum=5)
    with pytest.raises(InfeasibleError, match="l must be at most the number of rows, 4; got 5"):
        publish(ward("abab"), l=5)


def test_names_that_are_unknown_are_refused():
    """A column, a value; the sensitive column is no column to sort by, since no person would know the order."""
    with pytest.raises(InvalidInputError, match=r"column of order must be one of age; got 'agee'\. Did you mean 'age'"):
        publish(ward("abab"), l=2, order=("agee",))
    with pytest.raises(InvalidInputError, match="column of order must be one of age; got 'ill'"):
        publish(ward("abab"), l=2, order=("ill",))
    with pytest.raises(InvalidInputError, match="columns of order must be distinct"):
        publish(ward("abab"), l=2, order=("age", "age"))
    with pytest.raises(InvalidInputError, match="positive must be a value of column 'ill'; got 'z'"):
        publish(ward("abab"), l=2, positive="z")


def test_boxes_never_stand_beside_an_order_that_is_published_row_by_row():
    """There a position would lead from a person to the sensitive value."""
    with pytest.raises(InvalidInputError, match="ties must be random where boxes"):
        GreedyGrouping(publish="boxes", ties="stable")
    with pytest.raises(InvalidInputError, match="order must be of quasi-identifiers where boxes"):
        publish(ward("abab", bed=[1, 2, 3, 4]), l=2, order=("bed",), publish="boxes")


def test_a_column_called_position_is_not_overwritten():
    """Name it in the order instead."""
    with pytest.raises(InvalidInputError, match="the table must not have one already"):
        publish(ward("abab", position=[4, 3, 2, 1]), l=2, ties="stable")


def test_one_sensitive_column_and_one_row_for_each_person_are_needed():
    """And something to sort by."""
    table = ward("abab")
    with pytest.raises(InvalidInputError, match="exactly one sensitive attribute; got 0"):
        publish(table.only(["age"]), l=2)
    with pytest.raises(InvalidInputError, match="at least one quasi-identifier"):
        publish(table.only(["ill"]), l=2)
    with pytest.raises(InvalidInputError, match="one row for each person"):
        publish(replace(table, person_of=np.array([0, 0, 1, 2], np.int32)), l=2)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"l": 0}, "l must be a whole number of at least 1; got 0"),
        ({"l": 2.5}, r"l must be a whole number or None; got 2\.5"),
        ({"l": 3, "max_belief": 0.5}, "must be given l or max-belief; got both"),
        ({"max_belief": 0}, "max-belief must be a probability above 0 and below 1; got 0"),
        ({"max_belief": 1.5}, r"max-belief must be a probability above 0 and below 1; got 1\.5"),
        ({"p": -0.1}, "p must be a probability between 0 and 1; got -0.1"),
        ({"p": 1.1}, r"p must be a probability between 0 and 1; got 1\.1"),
        ({"p": float("nan")}, "p must be a probability between 0 and 1; got nan"),
        ({"coin": "heads"}, "coin must be one of prefix, group"),
        ({"ties": "file"}, "ties must be one of random, stable"),
        ({"tail": "none"}, "tail must be one of told, hidden"),
        ({"publish": "all"}, "publish must be one of rows, boxes"),
        ({"minimum": 0}, "minimum must be a whole number of at least 1"),
    ],
)
def test_settings_that_mean_nothing_are_refused(settings, words):
    """A probability above one, an l of two and a half, both ways to choose l at once."""
    with pytest.raises(InvalidInputError, match=words):
        GreedyGrouping(**settings)


# --- Adult


@pytest.mark.parametrize(
    ("positive", "n_groups", "largest"), [("Exec-managerial", 1386, 17_790), ("Tech-support", 4876, 78)]
)
def test_groups_of_adult_by_one_occupation(positive, n_groups, largest):
    """Six people at least, sorted by age and seven more: 21.8 and 6.19 on average; half of all are left over once."""
    table = adult(quasi=IN_ORDER, sensitive=["occupation"])
    release = publish(table, l=6, positive=positive, ties="stable").release
    assert (release.n_groups, release.size.max()) == (n_groups, largest)


@pytest.mark.parametrize(
    ("l", "n_groups", "largest"), [(2, 10_437, 112), (3, 3441, 1053), (4, 924, 3292), (5, 240, 5510), (6, 12, 17_454)]
)
def test_groups_of_adult_by_all_occupations(l, n_groups, largest):
    """Sorted by age and seven more: 2.9, 8.8, 32.6, 126 and 2,514 people on average."""
    table = adult(quasi=IN_ORDER, sensitive=["occupation"])
    release = publish(table, l=l, ties="stable").release
    assert (release.n_groups, release.size.max()) == (n_groups, largest)
