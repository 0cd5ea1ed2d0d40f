"""SUDA2: special uniques scores from minimal sample uniques, and the contribution of each attribute."""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial

import numpy as np

from unmask.arrays import Float64, Int32, Int64, frozen
from unmask.errors import InvalidInputError
from unmask.population._minimal_uniques import minimal_uniques
from unmask.population.keys import Keys
from unmask.wording import message


@dataclass(frozen=True, slots=True, eq=False)
class SpecialUniques:
    """The minimal sample uniques of a table: people, and sets of attributes that single them out."""

    attributes: tuple[str, ...]
    number: Int32  # (rows,) the key of each row; -1 where a value is missing that must not be
    people: Float64  # (keys,)
    key: Int32  # (minimal sample uniques,)
    bits: Int64  # (minimal sample uniques,) attribute j is in the set where bit j is

    def scores(self) -> Float64:
        """Return the score of each row, (rows,): Σ (M − size)! over its minimal sample uniques; 0 where it has none."""
        return self._of_rows(self.scores_of_keys())

    def scores_of_keys(self) -> Float64:
        """Return the score of each key, (keys,)."""
        return np.bincount(self.key, self._factorials(), self.people.size).astype(np.float64)

    def contribution(self) -> dict[str, float]:
        """Return the share of all scores from sets with each attribute; 0 without uniques."""
        weight = self._factorials()
        total = max(weight.sum(), 1.0)
        return {name: float(weight[h].sum() / total) for name, h in zip(self.attributes, self._holds(), strict=True)}

    def disclosure(self, scores: Float64, share: float = 0.01) -> Float64:
        """Return DIS-SUDA, (rows,): the probability that a match of the row's unique key is correct, given its score.

        Infers
            D = U φ / (U φ + P (1 − φ)), the share of correct unique matches for a sampling `share` φ, with U uniques
            and P people in pairs; distributed over rows by their scores s:
            1 / (1 + (U / D − U) / (s^Q Σ s^(−Q))), with Q = 1 + (8 − M) / 20.
        Fails
            With `InvalidInputError` unless the share lies between 0 and 1.
        """
        return self._of_rows(self.disclosure_of_keys(self._of_keys(scores), share))

    def disclosure_of_keys(self, scores: Float64, share: float = 0.01) -> Float64:
        """Return DIS-SUDA of each key, (keys,), given the scores of keys."""
        if not 0 < share < 1:
            msg = message("the share of people drawn must lie between 0 and 1; got {share}", share=share)
            raise InvalidInputError(msg)
        special = scores > 0
        result = np.zeros(scores.size)
        if not special.any():
            return result
        uniques, pairs = float((self.people == 1).sum()), 2.0 * float((self.people == 2).sum())
        right = uniques * share / (uniques * share + pairs * (1 - share))
        power = 1 + (8 - len(self.attributes)) / 20
        total = float((scores[special] ** -power).sum())
        result[special] = 1 / (1 + (uniques / right - uniques) / (scores[special] ** power * total))
        return result

    def _sizes(self) -> Int64:
        return np.bitwise_count(self.bits).astype(np.int64)

    def _factorials(self) -> Float64:
        """Return (M − size)! for each set, (minimal sample uniques,)."""
        m = len(self.attributes)
        return np.array([float(factorial(m - size)) for size in range(m + 1)])[self._sizes()]

    def _holds(self) -> list[np.ndarray[tuple[int], np.dtype[np.bool_]]]:
        return [(self.bits >> j) & 1 == 1 for j in range(len(self.attributes))]

    def _of_rows(self, of_keys: Float64) -> Float64:
        """Return the value of each row's key, (rows, …); 0 for a row without a key."""
        none = np.zeros((1, *of_keys.shape[1:]))
        return np.asarray(np.concatenate([of_keys, none])[self.number])

    def _of_keys(self, of_rows: Float64) -> Float64:
        result = np.zeros(self.people.size)
        kept = self.number >= 0
        result[self.number[kept]] = of_rows[kept]
        return result


def suda(keys: Keys) -> SpecialUniques:
    """Find every minimal sample unique of a table.

    A record that is unique by sex and age alone is riskier than one that is unique by seven attributes together: few
    facts suffice to find it, and it is more likely to be unique in the population. A minimal sample unique is a set
    of attributes by which a person is unique, while no proper subset makes the person unique.

    Assumes
        A missing value is one more value. Weights are ignored.
    Infers
        All minimal sample uniques, exactly, without comparing people pairwise.
    Fails
        With `InvalidInputError` for more than 62 quasi-identifiers.

    References
    ----------
    Manning, Haglin, Keane. A recursive search algorithm for statistical disclosure assessment. Data Mining and
    Knowledge Discovery 2008. Elliot. Integrating file and record level disclosure risk assessment. Inference Control
    in Statistical Databases 2002.
    """
    names = keys.profiles.schema.names
    if len(names) > 62:
        msg = message(
            "quasi-identifiers must be at most 62 for their sets to be numbered; got {n}. Leave some out", n=len(names)
        )
        raise InvalidInputError(msg)
    codes = np.zeros((len(names), keys.people.size), np.int32)
    for j, name in enumerate(names):
        codes[j] = keys.profiles.ranks(name)[0] + 1
    width = codes.max(axis=1, initial=0).astype(np.int64) + 1
    by_width = np.argsort(width, kind="stable")  # half of all sets hold the last attribute: it should split best
    found, places = minimal_uniques(np.ascontiguousarray(codes[by_width]), width[by_width], keys.people == 1)
    bits = np.zeros(found.size, np.int64)
    for place, attribute in enumerate(by_width):
        bits |= ((places >> place) & 1) << attribute
    return SpecialUniques(names, keys.number, keys.people, frozen(found), frozen(bits))


ESTIMATES = (suda,)
