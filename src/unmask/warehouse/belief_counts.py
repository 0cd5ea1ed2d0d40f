"""People counted by belief inside the engine: how many share a posterior, a control and a true value.

Only these counts leave it: no profile, no group, no text of a value. A cell takes the place of a target, weighted by
its people, so every metric and limit reads it as it reads people in memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from sqlglot import exp

from unmask.arrays import Float64, Ragged, distinct_rows
from unmask.beliefs import About, Beliefs
from unmask.estimate import NORMAL_95, Truth
from unmask.metrics.exposure import SINGLE
from unmask.schema import UNKNOWN
from unmask.warehouse.expressions import (
    as_real,
    at_least,
    both,
    case,
    column,
    columns,
    equal,
    flag,
    grouped,
    inner,
    is_known,
    is_null,
    largest,
    minus,
    named,
    number,
    over,
    select,
    slack,
    summed,
    table,
    times,
    total,
)
from unmask.warehouse.matches import GroupMatches
from unmask.warehouse.people import EnginePeople
from unmask.warehouse.queries import Queries
from unmask.warehouse.value_shares import ValueNumbers
from unmask.wording import message

ELSEWHERE = "another value"
"""The name of all values of people that no release has."""


@dataclass(frozen=True, slots=True, eq=False)
class BeliefCounts:
    """Beliefs about an attribute, what they are compared with, and the truth; each target is a cell of people."""

    beliefs: Beliefs
    against: Mapping[str, Beliefs]
    truth: Truth
    people: Float64  # (cells,)


def belief_counts(
    queries: Queries,
    people: EnginePeople,
    a: int | None,
    values: ValueNumbers,
    prior: Float64,
    about: About,
    posterior: str,
    against: Mapping[str, str | None],
) -> BeliefCounts:
    """Count people by posterior, by what it is compared with, and by true value.

    `posterior` and each of `against` are steps by profile with a column for each value; None, and a profile that is not
    there, have the prior, (values,). `a` is the place of the attribute among the sensitive ones of people. A profile
    matches no group of a release if it is not in the step of that single release; of one release, in `posterior`.
    """
    steps = {name: step for name, step in against.items() if step is not None}
    read = _judged(people, a, values, [posterior, *steps.values()])
    single = [i for i, name in enumerate(steps, 1) if name.startswith(SINGLE)] or [0]
    by = [*columns(f"placed{i}" for i in single), column("answer")]
    by += [c for i in range(len(steps) + 1) for c in values.columns(f"b{i}_")]
    query = grouped(select(*by, named(total(column("n")), "n")).from_(inner(read, "j"), copy=False), by)
    found = queries.columns(message("people by belief about {about}", about=about), query)
    n = found["n"]
    unplaced = tuple(found[f"placed{i}"] <= 0 for i in single)

    def beliefs(i: int) -> Beliefs:
        rows = np.stack([found[f"b{i}_{v}"] for v in range(values.n)], axis=1)
        number_of, example = distinct_rows(np.where(np.isnan(rows), prior, rows))
        distinct = np.where(np.isnan(rows), prior, rows)[example]
        return Beliefs(about, values.names, number_of, Ragged.of(distinct / distinct.sum(axis=1, keepdims=True)))

    held = {name: Beliefs.shared(about, values.names, prior, n.size) for name in against}
    held |= {name: beliefs(i) for i, name in enumerate(steps, 1)}
    answer = np.where(np.isnan(found["answer"]), UNKNOWN, found["answer"]).astype(np.int32)
    truth = Truth(about, (*values.names, ELSEWHERE), answer, weight=n)
    return BeliefCounts(replace(beliefs(0), unplaced=unplaced), held, truth, n)


def _judged(people: EnginePeople, a: int | None, values: ValueNumbers, steps: Sequence[str]) -> exp.Select:
    """Return people with each belief, and the number of their true value; NULL where there is none."""
    answer: exp.Expression = as_real(exp.Null())
    read = select().from_(table(people.counted, "u"), copy=False)
    given: list[exp.Expression] = []
    for i, step in enumerate(steps):
        on = equal(column("p", "u"), column("p", f"b{i}"))
        read = read.join(table(step, f"b{i}"), on=on, join_type="left", copy=False)
        given.append(named(flag(is_known(column("p", f"b{i}"))), f"placed{i}"))
        given += [named(one, f"b{i}_{v}") for v, one in enumerate(values.columns("s", f"b{i}"))]
    if a is not None:
        value = column(f"a{a}", "u")
        read = read.join(table(values.step, "v"), on=equal(value, column("v", "v")), join_type="left", copy=False)
        coded = exp.Coalesce(this=column("code", "v"), expressions=[number(values.n)])
        answer = case(is_null(value.copy()), as_real(exp.Null()), coded)
    return read.select(column("p", "u"), *given, named(answer, "answer"), column("n", "u"), append=False, copy=False)


@dataclass(frozen=True, slots=True)
class ClusteredExcess:
    """Sums over groups of the gain in right answers over the control, for the interval of its mean."""

    groups: float
    people: float
    gain: float
    gain_squares: float
    gain_people: float
    people_squares: float

    def interval(self) -> tuple[float, float]:
        """Return the 95 % sandwich interval over groups, as `estimate.by_cluster`."""
        mean = self.gain / self.people
        if self.groups < 2:
            return float("-inf"), float("inf")
        squares = self.gain_squares - 2 * mean * self.gain_people + mean**2 * self.people_squares
        error = np.sqrt(max(squares, 0.0) * self.groups / (self.groups - 1)) / self.people
        half = float(NORMAL_95 * error)
        return mean - half, mean + half


def clustered_excess(
    queries: Queries, matches: GroupMatches, a: int, values: ValueNumbers, posterior: str, control: str
) -> ClusteredExcess | None:
    """Return the sums of each group's gain in right answers, computed inside; None where no true value is known."""
    read, names = _judged(matches.people, a, values, [posterior, control]), ("b0_", "b1_")
    tops = [named(largest(values.columns(name)), f"top_{name}") for name in names]
    each = [one for name in names for one in values.columns(name)]
    topped = select(column("p"), column("answer"), column("n"), *each, *tops).from_(inner(read, "j"), copy=False)
    topped = topped.where(is_known(column("answer")), copy=False)
    gain = minus(_hit(values, "b0_"), _hit(values, "b1_"))
    scored = select(column("p"), column("n"), named(times(column("n"), gain), "gain")).from_(
        inner(topped, "t"), copy=False
    )
    g = column("g", "f")
    of_groups = grouped(
        select(g, named(total(column("gain", "h")), "gain"), named(total(column("n", "h")), "n"))
        .from_(inner(scored, "h"), copy=False)
        .join(table(matches.fits, "f"), on=equal(column("p", "h"), column("p", "f")), copy=False),
        [g],
    )
    gain, n = column("gain"), column("n")
    sums = {
        "groups": total(number(1)),
        "people": total(n),
        "gain": total(gain),
        "gain_squares": total(times(gain, gain.copy())),
        "gain_people": total(times(gain, n)),
        "people_squares": total(times(n, n.copy())),
    }
    row = queries.row(
        message("gains of groups over the control, squared and added up"),
        select(*(named(value, key) for key, value in sums.items())).from_(inner(of_groups, "e"), copy=False),
    )
    return ClusteredExcess(**{key: float(row[key]) for key in sums}) if row["people"] else None


def _hit(values: ValueNumbers, name: str) -> exp.Expression:
    """Return 1 over the number of likeliest values where the true one is among them, else 0."""
    top = column(f"top_{name}")
    level = minus(top, slack(top.copy()))
    likely = [
        both(at_least(one, level.copy()), exp.GT(this=one.copy(), expression=number(0))) for one in values.columns(name)
    ]
    right = [
        case(both(equal(column("answer"), number(v)), one.copy()), number(1), number(0)) for v, one in enumerate(likely)
    ]
    return over(summed(right), largest([summed([flag(one) for one in likely]), number(1)]))
