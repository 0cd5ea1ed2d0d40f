"""What every attack promises, whatever it believes. The catalog finds them: a new one is held to it at once."""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, reject, settings
from hypothesis import strategies as st
from scipy import stats

from tests import oracle, stories
from tests.conftest import SAMPLE
from tests.mined_here import mined_here
from tests.strategies import Seen, greedily_grouped, place_view, replayable, row_numbers, tables, views
from unmask import catalog
from unmask.arrays import Ragged
from unmask.attacks.definetti.attack import DeFinetti
from unmask.attacks.fusion.attack import Fusion
from unmask.attacks.intersection.attack import Intersection
from unmask.attacks.intersection.learned_attack import LearnedIntersection
from unmask.attacks.minimality.learned_attack import LearnedMinimality
from unmask.attacks.replay.attack import Replay
from unmask.attacks.shared.duplicate_releases import originals
from unmask.beliefs import Beliefs
from unmask.errors import NotApplicableError, NotConvergedError
from unmask.masks import published_values
from unmask.models.l_diversity import DistinctL
from unmask.release import Noise, Provenance
from unmask.sanitizers.mondrian import Mondrian
from unmask.schema import Attribute, Categorical, Numeric, Role, Schema
from unmask.table import Table
from unmask.view import Attack, Knowledge, LeftOutControl, Located, View

SINGLE_TEST = 4.5
"""How many standard errors one number may miss by: beyond that lies chance at a rate of 7 in a million."""

CHAINS = 16
"""Where an attack samples, tests run more chains than its default: of four, the error itself is hardly known."""


def affordable(attack: Attack) -> Attack:
    """Return the setting in which an attack is tried here: an attack that samples gets more and shorter chains."""
    if isinstance(attack, Replay):
        return replace(attack, runs=CHAINS)
    if isinstance(attack, Fusion):  # each run starts processes; these miners draw nothing, so that runs agree
        return replace(attack, miners=("naive-bayes", "nearest"))
    if isinstance(attack, LearnedMinimality):
        return replace(attack, chains=CHAINS, limit=640, draws=64)
    if isinstance(attack, DeFinetti | LearnedIntersection):  # what is added up is held to the oracle in its own tests
        return replace(attack, chains=CHAINS, limit=640, assignments=0)
    return attack


ATTACKS = [
    pytest.param(affordable(example), id=f"{entry.name}{n or ''}")
    for entry in catalog.entries("attacks").values()
    for n, example in enumerate(entry.examples)
]


def exact_variant(attack: Attack) -> Attack | None:
    """Return the setting under which an attack is exact in the worlds that it declares; None where there is none."""
    if isinstance(attack, Intersection):  # a finite local weight is a heuristic; so are the two simpler rules
        return replace(attack, local_weight=np.inf) if attack.rule == "bayes" else None
    return attack if attack.worlds is not None else None


@pytest.fixture(autouse=True, scope="module")
def miners_here() -> Iterator[None]:
    """Start no process for any miner."""
    with mined_here():
        yield


def samples(attack: Attack) -> bool:
    """Whether an attack draws; its docstring must state it, too."""
    return "Exact: draws nothing" not in inspect.cleandoc(type(attack).__doc__ or "")


def infer(attack: Attack, view: View, seed: int = 0) -> Beliefs:
    """Attack with a fresh generator."""
    return attack.infer(view, np.random.default_rng(seed))


def tried(attack: Attack, view: View, seed: int = 0) -> Beliefs:
    """Attack, and pass over what does not concern this attack, or what its chains do not agree on."""
    try:
        return infer(attack, view, seed)
    except (NotApplicableError, NotConvergedError):
        reject()


def for_all(attack: Attack, strategy: st.SearchStrategy[Any], law: Callable[[Any], None], n: int = 6) -> None:
    """Try a law on n drawn views; on fewer, where each costs thousands of sweeps, or in a sample."""
    n = n // 3 if samples(attack) else n

    @settings(max_examples=max(2, n // 3) if SAMPLE else n, suppress_health_check=list(HealthCheck))
    @given(strategy)
    def trying(drawn: Any) -> None:
        law(drawn)

    trying()


def errors(beliefs: Beliefs) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the Monte Carlo standard error of every belief, (people, values); 0 for exact attacks."""
    if beliefs.error is None:
        return np.zeros(beliefs.dense().shape)
    return replace(beliefs.rows, data=beliefs.error).dense()[beliefs.row_of]


def slack(*found: Beliefs) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return by how much beliefs may differ by chance and rounding: Student's, as chains are few."""
    wide = stats.t.isf(stats.norm.sf(SINGLE_TEST), CHAINS - 1)
    return np.asarray(1e-9 + wide * np.sqrt(sum(errors(one) ** 2 for one in found)))


def where_asked(seen: Seen) -> Seen:
    """Ask the same attacker where people are instead."""
    return replace(seen, view=place_view(seen))


def all_listed(seen: Seen) -> Seen:
    """Let the same attacker know that only the listed people are in the release."""
    return replace(seen, view=View(seen.view.releases, replace(seen.view.knowledge, complete=True)))


def made_noisy(seen: Seen) -> Seen:
    """Show counts with a little noise in the place of rows."""
    releases = []
    for release in seen.view.releases:
        counts = release.counts_of("ill").dense()
        counts += (np.arange(counts.size).reshape(counts.shape) * 5 % 7 - 3) / 4
        releases.append(
            replace(
                release, start=None, columns={}, rows="none", size=counts.sum(axis=1), headcount=None,
                counts={"ill": Ragged.of(counts)}, noise={"ill": Noise("laplace", 0.5)},
            )
        )  # fmt: skip
    return replace(seen, view=View(tuple(releases), seen.view.knowledge))


def with_noisy_ages(seen: Seen) -> Seen:
    """Publish ages with noise, row by row, and other columns unchanged; no location is known."""
    shown = seen.table["age"] + np.arange(seen.table.n_rows) * 5 % 7 - 3.0
    noise = {"age": (Noise("discrete-laplace", 2.0), Numeric(20.0, 26.0, 1.0))}
    made = stories.noised(seen.table, noise, {"age": shown.tolist()})
    knowledge = replace(seen.view.knowledge, located=None)
    return replace(seen, view=View((made.release,), knowledge), publications=(made,))


def hiding_ages(seen: Seen) -> Seen:
    """Ask of the published rows themselves which age they hide."""
    release = seen.view.releases[0]
    prior = published_values.default_prior(release, "age", release.n_rows)
    return replace(seen, view=View((release,), Knowledge.of_rows(release, prior)))


def with_pseudonyms(seen: Seen) -> Seen:
    """Publish the same rows with pseudonyms; every two rows are one person's, and the attacker knows which."""
    person_of = np.arange(seen.table.n_rows, dtype=np.int32) // 2
    release = seen.view.releases[0]
    names = tuple(f"p{person}" for person in range(release.n_rows))
    pseudonym = person_of[np.argsort(row_numbers(seen.publications[0]))] if seen.publications else person_of
    attribute = Attribute("person", Role.PERSON_KEY, Categorical(names))
    release = replace(
        release, schema=Schema((*release.schema, attribute)), columns={**release.columns, "person": pseudonym}
    )
    people = replace(seen.view.knowledge.people, person_of=person_of)
    table = replace(seen.table, person_of=person_of)
    view = View((release,), replace(seen.view.knowledge, people=people))
    return replace(seen, view=view, table=table)


KINDS = {
    "boxes": views(1, forms=("boxes",)) | views(1, forms=("boxes",), min_rows=5),
    "boxes and a complete list": views(1, forms=("boxes",), min_rows=3).map(all_listed),
    "exact rows": views(1, forms=("exact",)),
    "two releases": views(2),
    "two releases and a complete list": views(2, min_rows=3).map(all_listed),
    "where?": views(1).map(where_asked),
    "noisy counts": views(1, forms=("boxes",)).map(made_noisy),
    "noisy rows": views(1, forms=("boxes",)).map(with_noisy_ages),
    "where among noisy rows?": views(1, forms=("boxes",)).map(with_noisy_ages).map(where_asked),
    "the algorithm, and a complete list": replayable(),
    "greedy groups, and how they were made": greedily_grouped(),
    "rows with pseudonyms": views(1, min_rows=3).map(with_pseudonyms),
    "where among pseudonyms?": views(1, min_rows=3).map(with_pseudonyms).map(where_asked),
    "rows that hide ages": views(1, forms=("boxes",), min_rows=3).map(hiding_ages),
}
"""What attacks may be shown; each is tried on every kind that it applies to."""


@cache
def applies(attack: Attack, kind: str) -> bool:
    """Whether an attack runs on an ordinary view of this kind."""
    table = Table.of({"age": [20, 21, 30, 31], "ill": list("abab")}, quasi=["age"], sensitive=["ill"])
    boxes, rows = stories.boxed(table, [0, 0, 1, 1]).release, stories.exact(table, [0, 0, 1, 1]).release
    shown = {"exact rows": [rows]}.get(kind, [boxes, rows] if kind.startswith("two releases") else [boxes])
    seen = Seen(stories.view_of(shown, table.visible("ill"), "ill"), table, ())
    seen = with_noisy_ages(seen) if "noisy rows" in kind else seen
    seen = with_pseudonyms(seen) if "pseudonyms" in kind else seen
    changed = all_listed(seen) if kind.endswith("a complete list") else seen
    if kind.startswith("the algorithm"):
        if attack.worlds is None or not attack.worlds.algorithm:
            return False  # it is tried without, where it does not matter
        made = (Mondrian(k=1, models=(DistinctL(2),)),)
        changed = replace(changed, view=View((boxes,), replace(changed.view.knowledge, sanitizers=made)))
    if kind.startswith("greedy groups"):
        if not attack.requirements.algorithm:
            return False  # likewise
        told = Provenance("greedy-grouping", {"l": 2}, ("age",), "closed")
        changed = replace(changed, view=View((replace(rows, provenance=told),), changed.view.knowledge))
    changed = hiding_ages(seen) if kind == "rows that hide ages" else changed
    view = (made_noisy(changed) if kind == "noisy counts" else changed).view
    if isinstance(attack, LearnedMinimality | DeFinetti | LearnedIntersection):
        attack = replace(attack, chains=4, limit=160)  # whether its chains agree is not asked here
    try:
        infer(attack, place_view(seen) if kind.startswith("where") else view)
    except NotApplicableError:
        return False
    except NotConvergedError:
        pass
    return True


with mined_here():
    TRIED = [
        pytest.param(p.values[0], KINDS[kind], id=f"{p.id}, {kind}")
        for p in ATTACKS
        for kind in KINDS
        if applies(p.values[0], kind)
    ]


# --- laws


@pytest.mark.parametrize(("attack", "kind"), TRIED)
def test_each_row_is_a_distribution_over_the_values_of_the_prior(attack, kind):
    """No negative probability, no unknown value; targets keep their order.

    Of each release it is told who is in none of its groups.
    """

    def law(seen: Seen) -> None:
        beliefs = tried(attack, seen.view)
        assert beliefs.about == seen.view.about
        assert beliefs.values == seen.view.knowledge.prior.values
        assert beliefs.n_targets == seen.table.n_rows
        assert (beliefs.dense() >= 0).all()
        assert beliefs.dense().sum(axis=1) == pytest.approx(1, abs=1e-9)
        masks = 0 if attack.name == catalog.BASELINE else len(seen.view.releases)
        assert [mask.shape for mask in beliefs.unplaced] == [(seen.table.n_rows,)] * masks

    for_all(attack, kind, law)


@pytest.mark.parametrize(("attack", "kind"), TRIED)
def test_the_same_seed_gives_the_same_beliefs_and_changes_nothing(attack, kind):
    """Bit for bit: all draws are from the given generator. Another seed agrees within error.

    Beliefs that another seed changes are drawn, and say so by replicates; of an attack that draws nothing none are.
    All arrays of a view are read-only, and hold the same bytes after the attack.
    """

    def law(seen: Seen) -> None:
        before = fingerprint(seen.view)
        assert len(before) > 5
        assert not any(array.flags.writeable for array in arrays_of(seen.view))
        first = tried(attack, seen.view)
        assert fingerprint(seen.view) == before
        assert np.array_equal(first.dense(), tried(attack, seen.view).dense())
        again = tried(attack, seen.view, seed=1)
        assert (np.abs(first.dense() - again.dense()) <= slack(first, again)).all()
        assert (first.error is not None) == samples(attack)
        assert first.is_drawn or np.array_equal(first.dense(), again.dense())
        assert bool(first.replicates) or not first.is_drawn
        assert samples(attack) or not first.is_drawn

    for_all(attack, kind, law)


@pytest.mark.parametrize(("attack", "kind"), TRIED)
def test_shuffling_people_shuffles_beliefs(attack, kind):
    """No belief depends on the targets that are listed before; nor does the control, where it is of some alone."""

    def law(drawn: tuple[Seen, int]) -> None:
        seen, seed = drawn
        before, rng = tried(attack, seen.view), np.random.default_rng(seed)
        order = rng.permutation(seen.table.n_rows)
        after = tried(attack, View(seen.view.releases, seen.view.knowledge.take(order)))
        ordered = replace(before, row_of=before.row_of[order])
        assert (np.abs(ordered.dense() - after.dense()) <= slack(ordered, after)).all()
        if isinstance(before.left_out, LeftOutControl):
            asked = rng.random(seen.table.n_rows) < 0.5
            own = [rng.integers(-1, one.n_groups, asked.size).astype(np.int32) for one in seen.view.releases]
            some, whole = before.left_out.of_some(own, asked), before.left_out(own)
            assert some.dense()[asked] == pytest.approx(whole.dense()[asked], abs=1e-12)

    for_all(attack, st.tuples(kind, st.integers(0, 99)), law)


ALONE = [
    pytest.param(p.values[0], form, id=f"{p.id}, {kind}")
    for p in ATTACKS
    for kind, form in (("boxes", stories.boxed), ("exact rows", stories.exact))
    if applies(p.values[0], kind)
]


@pytest.mark.parametrize(("attack", "form"), ALONE)
def test_beliefs_averaged_over_one_group_of_everybody_are_its_shares(attack, form):
    """An attack may tell members apart, but it cannot believe in more cases of flu than are published."""

    def law(table: Table) -> None:
        published = form(table, [0] * table.n_rows)
        view = stories.view_of(
            published.release, table.visible("ill"), "ill", [published.group_of], rows=[published.row_of]
        )
        beliefs = tried(attack, view)
        shares = np.bincount(table["ill"], minlength=len(beliefs.values)) / table.n_rows
        assert (np.abs(beliefs.dense().mean(axis=0) - shares) <= slack(beliefs).mean(axis=0)).all()

    for_all(attack, tables(), law)


@pytest.mark.parametrize(("attack", "kind"), TRIED)
def test_a_value_that_the_prior_rules_out_stays_ruled_out(attack, kind):
    """That Bob does not have flu is a fact that no release overturns."""

    def law(drawn: tuple[Seen, int]) -> None:
        seen, number = drawn
        known = seen.view.knowledge
        assume(len(known.prior.values) > 1)
        banned = number % len(known.prior.values)
        allowed = known.prior.rows.dense() + 0.1
        allowed[:, banned] = 0
        prior = replace(known.prior, rows=known.prior.rows.of(allowed / allowed.sum(axis=1, keepdims=True)))
        beliefs = tried(attack, View(seen.view.releases, replace(known, prior=prior)))
        assert (beliefs.dense()[:, banned] == 0).all()

    for_all(attack, st.tuples(kind, st.integers(0, 99)), law)


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


# --- equality with the worlds that are declared


WORLDS = [  # of true values behind noise there is no end: tests of noisy rows list those of a few
    pytest.param(exact_variant(p.values[0]), p.values[1], id=p.id)  # type: ignore[arg-type]
    for p in TRIED
    if exact_variant(p.values[0]) is not None and "noisy rows" not in str(p.id)  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("attack", "kind"), WORLDS)
def test_beliefs_are_what_enumerating_the_declared_worlds_gives(attack, kind):
    """Locations are known for all, some or none; in boxes and in exact rows; under any prior."""

    def law(seen: Seen) -> None:
        assume(originals(seen.view.releases) == list(range(len(seen.view.releases))))  # or it is heard once
        beliefs = tried(attack, seen.view)
        if attack.worlds.members == "shared":  # no world is left for some: the rest need not stay at the prior
            assume(beliefs.outcome.contradictions == 0)
        assert (np.abs(beliefs.dense() - oracle.posterior(seen.view, attack.worlds)) <= slack(beliefs)).all()

    for_all(attack, kind, law, 24)


def paired(rng: np.random.Generator) -> View:
    """Return eight people in four pairs of different values: beliefs that learning moves, one number for each pair."""
    ills = [rng.choice(["aids", "cold", "flu"], 2, replace=False) for _ in range(4)]
    table = Table.of(
        {"sex": rng.choice(list("fm"), 8).tolist(), "town": rng.choice(list("xyz"), 8).tolist(),
         "ill": np.concatenate(ills).tolist()},
        quasi=["sex", "town"], sensitive=["ill"],
    )  # fmt: skip
    published = stories.exact(table, [0, 0, 1, 1, 2, 2, 3, 3])
    people = table.visible("ill").take(np.array([0, 2, 4, 6]))
    rows = row_numbers(published)[::2]
    return stories.view_of(published.release, people, "ill", [published.group_of[::2]], rows=[rows])


@pytest.mark.slow
@pytest.mark.parametrize(
    "attack",
    [p.values[0] for p in WORLDS if samples(p.values[0]) and applies(p.values[0], "exact rows")],  # type: ignore[arg-type]
    ids=lambda one: one.name,
)
def test_sampled_beliefs_err_as_much_as_they_say(attack):
    """Of 520 z-scores against the oracle, |mean| < .1 and variance in [.8, 1.25], in units of Student's variance."""
    rng = np.random.default_rng(0)
    scores: list[float] = []
    while len(scores) < 520:
        view = paired(rng)
        try:
            beliefs = infer(attack, view, int(rng.integers(2**31)))
        except NotConvergedError:
            continue
        miss, error = beliefs.dense() - oracle.posterior(view, attack.worlds), errors(beliefs)
        first = (beliefs.dense() > 0).argmax(axis=1)  # a pair has two values: the second says nothing new
        sampled = np.flatnonzero(error[np.arange(4), first] > 1e-12)  # people who look alike are not sampled
        here = sampled, first[sampled]
        scores += (miss[here] / error[here]).tolist()
    assert abs(np.mean(scores)) < 0.1
    assert 0.8 <= np.var(scores) / stats.t.var(CHAINS - 1) <= 1.25


# --- what an attack cannot do, it says


def poor_views() -> dict[str, View]:
    """Return views that lack something."""
    table = Table.of({"age": [20, 21, 30, 31], "ill": list("abab"), "job": list("xyyx")}, quasi=["age"],
                     sensitive=["ill", "job"])  # fmt: skip
    boxes, rows = stories.boxed(table, [0, 0, 1, 1]).release, stories.exact(table, [0, 0, 1, 1]).release
    people = table.visible("ill")
    plain = stories.view_of(boxes, people, "ill")
    no_values = replace(boxes, schema=Schema(boxes.schema.quasi), counts={}, columns={})
    place = place_view(Seen(plain, table, ()))
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
    """Either beliefs or an error with a reason that an audit prints: never another exception, never an empty answer."""
    view = poor_views()[lack]
    try:
        beliefs = infer(attack, view)
    except (NotApplicableError, NotConvergedError) as error:
        reason = str(error)
    else:
        reason = "it applies, and answers for each person"
        assert beliefs.n_targets == view.knowledge.people.n_rows
    assert len(reason) > 20


def test_every_attack_is_tried_on_some_kind_of_view():
    """Or the laws above would prove nothing of it."""
    assert {id(p.values[0]) for p in ATTACKS} == {id(p.values[0]) for p in TRIED}


def test_people_nobody_told_us_anything_about_are_attacked_too():
    """Without quasi-identifiers all people fit all groups: beliefs are the shares of the whole release."""
    table = Table.of({"age": [20, 21, 30], "ill": ["flu", "flu", "cold"]}, quasi=["age"], sensitive=["ill"])
    release = stories.boxed(table, [0, 0, 1]).release
    nothing = Table(Schema(()), {}, 2)
    view = stories.view_of(release, nothing, "ill")
    attack = catalog.named("attacks", "random-worlds").examples[0]
    assert infer(attack, view).dense() == pytest.approx(np.array([[1 / 3, 2 / 3]] * 2))
