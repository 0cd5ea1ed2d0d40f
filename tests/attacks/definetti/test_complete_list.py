"""The deFinetti attack with a complete list: assigned people turn generalized groups into groups of Anatomy."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, given, reject, settings
from scipy import stats

from tests import controls, oracle, stories
from tests.strategies import Seen, row_numbers, views
from unmask.arrays import Float64
from unmask.attacks.definetti.attack import DeFinetti
from unmask.beliefs import Beliefs
from unmask.datasets.papers import kifer_listed, kifer_recoded, kifer_table_2
from unmask.errors import NotApplicableError, NotConvergedError
from unmask.files.raw import Raw
from unmask.files.releases import generalized
from unmask.files.roles import Roles
from unmask.release import Release
from unmask.sanitizers.mondrian import Mondrian
from unmask.schema import Missing
from unmask.table import Table
from unmask.view import IN_IT, NOT_IN_IT, Knowledge, View

CHAINS = 16
ATTACK = DeFinetti(chains=CHAINS, limit=640, assignments=0)
WIDE = stats.t.isf(stats.norm.sf(4.5), CHAINS - 1)
"""Student's equivalent of 4.5 standard errors: chance exceeds it 7 times in a million."""


def listing(release: Release, people: Table, about: str = "ill", groups: list[int] | None = None) -> View:
    """Return the view of an attacker with a complete list, and some known groups."""
    view = stories.view_of(release, people, about, None if groups is None else [groups])
    return View(view.releases, replace(view.knowledge, complete=True))


def infer(view: View, attack: DeFinetti = ATTACK) -> Beliefs:
    """Attack."""
    return attack.infer(view, np.random.default_rng(1))


def slack(*several: Beliefs) -> Float64:
    """Return by how much beliefs may differ by the sampler's chance."""
    each = [np.zeros(b.dense().shape) if b.error is None else replace(b.rows, data=b.error).dense()[b.row_of]
            for b in several]  # fmt: skip
    return np.asarray(1e-9 + WIDE * np.sqrt(sum(one**2 for one in each)))


def assert_enumerated(view: View) -> Beliefs:
    """Check against listing every way to place people and to hand out the values."""
    beliefs = infer(view)
    assert (np.abs(beliefs.dense() - oracle.posterior(view, ATTACK.worlds)) <= slack(beliefs)).all()  # type: ignore[arg-type]
    return beliefs


# --- the story: Kifer 2009, tables 2 to 5


@cache
def patients_posterior() -> Float64:
    """Return the exact beliefs about twelve patients, recoded globally: all groups are known, as if recoded locally."""
    view = listing(kifer_recoded(locally=False), kifer_table_2().visible("disease"), "disease")
    return oracle.posterior(view, ATTACK.worlds)  # type: ignore[arg-type]


@pytest.mark.parametrize("locally", [False, True])
def test_a_list_of_all_twelve_patients_turns_recoded_tables_into_anatomy(locally):
    """Tuple 1 has AIDS with .860 instead of 3/4, recoded globally or locally; as buckets of the same people say."""
    table = kifer_table_2()
    people = table.visible("disease")
    view = listing(kifer_recoded(locally=locally), people, "disease")
    beliefs = infer(view)
    assert (np.abs(beliefs.dense() - patients_posterior()) <= slack(beliefs)).all()
    assert beliefs.of(0)["AIDS"] == pytest.approx(0.860, abs=0.01)
    buckets = kifer_listed(anatomized=False)
    rows = stories.view_of(buckets.release, people, "disease", [buckets.group_of], rows=[row_numbers(buckets)])
    same = infer(rows)
    assert same.values == beliefs.values
    assert (np.abs(same.dense() - beliefs.dense()) <= slack(same, beliefs)).all()


# --- who is in which group


def townspeople() -> Table:
    """Return six people of two ages and two sexes; the older women have the flu."""
    return Table.of(
        {"age": [20, 24, 28, 40, 44, 48], "sex": list("fmffmf"),
         "ill": ["cold", "cold", "flu", "flu", "cold", "flu"]},
        quasi=["age", "sex"], sensitive=["ill"],
    )  # fmt: skip


def test_a_single_fitting_group_or_a_known_group_places_a_person():
    """Three in their twenties, three in their forties: by their ages, by group numbers, or half by each."""
    table = townspeople()
    published = stories.boxed(table, [0, 0, 0, 1, 1, 1])
    people, own = table.visible("ill"), published.group_of.tolist()
    by_age = assert_enumerated(listing(published.release, people))
    for known_groups in (own, [*own[:3], IN_IT, IN_IT, IN_IT]):
        assert np.array_equal(infer(listing(published.release, people, groups=known_groups)).dense(), by_age.dense())
    assert by_age.unplaced[0].sum() == 0


def test_a_known_group_wins_over_cells_that_do_not_fit():
    """The list has age 44, the group the twenties: the known group wins."""
    table = townspeople()
    published = stories.boxed(table, [0, 0, 0, 1, 1, 1])
    people = stories.people_of(age=[44, 24, 28, 40, 44, 48], sex=list("fmffmf"))
    young = published.group_of[0]
    assert_enumerated(listing(published.release, people, groups=[young, *[IN_IT] * 5]))


def test_sizes_say_who_is_where_if_groups_overlap():
    """Ages 20-30 for three, 20-48 for three: the second has the three who do not fit the first."""
    table = townspeople()
    ranges = {"age": [(20, 30), (20, 48)]}
    published = stories.boxed(table, [0, 0, 0, 1, 1, 1], ranges)
    found = assert_enumerated(listing(published.release, table.visible("ill")))
    apart = infer(listing(stories.boxed(table, [0, 0, 0, 1, 1, 1]).release, table.visible("ill")))
    assert np.array_equal(found.dense(), apart.dense())


def test_people_of_one_profile_need_not_be_distinguished():
    """Three twins for two places in one group and one in the other: each is in the first with 2/3."""
    table = Table.of({"age": [30, 30, 30, 20, 40], "ill": ["flu", "cold", "flu", "cold", "flu"]}, quasi=["age"],
                     sensitive=["ill"])  # fmt: skip
    published = stories.boxed(table, [0, 0, 1, 0, 1], {"age": [(20, 30), (30, 40)]})
    found = assert_enumerated(listing(published.release, table.visible("ill")))
    assert len({tuple(row) for row in np.round(found.dense()[:3], 12)}) == 1


def test_where_people_could_change_places_the_attack_says_how_many():
    """Two groups of ages 20 to 30 are not determined; the third group is."""
    table = Table.of({"age": [20, 22, 28, 30, 50, 52], "ill": list("ababab")}, quasi=["age"], sensitive=["ill"])
    published = stories.boxed(table, [0, 0, 1, 1, 2, 2], {"age": [(20, 30), (20, 30), (50, 52)]})
    people = table.visible("ill")
    with pytest.raises(
        NotApplicableError, match=r"that of 4 people on the list is not determined, in 2 groups. Give each"
    ):
        infer(listing(published.release, people))
    known_groups = published.group_of.tolist()
    assert_enumerated(listing(published.release, people, groups=[known_groups[0], known_groups[1], *[IN_IT] * 4]))


def starred(gone: int = 0) -> Release:
    """Publish three people in their twenties, and two as rows of nothing but stars."""
    raw = Raw.of({"age": ["20-29"] * 3 + ["*"] * 2, "sex": ["*"] * 5, "ill": ["flu", "cold", "cold", "hiv", "flu"]})
    roles = Roles.of(quasi=["age", "sex"], sensitive=["ill"])
    release = generalized(raw, roles, also={"age": ["21", "25", "29", "50", "70"], "sex": ["f", "m"]}).release
    return replace(release, n_suppressed=gone)


def test_suppressed_records_fit_all_people_but_other_groups_must_be_filled():
    """Three of five are in their twenties, as many as that group has: so the other two are the stars."""
    people = stories.people_of(age=[21, 25, 29, 50, 70], sex=list("fmfmf"))
    found = assert_enumerated(listing(starred(), people))
    assert found.of(3).keys() == {"hiv", "flu"}
    assert found.of(0).keys() == {"flu", "cold"}
    with pytest.raises(NotApplicableError, match="that of 5 people on the list is not determined, in 2 groups"):
        infer(listing(starred(), stories.people_of(age=[21, 25, 29, 28, 70], sex=list("fmfmf"))))


# --- people who are not there


def test_who_fits_no_group_was_left_out_and_stays_at_the_prior():
    """Seven on the list, six published: the one of 99 years is in no group, and nothing is learned of them."""
    table = townspeople()
    release = stories.boxed(table, [0, 0, 0, 1, 1, 1]).release
    people = stories.people_of(age=[20, 24, 28, 40, 44, 48, 99], sex=list("fmffmff"))
    view = listing(release, people)
    found = assert_enumerated(view)
    assert found.of(6) == view.knowledge.prior.of(6)
    assert found.unplaced[0].sum() == 1
    assert np.array_equal(found.dense()[:6], infer(listing(release, table.visible("ill"))).dense())


def test_if_anybody_may_have_been_left_out_nobodys_group_is_known():
    """Four fit a group of three, unless the person left out is given."""
    release = stories.boxed(townspeople(), [0, 0, 0, 1, 1, 1]).release
    people = stories.people_of(age=[20, 24, 28, 40, 44, 48, 25], sex=list("fmffmff"))
    message = (
        r"of 4 people .* not determined, in 1 group, since it is unknown which 1 of the list are in no group\. Give"
    )
    with pytest.raises(NotApplicableError, match=message):
        infer(listing(release, people))
    assert_enumerated(listing(release, people, groups=[IN_IT] * 6 + [NOT_IN_IT]))


def test_a_list_that_is_too_short_is_not_complete():
    """Five on the list, six published; or six, one of them not published."""
    release = stories.boxed(townspeople(), [0, 0, 0, 1, 1, 1]).release
    with pytest.raises(NotApplicableError, match=r"a line for each of the 6 published rows; the list has 5\. Give"):
        infer(listing(release, townspeople().visible("ill").take(np.arange(5))))
    six = stories.people_of(age=[20, 24, 99, 40, 44, 48], sex=list("fmffmf"))
    with pytest.raises(NotApplicableError, match=r"its 6 people are assigned, 1 of the 6 published rows stay empty"):
        infer(listing(release, six))


# --- what is missing, or strange


@pytest.mark.parametrize("policy", [Missing.OWN, Missing.WILDCARD])
def test_a_missing_value_is_one_more_value_or_says_nothing(policy):
    """As the release declares it. By default everyone fits: the groups must be given."""
    columns: dict[str, list[object]] = {
        "age": [20, None, 28, 40, 44, None],
        "ill": ["flu", "flu", "cold", "cold", "cold", "flu"],
    }
    table = Table.of(columns, quasi=["age"], sensitive=["ill"], missing=policy)
    published = stories.boxed(table, [0, 0, 0, 1, 1, 1])
    own = published.group_of.tolist()
    known_groups = own if policy is Missing.WILDCARD else [IN_IT] * 5 + own[5:]
    assert_enumerated(listing(published.release, table.visible("ill"), groups=known_groups))


def test_excluded_people_are_in_no_group():
    """Rows without an age are excluded: not even rows of stars are theirs."""
    table = Table.of({"age": [20.0, 24.0, 50.0], "sex": list("fmf"), "ill": ["flu", "cold", "flu"]},
                     quasi=["age", "sex"], sensitive=["ill"], missing=Missing.EXCLUDED)  # fmt: skip
    release = stories.boxed(table, [0, 0, 1]).release
    people = Table.of({"age": [20.0, 24.0, 50.0, None], "sex": list("fmff")}, quasi=["age", "sex"],
                      missing=Missing.EXCLUDED)  # fmt: skip
    view = listing(release, people)
    assert assert_enumerated(view).of(3) == view.knowledge.prior.of(3)


def test_values_that_only_the_list_has_fit_nothing_but_stars():
    """Two people from two towns outside the release: they are the suppressed records, and differ."""
    raw = Raw.of({
        "town": ["a", "a", "b", "b", "*", "*"], "sex": ["f", "m", "f", "m", "*", "*"], "at": list("111122"),
        "ill": ["flu", "cold", "flu", "cold", "flu", "cold"],
    })  # fmt: skip
    roles = Roles.of(quasi=["town", "sex"], sensitive=["ill"], insensitive=["at"])
    release = generalized(raw, roles).release
    people = stories.people_of(town=["a", "a", "b", "b", "x", "y"], sex=list("fmfmfm"))
    assert_enumerated(listing(release, people))


def test_a_column_that_the_list_lacks_tells_nothing():
    """Sex is not on the list: people differ by age alone."""
    table = townspeople()
    published = stories.boxed(table, [0, 0, 0, 1, 1, 1])
    assert_enumerated(listing(published.release, stories.people_of(age=[20, 24, 28, 40, 44, 48])))


def test_a_list_adds_nothing_to_a_release_of_exact_rows():
    """Anatomy: the same beliefs with and without the list, bit for bit."""
    table, published = stories.smokers()
    rows = [row_numbers(published)]
    view = stories.view_of(published.release, table.visible("disease"), "disease", [published.group_of], rows=rows)
    more = View(view.releases, replace(view.knowledge, complete=True))
    assert np.array_equal(infer(view).dense(), infer(more).dense())


def test_noisy_counts_are_nobodys_list():
    """Sizes of 2.7 people cannot be filled by a list, nor half a case of flu be assigned."""
    table = townspeople()
    release = stories.boxed(table, [0, 0, 0, 1, 1, 1]).release
    people = table.visible("ill")
    with pytest.raises(NotApplicableError, match="sizes are noisy"):
        infer(listing(replace(release, size=np.array([2.7, 3.3])), people))
    with pytest.raises(NotApplicableError, match="rows are synthetic"):
        infer(listing(replace(release, rows="synthetic"), people))
    counts = release.counts["ill"]
    noise = np.resize([-0.5, 0.5], counts.data.size)
    noisy = replace(release, columns={}, counts={"ill": replace(counts, data=counts.data + noise)})
    with pytest.raises(NotApplicableError, match="counted once for each row"):
        infer(listing(noisy, people))


def test_a_line_for_each_row_of_a_person_with_several():
    """Five rows of four people: a list of rows is understood, a list of people is too short."""
    columns: dict[str, list[object]] = {"age": [20, 21, 21, 40, 41], "ill": ["flu", "cold", "flu", "cold", "cold"]}
    table = replace(Table.of(columns, quasi=["age"], sensitive=["ill"]), person_of=np.array([0, 1, 1, 2, 3], np.int32))
    release = stories.boxed(table, [0, 0, 0, 1, 1]).release
    assert_enumerated(listing(release, table.visible("ill")))
    with pytest.raises(NotApplicableError, match="each of the 5 published rows; the list has 4"):
        infer(listing(release, table.visible("ill").take(np.array([0, 1, 3, 4]))))


# --- laws


@settings(max_examples=12, suppress_health_check=list(HealthCheck))
@given(views(1, forms=("boxes",)))
def test_beliefs_are_what_enumeration_gives(seen: Seen):
    """Whatever boxes are published, and wherever people are known to be; any prior; their order does not matter."""
    view = View(seen.view.releases, replace(seen.view.knowledge, complete=True))
    try:
        beliefs = assert_enumerated(view)
    except (NotApplicableError, NotConvergedError):
        reject()
    known = view.knowledge
    order = np.random.default_rng(len(known.prior.values)).permutation(known.people.n_rows)
    located = known.located and tuple(replace(p, group=p.group[order], row=None) for p in known.located)
    prior = replace(known.prior, row_of=known.prior.row_of[order])
    shuffled = View(view.releases, Knowledge(known.people.take(order), prior, located, complete=True))
    other = infer(shuffled)
    assert np.array_equal(other.dense(), beliefs.dense()[order])


def workers(n: int = 300) -> Table:
    """Return people whose job shows in what they wear, seven times in ten."""
    rng = np.random.default_rng(1)
    job = rng.integers(0, 3, n)
    wears = np.where(rng.random(n) < 0.7, job, rng.integers(0, 3, n))
    columns = {"age": rng.integers(20, 60, n).tolist(), "wears": [f"wear {w}" for w in wears],
               "job": [f"job {j}" for j in job]}  # fmt: skip
    return Table.of(columns, quasi=["age", "wears"], sensitive=["job"])


def test_a_complete_list_recovers_what_boxes_hide():
    """Groups by age alone, of three and more: the true job gets .50 with the list, .42 without; and no more in all."""
    table = workers()
    published = Mondrian(k=3).sanitize(table.only(["age", "job"]), np.random.default_rng(0))
    hidden = stories.boxed(table, published.group_of.tolist(), {"age": _ages(table, published.group_of)})
    beliefs = infer(listing(hidden.release, table.visible("job"), "job"), DeFinetti(limit=1600))
    right = beliefs.dense()[np.arange(300), table["job"]].mean()
    shares = hidden.release.counts["job"].normalized().dense()[hidden.group_of]
    assert right > shares[np.arange(300), table["job"]].mean() + 0.05
    believed = np.zeros((hidden.release.n_groups, 3))
    np.add.at(believed, hidden.group_of, beliefs.dense())
    assert believed == pytest.approx(hidden.release.counts["job"].dense(), abs=1e-9)


def _ages(table: Table, group: np.ndarray) -> list[tuple[float, float]]:
    """Return the youngest and oldest of each group."""
    return [(table["age"][group == g].min(), table["age"][group == g].max()) for g in range(group.max() + 1)]


def test_the_control_is_that_of_anatomy():
    """Without the own group a person is a newcomer, predicted from the other groups' exact members: by either form."""
    table = workers()
    boxes = Mondrian(k=4).sanitize(table, np.random.default_rng(0))
    people = table.visible("job")
    rows = stories.exact(table, boxes.group_of.tolist())
    listed = infer(listing(boxes.release, people, "job"), DeFinetti(limit=1600))
    known = infer(
        stories.view_of(rows.release, people, "job", [rows.group_of], rows=[row_numbers(rows)]), DeFinetti(limit=1600)
    )
    found = [controls.left_out(listed, boxes.group_of).dense(), controls.left_out(known, rows.group_of).dense()]
    assert np.abs(found[0] - found[1]).mean() < 0.02
    assert np.abs(listed.dense() - known.dense()).mean() < 0.01


def test_a_classifier_learns_from_the_list_too():
    """600 people in boxes: a heuristic, and the same seed gives the same."""
    table = workers(600)
    boxes = Mondrian(k=3).sanitize(table, np.random.default_rng(0))
    view = listing(boxes.release, table.visible("job"), "job")
    attack = DeFinetti(model="learned", classifier="logistic", rounds=3)
    beliefs = infer(view, attack)
    assert beliefs.dense().sum(axis=1) == pytest.approx(1)
    assert np.array_equal(beliefs.dense(), infer(view, attack).dense())
