"""Posterior from the rule of greedy grouping and factors of people, against enumeration of worlds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests import greedy, stories
from unmask.arrays import Float64, Ragged
from unmask.attacks.minimality.all_groups import RowBeliefs, rule_posterior
from unmask.attacks.minimality.attribute_evidence import CombinedBeliefs, LearnedBeliefs, combined_posterior
from unmask.attacks.minimality.reading_order import position_ranges
from unmask.release import Provenance, Release
from unmask.sanitizers.greedy_rule.rule import GreedyRule
from unmask.table import Table

EXACT = 1e-9

ORDER = ("age",)


def group_of(ages: Sequence[int], jobs: str, ills: str, rule: GreedyRule, tail: Any = "hidden") -> Release:
    """Publish people as one group, as if greedy grouping by age had made it; they have jobs, too."""
    table = Table.of({"age": list(ages), "job": list(jobs), "ill": list(ills)}, quasi=["age", "job"], sensitive=["ill"])
    release = stories.exact(table, [0] * len(ills)).release
    return replace(release, provenance=Provenance("greedy-grouping", dict(rule.parameters()), ORDER, tail))


def jobs_of(release: Release) -> list[str]:
    """Return the job of each row."""
    table = release.masked.exact_table()
    return [table.schema["job"].values[code] for code in table["job"]]


def ages_of(release: Release) -> list[float]:
    """Return the age of each row."""
    return [float(age) for age in release.masked.exact_table()["age"]]


def combined(
    release: Release, rule: GreedyRule, factors: Sequence[Float64], *, stands: bool = False
) -> CombinedBeliefs:
    """Combine; `factors` are by row. The learned beliefs are uniform in each group."""
    n = release.n_rows
    counts = release.counts_of("ill")
    value = np.repeat(counts.column, counts.data.astype(int)).astype(np.int32)
    where = position_ranges(release, ORDER, "ill")
    rng = np.random.default_rng(0)
    rows = counts.normalized()
    nothing = Ragged(rows.start, rows.column, np.zeros(rows.data.size), rows.n_columns)
    learned = LearnedBeliefs(np.zeros(n, np.int32), rows, nothing, np.arange(n, dtype=np.int32), factors, stands)
    by_rule = rule_posterior(release, "ill", value, where, rule, rng)
    return combined_posterior(release, "ill", learned, where, rule, by_rule, rng)


def dense(row_beliefs: RowBeliefs) -> Float64:
    """Return beliefs by row."""
    return row_beliefs.rows.dense()[row_beliefs.of_row]


def listed(release: Release, rule: GreedyRule, factor: Float64) -> Float64:
    """Return beliefs by row from every assignment, every order of those who tie, and every throw."""
    values = release.schema["ill"].values
    held = np.repeat(release.counts_of("ill").column, release.counts_of("ill").data.astype(int))
    ages, n = ages_of(release), release.n_rows
    orders = [way for way in permutations(range(n)) if all(ages[a] <= ages[b] for a, b in pairwise(way))]
    found = np.zeros((n, len(values)))
    assume(greedy.safe([values[v] for v in held], rule))
    tail = release.provenance.tail
    for world in set(permutations(held.tolist())):
        weight = float(np.prod(factor[np.arange(n), world]))
        for order in orders:
            for (cut, merged), chance in greedy.cuts(tuple(values[world[i]] for i in order), rule):
                if cut == (0, n) and (tail == "hidden" or merged == (tail == "merged")):
                    found[np.arange(n), world] += weight * float(chance)
    assume(found.any())  # the rule makes this group
    return np.asarray(found / found.sum(axis=1, keepdims=True))


# --- the story


def test_of_three_in_front_the_one_whose_job_goes_with_illness_is_the_likeliest():
    """Two of the first three are ill, each with 2/3; the third is a smith, who are twice as often ill."""
    rule = GreedyRule(3, 3, "Y")
    release = group_of(range(20, 26), "ttsttt", "YNYNNN", rule, "closed")
    factor = np.ones((6, 2))
    factor[[job == "s" for job in jobs_of(release)], release.schema["ill"].values.index("Y")] = 2.0
    found = dense(combined(release, rule, [factor]).beliefs)[:, release.schema["ill"].values.index("Y")]
    assert found[np.argsort(ages_of(release))] == pytest.approx([3 / 5, 3 / 5, 4 / 5, 0, 0, 0])  # pairs: 1, 2, 2 of 5


def test_factors_that_tell_nothing_leave_what_the_rule_tells():
    """Two thirds in front, none behind."""
    rule = GreedyRule(3, 3, "Y")
    release = group_of(range(20, 26), "tttttt", "YNYNNN", rule, "closed")
    found = dense(combined(release, rule, [np.ones((6, 2))]).beliefs)[:, release.schema["ill"].values.index("Y")]
    assert found[np.argsort(ages_of(release))] == pytest.approx([2 / 3] * 3 + [0] * 3)


def test_where_all_tie_what_was_learned_stands():
    """Or, where it is trusted less, what follows from the factors alone: of two pairs, 2 to 1."""
    rule = GreedyRule(2, 2, "Y")
    release = group_of([20, 20], "st", "YN", rule, "closed")
    factor = np.ones((2, 2))
    code = release.schema["ill"].values.index("Y")
    factor[[job == "s" for job in jobs_of(release)], code] = 2.0
    stands, trusted_less = (combined(release, rule, [factor], stands=stands) for stands in (True, False))
    assert dense(stands.beliefs)[:, code] == pytest.approx([1 / 2, 1 / 2])
    assert sorted(dense(trusted_less.beliefs)[:, code]) == pytest.approx([1 / 3, 2 / 3])
    assert (stands.groups, trusted_less.groups) == ({}, {"by worlds": 1})


# --- the law


@st.composite
def weighed_groups(draw: st.DrawFn, *, ties: bool) -> tuple[Release, GreedyRule, Float64]:
    """Draw a group that the rule can have made, and a factor for each person and value."""
    n = draw(st.integers(3, 6))
    steps = draw(st.lists(st.sampled_from([0, 1, 1] if ties else [1]), min_size=n, max_size=n))
    ills = draw(st.lists(st.sampled_from("YNNC"[: 3 if ties else 4]), min_size=n, max_size=n))
    rule = GreedyRule(
        draw(st.integers(1, 3)), draw(st.integers(1, 3)), draw(st.sampled_from(["Y", None])),
        draw(st.sampled_from([0.0, 0.5])), draw(st.sampled_from(["prefix", "group"])),
    )  # fmt: skip
    if rule.positive and ("Y" not in ills or "C" in ills):
        ills = ["Y", *("N" for _ in ills[1:])]
    release = group_of(
        np.cumsum(steps).tolist(), "abcdef"[:n], "".join(ills), rule, draw(st.sampled_from(["hidden", "closed"]))
    )
    factor = np.random.default_rng(draw(st.integers(0, 99))).uniform(0.2, 5, (n, len(release.schema["ill"].values)))
    return release, rule, factor


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(weighed_groups(ties=False))
def test_beliefs_equal_those_from_every_world(drawn):
    """For every bound, coin and tail; several draws of the factors are averaged."""
    release, rule, factor = drawn
    expected = [listed(release, rule, one) for one in (factor, 1 / factor)]
    found = combined(release, rule, [factor, 1 / factor])
    assert dense(found.beliefs) == pytest.approx(np.mean(expected, axis=0), abs=EXACT)
    assert "by the product of beliefs" not in found.groups


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(weighed_groups(ties=True))
def test_orders_of_those_who_tie_are_drawn_and_weighed(drawn):
    """Within 4.5 standard errors of the list of all orders; false alarms: 7 in a million a number."""
    release, rule, factor = drawn
    expected = listed(release, rule, factor)
    found = combined(release, rule, [factor] * 64)
    if "by the product of beliefs" in found.groups:  # of three values, where some tie
        return
    error = found.beliefs.error.dense()[found.beliefs.of_row]
    assert (np.abs(dense(found.beliefs) - expected) <= 4.5 * error + EXACT).all()


# --- edges


def test_where_worlds_are_out_of_reach_both_beliefs_are_multiplied_and_agree_with_the_counts():
    """Of three values where people of one age differ, each row and each value adds up."""
    rule = GreedyRule(2, 2)
    release = group_of([20, 20, 21, 22], "abcd", "AABC", rule, "closed")
    factor = np.random.default_rng(0).uniform(0.2, 5, (4, 3))
    found = combined(release, rule, [factor])
    assert found.groups == {"by the product of beliefs": 1}
    assert dense(found.beliefs).sum(axis=1) == pytest.approx(1)
    assert dense(found.beliefs).sum(axis=0) == pytest.approx([2, 1, 1])
    assert sorted(dense(found.beliefs)[:, 0]) == pytest.approx([0, 0, 1, 1])  # who come first have the same


def test_of_values_that_are_not_bounded_factors_still_tell():
    """Being ill is bounded; whether another has a cold or nothing depends on their jobs."""
    rule = GreedyRule(3, 3, "Y")
    release = group_of(range(20, 26), "ttttts", "YNYNNC", rule, "closed")
    values = release.schema["ill"].values
    factor = np.ones((6, 3))
    factor[[job == "s" for job in jobs_of(release)], values.index("C")] = 100.0
    found = dense(combined(release, rule, [factor]).beliefs)
    smith = jobs_of(release).index("s")
    assert found[smith, values.index("C")] > 0.8
    assert found[smith, values.index("Y")] == pytest.approx(0, abs=EXACT)
