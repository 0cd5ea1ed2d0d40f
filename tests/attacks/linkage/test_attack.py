"""Linkage: which published row is whose, by what is known of people."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from tests import oracle, stories
from tests.strategies import Seen, place_view, views
from unmask.arrays import Float64
from unmask.attacks.linkage.attack import Linkage
from unmask.beliefs import Beliefs
from unmask.errors import NotApplicableError
from unmask.table import Table
from unmask.view import Located, View

RNG = np.random.default_rng(0)  # exact: draws nothing


def where(publication, people: Table, prior=None) -> View:
    """Ask which group people are in."""
    release = publication.release
    table = people
    view = place_view(Seen(stories.view_of(release, people, next(iter(release.counts))), table, (publication,)))
    if prior is None:
        return view
    shares = np.array(prior, float) / sum(prior)
    asked = Beliefs.shared(view.about, view.knowledge.prior.values, shares, people.n_rows)
    return View(view.releases, replace(view.knowledge, prior=asked))


def risk(beliefs: Beliefs, person: int = 0) -> float:
    """Return the chance of naming one row rightly with the best guess."""
    row = beliefs.row_of[person]
    entries = slice(beliefs.rows.start[row], beliefs.rows.start[row + 1])
    return float((beliefs.rows.data[entries] / ways(beliefs)[entries]).max())


def ways(beliefs: Beliefs) -> Float64:
    """Return how many rows each entry stands for."""
    assert beliefs.ways is not None
    return beliefs.ways


def street() -> Table:
    """Return six people of a street, two of them twins."""
    return Table.of(
        {"age": [30, 30, 34, 50, 52, 58], "sex": list("fffmmf"), "ill": list("abcabc")},
        quasi=["age", "sex"],
        sensitive=["ill"],
    )


# --- the story


def test_in_a_group_of_three_each_row_is_hers_with_one_third():
    """Boxes [30, 34] and [50, 58]: at 34 she is in the first for certain, and one of three there."""
    view = where(stories.boxed(street(), [0, 0, 0, 1, 1, 1]), stories.people_of(age=[34], sex=["f"]))
    beliefs = Linkage().infer(view, RNG)
    assert beliefs.of(0) == {"0": 1.0}
    assert risk(beliefs) == pytest.approx(1 / 3)


def test_exact_rows_match_a_person_with_a_unique_profile():
    """A group of three hides no exact row: at 34 she is matched, the twins are one of two."""
    published = stories.exact(street(), [0, 0, 0, 1, 1, 1])
    beliefs = Linkage().infer(where(published, stories.people_of(age=[34, 30], sex=["f", "f"])), RNG)
    assert risk(beliefs, 0) == 1
    assert risk(beliefs, 1) == 1 / 2


def test_twins_in_two_groups_could_be_either():
    """One twin in each group: half and half, and in either group one row fits."""
    beliefs = Linkage().infer(
        where(stories.exact(street(), [0, 1, 0, 1, 1, 0]), stories.people_of(age=[30], sex=["f"])), RNG
    )
    assert beliefs.of(0) == {"0": 0.5, "1": 0.5}
    assert ways(beliefs).tolist() == [1, 1]


# --- conformance: what trips other tools


def test_cells_that_overlap_both_fit():
    """[20, 30) and [20, 40), age 25: two intervals, not two strings. By the published marginals 3 to 2.

    One person each; of two people 1/2 + 1/2 · 1/2 is shown in the first, all in the second.
    """
    table = Table.of({"age": [20, 39], "ill": ["flu", "cold"]}, quasi=["age"], sensitive=["ill"])
    published = stories.boxed(table, [0, 1], {"age": [(20, 29), (20, 39)]})
    beliefs = Linkage().infer(where(published, stories.people_of(age=[25])), RNG)
    assert sorted(beliefs.of(0).values()) == pytest.approx([1 / (1 + 4 / 3), (4 / 3) / (1 + 4 / 3)])
    even = Linkage(background="uniform").infer(where(published, stories.people_of(age=[25])), RNG)
    assert sorted(even.of(0).values()) == pytest.approx([1 / 3, 2 / 3])


def test_text_is_matched_like_numbers():
    """A quasi-identifier of text needs no coding first; people listed in other domains are matched by label."""
    table = Table.of({"town": ["Ulm", "Bonn", "Kiel"], "ill": list("abc")}, quasi=["town"], sensitive=["ill"])
    published = stories.exact(table, [0, 1, 2])
    beliefs = Linkage().infer(where(published, stories.people_of(town=["Kiel", "Ulm"])), RNG)
    found = [published.release.masked.cell_of("town")[int(next(iter(beliefs.of(i))))] for i in range(2)]
    towns = published.release.schema["town"].values
    assert [towns[cell] for cell in found] == ["Kiel", "Ulm"]


def test_who_fits_no_group_is_absent_and_counted():
    """No record of 99, no town of that name: the belief stays at the prior, and the note says how many."""
    published = stories.boxed(street(), [0, 0, 0, 1, 1, 1])
    beliefs = Linkage().infer(where(published, stories.people_of(age=[99, 30], sex=["f", "x"])), RNG)
    assert beliefs.of(0) == beliefs.of(1) == {"0": 0.5, "1": 0.5}
    assert beliefs.unplaced[0].sum() == 2
    assert risk(beliefs) == pytest.approx(1 / 6)


def test_if_nothing_is_known_each_person_is_one_of_all():
    """Every cell suppressed, or nothing known of the person: the risk is 1 in 6."""
    published = stories.boxed(street(), [0, 0, 0, 1, 1, 1])
    nothing = Table(stories.people_of(age=[1]).schema.only([]), {}, 1)
    assert risk(Linkage().infer(where(published, nothing), RNG)) == pytest.approx(1 / 6)


def test_a_prior_over_groups_counts():
    """Nine to one that she is in the second group, which is as large: so is the belief of one who fits both."""
    table = Table.of({"age": [20, 40, 20, 40], "ill": list("abab")}, quasi=["age"], sensitive=["ill"])
    published = stories.boxed(table, [0, 0, 1, 1])
    beliefs = Linkage().infer(where(published, stories.people_of(age=[30]), prior=[1, 9]), RNG)
    assert beliefs.of(0) == pytest.approx({"1": 0.9, "0": 0.1})


def test_where_the_row_is_known_there_is_nothing_to_find():
    """Then identity is assumed: the attack declines rather than boast."""
    published = stories.boxed(street(), [0, 0, 0, 1, 1, 1])
    view = where(published, street().visible(None))
    known = replace(view.knowledge, located=(Located(published.group_of),))
    with pytest.raises(NotApplicableError, match="has them as background knowledge"):
        Linkage().infer(View(view.releases, known), RNG)


# --- the formula


@settings(max_examples=25)
@given(seen=views(1, located=False))
def test_beliefs_are_linking_weights_and_ways_are_the_rows_that_fit(seen: Seen):
    """Against the oracle's own weights; and in strict groups of boxes the risk is one over the group."""
    view = place_view(seen)
    beliefs = Linkage().infer(view, RNG)
    published = oracle._read(view.releases[0], "ill")
    for person in range(seen.table.n_rows):
        weight = np.zeros(view.releases[0].n_groups)
        for line, chance in enumerate(oracle._chances(seen.view, 0, published, person, row_level=False)):
            weight[published.group_of[line]] += float(chance)
        assert weight.any() or seen.own(0)[person] < 0  # each person matches the own group
        weight = weight if weight.any() else view.releases[0].size
        assert beliefs.dense()[person] == pytest.approx(weight / weight.sum(), abs=1e-12)
    assert (ways(beliefs) >= 1).all()
    assert np.all(ways(beliefs) <= view.releases[0].size[beliefs.rows.column])
