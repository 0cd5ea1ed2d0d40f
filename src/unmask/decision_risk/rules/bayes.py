"""Bayes rule: the k attributes of least expected loss under a prior over dictionaries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import ClassVar

import numpy as np

from unmask.decision_risk.consistency import Consistency, same_records
from unmask.decision_risk.disclosure_risk import prior_of
from unmask.decision_risk.rule import DisclosureRule, must, shortness, too_many_sets
from unmask.decision_risk.rules._least_loss import least
from unmask.decision_risk.sensitivity import Sensitivity


@dataclass(frozen=True)
class Bayes:
    """Disclose the k attributes of each record with the least expected loss under a prior over dictionaries.

    The expected loss of a disclosure is a sum over records, so the best set of each record is optimal.

    Assumes
        A probability for each dictionary. One of probability 0 contributes 0, even if its risk is infinite.
    Promises
        The least of Σ_t p_t Σ_i l(δ(x_i), θ_t) over all rules that disclose k values of each record. Exact: all sets
        are tried; among equals the first attributes.
    Fails
        With `InvalidInputError` where there are more than `most` sets, for k above the number of attributes, and for
        probabilities that are none. Where a record has fewer than k values, all are disclosed.

    References
    ----------
    Lebanon, Scannapieco, Fouad, Bertino. Beyond k-anonymity: a decision theoretic framework for assessing privacy
    risk. Privacy in Statistical Databases 2006, equation 2.
    """

    name: ClassVar[str] = "bayes"
    k: int = 1
    most: int = 10_000  # sets of attributes
    always: tuple[str, ...] = ()  # always disclosed attributes, among the k

    def choose(
        self, parts: Sequence[Consistency], probability: Sequence[float], sensitivity: Sensitivity
    ) -> DisclosureRule:
        """Choose k attributes of each record, compared with each dictionary."""
        same_records(parts)
        wanted = must(self.always, self.k, parts[0])
        prior = prior_of(probability, len(parts))
        if comb(len(parts[0].names), self.k) > self.most:
            raise too_many_sets(self.k, len(parts[0].names), self.most)
        chosen = least(parts, prior, sensitivity, self.k, wanted)
        return DisclosureRule(chosen, np.zeros(chosen.shape[0]), shortness(parts[0].available, self.k))
