"""Shares of sensitive values in groups, one column for each value, and the posteriors of profiles from them.

Values have numbers, the most frequent first, so their texts stay in the engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sqlglot import exp

from unmask.arrays import Float64
from unmask.errors import ResourceError
from unmask.number_format import numeral
from unmask.warehouse.expressions import (
    all_of,
    as_real,
    case,
    column,
    columns,
    equal,
    grouped,
    inner,
    is_known,
    minus,
    named,
    number,
    over,
    plus,
    select,
    table,
    text,
    times,
    total,
)  # fmt: skip
from unmask.warehouse.matches import GroupMatches
from unmask.warehouse.published_groups import PublishedGroups
from unmask.warehouse.queries import Queries
from unmask.wording import message

MOST_VALUES = 250
"""The largest number of values of a sensitive attribute: each is a column of a query."""


@dataclass(frozen=True, slots=True)
class ValueNumbers:
    """The values of one sensitive attribute over some releases, numbered from 0."""

    step: str  # v, code
    n: int
    code_of: Mapping[str, int]  # of values that were asked for by name

    @property
    def names(self) -> tuple[str, ...]:
        """A name of each value: its number, or its text if that was asked for."""
        names = [f"value {code + 1}" for code in range(self.n)]
        for value, code in self.code_of.items():
            names[code] = value
        return tuple(names)

    @classmethod
    def of(
        cls, queries: Queries, released: Sequence[tuple[PublishedGroups, int]], wanted: Iterable[str], step: str
    ) -> ValueNumbers:
        """Number the values of an attribute, which has a place among the sensitive ones of each release.

        Fails
            With `ResourceError` for too many values.
        """
        parts = [
            select(named(column(f"v{j}"), "v"), column("n")).from_(table(one.rows), copy=False) for one, j in released
        ]
        by = [column("v")]
        known = grouped(
            select(column("v"), named(total(column("n")), "n"))
            .from_(inner(all_of(parts), "r"), copy=False)
            .where(is_known(column("v")), copy=False),
            by,
        )
        order = exp.Order(
            expressions=[exp.Ordered(this=column("n"), desc=True, nulls_first=False), exp.Ordered(this=column("v"))]
        )
        code = minus(as_real(exp.Window(this=exp.RowNumber(), order=order)), number(1))
        stored = queries.keep(step, select(column("v"), named(code, "code")).from_(inner(known, "k"), copy=False))
        n = int(
            queries.row(
                message("number of sensitive values"),
                select(named(total(number(1)), "values")).from_(table(stored), copy=False),
            )["values"]
        )
        if n > MOST_VALUES:
            msg = message(
                "an engine must have at most {most} values of a sensitive attribute to attack it; got {n}. "
                "Leave out --engine, or put values together in a view",
                most=MOST_VALUES, n=numeral(n),
            )  # fmt: skip
            raise ResourceError(msg)
        found = {}
        for value in wanted:
            asked = select(named(total(column("code")), "code"), named(total(number(1)), "n")).from_(
                table(stored), copy=False
            )
            row = queries.row(
                message("number of a declared value"), asked.where(equal(column("v"), text(f"={value}")), copy=False)
            )
            if row["n"]:
                found[value] = int(row["code"])
        return cls(stored, n, found)

    def columns(self, name: str, of: str | None = None) -> list[exp.Expression]:
        """Return one column for each value."""
        return columns((f"{name}{v}" for v in range(self.n)), of)


@dataclass(frozen=True, slots=True)
class ValueShares:
    """The counts and shares of values in the groups of one release, and over all of them."""

    values: ValueNumbers
    step: str  # g, s0, …, m0, …
    pooled: Float64  # (values,) shares over the release
    totals: Float64  # (values,) rows with each value

    @classmethod
    def of(cls, queries: Queries, released: PublishedGroups, j: int, values: ValueNumbers, prefix: str) -> ValueShares:
        """Count the values of an attribute in each group; rows without a value have the shares of the release."""
        coded = (
            select(column("g", "r"), column("n", "r"), column("code", "v"))
            .from_(table(released.rows, "r"), copy=False)
            .join(
                table(values.step, "v"), on=equal(column(f"v{j}", "r"), column("v", "v")), join_type="left", copy=False
            )
        )
        each = [named(_of(v, column("n")), f"m{v}") for v in range(values.n)]
        counted = queries.keep(
            f"{prefix}_counts_{released.prefix}",
            grouped(
                select(column("g"), *each, named(total(column("n")), "size")).from_(inner(coded, "c"), copy=False),
                [column("g")],
            ),
        )
        sums = [named(total(column(f"m{v}")), f"m{v}") for v in range(values.n)]
        found = queries.row(message("rows with each value, by number"), select(*sums).from_(table(counted), copy=False))
        totals = np.array([found[f"m{v}"] for v in range(values.n)])
        pooled = totals / totals.sum() if totals.sum() else np.full(values.n, 1 / max(values.n, 1))
        known: exp.Expression = number(0)
        for one in values.columns("m"):
            known = plus(known, one)
        blank = minus(column("size"), column("known"))
        shares = [
            named(over(plus(one, times(blank.copy(), number(share))), column("size")), f"s{v}")
            for v, (one, share) in enumerate(zip(values.columns("m"), pooled.tolist(), strict=True))
        ]
        summed = select(column("g"), column("size"), *values.columns("m"), named(known, "known")).from_(
            table(counted), copy=False
        )
        step = queries.keep(
            f"{prefix}_shares_{released.prefix}",
            select(column("g"), *shares, *values.columns("m")).from_(inner(summed, "k"), copy=False),
        )
        return cls(values, step, pooled, totals)


def _of(v: int, n: exp.Expression) -> exp.Expression:
    """Return the number of rows with one value."""
    return total(case(equal(column("code"), number(v)), n, number(0)))


def posteriors(queries: Queries, matches: GroupMatches, shares: ValueShares, step: str) -> str:
    """Define the posterior of each profile that fits a group, s0, …, and the counts of its groups, m0, ….

    Infers
        `share(v) = Σ_g weight(g) · share_g(v)` over the groups that fit, the weights adding up to 1.
    """
    values = shares.values
    read = (
        select()
        .from_(table(matches.fits, "f"), copy=False)
        .join(table(shares.step, "s"), on=equal(column("g", "f"), column("g", "s")), copy=False)
    )
    if matches.is_strict:
        given = [*values.columns("s", "s"), *values.columns("m", "s")]
        return queries.keep(step, read.select(column("p", "f"), *given, append=False, copy=False))
    weight = total(column("weight", "f"))
    mixed = [
        named(over(total(times(column("weight", "f"), column(f"{part}{v}", "s"))), weight.copy()), f"{part}{v}")
        for part in ("s", "m")
        for v in range(values.n)
    ]
    by = column("p", "f")
    return queries.keep(step, grouped(read.select(by, *mixed, append=False, copy=False), [by]))
