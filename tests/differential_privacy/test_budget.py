"""What releases spend: ε and δ as declared, twice that where a record is replaced rather than taken out."""

from __future__ import annotations

from dataclasses import replace
from math import exp, tanh

import pytest

from tests import stories
from unmask.differential_privacy.budget import Budget, added, budgets_of, farthest
from unmask.errors import InvalidInputError
from unmask.neighboring_relation import Relation
from unmask.release import Noise, Provenance, Release
from unmask.unit import Unit


def declared(
    epsilon: float | None, delta: float | None = None, noise: Noise | None = None, **parameters: object
) -> Release:
    """Return a release of twelve people with a declared budget; with noise it shows counts and no rows."""
    provenance = Provenance("by hand", parameters, epsilon=epsilon, delta=delta)
    release = replace(stories.smokers()[1].release, provenance=provenance)
    return release if noise is None else replace(release, noise={"disease": noise}, start=None, rows="none")


def test_a_release_says_what_it_spent():
    """ε alone is pure; noise counts as Laplace only where it is continuous."""
    assert Budget(0.5) == Budget.of(declared(0.5))
    assert Budget(0.5, 0, None, 2) == Budget.of(declared(0.5, noise=Noise("discrete-laplace", 4)))
    assert Budget(0.5, 0, "laplace", 2) == Budget.of(declared(0.5, noise=Noise("laplace", 4)))


def test_noise_is_all_that_is_known_of_a_release_only_where_it_shows_nothing_else():
    """Rows beside the counts, a δ, several rows of a person, an ε that noise alone does not spend: ε as declared."""
    noise = Noise("laplace", 4)
    with_rows = replace(declared(0.5, noise=noise), start=stories.smokers()[1].release.start)
    assert Budget(0.5) == Budget.of(with_rows)
    assert Budget(0.5, 1e-6) == Budget.of(declared(0.5, 1e-6, noise))
    assert Budget(1.5) == Budget.of(declared(1.5, noise=noise))
    assert Budget(1.5) == Budget.of(declared(1.5, noise=noise, **{"rows-per-person": 3}))
    other_size = replace(declared(0.5, noise=noise), size=with_rows.size + 1)
    assert Budget(0.5) == Budget.of(other_size), "a size that is no sum of noisy counts was counted apart"


def test_replacing_a_record_is_taking_one_out_and_putting_one_in():
    """Laplace(1/ε) counts keep ε for a record that is there or not; to replace it changes two cells: 2 ε."""
    assert Budget(1.0, 0, "laplace", 2) == Budget.of(declared(0.5, noise=Noise("laplace", 2), neighbors="add-remove"))
    assert Budget(1.0) == Budget.of(declared(0.5, neighbors="add-remove"))
    assert Budget(0.5) == Budget.of(declared(0.5, neighbors="replace"))
    assert (1 + exp(0.5)) * 1e-6 == pytest.approx(Budget(0.5, 1e-6).twice().delta)


def test_which_tables_an_epsilon_compares_is_read_off_the_release():
    """`neighbors` beside ε; by the parameters, as earlier versions wrote it; of two that contradict, the weaker."""
    provenance = Provenance("by hand", {}, epsilon=0.5, neighbors=Relation.ADD_REMOVE_PERSON)
    assert Budget(1.0, unit=Unit.PEOPLE) == Budget.of(replace(declared(None), provenance=provenance))
    provenance = replace(provenance, neighbors=Relation.REPLACE_PERSON)
    assert Budget(0.5, unit=Unit.PEOPLE) == Budget.of(replace(declared(None), provenance=provenance))
    mixed = replace(provenance, parameters={"neighbors": "add-remove"})
    assert Relation.ADD_REMOVE_PERSON is mixed.relation
    assert Relation.ADD_REMOVE_ROW is declared(0.5, neighbors="add-remove").provenance.relation
    assert declared(0.5, neighbors=["replace"]).provenance.relation is None


def test_persons_are_protected_together_only_where_every_release_protects_them():
    """A row of a person in one release is not all of their rows."""
    person, row = Budget(0.5, unit=Unit.PEOPLE), Budget(0.5)
    assert (Unit.PEOPLE, Unit.ROWS) == (added([person, person]).unit, added([person, row]).unit)
    assert "neighbors: one person (all rows of theirs) is replaced by another" == person.neighbors


def test_noise_that_is_too_small_for_what_is_declared_is_taken_at_its_scale():
    """Scale 2 and ε = .5, without declared neighbors: replaced, two counts change by one, and 1 is spent."""
    assert Budget(1.0, 0, "laplace", 2) == Budget.of(declared(0.5, noise=Noise("laplace", 2)))


def test_one_release_without_a_budget_leaves_all_without_a_bound():
    """What it gives away is not known."""
    assert budgets_of([declared(0.5), declared(None)]) is None
    assert budgets_of([]) is None
    assert [Budget(0.5), Budget(0.3)] == budgets_of([declared(0.5), declared(0.3)])


def test_epsilons_and_deltas_add_up():
    """Lemma 12; a δ above 1 is 1."""
    total = added([Budget(0.3, 1e-6), Budget(0.5, 2e-6, "laplace")])
    assert (0.8, 3e-6) == pytest.approx((total.epsilon, total.delta))
    assert added([Budget(0.1, 0.7)] * 2).delta == 1


def test_no_event_becomes_likelier_by_more():
    """tanh(ε / 2) of what δ leaves; nothing is spent, nothing moves."""
    assert farthest(Budget(0.0)) == 0
    assert tanh(0.4) == pytest.approx(farthest(Budget(0.8)))
    assert 1 == farthest(Budget(0.1, 1.0))


@pytest.mark.parametrize("spent", [(-0.1, 0), (float("nan"), 0), (float("inf"), 0), (0.1, -1e-9), (0.1, 1.1)])
def test_what_is_no_budget_is_an_error(spent):
    """A negative ε would promise more than nothing."""
    with pytest.raises(InvalidInputError, match=r"epsilon must|delta must"):
        Budget(*spent)
