"""What every attack promises, whatever it believes. The catalog finds them: a new one is held to it at once."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st

from tests import oracle, stories
from tests.strategies import Seen, asked_where, tables, views
from unmask import catalog
from unmask.attacks.intersection import Intersection
from unmask.beliefs import Beliefs
from unmask.errors import NotApplicableError
from unmask.schema import Schema
from unmask.table import Table
from unmask.view import Attack, Knowledge, Located, View

SINGLE_TEST = 4.5
"""How many Monte Carlo standard errors one number may miss by: beyond that lies chance at a rate of 7 in a million."""

ATTACKS = [
    pytest.param(example, id=f"{entry.name}{n or ''}")
    for entry in catalog.entries("attacks").values()
    for n, example in enumerate(entry.examples)
]


def exact_variant(attack: Attack) -> Attack | None:
    """Return the setting under which an attack is exact in the worlds that it declares; None where there is none."""
    if isinstance(attack, Intersection):  # a finite local weight is a heuristic; so are the two simpler rules
        return replace(attack, local_weight=np.inf) if attack.rule == "bayes" else None
    return attack if attack.worlds is not None else None


def infer(attack: Attack, view: View, seed: int = 0) -> Beliefs:
    """Attack with a fresh generator."""
    return attack.infer(view, np.random.default_rng(seed))


def tried(attack: Attack, view: View) -> Beliefs:
    """Attack, and pass over what does not concern this attack."""
    try:
        return infer(attack, view)
    except NotApplicableError:
        reject()


def errors(beliefs: Beliefs) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the Monte Carlo standard error of every belief, (people, values); 0 for exact attacks."""
    if beliefs.error is None:
        return np.zeros(beliefs.dense().shape)
    return replace(beliefs.rows, data=beliefs.error).dense()[beliefs.row_of]


def close(a: Beliefs, b: Beliefs) -> None:
    """Assert that beliefs agree: to rounding, or within their Monte Carlo error."""
    slack = 1e-9 + SINGLE_TEST * np.hypot(errors(a), errors(b))
    assert (np.abs(a.dense() - b.dense()) <= slack).all()


def where_asked(seen: Seen) -> Seen:
    """Ask the same attacker where people are instead."""
    return replace(seen, view=asked_where(seen))


KINDS = {
    "boxes": views(1, forms=("boxes",)),
    "exact rows": views(1, forms=("exact",)),
    "two releases": views(2),
    "where?": views(1).map(where_asked),
}
"""What attacks may be shown; each is tried on every kind that it applies to."""


def applies(attack: Attack, kind: str) -> bool:
    """Say whether an attack runs on an ordinary view of this kind."""
    table = Table.of({"age": [20, 21, 30, 31], "ill": list("abab")}, quasi=["age"], sensitive=["ill"])
    boxes, rows = stories.boxed(table, [0, 0, 1, 1]).release, stories.exact(table, [0, 0, 1, 1]).release
    shown = {"boxes": [boxes], "exact rows": [rows], "two releases": [boxes, rows], "where?": [boxes]}[kind]
    view = stories.view_of(shown, table.visible("ill"), "ill")
    try:
        infer(attack, asked_where(Seen(view, table, ())) if kind == "where?" else view)
    except NotApplicableError:
        return False
    return True


TRIED = [
    pytest.param(p.values[0], KINDS[kind], id=f"{p.id}, {kind}")
    for p in ATTACKS
    for kind in KINDS
    if applies(p.values[0], kind)  # type: ignore[arg-type]
]


# --- laws


@pytest.mark.parametrize(("attack", "kind"), TRIED)
@settings(max_examples=10)
@given(data=st.data())
def test_each_row_is_a_distribution_over_the_values_of_the_prior(attack, kind, data):
    """Never a negative number, never a value that was not asked about; everybody keeps their place."""
    seen = data.draw(kind)
    beliefs = tried(attack, seen.view)
    assert beliefs.about == seen.view.about
    assert beliefs.values == seen.view.knowledge.prior.values
    assert beliefs.n_targets == seen.table.n_rows
    dense = beliefs.dense()
    assert (dense >= 0).all()
    assert dense.sum(axis=1) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize(("attack", "kind"), TRIED)
@settings(max_examples=10)
@given(data=st.data(), seed=st.integers(1, 99))
def test_the_same_seed_gives_the_same_beliefs(attack, kind, data, seed):
    """Bit for bit: whoever draws, draws from the generator that was handed over. Another seed agrees within error."""
    seen = data.draw(kind)
    first = tried(attack, seen.view)
    assert np.array_equal(first.dense(), infer(attack, seen.view).dense())
    again = infer(attack, seen.view, seed)
    close(first, again)


@pytest.mark.parametrize(("attack", "kind"), TRIED)
@settings(max_examples=10)
@given(data=st.data())
def test_shuffling_people_shuffles_beliefs(attack, kind, data):
    """Nobody's belief depends on who else is listed before them."""
    seen = data.draw(kind)
    before = tried(attack, seen.view)
    order = np.array(data.draw(st.permutations(range(seen.table.n_rows))))
    known = seen.view.knowledge
    located = known.located and tuple(
        Located(place.group[order], None if place.row is None else place.row[order]) for place in known.located
    )
    shuffled = Knowledge(known.people.take(order), replace(known.prior, row_of=known.prior.row_of[order]), located)
    after = infer(attack, View(seen.view.releases, shuffled))
    slack = 1e-9 + SINGLE_TEST * np.hypot(errors(before)[order], errors(after))
    assert (np.abs(before.dense()[order] - after.dense()) <= slack).all()


ALONE = [
    pytest.param(p.values[0], form, id=f"{p.id}, {kind}")
    for p in ATTACKS
    for kind, form in (("boxes", stories.boxed), ("exact rows", stories.exact))
    if applies(p.values[0], kind)  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("attack", "form"), ALONE)
@settings(max_examples=10)
@given(table=tables())
def test_beliefs_averaged_over_one_group_of_everybody_are_its_shares(attack, form, table):
    """An attack may tell members apart, but it cannot believe in more cases of flu than are published."""
    published = form(table, [0] * table.n_rows)
    view = stories.view_of(
        published.release, table.visible("ill"), "ill", [published.group_of], rows=[published.row_of]
    )
    beliefs = tried(attack, view)
    shares = np.bincount(table["ill"], minlength=len(beliefs.values)) / table.n_rows
    slack = 1e-9 + SINGLE_TEST * errors(beliefs).sum(axis=0) / table.n_rows
    assert (np.abs(beliefs.dense().mean(axis=0) - shares) <= slack).all()


@pytest.mark.parametrize(("attack", "kind"), TRIED)
@settings(max_examples=10)
@given(data=st.data())
def test_a_value_that_the_prior_rules_out_stays_ruled_out(attack, kind, data):
    """That Bob does not have flu is a fact that no release overturns."""
    seen = data.draw(kind)
    known = seen.view.knowledge
    assume(len(known.prior.values) > 1)
    banned = data.draw(st.integers(0, len(known.prior.values) - 1))
    allowed = known.prior.rows.dense() + 0.1
    allowed[:, banned] = 0
    prior = replace(known.prior, rows=known.prior.rows.of(allowed / allowed.sum(axis=1, keepdims=True)))
    beliefs = tried(attack, View(seen.view.releases, replace(known, prior=prior)))
    assert (beliefs.dense()[:, banned] == 0).all()


def arrays_of(thing: object) -> Iterator[np.ndarray[Any, Any]]:
    """Yield every array that hangs below a noun."""
    if isinstance(thing, np.ndarray):
        yield thing
    elif dataclasses.is_dataclass(thing):
        for field in dataclasses.fields(thing):
            yield from arrays_of(getattr(thing, field.name))
    elif isinstance(thing, dict):
        for value in thing.values():
            yield from arrays_of(value)
    elif isinstance(thing, (tuple, list)):
        for value in thing:
            yield from arrays_of(value)


def fingerprint(view: View) -> list[str]:
    """Hash all arrays of a view."""
    return [hashlib.blake2b(np.ascontiguousarray(array).tobytes()).hexdigest() for array in arrays_of(view)]


@pytest.mark.parametrize(("attack", "kind"), TRIED)
@settings(max_examples=5)
@given(data=st.data())
def test_nothing_that_was_handed_over_is_changed(attack, kind, data):
    """All arrays of a view are read-only, and hold the same bytes after the attack."""
    seen = data.draw(kind)
    before = fingerprint(seen.view)
    assert len(before) > 5
    assert not any(array.flags.writeable for array in arrays_of(seen.view))
    tried(attack, seen.view)
    assert fingerprint(seen.view) == before


# --- equality with the worlds that are declared


def equals_the_oracle(attack: Attack, seen: Seen) -> None:
    """Assert that an attack believes what enumeration of its worlds says."""
    assert attack.worlds is not None
    beliefs = tried(attack, seen.view)
    expected = oracle.posterior(seen.view, attack.worlds)
    slack = 1e-9 + SINGLE_TEST * errors(beliefs)
    assert (np.abs(beliefs.dense() - expected) <= slack).all()


WORLDS = [
    pytest.param(exact_variant(p.values[0]), p.values[1], id=p.id)  # type: ignore[arg-type]
    for p in TRIED
    if exact_variant(p.values[0]) is not None  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("attack", "kind"), WORLDS)
@settings(max_examples=40)
@given(data=st.data())
def test_beliefs_are_what_enumerating_the_declared_worlds_gives(attack, kind, data):
    """Whether places are known of all, of some or of nobody; in boxes and in exact rows; under any prior."""
    equals_the_oracle(attack, data.draw(kind))


# --- what an attack cannot do, it says


def poor_views() -> dict[str, View]:
    """Return views that lack something."""
    table = Table.of({"age": [20, 21, 30, 31], "ill": list("abab"), "job": list("xyyx")}, quasi=["age"],
                     sensitive=["ill", "job"])  # fmt: skip
    boxes, rows = stories.boxed(table, [0, 0, 1, 1]).release, stories.exact(table, [0, 0, 1, 1]).release
    people = table.visible("ill")
    plain = stories.view_of(boxes, people, "ill")
    no_values = replace(boxes, schema=Schema(boxes.schema.quasi), counts={}, columns={})
    place = asked_where(Seen(plain, table, ()))
    return {
        "one release": plain,
        "two releases": stories.view_of([boxes, rows], people, "ill"),
        "exact rows": stories.view_of(rows, people, "ill"),
        "a place is asked for": place,
        "a place is asked for, and known": View(
            place.releases, replace(place.knowledge, located=(Located(np.array([0, 0, 1, 1], np.int32)),))
        ),
        "a place in two releases": View((boxes, rows), place.knowledge),
        "nobody": stories.view_of(boxes, people.take(np.zeros(0, np.int64)), "ill"),
        "the attribute is not published": View((no_values,), plain.knowledge),
        "one of two lacks the attribute": View((boxes, no_values), plain.knowledge),
        "another attribute": stories.view_of(boxes, people, "job"),
        "nobody fits": stories.view_of(boxes, stories.people_of(age=[99]), "ill"),
    }


@pytest.mark.parametrize("lack", poor_views())
@pytest.mark.parametrize("attack", ATTACKS)
def test_where_something_is_missing_the_attack_declines_in_so_many_words(attack, lack):
    """Either beliefs or `NotApplicableError` with a reason: never another exception, never an empty answer."""
    view = poor_views()[lack]
    try:
        beliefs = infer(attack, view)
    except NotApplicableError as error:
        reason = str(error)
    else:
        reason = "it applies, and answers for each person"
        assert beliefs.n_targets == view.knowledge.people.n_rows
    assert len(reason) > 20


def test_every_attack_is_tried_on_some_kind_of_view():
    """Or the laws above would prove nothing of it."""
    assert {id(p.values[0]) for p in ATTACKS} == {id(p.values[0]) for p in TRIED}


def test_people_nobody_told_us_anything_about_are_attacked_too():
    """Without a single quasi-identifier everybody fits everywhere: beliefs are the shares of the whole release."""
    table = Table.of({"age": [20, 21, 30], "ill": ["flu", "flu", "cold"]}, quasi=["age"], sensitive=["ill"])
    release = stories.boxed(table, [0, 0, 1]).release
    nothing = Table(Schema(()), {}, 2)
    view = stories.view_of(release, nothing, "ill")
    attack = catalog.named("attacks", "random-worlds").examples[0]
    assert infer(attack, view).dense() == pytest.approx(np.array([[1 / 3, 2 / 3]] * 2))
