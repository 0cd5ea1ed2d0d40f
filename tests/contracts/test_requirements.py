"""What attacks declare in `requirements` is true: they decline every view that lacks it, and need nothing else."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Literal

import numpy as np
import pytest

from tests import stories
from tests.contracts.test_attacks import (
    ATTACKS,
    all_listed,
    hiding_ages,
    infer,
    made_noisy,
    miners_here,
    with_pseudonyms,
)
from tests.strategies import Seen, place_view
from unmask import catalog
from unmask.attacks.definetti.attack import DeFinetti
from unmask.attacks.definetti.attribute_contributions import Explainable
from unmask.attacks.fusion.predicted_rows import CombinesPredictions
from unmask.beliefs import Beliefs, Question
from unmask.errors import NotApplicableError, NotConvergedError
from unmask.models.l_diversity import DistinctL
from unmask.people_counts import repeats
from unmask.release import Provenance
from unmask.sanitizers.mondrian import Mondrian
from unmask.schema import Role
from unmask.table import Table
from unmask.view import Attack, ComparesValues, View

__all__ = ["miners_here"]  # a fixture


def without_algorithm(view: View) -> View:
    """Return the view of an attacker who does not know how the releases were made."""
    releases = tuple(replace(release, provenance=Provenance()) for release in view.releases)
    return View(releases, replace(view.knowledge, sanitizers=None))


def without_list(view: View) -> View:
    """Return the view of an attacker who does not know that the people listed are all the people of the releases."""
    return View(view.releases, replace(view.knowledge, complete=False))


@cache
def views() -> dict[str, View]:
    """Return views that meet different requirements, all about the same people."""
    table = Table.of({"age": [20, 21, 30, 31], "ill": list("abab")}, quasi=["age"], sensitive=["ill"])
    boxes, rows = stories.boxed(table, [0, 0, 1, 1]).release, stories.exact(table, [0, 0, 1, 1]).release
    people = table.visible("ill")

    def of(*releases: object) -> Seen:
        return Seen(stories.view_of(list(releases), people, "ill"), table, ())  # type: ignore[arg-type]

    greedy = Provenance("greedy-grouping", {"l": 2}, ("age",), "closed")
    listed = all_listed(of(boxes)).view
    algorithms = (Mondrian(k=1, models=(DistinctL(2),)),)
    result = {
        "boxes": of(boxes).view,
        "rows": of(rows).view,
        "two releases": of(boxes, rows).view,
        "two releases of rows": of(rows, stories.exact(table, [0, 1, 1, 0]).release).view,
        "two releases and the list": all_listed(of(boxes, rows)).view,
        "noisy counts": made_noisy(of(boxes)).view,
        "two releases with noisy counts": made_noisy(of(boxes, boxes)).view,
        "boxes and the list": listed,
        "boxes, the list, and Mondrian": View((boxes,), replace(listed.knowledge, sanitizers=algorithms)),
        "rows, and Mondrian": View((rows,), replace(of(rows).view.knowledge, sanitizers=algorithms)),
        "greedy groups": of(replace(rows, provenance=greedy)).view,
        "greedy groups as boxes, and the list": all_listed(of(replace(boxes, provenance=greedy))).view,
        "ages": hiding_ages(of(boxes)).view,
    }
    linked = with_pseudonyms(of(boxes))
    return {
        **result,
        "place": place_view(of(boxes)),
        "place and the list": place_view(all_listed(of(boxes))),
        "pseudonyms": linked.view,
        "place of pseudonyms": place_view(linked),
    }


def tried(attack: Attack, view: View) -> Beliefs | None:
    """Attack a view; None where the attack declines."""
    try:
        return infer(attack, view)
    except (NotApplicableError, NotConvergedError):
        return None


@cache
def found(attack: Attack) -> list[tuple[View, Beliefs]]:
    """Return the views that an attack does not decline, and its beliefs."""
    both = [(view, tried(attack, view)) for view in views().values()]
    return [(view, beliefs) for view, beliefs in both if beliefs is not None]


def counts_of(view: View) -> Literal["exact", "noisy"] | None:
    """Return how the attribute is counted in the groups of all releases."""
    if any(view.about.name not in release.counts for release in view.releases):
        return None
    return "noisy" if any(view.about.name in release.noise for release in view.releases) else "exact"


def masks_attribute(view: View) -> bool:
    """Whether the question is a quasi-identifier of published rows, and targets are such rows."""
    schema, located = view.releases[0].schema, view.knowledge.located
    known = located is not None and located[0].row is not None
    name = view.about.name
    return known and name in schema and schema[name].role is Role.QUASI_IDENTIFIER


def links_rows(view: View) -> bool:
    """Whether the release links the rows of a person, and some targets are records of one person."""
    return view.releases[0].person_key is not None and repeats(view.knowledge.people.person_of)


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_declines_each_view_that_lacks_what_it_requires(attack):
    """It runs on some view, and wherever it runs the view has the question, releases, counts and knowledge."""
    needed, ran = attack.requirements, [view for view, _ in found(attack)]
    assert ran
    for view in ran:
        assert needed.question in {None, view.about.question}
        assert needed.least_releases <= len(view.releases) <= (needed.most_releases or np.inf)
        assert needed.counts in {None, counts_of(view)}
        assert needed.complete_list != "needed" or view.knowledge.complete
        assert not needed.algorithm or view.knowledge.sanitizers or view.releases[0].provenance.sanitizer
        assert not needed.masked_attribute or masks_attribute(view)
        assert not needed.linked_rows or links_rows(view)


@pytest.mark.parametrize("attack", ATTACKS)
def test_requirements_are_no_stricter_than_the_attack(attack):
    """It answers the question in every number of releases that it admits, and with what it says it does not need."""
    needed, ran = attack.requirements, [view for view, _ in found(attack)]
    assert {len(view.releases) for view in ran} == set(range(needed.least_releases, (needed.most_releases or 2) + 1))
    asked = {Question.ATTRIBUTE, Question.PLACE} if needed.question is None else {needed.question}
    assert {view.about.question for view in ran} == asked
    assert (needed.counts is None) == any(counts_of(view) is None for view in ran)
    assert (needed.complete_list != "needed") == any(not view.knowledge.complete for view in ran)
    assert needed.masked_attribute == all(masks_attribute(view) for view in ran)
    assert needed.linked_rows == all(links_rows(view) for view in ran)
    for view, beliefs in found(attack):
        known = view.knowledge.sanitizers or view.releases[0].provenance.sanitizer
        alone = tried(attack, without_algorithm(view)) if known else beliefs
        assert (alone is None) == needed.algorithm
        assert alone is None or np.array_equal(alone.dense(), beliefs.dense())


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_list_of_everybody_changes_beliefs_exactly_where_the_attack_uses_it(attack):
    """Else an audit would skip an attack that finds more with the list, or repeat one that does not."""
    changed = []
    for view, beliefs in found(attack):
        alone = tried(attack, without_list(view)) if view.knowledge.complete else beliefs
        changed.append(alone is None or not np.array_equal(alone.dense(), beliefs.dense()))
    assert any(changed) == (attack.requirements.complete_list != "unused")


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_that_needs_two_releases_declines_each_alone(attack):
    """By the message that an audit prints."""
    if attack.requirements.least_releases == 1:
        return
    with pytest.raises(NotApplicableError, match="needs at least 2 releases; this view has 1"):
        infer(attack, views()["two releases and the list"].only(0))


def test_the_catalog_names_a_baseline_and_references_that_exist():
    """The baseline requires nothing; each reference reads one release with the counts that it is named for."""
    assert catalog.attack(catalog.BASELINE).requirements.counts is None
    assert catalog.attack(catalog.BASELINE).requirements.question is None
    for counts, name in catalog.REFERENCE.items():
        needed = catalog.attack(name).requirements
        assert (counts, 1, Question.ATTRIBUTE) == (needed.counts, needed.least_releases, needed.question)
    assert catalog.attacks_on(Question.PLACE) == ["linkage"]


def test_what_few_attacks_can_do_is_a_protocol_that_they_meet():
    """Which attacks compare values, combine predictions, or can be explained, and with which parameters."""
    every: dict[str, object] = {name: catalog.attack(name) for name in catalog.entries("attacks")}
    assert ["linkage"] == [name for name, one in every.items() if isinstance(one, ComparesValues)]
    assert ["fusion"] == [name for name, one in every.items() if isinstance(one, CombinesPredictions)]
    assert ["definetti"] == [name for name, one in every.items() if isinstance(one, Explainable)]
    assert DeFinetti(alpha=0.5).level_prior == 0.5
    assert DeFinetti(model="learned").level_prior is None
