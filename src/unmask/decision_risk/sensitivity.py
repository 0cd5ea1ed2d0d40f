"""Sensitivity: the harm of identifying the person of a disclosed record."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unmask.arrays import Bool, Float64, frozen
from unmask.decision_risk.comparison import DistinctValues
from unmask.decision_risk.dictionary import require_one_each
from unmask.decision_risk.harm_weights import Form, Weights
from unmask.errors import InvalidInputError
from unmask.number_format import numeral
from unmask.table import Table
from unmask.wording import message


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """The harm of identification, by disclosed values.

    Harms of single values add up or, in the multiplicative form, multiply: many harmless values then do not offset a
    very private one. An infinite weight ("never") allows a value only in disclosures that match no entry.

    Measures
        Φ(y) = constant + Σ w_j over disclosed j + Σ w_T over completely disclosed sets T; in the multiplicative form
        constant + exp(that sum), so disclosing nothing costs 1. `wrong` is the harm of a wrong identification.
    Fails
        With `InvalidInputError` for weights that are negative or no number, or of another shape.

    References
    ----------
    Lebanon, Scannapieco, Fouad, Bertino. Beyond k-anonymity: a decision theoretic framework for assessing privacy
    risk. Privacy in Statistical Databases 2006, appendix.
    """

    weight: Float64  # (records, attributes)
    sets: Bool | None = None  # (sets, attributes) attributes with a joint weight
    set_weight: Float64 | None = None  # (records, sets)
    form: Form = "additive"
    constant: float = 0.0
    wrong: float = 0.0
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        n, m = self.weight.shape
        sets = np.zeros((0, m), bool) if self.sets is None else self.sets
        set_weight = np.zeros((n, 0)) if self.set_weight is None else self.set_weight
        if sets.shape[1:] != (m,) or set_weight.shape != (n, sets.shape[0]):
            msg = message(
                "weights of sets must be records × sets, and sets × {m} attributes; got {shape}",
                m=m,
                shape=set_weight.shape,
            )
            raise InvalidInputError(msg)
        for array in (self.weight, set_weight, np.array([self.constant, self.wrong])):
            wrong = int((~(array >= 0)).sum())
            if wrong:
                msg = message(
                    "weights must be numbers of at least 0, or infinity; {wrong} are not. Correct them",
                    wrong=numeral(wrong),
                )
                raise InvalidInputError(msg)
        object.__setattr__(self, "weight", frozen(self.weight, np.float64))
        object.__setattr__(self, "sets", frozen(sets, bool))
        object.__setattr__(self, "set_weight", frozen(set_weight, np.float64))

    @classmethod
    def phi1(cls, by_attribute: NDArray[Any], n: int) -> Sensitivity:
        """Add up weights of attributes, (attributes,), the same for all `n` records."""
        return cls(np.tile(np.asarray(by_attribute, np.float64), (n, 1)))

    @classmethod
    def phi2(cls, by_record: NDArray[Any], m: int) -> Sensitivity:
        """Add up one weight a record, (records,), for each of `m` attributes that is disclosed."""
        return cls(np.tile(np.asarray(by_record, np.float64)[:, None], (1, m)))

    @classmethod
    def phi3(cls, weight: NDArray[Any]) -> Sensitivity:
        """Add up weights of attributes and records, (records, attributes)."""
        return cls(np.asarray(weight, np.float64))

    @classmethod
    def phi4(cls, weight: NDArray[Any], pairs: NDArray[Any]) -> Sensitivity:
        """Add up weights of attributes, and of pairs, (records, pairs), in the order (0, 1), (0, 2), …, (1, 2), …."""
        m = weight.shape[1]
        sets = np.array([[j in pair for j in range(m)] for pair in combinations(range(m), 2)], bool).reshape(-1, m)
        return cls(np.asarray(weight, np.float64), sets, np.asarray(pairs, np.float64))

    @classmethod
    def phi5(cls, weight: NDArray[Any]) -> Sensitivity:
        """Multiply e to the power of each weight, (records, attributes)."""
        return cls(np.asarray(weight, np.float64), form="multiplicative")

    @classmethod
    def same(cls, c: float, shape: tuple[int, int]) -> Sensitivity:
        """Return a constant harm `c`: the implicit assumption of k-anonymity."""
        return cls(np.zeros(shape), constant=c)

    @classmethod
    def of(cls, weights: Weights, records: Table, identities: tuple[str, ...] | None = None) -> Sensitivity:
        """Give the values of records their weights; `identities` names the person of each record, (records,).

        Fails
            With `InvalidInputError` for an attribute that the records do not have, for one without a weight, and for
            weights of people without identities.
        """
        return weighed(weights, records, identities)

    def of_rule(self, disclosed: Bool) -> Float64:
        """Return Φ of each record, (records,), for disclosed attributes, (records, attributes)."""
        total = np.where(disclosed, self.weight, 0.0).sum(axis=1)
        for t, members in enumerate(self._sets):
            total = total + np.where(disclosed[:, members].all(axis=1), self._set_weight[:, t], 0.0)
        return self.formed(total)

    def of_subsets(self, subsets: Bool, records: slice) -> Float64:
        """Return Φ of some records for sets of disclosed attributes, (sets, attributes): (records, sets)."""
        return self.formed(self.sums(subsets, records))

    def sums(self, subsets: Bool, records: slice) -> Float64:
        """Return the weights added up, before the form is applied, (records, sets)."""
        held = (self._sets.astype(np.int64) @ ~subsets.T) == 0 if len(self._sets) else None
        total = _added(self.weight[records], subsets.T)
        return total if held is None else total + _added(self._set_weight[records], held)

    @property
    def is_product(self) -> bool:
        """Whether Φ is a product over single attributes, as MinRisk assumes."""
        return self.form == "multiplicative" and not self.constant and not len(self._sets)

    @property
    def _sets(self) -> Bool:
        return np.zeros((0, self.weight.shape[1]), bool) if self.sets is None else self.sets

    @property
    def _set_weight(self) -> Float64:
        return np.zeros((self.weight.shape[0], 0)) if self.set_weight is None else self.set_weight

    def formed(self, total: Float64) -> Float64:
        """Return Φ from weights that are added up."""
        if self.form == "additive":
            return self.constant + total
        with np.errstate(over="ignore"):  # beyond e^709 it is infinite
            return self.constant + np.exp(total)


def _times(a: Float64, b: Float64) -> Float64:
    """Multiply; 0 × infinity is 0."""
    a, b = np.broadcast_arrays(a, b)
    return np.multiply(a, b, out=np.zeros(a.shape), where=(a != 0) & (b != 0))


def _added(weight: Float64, chosen: Bool) -> Float64:
    """Add up the chosen weights, (records, sets), of which some are infinite: a matrix product without 0 · ∞."""
    never = np.isinf(weight)
    total = np.where(never, 0.0, weight) @ chosen.astype(np.float64)
    if never.any():
        total[(never.astype(np.float64) @ chosen.astype(np.float64)) > 0] = np.inf
    return total


def weighed(weights: Weights, records: Table, identities: tuple[str, ...] | None) -> Sensitivity:
    """Assign the publisher's weights to the values of records."""
    names, n = records.schema.names, records.n_rows
    for name in weights.named:
        if name not in names:
            raise InvalidInputError.unknown_name(message("attribute that has a weight"), name, names)
    lacking = [one for one in names if one not in weights.attributes] if weights.default is None else []
    if lacking:
        msg = message(
            "every attribute must have a weight; {lacking} have none. Add them, or a default",
            lacking=", ".join(lacking),
        )
        raise InvalidInputError(msg)
    if (weights.factors or weights.people) and identities is None:
        msg = message(
            "weights of people must come with records that name people; none is named. Name the column of identities"
        )
        raise InvalidInputError(msg)
    require_one_each(identities, n)
    people = identities or ()
    factor = np.array([weights.factors.get(person, 1.0) for person in people]) if people else np.ones(n)
    weight = np.zeros((n, len(names)))
    notes = []
    for j, name in enumerate(names):
        values, number = DistinctValues.of(records, name)
        base, special = weights.attributes.get(name, weights.default or 0.0), weights.values.get(name, {})
        each = np.array([*(special.get(label, base) for label in values.labels), base, base])
        weight[:, j] = _times(each[number], factor)
        unused = len(special.keys() - set(values.labels))
        note = message("{n} values of {name} have a weight, and no record has them", n=unused, name=name)
        notes += [note] if unused else []
    if weights.people:
        place = {name: j for j, name in enumerate(names)}
        for i, person in enumerate(people):
            for name, own in weights.people.get(person, {}).items():
                weight[i, place[name]] = own
    unknown = len((weights.factors.keys() | weights.people.keys()) - set(people))
    notes += [message("{n} people have weights of their own, and no record", n=unknown)] if unknown else []
    sets = np.array([[name in one.attributes for name in names] for one in weights.together], bool)
    together = np.array([one.weight for one in weights.together])
    return Sensitivity(
        weight,
        sets.reshape(-1, len(names)),
        _times(together[None, :], factor[:, None]),
        weights.form,
        weights.constant,
        weights.wrong,
        tuple(notes),
    )
