"""Headcount: how many different people stand in each group and have each value there, where rows are not people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64, Ragged, distinct_rows, frozen
from unmask.errors import InvalidInputError


@dataclass(frozen=True, slots=True, eq=False)
class Holders:
    """How many people have each value of one attribute: somebody with several values counts once in each.

    The last column is for rows that lack a value; who has a value elsewhere in the group counts there as well.
    """

    known: Float64  # (groups,) people of whom some value is known
    counts: Ragged  # (groups, values + 1)
    total_known: float  # people of whom some value is known, in all groups
    overall: Float64  # (values + 1,) in all groups


@dataclass(frozen=True, slots=True, eq=False)
class Headcount:
    """How many people the rows of a release are.

    Somebody whose rows went to several groups counts in each of them, and once in the total.

    Fails
        With `InvalidInputError` where a group has no people, or more than all groups together.
    """

    total: float
    of_group: Float64  # (groups,)
    holders: Mapping[str, Holders] = field(default_factory=dict)  # sensitive attribute → who has which value

    def __post_init__(self) -> None:
        object.__setattr__(self, "of_group", frozen(self.of_group, np.float64))
        groups = self.of_group
        if (groups < 1).any() or groups.max(initial=0) > self.total or self.total > groups.sum():
            msg = (
                f"people must be at least 1 in each group, and in all together no fewer than in one and no more than "
                f"in all groups added up; got {self.total:g} people"
            )
            raise InvalidInputError(msg)

    @classmethod
    def of(
        cls, person_of: Int32, group_of: Int32, n_groups: int, columns: Mapping[str, tuple[Int32, int, int | None]]
    ) -> Headcount:
        """Count the people of rows, (rows,), each in a group.

        `columns` holds for each sensitive attribute the code of each row, (rows,), the number of values, and the code
        that a missing value has, if it has one: negative codes are missing, too.
        """
        person, _ = distinct_rows(person_of[:, None])
        pair, first = distinct_rows(np.stack([group_of, person], axis=1))
        of_group = np.bincount(group_of[first], minlength=n_groups).astype(np.float64)
        total = float(person.max(initial=-1) + 1)
        holders = {}
        for name, (codes, n_values, mark) in columns.items():
            absent = codes < 0 if mark is None else (codes < 0) | (codes == mark)
            value = np.where(codes < 0, n_values if mark is None else mark, codes)
            _, one = distinct_rows(np.stack([pair, value], axis=1))
            counts = Ragged.gather(group_of[one], value[one], np.ones(one.size), (n_groups, n_values + 1))
            known = np.bincount(group_of[first[np.unique(pair[~absent])]], minlength=n_groups)
            _, one = distinct_rows(np.stack([person, value], axis=1))
            overall = np.bincount(value[one], minlength=n_values + 1).astype(np.float64)
            total_known = float(np.unique(person[~absent]).size)
            holders[name] = Holders(known.astype(np.float64), counts, total_known, overall)
        return cls(total, of_group, holders)

    def take(self, groups: Int64) -> Headcount:
        """Return the same groups in another order."""
        holders = {
            name: Holders(one.known[groups], one.counts.take(groups), one.total_known, one.overall)
            for name, one in self.holders.items()
        }
        return Headcount(self.total, self.of_group[groups], holders)

    def without(self, kept: Int64) -> Headcount:
        """Return some of the groups, as if no others had been published.

        Who is in several groups is not known: of all people at least those remain who cannot all be in the groups that
        are gone. Exact where nobody is in several.
        """
        gone = np.ones(self.of_group.size, bool)
        gone[kept] = False
        holders = {}
        for name, one in self.holders.items():
            counts, known = one.counts.take(kept), one.known[kept]
            most = np.zeros(one.overall.size)
            np.maximum.at(most, counts.column, counts.data)
            removed = one.counts.column_sums() - counts.column_sums()
            total_known = max(one.total_known - float(one.known[gone].sum()), float(known.max(initial=0)))
            holders[name] = Holders(known, counts, total_known, np.maximum(one.overall - removed, most))
        of_group = self.of_group[kept]
        total = max(self.total - float(self.of_group[gone].sum()), float(of_group.max(initial=0)))
        return Headcount(total, of_group, holders)

    @property
    def repeated(self) -> float:
        """How often people are counted in one more group: 0 where nobody's rows went to several."""
        return float(self.of_group.sum() - self.total)

    def same(self, other: Headcount | None) -> bool:
        """Say whether another headcount says the same of groups; values are compared elsewhere."""
        return other is not None and self.total == other.total and np.array_equal(self.of_group, other.of_group)


def require_one_row_each(person_of: Int32 | None, sanitizer: str) -> None:
    """Fail where somebody has several rows, for a sanitizer that puts rows together and does not count people."""
    if repeats(person_of):
        msg = (
            f"{sanitizer} must have one row for each person, since it puts rows together; some people have several. "
            f"Keep one row of each, or use full-domain or mondrian, which count people"
        )
        raise InvalidInputError(msg)


def repeats(person_of: Int32 | None) -> bool:
    """Say whether somebody has several rows."""
    return person_of is not None and np.unique(person_of).size < person_of.size


def people_in(person_of: Int32 | None, n_rows: int) -> int:
    """Return how many people some rows are."""
    return n_rows if person_of is None else int(np.unique(person_of).size)


def where_several(person_of: Int32 | None) -> Int32 | None:
    """Return whose rows are whose where somebody has several; None where each row is another person's."""
    return person_of if repeats(person_of) else None


def people_among(person_of: Int32 | None, rows: Bool) -> int:
    """Return how many people have at least one of the marked rows, (rows,)."""
    return people_in(None if person_of is None else person_of[rows], int(rows.sum()))


def own_rows(person_of: Int32) -> Int64:
    """Return how many of some rows, (rows,), are of the same person."""
    number, _ = distinct_rows(person_of[:, None])
    return np.asarray(np.bincount(number, minlength=1)[number])
