"""Limits that no release of a table can keep, known before any candidate is tried."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

import numpy as np

from unmask.arrays import Bool, Int64
from unmask.auditing.evidence import Targets
from unmask.auditing.policy import Limits
from unmask.errors import InvalidInputError
from unmask.number_format import numeral
from unmask.numerics.rounding import TOLERANCE
from unmask.people_counts import people_among, repeats
from unmask.schema import Attribute, Harm, Missing, Role
from unmask.table import Table
from unmask.wording import message

_NONE = Harm()


def require_suppression(table: Table, suppression: float, *, withheld: int) -> None:
    """Fail where missing values alone leave out more people than may be, whichever columns are published.

    `withheld` is the largest number of quasi-identifiers that a candidate withholds.

    Fails
        With `InvalidInputError`, with the share that is left out at least.
    """
    share = least_left_out(table, withheld)
    if share > suppression + TOLERANCE:
        msg = message(
            "suppression must be at least {share}, the share of {people} that missing values alone leave out; "
            "got {suppression}. Write --missing-policy own or wildcard, or a larger --suppression",
            share=numeral(share, ".1%"),
            people=message(Targets.of(table).count.unit),
            suppression=numeral(suppression, ".1%"),
        )
        raise InvalidInputError(msg)


def least_left_out(table: Table, withheld: int) -> float:
    """Return the least share of people whose rows lack a value, without up to so many quasi-identifiers."""
    lacking = {a.name: table.missing(a.name) for a in _excluding(table, Role.QUASI_IDENTIFIER)}
    lacking = {name: rows for name, rows in lacking.items() if rows.any()}
    secret = np.zeros(table.n_rows, bool)
    for attribute in _excluding(table, Role.SENSITIVE):
        secret |= table.missing(attribute.name)
    n = max(len(lacking) - min(withheld, len(table.schema.quasi) - 1), 0)
    return min(_share_of_people(table, secret.copy(), some, lacking) for some in combinations(lacking, n))


def _excluding(table: Table, role: Role) -> Iterator[Attribute]:
    return (one for one in table.schema.having(role) if one.missing is Missing.EXCLUDED)


def _share_of_people(table: Table, out: Bool, names: tuple[str, ...], lacking: Mapping[str, Bool]) -> float:
    for name in names:
        out |= lacking[name]
    targets = Targets.of(table)
    n = targets.count.n
    return float(n - people_among(targets.person_of, ~out)) / max(n, 1)


def require_belief(table: Table, limits: Limits, suppression: float, harm: Mapping[str, Harm]) -> None:
    """Fail where a harmful value is so frequent that every release exposes more people than may be.

    Fails
        With `InvalidInputError`, with the share of the value.
    """
    if limits.max_belief is None or limits.excess is not None:
        return
    n = Targets.of(table).count.n
    for attribute in table.schema.having(Role.SENSITIVE):
        for share, limit in _frequent(table, attribute, harm.get(attribute.name, _NONE), limits.max_belief):
            least = least_exposed(_rows_of_people(table), share, limit, suppression)
            if least > limits.tolerated(n) + TOLERANCE:
                msg = message(
                    "max-belief must be above {share}, the share of the most frequent harmful value of {column}; got "
                    "{limit}: every release exposes at least {n} of {people}. Write --excess 0.1 to limit what the "
                    "release adds, or a higher limit",
                    share=numeral(share, ".3g"), column=attribute.name, limit=numeral(limit, "g"),
                    n=numeral(least), people=Targets.of(table).count,
                )  # fmt: skip
                raise InvalidInputError(msg)


def _frequent(table: Table, attribute: Attribute, harm: Harm, default: float) -> Iterator[tuple[float, float]]:
    """Yield the share and the limit of each harmful value that is more frequent than its limit, the largest first."""
    if attribute.is_numeric:
        return
    codes = table[attribute.name]
    share = np.bincount(codes[codes >= 0], minlength=len(attribute.values)) / max(table.n_rows, 1)
    harmful, limit = harm.harmful(attribute.values), harm.limits(attribute.values, default)
    for code in np.argsort(-share, kind="stable").tolist():
        if code < harmful.size and harmful[code] and share[code] > limit[code]:
            yield float(share[code]), float(limit[code])


def _rows_of_people(table: Table) -> Int64:
    """Return the number of rows of each person, (people,), the most first."""
    if table.person_of is None or not repeats(table.person_of):
        return np.ones(table.n_rows, np.int64)
    rows = np.unique(table.person_of, return_counts=True)[1].astype(np.int64)
    return np.sort(rows)[::-1]


def least_exposed(rows: Int64, share: float, limit: float, suppression: float) -> int:
    """Return how many people are exposed at least where a value of some share of rows has a limit.

    `rows` is the number of rows of each person, (people,), the most first. The best that a release can do is to leave
    out only people with the value, as many as may be, and to gather the rest of them in groups of that value alone.

    >>> least_exposed(np.ones(100, np.int64), 0.4, 0.25, 0.0), least_exposed(np.ones(100, np.int64), 0.4, 0.25, 0.2)
    (20, 0)
    """
    if limit >= 1:
        return 0
    n = int(rows.sum())
    gone = int(rows[: int(suppression * rows.size + TOLERANCE)].sum())
    wanted = (share * n - gone - limit * (n - gone)) / (1 - limit)
    return int(np.searchsorted(np.cumsum(rows), wanted - TOLERANCE)) + 1 if wanted > TOLERANCE else 0


__all__ = ["least_exposed", "least_left_out", "require_belief", "require_suppression"]
