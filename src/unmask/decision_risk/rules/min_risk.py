"""MinRisk rule: the k attributes of least loss, if attributes are independent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from unmask.decision_risk.consistency import Consistency
from unmask.decision_risk.disclosure_risk import require_shape
from unmask.decision_risk.rule import DisclosureRule, must, shortness, smallest
from unmask.decision_risk.sensitivity import Sensitivity
from unmask.number_format import numeral
from unmask.wording import message


@dataclass(frozen=True)
class MinRisk:
    """Disclose the k attributes of each record with the least weight and the most frequent values.

    If the attributes of the dictionary are independent, the loss is a product with one factor for each disclosed
    attribute: e^w divided by the share of entries with the value. The k smallest factors are then optimal, and no sets
    need be tried.

    Assumes
        Attributes are independent in the dictionary, and the sensitivity is multiplicative (Φ5). Neither is checked:
        compare with `Exact`. Joint weights of attributes are ignored.
    Promises
        γ_j = w_j − log α_j, with α_j the share of entries that match in attribute j; the k smallest, among equals
        the first attribute. One pass over values: O(N m + n m).
    Fails
        A record with fewer than k values discloses all of them. A value without a matching entry, α_j = 0, is chosen
        last (`absent="cautious"`), although its loss against this dictionary is 0: `absent="free"` chooses it first.
        With `InvalidInputError` for k above the number of attributes.

    References
    ----------
    Lebanon, Scannapieco, Fouad, Bertino. Beyond k-anonymity: a decision theoretic framework for assessing privacy
    risk. Privacy in Statistical Databases 2006, algorithm 1. Its step (ii) returns k − 1 elements, or fewer at ties.
    """

    name: ClassVar[str] = "min-risk"
    k: int = 1
    absent: Literal["cautious", "free"] = "cautious"
    always: tuple[str, ...] = ()  # always disclosed attributes, among the k

    def choose(self, consistency: Consistency, sensitivity: Sensitivity) -> DisclosureRule:
        """Choose k attributes of each record."""
        wanted = must(self.always, self.k, consistency)
        require_shape(consistency, sensitivity)
        share, available = consistency.shares(), consistency.available
        absent = (share == 0) & available
        cost = sensitivity.weight - np.log(np.where(share > 0, share, 1.0))
        cost[absent] = np.inf if self.absent == "cautious" else -np.inf
        cost[:, wanted] = -np.inf
        if self.absent == "free" and wanted.any():
            cost[absent & ~wanted] = np.finfo(np.float64).min  # after always disclosed attributes, before all others
        notes = list(shortness(available, self.k))
        if absent.any():
            n = numeral(int(absent.sum()))
            first = message("{n} values are nowhere in the dictionary: chosen first, since they match no entry", n=n)
            last = message("{n} values are nowhere in the dictionary: chosen last, although they match no entry", n=n)
            notes.append(last if self.absent == "cautious" else first)
        if not sensitivity.is_product:
            notes.append(
                message("the sensitivity is no product of single attributes: even independence does not make it best")
            )
        return DisclosureRule(smallest(cost, available, self.k), None, tuple(notes))
