"""Membership games on neighboring tables: the effect of a person's record on an attack, by repeated releases.

Game 0 publishes the table, Game i the same table without person i's record. Only the publisher can run them: they need
the table and the sanitizer, where a metric needs only beliefs and a guarantee only a release.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from unmask.arrays import Float64, Int32, Int64, Ragged
from unmask.attacks.shared.pooling import default_prior
from unmask.beliefs import NOT_ATTACKED, About, Beliefs
from unmask.differential_privacy.epsilon_audit import EpsilonBound, lower_bound
from unmask.errors import InvalidInputError
from unmask.estimate import Tally, Truth
from unmask.metrics.gap import WITHOUT
from unmask.release import Release, Sanitizer
from unmask.runtime import work
from unmask.table import Table
from unmask.view import Attack, Knowledge, View
from unmask.wording import message

Neighbors = Literal["replace", "add-remove"]

Score = Callable[[tuple[Release, ...]], float | Float64]
"""The score of an audit of ε: a number for the releases of one run, or several, of which the best is chosen."""


def neighbor(table: Table, row: int, neighbors: Neighbors, rng: np.random.Generator) -> Table:
    """Return the table without a row's person: their rows removed, or replaced by copies of another person's row.

    Fails
        With `InvalidInputError` for a table of one person.
    """
    own = np.arange(table.n_rows) == row if table.person_of is None else table.person_of == table.person_of[row]
    others = np.flatnonzero(~own)
    if others.size == 0:
        msg = message("a table must have a person besides the one who is left out; got one person")
        raise InvalidInputError(msg)
    if neighbors == "add-remove":
        return table.take(others)
    source = np.where(own, rng.choice(others), np.arange(table.n_rows))
    return replace(table, columns={name: column[source] for name, column in table.columns.items()})


def play(
    table: Table,
    sanitizers: Sequence[Sanitizer],
    attack: Attack,
    about: str,
    rows: Int64,
    *,
    runs: int,
    neighbors: Neighbors = "replace",
    prior: Beliefs | None = None,
    rng: np.random.Generator,
) -> Tally:
    """Return the tally of attacks on the persons of some rows in Game 0 and in Game i, for `Gap`.

    The attacker knows the persons' quasi-identifiers and assumes them in the release, in both games. All sanitizers
    publish the same table, with independent randomness; both games of a run use the same random numbers, which keeps
    expectations and reduces the variance of the difference (not for noise from the operating system).

    Assumes
        Enough runs for a normal interval, such as 30. `prior`, one row for all people, is the attacker's prior;
        default: the distribution of all people in the releases of each game.
    Fails
        As the sanitizers and the attack do.
    """
    values = table.schema[about].values
    known = table.visible(about)
    believed: dict[str, list[Float64]] = {"": [], WITHOUT: []}
    with work.step(message("games on neighboring tables: {runs} runs, {people} people", runs=runs, people=rows.size)):
        for own in rng.spawn(runs):
            found = _believed(table, sanitizers, attack, about, known.take(rows), prior, copy.deepcopy(own))
            believed[""].append(found)
            for row in rows.tolist():
                other = neighbor(table, row, neighbors, rng)
                one = known.take(np.array([row]))
                game = _believed(other, sanitizers, attack, about, one, prior, copy.deepcopy(own))
                believed[WITHOUT].append(game)
    beliefs = {name: _gathered(about, values, found) for name, found in believed.items()}
    answer: Int32 = np.tile(table[about][rows], runs)
    run = np.repeat(np.arange(runs, dtype=np.int32), rows.size)
    truth = Truth(About.attribute(about), values, answer, cluster=run)
    return Tally.of(beliefs[""], truth, {WITHOUT: beliefs[WITHOUT]})


def audit_epsilon(
    table: Table,
    sanitizers: Sequence[Sanitizer],
    score: Score,
    row: int,
    *,
    runs: int,
    neighbors: Neighbors = "replace",
    delta: float = 0.0,
    level: float = 0.95,
    names: Sequence[str] = ("score",),
    rng: np.random.Generator,
) -> EpsilonBound:
    """Return a lower bound on the joint ε of sanitizers, from runs with a row's person and without.

    The bound is on the ε of these `neighbors`: a claim about records that are added or removed is compared with runs of
    that relation, or doubled. One pair of tables can refute a claim, but prove none. Choose a person with rare
    attributes, and a score that indicates whether their record is in the table.

    Fails
        As `lower_bound`, the sanitizers and the score do.
    """
    other = neighbor(table, row, neighbors, rng)
    return audit_neighbors((table, other), sanitizers, score, runs=runs, delta=delta, level=level, names=names, rng=rng)


def audit_neighbors(
    tables: tuple[Table, Table],
    sanitizers: Sequence[Sanitizer],
    score: Score,
    *,
    runs: int,
    delta: float = 0.0,
    level: float = 0.95,
    names: Sequence[str] = ("score",),
    rng: np.random.Generator,
) -> EpsilonBound:
    """Return a lower bound on the joint ε of sanitizers, from runs on two neighboring tables.

    Fails
        As `lower_bound`, the sanitizers and the score do.
    """
    scores: list[Float64] = []
    with work.step(message("audit of ε"), 2 * runs) as step:
        for one in tables:
            found = []
            for own in rng.spawn(runs):
                found.append(score(_published(one, sanitizers, own)))
                step.advance()
            scores.append(np.array(found))
    return lower_bound(scores[0], scores[1], delta=delta, level=level, names=names)


def _published(table: Table, sanitizers: Sequence[Sanitizer], rng: np.random.Generator) -> tuple[Release, ...]:
    return tuple(
        replace(one.sanitize(table, own).release, name=f"release {r + 1}")
        for r, (one, own) in enumerate(zip(sanitizers, rng.spawn(len(sanitizers)), strict=True))
    )


def _gathered(about: str, values: tuple[str, ...], found: Sequence[Float64]) -> Beliefs:
    """Return the beliefs of all runs together, one target for each person and run; NaN is not attacked."""
    rows = np.concatenate(found)
    attacked = ~np.isnan(rows).any(axis=1)
    row_of = np.where(attacked, np.cumsum(attacked) - 1, NOT_ATTACKED).astype(np.int32)
    return Beliefs(About.attribute(about), values, row_of, Ragged.of(rows[attacked]))


def _believed(
    table: Table,
    sanitizers: Sequence[Sanitizer],
    attack: Attack,
    about: str,
    people: Table,
    prior: Beliefs | None,
    rng: np.random.Generator,
) -> Float64:
    """Return the posterior of each person after a new release, (people, values)."""
    releases = _published(table, sanitizers, rng)
    if prior is None:
        before = default_prior(releases, about, people.n_rows)
    else:
        before = replace(prior, row_of=np.zeros(people.n_rows, np.int32))
    found = attack.infer(View(releases, Knowledge(people, before)), rng)
    return found.aligned(table.schema[about].values).dense()
