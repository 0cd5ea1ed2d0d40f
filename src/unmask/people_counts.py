"""Headcount: the number of different people in each group, and with each value, where people have several rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64, Ragged, distinct_rows, frozen
from unmask.errors import InvalidInputError
from unmask.number_format import numeral
from unmask.wording import message


@dataclass(frozen=True, slots=True, eq=False)
class Holders:
    """The number of people with each value of one attribute: a person with several values counts once for each.

    The last column counts people with a row that lacks a value, including those with a value elsewhere in the group.
    """

    known: Float64  # (groups,) people with some known value
    counts: Ragged  # (groups, values + 1)
    total_known: float  # people with some known value, in all groups
    overall: Float64  # (values + 1,) in all groups


@dataclass(frozen=True, slots=True, eq=False)
class Headcount:
    """The number of people behind the rows of a release.

    A person with rows in several groups counts in each of them, and once in the total.

    Fails
        With `InvalidInputError` where a group has no people, or more than all groups together.
    """

    total: float
    of_group: Float64  # (groups,)
    holders: Mapping[str, Holders] = field(default_factory=dict)  # sensitive attribute → people with each value

    def __post_init__(self) -> None:
        object.__setattr__(self, "of_group", frozen(self.of_group, np.float64))
        groups = self.of_group
        if (groups < 1).any() or groups.max(initial=0) > self.total or self.total > groups.sum():
            msg = message(
                "people must be at least 1 in each group, and in all together no fewer than in one and no more "
                "than in all groups added up; got {total} people",
                total=numeral(self.total, "g"),
            )
            raise InvalidInputError(msg)

    @classmethod
    def of(
        cls, person_of: Int32, group_of: Int32, n_groups: int, columns: Mapping[str, tuple[Int32, int, int | None]]
    ) -> Headcount:
        """Count the people of rows, (rows,), each in a group.

        `columns` holds for each sensitive attribute the code of each row, (rows,), the number of values, and the code
        of a missing value, if it has one: negative codes are missing, too.
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

        Membership in several groups is unknown: the result is a lower bound, the people who cannot all be in the
        removed groups. Exact where no person is in several.
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
        """The number of additional groups of all people: 0 where every person is in one group."""
        return float(self.of_group.sum() - self.total)

    def same(self, other: Headcount | None) -> bool:
        """Return True if another headcount has equal group counts; values are compared elsewhere."""
        return other is not None and self.total == other.total and np.array_equal(self.of_group, other.of_group)


def require_one_row_each(person_of: Int32 | None, sanitizer: str) -> None:
    """Fail where a person has several rows, for a sanitizer that groups rows and does not count people."""
    if repeats(person_of):
        msg = message(
            "{sanitizer} must have one row for each person, since it puts rows together; some people have "
            "several. Keep one row of each, or use full-domain or mondrian, which count people",
            sanitizer=sanitizer,
        )
        raise InvalidInputError(msg)


def repeats(person_of: Int32 | None) -> bool:
    """Whether some person has several rows."""
    return person_of is not None and np.unique(person_of).size < person_of.size


def people_in(person_of: Int32 | None, n_rows: int) -> int:
    """Return the number of people who have some rows."""
    return n_rows if person_of is None else int(np.unique(person_of).size)


def where_several(person_of: Int32 | None) -> Int32 | None:
    """Return the person of each row where some have several; None where each row is another person's."""
    return person_of if repeats(person_of) else None


def people_among(person_of: Int32 | None, rows: Bool) -> int:
    """Return the number of people with at least one of the marked rows, (rows,)."""
    return people_in(None if person_of is None else person_of[rows], int(rows.sum()))


def own_rows(person_of: Int32) -> Int64:
    """Return for each of some rows, (rows,), how many of them are of the same person."""
    number, _ = distinct_rows(person_of[:, None])
    return np.asarray(np.bincount(number, minlength=1)[number])
