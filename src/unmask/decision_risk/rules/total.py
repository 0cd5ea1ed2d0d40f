"""Total rule: k values of all records together, allocated for the least risk."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import ClassVar

import numpy as np

from unmask.arrays import Bool, Float64, Int64
from unmask.decision_risk.consistency import Consistency
from unmask.decision_risk.disclosure_risk import require_shape, risk
from unmask.decision_risk.rule import BoundedRule, DisclosureRule
from unmask.decision_risk.rules._least_loss import least
from unmask.decision_risk.sensitivity import Sensitivity
from unmask.errors import InvalidInputError
from unmask.number_format import numeral
from unmask.runtime import work
from unmask.wording import message

NEVER = 1e290
"""Substitute of an infinite loss in sums: as many of these as there are records are still finite."""


@dataclass(frozen=True)
class Total:
    """Disclose k values in all, more of records with a low identification probability and fewer of the others.

    The benefit of a table may depend on its number of values only. The set of least loss is found for each record and
    size, and sizes are then allocated: a multiple-choice knapsack problem with one size for each record.

    Assumes
        The attacker has this dictionary.
    Promises
        The least risk over all rules that disclose `k` values in all (Δ1 of the paper), exactly, where k × records is
        at most `cells`. Beyond, values are allocated greedily at the lowest price each, and the risk exceeds the bound
        by at most the loss of one record.
    Fails
        With `InvalidInputError` where there are fewer values than k, and for so many attributes that there are more
        than `most` sets of one size.

    References
    ----------
    Lebanon, Scannapieco, Fouad, Bertino. Beyond k-anonymity: a decision theoretic framework for assessing privacy
    risk. Privacy in Statistical Databases 2006, section 3. Everett. Generalized Lagrange multiplier method. Operations
    Research 1963.
    """

    name: ClassVar[str] = "total"
    k: int = 1  # values of all records together
    most: int = 10_000  # sets of one size
    cells: int = 1 << 27

    def choose(self, consistency: Consistency, sensitivity: Sensitivity) -> BoundedRule:
        """Choose k values of all records."""
        require_shape(consistency, sensitivity)
        there, m = int(consistency.available.sum()), len(consistency.names)
        if not 0 <= self.k <= there:
            msg = message(
                "k must be at least 0 and at most the number of values of all records, {there}; got {k}",
                there=numeral(there),
                k=numeral(self.k),
            )
            raise InvalidInputError(msg)
        if comb(m, m // 2) > self.most:
            msg = message(
                "sets of one size must be at most {most}; {m} attributes have more. Leave some of them out",
                most=numeral(self.most),
                m=m,
            )
            raise InvalidInputError(msg)
        cost, sets = _curves(consistency, sensitivity)
        if self.k * cost.shape[0] <= self.cells:
            size, bound = _shared_out(cost, self.k), None
        else:
            size, bound = _cheapest(cost, self.k)
        disclosed = sets[size, np.arange(size.size)]
        value = risk(consistency, sensitivity, disclosed).value
        lowest = value if bound is None else min(value, bound / max(cost.shape[0], 1))
        notes = (
            ()
            if lowest >= value * (1 - 1e-9)
            else (
                message(
                    "a rule may have a risk of {bound}; this has {risk}",
                    bound=numeral(lowest, ".6g"),
                    risk=numeral(value, ".6g"),
                ),
            )
        )
        return BoundedRule(DisclosureRule(disclosed, None, notes), value, lowest)


def _curves(consistency: Consistency, sensitivity: Sensitivity) -> tuple[Float64, Bool]:
    """Return the least loss of each record by the number of its values, (records, sizes), and the sets, by size."""
    available = consistency.available.sum(axis=1)
    costs, sets = [], []
    for size in range(len(consistency.names) + 1):
        chosen = least([consistency], np.ones(1), sensitivity, size)
        loss = np.minimum(risk(consistency, sensitivity, chosen).loss, NEVER)
        costs.append(np.where(available >= size, loss, np.inf))
        sets.append(chosen)
    return np.stack(costs, axis=1), np.stack(sets)


def _shared_out(cost: Float64, k: int) -> Int64:
    """Return the size of each record, (records,), of least total cost among those that add up to k."""
    n, n_sizes = cost.shape
    total = np.full(k + 1, np.inf)
    total[0] = 0.0
    taken = np.zeros((n, k + 1), np.uint8)
    with work.step(message("sharing out values"), n) as step:
        for i in range(n):
            better = np.full(k + 1, np.inf)
            for size in range(min(n_sizes, k + 1)):
                each = total[: k + 1 - size] + cost[i, size]
                wins = each < better[size:]
                better[size:][wins] = each[wins]
                taken[i, size:][wins] = size
            total = better
            step.advance()
    sizes, left = np.zeros(n, np.int64), k
    for i in range(n - 1, -1, -1):
        sizes[i] = taken[i, left]
        left -= int(sizes[i])
    return sizes


def _cheapest(cost: Float64, k: int) -> tuple[Int64, float]:
    """Allocate values greedily at the lowest price each; return sizes, and a bound on the total cost.

    Steps are those of the lower convex hull of each record's costs; only the last one may be incomplete.
    """
    prices, lengths, owners = [], [], []
    for i, curve in enumerate(cost):
        at, last = 0, int(np.isfinite(curve).sum()) - 1
        while at < last:
            price = (curve[at + 1 : last + 1] - curve[at]) / np.arange(1, last - at + 1)
            length = int(last - at - np.argmin(price[::-1]))  # the longest of the cheapest
            prices.append(price[length - 1])
            lengths.append(length)
            owners.append(i)
            at += length
    order = np.argsort(np.array(prices, np.float64), kind="stable")  # prices of one record rise: they stay in order
    each, who = np.array(lengths, np.int64)[order], np.array(owners, np.int64)[order]
    reached = np.cumsum(each)
    whole = int(np.searchsorted(reached, k, "right"))
    sizes = np.bincount(np.repeat(who[:whole], each[:whole]), minlength=cost.shape[0])
    paid = np.array(prices, np.float64)[order]
    bound = float(cost[:, 0].sum() + (paid * each)[:whole].sum())
    left = k - (int(reached[whole - 1]) if whole else 0)
    if left:
        sizes[who[whole]] += left
        bound += left * float(paid[whole])
    return sizes, bound
