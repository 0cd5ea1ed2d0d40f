"""Per-attribute rule: k values of each attribute, of the records with the least loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.optimize import Bounds, LinearConstraint
from scipy.sparse import coo_array, vstack

from unmask.arrays import Bool, Float64, Int64
from unmask.decision_risk.consistency import Consistency
from unmask.decision_risk.disclosure_risk import require_shape, risk
from unmask.decision_risk.rule import BoundedRule, DisclosureRule
from unmask.decision_risk.rules._least_loss import loss_tables
from unmask.decision_risk.rules._mixed_integer import solved
from unmask.decision_risk.rules._priced import priced
from unmask.decision_risk.sensitivity import Sensitivity
from unmask.errors import InvalidInputError
from unmask.number_format import numeral
from unmask.runtime import work
from unmask.wording import message

NODES = 100_000
"""Node limit of the program: no time limit, so the result is the same on every machine."""

CLOSE = 1e-6

CELLS = 1 << 26
"""Most losses in memory: half a GiB."""


@dataclass(frozen=True)
class PerAttribute:
    """Disclose k values of each attribute, of the records with the least loss.

    Statistics of single columns depend on the number of values, not on whose they are. A value's loss depends on the
    other values of its record, so columns cannot be optimized separately: each record takes one set of attributes, and
    the sets of all records must add up to k of each attribute. The linear relaxation already settles nearly all
    records, so the mixed-integer program is tractable.

    Assumes
        The attacker has this dictionary.
    Promises
        The least risk over all rules that disclose `k` values of each attribute (Δ3 of the paper), to one part in a
        million, by mixed-integer programming, where records × sets are at most `variables`; where that ends early, or
        there are more, the best rule found, beside the bound. With more, attributes have prices, and each record takes
        the set that costs it least; a few are then moved, so that the numbers of values are right.
    Fails
        Of an attribute with fewer than k values, all are disclosed. If a value with infinite weight must be disclosed,
        the risk is infinite. With `InvalidInputError` for k above the number of records, and if records × sets exceed
        some 67 million.

    References
    ----------
    Lebanon, Scannapieco, Fouad, Bertino. Beyond k-anonymity: a decision theoretic framework for assessing privacy
    risk. Privacy in Statistical Databases 2006, section 3. Everett. Generalized Lagrange multiplier method. Operations
    Research 1963.
    """

    name: ClassVar[str] = "per-attribute"
    k: int = 1  # values of each attribute
    variables: int = 20_000  # of a mixed-integer program: records × sets of attributes

    def choose(self, consistency: Consistency, sensitivity: Sensitivity) -> BoundedRule:
        """Choose k values of each attribute."""
        require_shape(consistency, sensitivity)
        n, m = consistency.ours.shape
        if not 0 <= self.k <= n:
            msg = message(
                "k must be at least 0 and at most the number of records, {n}; got {k}", n=numeral(n), k=numeral(self.k)
            )
            raise InvalidInputError(msg)
        if n * 2**m > CELLS:
            msg = message(
                "records × sets of attributes must be at most {cells}; got {n} × {m}. Take a sample of the "
                "records, or fewer attributes",
                cells=numeral(CELLS),
                n=numeral(n),
                m=numeral(2**m),
            )
            raise InvalidInputError(msg)
        wanted = np.minimum(consistency.available.sum(axis=0), self.k)
        sets, loss = _table(consistency, sensitivity)
        with work.step(message("choosing values of each attribute")):
            if loss.size <= self.variables:
                chosen, bound = _solved(sets, loss, wanted)
            else:
                chosen, bound = _by_prices(sets, loss, wanted)
        value = risk(consistency, sensitivity, sets[chosen]).value
        lowest = min(value, bound / max(n, 1))
        short = [name for name, count in zip(consistency.names, wanted, strict=True) if count < self.k]
        few = message(
            "fewer than {k} values are there of {attributes}: all are disclosed",
            k=numeral(self.k),
            attributes=", ".join(short),
        )
        notes = [few] if short else []
        if lowest < value * (1 - 10 * CLOSE):
            notes.append(
                message(
                    "a rule may have a risk of {bound}; this one has {risk}",
                    bound=numeral(lowest, ".6g"),
                    risk=numeral(value, ".6g"),
                )
            )
        return BoundedRule(DisclosureRule(sets[chosen], None, tuple(notes)), value, lowest)


def _table(consistency: Consistency, sensitivity: Sensitivity) -> tuple[Bool, Float64]:
    """Return all sets of attributes, and their losses for each record, (records, sets); NaN if a value is missing."""
    sets, losses = [], []
    for size in range(len(consistency.names) + 1):
        tables = list(loss_tables([consistency], sensitivity, size))
        sets.append(tables[0].sets)
        losses.append(np.concatenate([np.where(one.lacking, np.nan, one.loss[0]) for one in tables]))
    return np.concatenate(sets), np.concatenate(losses, axis=1)


def _by_prices(sets: Bool, loss: Float64, wanted: Int64) -> tuple[Int64, float]:
    """Return the set of each record, (records,), by prices of attributes, and a bound on the total loss.

    An infinite loss is replaced by one above every finite total: a bound above it proves that it is unavoidable.
    """
    n = loss.shape[0]
    scale = float(loss[np.isfinite(loss)].max(initial=0.0)) or 1.0
    price = np.where(np.isinf(loss), n + 1.0, loss / scale)
    price[np.isnan(loss)] = np.inf
    chosen, bound = priced(sets, price, wanted)
    return chosen, np.inf if bound > n * (1 + CLOSE) else bound * scale


def _solved(sets: Bool, loss: Float64, wanted: Int64) -> tuple[Int64, float]:
    """Return the set of each record, (records,), and a bound on the total loss.

    An infinite loss is replaced by one above all others together, so that it is chosen only if unavoidable.
    """
    n, n_sets = loss.shape
    if not n:
        return np.zeros(0, np.int64), 0.0
    record, column = np.nonzero(~np.isnan(loss))
    cost = loss[record, column]
    finite = cost[np.isfinite(cost)]
    scale = float(finite.max(initial=0.0)) or 1.0
    never = np.isinf(cost)
    price = np.where(never, n + 1.0, cost / scale)
    place = np.arange(price.size)
    one_each = coo_array((np.ones(price.size), (record, place)), (n, price.size))
    member, attribute = np.nonzero(sets[column])
    of_each = coo_array((np.ones(member.size), (attribute, member)), (sets.shape[1], price.size))
    right = np.concatenate([np.ones(n), wanted])
    found = solved(
        price,
        constraints=LinearConstraint(vstack([one_each, of_each]), right, right),
        integrality=np.ones(price.size),
        bounds=Bounds(0, 1),
        options={"node_limit": NODES, "mip_rel_gap": CLOSE},
    )
    if found.x is None:
        msg = message("values of each attribute must be shared out by the solver; it found no way. Take another k")
        raise InvalidInputError(msg)
    taken = np.bincount(record * n_sets + column, found.x, n * n_sets).reshape(n, n_sets)
    chosen = np.argmax(taken, axis=1)
    bound = max(0.0, float(found.mip_dual_bound) * scale) if found.mip_dual_bound is not None else 0.0
    return chosen, np.inf if never[place[found.x > 0.5]].any() else bound
