"""Case: a release beside the table it was made of. Quality: what it is still good for. Protocol Utility.

People who were left out of a release count, in every measure, as if they had been published with `*` in each cell.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

import numpy as np

from unmask.arrays import Float64, Int32, Int64, distinct_rows, frozen
from unmask.errors import InvalidInputError, NotApplicableError
from unmask.estimate import Estimate
from unmask.masks.lines import Lines, excluding
from unmask.release import Release
from unmask.table import Table

SUPPRESSED = -1
"""The line, and the group, of a person who was left out."""


@dataclass(frozen=True, slots=True)
class Quality:
    """A measure of utility: the number that stands for all, and the same by attribute, statistic or learner."""

    value: Estimate
    parts: Mapping[str, Estimate] = field(default_factory=dict)

    @classmethod
    def undefined(cls, why: str) -> Quality:
        """Return that there is no such number, and why."""
        return cls(Estimate.undefined(why))

    @classmethod
    def mean(cls, parts: Mapping[str, float], n: float) -> Quality:
        """Return exact numbers about n people, with their plain mean on top."""
        estimates = {name: Estimate.exact(value, n) for name, value in parts.items()}
        return cls(Estimate.exact(float(np.mean(list(parts.values()))), n), estimates)


@dataclass(frozen=True, eq=False)
class PublishedTable:
    """A release, and what the publisher knows beside it: the original people, and where each of them was published.

    Made by `PublishedTable.of`, which finds out where people were published if nobody says so.
    """

    release: Release
    original: Table | None = None  # everybody, people who were left out too
    line_of: Int32 | None = None  # (people,) a line that shows what was published of a person; None: not known
    group_of: Int32 | None = None  # (people,) None: not known
    held_out: Table | None = None  # people who are not in the release
    why_unknown: str = "needs the original table"  # why it is not known where people were published

    def __post_init__(self) -> None:
        for name in ("line_of", "group_of"):
            array = getattr(self, name)
            if array is not None:
                object.__setattr__(self, name, frozen(array, np.int32))

    @classmethod
    def of(
        cls,
        release: Release,
        original: Table | None = None,
        row_of: Int64 | None = None,
        held_out: Table | None = None,
    ) -> PublishedTable:
        """Return a case.

        `row_of`, (people,), is the published row of each person of the original table, -1 left out. Without it,
        people are found by their values: that works where exactly one published combination of cells fits each, as
        after full-domain recoding or a strict partition, and where as many people fit it as were published with it.

        Fails
            With `InvalidInputError` where the parts do not belong together.
        """
        if original is None:
            return cls(release, held_out=held_out)
        missing = [a.name for a in release.masked.attributes if a.name not in original.schema]
        if missing:
            msg = (
                f"the original table must have every quasi-identifier of release {release.name!r}; it lacks "
                f"{', '.join(missing)}. Give the table that the release was made of"
            )
            raise InvalidInputError(msg)
        if row_of is not None:
            return cls(release, original, *_placed(release, original, row_of), held_out)
        line_of, group_of, why = _found(release, original)
        return cls(release, original, line_of, group_of, held_out, why)

    @property
    def lines(self) -> Lines:
        """The published cells, that say what may stand behind them.

        Fails
            With `NotApplicableError` where the quasi-identifiers are not published as cells.
        """
        masked = self.release.masked
        if masked.is_typical:
            msg = f"centroids have no width: squared-error says what release {self.release.name!r} loses"
            raise NotApplicableError(msg)
        if masked.noise:
            msg = f"noise has no width: squared-error says what release {self.release.name!r} loses"
            raise NotApplicableError(msg)
        return masked.lines

    @property
    def published(self) -> Lines:
        """The published cells as an analyst takes them: a centroid or a number with noise stands for its people."""
        return self.release.masked.lines

    @property
    def people(self) -> Float64:
        """How many people each line stands for, (lines,)."""
        group = self.release.masked.group_of_line
        return np.asarray(
            (self.release.size / np.maximum(np.bincount(group, minlength=self.release.n_groups), 1))[group]
        )

    @property
    def n(self) -> float:
        """How many people the release was made of, a row each: those published, and those left out."""
        return float(self.release.size.sum()) + self.release.n_suppressed_rows

    @property
    def n_suppressed(self) -> float:
        """How many people were left out or are shown as nothing but `*`, a row each."""
        return float(self.release.size[self.release.starred].sum()) + self.release.n_suppressed_rows

    def class_sizes(self) -> Float64:
        """Return how many people are published in the same group with the same cells, (looks,); suppressed ones not."""
        masked = self.release.masked
        unsuppressed = ~self.release.starred[masked.group_of_line]
        cells = [masked.cell_of(a.name)[unsuppressed] for a in masked.attributes]
        number, example = distinct_rows(np.stack([masked.group_of_line[unsuppressed], *cells], axis=1))
        return np.bincount(number, self.people[unsuppressed], example.size).astype(np.float64)


class Utility(Protocol):
    """Something that says what a release is still good for."""

    name: ClassVar[str]
    higher_is_better: ClassVar[bool]

    def measure(self, case: PublishedTable, rng: np.random.Generator) -> Quality:
        """Return the number, undefined where the case does not tell enough."""
        ...


def _placed(release: Release, original: Table, row_of: Int64) -> tuple[Int32, Int32]:
    """Return the line and the group of each person, (people,), from the published rows."""
    if row_of.shape != (original.n_rows,) or row_of.max(initial=-1) >= release.n_rows:
        msg = (
            f"the published rows must be told for each of {original.n_rows:,} people, below {release.n_rows:,}; got "
            f"{row_of.size:,} up to {row_of.max(initial=-1):,}. Name the file that the same sanitize wrote"
        )
        raise InvalidInputError(msg)
    group_of = np.append(release.group_of_row, np.int32(SUPPRESSED))[row_of]
    lines = release.masked.group_of_line
    if lines.size == release.n_rows and np.array_equal(lines, release.group_of_row):
        return np.asarray(row_of, np.int32), group_of
    line = np.full(release.n_groups + 1, SUPPRESSED, np.int32)
    line[lines] = np.arange(lines.size)
    return line[group_of], group_of


def _found(release: Release, original: Table) -> tuple[Int32 | None, Int32 | None, str]:
    """Return the line and the group of each person, (people,), by their values; None and why, where that is open."""
    masked = excluding(release.masked)
    if release.masked.noise:
        return None, None, "numbers with noise fit everybody, and nobody said whose row is whose"
    if masked is None:
        return None, None, "quasi-identifiers are not published as cells"
    number, profiles = original.visible(None).profiles()
    start, shape = masked.candidates(masked.points(profiles))
    fits = np.diff(start)
    if (fits > 1).any():
        return None, None, "people fit several published combinations of cells, and nobody said which is theirs"
    shape_of_line, cells = masked.shapes
    own = np.full(profiles.n_rows, SUPPRESSED, np.int32)
    own[fits == 1] = shape
    own = own[number]
    people = np.bincount(own[own >= 0], minlength=cells.shape[0])
    per_line = release.size / np.maximum(np.bincount(masked.group_of_line, minlength=release.n_groups), 1)
    published = np.bincount(shape_of_line, per_line[masked.group_of_line], cells.shape[0])
    if not np.allclose(people, published, rtol=0, atol=0.5):
        return None, None, "the original table has other people than the release: a combination of cells fits too many"
    line = np.full(cells.shape[0] + 1, SUPPRESSED, np.int32)
    line[shape_of_line] = np.arange(shape_of_line.size)
    one_group = masked.members.start
    group = None
    if (np.diff(one_group) == 1).all():
        group = np.append(masked.members.column, np.int32(SUPPRESSED))[own]
    return line[own], group, "" if group is not None else "people with equal values are in several groups"


__all__ = ["SUPPRESSED", "PublishedTable", "Quality", "Utility"]
