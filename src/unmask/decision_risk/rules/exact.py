"""Exact rule: the k attributes of least loss, without an independence assumption."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import ClassVar

import numpy as np

from unmask.decision_risk.consistency import Consistency
from unmask.decision_risk.disclosure_risk import require_shape, risk
from unmask.decision_risk.lower_bound import LowerBound
from unmask.decision_risk.rule import DisclosureRule, must, shortness
from unmask.decision_risk.rules._best_first import best_first, seconds
from unmask.decision_risk.rules._least_loss import least
from unmask.decision_risk.sensitivity import Sensitivity
from unmask.decision_risk.words import so_many
from unmask.errors import InvalidInputError
from unmask.runtime.cost import require_time

MOST = 62
"""Most attributes of the best-first search: sets are the bits of a number."""


@dataclass(frozen=True)
class Exact:
    """Disclose the k attributes of each record with the least loss against the dictionary.

    The risk is a sum over records, so the best set of each record is optimal. Attributes may be dependent: a surname
    and a first name that are rare only in combination are distinguished from two rare names.

    Assumes
        The attacker has this dictionary.
    Promises
        The least risk over all rules that disclose k values of each record. With at most `most` sets of attributes all
        are tried. Beyond, sets are searched best first, until no remaining set can be better, or until `effort` sets
        were visited: `gap` is then an upper bound of each record's excess over the least loss.
    Fails
        Where a record has fewer than k values, all are disclosed; losses that are equal go to the first attributes.
        With `InvalidInputError` for k above the number of attributes, and beyond `most` for more than 62 attributes.
        With `ResourceError` where the search would take too long.
    """

    name: ClassVar[str] = "exact"
    k: int = 1
    most: int = 10_000  # most sets of attributes for an exhaustive search
    effort: int = 20_000  # most sets visited for each record, beyond
    always: tuple[str, ...] = ()  # always disclosed attributes, among the k

    def choose(self, consistency: Consistency, sensitivity: Sensitivity) -> DisclosureRule:
        """Choose k attributes of each record."""
        wanted = must(self.always, self.k, consistency)
        require_shape(consistency, sensitivity)
        m, notes = len(consistency.names), shortness(consistency.available, self.k)
        if comb(m, self.k) <= max(self.most, 1):
            chosen = least([consistency], np.ones(1), sensitivity, self.k, wanted)
            return DisclosureRule(chosen, np.zeros(consistency.n_records), notes)
        if m > MOST:
            msg = (
                f"attributes must be at most {MOST} for a search among {comb(m, self.k):,} sets; got {m}. Leave some "
                f"out, or take the rule min-risk"
            )
            raise InvalidInputError(msg)
        require_time(
            f"searching {comb(m, self.k):.0e} sets of attributes for {consistency.n_records:,} different rows",
            seconds(consistency, self.effort),
            "Name fewer quasi-identifiers, take a part of the rows, or the rule min-risk",
        )
        chosen, gap = best_first(consistency, sensitivity, self.k, self.effort, wanted)
        open_ = int((gap > 0).sum())
        if open_:
            could = LowerBound.of_records(risk(consistency, sensitivity, chosen), gap).gap
            ended = f"the search ended after {self.effort:,} sets"
            notes += (f"{so_many(open_)} may do better: {ended}, and the risk may be {could:.3g} lower at most",)
        return DisclosureRule(chosen, gap, notes)
