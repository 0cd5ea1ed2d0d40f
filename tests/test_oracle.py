"""The oracle against numbers that can be followed by hand, before anything is held against the oracle."""

from __future__ import annotations

from fractions import Fraction
from math import inf

import numpy as np
import pytest

from tests import oracle, stories
from unmask.beliefs import Beliefs
from unmask.schema import Missing
from unmask.table import Table
from unmask.view import NOT_IN_IT, Knowledge, View, Worlds

PRIOR, UNIFORM, LEARNING = Worlds("prior"), Worlds("uniform"), Worlds("dirichlet")


def beliefs(view, worlds, value, model="naive bayes"):
    """Return each person's probability of a value, as fractions."""
    column = view.knowledge.prior.values.index(value)
    return [row[column] for row in oracle.exact(view, worlds, model)]


# --- learning from all groups: Kifer 2009


@pytest.mark.parametrize("model", ["naive bayes", "joint"])
def test_tuple_12_has_cancer_with_probability_5_32(model):
    """Table 6: 64 ways to hand out the diseases; where smokers' groups list cancer, the smoker probably has it."""
    table, published = stories.smokers()
    view = stories.view_of(
        published.release, table.visible("disease"), "disease", [published.group_of], rows=[published.row_of]
    )
    half, rare = Fraction(1, 2), Fraction(5, 32)
    expected = [half, half, 0, 0, 1 - rare, rare, half, half, 0, 0, 1 - rare, rare]
    assert expected == beliefs(view, LEARNING, "Cancer", model)


def test_knowing_the_group_is_as_good_as_knowing_the_row_where_profiles_differ():
    """In group 6 only tuple 12 does not smoke."""
    table, published = stories.smokers()
    view = stories.view_of(published.release, table.visible("disease"), "disease", [published.group_of])
    assert beliefs(view, LEARNING, "Cancer")[11] == Fraction(5, 32)


def test_a_non_smoker_whose_group_is_unknown_has_cancer_with_probability_5_96():
    """Six rows show a non-smoker; two of them have cancer with 5/32, four with 0."""
    _, published = stories.smokers()
    view = stories.view_of(published.release, stories.people_of(smoker=["n"]), "disease")
    assert beliefs(view, LEARNING, "Cancer") == [Fraction(5, 96)]


@pytest.mark.parametrize(
    ("model", "expected"),
    [("joint", Fraction(100, 101)), ("naive bayes", Fraction(1_020_000, 1_030_201))],
)
def test_the_last_smoker_of_two_hundred_probably_has_cancer(model, expected):
    """Table 1: 99 smokers with cancer, 100 others without, one smoker unknown. Two models: close, but unequal."""
    table = Table.of(
        {"smoker": ["y"] * 99 + ["n"] * 100 + ["y"], "cancer": ["yes"] * 99 + ["no"] * 100 + [None]},
        quasi=["smoker"],
        sensitive=["cancer"],
        missing=Missing.WILDCARD,
    )
    published = stories.exact(table, range(200))
    last = int(published.group_of[199])
    even = {"yes": 99, "no": 100}  # the prior of the release: learning alone moves the belief
    view = stories.view_of(published.release, stories.people_of(smoker=["y"]), "cancer", [[last]], prior=even)
    assert beliefs(view, LEARNING, "yes", model) == [expected]


def test_a_strong_prior_over_parameters_learns_nothing():
    """Dirichlet parameters of a million: every distribution is nearly even, and tuple 12 stays near one half."""
    table, published = stories.smokers()
    view = stories.view_of(published.release, table.visible("disease"), "disease", [published.group_of])
    stubborn = Worlds("dirichlet", alpha=1e6)
    assert oracle.posterior(view, stubborn)[11] == pytest.approx([0.5, 0, 0.5], abs=1e-5)


# --- one release: shares


def test_within_a_group_the_shares_are_believed():
    """Two of four in the group have flu: one half, whether assignments are uniform or values drawn from the prior."""
    table = Table.of(
        {"age": [20, 21, 22, 23, 60], "ill": ["flu", "flu", "cold", "hiv", "cold"]}, quasi=["age"], sensitive=["ill"]
    )
    published = stories.boxed(table, [0, 0, 0, 0, 1])
    view = stories.view_of(published.release, table.visible("ill"), "ill", [published.group_of])
    for worlds in (PRIOR, UNIFORM):
        assert beliefs(view, worlds, "flu") == [Fraction(1, 2)] * 4 + [0]


def test_a_prior_of_zero_forbids_and_others_reweight():
    """She does not have flu: of the other two, cold is published twice as often, and so half as telling."""
    table = Table.of(
        {"age": [20, 21, 22, 23, 60], "ill": ["flu", "flu", "cold", "hiv", "cold"]}, quasi=["age"], sensitive=["ill"]
    )
    published = stories.boxed(table, [0, 0, 0, 0, 1])
    prior = {"cold": 1, "flu": 0, "hiv": 1}
    view = stories.view_of(published.release, table.visible("ill"), "ill", [published.group_of], prior=prior)
    assert oracle.exact(view, PRIOR)[0] == [Fraction(1, 3), 0, Fraction(2, 3)]
    assert oracle.exact(view, UNIFORM)[0] == [Fraction(1, 2), 0, Fraction(1, 2)]


def test_a_member_whose_value_is_not_published_may_have_any():
    """One flu, one blank: half the time she is the blank, and then the prior stands: 1/2 + 1/2 · 1/2."""
    table = Table.of(
        {"age": [20, 21, 60], "ill": ["flu", None, "cold"]}, quasi=["age"], sensitive=["ill"], missing=Missing.WILDCARD
    )
    published = stories.boxed(table, [0, 0, 1])
    view = stories.view_of(published.release, table.visible("ill"), "ill", [published.group_of])
    assert beliefs(view, PRIOR, "flu")[0] == Fraction(3, 4)


# --- attributes only: who could be whom


def test_a_wide_box_says_little_however_many_people_are_in_it():
    """Age 25, [20, 30) with 5 and [0, 100) with 50 people: .55 to 1 by the published marginals, 1 to 1 by uniform ones.

    By the marginals: the narrow box shows 5 + 5 of 55 people, the wide one all 55. So 5 / (10/55) to 50 / 1.
    """
    table = Table.of({"age": [20] * 5 + [0] * 50, "ill": ["flu"] * 5 + ["cold"] * 50}, quasi=["age"], sensitive=["ill"])
    published = stories.boxed(table, [0] * 5 + [1] * 50, {"age": [(20, 29), (0, 99)]})
    view = stories.view_of(published.release, stories.people_of(age=[25]), "ill")
    narrow = Fraction(5) / Fraction(10, 55)
    published_release = oracle._read(published.release, "ill")
    assert sorted(oracle._chances(view, 0, published_release, 0, row_level=False)) == [narrow, 50]
    assert narrow / 50 == Fraction(11, 20)


def test_rows_that_look_alike_are_equally_likely():
    """Exact rows: three people of that age, two in the flu group, one in the other: 2/3 and 1/3 of the way."""
    table = Table.of({"age": [30, 30, 40, 30], "ill": ["flu", "flu", "cold", "cold"]}, quasi=["age"], sensitive=["ill"])
    published = stories.exact(table, [0, 0, 1, 1])
    view = stories.view_of(published.release, stories.people_of(age=[30]), "ill")
    assert beliefs(view, PRIOR, "flu") == [Fraction(2, 3)]


def test_who_fits_nowhere_stays_at_the_prior():
    """No person of 99 is published."""
    table = Table.of({"age": [20, 30], "ill": ["flu", "cold"]}, quasi=["age"], sensitive=["ill"])
    view = stories.view_of(stories.boxed(table, [0, 1]).release, stories.people_of(age=[99]), "ill")
    assert oracle.exact(view, PRIOR) == [[Fraction(1, 2)] * 2]


# --- several releases: Ganta et al. 2008


def test_two_hospitals_disclose_what_each_hides():
    """28 years: only AIDS is on both lists. 32: cancer, which one told already. 45: cancer 9/29, viral 20/29."""
    view = stories.view_of(stories.hospitals(), stories.people_of(age=[28, 32, 45]), "condition")
    found = oracle.exact(view, PRIOR)
    named = [{v: p for v, p in zip(view.knowledge.prior.values, row, strict=True) if p} for row in found]
    assert named == [{"AIDS": 1}, {"Cancer": 1}, {"Cancer": Fraction(9, 29), "Viral": Fraction(20, 29)}]


def test_the_other_hospital_alone_is_weaker():
    """Of six people of 35 and more in the second hospital, three have cancer."""
    view = stories.view_of(stories.hospitals()[1], stories.people_of(age=[45]), "condition")
    assert beliefs(view, PRIOR, "Cancer") == [Fraction(1, 2)]


def test_whether_the_others_are_the_same_people_matters():
    """Ann and Bob share {flu, cold}; Bob and Cy share {cold, hiv} elsewhere: Bob has a cold, so Ann has flu.

    With strangers drawn afresh, only Bob is disclosed.
    """
    table = Table.of({"age": [30, 30, 30], "ill": ["flu", "cold", "hiv"]}, quasi=["age"], sensitive=["ill"])
    releases = [stories.boxed(table.take(np.array(rows)), [0, 0]).release for rows in ([0, 1], [1, 2])]
    groups = [[0, 0, NOT_IN_IT], [NOT_IN_IT, 0, 0]]
    view = stories.view_of(releases, table.visible("ill"), "ill", groups)
    assert beliefs(view, Worlds("prior", "shared"), "flu") == [1, 0, 0]
    afresh = beliefs(view, Worlds("prior", "afresh"), "flu")
    assert afresh[1] == 0
    assert 0 < afresh[0] < 1


def test_the_oracle_forgets_nothing_of_a_missing_or_unknown_attribute():
    """A missing age is one more value, which only a cell that admits it may show; an unknown one fits anywhere."""
    table = Table.of({"age": [20, None], "ill": ["flu", "cold"]}, quasi=["age"], sensitive=["ill"])
    release = stories.exact(table, [0, 1]).release
    lacking = stories.view_of(release, table.visible("ill").take(np.array([1])), "ill")
    assert beliefs(lacking, PRIOR, "cold") == [1]
    nothing_known = Table.of({}, quasi=[])
    nothing_known = Table(nothing_known.schema, {}, 1)
    prior = Beliefs.shared(lacking.about, lacking.knowledge.prior.values, np.array([0.5, 0.5]), 1)
    unknown = View((release,), Knowledge(nothing_known, prior))
    assert beliefs(unknown, PRIOR, "cold") == [Fraction(1, 2)]
    assert oracle._Cell(((0.0, inf, True, True),), missing=False, anything=False).holds(1.0)
