"""Trajectory linkage: each visit fits several patients, all visits of a person together often one."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests import stories
from tests.strategies import Seen, place_view, row_numbers, tables
from unmask.attacks.linkage.attack import Linkage
from unmask.attacks.shared.location import linked
from unmask.attacks.trajectory_linkage.attack import TrajectoryLinkage
from unmask.attacks.trajectory_linkage.known_records import KnownRecords, PublishedRows
from unmask.attacks.trajectory_linkage.matches import matches
from unmask.beliefs import Beliefs
from unmask.errors import NotApplicableError
from unmask.links import Linking
from unmask.masks.shifted_dates import with_shift_in_cells
from unmask.release import DateShift, Publication, Release
from unmask.schema import Attribute, Categorical, Numeric, Role, Schema
from unmask.table import Table
from unmask.view import Knowledge, View

VISITS = Table.of(
    {"day": [1, 2, 9, 3, 8, 4, 9], "ill": ["flu", "flu", "gout", "cold", "HIV", "cold", "flu"]},
    quasi=["day"],
    sensitive=["ill"],
)
"""Seven visits: of Ann two and a third, of Bob two, of Cem two."""

PATIENTS = np.array([0, 0, 0, 1, 1, 2, 2], np.int32)


def linked_rows(publication: Publication, person_of: np.ndarray) -> Release:
    """Return the release with a pseudonym on each row."""
    of_row = np.empty(publication.release.n_rows, np.int32)
    of_row[row_numbers(publication)] = person_of
    names = tuple(f"p{person}" for person in range(int(person_of.max()) + 1))
    schema = Schema((*publication.release.schema, Attribute("patient", Role.PERSON_KEY, Categorical(names))))
    return replace(publication.release, schema=schema, columns={**publication.release.columns, "patient": of_row})


def attacker(release: Release, people: Table, about: str, person_of: list[int]) -> View:
    """Return the view of an attacker who knows some records of people."""
    return stories.view_of(release, replace(people, person_of=np.array(person_of, np.int32)), about)


def infer(view: View) -> Beliefs:
    """Attack."""
    return TrajectoryLinkage().infer(view, np.random.default_rng(0))


def test_two_visits_leave_one_patient_where_each_fits_three_or_more():
    """Days 1-4 and 8-9 each hide all three patients. Only Ann has two rows of the first kind, but all have one."""
    release = linked_rows(stories.boxed(VISITS, [0, 0, 1, 0, 1, 0, 1]), PATIENTS)
    known = stories.people_of(day=[1, 9])
    beliefs = infer(attacker(release, known, "ill", [0, 0]))
    # P(records | Ann) = 2/3 · 1/3, of the two others 1/2 · 1/2: posteriors 4/13, 4.5/13, 4.5/13
    assert beliefs.of(0) == pytest.approx({"cold": 9 / 13, "flu": 4 / 13})
    assert beliefs.of(1) == pytest.approx({"gout": 4 / 13, "HIV": 4.5 / 13, "flu": 4.5 / 13})


def test_a_combination_that_one_patient_has_discloses_all_of_that_patients_rows():
    """Two patients in each of three groups; only Bob was there in the first and in the third."""
    table = Table.of({"day": [1, 2, 3, 4, 8, 9], "ill": ["flu", "cold", "flu", "cold", "HIV", "flu"]},
                     quasi=["day"], sensitive=["ill"])  # fmt: skip
    release = linked_rows(stories.boxed(table, [0, 0, 1, 1, 2, 2]), np.array([0, 1, 0, 2, 1, 2], np.int32))
    view = attacker(release, stories.people_of(day=[2, 8]), "ill", [7, 7])
    assert infer(view).of(1) == {"HIV": 1.0}
    place = place_view(Seen(view, view.knowledge.people, ()))
    found = infer(place)
    assert found.ways is not None
    assert found.ways.tolist() == [1.0, 1.0]
    alone = Linkage().infer(place, np.random.default_rng(0))
    assert alone.ways is not None
    assert alone.ways.tolist() == [2.0, 2.0]


def test_a_record_of_a_suppressed_row_does_not_exclude_its_person():
    """Three rows of ten are missing: a person without a fitting row for one record is less likely, not excluded."""
    made = stories.boxed(VISITS, [0, 0, 1, 0, 1, 0, 2])
    whole = linked_rows(made, PATIENTS)
    people = stories.people_of(day=[1, 8])
    assert infer(attacker(whole, people, "ill", [0, 0])).of(0) == pytest.approx({"flu": 8 / 17, "cold": 9 / 17})
    some = replace(whole, suppressed_rows=3, n_suppressed=1)
    posterior = infer(attacker(some, people, "ill", [0, 0])).of(0)
    assert 0.5 < posterior["cold"] < 0.7  # Cem's visit on day 4 is possible again


@pytest.mark.parametrize(
    ("people", "person_of", "release", "why"),
    [
        ([1, 9], [0, 1], "pseudonyms", "no person has several"),
        ([1, 9], [0, 0], "none", "needs pseudonyms"),
    ],
)
def test_rows_must_be_linked_on_both_sides(people, person_of, release, why):
    """Else it is linkage, which looks at one row at a time."""
    made = stories.boxed(VISITS, [0, 0, 1, 0, 1, 0, 1])
    shown = made.release if release == "none" else linked_rows(made, PATIENTS)
    with pytest.raises(NotApplicableError, match=why):
        infer(attacker(shown, stories.people_of(day=people), "ill", person_of))


def test_a_person_whose_records_no_pseudonym_has_keeps_the_prior_and_is_counted():
    """Day 2 is Ann's alone and day 8 Bob's: nobody was there on both."""
    release = linked_rows(stories.exact(VISITS, list(range(7))), PATIENTS)
    view = attacker(release, stories.people_of(day=[2, 8, 77]), "ill", [0, 0, 0])
    beliefs = infer(view)
    assert beliefs.outcome.contradictions == 2
    assert beliefs.unplaced[0].tolist() == [False, False, True]
    assert beliefs.dense() == pytest.approx(view.knowledge.prior.dense())


# --- laws, by enumeration of all worlds


def enumerated(view: View, weight: np.ndarray, target: int) -> tuple[np.ndarray, np.ndarray]:
    """Return P(row | all records) of one target, (rows,), and P(pseudonym), by enumeration.

    Worlds: a pseudonym, an offset of dates, and for each record of the person a published row of it, or a row that was
    suppressed. `weight` is P(record | row, offset) up to a factor, (offsets, targets, rows).
    """
    release, person_of = view.releases[0], view.knowledge.people.person_of
    assert person_of is not None
    pseudonym = release.person_of
    assert pseudonym is not None
    gone = release.n_suppressed_rows / (release.n_rows + release.n_suppressed_rows)
    records = [int(t) for t in np.flatnonzero(person_of == person_of[target]) if weight[:, t].any()]
    result = np.zeros(release.n_rows)
    for one, fit in product(np.unique(pseudonym), weight):
        own = np.flatnonzero(pseudonym == one)
        for world in product([*own.tolist(), -1], repeat=len(records)):
            if world[records.index(target)] < 0:
                continue  # the question is about a published row
            p = 1.0
            for record, row in zip(records, world, strict=True):
                p *= gone * weight[:, record].mean() if row < 0 else (1 - gone) / own.size * fit[record, row]
            result[world[records.index(target)]] += p
    return result / max(result.sum(), 1e-300), np.bincount(pseudonym, result / max(result.sum(), 1e-300))


@st.composite
def linked_views(draw: st.DrawFn) -> tuple[View, Table, np.ndarray]:
    """Draw visits of up to three people, a release with pseudonyms, and an attacker who knows some of the visits."""
    table = draw(tables(2, 6, missing=False))
    person_of = np.array(draw(st.lists(st.integers(0, 2), min_size=table.n_rows, max_size=table.n_rows)), np.int32)
    person_of = np.unique(person_of, return_inverse=True)[1].ravel().astype(np.int32)
    group = draw(st.lists(st.integers(0, 2), min_size=table.n_rows, max_size=table.n_rows))
    group = np.unique(group, return_inverse=True)[1].ravel().tolist()
    form = draw(st.sampled_from([stories.boxed, stories.exact]))
    release = linked_rows(form(table, group), person_of)
    release = replace(release, suppressed_rows=draw(st.sampled_from([0, 0, 1, 3])))
    known = np.array(draw(st.lists(st.integers(0, table.n_rows - 1), min_size=1, max_size=4)))
    owner = person_of[known]
    if draw(st.booleans()):
        owner = np.zeros(known.size, np.int32)  # perhaps not one person's
    known, owner = np.append(known, known[0]), np.append(owner, owner[0])
    people = replace(table.take(known), person_of=owner.astype(np.int32))
    return stories.view_of(release, people.visible("ill"), "ill"), people, known


def published(release: Release) -> Table:
    """Return exact rows as a table, a line for each row."""
    lines = release.masked.lines
    return release.masked.exact_table().take(lines.line_of(release.group_of_row))


def row_weights(view: View) -> np.ndarray:
    """Return P(record | row) up to a factor for each record, (targets, rows): by equality, else by linking weight."""
    release, people = view.releases[0], view.knowledge.people
    if release.masked.is_exact:
        rows = published(release)
        same = [np.equal.outer(people[a.name], rows.aligned(people.schema)[a.name]) for a in people.schema]
        return np.asarray(np.logical_and.reduce(same), float)
    profile, profiles = people.profiles()
    weight, _ = linked(release, profiles, Linking())
    return (weight.dense() / release.size)[profile][:, release.group_of_row]


@settings(max_examples=150, deadline=None)
@given(linked_views())
def test_beliefs_equal_those_of_all_worlds(drawn):
    """About the place and about the value; with records of suppressed rows, and several records of one row."""
    view, _, _ = drawn
    release, weight = view.releases[0], row_weights(drawn[0])
    values = infer(view)
    places = infer(place_view(Seen(view, view.knowledge.people, ())))
    for target in range(values.n_targets):
        of_row, of_pseudonym = enumerated(view, weight[None], target)
        if not of_row.any():
            assert values.dense()[target] == pytest.approx(view.knowledge.prior.dense()[target])
            continue
        in_group = np.bincount(release.group_of_row, of_row, release.n_groups)
        assert places.dense()[target] == pytest.approx(in_group, abs=1e-9)
        share = release.counts_of("ill").normalized().dense()  # where values are published by group
        if "ill" in release.columns:
            share = np.eye(share.shape[1])[release.columns["ill"]]
        of_group = release.group_of_row if "ill" not in release.columns else np.arange(release.n_rows)
        assert values.dense()[target] == pytest.approx(of_row @ share[of_group], abs=1e-9)
        entries = slice(*places.rows.start[[places.row_of[target], places.row_of[target] + 1]])
        assert places.ways is not None
        best = (places.rows.data[entries] / places.ways[entries]).max()
        pairs = np.zeros((release.n_groups, of_pseudonym.size))
        np.add.at(pairs, (release.group_of_row, release.person_of), of_row)
        assert best == pytest.approx(pairs.max())


def candidates(view: View) -> list[np.ndarray]:
    """Return P(pseudonym) of each target, (pseudonyms,)."""
    release, people = view.releases[0], view.knowledge.people
    assert release.person_of is not None
    assert people.person_of is not None
    rows = PublishedRows.of(release, release.person_of, None)
    known = KnownRecords.of(view, rows, people.person_of, Linking(), np.ones(release.n_groups))
    gone = release.n_suppressed_rows
    found = matches(known, rows, gone / (gone + release.n_rows))
    return list(found.posterior.dense()[known.record_of] @ np.eye(rows.n_pseudonyms)[rows.pseudonym])


@settings(max_examples=60, deadline=None)
@given(linked_views())
def test_another_known_record_never_adds_a_candidate(drawn):
    """Where no row is suppressed, and the records agree: candidates of more records are among those of fewer."""
    view, _, known = drawn
    release = replace(view.releases[0], suppressed_rows=0)
    view = View((release,), replace(view.knowledge, people=replace(view.knowledge.people, person_of=np.zeros(
        known.size, np.int32))))  # fmt: skip
    fewer = np.arange(known.size - 1)
    part = View((release,), Knowledge(
        view.knowledge.people.take(fewer), replace(view.knowledge.prior, row_of=view.knowledge.prior.row_of[fewer])
    ))  # fmt: skip
    for more, less in zip(candidates(view), candidates(part), strict=False):
        assert set(np.flatnonzero(more)) <= set(np.flatnonzero(less))


@settings(max_examples=30, deadline=None)
@given(linked_views())
def test_more_knowledge_never_makes_the_attacker_worse(drawn):
    """On average over people and over their records, each drawn independently, the true pseudonym gets likelier."""
    view, _, _ = drawn
    release = replace(view.releases[0], suppressed_rows=0)
    assume(release.masked.is_exact)
    table, means = published(release), []
    for n in (1, 2, 3):
        total = 0.0
        for person in np.unique(release.person_of):
            own = np.flatnonzero(release.person_of == person)
            worlds = list(product(own.tolist(), repeat=n))
            for world in worlds:
                people = replace(table.take(np.array(world)), person_of=np.zeros(n, np.int32)).visible(None)
                prior = Beliefs.shared(view.knowledge.prior.about, ("a", "b"), np.array([0.5, 0.5]), n)
                one = candidates(View((release,), Knowledge(people, prior)))[0]
                total += one[person] / len(worlds)
        means.append(total)
    assert (np.diff(means) > -1e-9).all()


# --- shifted dates


@st.composite
def shifted_views(draw: st.DrawFn) -> tuple[View, np.ndarray]:
    """Draw dates of up to three people, their release with shifted dates, and an attacker who knows true dates.

    Also return P(record | row, offset) up to a factor, (offsets, targets, rows), from the dates as published.
    """
    n, days = draw(st.integers(2, 6)), draw(st.integers(1, 3))
    true = np.array(draw(st.lists(st.integers(0, 20), min_size=n, max_size=n)), float)
    person_of = np.array(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)), np.int32)
    person_of = np.unique(person_of, return_inverse=True)[1].ravel().astype(np.int32)
    by = np.array(draw(st.lists(st.sampled_from([*range(-days, 0), *range(1, days + 1)]), min_size=3, max_size=3)))
    dated = Attribute("day", Role.QUASI_IDENTIFIER, Numeric(step=1.0, dates=True))
    ill = Attribute("ill", Role.SENSITIVE, Categorical(("flu", "HIV")))
    columns = {"day": true + by[person_of], "ill": np.arange(n, dtype=np.int32) % 2}
    moved = Table(Schema((dated, ill)), columns, n)
    group = (
        np.unique(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)), return_inverse=True)[1].ravel().tolist()
    )
    release = replace(linked_rows(stories.boxed(moved, group), person_of), date_shifts={"day": DateShift(days)})
    release = replace(release, suppressed_rows=draw(st.sampled_from([0, 0, 2])))
    known = np.array(draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=3)))
    known = np.append(known, known[0])
    people = Table(Schema((dated,)), {"day": true[known]}, known.size, person_of=person_of[known])
    weight = []
    for offset in (*range(-days, 0), *range(1, days + 1)):
        profile, profiles = replace(people, columns={"day": true[known] + offset}, person_of=None).profiles()
        links, _ = linked(release, profiles, Linking())
        weight.append((links.dense() / release.size)[profile][:, release.group_of_row])
    return stories.view_of(with_shift_in_cells(release), people, "ill"), np.array(weight)


@settings(max_examples=100, deadline=None)
@given(shifted_views())
def test_beliefs_about_shifted_dates_equal_those_of_all_worlds_and_offsets(drawn):
    """One offset for all dates of a person, unknown and equally likely."""
    view, weight = drawn
    release, places = view.releases[0], infer(place_view(Seen(view, view.knowledge.people, ())))
    for target in range(places.n_targets):
        of_row, _ = enumerated(view, weight, target)
        in_group = np.bincount(release.group_of_row, of_row, release.n_groups)
        assert in_group.sum() == pytest.approx(1)  # the true pseudonym, at the true offset, is a world
        assert places.dense()[target] == pytest.approx(in_group, abs=1e-9)


def test_intervals_between_dates_identify_a_person_whom_each_date_hides():
    """Of ten people, dates moved by up to 10 days; only one has visits 50 days apart, and no date alone tells who."""
    first = np.arange(10) % 3 + 20.0
    second = first + np.where(np.arange(10) == 4, 50, 40)
    person_of = np.tile(np.arange(10, dtype=np.int32), 2)
    by = np.array([-10, 7, 3, -4, 9, 10, -8, 1, -2, 5])[person_of]
    table = Table.of(
        {"day": np.append(first, second).tolist(), "ill": ["flu"] * 4 + ["HIV"] + ["flu"] * 15},
        quasi=["day"], sensitive=["ill"],
    )  # fmt: skip
    dated = replace(table.schema["day"], domain=Numeric(step=1.0, dates=True))
    table = replace(table, schema=Schema((dated, table.schema["ill"])))
    moved = replace(table, columns={**table.columns, "day": table["day"] + by})
    group = np.unique(moved["day"], return_inverse=True)[1].tolist()  # exact days
    release = with_shift_in_cells(
        replace(linked_rows(stories.boxed(moved, group), person_of), date_shifts={"day": DateShift(10)})
    )
    known = replace(table.take(np.array([4, 14])), person_of=np.zeros(2, np.int32)).visible("ill")
    view = stories.view_of(release, known, "ill")
    assert infer(view).of(0) == {"HIV": 1.0}
    alone = TrajectoryLinkage(offsets=0).infer(view, np.random.default_rng(0))
    assert alone.of(0)["HIV"] < 0.5
