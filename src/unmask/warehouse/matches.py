"""GroupMatches of people with the groups of a release inside the engine: which groups fit each profile, with weights.

A profile is compared with cells that do not fit all values by equal keys alone, so each pattern of such cells is a join
of columns with equal values, never of all pairs.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from unmask.warehouse.expressions import (
    all_of,
    both,
    case,
    column,
    equal,
    grouped,
    inner,
    is_null,
    least,
    listed,
    most,
    named,
    number,
    over,
    select,
    table,
    text,
    times,
    total,
    within,
)  # fmt: skip
from unmask.warehouse.meanings import Meaning
from unmask.warehouse.people import EnginePeople
from unmask.warehouse.published_groups import PublishedGroups
from unmask.warehouse.queries import Queries
from unmask.warehouse.wildcards import Pattern
from unmask.wording import message


@dataclass(frozen=True, slots=True)
class GroupMatches:
    """The groups that fit each profile.

    Where each profile fits exactly one group, that is the person's own: `is_strict`.
    """

    people: EnginePeople
    released: PublishedGroups
    keyed: str  # the step of profiles with keys: p, k0, at0, …, n
    fits: str  # the step of pairs that fit: p, g, weight, size
    is_strict: bool
    unplaced: float  # people who fit no group
    without_people: float  # rows of groups that fit no person, unless they are suppressed records

    @classmethod
    def of(cls, queries: Queries, people: EnginePeople, released: PublishedGroups) -> GroupMatches:
        """Match people with groups."""
        prefix = released.prefix
        keyed = queries.keep(f"{prefix}_keys", _keys(people, released))
        maps = {one.i: queries.keep(f"{prefix}_fit{one.i}", query) for one in released.meanings
                if (query := _fitting(queries, people, released, one, keyed)) is not None}  # fmt: skip
        pairs = queries.keep(
            f"{prefix}_pairs", all_of([_pairs(released, keyed, maps, pattern) for pattern in released.patterns])
        )
        found = queries.row(message("how many groups fit a profile"), _extremes(keyed, pairs))
        is_strict = found["least"] == 1 and found["most"] == 1
        empty = queries.row(message("rows of groups that fit no person"), _without_people(released, pairs))["n"]
        fits = queries.keep(f"{prefix}_fits", _weighed(queries, released, keyed, pairs, strict=is_strict))
        return cls(people, released, keyed, fits, is_strict, float(found["unplaced"]), float(empty))


def _keys(people: EnginePeople, released: PublishedGroups) -> exp.Select:
    """Return profiles with the key of each value, and its place among numbers."""
    given = []
    place = {one.column: i for i, one in enumerate(people.cells.known)}
    for one in released.meanings:
        name = released.cells.known[one.i].column
        kind, q = people.cells.source.columns[name], column(f"q{place[name]}")
        given += [named(one.key(q, kind), f"k{one.i}"), named(one.place(q.copy(), kind), f"at{one.i}")]
    return select(column("p"), *given, column("n")).from_(table(people.profiles), copy=False)


def _fitting(
    queries: Queries, people: EnginePeople, released: PublishedGroups, one: Meaning, keyed: str
) -> exp.Query | None:
    """Return which distinct keys of a column fit which cells; None where they fit the equal one alone."""
    i, wildcard = one.i, people.cells.missing_matches
    if one.cells is None and not wildcard:
        return None
    k, at = column(f"k{i}"), column(f"at{i}")
    distinct = inner(grouped(select(named(k, "k"), named(at, "at")).from_(table(keyed), copy=False), [k, at]), "d")
    known = exp.NEQ(this=column("k", "d"), expression=text(""))
    parts: list[exp.Query] = []
    if one.cells is None:
        parts.append(select(named(column("k", "d"), "k"), named(column("k", "d"), "c")).from_(distinct, copy=False)
                     .where(known, copy=False))  # fmt: skip
    elif contents := one.contents():
        names = ("c", "v") if one.is_list else ("c", "low", "high", "above", "below")
        step = queries.define(f"{released.prefix}_content{i}", listed(contents, "m", names))
        on = equal(column("k", "d"), column("v", "m")) if one.is_list else _inside(column("at", "d"))
        read = select(named(column("k", "d"), "k"), named(column("c", "m"), "c")).from_(distinct, copy=False)
        pairs = read.join(table(step, "m"), on=on, copy=False).where(known, copy=False)
        parts.append(pairs.distinct(copy=False))
    if wildcard:  # a missing value fits every cell
        cell = column(f"c{i}")
        every = select(named(text(""), "k"), named(cell, "c")).from_(table(released.groups), copy=False)
        parts.append(every.where(equal(column(f"w{i}"), number(0)), copy=False).distinct(copy=False))
    elif one.fits_missing:
        lacking = inner(listed([(cell,) for cell in one.fits_missing], "l", ("c",)), "f")
        parts.append(select(named(text(""), "k"), column("c")).from_(lacking, copy=False))
    return all_of(parts) if parts else None


def _inside(at: exp.Expression) -> exp.Expression:
    """Return whether a number is in a piece, whose ends are open or not."""
    low, high = column("low", "m"), column("high", "m")
    opened, closed = column("above", "m"), column("below", "m")
    is_above = exp.or_(
        exp.GT(this=at, expression=low),
        exp.and_(exp.EQ(this=at.copy(), expression=low.copy()), equal(opened, number(0))),
        copy=False,
    )
    is_below = exp.or_(
        exp.LT(this=at.copy(), expression=high),
        exp.and_(exp.EQ(this=at.copy(), expression=high.copy()), equal(closed, number(0))),
        copy=False,
    )
    closed_ends = both(
        exp.GTE(this=at.copy(), expression=low.copy()), exp.LTE(this=at.copy(), expression=high.copy())
    )  # which engines can search
    return both(closed_ends, exp.paren(is_above), exp.paren(is_below))


def _pairs(released: PublishedGroups, keyed: str, maps: dict[int, str], pattern: Pattern) -> exp.Select:
    """Return the profiles and groups that fit, of the groups with one pattern of cells that fit all."""
    read = select(column("p", "a"), column("g", "b"), column("size", "b")).from_(table(keyed, "a"), copy=False)
    on = [equal(column(f"w{i}", "b"), number(float(wild))) for i, wild in enumerate(pattern)]
    for i, wild in enumerate(pattern):
        if wild:
            continue
        if i in maps:
            alias = f"m{i}"
            read = read.join(table(maps[i], alias), on=equal(column(f"k{i}", "a"), column("k", alias)), copy=False)
            on.append(equal(column("c", alias), column(f"c{i}", "b")))
        else:
            on.append(equal(column(f"k{i}", "a"), column(f"c{i}", "b")))
    return read.join(table(released.groups, "b"), on=both(*on), copy=False)


def _extremes(keyed: str, pairs: str) -> exp.Select:
    """Return the least and largest number of groups that fit a profile, and the people who fit none."""
    p = column("p")
    each = grouped(select(p, named(total(number(1)), "m")).from_(table(pairs), copy=False), [p])
    counted = (
        select(named(exp.Coalesce(this=column("m", "f"), expressions=[number(0)]), "m"), column("n", "a"))
        .from_(table(keyed, "a"), copy=False)
        .join(inner(each, "f"), on=equal(column("p", "a"), column("p", "f")), join_type="left", copy=False)
    )
    m = column("m")
    unplaced = total(case(equal(m.copy(), number(0)), column("n"), number(0)))
    return select(named(least(m), "least"), named(most(m.copy()), "most"), named(unplaced, "unplaced")).from_(
        inner(counted, "e"), copy=False
    )


def _without_people(released: PublishedGroups, pairs: str) -> exp.Select:
    """Return the rows of groups that fit no person; suppressed records, which fit all, are none of them."""
    taken = select(column("g")).from_(table(pairs), copy=False).distinct(copy=False)
    return (
        select(named(total(column("size", "b")), "n"))
        .from_(table(released.groups, "b"), copy=False)
        .join(inner(taken, "t"), on=equal(column("g", "b"), column("g", "t")), join_type="left", copy=False)
        .where(is_null(column("g", "t")), copy=False)
    )


def _weighed(queries: Queries, released: PublishedGroups, keyed: str, pairs: str, *, strict: bool) -> exp.Select:
    """Return the pairs with their linking weights: people of the group, over the probability of its cells."""
    if strict:
        return select(column("p"), column("g"), named(number(1), "weight"), column("size")).from_(
            table(pairs), copy=False
        )
    lifted = queries.keep(f"{released.prefix}_odds", _odds(queries, released))
    factors: list[exp.Expression] = [column("size", "f")]
    for one in released.meanings:
        odds: exp.Expression = column(f"odds{one.i}", "o")
        if released.cells.missing_matches:  # an unknown value says nothing about its cell
            odds = case(equal(column(f"k{one.i}", "a"), text("")), number(1), odds)
        factors.append(odds)
    weight = factors[0]
    for factor in factors[1:]:
        weight = times(weight, factor)
    return (
        select(column("p", "f"), column("g", "f"), named(weight, "weight"), column("size", "f"))
        .from_(table(pairs, "f"), copy=False)
        .join(table(lifted, "o"), on=equal(column("g", "f"), column("g", "o")), copy=False)
        .join(table(keyed, "a"), on=equal(column("p", "f"), column("p", "a")), copy=False)
    )


def _odds(queries: Queries, released: PublishedGroups) -> exp.Select:
    """Return 1 over the probability of each cell of each group among all published cells."""
    read, given = select().from_(table(released.groups, "b"), copy=False), []
    for one in released.meanings:
        c, wild = column(f"c{one.i}", "b"), column(f"w{one.i}", "b")
        if one.cells is None:
            informative = case(equal(wild, number(0)), column("size", "b"), number(0))
            of_all = within(exp.Sum(this=informative))
            odds = over(of_all, within(exp.Sum(this=column("size", "b")), [c]))
            given.append(named(case(equal(wild.copy(), number(0)), odds, number(1)), f"odds{one.i}"))
            continue
        name = f"c{one.i}"
        by = grouped(
            select(column(name), named(total(column("size")), "n")).from_(table(released.groups), copy=False),
            [column(name)],
        )
        found = queries.columns(message("people of each cell of published column {i}", i=one.i + 1), by)
        odds_of = one.odds(found[name], found["n"])
        step = queries.define(
            f"{released.prefix}_odds{one.i}",
            listed([*zip(found[name].tolist(), odds_of.tolist(), strict=True)], "o", ("c", "odds")),
        )
        alias = f"o{one.i}"
        read = read.join(table(step, alias), on=equal(c, column("c", alias)), copy=False)
        given.append(named(column("odds", alias), f"odds{one.i}"))
    return read.select(column("g", "b"), *given, append=False, copy=False)
