"""The deFinetti attack by enumeration of few assignments: equal to the oracle, without error."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st
from scipy.special import gammaln

from tests import controls, oracle, stories
from tests.strategies import Seen, views
from unmask.arrays import Bool, Float64, Int32, Ragged
from unmask.attacks.definetti import exact_assignments
from unmask.attacks.definetti.attack import DeFinetti
from unmask.attacks.definetti.exact_assignments import enumerate_assignments
from unmask.attacks.shared.grouped_people import GroupedPeople
from unmask.beliefs import Beliefs
from unmask.errors import InvalidInputError, NotApplicableError
from unmask.files.beliefs import beliefs_frame
from unmask.release import Release
from unmask.schema import Missing
from unmask.table import Table
from unmask.view import View, Worlds

ATTACK = DeFinetti()


def infer(view: View, attack: DeFinetti = ATTACK) -> Beliefs:
    """Attack with a generator that nothing is drawn from."""
    return attack.infer(view, np.random.default_rng(0))


def counted(beliefs: Beliefs) -> bool:
    """Whether all assignments were added up, by their tables."""
    return "tables of counts added up" in beliefs.notes


def smokers() -> View:
    """Return the view of an attacker who knows which row of Kifer's table 6 is whose."""
    table, published = stories.smokers()
    rows = {"groups": [published.group_of], "rows": [published.row_of]}
    return stories.view_of(published.release, table.visible("disease"), "disease", **rows)  # type: ignore[arg-type]


# --- the story


def test_tuple_12_has_cancer_with_five_in_32():
    """Kifer's table 6 has four assignments that differ, so nothing is sampled: 5/32 to the last digit."""
    beliefs = infer(smokers())
    assert beliefs.dense()[11, beliefs.values.index("Cancer")] == pytest.approx(5 / 32, abs=1e-14)
    assert (beliefs.error, beliefs.parts, beliefs.notes["tables of counts added up"]) == (None, {}, 4)


def test_two_people_have_exact_posteriors():
    """Two smokers have cancer and one of two others has not: the pair's own values follow, the same with every seed."""
    table = Table.of({"smokes": list("yyyn"), "ill": list("aaab")}, quasi=["smokes"], sensitive=["ill"])
    published = stories.exact(table, [0, 1, 2, 2])
    places = {"groups": [published.group_of], "rows": [published.row_of]}
    view = stories.view_of(published.release, table.visible("ill"), "ill", **places)  # type: ignore[arg-type]
    found = [DeFinetti().infer(view, np.random.default_rng(seed)).dense() for seed in (1, 2)]
    assert (found[0] == found[1]).all()
    assert found[0] == pytest.approx(oracle.posterior(view, Worlds("dirichlet")), abs=1e-14)
    assert set(beliefs_frame([infer(view)])["error"].to_pylist()) == {0.0}


# --- equal to the oracle


@settings(max_examples=60, deadline=None)
@given(views(forms=("exact",)), st.sampled_from([0.3, 1.0, 4.0]))
def test_beliefs_are_those_of_all_worlds(seen: Seen, alpha: float):
    """Whatever is known of places and beforehand, a missing value being one more: equal to fractions of all worlds."""
    assume(all(attribute.missing is Missing.OWN for attribute in seen.table.schema))
    try:
        beliefs = infer(seen.view, DeFinetti(alpha))
    except NotApplicableError:
        reject()  # a value that is not published
    assert counted(beliefs)
    exact = oracle.posterior(seen.view, Worlds("dirichlet", alpha=alpha))
    assert beliefs.dense() == pytest.approx(exact, abs=1e-11)


def newcomer(
    release: Release, profile: tuple[oracle._Cell, ...], prior: dict[str, Fraction], kinds: list[int]
) -> dict[str, float]:
    """Return the belief about a person of this profile who is not in the release, by enumeration."""
    groups_read = oracle._read(release, "ill")
    values = list(prior)
    total: Counter[str] = Counter()
    for world in oracle._worlds(groups_read.groups, values):
        given_values = [v for group in world for v in group]
        rows = list(zip(groups_read.lines, given_values, strict=True))
        weight = oracle._bayes_weight(rows, values, kinds, Fraction(1))
        for v in values:
            chance = weight * prior[v]
            for i, cell in enumerate(profile):
                same = sum(line[i] == cell and u == v for line, u in rows)
                chance *= Fraction(same + 1) / (given_values.count(v) + kinds[i])
            total[v] += chance  # type: ignore[assignment]
    return {v: float(Fraction(total[v]) / sum(total.values())) for v in values}


@settings(max_examples=30, deadline=None)
@given(views(forms=("exact",), min_rows=3, max_rows=6, located=True, any_prior=False, missing=False))
def test_the_control_is_that_of_the_release_without_the_own_group(seen: Seen):
    """Exact, too: enumerated again from what is left when the group is cut out."""
    beliefs, release = infer(seen.view), seen.view.release
    assume(release.n_groups > 1)
    own = seen.own(0)
    control = controls.left_out(beliefs, own)
    prior = dict(zip(seen.view.knowledge.prior.values, oracle._priors(seen.view)[0].values(), strict=True))
    whole = oracle._read(release, "ill")
    row_of = seen.publications[0].row_of
    assert row_of is not None
    for person in range(seen.table.n_rows):
        kept = release.without(np.arange(release.n_groups) == own[person])
        expected = newcomer(kept, whole.lines[int(row_of[person])], prior, whole.kinds)
        assert control.dense()[person] == pytest.approx(list(expected.values()), abs=1e-9)


# --- people of one profile and group are interchangeable


@st.composite
def grouped(draw: st.DrawFn) -> GroupedPeople:
    """Return up to three groups of few profiles, which several people share; some levels are missing."""
    codes = draw(st.lists(st.tuples(st.integers(-1, 1), st.integers(-1, 2)), min_size=2, max_size=4, unique=True))
    person = st.tuples(st.integers(0, len(codes) - 1), st.integers(0, 2))
    members = draw(st.lists(st.lists(person, min_size=1, max_size=4), min_size=1, max_size=3))
    profile, value = np.array([one for group in members for one in group], np.int32).T
    start = np.cumsum([0, *map(len, members)])
    return GroupedPeople(profile, start, value, np.array(codes, np.int32), np.array([2, 3], np.int32), 3)


def slowly(groups: GroupedPeople, alpha: float, without: int) -> tuple[Float64, Float64]:
    """Enumerate assignments to people: P(value) by row, (rows, values), and P(profile | value) without a group."""
    bounds = list(pairwise(groups.start.tolist()))
    each = [sorted(set(permutations(groups.value[first:end].tolist()))) for first, end in bounds]
    rows, lines = np.zeros((groups.value.size, 3)), np.zeros((groups.codes.shape[0], 3))
    kept = np.repeat(np.arange(len(bounds)), np.diff(groups.start)) != without
    for combination in product(*each):
        value = np.array([v for group in combination for v in group])
        weight = np.exp(likelihood(groups, value, alpha, np.ones(value.size, bool))[0])
        rows[np.arange(value.size), value] += weight
        log, predicted = likelihood(groups, value, alpha, kept)
        lines += np.exp(log) * predicted
    return rows / rows.sum(axis=1, keepdims=True), lines / lines.sum(axis=1, keepdims=True)


def likelihood(groups: GroupedPeople, value: Int32, alpha: float, kept: Bool) -> tuple[float, Float64]:
    """Return the log-likelihood of an assignment of some rows, and the predictions of profiles, (profiles, values)."""
    log, predicted = 0.0, np.ones((groups.codes.shape[0], 3))
    for j, v in np.ndindex(2, 3):
        levels = int(groups.levels[j])
        code = groups.codes[groups.profile_of, j][kept & (value == v)]
        counts = np.bincount(code[code >= 0], minlength=levels) + alpha
        log += float(gammaln(counts).sum() - gammaln(counts.sum()))
        seen = groups.codes[:, j] >= 0
        predicted[seen, v] *= (counts / counts.sum())[groups.codes[seen, j]]
    return log, predicted


@settings(max_examples=60, deadline=None)
@given(grouped(), st.sampled_from([0.3, 1.0, 4.0]), st.sampled_from([40, 4_000_000]))
def test_tables_equal_an_enumeration_over_people(groups: GroupedPeople, alpha: float, most_cells: int):
    """Probabilities and left-out predictions, whatever number of combinations is in memory at once."""
    everyone = np.arange(groups.codes.shape[0], dtype=np.int32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact_assignments, "MOST_CELLS", most_cells)
        found = enumerate_assignments(groups, alpha, 1_000_000)
        assert found is not None
        for group in range(-1, groups.start.size - 1):
            rows, lines = slowly(groups, alpha, group)
            row_of, left = found.left_out(np.full(everyone.size, group, np.int32), everyone, groups.codes)
            assert left[row_of] == pytest.approx(lines, abs=1e-12)
    slots = Ragged(found.slots.start, found.slots.column, found.mean, 3)
    assert slots.dense(found.slots.of_row) == pytest.approx(rows, abs=1e-12)


def half(n: int) -> GroupedPeople:
    """Return a group of n people with one profile and n with another; half of them have each of two values."""
    alternating = np.tile(np.array([0, 1], np.int32), n)
    codes, levels = np.array([[0], [1]], np.int32), np.array([2], np.int32)
    return GroupedPeople(alternating, np.array([0, 2 * n]), alternating, codes, levels, 2)


def test_large_groups_of_few_profiles_are_added_up():
    """Groups of 120 and 4,000 people: 61 and 2,001 tables of equal probability, by hand, not 10^35 assignments.

    With a people of the first profile and value, there are C(n, a)² assignments, of likelihood ((n + 1) C(n, a))⁻².
    """
    assert enumerate_assignments(half(60), 1.0, 60) is None
    for n in (60, 2000):
        found = enumerate_assignments(half(n), 1.0, n + 1)
        assert found is not None
        assert np.ptp(found.log_weight) == pytest.approx(0, abs=1e-7)
        assert found.mean.tolist() == pytest.approx([0.5] * 4)  # which profile has which value is open


# --- where it is sampled


def pairs(n: int) -> GroupedPeople:
    """Return n pairs of a man and a woman with two values, in three attributes."""
    profile = np.tile(np.array([0, 1], np.int32), n)
    value: Int32 = np.tile(np.array([0, 1], np.int32), n)
    codes = np.array([[0, 0, 0], [1, 0, 1]], np.int32)
    return GroupedPeople(profile, np.arange(0, 2 * n + 1, 2), value, codes, np.array([2, 1, 2], np.int32), 2)


def test_more_assignments_than_are_allowed_are_not_added_up():
    """Sixteen pairs have 65,536, seventeen 131,072."""
    found = enumerate_assignments(pairs(16), 1.0, 100_000)
    assert found is not None
    assert found.mean.tolist() == pytest.approx([0.5] * found.mean.size)  # which sex has which value is open
    assert enumerate_assignments(pairs(17), 1.0, 100_000) is None
    assert enumerate_assignments(pairs(17), 1.0, 131_072) is not None
    assert not counted(infer(smokers(), DeFinetti(assignments=3)))
    with pytest.raises(InvalidInputError, match="assignments must be at least 0"):
        DeFinetti(assignments=-1)
