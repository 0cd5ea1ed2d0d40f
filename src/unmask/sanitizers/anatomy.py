"""Anatomy: publish quasi-identifiers exactly, and beside each group only the list of its sensitive values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from unmask.errors import InfeasibleError, InvalidInputError
from unmask.headcount import repeats
from unmask.masks.exact_rows import publish_exact_rows
from unmask.partition import SUPPRESSED, Partition
from unmask.release import Provenance, Publication
from unmask.sanitizers import _buckets
from unmask.table import Table


@dataclass(frozen=True)
class Anatomy:
    """Put people into groups of l with l different sensitive values, and break the link between person and value.

    Nothing is generalized: each row shows its own quasi-identifiers and its group; a second table says how often each
    sensitive value occurs in each group. Random worlds is then never surer than 1/l. deFinetti is.

    Publishes
        Groups are filled one after another with a row from each of the l values that have most rows left. Which row
        leaves is random; among equally frequent values the choice is `random`, or by a `stable` re-sorted list (the
        answer depends on it). Rows left over join a random group that lacks their value.
    Fails
        With `InvalidInputError` unless exactly one column is sensitive, and where somebody has several rows; with
        `InfeasibleError` where one value has more than one in l of the rows.

    References
    ----------
    Xiao, Tao. Anatomy: simple and effective privacy preservation. VLDB 2006, figure 4.
    """

    name: ClassVar[str] = "anatomy"
    l: int = 3
    ties: Literal["random", "stable"] = "random"

    def __post_init__(self) -> None:
        if not (self.l >= 1 and float(self.l).is_integer()):
            msg = f"l must be a whole number of at least 1; got {self.l}"
            raise InvalidInputError(msg)
        if self.ties not in {"random", "stable"}:
            raise InvalidInputError.unknown_name("ties", self.ties, ("random", "stable"))

    def sanitize(self, table: Table, rng: np.random.Generator) -> Publication:
        """Publish exact rows and, by group, counts."""
        sensitive = table.schema.sensitive
        if len(sensitive) != 1:
            msg = f"anatomy must have exactly one sensitive attribute; got {len(sensitive)}. Name one with -s"
            raise InvalidInputError(msg)
        if repeats(table.person_of):
            msg = (
                "anatomy must have one row for each person, since it puts rows together; some people have several. "
                "Keep one row of each, or use full-domain or mondrian, which count people"
            )
            raise InvalidInputError(msg)
        attribute = sensitive[0]
        kept = np.flatnonzero(~table.excluded() & (table[attribute.name] >= 0))
        values = table[attribute.name][kept]
        n_values = np.unique(values).size
        if n_values < self.l:
            msg = f"l must be at most {n_values}, the values of column {attribute.name!r}; got {self.l}. Lower l"
            raise InfeasibleError(msg)
        group = _buckets.buckets(values, len(attribute.values), self.l, self.ties, rng)
        group_of = np.full(table.n_rows, SUPPRESSED, np.int32)
        group_of[kept] = group
        provenance = Provenance(self.name, {"l": self.l, "ties": self.ties})
        return publish_exact_rows(table, Partition(group_of, int(group.max()) + 1), provenance)


EXAMPLES = (Anatomy(),)
