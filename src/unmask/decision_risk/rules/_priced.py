"""Allocation of values to records by attribute prices (Lagrange multipliers), for many records."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from unmask.arrays import Bool, Float64, Int64
from unmask.runtime import work
from unmask.wording import message

CLOSE = 1e-5
"""Relative gap between bound and mixture at which the iteration ends."""

ROUNDS = 400

WIDER = 8.0
"""Factor of the price limit if prices reach it."""

GOLDEN = 0.6180339887498949
"""Golden ratio: the fractional parts of its multiples are evenly spread."""


def priced(sets: Bool, price: Float64, wanted: Int64) -> tuple[Int64, float]:
    """Return the set of each record, (records,), so that `wanted` values of each attribute are disclosed, and a bound.

    Each attribute has a price that is paid for disclosing it, and every record takes the set of least loss,
    (records, sets), minus its prices; infinite losses are not allowed. For any prices, the minimal total plus the
    prices of the wanted values bounds the optimum from below (Lagrangian dual); cutting planes maximize this bound.
    They also give a mixture of a few answers with the right numbers of values; records with several answers take
    turns. Remaining differences are repaired where that costs least.
    """
    n, m = price.shape[0], sets.shape[1]
    member = sets.astype(np.float64)
    limit, best, paid = 2.0, -np.inf, np.zeros(m)
    answers: list[Int64] = []
    cost: list[float] = []
    slope: list[Float64] = []
    share = np.ones(1)
    with work.step(message("pricing attributes")) as step:
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
    """Return the prices that maximize the bound under the cuts so far, that maximum, and the shares of answers."""
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
    """Choose one answer for each record, (records,), by their shares among records with the same answers."""
    used = np.flatnonzero(share > 1e-9).tolist()
    options = np.stack([answers[r] for r in used])
    until = np.cumsum(share[used]) / share[used].sum()
    order = np.lexsort(options)
    whose = np.searchsorted(until, np.arange(order.size) * GOLDEN % 1.0, "right").clip(max=len(used) - 1)
    chosen = np.empty(order.size, np.int64)
    chosen[order] = options[whose, order]
    return chosen


def _repaired(sets: Bool, price: Float64, wanted: Int64, chosen: Int64) -> Int64:
    """Disclose or withhold single values, where that costs least, until each attribute has the wanted number."""
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
