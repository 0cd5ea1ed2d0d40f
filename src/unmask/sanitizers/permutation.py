"""Permutation: sensitive values shuffled among k neighbors, all other columns as they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.algorithm_constraints import Constraint
from unmask.arrays import Int32, Int64
from unmask.errors import InfeasibleError, InvalidInputError
from unmask.masks.exact_rows import publish_permuted_rows
from unmask.parameters import check_parameters, list_text
from unmask.partition import SUPPRESSED, Partition
from unmask.people_counts import require_one_row_each
from unmask.release import Provenance, Publication
from unmask.sanitizers._sorted import POSITION, Ties, in_order, order_columns, with_positions
from unmask.schema import Attribute
from unmask.table import Table
from unmask.wording import message


@dataclass(frozen=True)
class Permutation:
    """Sort people, split them into groups of k, and shuffle the sensitive values inside each group.

    Nothing is generalized, so each row identifies its person; only the assignment of its group's k values is uncertain.
    Counts are exact, and associations between attributes and values are preserved as far as neighbors are alike. If a
    whole group shares a value, that value is disclosed for each member: k does not prevent it.

    Assumes
        Sorting by `order`, columns with commas between them; by default the quasi-identifiers as they stand. Numbers
        go by size, other values by their declared order or else alphabetically, missing ones first.
    Publishes
        Exact rows with their group, and on each row a sensitive value from the group; several sensitive columns are
        shuffled independently. The last group has up to 2k − 1 people. An attack must treat values as the group's, as
        all attacks here do, and the release folder states so. Ties are ordered at random; with `ties="stable"` by input
        order, which is published as a column `position`.
    Fails
        With `InfeasibleError` for fewer than k people. With `InvalidInputError` where no column is sensitive, where a
        person has several rows, and for an unknown column.

    References
    ----------
    Zhang, Koudas, Srivastava, Yu. Aggregate query answering on anonymized tables. ICDE 2007. Cormode, Li, Li,
    Srivastava. Minimizing minimality and maximizing utility: analyzing method-based attacks on anonymized data. VLDB
    2010.
    """

    name: ClassVar[str] = "permutation"
    read_by: ClassVar[str | None] = None
    outcomes: ClassVar[tuple[str, ...]] = ()
    needs_values: ClassVar[bool] = True
    k: int = 5
    order: tuple[str, ...] = ()  # columns to sort by; empty: the quasi-identifiers
    ties: Ties = "random"

    def __post_init__(self) -> None:
        check_parameters(self)
        if self.k < 2:
            msg = message("k must be a whole number of at least 2; got {k}", k=self.k)
            raise InvalidInputError(msg)

    def sanitize(self, table: Table, rng: np.random.Generator) -> Publication:
        """Publish exact rows with shuffled values."""
        for role, having in (
            (message("quasi-identifier"), table.schema.quasi),
            (message("sensitive attribute"), table.schema.sensitive),
        ):
            if not having:
                msg = message(
                    "permutation must have at least one {role}; got none. Name one with -{option}",
                    role=role,
                    option=role[0],
                )
                raise InvalidInputError(msg)
        require_one_row_each(table.person_of, self.name)
        names = order_columns(table, self.order)
        if self.ties == "stable":
            table, names = with_positions(table), (*names, POSITION)
        kept = np.flatnonzero(~table.excluded())
        if kept.size < self.k:
            msg = message("k must be at most the number of rows, {size}; got {k}. Lower k", size=kept.size, k=self.k)
            raise InfeasibleError(msg)
        n_groups = kept.size // self.k
        group_of = np.full(table.n_rows, SUPPRESSED, np.int32)
        group_of[in_order(table, kept, names, rng)] = np.minimum(np.arange(kept.size) // self.k, n_groups - 1)
        parameters = {"k": self.k, "ties": self.ties} | ({"order": list_text(self.order)} if self.order else {})
        provenance = Provenance(self.name, parameters, names)
        return publish_permuted_rows(table, Partition(group_of, n_groups), provenance, rng)

    def constraints(self, people: Table, group_of: Int32, attribute: Attribute, counts: Int64) -> Sequence[Constraint]:
        """Return no constraints: groups are formed before any value is read."""
        del people, group_of, attribute, counts
        return ()


EXAMPLES = (Permutation(),)
