"""Holders of keys: the people with a row of each key, and summaries of risks that belong to keys."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unmask.arrays import Bool, Float64, Int32, order_of
from unmask.estimate import Source
from unmask.population.attackers import RiskOfPeople, summed
from unmask.population.keys import Keys


@dataclass(frozen=True, slots=True, eq=False)
class KeyHolders:
    """The people of a sample by their keys; where each has one row, the people of a key are counted together."""

    keys: Keys
    n: int  # people
    rows: tuple[Int32, Int32] | None  # the key and the person of each row, (rows,); None: a row each, in their order

    def largest(self, of_key: Float64) -> Float64:
        """Return the largest value of each person's keys, (people,)."""
        if self.rows is None:
            return of_key[self.keys.number[self.keys.number >= 0]]
        number, person = self.rows
        if self.n == person.size:  # a row each
            return of_key[number[order_of(person)]]
        result = np.zeros(self.n)
        np.maximum.at(result, person, of_key[number])
        return result

    def summary(self, risk: Float64, source: Source = "exact", why: str = "") -> RiskOfPeople:
        """Summarize the risks of people from those of keys, (keys,): a person's is that of the riskiest row."""
        if self.rows is None:
            return summed(risk, source, why, people=self.keys.people)
        return summed(self.largest(risk), source, why)

    def count(self, which: Bool) -> float:
        """Count the people with a row of some of the keys, (keys,): a person with one unique row is unique."""
        if self.rows is None:
            return float(self.keys.people[which].sum())
        number, person = self.rows
        return float(np.count_nonzero(np.bincount(person[which[number]], minlength=self.n)))
