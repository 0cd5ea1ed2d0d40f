"""A column of cells split into parts, before its type is decided, and its assembly from parsed pieces."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unmask.arrays import Int32, starts
from unmask.dates import begin_with_day
from unmask.masks.cells import Cells
from unmask.masks.notation import _spellings, date_cells, number_cells
from unmask.masks.notation.label_meaning import NumberLabels
from unmask.masks.notation.number_cells import NUMBER, Piece
from unmask.masks.notation.number_spellings import CellReading, NumberStyle, plain_numeral, tidy
from unmask.schema import Attribute, Missing


@dataclass(frozen=True, slots=True, eq=False)
class CellsRead:
    """The distinct cells of a column, the cell of each text, and notes for the reader."""

    cells: Cells  # in content order; `cells.attribute` has the inferred domain
    cell_of: Int32  # (texts,)
    notes: tuple[str, ...] = ()
    column: Column | None = None  # the parts of the texts; None: each is one value, as it is written
    respelled: frozenset[str] = frozenset()  # the texts that stand for people's values in another spelling
    unmatched: frozenset[str] = frozenset()  # the texts of listed values that no person has


@dataclass(frozen=True)
class Column:
    """A column of cells split into body, missing part `|?` and `*`."""

    attribute: Attribute
    bodies: tuple[str, ...]  # (texts,) without the missing part; empty where nothing is left
    missing: tuple[bool, ...]  # (texts,)
    anything: tuple[bool, ...]  # (texts,)
    also: frozenset[str]  # values of people
    decimal: str
    level: int | None = None  # of the hierarchy, where all cells are its labels
    dates: bool = False  # cells and people are dates
    cells: CellReading | None = None  # how they are declared to be read

    @cached_property
    def day_first(self) -> bool | None:
        """Whether dates with slashes begin with the day; None: ambiguous."""
        return begin_with_day([*self.bodies, *self.also])

    def parse(self, text: str) -> list[Piece] | None:
        """Return the pieces of a cell or a value of people; None where it is no number, or no date."""
        if self.dates:
            return date_cells.parse(text.strip(), day_first=self.day_first)
        return number_cells.parse(tidy(text, self.style))

    @cached_property
    def style(self) -> NumberStyle:
        """How the cells write numbers; where 1.000 may be a thousand, the reading that covers more people."""
        usual, other = self.styles
        return usual if usual == other else max((usual, other), key=self._covered)

    @cached_property
    def styles(self) -> tuple[NumberStyle, NumberStyle]:
        """The usual style of the cells, and another possible one."""
        return NumberStyle.of(self.distinct_bodies, self.decimal, self.also, self.cells)

    @property
    def is_decided_by_people(self) -> bool:
        """Whether one style covers more people than the other."""
        usual, other = map(self._covered, self.styles)
        return usual != other

    def _covered(self, style: NumberStyle) -> int:
        """Return how many numbers of people lie between the extreme ends of the cells."""
        read = (number_cells.parse(tidy(body, style)) or () for body in self.distinct_bodies)
        ends = number_cells.ends(piece for pieces in read for piece in pieces)
        known = (number for number in self.people if number is not None)
        return sum(min(ends) <= number <= max(ends) for number in known) if ends else 0

    @property
    def distinct_bodies(self) -> list[str]:
        """The distinct texts that are neither missing nor `*`."""
        return list(dict.fromkeys(body for body in self.bodies if body))

    @cached_property
    def declared(self) -> Mapping[str, tuple[int, int]]:
        """Level and number of each text that is a label of the hierarchy, but no leaf.

        Of labels of the same name the one of the common level of all cells counts, else the finest.
        """
        hierarchy = self.attribute.hierarchy
        if hierarchy is None:
            return {}
        placed = ((body, hierarchy.place(body, self.level)) for body in self.distinct_bodies)
        return {body: place for body, place in placed if place is not None and place[0] > 0}

    @cached_property
    def number_labels(self) -> NumberLabels | None:
        """The numbers of the labels of the hierarchy; None without a hierarchy."""
        return None if self.attribute.hierarchy is None else NumberLabels(self.attribute.hierarchy, self.dates)

    @cached_property
    def hiding(self) -> frozenset[str]:
        """The labels that may be a missing value: the hierarchy has its mark as a leaf."""
        hierarchy = self.attribute.hierarchy
        mark = None if hierarchy is None else hierarchy.place(self.attribute.mark)
        if hierarchy is None or mark is None or mark[0] > 0:
            return frozenset()
        return frozenset(body for body, place in self.declared.items() if mark[1] in hierarchy.under(*place))

    @property
    def words(self) -> list[str]:
        """The values of people that are not numbers, without the missing part."""
        bodies = (text.strip().removesuffix(f"|{self.attribute.mark}").rstrip() for text in self.also)
        return [body for body in bodies if body and not NUMBER.fullmatch(plain_numeral(body, self.decimal))]

    @property
    def people_have_labels(self) -> bool:
        """Whether values of people are ranges or labels, like cells."""
        published = set(self.bodies)
        return any(text in published or _spellings.number_pieces(text, self.style) for text in self.words)

    def alike(self, body: str) -> frozenset[str]:
        """Return the values of people with the same text as a cell, with or without the missing part."""
        return self.also & {body, f"{body}|{self.attribute.mark}"}

    @property
    def people(self) -> list[float | None]:
        """The values of people as numbers, the first and last day of a date; None for other values."""
        if self.dates:
            read = (piece for text in self.also for piece in self.parse(text) or ())
            return [end for piece in read for end in (piece.low, piece.high - piece.high_open) if np.isfinite(end)]
        tidied = (plain_numeral(text, self.decimal) for text in self.also)
        return [float(text) if NUMBER.fullmatch(text) else None for text in tidied]


def apart(
    attribute: Attribute,
    texts: Sequence[str],
    also: frozenset[str],
    decimal: str,
    level: int | None = None,
    cells: CellReading | None = None,
) -> Column:
    """Split the texts of a column into parts."""
    mark, suffix = attribute.mark, "|" + attribute.mark
    known = also if attribute.hierarchy is None else also.union(*attribute.hierarchy.labels, attribute.hierarchy.leaves)
    masks = {} if cells == "labels" else _spellings.masks((text.strip() for text in texts), known)
    wildcard = attribute.missing is Missing.WILDCARD
    bodies, missing, anything = [], [], []
    for text in texts:
        body = text.strip()
        absent = body in (mark, "")
        if absent:
            body = ""
        elif body.endswith(suffix):
            absent, body = True, body.removesuffix(suffix).rstrip()
        body = masks.get(body, body)
        stars = bool(body) and not body.strip("*")
        bodies.append("" if stars else body)
        missing.append(absent)
        anything.append(stars or (wildcard and absent and not body))
    return Column(attribute, tuple(bodies), tuple(missing), tuple(anything), also, decimal, level, cells=cells)


def assembled(
    column: Column,
    attribute: Attribute,
    read: Mapping[str, list[Piece]],
    *notes: str,
    label: Collection[str] = (),
    respelled: frozenset[str] = frozenset(),
    unmatched: frozenset[str] = frozenset(),
) -> CellsRead:
    """Return distinct cells from the pieces of each text; texts in `label` keep their label when published."""
    pieces = [read[body] if body else [] for body in column.bodies]
    flat = [piece for own in pieces for piece in own]
    every = Cells(
        attribute,
        starts(np.array([len(own) for own in pieces], np.int64)),
        np.array([piece.low for piece in flat], np.float64),
        np.array([piece.high for piece in flat], np.float64),
        np.array([piece.low_open for piece in flat], bool),
        np.array([piece.high_open for piece in flat], bool),
        np.array(
            [gone or body in column.hiding for body, gone in zip(column.bodies, column.missing, strict=True)], bool
        ),
        np.array(column.anything, bool),
        tuple(body if body in label else "" for body in column.bodies) if label else (),
    )
    cells, cell_of = every.ordered(by_label=True)
    return CellsRead(cells, cell_of, notes, column, respelled, unmatched)
