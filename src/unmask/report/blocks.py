"""Building blocks of a page: sections of tables, charts and panels. Text only; the template turns it into HTML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from string import ascii_lowercase
from typing import Literal

from unmask.estimate import Estimate
from unmask.report.numbers import SHORT_SOURCES, SOURCES, UNDEFINED, Kind, bare, half_width, has_interval
from unmask.wording import text

Mark = Literal["bar", "line", "upright", "ring", "diamond", "circle", "square", "triangle"]
"""How an entry of a legend is drawn."""


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell of a table: its text, a share beside it, and small text below."""

    text: str
    small: str = ""
    share: str = ""
    hint: str = ""
    state: Literal["", "kept", "broken", "open"] = ""  # colors the text and puts a sign before it


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table: its head and its cells."""

    head: TableCell
    cells: tuple[TableCell, ...]
    kind: Literal["", "minor", "attack"] = ""


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A table whose first column holds the heads of rows; `spans` group the others under common titles."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[Row, ...]
    spans: tuple[tuple[str, int], ...] = ()
    texts: int = 0  # how many columns after the first hold text, not numbers
    note: str = ""

    @property
    def undefined(self) -> tuple[str, ...]:
        """Why numbers of this table are not defined."""
        whys = (one.hint for row in self.rows for one in row.cells if one.text == text(UNDEFINED))
        return tuple(dict.fromkeys(why for why in whys if why))

    @property
    def roomy(self) -> bool:
        """Whether there is room for shares beside their numbers."""
        return len(self.head) - self.texts <= 6


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawn chart, its caption, its legend (color, mark, text), and its table."""

    svg: str
    caption: str
    legend: tuple[tuple[str, Mark, str], ...] = ()
    table: ReportTable | None = None
    place: Literal["folded", "below", "beside"] = "folded"  # position of the table


@dataclass(frozen=True, slots=True)
class Panel:
    """The results of one attacker, with their assumed knowledge."""

    title: str
    assumes: str
    table: ReportTable
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Definition:
    """A word with its meaning; sentences of a page lead to its anchor."""

    anchor: str
    term: str
    meaning: str


@dataclass(frozen=True, slots=True)
class SectionPart:
    """A part of a section: text, panels side by side, charts and tables, some of it folded away."""

    text: tuple[str, ...] = ()
    panels: tuple[Panel, ...] = ()
    figures: tuple[Chart, ...] = ()
    tables: tuple[ReportTable, ...] = ()
    folded: str = ""  # the title under which it is folded away
    commands: tuple[str, ...] = ()  # lines to type
    definitions: tuple[Definition, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A titled part of the page."""

    anchor: str
    title: str
    label: str = ""  # the regulators' word
    parts: tuple[SectionPart, ...] = ()
    inner: tuple[Section, ...] = field(default=())
    folded: bool = False  # its content is shown on demand, and not printed unless it is open
    number: str = ""  # by which lists of questions name it, also on paper


def numbered(sections: Iterable[Section]) -> Iterator[Section]:
    """Number sections from 1, and those inside them that are not folded: 2a, which is no number with a decimal mark."""
    for i, section in enumerate(sections, 1):
        letters = zip(section.inner, ascii_lowercase, strict=False)
        inner = tuple(one if one.folded else replace(one, number=f"{i}{letter}") for one, letter in letters)
        inner += section.inner[len(inner) :]
        yield replace(section, number=str(i), inner=inner)


def cell(estimate: Estimate, kind: Kind) -> TableCell:
    """Return the cell for a number: its interval small below it, in words where it is not defined."""
    if estimate.value is None:
        return TableCell(text(UNDEFINED), hint=text(estimate.why))
    hint = text(SOURCES[estimate.source]) if has_interval(estimate) else ""
    share = bare(estimate.value / estimate.n, "share") if kind == "people" and estimate.n else ""
    about = text(SHORT_SOURCES.get(estimate.source, ""))
    half = half_width(estimate, kind)
    return TableCell(bare(estimate.value, kind), f"{half}, {about}" if half and about else half, share, hint)


def texts(values: Sequence[str]) -> tuple[TableCell, ...]:
    """Return cells of plain text."""
    return tuple(TableCell(value) for value in values)
