"""Disclosure rules' result: the disclosed attributes of each record, and the gap to the least loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from unmask.arrays import Bool, Float64, frozen
from unmask.decision_risk.consistency import Consistency
from unmask.errors import InvalidInputError
from unmask.number_format import numeral
from unmask.wording import counted, message


@dataclass(frozen=True, slots=True, eq=False)
class DisclosureRule:
    """The disclosure of records that a rule has chosen."""

    disclosed: Bool  # (records, attributes)
    gap: Float64 | None = None  # (records,) upper bound of the excess over the least loss; None: no guarantee
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "disclosed", frozen(self.disclosed, bool))


@dataclass(frozen=True, slots=True, eq=False)
class BoundedRule:
    """A rule, its risk, and a lower bound of the risk of all rules that disclose as much."""

    rule: DisclosureRule
    value: float
    bound: float


def require_k(k: int, consistency: Consistency) -> None:
    """Raise an error unless k attributes can be disclosed."""
    m = len(consistency.names)
    if not 0 <= k <= m:
        msg = message("k must be at least 0 and at most the number of attributes, {m}; got {k}", m=m, k=k)
        raise InvalidInputError(msg)


def too_many_sets(k: int, m: int, most: int) -> InvalidInputError:
    """Return the error of rules for several dictionaries, which try all sets."""
    return InvalidInputError(
        message(
            "sets of {k} of {m} attributes must be at most {most} to be tried; got {sets}. Take another k, "
            "leave attributes out, or take exact or min-risk, which look at one dictionary and need not try "
            "all",
            k=k,
            m=m,
            most=numeral(most),
            sets=numeral(comb(m, k)),
        )
    )


def must(always: Sequence[str], k: int, consistency: Consistency) -> Bool:
    """Return which attributes are always disclosed, (attributes,); raise an error unless k can be disclosed.

    Fails
        With `InvalidInputError` for an attribute that is not there, and for more of them than k.
    """
    require_k(k, consistency)
    for name in always:
        if name not in consistency.names:
            raise InvalidInputError.unknown_name(message("attribute that is always disclosed"), name, consistency.names)
    wanted = np.array([name in always for name in consistency.names], bool)
    if int(wanted.sum()) > k:
        msg = message(
            "k must be at least the number of attributes that are always disclosed, {sum}; got {k}",
            sum=int(wanted.sum()),
            k=k,
        )
        raise InvalidInputError(msg)
    return wanted


def smallest(cost: Float64, available: Bool, k: int) -> Bool:
    """Choose the k available attributes of least cost, (records, attributes); among equals the first."""
    order = np.lexsort((cost, ~available), axis=1)  # stable; an infinite cost comes before a missing value
    chosen = np.zeros(cost.shape, bool)
    np.put_along_axis(chosen, order[:, :k], values=True, axis=1)
    return chosen & available


def shortness(available: Bool, k: int) -> tuple[str, ...]:
    """Return a note with the number of records with fewer than k values."""
    n = int((available.sum(axis=1) < k).sum())
    if not n:
        return ()
    return (
        counted(
            "{n} record has fewer than {k} values: all are disclosed",
            "{n} records have fewer than {k} values: all are disclosed",
            n,
            n=numeral(n),
            k=k,
        ),
    )
