"""The left-out control inside the engine: the nearest groups of each profile, without its own.

Each profile is compared with every group twice, so this is for few groups: with more pairs, there is no control.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from unmask.number_format import numeral
from unmask.warehouse.expressions import (
    INFINITE,
    both,
    case,
    column,
    columns,
    equal,
    grouped,
    inner,
    is_null,
    least,
    listed,
    minus,
    most,
    named,
    number,
    over,
    select,
    summed,
    table,
    times,
    total,
)
from unmask.warehouse.matches import GroupMatches
from unmask.warehouse.meanings import Meaning
from unmask.warehouse.queries import Queries
from unmask.warehouse.value_shares import ValueShares
from unmask.wording import Message, message

MOST_PAIRS = 2e9
"""The largest number of profiles times groups that are compared."""

_TIE = 1 + 1e-12  # the relative difference of distances that rounding explains


@dataclass(frozen=True, slots=True)
class NearestGroups:
    """The groups at the least distance from each profile, except its own."""

    matches: GroupMatches
    step: str | None  # p, g, size; None: there is no other group

    @classmethod
    def of(cls, queries: Queries, matches: GroupMatches) -> NearestGroups | Message:
        """Compare profiles with groups; where that cannot be done, return why.

        Infers
            The distance of `Lines.nearest`: the sum over columns of the distance outside a cell, over the published
            range; 1 for a mismatch where the values have no order.
        """
        if not matches.is_strict:
            return message("the own group of each person is not known, so it cannot be left out")
        if matches.released.n_groups < 2:
            return cls(matches, None)
        prefix, groups = matches.released.prefix, matches.released.groups
        found = queries.row(
            message("combinations of values"),
            select(named(total(number(1)), "n")).from_(table(matches.keyed), copy=False),
        )
        if found["n"] * matches.released.n_groups > MOST_PAIRS:
            return message(
                "it compares each of {profiles} combinations of values with {groups} groups, which is too much for an "
                "engine",
                profiles=numeral(found["n"], ",.0f"), groups=numeral(matches.released.n_groups),
            )  # fmt: skip
        compared = queries.keep(f"{prefix}_compared", _with_own(matches))
        scales = queries.row(message("ranges of published numbers"), _ranges(matches))
        near = {one.i: queries.keep(f"{prefix}_hull{one.i}", listed(hull, "h", ("c", "v")))
                for one in matches.released.meanings if one.is_list and (hull := one.contents(hull=True))}  # fmt: skip
        distances = []
        for one in matches.released.meanings:
            low, high = scales[f"low{one.i}"], scales[f"high{one.i}"]
            span = 0.0 if low is None or high is None else high - low
            distances.append(_distance(one, 1 / span if span > 0 else 1.0, listed_in=one.i in near))
        apart = summed(distances)

        def pairs(*given: exp.Expression) -> exp.Select:
            read = select(*given).from_(table(compared, "a"), copy=False)
            other = exp.NEQ(this=column("own", "a"), expression=column("g", "b"))
            read = read.join(table(groups, "b"), on=other, copy=False)
            for i, step in near.items():
                on = both(
                    equal(column("c", f"h{i}"), column(f"c{i}", "b")), equal(column("v", f"h{i}"), column(f"k{i}", "a"))
                )
                read = read.join(table(step, f"h{i}"), on=on, join_type="left", copy=False)
            return read

        p = column("p")
        first = grouped(
            select(p, named(least(column("d")), "d")).from_(
                inner(pairs(named(column("p", "a"), "p"), named(apart, "d")), "x"), copy=False
            ),
            [p],
        )
        shortest = queries.keep(f"{prefix}_shortest", first)
        every = pairs(
            named(column("p", "a"), "p"), named(column("g", "b"), "g"), named(column("size", "b"), "size"),
            named(apart.copy(), "d"),
        )  # fmt: skip
        within_least = exp.LTE(this=column("d", "x"), expression=times(column("d", "l"), number(_TIE)))
        step = queries.keep(
            f"{prefix}_nearest",
            select(*columns(("p", "g", "size"), "x"))
            .from_(inner(every, "x"), copy=False)
            .join(table(shortest, "l"), on=both(equal(column("p", "x"), column("p", "l")), within_least), copy=False),
        )
        return cls(matches, step)

    def posteriors(self, queries: Queries, shares: ValueShares, step: str) -> str | None:
        """Define the control of each profile, the mean of the nearest groups: p, s0, …; None: it is the prior."""
        if self.step is None:
            return None
        by = column("p", "n")
        mean = [named(over(total(column(f"s{v}", "s")), total(number(1))), f"s{v}") for v in range(shares.values.n)]
        read = (
            select(by, *mean)
            .from_(table(self.step, "n"), copy=False)
            .join(table(shares.step, "s"), on=equal(column("g", "n"), column("g", "s")), copy=False)
        )
        return queries.keep(step, grouped(read, [by]))


def _with_own(matches: GroupMatches) -> exp.Select:
    meanings = matches.released.meanings
    given = columns((f"{part}{one.i}" for one in meanings for part in ("k", "at")), "a")
    return (
        select(column("p", "a"), *given, named(column("g", "f"), "own"))
        .from_(table(matches.keyed, "a"), copy=False)
        .join(table(matches.fits, "f"), on=equal(column("p", "a"), column("p", "f")), copy=False)
    )


def _ranges(matches: GroupMatches) -> exp.Select:
    """Return the least and greatest end of the numbers of each published column."""
    given = []
    for one in matches.released.meanings:
        low, high = column(f"low{one.i}"), column(f"high{one.i}")
        given += [
            named(least(case(exp.GT(this=low, expression=number(-INFINITE)), low.copy(), exp.Null())), f"low{one.i}"),
            named(most(case(exp.LT(this=high, expression=number(INFINITE)), high.copy(), exp.Null())), f"high{one.i}"),
        ]
    return select(*given).from_(table(matches.released.groups), copy=False)


def _distance(one: Meaning, scale: float, *, listed_in: bool) -> exp.Expression:
    """Return how far a profile is from a group in one column; 0 where it lacks a value."""
    key, at = column(f"k{one.i}", "a"), column(f"at{one.i}", "a")
    unknown, star = equal(key, exp.Literal.string("")), equal(column(f"x{one.i}", "b"), number(1))
    free = exp.paren(exp.or_(unknown, star, copy=False), copy=False)
    if not one.is_number:
        fits = equal(key.copy(), column(f"c{one.i}", "b"))
        if one.is_list:
            fits = exp.Not(this=is_null(column("c", f"h{one.i}"))) if listed_in else exp.false()
        return case(free, number(0), case(fits, number(0), number(1)))
    low, high = column(f"low{one.i}", "b"), column(f"high{one.i}", "b")
    below, above = minus(low.copy(), at.copy()), minus(at.copy(), high.copy())
    inside = case(exp.GT(this=at.copy(), expression=high), times(above, number(scale)), number(0))
    outside = case(exp.LT(this=at.copy(), expression=low.copy()), times(below, number(scale)), inside)
    lacks = exp.paren(exp.or_(free, is_null(at), copy=False), copy=False)
    return case(lacks, number(0), case(is_null(low), number(INFINITE), outside))
