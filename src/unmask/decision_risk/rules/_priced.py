"""Values of each attribute shared out by prices, where records are too many for a program over all of them."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from unmask.arrays import Bool, Float64, Int64
from unmask.runtime import work

CLOSE = 1e-5
"""So close, of the cost, the bound and the mixture are brought together."""

ROUNDS = 400

WIDER = 8.0
"""Where prices end at their limit, it is made so many times as large."""

GOLDEN = 0.6180339887498949
"""Multiples of it, less their whole parts, lie evenly wherever one stops."""


def priced(sets: Bool, price: Float64, wanted: Int64) -> tuple[Int64, float]:
    """Return the set of each record, (records,), so that `wanted` values of each attribute are told, and a bound.

    Each attribute pays for being told, and every record takes the set that costs it least, (records, sets) less what
    is paid; infinite where it cannot take one. What that costs, and all that is paid besides, is no more than the best
    sharing-out costs, whatever the prices; cutting planes find those that make it most. They also mix a few answers so
    that the numbers of values are right, and records that are torn between these take turns. What is still lacking or
    too much of an attribute is then told or withheld where that costs least.
    """
    n, m = price.shape[0], sets.shape[1]
    member = sets.astype(np.float64)
    limit, best, paid = 2.0, -np.inf, np.zeros(m)
    answers: list[Int64] = []
    cost: list[float] = []
    slope: list[Float64] = []
    share = np.ones(1)
    with work.step("pricing attributes") as step:
        for _ in range(ROUNDS):
            answers.append(np.argmin(price - (member @ paid)[None, :], axis=1))
            n_disclosed = member[answers[-1]].sum(axis=0)
            cost.append(float(price[np.arange(n), answers[-1]].sum()))
            slope.append((wanted - n_disclosed) / n)
            best = max(best, cost[-1] / n + float(slope[-1] @ paid))
            paid, most, share = _prices(np.array(cost) / n, np.stack(slope), limit)
            step.advance()
            if most - best <= CLOSE * max(abs(best), 1e-12):
                if np.abs(paid).max(initial=0.0) < limit * (1 - 1e-9) or limit > WIDER * n:
                    break
                limit *= WIDER
    return _repaired(sets, price, wanted, _turns(answers, share)), best * n


def _prices(cost: Float64, slope: Float64, limit: float) -> tuple[Float64, float, Float64]:
    """Return the prices at which the bound could be largest, as far as is known; that bound; and shares of answers."""
    n, m = slope.shape
    found = linprog(
        np.append(np.zeros(m), -1.0),
        A_ub=np.column_stack([-slope, np.ones(n)]),
        b_ub=cost,
        bounds=[*[(-limit, limit)] * m, (None, None)],
        method="highs",
    )
    share = np.maximum(-found.ineqlin.marginals, 0.0)
    return found.x[:m], float(found.x[m]), share / share.sum()


def _turns(answers: list[Int64], share: Float64) -> Int64:
    """Take one answer for each record, (records,): of those that are torn between the same ones, by their shares."""
    used = np.flatnonzero(share > 1e-9).tolist()
    options = np.stack([answers[r] for r in used])
    until = np.cumsum(share[used]) / share[used].sum()
    order = np.lexsort(options)
    whose = np.searchsorted(until, np.arange(order.size) * GOLDEN % 1.0, "right").clip(max=len(used) - 1)
    chosen = np.empty(order.size, np.int64)
    chosen[order] = options[whose, order]
    return chosen


def _repaired(sets: Bool, price: Float64, wanted: Int64, chosen: Int64) -> Int64:
    """Tell or withhold single values, where that costs least, until there are as many of each attribute as wanted."""
    m, everyone = sets.shape[1], np.arange(price.shape[0])
    code = sets @ (1 << np.arange(m))
    place = np.argsort(code)
    for j in range(m):
        disclosed = sets[chosen, j]
        lacking = int(wanted[j] - disclosed.sum())
        other = place[code[chosen] ^ (1 << j)]
        dearer = price[everyone, other] - price[everyone, chosen]
        able = np.flatnonzero(np.isfinite(dearer) & (disclosed == (lacking < 0)))
        taken = able[np.argsort(dearer[able], kind="stable")[: abs(lacking)]]
        chosen[taken] = other[taken]
    return chosen
