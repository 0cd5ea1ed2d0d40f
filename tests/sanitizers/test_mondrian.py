"""Mondrian: groups of at least k, as fine as strict cuts near the median make them."""

from __future__ import annotations

import numpy as np
import pytest

from tests import oracle
from tests.strategies import row_numbers
from unmask.errors import InfeasibleError, InvalidInputError
from unmask.models.k_anonymity import KAnonymity
from unmask.models.l_diversity import DistinctL, MaxShareL
from unmask.release import Publication
from unmask.sanitizers._in_order import axis
from unmask.sanitizers.mondrian import Mondrian
from unmask.schema import Missing
from unmask.table import Table

RNG = np.random.default_rng(0)  # nothing is drawn


def one_column(*ages: float | None, ills: str | None = None, missing: Missing = Missing.OWN) -> Table:
    """Return people of whom only the age is published."""
    return Table.of(
        {"age": list(ages), "ill": list(ills or "ab" * len(ages))[: len(ages)]},
        quasi=["age"], sensitive=["ill"], missing=missing,
    )  # fmt: skip


def published_ranges(published: Publication, name: str = "age") -> list[tuple[float, float] | str]:
    """Return the range that each person is published with; `?` where only a missing value may hide."""
    release = oracle._read(published.release, "ill")
    column = [a.name for a in published.release.masked.attributes].index(name)
    cells = [release.lines[g][column] for g in published.group_of]
    return [cell.pieces[0][:2] if cell.pieces else "?" for cell in cells]


# --- the story


def test_four_people_in_pairs_are_cut_at_the_median():
    """Ages 20, 21 and 40, 45: two groups of two, each published by its own least and greatest age."""
    published = Mondrian(k=2).sanitize(one_column(20, 45, 21, 40), RNG)
    assert published_ranges(published) == [(20, 21), (40, 45), (20, 21), (40, 45)]


@pytest.mark.parametrize(
    ("ages", "groups"),
    [([0, 0, 0, 0, 1, 5], [4, 2]), ([0, 5, 5, 5, 5, 5], [6]), ([0, 0, 5, 5, 5, 5], [2, 4])],
)
def test_people_of_the_same_age_stay_together(ages, groups):
    """Strict: the cut lies between values. The literal rule, at or below the median, would not cut the last at all."""
    release = Mondrian(k=2).sanitize(one_column(*ages), RNG).release
    assert release.size.tolist() == groups


def test_the_widest_column_is_cut_first_in_relation_to_its_range():
    """Zip codes span thousands, ages tens; both span their whole range, and of equals the first column is cut."""
    table = Table.of(
        {"age": [20, 30, 20, 30], "zip": [10000, 10000, 99999, 99999], "ill": list("abab")},
        quasi=["age", "zip"], sensitive=["ill"],
    )  # fmt: skip
    published = Mondrian(k=2).sanitize(table, RNG)
    assert published_ranges(published) == [(20, 20), (30, 30), (20, 20), (30, 30)]
    assert published_ranges(published, "zip") == [(10000, 99999)] * 4


def test_what_is_published_is_the_extent_of_the_members_in_every_column():
    """Not the region that was cut out: after a cut by age the zip codes shrink to those who are there."""
    table = Table.of(
        {"age": [20, 21, 60, 61], "zip": [100, 101, 500, 900], "ill": list("abab")},
        quasi=["age", "zip"], sensitive=["ill"],
    )  # fmt: skip
    published = Mondrian(k=2).sanitize(table, RNG)
    assert published_ranges(published, "zip") == [(100, 101)] * 2 + [(500, 900)] * 2


# --- models


def test_a_cut_that_breaks_a_model_is_not_made():
    """The first half would show one value only, so all four stay together."""
    table = one_column(20, 21, 40, 41, ills="aabb")
    assert Mondrian(k=2).sanitize(table, RNG).release.n_groups == 2
    assert Mondrian(k=2, models=(DistinctL(2),)).sanitize(table, RNG).release.n_groups == 1


def test_the_cut_is_chosen_by_k_alone_and_then_tested():
    """Nearest to the median of six: 3 and 3, which breaks l = 2 on the left; 2 and 4 is not tried: one group."""
    table = one_column(20, 21, 22, 40, 41, 42, ills="aaabbc")
    assert Mondrian(k=2, models=(DistinctL(2),)).sanitize(table, RNG).release.n_groups == 1
    assert Mondrian(k=2, models=(DistinctL(1),)).sanitize(table, RNG).release.size.tolist() == [3, 3]


def test_where_one_column_cannot_be_cut_the_next_is_tried():
    """By age each half would be homogeneous; by sex both are diverse."""
    table = Table.of(
        {"age": [20, 20, 60, 60], "sex": ["f", "m", "f", "m"], "ill": list("aabb")},
        quasi=["age", "sex"], sensitive=["ill"],
    )  # fmt: skip
    published = Mondrian(k=2, models=(DistinctL(2),)).sanitize(table, RNG)
    assert published_ranges(published) == [(20, 60)] * 4
    assert published.group_of[0] == published.group_of[2] != published.group_of[1]


def test_k_may_be_given_as_a_model_too():
    """The larger one counts; and all of it is said of the release."""
    release = Mondrian(k=2, models=(KAnonymity(3),)).sanitize(one_column(*range(7)), RNG).release
    assert release.size.tolist() == [3, 4]
    assert release.provenance.sanitizer == "mondrian"
    assert release.provenance.parameters["k"] == 3


def test_what_the_whole_table_breaks_is_infeasible():
    """Three of four have flu: a largest share of 1/2 cannot be had; the error gives both numbers."""
    table = one_column(20, 21, 40, 41, ills="aaab")
    with pytest.raises(InfeasibleError, match=r"max-share-l must be at most 1\.33333.* got 2"):
        Mondrian(k=2, models=(MaxShareL(2),)).sanitize(table, RNG)
    with pytest.raises(InfeasibleError, match=r"at most the number of rows, 4; got 5"):
        Mondrian(k=5).sanitize(table, RNG)


# --- missing values


def test_a_missing_age_lies_below_all_others():
    """Two without an age, two with: two groups, one of which shows that the age is missing."""
    published = Mondrian(k=2).sanitize(one_column(None, 30, None, 31), RNG)
    assert published_ranges(published) == ["?", (30, 31), "?", (30, 31)]


def test_a_cell_of_some_ages_and_a_missing_one_says_both():
    """One of three lacks an age: [30, 31] or missing; every person could stand behind it."""
    published = Mondrian(k=3).sanitize(one_column(None, 30, 31), RNG)
    (line,) = oracle._read(published.release, "ill").lines
    assert line[0].missing
    assert line[0].pieces == ((30.0, 31.0, False, False),)


def test_of_six_rows_with_one_missing_value_six_are_published_or_five_and_one_counted():
    """By its policy the row is kept as it is, or suppressed and counted; never dropped, never put into 31–45."""
    ages = (30, 31, None, 45, 46, 47)
    kept = Mondrian(k=2).sanitize(one_column(*ages), RNG).release
    assert (kept.n_rows, kept.n_suppressed) == (6, 0)
    excluded = Mondrian(k=2).sanitize(one_column(*ages, missing=Missing.EXCLUDED), RNG)
    assert (excluded.release.n_rows, excluded.release.n_suppressed) == (5, 1)
    assert row_numbers(excluded)[2] == -1


# --- columns


def test_text_is_cut_in_its_declared_order_else_alphabetically():
    """Sizes s < m < l as declared; undeclared, l < m < s."""
    columns = {"size": ["s", "s", "m", "l"], "ill": list("abab")}
    declared = Table.of(columns, quasi=["size"], sensitive=["ill"], orders={"size": ["s", "m", "l"]})
    plain = Table.of(columns, quasi=["size"], sensitive=["ill"])
    assert published_ranges(Mondrian(k=2).sanitize(declared, RNG), "size") == [(0, 0), (0, 0), (1, 2), (1, 2)]
    assert published_ranges(Mondrian(k=2).sanitize(plain, RNG), "size") == [(2, 2), (2, 2), (0, 1), (0, 1)]


def test_numbers_keep_their_distances_however_many_decimals_they_have():
    """Multiples of a power of ten become whole numbers; others are ranked, which the order of cuts would not notice."""
    assert axis(one_column(1.5, 2.25, None, 10), "age").tolist() == [1, 76, 0, 851]
    assert axis(one_column(0.1, np.pi, np.e), "age").tolist() == [1, 3, 2]


def test_settings_that_mean_nothing_are_refused():
    """A k of zero, of two and a half."""
    for k in (0, 2.5, float("inf")):
        with pytest.raises(InvalidInputError, match=r"k must be a whole number( of at least 1)?; got"):
            Mondrian(k=k)  # type: ignore[arg-type]
