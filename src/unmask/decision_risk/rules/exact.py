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
from unmask.errors import InvalidInputError
from unmask.number_format import numeral
from unmask.runtime.cost import require_time
from unmask.wording import counted, message

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
            msg = message(
                "attributes must be at most {most} for a search among {sets} sets; got {m}. Leave some out, or "
                "take the rule min-risk",
                most=MOST,
                sets=numeral(comb(m, self.k)),
                m=m,
            )
            raise InvalidInputError(msg)
        require_time(
            message(
                "searching {sets} sets of attributes for {rows} different rows",
                sets=numeral(comb(m, self.k), ".0e"),
                rows=numeral(consistency.n_records),
            ),
            seconds(consistency, self.effort),
            message("Name fewer quasi-identifiers, take a part of the rows, or the rule min-risk"),
        )
        chosen, gap = best_first(consistency, sensitivity, self.k, self.effort, wanted)
        open_ = int((gap > 0).sum())
        if open_:
            could = LowerBound.of_records(risk(consistency, sensitivity, chosen), gap).gap
            notes += (
                counted(
                    "{n} record may do better: the search ended after {sets} sets, and the risk may be {gap} lower at "
                    "most",
                    "{n} records may do better: the search ended after {sets} sets, and the risk may be {gap} lower at "
                    "most",
                    open_,
                    n=numeral(open_),
                    sets=numeral(self.effort),
                    gap=numeral(could, ".3g"),
                ),
            )
        return DisclosureRule(chosen, gap, notes)
