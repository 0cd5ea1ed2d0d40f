"""Joint worlds attack: several releases with a complete list."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests import oracle, stories
from tests.strategies import publications, row_numbers, tables
from unmask.attacks.intersection.attack import Intersection
from unmask.attacks.joint_worlds.attack import JointWorlds
from unmask.attacks.shared.duplicate_releases import originals
from unmask.attacks.shared.pooling import default_prior
from unmask.datasets.adult import adult
from unmask.errors import InvalidInputError, NotApplicableError
from unmask.release import Publication
from unmask.sanitizers.mondrian import Mondrian
from unmask.table import Table
from unmask.view import NOT_IN_IT, Knowledge, Located, View

RNG = np.random.default_rng(0)  # exact: draws nothing

SIX = Table.of(
    {"name": list("ABCDEF"), "ill": ["cold", "flu", "flu", "cold", "cold", "gout"]}, quasi=["name"], sensitive=["ill"]
)
"""Six people in pairs, differently in the releases of two hospitals."""

PAIRS = ([0, 0, 1, 1, 2, 2], [0, 1, 0, 2, 1, 2])


def listed(publications: list[Publication], people: Table, *, known: bool = True) -> View:
    """Return the view of an attacker with a complete list, and with groups if given."""
    groups = [np.where(one.group_of >= 0, one.group_of, NOT_IN_IT) for one in publications] if known else None
    view = stories.view_of([one.release for one in publications], people, "ill", groups)
    return View(view.releases, replace(view.knowledge, complete=True))


def six(*, known: bool = True) -> View:
    """Return the view of the six people's releases, with a complete list."""
    return listed([stories.exact(SIX, pairs) for pairs in PAIRS], SIX.visible("ill"), known=known)


# --- the story


@pytest.mark.parametrize("known", [True, False])
def test_what_is_settled_for_one_settles_the_next(known):
    """E has a cold in both pairs, so F gout, so D a cold, C flu, A a cold, B flu: all are disclosed."""
    found = JointWorlds().infer(six(known=known), RNG)
    assert [found.of(i) for i in range(6)] == [{v: 1.0} for v in ("cold", "flu", "flu", "cold", "cold", "gout")]


def test_the_intersection_of_their_own_groups_hides_them():
    """A's pairs have flu and a cold, twice: each value stays possible for A, B and C."""
    alone = Intersection(rule="set").infer(six(), RNG)
    assert [alone.of(i) for i in range(3)] == [{"cold": 0.5, "flu": 0.5}] * 3


# --- the edges


def test_a_complete_list_is_needed():
    """Without it the members of a group are unknown, and no group depends on another."""
    view = six()
    with pytest.raises(NotApplicableError, match="needs a complete list of the people in the releases"):
        JointWorlds().infer(View(view.releases, replace(view.knowledge, complete=False)), RNG)


def test_a_list_that_lacks_a_person_is_refused():
    """Five of the six: one group has a member more than the list."""
    publications = [stories.exact(SIX, pairs) for pairs in PAIRS]
    short = [Publication(one.release, row_numbers(one)[:5]) for one in publications]
    people = SIX.visible("ill").take(np.arange(5))
    for known in (True, False):
        with pytest.raises(NotApplicableError, match=r"needs a (complete list|line for each)"):
            JointWorlds().infer(listed(short, people, known=known), RNG)


def test_people_who_look_alike_in_different_groups_must_be_placed():
    """Two of the same name in two groups: the list does not determine their groups."""
    twins = Table.of({"name": list("AABC"), "ill": ["flu", "cold", "flu", "gout"]}, quasi=["name"], sensitive=["ill"])
    publications = [stories.exact(twins, [0, 1, 0, 1]), stories.exact(twins, [0, 0, 1, 1])]
    with pytest.raises(NotApplicableError, match=r"equal others in another group|is not settled"):
        JointWorlds().infer(listed(publications, twins.visible("ill"), known=False), RNG)
    assert JointWorlds().infer(listed(publications, twins.visible("ill")), RNG).n_attacked == 4


def test_releases_that_contradict_each_other_leave_the_prior():
    """In the second release A and C both have gout; D to F, connected with them, keep the prior as well."""
    other = replace(SIX, columns={**SIX.columns, "ill": np.full(6, 2, np.int32)})
    publications = [stories.exact(SIX, PAIRS[0]), stories.exact(other, PAIRS[1])]
    found = JointWorlds().infer(listed(publications, SIX.visible("ill")), RNG)
    assert found.outcome.contradictions == 6
    assert found.dense() == pytest.approx(found.dense()[[0]].repeat(6, axis=0))


def test_who_is_in_no_release_stays_at_the_prior():
    """A seventh person on the list, in no group: counted as such in both."""
    view = six(known=False)
    people = stories.people_of(name=list("ABCDEFZ"))
    seven = stories.view_of(view.releases, people, "ill")
    found = JointWorlds().infer(View(seven.releases, replace(seven.knowledge, complete=True)), RNG)
    assert found.of(0) == {"cold": 1.0}
    assert found.of(6) == pytest.approx({"cold": 1 / 2, "flu": 1 / 3, "gout": 1 / 6})
    assert found.unplaced[-1].sum() == 1


def test_groups_that_are_too_many_ways_to_fill_are_refused():
    """The limit is a setting; 0 makes no sense."""
    with pytest.raises(NotApplicableError, match="needs small groups: 6 people in 6 groups"):
        JointWorlds(limit=3).infer(six(), RNG)
    with pytest.raises(InvalidInputError, match="limit must be a whole number of at least 1"):
        JointWorlds(limit=0)


# --- the law


@settings(max_examples=40)
@given(st.data(), st.integers(2, 3))
def test_beliefs_are_what_listing_every_world_of_all_releases_gives(data: st.DataObject, n_releases: int):
    """Two and three releases of the same people, boxes and exact rows, some values not published."""
    table = data.draw(tables(2, 6, blanks=True))
    made = [data.draw(publications(table)) for _ in range(n_releases)]
    view = listed(made, table.visible("ill"))
    assume(originals(view.releases) == list(range(n_releases)))
    attack = JointWorlds()
    assert attack.worlds is not None

    beliefs = attack.infer(view, RNG)

    assert beliefs.outcome.contradictions == 0
    assert np.abs(beliefs.dense() - oracle.posterior(view, attack.worlds)).max() < 1e-9


# --- at size


@pytest.mark.slow
def test_five_hundred_people_of_adult_hide_much_worse_than_their_own_groups_say():
    """Twice by Mondrian, k = 5: several times as many are certain, and no true value is ruled out."""
    rng = np.random.default_rng(0)
    quasi = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country")
    table = adult(quasi=quasi, sensitive=("occupation",))
    table = table.take(rng.permutation(table.n_rows)[:500])
    few = table.only(["age", "education", "sex", "occupation"])
    made = [Mondrian(k=5).sanitize(one, rng) for one in (table, few)]
    releases = tuple(one.release for one in made)
    prior = default_prior(releases, "occupation", table.n_rows)
    located = tuple(Located(one.group_of) for one in made)
    view = View(releases, Knowledge(table.visible("occupation"), prior, located, complete=True))

    joint, own = (attack.infer(view, RNG) for attack in (JointWorlds(), Intersection(rule="set")))

    sure = [float((one.rows.maxima()[one.row_of] > 1 - 1e-9).mean()) for one in (own, joint)]
    answer = [table.schema["occupation"].values[code] for code in table["occupation"]]
    truth = np.array([prior.values.index(value) for value in answer])
    assert (joint.rows.at(joint.row_of, truth) > 0).all()
    assert ((own.dense() > 0) >= (joint.dense() > 0)).all()
    assert sure[0] < 0.12
    assert sure[1] > 0.18
