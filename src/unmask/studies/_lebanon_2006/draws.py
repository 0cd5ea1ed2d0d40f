"""Random draws of one run: disclosed records, order of people in dictionaries, and weights of values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from unmask.arrays import Bool, Float64, Int64
from unmask.decision_risk.comparisons.similar import Similar
from unmask.decision_risk.consistency import Consistency
from unmask.decision_risk.dictionary import Dictionary
from unmask.decision_risk.rules.random import Random
from unmask.decision_risk.sensitivity import Sensitivity
from unmask.runtime.streams import stream
from unmask.table import Table

FORMS: Mapping[str, tuple[str, Callable[[Float64], Sensitivity]]] = {
    "phi3": ("Φ3", Sensitivity.phi3),
    "phi5": ("Φ5", Sensitivity.phi5),
}
"""Combinations of weights: sum, or product."""


@dataclass(frozen=True, eq=False)
class DrawnRecords:
    """Records, weights and rules of one run, and the order of people in dictionaries: the records' people first."""

    population: Table
    order: Int64  # (people,)
    n_records: int
    weight: Float64  # (records, attributes) uniform from 0 to 1
    random: Mapping[int, Bool]  # k → a disclosure of k values of each record
    threshold: float  # least similarity of matching values
    rng: np.random.Generator  # for further draws

    @classmethod
    def of(
        cls, population: Table, n_records: int, ks: tuple[int, ...], threshold: float, seed: int, *names: str
    ) -> DrawnRecords:
        """Return the draws of one run."""
        rng = stream(seed, "lebanon-2006", *names)
        order = rng.permutation(population.n_rows)
        weight = rng.random((n_records, len(population.schema.names)))
        first = cls(population, order, n_records, weight, {}, threshold, rng)
        whole = first.against(first.dictionary(n_records))
        random = {k: Random(k).choose(whole, rng).disclosed for k in ks}
        return cls(population, order, n_records, weight, random, threshold, rng)

    @property
    def people(self) -> tuple[str, ...]:
        """The identity of each record, (records,)."""
        return tuple(str(one) for one in self.order[: self.n_records])

    def sensitivity(self, form: str) -> Sensitivity:
        """Return the sensitivity of disclosures in a form."""
        return FORMS[form][1](self.weight)

    def dictionary(self, n: int) -> Dictionary:
        """Return the dictionary of the first n people: dictionaries are nested, and each has the records' people."""
        return self.of_people(self.order[:n], f"{n:,} people")

    def of_people(self, rows: Int64, name: str) -> Dictionary:
        """Return a dictionary of some people, each named."""
        return Dictionary(name, self.population.take(rows), tuple(str(one) for one in rows))

    def against(self, dictionary: Dictionary) -> Consistency:
        """Return the matches of the records with a dictionary, attribute by attribute."""
        how = {name: Similar(self.threshold) for name in self.population.schema.names}
        records = self.population.take(self.order[: self.n_records])
        return Consistency.of(records, dictionary, how, identities=self.people)
