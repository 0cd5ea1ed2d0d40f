"""Minimality attack: posteriors from the closing rule of greedy grouping.

Over 300 lines: the story, its laws, statistics and edges share releases and helpers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from tests import greedy_oracle, rates, stories
from tests.controls import left_out
from tests.strategies import greedily_grouped, row_numbers
from unmask.arrays import Ragged
from unmask.attacks.minimality import all_groups as groups
from unmask.attacks.minimality.attack import Minimality, _error
from unmask.attacks.minimality.position_posterior import Posterior
from unmask.attacks.random_worlds import RandomWorlds
from unmask.auditing import evidence, scenes
from unmask.auditing.findings import ROW
from unmask.beliefs import About, Beliefs
from unmask.errors import ContradictionError, InfeasibleError, NotApplicableError
from unmask.release import Provenance, Publication, Release
from unmask.sanitizers.greedy_grouping import GreedyGrouping
from unmask.table import Table
from unmask.view import View

EXACT = 1e-9

RNG = np.random.default_rng(0)


def patients(ages: Sequence[object], ills: str) -> Table:
    """Return people with known ages, who are ill (Y) or not."""
    return Table.of({"age": list(ages), "ill": list(ills)}, quasi=["age"], sensitive=["ill"])


def published(table: Table, group_of: Sequence[int], tail: Any = "closed", **changes: object) -> Publication:
    """Publish hand-made groups as if greedy grouping had made them."""
    made = stories.exact(table, group_of)
    parameters = {"l": 3, "minimum": 3, "positive": "Y", **changes}
    provenance = Provenance("greedy-grouping", parameters, ("age",), tail)
    return replace(made, release=replace(made.release, provenance=provenance))


def by_row(publication: Publication, table: Table, **known: Any) -> View:
    """Return the view of an attacker who knows all rows."""
    return stories.view_of(
        publication.release,
        table.visible("ill"),
        "ill",
        [publication.group_of],
        rows=[row_numbers(publication)],
        **known,
    )


def infer(view: View) -> Beliefs:
    """Attack."""
    return Minimality().infer(view, np.random.default_rng(0))


# --- the story


def test_who_comes_first_is_ill_with_two_thirds_not_with_one_third():
    """Six people, two ill, l = 3: had one of the first three at most been ill, the group would have ended there."""
    table = patients(range(20, 26), "YNYNNN")
    view = by_row(published(table, [0] * 6), table)
    assert infer(view).probability("Y") == pytest.approx([2 / 3] * 3 + [0] * 3)
    assert RandomWorlds().infer(view, RNG).probability("Y") == pytest.approx([1 / 3] * 6)


def test_people_of_one_age_share_what_is_believed_of_their_positions():
    """Two of 22 are third and fourth, in unknown order: half of 2/3 each."""
    table = patients([20, 21, 22, 22, 24, 25], "YNYNNN")
    view = by_row(published(table, [0] * 6), table)
    assert infer(view).probability("Y") == pytest.approx([2 / 3, 2 / 3, 1 / 3, 1 / 3, 0, 0])


def test_where_all_are_of_one_age_the_rule_tells_nothing():
    """All positions are equally likely."""
    table = patients([20] * 6, "YNYNNN")
    assert infer(by_row(published(table, [0] * 6), table)).probability("Y") == pytest.approx([1 / 3] * 6)


def test_a_column_that_reveals_positions_breaks_ties_for_known_rows():
    """With only the age of one of two known, both positions remain."""
    table = patients([20, 21, 22, 22, 24, 25], "YNYNNN")
    made = GreedyGrouping(l=3, positive="Y", ties="stable").sanitize(table, np.random.default_rng(1))
    assert made.release.provenance.order == ("age", "position")
    assert infer(by_row(made, table)).probability("Y") == pytest.approx([2 / 3] * 3 + [0] * 3)
    unknown = stories.view_of(made.release, table.visible("ill"), "ill")
    assert infer(unknown).probability("Y") == pytest.approx([2 / 3, 2 / 3, 1 / 3, 1 / 3, 0, 0])


def test_the_last_group_is_read_as_the_release_tells():
    """Closed by itself it is like any other; with a tail, or a hidden one, positives are elsewhere."""
    table = patients(range(20, 29), "YYNNYNNNN")
    closed, hidden = (infer(by_row(published(table, [0] * 9, tail), table)) for tail in ("closed", "hidden"))
    assert closed.probability("Y")[[0, 3, 6]] == pytest.approx([7 / 10, 3 / 10, 0])
    assert hidden.probability("Y")[[0, 3, 6]] == pytest.approx([7 / 30, 13 / 30, 1 / 3])


def test_the_last_group_is_found_by_the_order_not_by_its_number():
    """Groups are numbered by content: sorted by falling age, for example, the last would be another."""
    table = patients(range(20, 35), "YYNNNN" + "YYNNYNNNN")
    found = infer(by_row(published(table, [0] * 6 + [1] * 9, "hidden"), table)).probability("Y")
    assert found[[0, 3]] == pytest.approx([2 / 3, 0])
    assert found[[6, 9, 12]] == pytest.approx([7 / 30, 13 / 30, 1 / 3])


def test_people_known_by_attributes_match_every_row_with_these_attributes():
    """Two groups with a person of 25: the mean of both posteriors."""
    table = patients([20, 21, 22, 23, 24, 25, *range(25, 31)], "YYNNNN" * 2)
    view = stories.view_of(published(table, [0] * 6 + [1] * 6).release, stories.people_of(age=[20, 25, 30, 99]), "ill")
    found = infer(view)
    assert found.probability("Y") == pytest.approx([2 / 3, 1 / 3, 0, 1 / 3])  # no record has 99: the prior
    assert found.unplaced[0].sum() == 1


def test_a_prior_that_is_not_the_published_one_counts():
    """Odds of 2 to 1 for being ill in the first place, of 1 to 3 as published: times 4 each, twice as much of 2/3."""
    table = patients(range(20, 26), "YNYNNN")
    view = by_row(published(table, [0] * 6), table, prior={"N": 1, "Y": 2})
    assert infer(view).probability("Y")[:1] == pytest.approx([2 * 4 / (2 * 4 + 1)])


def test_boxes_give_an_order_only_with_a_complete_list():
    """A range of ages has no order; the complete list restores it."""
    table = patients(range(20, 26), "YNYNNN")
    made = GreedyGrouping(l=3, positive="Y", publish="boxes").sanitize(table, np.random.default_rng(0))
    view = stories.view_of(made.release, table.visible("ill"), "ill", [made.group_of])
    with pytest.raises(NotApplicableError, match=r"shows generalized cells, and no list was declared to be complete"):
        infer(view)
    listed = View(view.releases, replace(view.knowledge, complete=True))
    assert infer(listed).probability("Y") == pytest.approx([2 / 3] * 3 + [0] * 3)


def test_of_values_that_are_not_bounded_the_rule_tells_nothing_apart():
    """A cold and no illness share what being ill leaves, by their counts."""
    table = patients(range(20, 26), "YNYNNC")
    found = infer(by_row(published(table, [0] * 6), table))
    assert found.of(0) == pytest.approx({"Y": 2 / 3, "N": 1 / 4, "C": 1 / 12})


def every_value(ills: str) -> View:
    """Return people with every value bounded by one in two."""
    table = patients(range(20, 20 + len(ills)), ills)
    return by_row(published(table, [0] * len(ills), l=2, minimum=2, positive=None), table)


def test_where_every_value_is_bounded_the_frequent_one_comes_first():
    """Two people are no group of two values: so they have the same one, and only A is there twice."""
    found = infer(every_value("AABC"))
    assert [found.of(i) for i in range(2)] == [{"A": 1.0}] * 2
    assert [found.of(i) for i in range(2, 4)] == [{"B": 0.5, "C": 0.5}] * 2


def test_people_of_groups_that_cannot_be_settled_are_left_out_and_counted(monkeypatch):
    """Too few of the orders drawn agree: better no number than a noisy one."""

    def unsettled(counts: list[np.ndarray], *_: object, **__: object) -> Posterior:
        n, values = int(np.sum(counts)), len(counts)
        return Posterior(np.full((n, values), 1 / values), np.full((n, values), 0.1), resolved=False)

    monkeypatch.setattr(groups, "value_given_position", unsettled)
    found = infer(every_value("AABC"))
    assert found.n_attacked == 0
    assert found.outcome.unsettled == 4


def test_the_error_of_drawn_worlds_is_reported(monkeypatch):
    """By as many percent of a belief as of the evidence, whatever the prior makes of it."""

    def drawn(counts: list[np.ndarray], *_: object, **__: object) -> Posterior:
        n, values = int(np.sum(counts)), len(counts)
        return Posterior(np.full((n, values), 1 / values), np.full((n, values), 0.01))

    monkeypatch.setattr(groups, "value_given_position", drawn)
    found = infer(every_value("AABC"))
    assert found.error == pytest.approx(found.rows.data * 0.03)


def test_without_the_own_group_nothing_is_left_but_the_neighbors():
    """The control is the posterior from other groups, as for random worlds."""
    table = patients(range(20, 32), "YYNNNN" + "YNNNYN")
    view = by_row(published(table, [0] * 6 + [1] * 6), table)
    own = published(table, [0] * 6 + [1] * 6).group_of
    expected = left_out(RandomWorlds().infer(view, RNG), own).dense()
    assert left_out(infer(view), own).dense() == pytest.approx(expected)


# --- the law


@given(greedily_grouped())
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_beliefs_equal_those_from_every_order_assignment_and_coin(seen):
    """Up to eight people, with ties inside and across groups; known by row, by group or by age."""
    expected = np.array([[float(p) for p in row] for row in greedy_oracle.exact(seen.view)])
    assert infer(seen.view).dense() == pytest.approx(expected, abs=EXACT)


@given(greedily_grouped())
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_beliefs_in_a_group_add_up_to_what_is_published(seen):
    """Knowing the rule moves belief from one member to another; it makes no cases."""
    release = seen.view.releases[0]
    rows = np.arange(release.n_rows)
    of_rows = stories.view_of(release, release.masked.exact_table(), "ill", [release.group_of_row], rows=[rows])
    found = infer(of_rows).dense()
    for group in range(release.n_groups):
        members = release.group_of_row == group
        assert found[members].sum(axis=0) == pytest.approx(release.counts["ill"].dense()[group])


# --- the statistics


@pytest.mark.parametrize(("p", "coin"), [(0.0, "prefix"), (0.5, "prefix"), (0.5, "group")])
def test_beliefs_are_calibrated_on_tables_drawn_at_random(p, coin):
    """Of people believed to be ill with 30 to 45 %, as many are as are believed to be; false alarms: one in 10,000."""
    rng = np.random.default_rng(3)
    believed: list[float] = []
    ill: list[bool] = []
    for _ in range(60):
        values = rng.choice(["Y", "N"], 200, p=[0.25, 0.75])
        table = patients(rng.integers(20, 90, 200).tolist(), "".join(values))
        by = GreedyGrouping(l=3, positive="Y", p=p, coin=coin, tail="hidden")
        try:
            made = by.sanitize(table, rng)
        except InfeasibleError:
            continue
        believed += infer(by_row(made, table)).probability("Y").tolist()
        ill += (values == "Y").tolist()
    chance, truth = np.array(believed), np.array(ill)
    for low, high in ((0.0, 0.15), (0.15, 0.3), (0.3, 0.45), (0.45, 1.0)):
        some = (chance > low) & (chance < high)
        assert some.sum() > 100
        z = (truth[some] - chance[some]).sum() / np.sqrt((chance[some] * (1 - chance[some])).sum())
        rates.mean_zero([z, z], 1e-4 / 4, sd=np.sqrt(2))


# --- the edges


def release_with(**changes: Any) -> Release:
    """Return the release of the story with another provenance."""
    release = published(patients(range(20, 26), "YNYNNN"), [0] * 6).release
    return replace(release, provenance=replace(release.provenance, **changes))


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"sanitizer": None}, r"does not declare how it was made. If you know .* under made_by in release.json"),
        ({"sanitizer": "mondrian"}, "was made by mondrian. Use replay"),
        ({"order": None}, "needs to know in which order people were grouped"),
        ({"order": ("ill", "age")}, "needs an order without 'ill'"),
        ({"order": ("zip", "age")}, "needs column 'zip', by which people were sorted first, to be published"),
        ({"parameters": {}}, "needs the parameters of greedy-grouping: .* must include l"),
        ({"parameters": {"l": 3, "p": 2, "positive": "Y"}}, "p must be a probability between 0 and 1; got 2"),
        ({"parameters": {"l": "three"}}, "l must be a whole number of at least 1; got 'three'. Correct it under"),
        ({"parameters": {"l": 2.5}}, "l must be a whole number of at least 1; got 2.5"),
        ({"parameters": {"l": float("inf")}}, "l must be a whole number of at least 1; got inf"),
        ({"parameters": {"l": 3, "minimum": None}}, "minimum must be a whole number of at least 1; got None"),
        ({"parameters": {"l": 3, "p": [1]}}, "p must be a probability between 0 and 1; got .1.. Correct it"),
        ({"parameters": {"l": 3, "coin": ["group"]}}, "coin must be one of prefix, group"),
        ({"parameters": {"l": 3, "positive": "flu"}}, "the value that the rule bounds"),
    ],
)  # fmt: skip
def test_what_the_release_does_not_tell_is_asked_for(changes, why):
    """Nothing is guessed: without the rule or the order there is no position to speak of."""
    release = release_with(**changes)
    people = stories.people_of(age=[20, 21])
    with pytest.raises(NotApplicableError, match=why):
        infer(stories.view_of(release, people, "ill"))


def test_an_order_is_used_as_far_as_it_is_published():
    """People were sorted by age and then by a number that was withheld: the order within an age is unknown."""
    table = patients([20, 20, 20, 23, 24, 25], "YNYNNN")
    release = replace(
        (made := published(table, [0] * 6)).release,
        provenance=replace(made.release.provenance, order=("age", "number", "age")),
    )
    assert infer(by_row(replace(made, release=release), table)).probability("Y") == pytest.approx([2 / 3] * 3 + [0] * 3)


def test_a_missing_age_comes_first():
    """As the publisher sorts them."""
    table = patients([20, 21, None, 22, 23, 24], "YNYNNN")
    assert infer(by_row(published(table, [0] * 6), table)).probability("Y")[2] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("ills", "group_of", "changes", "why"),
    [
        ("YNYNNNYNN", [0] * 6 + [1] * 3, {"l": 2, "minimum": 2}, "group 0 must be one that greedy-grouping can"),
        ("YNNNYNNNN", [0] * 3 + [1] * 6, {"tail": "merged"}, "group 1, the last, with others merged into it, must be"),
        ("ABCDABCDA", [0] * 4 + [1] * 5, {"l": 2, "minimum": 2, "positive": None}, "group 0 must be one that"),
        ("YNNYNNYNN", [0, 0, 1, 1, 1, 0, 2, 2, 2], {}, "group 0 must end in the published order before the next one"),
    ],
)
def test_a_group_that_the_rule_cannot_have_made_is_named(ills, group_of, changes, why):
    """The error has its number in the release."""
    table = patients(range(20, 29), ills)
    with pytest.raises(ContradictionError, match=why):
        infer(by_row(published(table, group_of, **changes), table))


def test_an_audit_of_such_groups_tells_so_and_goes_on():
    """One attack is misled by the declared provenance; the others use the published cells."""
    table = patients(range(20, 29), "YNYNNNYNN")
    made = published(table, [0] * 6 + [1] * 3, l=2, minimum=2)
    found = scenes.Audit(
        [evidence.evidence_of(made)], evidence.Targets.of(table), seed=1, attacks=[Minimality(), RandomWorlds()],
        attackers=[ROW], identity=False,
    ).report()  # fmt: skip
    minimality, worlds = found.scenes[0].results
    assert not minimality.ran
    assert minimality.reason.startswith("group 0 must be one that greedy-grouping can have made")
    assert worlds.ran


def test_of_several_groups_that_may_be_the_last_one_is_the_one_that_nothing_can_follow():
    """Three ages of 30 and three more: whichever is last, all of them tie, and beliefs are the shares."""
    table = patients([20, 21, 22, *[30] * 10], "YNN" + "YYNNNNN" + "YNN")
    groups = [0] * 3 + [1] * 7 + [2] * 3  # seven with two ill were not closed by themselves: a tail was merged
    found = infer(by_row(published(table, groups, "hidden"), table)).probability("Y")
    assert found[3:] == pytest.approx([2 / 7] * 7 + [1 / 3] * 3)
    both = patients([20, 21, 22, *[30] * 14], "YNN" + "YYNNNNN" * 2)
    with pytest.raises(ContradictionError, match="group 2 must be one"):
        infer(by_row(published(both, [0] * 3 + [1] * 7 + [2] * 7, "hidden"), both))


def test_fractions_of_the_brute_force_agree_with_the_story():
    """The oracle is right about what was worked out by hand, or its agreement would prove nothing."""
    table = patients(range(20, 26), "YNYNNN")
    expected = [[Fraction(1, 3), Fraction(2, 3)]] * 3 + [[Fraction(1), Fraction(0)]] * 3
    assert greedy_oracle.exact(by_row(published(table, [0] * 6), table)) == expected


def test_the_error_of_two_values_is_one_error_whatever_the_prior():
    """Evidence of .30 ± .02 and a prior that makes .80 of it: .8 · .2 · (.02 / .3 + .02 / .7) = .0152 of either."""
    rows = Ragged.of(np.array([[0.8, 0.2]]))
    found = Beliefs(About.attribute("ill"), ("flu", "none"), np.zeros(1, np.int32), rows)
    evidence, error = Ragged.of(np.array([[0.3, 0.7]])), Ragged.of(np.array([[0.02, 0.02]]))
    spread = _error(found, ("flu", "none"), np.zeros(1, np.int32), evidence, error)
    assert spread == pytest.approx([0.8 * 0.2 * (0.02 / 0.3 + 0.02 / 0.7)] * 2)
    moved = [odds / (1 + odds) for odds in (4 * (7 / 3) * x / (1 - x) for x in (0.28, 0.32))]
    assert spread[0] == pytest.approx((moved[1] - moved[0]) / 2, rel=0.01)
    same = _error(replace(found, rows=evidence), ("flu", "none"), np.zeros(1, np.int32), evidence, error)
    assert same == pytest.approx([0.02, 0.02])
