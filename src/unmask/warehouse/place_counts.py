"""People counted by the chance of their best match inside the engine: linkage with the groups of a release.

A cell takes the place of a target, weighted by its people. Where each person's own group is known, it is the first
answer; else the best match is, and which group that is stays in the engine.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sqlglot import exp

from unmask.arrays import Float64, Ragged
from unmask.beliefs import About, Beliefs
from unmask.estimate import Truth
from unmask.schema import UNKNOWN
from unmask.warehouse.expressions import (
    as_real,
    column,
    equal,
    grouped,
    inner,
    least,
    named,
    number,
    over,
    rank,
    select,
    table,
    total,
    within,
)
from unmask.warehouse.matches import GroupMatches
from unmask.warehouse.nearest_groups import NearestGroups
from unmask.warehouse.queries import Queries
from unmask.wording import message

BEST = ("the best match", "elsewhere")
"""The answers where groups are not distinguished."""


@dataclass(frozen=True, slots=True, eq=False)
class PlaceCounts:
    """Beliefs about places, their control, and the truth; each target is a cell of people."""

    beliefs: Beliefs
    control: Beliefs | None
    truth: Truth


def place_counts(queries: Queries, matches: GroupMatches, near: NearestGroups | None) -> PlaceCounts:
    """Count people by the probability of their best match, and the number of people who fit there.

    `near` are the nearest groups without the own one, where there is a control.
    """
    about = About.place(matches.released.name)
    n_rows = matches.released.n_rows
    best = _own(matches, near) if matches.is_strict else _best(matches)
    by = [column(one) for one in ("chance", "ways", "near", "near_ways")]
    found = queries.columns(
        message("people by the chance of their best match"),
        grouped(select(*by, named(total(column("n")), "n")).from_(inner(best, "b"), copy=False), by),
    )
    n, nowhere = found["n"], np.isnan(found["chance"])
    chance, ways = np.where(nowhere, 0.0, found["chance"]), np.where(nowhere, 1.0, found["ways"])
    answer = np.full(n.size, 0 if matches.is_strict else UNKNOWN, np.int32)
    truth = Truth(about, BEST, answer, weight=n)
    beliefs = _beliefs(about, chance, ways, n_rows, nowhere)
    if near is None:
        return PlaceCounts(beliefs, None, truth)
    false = np.isnan(found["near"])
    control = _beliefs(
        about,
        np.where(false, 0.0, 1 / np.where(false, 1.0, found["near"])),
        np.where(false, 1.0, found["near_ways"]),
        n_rows,
    )
    return PlaceCounts(beliefs, control, truth)


def _beliefs(about: About, chance: Float64, ways: Float64, n_rows: float, nowhere: np.ndarray | None = None) -> Beliefs:
    n = chance.size
    both = np.stack([chance, 1.0 - chance], axis=1)
    rows = Ragged(2 * np.arange(n + 1), np.tile(np.arange(2, dtype=np.int32), n), both.ravel(), 2)
    of_entry = np.stack([ways, np.full(n, n_rows)], axis=1).ravel()
    return Beliefs(
        about, BEST, np.arange(n, dtype=np.int32), rows, ways=of_entry, unplaced=() if nowhere is None else (nowhere,)
    )


def _own(matches: GroupMatches, near: NearestGroups | None) -> exp.Select:
    """Return profiles with the size of their own group, and the number and least size of the nearest others."""
    read = select().from_(table(matches.keyed, "a"), copy=False)
    read = read.join(table(matches.fits, "f"), on=equal(column("p", "a"), column("p", "f")), copy=False)
    others: list[exp.Expression] = [named(as_real(exp.Null()), "near"), named(as_real(exp.Null()), "near_ways")]
    if near is not None and near.step is not None:
        p = column("p")
        each = grouped(
            select(p, named(total(number(1)), "near"), named(least(column("size")), "near_ways")).from_(
                table(near.step), copy=False
            ),
            [p],
        )
        read = read.join(inner(each, "o"), on=equal(column("p", "a"), column("p", "o")), join_type="left", copy=False)
        others = [column("near", "o"), column("near_ways", "o")]
    given = [named(number(1), "chance"), named(column("size", "f"), "ways"), *others, column("n", "a")]
    return read.select(*given, append=False, copy=False)


def _best(matches: GroupMatches) -> exp.Select:
    """Return profiles with the probability of their best match, and the people who fit there; NULL without one."""
    p = column("p")
    chance = over(column("weight"), within(exp.Sum(this=column("weight")), [p]))
    each = select(p, named(chance, "chance"), column("size")).from_(table(matches.fits), copy=False)
    ranked = select(
        column("p"), column("chance"), column("size"),
        named(rank([p], over(column("chance"), column("size"))), "place"),
    ).from_(inner(each, "c"), copy=False)  # fmt: skip
    first = select(column("p"), column("chance"), column("size")).from_(inner(ranked, "r"), copy=False)
    first = first.where(equal(column("place"), exp.Literal.number(1)), copy=False)
    return (
        select(
            column("chance", "f"), named(column("size", "f"), "ways"), named(as_real(exp.Null()), "near"),
            named(as_real(exp.Null()), "near_ways"), column("n", "a"),
        )
        .from_(table(matches.keyed, "a"), copy=False)
        .join(inner(first, "f"), on=equal(column("p", "a"), column("p", "f")), join_type="left", copy=False)
    )  # fmt: skip


def group_priors(queries: Queries, matches: GroupMatches) -> tuple[Beliefs, Truth]:
    """Return the prior over groups, and how many people are in each; groups are known by size and people alone."""
    about, released = About.place(matches.released.name), matches.released
    held: exp.Expression = number(0)
    read = select().from_(table(released.groups, "b"), copy=False)
    if matches.is_strict:
        g = column("g", "f")
        each = grouped(
            select(g, named(total(column("n", "a")), "n"))
            .from_(table(matches.keyed, "a"), copy=False)
            .join(table(matches.fits, "f"), on=equal(column("p", "a"), column("p", "f")), copy=False),
            [g],
        )
        read = read.join(inner(each, "h"), on=equal(column("g", "b"), column("g", "h")), join_type="left", copy=False)
        held = exp.Coalesce(this=column("n", "h"), expressions=[number(0)])
    sized = read.select(column("size", "b"), named(held, "n"), append=False, copy=False)
    by = [column("size"), column("n")]
    found = queries.columns(
        message("groups by size and people"),
        grouped(select(*by, named(total(number(1)), "groups")).from_(inner(sized, "s"), copy=False), by),
    )
    times = found["groups"].astype(np.int64)
    size, n = np.repeat(found["size"], times), np.repeat(found["n"], times)
    names = tuple(map(str, range(size.size)))
    if not matches.is_strict:
        prior = Beliefs.shared(about, names, size / size.sum(), 1)
        return prior, Truth(about, names, np.full(1, UNKNOWN, np.int32), weight=np.array([matches.people.n]))
    some = np.flatnonzero(n)
    prior = Beliefs.shared(about, names, size / size.sum(), some.size)
    return prior, Truth(about, names, some.astype(np.int32), weight=n[some])
