"""Intersection: two releases that are each safe, and together are not."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests import controls, oracle, stories
from tests.strategies import Seen, views
from unmask.attacks.intersection.attack import Intersection
from unmask.attacks.random_worlds import RandomWorlds
from unmask.attacks.shared.duplicate_releases import originals
from unmask.errors import InvalidInputError, NotApplicableError
from unmask.sanitizers.microaggregation import Microaggregation
from unmask.table import Table
from unmask.view import NOT_IN_IT

RNG = np.random.default_rng(0)  # exact: draws nothing


def together(age, **settings):
    """Return what the paper's two hospitals together let one believe of a patient of this age."""
    view = stories.view_of(stories.hospitals(), stories.people_of(age=[age]), "condition")
    return Intersection(**settings).infer(view, RNG).of(0)


# --- the story: Ganta, Kasiviswanathan, Smith 2008, figure 1


def test_two_hospitals_that_each_hide_alice_disclose_her_together():
    """The story that opens the paper: one value survives both releases."""
    assert together(28) == together(28, rule="set") == together(28, rule="product") == {"AIDS": 1.0}


def test_at_32_one_hospital_alone_has_disclosed_cancer():
    """All people from 30 to 39 in the first have cancer: composition adds nothing, and must not claim it."""
    first = stories.view_of(stories.hospitals()[0], stories.people_of(age=[32]), "condition")
    assert RandomWorlds().infer(first, RNG).of(0) == {"Cancer": 1.0}
    assert together(32) == {"Cancer": 1.0}


@pytest.mark.parametrize(
    ("settings", "cancer", "viral"),
    [
        ({"rule": "set"}, 1 / 2, 1 / 2),
        ({"rule": "product"}, 3 / 7, 4 / 7),
        ({"rule": "bayes", "local_weight": inf}, 9 / 29, 20 / 29),
        ({"rule": "bayes"}, 0.354, 0.646),
    ],
)
def test_at_45_three_rules_weigh_cancer_against_viral(settings, cancer, viral):
    """Shares 1/4 · 3/6 to 2/4 · 2/6, as 3 to 4; published 10 and 6 times among 24; pooled with weight 20 locally."""
    assert together(45, **settings) == pytest.approx({"Cancer": cancer, "Viral": viral}, abs=5e-4)


def test_the_local_distribution_at_45_can_be_worked_by_hand():
    """Local: cancer (1 + 3 + 20 · 10/24) / 30, viral (2 + 2 + 20 · 6/24) / 30; 3 / 12⅓ to 4 / 9 is .354 to .646."""
    cancer, viral = 3 / (4 + 20 * 10 / 24), 4 / (4 + 20 * 6 / 24)
    assert together(45)["Cancer"] == pytest.approx(cancer / (cancer + viral), abs=1e-12)


# --- the edges


def test_one_release_is_not_enough():
    """Nothing to intersect: the attack declines."""
    view = stories.view_of(stories.hospitals()[0], stories.people_of(age=[28]), "condition")
    with pytest.raises(NotApplicableError, match="at least 2 releases; this view has 1"):
        Intersection().infer(view, RNG)


def test_releases_that_contradict_each_other_do_not_share_this_person():
    """Only flu in one group, only colds in the other: the belief stays at the prior, counted once for each person."""
    table = Table.of({"age": [20, 20], "ill": ["flu", "cold"]}, quasi=["age"], sensitive=["ill"])
    releases = [stories.boxed(table.take(np.array([i])), [0]).release for i in (0, 1)]
    view = stories.view_of(releases, stories.people_of(age=[20, 20, 99]), "ill")
    for rule in ("set", "product", "bayes"):
        beliefs = Intersection(rule=rule).infer(view, RNG)
        assert beliefs.dense() == pytest.approx(np.full((3, 2), 0.5))
        assert beliefs.outcome.contradictions == 2
        assert beliefs.unplaced[-1].sum() == 1


def test_who_is_in_one_release_only_is_judged_by_that_one():
    """Known not to be in the second: its groups are no evidence, under any rule but `set`, which ignores shares."""
    one, two = stories.hospitals()
    people = stories.people_of(age=[45])
    alone = stories.view_of(one, people, "condition", prior=dict.fromkeys(stories.CONDITIONS, 1))
    both = stories.view_of(
        [one, two], people, "condition", [[-1], [NOT_IN_IT]], prior=dict.fromkeys(stories.CONDITIONS, 1)
    )
    single = Intersection(rule="product").infer(both, RNG)
    assert single.of(0) == pytest.approx({"Viral": 1 / 2, "Cancer": 1 / 4, "Heart": 1 / 4})
    assert set(RandomWorlds().infer(alone, RNG).of(0)) == set(single.of(0))


def test_a_prior_of_zero_holds_under_every_rule():
    """He does not have a viral infection: cancer is left."""
    prior = {name: float(name != "Viral") for name in stories.CONDITIONS}
    view = stories.view_of(stories.hospitals(), stories.people_of(age=[45]), "condition", prior=prior)
    for rule in ("set", "product", "bayes"):
        assert Intersection(rule=rule).infer(view, RNG).of(0) == {"Cancer": 1.0}


def test_settings_that_mean_nothing_are_refused():
    """A rule of another name, a weight that is not positive."""
    with pytest.raises(InvalidInputError, match="Did you mean 'bayes'"):
        Intersection(rule="bays")  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="greater than 0"):
        Intersection(local_weight=0)
    with pytest.raises(InvalidInputError, match="bandwidth must be at least 0"):
        Intersection(bandwidth=-1)
    with pytest.raises(InvalidInputError, match="nearest must be a whole number"):
        Intersection(nearest=0)


@pytest.mark.parametrize("rule", ["set", "product", "bayes"])
def test_a_release_given_twice_counts_once(rule):
    """A copy under another name beside the two hospitals changes nothing but a note."""
    one, two = stories.hospitals()
    people = stories.people_of(age=[28, 32, 45])
    twice = Intersection(rule=rule).infer(
        stories.view_of([one, two, replace(one, name="copy")], people, "condition"), RNG
    )
    once = Intersection(rule=rule).infer(stories.view_of([one, two], people, "condition"), RNG)
    assert np.array_equal(twice.dense(), once.dense())
    assert twice.outcome.repeated == {"copy": "release"}


def test_two_copies_tell_what_one_release_tells():
    """Rule bayes falls back to random worlds: there is nothing to multiply."""
    one = stories.hospitals()[0]
    people = stories.people_of(age=[28, 32, 45])
    both = Intersection().infer(stories.view_of([one, one], people, "condition"), RNG)
    assert both.dense() == pytest.approx(RandomWorlds().infer(stories.view_of(one, people, "condition"), RNG).dense())


def test_releases_without_a_value_in_common_cannot_be_compared():
    """Codes here, words there: one line with the cause and the way out."""
    releases = []
    for ills in (["flu", "cold"], ["J10", "J00"]):
        table = Table.of({"age": [20, 30], "ill": ills}, quasi=["age"], sensitive=["ill"])
        releases.append(stories.boxed(table, [0, 1]).release)
    with pytest.raises(NotApplicableError, match="needs values of 'ill' that the releases have in common"):
        Intersection().infer(stories.view_of(releases, stories.people_of(age=[20]), "ill"), RNG)


def test_people_must_be_found_by_some_attribute():
    """The people's ages are known, the second release shows zip codes only, and no group is known."""
    releases = []
    for column, values in (("age", [20, 30]), ("zip", ["a", "b"])):
        table = Table.of({column: values, "ill": ["flu", "cold"]}, quasi=[column], sensitive=["ill"])
        releases.append(stories.boxed(table, [0, 1]).release)
    people = stories.people_of(age=[20])
    with pytest.raises(NotApplicableError, match="needs a quasi-identifier of release 'release' to be known"):
        Intersection().infer(stories.view_of(releases, people, "ill"), RNG)
    view = stories.view_of(releases, people, "ill", [[-1], [1]])
    assert Intersection(rule="set").infer(view, RNG).outcome.contradictions == 1  # flu by age, cold by zip


def test_more_values_than_a_word_has_bits():
    """Of 200 values each group has 20, and two groups one in common: number 100."""
    ills = [f"{n:03}" for n in range(200)]
    table = Table.of({"age": [20] * 200, "ill": ills}, quasi=["age"], sensitive=["ill"])
    releases = [stories.boxed(table.take(np.arange(a, b)), [0] * 20).release for a, b in ((81, 101), (100, 120))]
    view = stories.view_of(releases, stories.people_of(age=[20]), "ill")
    for rule in ("set", "product", "bayes"):
        assert Intersection(rule=rule).infer(view, RNG).of(0) == {"100": 1.0}


def test_centroids_are_weighed_by_distance_or_the_nearest_is_taken():
    """The nearest alone names one value; ten leave others possible; a wide bandwidth trusts the nearest less."""
    table = Table.of(
        {"age": [20, 22, 30, 32, 50, 52], "ill": ["flu", "flu", "cold", "cold", "gout", "gout"]}, quasi=["age"],
        sensitive=["ill"],
    )  # fmt: skip
    ages = Table.of(
        {"age": [20, 23, 30, 33, 50, 53], "ill": ["flu", "cold", "cold", "gout", "gout", "flu"]}, quasi=["age"],
        sensitive=["ill"],
    )  # fmt: skip
    releases = [Microaggregation(k=2).sanitize(one, np.random.default_rng(0)).release for one in (table, ages)]
    view = stories.view_of(releases, stories.people_of(age=[21]), "ill")
    assert Intersection(rule="set", nearest=1).infer(view, RNG).of(0) == {"flu": 1.0}
    assert Intersection(rule="set").infer(view, RNG).of(0) == pytest.approx(
        dict.fromkeys(["flu", "cold", "gout"], 1 / 3)
    )
    sure = [Intersection(bandwidth=h).infer(view, RNG).of(0)["flu"] for h in (0, 0.5, 4)]
    assert sure[0] == 1 > sure[1] > sure[2]


# --- the formula, and the control, computed slowly


def slow(attack: Intersection, seen: Seen, person: int, chances) -> controls.Float:
    """Return the belief about one person, whose chances to be in each group of each release are given."""
    prior = seen.view.knowledge.prior
    before = prior.dense()[person]
    evidence = [controls.shares_and_counts(seen.view, r) for r in range(len(seen.view.releases))]
    everywhere = sum(count.sum(axis=0) for _, count in evidence)
    everywhere = everywhere / everywhere.sum()
    weight = 0.0 if attack.local_weight == inf else attack.local_weight
    product, local, n = np.ones(before.size), weight * everywhere, 0
    for (share, count), chance in zip(evidence, chances, strict=True):
        if chance.any():
            seen_here = chance @ share
            product = product * ((seen_here > 1e-13) if attack.rule == "set" else seen_here)
            local = local + chance @ count
            n += 1
    if not n:
        return np.asarray(before)
    if attack.rule != "bayes":
        result = product * (before > 0)
    else:
        local = everywhere if attack.local_weight == inf else local / local.sum()
        with np.errstate(divide="ignore", invalid="ignore"):
            result = np.nan_to_num(before / everywhere * product / local ** (n - 1), nan=0, posinf=0)
    return np.asarray(result / result.sum() if result.sum() > 1e-12 else before)


def chances_here(seen: Seen, r: int, person: int) -> controls.Float:
    """Return the chance of each group for one person, own group included."""
    published = oracle._read(seen.view.releases[r], "ill")
    weight = np.zeros(seen.view.releases[r].n_groups)
    for line, chance in enumerate(oracle._chances(seen.view, r, published, person, row_level=False)):
        weight[published.group_of[line]] += float(chance)
    return np.asarray(weight / max(weight.sum(), 1e-300))


ATTACKS = st.sampled_from([
    Intersection(), Intersection(local_weight=3.0), Intersection(local_weight=inf), Intersection(rule="product"),
    Intersection(rule="set"),
])  # fmt: skip


@settings(max_examples=30)
@given(seen=views(2) | views(3), attack=ATTACKS)
def test_each_rule_is_its_formula(seen: Seen, attack: Intersection):
    """Person by person, with places known or not."""
    n = len(seen.publications)
    assume(originals(seen.view.releases) == list(range(n)))  # a release given twice counts once: see above
    beliefs = attack.infer(seen.view, RNG).dense()
    for person in range(seen.table.n_rows):
        expected = slow(attack, seen, person, [chances_here(seen, r, person) for r in range(n)])
        assert beliefs[person] == pytest.approx(expected, abs=1e-9)


@settings(max_examples=30)
@given(seen=views(2) | views(3), attack=ATTACKS)
def test_the_control_leaves_the_own_group_out_of_each_release(seen: Seen, attack: Intersection):
    """What fits of the rest, else the nearest, in both releases; then the same rule."""
    n = len(seen.publications)
    assume(originals(seen.view.releases) == list(range(n)))
    control = controls.left_out(attack.infer(seen.view, RNG), *(seen.own(r) for r in range(n))).dense()
    for person in range(seen.table.n_rows):
        chances = [controls.chances_elsewhere(seen.view, r, person, int(seen.own(r)[person])) for r in range(n)]
        assert control[person] == pytest.approx(slow(attack, seen, person, chances), abs=1e-9)


@settings(max_examples=30)
@given(seen=views(1, any_prior=False, missing=False, forms=("boxes",)))
def test_the_same_release_twice_rules_out_no_more_than_once(seen: Seen):
    """Rule `set` on a copy: the same values stay possible, and no person is more exposed by the copy."""
    view = stories.view_of([seen.view.releases[0]] * 2, seen.table.visible("ill"), "ill")
    once = stories.view_of(seen.view.releases[0], seen.table.visible("ill"), "ill")
    twice = Intersection(rule="set").infer(view, RNG).dense()
    assert np.array_equal(twice > 0, RandomWorlds().infer(once, RNG).dense() > 0)
