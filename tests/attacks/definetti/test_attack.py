"""The deFinetti attack: learning from all groups distinguishes the members of each."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from scipy import stats

from tests import controls, oracle, stories
from tests.strategies import row_numbers
from unmask.arrays import Float64
from unmask.attacks.definetti.attack import DeFinetti
from unmask.beliefs import Beliefs
from unmask.errors import InvalidInputError, NotApplicableError, NotConvergedError
from unmask.release import Publication, Release
from unmask.sanitizers.anatomy import Anatomy
from unmask.table import Table
from unmask.view import NOT_IN_IT, View, Worlds

CHAINS = 16
ATTACK = DeFinetti(chains=CHAINS, limit=800, assignments=0)  # sampled, though assignments are few
WIDE = stats.t.isf(stats.norm.sf(4.5), CHAINS - 1)
"""Student's equivalent of 4.5 standard errors: chance exceeds it 7 times in a million."""


def believed(view: View, value: str, attack: DeFinetti = ATTACK) -> tuple[Float64, Float64]:
    """Return each person's probability of a value, and its tolerance."""
    return of_value(attack.infer(view, np.random.default_rng(1)), value)


def of_value(beliefs: Beliefs, value: str) -> tuple[Float64, Float64]:
    """Return each person's probability of a value, and its tolerance."""
    assert beliefs.error is not None
    column = beliefs.values.index(value)
    error = replace(beliefs.rows, data=beliefs.error).dense()[beliefs.row_of, column]
    return beliefs.dense()[:, column], 1e-9 + WIDE * error


def smokers(**more: object) -> View:
    """Return the view of an attacker who knows each person's row in table 6."""
    table, published = stories.smokers()
    rows = {"groups": [published.group_of], "rows": [published.row_of], **more}
    return stories.view_of(published.release, table.visible("disease"), "disease", **rows)  # type: ignore[arg-type]


@cache
def smokers_beliefs() -> Beliefs:
    """Return what the attack believes of them."""
    return ATTACK.infer(smokers(), np.random.default_rng(1))


# --- the story: Kifer 2009, table 6


def test_a_smoker_in_the_group_makes_cancer_of_the_other_unlikely():
    """Tuple 12 does not smoke: 5/32, where random worlds says 1/2. All twelve, within the attack's own error."""
    half, rare = 1 / 2, 5 / 32
    exact = np.array([half, half, 0, 0, 1 - rare, rare, half, half, 0, 0, 1 - rare, rare])
    found, slack = of_value(smokers_beliefs(), "Cancer")
    assert (np.abs(found - exact) <= slack).all()
    assert slack.max() < 0.02


def test_a_non_smoker_whose_row_is_not_known_is_one_of_six():
    """Two of them at 5/32, four at 0: 5/96."""
    _, published = stories.smokers()
    found, slack = believed(stories.view_of(published.release, stories.people_of(smoker=["n"]), "disease"), "Cancer")
    assert abs(found[0] - 5 / 96) <= slack[0]


def test_people_of_one_profile_share_a_posterior():
    """Groups 1, 2, 4 and 5 hold two smokers or two others: exactly one half, without any error."""
    found, slack = of_value(smokers_beliefs(), "Cancer")
    assert found[[0, 1, 6, 7]].tolist() == [0.5] * 4
    assert slack[[0, 1, 6, 7]].tolist() == [1e-9] * 4


def test_each_chain_is_kept_and_their_mean_is_believed():
    """So that every figure can be given with the sampler's own error."""
    beliefs = smokers_beliefs()
    parts = [part.dense() for part in beliefs.parts.values()]
    assert len(parts) == CHAINS
    assert np.mean(parts, axis=0) == pytest.approx(beliefs.dense(), abs=1e-12)
    assert beliefs.outcome.convergence is not None
    assert beliefs.outcome.convergence.r_hat <= 1.05


# --- the edges


def test_what_is_known_beforehand_multiplies():
    """Tuple 12 does not have cancer, as is known: then it has the other disease, whatever is learned."""
    prior = {"Cancer": 0.0, "Flu": 1.0, "None": 1.0}
    found, _ = believed(smokers(prior=prior), "None")
    assert found[11] == 1


def test_who_is_not_there_stays_at_the_prior():
    """Known to be elsewhere, or of a kind that no row shows."""
    _, published = stories.smokers()
    people = stories.people_of(smoker=["n", "sometimes"])
    view = stories.view_of(published.release, people, "disease", [[NOT_IN_IT, -1]])
    beliefs = ATTACK.infer(view, np.random.default_rng(1))
    assert beliefs.of(0) == beliefs.of(1) == view.knowledge.prior.of(0)
    assert beliefs.unplaced[0].sum() == 2


def test_several_releases_are_another_attacks_task():
    """They are intersection's."""
    table, published = stories.smokers()
    people = table.visible("disease")
    with pytest.raises(NotApplicableError, match="exactly 1 release"):
        ATTACK.infer(stories.view_of([published.release] * 2, people, "disease"), np.random.default_rng(1))


def test_chains_that_disagree_report_nothing():
    """160 iterations are too few for 60 pairs with two opposite readings, which 8 chains all but surely both take.

    Each pair is one f and one m, with one a and one b: sex decides, but nothing says which way.
    """
    table = Table.of({"sex": ["f", "m"] * 60, "ill": ["a", "b"] * 60}, quasi=["sex"], sensitive=["ill"])
    published = stories.exact(table, np.repeat(np.arange(60), 2).tolist())
    view = stories.view_of(published.release, table.visible("ill"), "ill", [published.group_of])
    with pytest.raises(NotConvergedError, match=r"chains must agree; .*[Rr]aise limit"):
        DeFinetti(chains=8, limit=160).infer(view, np.random.default_rng(1))


def workers(n: int) -> tuple[View, Table, Publication]:
    """Return so many people whose job shows in two attributes, in groups of two jobs, for who knows the row."""
    rng = np.random.default_rng(1)
    job = rng.integers(0, 6, n)
    hints = [np.where(rng.random(n) < 0.7, job, rng.integers(0, 6, n)) for _ in range(2)]
    columns = {"wears": hints[0], "carries": hints[1], "job": job}
    labels = {name: [f"{name} {code}" for code in codes] for name, codes in columns.items()}
    table = Table.of(labels, quasi=["wears", "carries"], sensitive=["job"])
    published = Anatomy(l=2).sanitize(table, rng)
    places = {"groups": [published.group_of], "rows": [row_numbers(published)]}
    view = stories.view_of(published.release, table.visible("job"), "job", **places)  # type: ignore[arg-type]
    return view, table, published


def test_the_fast_tier_believes_nearly_the_same_and_says_that_it_is_approximate():
    """6,000 people: each within .06 of the sampler, .005 on average; likewise with the own group left out."""
    view, _, published = workers(6000)
    sampled = DeFinetti().infer(view, np.random.default_rng(1))
    fast = DeFinetti(tier="fast").infer(view, np.random.default_rng(1))
    assert fast.outcome.is_approximate
    assert str(fast.notes["tier"]).startswith("fast: approximate")
    assert not fast.is_drawn
    off = np.abs(fast.dense() - sampled.dense())
    assert off.max() < 0.06
    assert off.mean() < 0.005
    control = [controls.left_out(one, published.group_of).dense() for one in (fast, sampled)]
    assert np.abs(control[0] - control[1]).max() < 0.02


@pytest.mark.parametrize(("most", "tier"), [(6000, "exact"), (5999, "fast")])
def test_the_number_of_people_chooses_the_tier(monkeypatch, most, tier):
    """The beliefs are those of the chosen tier, which the notes name."""
    monkeypatch.setattr("unmask.attacks.definetti.attack.MOST_SAMPLED", most)
    view, _, _ = workers(6000)
    found = DeFinetti().infer(view, np.random.default_rng(1))
    chosen = DeFinetti(tier=tier).infer(view, np.random.default_rng(1))
    assert np.array_equal(found.rows.data, chosen.rows.data)
    assert (found.notes.get("chosen for") == f"more than {most:,} people") == (tier == "fast")


def test_a_large_table_without_a_clear_fixed_point_is_sampled(monkeypatch):
    """The notes state why the fast tier gave no answer."""
    monkeypatch.setattr("unmask.attacks.definetti.attack.MOST_SAMPLED", 11)
    found = DeFinetti(assignments=0).infer(smokers(), np.random.default_rng(1))
    assert "at least 5,000 people" in str(found.notes["not fast"])
    assert found.is_drawn


def test_the_fast_tier_refuses_small_tables():
    """What it leaves out, the uncertainty of the parameters, is too much of the answer there."""
    with pytest.raises(NotApplicableError, match=r"at least 5,000 people to learn from; got 12. Use tier=exact"):
        DeFinetti(tier="fast").infer(smokers(), np.random.default_rng(1))


def test_the_fast_tier_refuses_where_starts_disagree():
    """3,000 pairs of one f and one m with one a and one b: either reading is as good."""
    n = 3000
    table = Table.of({"sex": ["f", "m"] * n, "ill": ["a", "b"] * n}, quasi=["sex"], sensitive=["ill"])
    published = stories.exact(table, np.repeat(np.arange(n), 2).tolist())
    view = stories.view_of(published.release, table.visible("ill"), "ill", [published.group_of])
    with pytest.raises(NotConvergedError, match=r"different solutions.* Use tier=exact"):
        DeFinetti(tier="fast", temper="off").infer(view, np.random.default_rng(1))


def test_attributes_that_tell_nothing_of_these_groups_leave_their_shares():
    """Each pair is one f and one m: nobody can be exchanged for another, so nothing is learned, in either tier."""
    n = 300
    table = Table.of({"sex": ["f", "m"] * n, "ill": ["a", "b"] * n}, quasi=["sex"], sensitive=["ill"])
    published = stories.exact(table, np.repeat(np.arange(n), 2).tolist())
    view = stories.view_of(published.release, table.visible("ill"), "ill", [published.group_of])
    found = DeFinetti(limit=320, assignments=0).infer(view, np.random.default_rng(1))
    assert float(found.notes["power of attributes"]) <= 0.1
    assert found.dense() == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"tier": "slow"}, "tier must be one of auto, exact, fast"),
        ({"chains": 3}, "chains must be at least 4"),
        ({"alpha": 0}, "alpha must be positive"),
        ({"limit": 10}, "limit of iterations must be at least 160"),
    ],
)
def test_settings_that_mean_nothing_are_refused(settings, words):
    """Fewer than four chains could not disagree; a prior must be positive; a limit must leave room for rounds."""
    with pytest.raises(InvalidInputError, match=words):
        DeFinetti(**settings)


# --- the parameter, and the control


@pytest.mark.parametrize("alpha", [0.3, 5.0])
def test_other_priors_over_parameters_equal_their_own_enumeration(alpha):
    """The answer depends on alpha: at .3 tuple 12 has cancer with .05, at 5 with .37."""
    view = smokers()
    exact = oracle.posterior(view, Worlds("dirichlet", alpha=alpha))[:, view.knowledge.prior.values.index("Cancer")]
    found, slack = believed(view, "Cancer", replace(ATTACK, alpha=alpha))
    assert (np.abs(found - exact) <= slack).all()


def newcomer(release: Release, profile: tuple[oracle._Cell, ...], prior: dict[str, Fraction]) -> dict[str, Fraction]:
    """Return the posterior of a person of this profile outside the release, by enumeration."""
    groups_read = oracle._read(release, "disease")
    values = list(prior)
    total: Counter[str] = Counter()
    for world in oracle._worlds(groups_read.groups, values):
        given = [v for group in world for v in group]  # rows stand in the order of groups
        rows = list(zip(groups_read.lines, given, strict=True))
        weight = oracle._bayes_weight(rows, values, groups_read.kinds, Fraction(1))
        for v in values:
            chance = Fraction(1)
            for i, cell in enumerate(profile):
                same = sum(line[i] == cell and u == v for line, u in rows)
                chance *= Fraction(same + 1) / (given.count(v) + groups_read.kinds[i])
            total[v] += weight * prior[v] * chance  # type: ignore[assignment]
    return {v: Fraction(total[v]) / sum(total.values()) for v in values}


def test_the_control_predicts_each_person_from_all_other_groups():
    """Tuple 12 had their group not been published: a newcomer who does not smoke, learned from the ten others.

    Against enumeration of the release with that group cut out; within two points, for draws are reused.
    """
    _, published = stories.smokers()
    view = smokers()
    beliefs = smokers_beliefs()
    control: Beliefs = controls.left_out(beliefs, published.group_of)
    before = dict(zip(view.knowledge.prior.values, oracle._priors(view)[0].values(), strict=True))
    for person in (0, 2, 5, 11):
        own = np.arange(6) == published.group_of[person]
        profile = oracle._read(published.release, "disease").lines[int(published.row_of[person])]  # type: ignore[index]
        expected = newcomer(published.release.without(own), profile, before)
        assert control.dense()[person] == pytest.approx([float(p) for p in expected.values()], abs=0.02)
