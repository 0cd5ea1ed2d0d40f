"""The people whom the limits on beliefs expose, by any of several questions, counted inside the engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from unmask.arrays import Float64
from unmask.auditing.policy import Limits
from unmask.numerics.rounding import slack_at
from unmask.schema import Harm
from unmask.warehouse.expressions import (
    any_of,
    at_least,
    both,
    case,
    column,
    equal,
    flag,
    inner,
    minus,
    named,
    number,
    plus,
    select,
    slack,
    table,
    total,
)
from unmask.warehouse.people import EnginePeople
from unmask.warehouse.queries import Queries
from unmask.warehouse.value_shares import ValueNumbers
from unmask.wording import message


@dataclass(frozen=True, slots=True, eq=False)
class JudgedBelief:
    """The answer to one question inside the engine: posteriors by profile, and their control.

    A profile without a posterior, or without a control, has the prior.
    """

    values: ValueNumbers
    prior: Float64  # (values,)
    posterior: str
    control: str | None
    has_control: bool
    a: int | None  # the place of the attribute among the sensitive ones of people
    harm: Harm

    def exposing(self, limits: Limits, i: int) -> list[exp.Expression]:
        """Return for each value whether it exposes a person, of the relations `b` and `c` with the number i.

        This is `metrics.exposure.Exposed`, whose marks never leave the engine.
        """
        names = self.values.names
        harmful = self.harm.harmful(names).tolist()
        limit = self.harm.limits(names, limits.max_belief or 1.0)
        least = (limit - slack_at(limit)).tolist()
        found = []
        for v, chance in enumerate(self.prior.tolist()):
            if not harmful[v] or (limits.excess is not None and not self.has_control):
                found.append(any_of())
                continue
            believed = _or_prior(f"s{v}", f"b{i}", chance)
            enough = [at_least(believed, number(least[v])), exp.GT(this=believed.copy(), expression=number(0))]
            if limits.excess is not None:
                before = number(chance) if self.control is None else _or_prior(f"s{v}", f"c{i}", chance)
                above = plus(before, number(limits.excess))
                enough.append(at_least(believed.copy(), minus(above, slack(above.copy()))))
            found.append(both(*enough))
        return found


def _or_prior(name: str, of: str, chance: float) -> exp.Expression:
    return exp.Coalesce(this=column(name, of), expressions=[number(chance)])


def exposed_people(
    queries: Queries, people: EnginePeople, judged: Sequence[JudgedBelief], limits: Limits
) -> tuple[int, int | None]:
    """Return the number of people exposed by some answer, and by their true value; None where none is known."""
    if not judged:
        return 0, None
    read = marked(people, judged, limits)
    n = column("n")
    either = any_of(*(equal(column(f"e{i}"), number(1)) for i in range(len(judged))))
    rightly = any_of(*(equal(column(f"r{i}"), number(1)) for i in range(len(judged))))
    counts = {"exposed": total(case(either, n, number(0))), "rightly": total(case(rightly, n.copy(), number(0)))}
    query = select(*(named(value, key) for key, value in counts.items())).from_(inner(read, "m"), copy=False)
    found = queries.row(message("people exposed, and by their true value"), query)
    known = any(one.a is not None for one in judged)
    return round(found["exposed"]), round(found["rightly"]) if known else None


def marked(people: EnginePeople, judged: Sequence[JudgedBelief], limits: Limits) -> exp.Select:
    """Return people by profile and values, with a mark for each answer that exposes them: p, e0, r0, …, n."""
    read, given = select().from_(table(people.counted, "u"), copy=False), []
    for i, one in enumerate(judged):
        steps = {f"b{i}": one.posterior} | ({} if one.control is None else {f"c{i}": one.control})
        for alias, step in steps.items():
            on = equal(column("p", "u"), column("p", alias))
            read = read.join(table(step, alias), on=on, join_type="left", copy=False)
        exposing, right = one.exposing(limits, i), any_of()
        if one.a is not None:
            on = equal(column(f"a{one.a}", "u"), column("v", f"v{i}"))
            read = read.join(table(one.values.step, f"v{i}"), on=on, join_type="left", copy=False)
            code = column("code", f"v{i}")
            right = any_of(*(both(equal(code.copy(), number(v)), mark.copy()) for v, mark in enumerate(exposing)))
        given += [named(flag(any_of(*exposing)), f"e{i}"), named(flag(right), f"r{i}")]
    return read.select(column("p", "u"), *given, column("n", "u"), append=False, copy=False)
