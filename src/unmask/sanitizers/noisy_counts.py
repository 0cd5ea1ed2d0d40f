"""Noisy counts: the number of people with each value in each cell, with added noise; no rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import ClassVar

import numpy as np

from unmask.arrays import Bool, Int32, Int64, Ragged, distinct_rows, starts
from unmask.errors import InvalidInputError
from unmask.masks.declared_cells import IN_NONE, DeclaredColumn, Grids, declared_cells
from unmask.masks.lines import Lines
from unmask.neighboring_relation import Change, Relation
from unmask.number_format import numeral
from unmask.parameters import check_parameters
from unmask.release import Provenance, Publication, Release
from unmask.sanitizers import _mechanisms
from unmask.schema import Schema
from unmask.table import Table
from unmask.unit import Unit
from unmask.wording import message

MOST = 2_000_000
"""The maximum number of counts in a release."""


@dataclass(frozen=True)
class NoisyCounts:
    """Count the people with each sensitive value in each cell, add noise to every count, and publish no rows.

    Removing or replacing one person changes one or two counts by one, and noise of that size hides it: every conclusion
    from the counts would be nearly as likely without that person. This holds for any background knowledge, and the
    epsilons of several releases add up. Small groups are lost in the noise.

    Assumes
        Cells do not depend on the data: declared values, ranges and steps, levels of a hierarchy that has them all, or
        `cells`, as in `age=17,25,35; sex=f,m; education@2; born@year`. Each row is a person, unless there is a person
        key; then `rows_per_person` rows of each person count, chosen at random from those with more.
    Publishes
        For each combination of cells and value the count plus discrete Laplace noise of scale s/epsilon, by OpenDP,
        also for empty cells. With neighbors `replace` one person replaces another, and s is 2; with `add-remove` one
        person is in the table or not, and s is 1; times the rows of a person. The release states which relation its
        epsilon compares, and whether a row or a person is meant. The sizes of cells are the sums of their noisy counts.
        Numbers beyond a range count in the outermost cells; a row that lacks a value, or has an undeclared one, is not
        counted, and the number of such rows is not published. The noise is drawn from the operating system: the same
        seed gives other noise.
    Fails
        With `InvalidInputError` where a column has no declared values or range, unless exactly one column is sensitive,
        where there is a person key and `rows_per_person` is not set, or where OpenDP is not installed.

    References
    ----------
    Dwork, McSherry, Nissim, Smith. Calibrating noise to sensitivity in private data analysis. TCC 2006.
    Ganta, Kasiviswanathan, Smith. Composition attacks and auxiliary information in data privacy. KDD 2008, section 4.
    """

    name: ClassVar[str] = "noisy-counts"
    read_by: ClassVar[str | None] = None
    outcomes: ClassVar[tuple[str, ...]] = ()
    needs_values: ClassVar[bool] = True
    epsilon: float = 1.0
    neighbors: Change = "replace"
    cells: Grids = field(default_factory=dict)
    rows_per_person: int | None = None

    def __post_init__(self) -> None:
        check_parameters(self)
        _mechanisms.require_epsilon(self.epsilon)
        if self.rows_per_person is not None and self.rows_per_person < 1:
            msg = message(
                "rows-per-person must be a whole number of at least 1; got {rows_per_person}",
                rows_per_person=self.rows_per_person,
            )
            raise InvalidInputError(msg)

    @property
    def uses_hierarchies(self) -> bool:
        """Whether some column is counted at a level of its hierarchy."""
        return any(isinstance(grid, int) for grid in self.cells.values())

    def sanitize(self, table: Table, rng: np.random.Generator) -> Publication:
        """Publish noisy counts; the generator only chooses which rows of a person count."""
        _mechanisms.require_opendp(self.name)
        if len(table.schema.sensitive) != 1 or not table.schema.quasi:
            msg = message(
                "{name} must have exactly one sensitive attribute and at least one quasi-identifier; got {n} and "
                "{quasi}. Name them with -s and -q",
                name=self.name,
                n=len(table.schema.sensitive),
                quasi=len(table.schema.quasi),
            )
            raise InvalidInputError(msg)
        names = [a.name for a in (*table.schema.quasi, *table.schema.sensitive)]
        unknown = [name for name in self.cells if name not in names]
        if unknown:
            raise InvalidInputError.unknown_name(message("column of cells"), unknown[0], names)
        *columns, value = (declared_cells(table, name, self.cells) for name in names)
        if value.attribute.is_numeric or (np.diff(value.cells.start) != 1).any():
            msg = message(
                "sensitive values must be counted as they are; got a level for {attribute}. Leave it out",
                attribute=repr(value.attribute.name),
            )
            raise InvalidInputError(msg)
        shape = (*(column.cells.n for column in columns), value.cells.n)
        if prod(shape) > MOST:
            msg = message(
                "there must be at most {most} counts; got {prod}. Declare coarser cells",
                most=numeral(MOST),
                prod=numeral(prod(shape)),
            )
            raise InvalidInputError(msg)
        cell = _numbers((*columns, value))
        counted = (cell >= 0) & self._own(table, rng)
        counts = np.bincount(cell[counted], minlength=prod(shape)).astype(np.int64)
        sensitivity = (2 if self.neighbors == "replace" else 1) * (self.rows_per_person or 1)
        noisy, noise = _mechanisms.noisy_integers(counts, sensitivity, self.epsilon)
        matrix = noisy.reshape(-1, value.cells.n)
        parameters = {"neighbors": self.neighbors, "rows-per-person": self.rows_per_person or 1}
        relation = Relation.of(self.neighbors, Unit.of(table.person_of))
        every = np.indices(shape[:-1], dtype=np.int32).reshape(len(columns), -1).T
        release = Release(
            schema=Schema(tuple(column.attribute for column in (*columns, value))),
            masked=Lines(
                tuple(column.cells for column in columns), every, np.arange(len(every), dtype=np.int32), len(every)
            ),
            size=matrix.sum(axis=1).astype(np.float64),
            start=None,
            columns={},
            counts={value.attribute.name: Ragged.of(matrix)},
            rows="none",
            provenance=Provenance(self.name, parameters, epsilon=self.epsilon, delta=0.0, neighbors=relation),
            noise={value.attribute.name: noise},
            unit=Unit.of(table.person_of) if self.rows_per_person in {None, 1} else Unit.ROWS,
        )
        return Publication(release, None, np.where(counted, cell // value.cells.n, IN_NONE).astype(np.int32))

    def _own(self, table: Table, rng: np.random.Generator) -> Bool:
        """Return which rows count, (rows,): at most `rows_per_person` of each person."""
        person_of = table.person_of
        if person_of is None:
            return np.ones(table.n_rows, bool)
        if self.rows_per_person is None:
            msg = message(
                "{name} must have rows-per-person, since a person key gives a person several rows; got none. Set "
                "rows-per-person=1, or more; noise grows with it",
                name=self.name,
            )
            raise InvalidInputError(msg)
        person, _ = distinct_rows(person_of[:, None])
        order = np.lexsort((rng.random(table.n_rows), person))
        count = np.bincount(person)
        nth = np.empty(table.n_rows, np.int64)
        nth[order] = np.arange(table.n_rows) - np.repeat(starts(count)[:-1], count)
        return np.asarray(nth < self.rows_per_person)


def _numbers(columns: tuple[DeclaredColumn, ...]) -> Int64 | Int32:
    """Number the combination of cells that contains each row, (rows,); negative where none does."""
    number = np.zeros(columns[0].cell_of.size, np.int64)
    inside = np.ones(number.size, bool)
    for column in columns:
        number = number * column.cells.n + column.cell_of
        inside &= column.cell_of >= 0
    return np.where(inside, number, IN_NONE)


EXAMPLES = (NoisyCounts(),)
