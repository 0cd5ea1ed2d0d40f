"""Several releases about the same people inside the engine: the set rule, and each release alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sqlglot import exp

from unmask.arrays import Float64
from unmask.warehouse.expressions import (
    any_of,
    case,
    column,
    equal,
    flag,
    inner,
    is_known,
    is_null,
    named,
    number,
    over,
    select,
    summed,
    table,
    times,
    total,
)  # fmt: skip
from unmask.warehouse.people import EnginePeople
from unmask.warehouse.queries import Queries
from unmask.warehouse.value_shares import ValueShares
from unmask.wording import message


def intersected(
    queries: Queries, people: EnginePeople, steps: Sequence[str | None], prior: Float64, step: str
) -> tuple[str, float]:
    """Define posteriors uniform on the values that all releases leave possible, and count the people left with none.

    `steps` are posteriors of profiles by release, None without evidence. Where nothing is left, the prior stays.

    Infers
        Rule `set` of `intersection`: a value is possible if its share is positive in each release that fits.
    """
    given = {f"r{i}": one for i, one in enumerate(steps) if one is not None}
    read = select().from_(table(people.profiles, "a"), copy=False)
    for alias, one in given.items():
        on = equal(column("p", "a"), column("p", alias))
        read = read.join(table(one, alias), on=on, join_type="left", copy=False)
    left: list[exp.Expression] = []
    for v, chance in enumerate(prior.tolist()):
        possible: exp.Expression = number(float(chance > 0))
        for alias in given:
            share = column(f"s{v}", alias)
            allows = flag(any_of(is_null(share), exp.GT(this=share.copy(), expression=number(0))))
            possible = times(possible, allows)
        left.append(possible)
    informed = any_of(*(is_known(column("p", alias)) for alias in given))
    marked = read.select(
        column("p", "a"),
        column("n", "a"),
        *(named(one, f"o{v}") for v, one in enumerate(left)),
        append=False,
        copy=False,
    ).where(informed, copy=False)
    options = [column(f"o{v}") for v in range(len(left))]
    counted = select(
        column("p"), column("n"), *options, named(summed([one.copy() for one in options]), "options")
    ).from_(inner(marked, "m"), copy=False)
    n, none = column("options"), equal(column("options"), number(0))
    shares = [
        named(case(none.copy(), number(chance), over(option.copy(), n.copy())), f"s{v}")
        for v, (option, chance) in enumerate(zip(options, prior.tolist(), strict=True))
    ]
    stored = queries.keep(step, select(column("p"), column("n"), *shares, n).from_(inner(counted, "c"), copy=False))
    empty = select(named(total(case(equal(column("options"), number(0)), column("n"), number(0))), "n"))
    found = queries.row(message("people whose releases contradict each other"), empty.from_(table(stored), copy=False))
    return stored, float(found["n"])


def alone(queries: Queries, shares: ValueShares, posterior: str, prior: Float64, step: str) -> str:
    """Define the posteriors of profiles from one release under another prior.

    Infers
        `P(v) ∝ share(v) · prior(v) / pooled(v)`.
    """
    factor = np.divide(prior, shares.pooled, out=np.zeros(prior.size), where=shares.pooled > 0).tolist()
    weighed = [times(one, number(f)) for one, f in zip(shares.values.columns("s"), factor, strict=True)]
    given = [named(one, f"w{v}") for v, one in enumerate(weighed)]
    read = select(column("p"), *given).from_(table(posterior), copy=False)
    names = [column(f"w{v}") for v in range(prior.size)]
    sums = select(column("p"), *names, named(summed([one.copy() for one in names]), "all")).from_(
        inner(read, "w"), copy=False
    )
    normal = [named(over(one.copy(), column("all")), f"s{v}") for v, one in enumerate(names)]
    return queries.keep(step, select(column("p"), *normal).from_(inner(sums, "z"), copy=False))
