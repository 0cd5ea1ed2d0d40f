"""Anatomy: exact quasi-identifiers, and for each group only the counts of its sensitive values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from unmask.algorithm_constraints import Constraint
from unmask.arrays import Int32, Int64, starts
from unmask.errors import InfeasibleError, InvalidInputError
from unmask.masks.exact_rows import publish_exact_rows
from unmask.models.l_diversity import DistinctL, MaxShareL
from unmask.models.missing_values import is_known
from unmask.models.privacy_model import AnyModel
from unmask.number_format import numeral
from unmask.parameters import check_parameters
from unmask.partition import SUPPRESSED, Partition
from unmask.people_counts import require_one_row_each
from unmask.release import Provenance, Publication
from unmask.sanitizers import _buckets, _leaving_out
from unmask.schema import Attribute
from unmask.table import Table
from unmask.wording import message


@dataclass(frozen=True)
class Anatomy:
    """Form groups of l people with l different sensitive values, and separate quasi-identifiers from values.

    Nothing is generalized: each row has its own quasi-identifiers and its group; a second table counts each sensitive
    value per group. The posterior of random worlds never exceeds 1/l; that of the deFinetti attack does.

    Publishes
        Groups are filled one after another with a row from each of the l values that have most rows left. The row taken
        is random; among equally frequent values the choice is `random`, or by a `stable` re-sorted list (the result
        depends on it). Remaining rows join a random group that lacks their value. Where a value has more than one in l
        of the rows, `suppression` is the share of people who may be left out: random people with the too frequent
        values, as few as needed. A person known to be in the table but not published has one of these values.
    Fails
        With `InvalidInputError` unless exactly one column is sensitive, and where a person has several rows; with
        `InfeasibleError` where a value has more than one in l of the rows that are left, or too many rows lack one.

    References
    ----------
    Xiao, Tao. Anatomy: simple and effective privacy preservation. VLDB 2006, figure 4.
    """

    name: ClassVar[str] = "anatomy"
    read_by: ClassVar[str | None] = None
    bytes_per_cell: ClassVar[float] = 50.0
    outcomes: ClassVar[tuple[str, ...]] = ()
    needs_values: ClassVar[bool] = True
    l: int = 3
    ties: Literal["random", "stable"] = "random"
    suppression: float = 0.0  # the share of people who may be left out

    def __post_init__(self) -> None:
        check_parameters(self)
        if self.l < 1:
            msg = message("l must be a whole number of at least 1; got {l}", l=self.l)
            raise InvalidInputError(msg)
        _leaving_out.require_share(self.suppression)

    @property
    def claims(self) -> tuple[AnyModel, ...]:
        """The models that every release meets, however missing values count."""
        return (DistinctL(self.l), MaxShareL(self.l))

    def sanitize(self, table: Table, rng: np.random.Generator) -> Publication:
        """Publish exact rows and, by group, counts."""
        sensitive = table.schema.sensitive
        if len(sensitive) != 1:
            msg = message(
                "anatomy must have exactly one sensitive attribute; got {n}. Name one with -s", n=len(sensitive)
            )
            raise InvalidInputError(msg)
        require_one_row_each(table.person_of, self.name)
        attribute = sensitive[0]
        listed = ~table.excluded() & (table[attribute.name] >= 0)
        known = is_known(attribute, table[attribute.name])
        kept, lacking = np.flatnonzero(listed & known), np.flatnonzero(listed & ~known)
        values = table[attribute.name][kept]
        n_listed, n_values = kept.size + lacking.size, np.unique(values).size
        if n_values < self.l:
            msg = message(
                "l must be at most {n_values}, the values of column {attribute}; got {l}. Lower l",
                n_values=n_values,
                attribute=repr(attribute.name),
                l=self.l,
            )
            raise InfeasibleError(msg)
        if self.suppression:
            kept = self._spreadable(table.take(kept), kept, rng)
            values = table[attribute.name][kept]
        group = _buckets.buckets(values, len(attribute.values), self.l, self.ties, rng)
        group_of = np.full(table.n_rows, SUPPRESSED, np.int32)
        group_of[kept] = group
        most = _leaving_out.people_allowed(self.suppression, n_listed) - (n_listed - lacking.size - kept.size)
        group_of[lacking] = self._beside(group, lacking.size, most, rng)
        left_out = {"suppression": self.suppression} if self.suppression else {}
        provenance = Provenance(self.name, {"l": self.l, "ties": self.ties, **left_out})
        return publish_exact_rows(table, Partition(group_of, int(group.max()) + 1), provenance)

    def constraints(self, people: Table, group_of: Int32, attribute: Attribute, counts: Int64) -> Sequence[Constraint]:
        """Return no constraints: these groups are equally likely for every assignment of values.

        The values that a group takes depend on how many rows are left of each, and so on the counts of the table alone.
        The row that supplies a value is drawn among the rows that have it: in every world with the published counts,
        the same number of draws among the same numbers of rows leads to these groups.
        """
        del people, group_of, attribute, counts
        return ()

    def _beside(self, group: Int32, n_lacking: int, most: int, rng: np.random.Generator) -> Int32:
        """Draw the group of each row that lacks a value; at most `most` rows may be left out instead."""
        size = np.bincount(group)
        room = size // (self.l - 1) if self.l > 1 else np.full(size.size, n_lacking)
        places = np.repeat(np.arange(size.size, dtype=np.int32), room)
        if n_lacking - places.size > most:
            msg = message(
                "groups of l = {l} must have room for the {n_lacking} rows without a sensitive value; they have "
                "room for {size}. Lower l, raise suppression, or leave such rows out with --missing-policy "
                "exclude",
                l=self.l,
                n_lacking=n_lacking,
                size=places.size,
            )
            raise InfeasibleError(msg)
        drawn = np.full(n_lacking, SUPPRESSED, np.int32)
        if n_lacking:
            drawn[: places.size] = rng.permutation(places)[:n_lacking]
        return rng.permutation(drawn) if n_lacking > places.size else drawn

    def _spreadable(self, people: Table, rows: Int64, rng: np.random.Generator) -> Int64:
        """Return the rows of the table that are kept, as many as can be put into groups of l values."""
        (attribute,) = people.schema.sensitive
        values = people[attribute.name]
        count = np.bincount(values, minlength=len(attribute.values))
        wanted = _leaving_out.capped(count, self.l)
        n, gone = rows.size, int((count - wanted).sum())
        limit = _leaving_out.people_allowed(self.suppression, n)
        if gone > limit:
            msg = message(
                "suppression must leave out at least {gone} of {n} people for no value of column {attribute} to "
                "belong to more than one in {l}; got {suppression}, which is {limit}. Raise it, or lower l",
                gone=gone,
                n=n,
                attribute=repr(attribute.name),
                l=self.l,
                suppression=numeral(self.suppression, "g"),
                limit=limit,
            )
            raise InfeasibleError(msg)
        if not gone:
            return rows
        drawn = _leaving_out.drawn_rows(people, rng)
        drawn = drawn[np.argsort(values[drawn], kind="stable")]
        nth = np.arange(n) - np.repeat(starts(count)[:-1], count)
        return np.sort(rows[drawn[nth < np.repeat(wanted, count)]])


EXAMPLES = (Anatomy(),)
