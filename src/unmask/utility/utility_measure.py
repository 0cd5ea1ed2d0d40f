"""The utility measure protocol, its input (a release and its original table), and its result.

In every measure, suppressed people count as if they had been published with `*` in each cell.
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
from unmask.number_format import numeral
from unmask.release import Release
from unmask.table import Table
from unmask.wording import message

SUPPRESSED = -1
"""The line, and the group, of a suppressed person."""


@dataclass(frozen=True, slots=True)
class Quality:
    """The result of a utility measure: one number, and its parts by attribute, statistic or learner."""

    value: Estimate
    parts: Mapping[str, Estimate] = field(default_factory=dict)

    @classmethod
    def undefined(cls, why: str) -> Quality:
        """Return an undefined result, with the reason."""
        return cls(Estimate.undefined(why))

    @classmethod
    def mean(cls, parts: Mapping[str, float], n: float) -> Quality:
        """Return exact parts about n people, with their mean as the number."""
        estimates = {name: Estimate.exact(value, n) for name, value in parts.items()}
        return cls(Estimate.exact(float(np.mean(list(parts.values()))), n), estimates)


@dataclass(frozen=True, eq=False)
class PublishedTable:
    """A release and its original table, with the published line and group of each person.

    Made by `PublishedTable.of`, which determines lines and groups from the values if they are not given.
    """

    release: Release
    original: Table | None = None  # all people, suppressed ones included
    line_of: Int32 | None = None  # (people,) a line with the person's published cells; None: unknown
    group_of: Int32 | None = None  # (people,) None: not known
    held_out: Table | None = None  # people who are not in the release
    why_unknown: str = message("needs the original table")  # why lines of people are unknown

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
        """Combine a release with its original table and the people held out.

        `row_of`, (people,), is the published row of each person of the original table, -1 left out. Without it,
        people are assigned by their values. This requires that exactly one published combination of cells matches each
        person, as after full-domain recoding or a strict partition, and that as many people match it as it has rows.

        Fails
            With `InvalidInputError` where the parts do not belong together.
        """
        if original is None:
            return cls(release, held_out=held_out)
        missing = [a.name for a in release.masked.attributes if a.name not in original.schema]
        if missing:
            msg = message(
                "the original table must have every quasi-identifier of release {release}; it lacks {missing}. "
                "Give the table that the release was made of",
                release=repr(release.name),
                missing=", ".join(missing),
            )
            raise InvalidInputError(msg)
        if row_of is not None:
            return cls(release, original, *_placed(release, original, row_of), held_out)
        line_of, group_of, why = _found(release, original)
        return cls(release, original, line_of, group_of, held_out, why)

    @property
    def lines(self) -> Lines:
        """The published cells, as sets of possible values.

        Fails
            With `NotApplicableError` where the quasi-identifiers are not published as cells.
        """
        masked = self.release.masked
        if masked.is_typical:
            msg = message(
                "centroids have no width: use squared-error to measure the loss of release {release}",
                release=repr(self.release.name),
            )
            raise NotApplicableError(msg)
        if masked.noise:
            msg = message(
                "noise has no width: use squared-error to measure the loss of release {release}",
                release=repr(self.release.name),
            )
            raise NotApplicableError(msg)
        return masked.lines

    @property
    def published(self) -> Lines:
        """The published cells at face value: a centroid or a noisy number represents its people."""
        return self.release.masked.lines

    @property
    def people(self) -> Float64:
        """The number of people of each line, (lines,)."""
        group = self.release.masked.group_of_line
        return np.asarray(
            (self.release.size / np.maximum(np.bincount(group, minlength=self.release.n_groups), 1))[group]
        )

    @property
    def n(self) -> float:
        """The number of people of the original table, a row each: published and suppressed."""
        return float(self.release.size.sum()) + self.release.n_suppressed_rows

    @property
    def n_suppressed(self) -> float:
        """The number of suppressed people, a row each; rows of nothing but `*` included."""
        return float(self.release.size[self.release.starred].sum()) + self.release.n_suppressed_rows

    def class_sizes(self) -> Float64:
        """Return the sizes of the sets of people with equal cells in one group, (sets,), without suppressed people."""
        masked = self.release.masked
        unsuppressed = ~self.release.starred[masked.group_of_line]
        cells = [masked.cell_of(a.name)[unsuppressed] for a in masked.attributes]
        number, example = distinct_rows(np.stack([masked.group_of_line[unsuppressed], *cells], axis=1))
        return np.bincount(number, self.people[unsuppressed], example.size).astype(np.float64)


class Utility(Protocol):
    """A utility measure."""

    name: ClassVar[str]
    higher_is_better: ClassVar[bool]

    def measure(self, case: PublishedTable, rng: np.random.Generator) -> Quality:
        """Return the measure; undefined where the input is not sufficient."""
        ...


def _placed(release: Release, original: Table, row_of: Int64) -> tuple[Int32, Int32]:
    """Return the line and the group of each person, (people,), from the published rows."""
    if row_of.shape != (original.n_rows,) or row_of.max(initial=-1) >= release.n_rows:
        msg = message(
            "published rows must be one for each of {people} people, below {rows}; got {size} up to "
            "{highest}. Name the file that the same sanitize wrote",
            people=numeral(original.n_rows),
            rows=numeral(release.n_rows),
            size=numeral(row_of.size),
            highest=numeral(row_of.max(initial=-1)),
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
    """Return the line and the group of each person, (people,), by their values; None and the reason if ambiguous."""
    masked = excluding(release.masked)
    if release.masked.noise:
        return None, None, message("noisy numbers match all people, and the row of each person is unknown")
    if masked is None:
        return None, None, message("quasi-identifiers are not published as cells")
    number, profiles = original.visible(None).profiles()
    start, shape = masked.candidates(masked.points(profiles))
    fits = np.diff(start)
    if (fits > 1).any():
        return (
            None,
            None,
            message("people match several published combinations of cells, and the row of each person is unknown"),
        )
    shape_of_line, cells = masked.shapes
    own = np.full(profiles.n_rows, SUPPRESSED, np.int32)
    own[fits == 1] = shape
    own = own[number]
    people = np.bincount(own[own >= 0], minlength=cells.shape[0])
    per_line = release.size / np.maximum(np.bincount(masked.group_of_line, minlength=release.n_groups), 1)
    published = np.bincount(shape_of_line, per_line[masked.group_of_line], cells.shape[0])
    if not np.allclose(people, published, rtol=0, atol=0.5):
        return (
            None,
            None,
            message("the original table has other people than the release: a combination of cells fits too many"),
        )
    line = np.full(cells.shape[0] + 1, SUPPRESSED, np.int32)
    line[shape_of_line] = np.arange(shape_of_line.size)
    one_group = masked.members.start
    group = None
    if (np.diff(one_group) == 1).all():
        group = np.append(masked.members.column, np.int32(SUPPRESSED))[own]
    return line[own], group, "" if group is not None else message("people with equal values are in several groups")


__all__ = ["SUPPRESSED", "PublishedTable", "Quality", "Utility"]
