"""Generalization rule: the hierarchy level of each value with the least loss, for a required benefit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.arrays import Float64, Int64, frozen
from unmask.decision_risk.disclosure_risk import losses
from unmask.decision_risk.hierarchy_levels import Ladder
from unmask.decision_risk.sensitivity import Sensitivity
from unmask.decision_risk.subsets import blocks, chances
from unmask.errors import InvalidInputError
from unmask.number_format import numeral
from unmask.runtime import work
from unmask.wording import counted, message


@dataclass(frozen=True, slots=True, eq=False)
class ChosenLevels:
    """The chosen level of each value; one beyond the last is suppression."""

    level: Int64  # (records, attributes)
    loss: Float64  # (records,)
    benefit: Float64  # (records,) benefit of each record, in exact values
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "level", frozen(self.level, np.int64))

    @property
    def value(self) -> float:
        """The risk: the average loss."""
        return float(self.loss.mean()) if self.loss.size else 0.0


@dataclass(frozen=True)
class Generalization:
    """Disclose each value at the hierarchy level of least loss, with a required benefit for each record.

    Suppression discloses a value or nothing. An age in steps of ten years keeps much of the benefit and matches many
    entries, so intermediate levels give the same benefit at less risk.

    Assumes
        The attacker has this dictionary and the hierarchies. Benefit and weight of a level are a share of those of the
        exact value; a joint weight of attributes is multiplied by the least share among them.
    Promises
        The least risk over all combinations of levels whose shares add up to at least `benefit`, for each record.
        Exact: all combinations are tried; among equals the one with the finest levels of the first attributes.
    Fails
        A record with too few values discloses all of them, and is counted in a note. With `InvalidInputError` for more
        than `most` combinations, and for a benefit that is negative or above the number of attributes.

    References
    ----------
    Lebanon, Scannapieco, Fouad, Bertino. Beyond k-anonymity: a decision theoretic framework for assessing privacy
    risk. Privacy in Statistical Databases 2006, section 4: "straightforward to extend".
    """

    name: ClassVar[str] = "generalization"
    benefit: float = 1.0  # whole values
    most: int = 10_000  # most combinations of one level of each attribute

    def choose(self, ladder: Ladder, sensitivity: Sensitivity) -> ChosenLevels:
        """Choose a level of each value."""
        m, n = len(ladder.names), ladder.consistency.n_records
        if not 0 <= self.benefit <= m:
            msg = message(
                "benefit must be at least 0 and at most the number of attributes, {m}; got {benefit}",
                m=m,
                benefit=self.benefit,
            )
            raise InvalidInputError(msg)
        if ladder.n_ways > self.most:
            msg = message(
                "ways to take one level of each attribute must be at most {most}; got {n_ways}. Take fewer "
                "levels or attributes",
                most=numeral(self.most),
                n_ways=numeral(ladder.n_ways),
            )
            raise InvalidInputError(msg)
        sets, weighted = ladder.sets(), ladder.weighed(sensitivity)
        worth = sets.astype(np.float64) @ ladder.share
        blocked = ~ladder.reachable
        levels = np.array([ladder.level[one] for one in sets])
        level, loss, short = np.zeros((n, m), np.int64), np.zeros(n), 0
        benefit = np.zeros(n)
        with work.step(message("trying all levels"), n) as step:
            for records in blocks([ladder.consistency], sets):
                count, chance = chances(ladder.consistency, sets, records)
                each = losses(weighted.of_subsets(sets, records), count, chance, sensitivity.wrong)
                lacking = blocked[records].astype(np.float64) @ sets.T.astype(np.float64) > 0
                most = np.where(lacking, -1.0, worth).max(axis=1)
                short += int((most < self.benefit - 1e-9).sum())
                barred = lacking | (worth < np.minimum(most, self.benefit)[:, None] - 1e-9)
                best = np.argmin(np.where(barred, np.inf, np.minimum(each, np.finfo(np.float64).max)), axis=1)
                level[records], benefit[records] = levels[best], worth[best]
                loss[records] = each[np.arange(best.size), best]
                step.advance(best.size)
        few = counted(
            "{n} record has too few values: all are disclosed",
            "{n} records have too few values: all are disclosed",
            short,
            n=numeral(short),
        )
        return ChosenLevels(level, loss, benefit, (few,) if short else ())
