"""Posterior of the first l people in a group that greedy grouping closed: the bound on the minimality attack.

A group of m·l people with m positives was not closed earlier, so every shorter prefix of j·l had more than j positives.
Positives are therefore most frequent among the first l people, who have the largest posterior.

References
----------
Cormode, Li, Li, Srivastava. Minimizing minimality and maximizing utility: analyzing method-based attacks on anonymized
data. VLDB 2010.
"""

from __future__ import annotations

import math
from fractions import Fraction

from unmask.errors import InvalidInputError
from unmask.number_format import numeral
from unmask.wording import message


def p_b1_exact(l: int, m: int) -> Fraction:
    """Return the probability that one of the first l people of a group of m·l is positive, as a fraction.

    Infers
        `(1/l) ∏ (m·l − 1 − j) / (m·l − m − j)` over j = 1 … l − 1; 1/l where a group has one positive, or none.

    >>> p_b1_exact(6, 2), p_b1_exact(6, 3), p_b1_exact(2, 3)
    (Fraction(1, 3), Fraction(4, 11), Fraction(1, 1))
    """
    _require(l, m)
    if m == 1:
        return Fraction(1, l)
    factors = (Fraction(m * l - 1 - j, m * l - m - j) for j in range(1, l))
    return math.prod(factors, start=Fraction(1, l))


def p_b1(l: int, m: int) -> float:
    """Return `p_b1_exact` as a float, for groups of any size."""
    _require(l, m)
    if m == 1:
        return 1 / l
    return math.prod((m * l - 1 - j) / (m * l - m - j) for j in range(1, l)) / l


def p_b1_limit(l: int) -> float:
    """Return the limit of `p_b1` for large groups: `(1 + 1/(l − 1))^(l − 1) / l`, which is below e/l.

    >>> round(p_b1_limit(6), 6), round(math.e / 6, 6)
    (0.41472, 0.453047)
    """
    _require(l, 1)
    return 1.0 if l == 1 else (1 + 1 / (l - 1)) ** (l - 1) / l


def least_l(belief: float) -> int:
    """Return the smallest l for which the posterior exceeds `belief` in no group of any size.

    Sharper than the smallest l with e/l ≤ belief.

    >>> least_l(0.5), least_l(0.2)
    (5, 14)
    """
    if not 0 < belief < 1:
        msg = message("max-belief must be a probability above 0 and below 1; got {belief}", belief=numeral(belief, "g"))
        raise InvalidInputError(msg)
    l = max(2, math.floor(2 / belief) - 1)  # p_b1 is 2/l at least, and the limit more
    while p_b1_limit(l) > belief:
        l += 1
    return l


def _require(l: int, m: int) -> None:
    if l < 1 or m < 1:
        msg = message("l and m must be at least 1; got {l} and {m}", l=l, m=m)
        raise InvalidInputError(msg)


__all__ = ["least_l", "p_b1", "p_b1_exact", "p_b1_limit"]
