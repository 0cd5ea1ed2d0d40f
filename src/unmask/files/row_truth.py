"""The true values of published rows: a table in their order, or the original table with its row mapping."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from unmask.arrays import Int32, Int64
from unmask.beliefs import About
from unmask.errors import InvalidInputError
from unmask.estimate import Truth
from unmask.files.kept_back import RowMapping
from unmask.files.people import answers
from unmask.files.published import ReadRelease
from unmask.files.raw import Raw
from unmask.masks import published_values
from unmask.masks.lines import excluding
from unmask.number_format import numeral
from unmask.schema import UNKNOWN
from unmask.wording import message

MOST_MISFITS = 0.05
"""The largest share of rows whose published cells may contradict the truth; ranges and sets should never do."""


@dataclass(frozen=True, slots=True, eq=False)
class RowTruth:
    """A table, and its line for each published row."""

    raw: Raw
    read: ReadRelease
    line: Int64 = field(repr=False)  # (published rows,) negative: unknown

    @classmethod
    def of(cls, raw: Raw, read: ReadRelease, kept: RowMapping | None) -> RowTruth:
        """Match a table to the rows of a release: by the row mapping, else in the order of the release's file.

        Fails
            With `InvalidInputError` where the number of lines differs, or the row mapping belongs to another release.
        """
        n = read.row_of.size
        if kept is not None and (kept.published.size != raw.n_rows or kept.n_published != n):
            msg = message(
                "what was kept back must be about {raw} ({n_rows} lines) and this release ({n} rows); it is "
                "about {size} and {n_published}. Name the file that the same sanitize wrote",
                raw=repr(raw.name),
                n_rows=numeral(raw.n_rows),
                n=numeral(n),
                size=numeral(kept.published.size),
                n_published=numeral(kept.n_published),
            )
            raise InvalidInputError(msg)
        if kept is None and raw.n_rows != n:
            msg = message(
                "{raw} must have a line for each of the {n} published rows, in their order; it has {n_rows}. Or "
                "name what sanitize has kept back, by --keep FILE",
                raw=repr(raw.name),
                n=numeral(n),
                n_rows=numeral(raw.n_rows),
            )
            raise InvalidInputError(msg)
        published = np.arange(n) if kept is None else kept.published
        there = published >= 0
        line = np.full(read.release.n_rows, UNKNOWN, np.int64)
        line[read.row_of[published[there]]] = np.flatnonzero(there)
        return cls(raw, read, line)

    def about(self, name: str) -> tuple[Truth, tuple[str, ...]]:
        """Return the true value of a column for each published row, and notes.

        Fails
            With `InvalidInputError` where the truth contradicts more than a few rows: they belong to other people.
        """
        values, every = answers(self.raw, name, (self.read,))
        answer = np.append(every, np.int32(UNKNOWN))[self.line]
        known, wrong = int((answer >= 0).sum()), self._misfits(name, values, answer)
        if wrong > MOST_MISFITS * known:
            msg = message(
                "column {name} of {raw} must be consistent with the published rows; {wrong} of {known} are not. "
                "Put its lines in their order, or name what sanitize has kept back, by --keep FILE",
                name=name,
                raw=repr(self.raw.name),
                wrong=numeral(wrong),
                known=numeral(known),
            )
            raise InvalidInputError(msg)
        doubt = message(
            "column {name} of {raw} contradicts {wrong} of {known} published rows: it may be about other "
            "people, or in another order",
            name=name,
            raw=repr(self.raw.name),
            wrong=numeral(wrong),
            known=numeral(known),
        )
        return Truth(About.attribute(name), values, answer), (doubt,) if wrong else ()

    def _misfits(self, name: str, values: tuple[str, ...], answer: Int32) -> int:
        """Return the number of rows whose ranges or sets do not contain the declared truth."""
        release = self.read.release
        lines = excluding(release.masked)
        if not published_values.is_published(release, name) or lines is None:
            return 0  # noise and centroids exclude no value
        code = published_values.column_of(release, name, values)
        cells, cell = lines.cells[lines.column(name)], lines.cell_of(name)[published_values.line_of_row(release)]
        at = code if cells.attribute.is_numeric else np.where(code < 0, -2, code).astype(np.int32)
        open_ = cells.fits_all | (np.diff(cells.start) == 0)
        held = lines.likelihood(name, at).at(cell, answer) > 0
        return int(((answer >= 0) & ~held & ~open_[cell]).sum())
