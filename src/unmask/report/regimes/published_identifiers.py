"""HIPAA Safe Harbor's view of published columns, beside the 18 kinds of identifiers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from unmask.inspection.safe_harbor import KINDS, SafeHarbor
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell, texts
from unmask.wording import text


@dataclass(frozen=True, slots=True)
class PublishedColumn:
    """A published column, and the kind of identifier that it seems to hold."""

    release: str
    name: str
    harbor: SafeHarbor | None  # None: no kind was recognized, which does not mean that it holds none


def section(columns: Sequence[PublishedColumn], anchor: str) -> Section:
    """Return the check of each published column, and the 18 kinds with the columns that seem to hold them."""
    meaning = text(
        "By names and contents of the published columns. A kind that is not recognized may still be there: this check "
        "does not certify Safe Harbor."
    )
    head = (text("Column"), text("Kind"), text("What Safe Harbor asks"))
    by_column = ReportTable(text("Published columns"), head, tuple(_columns(columns)), texts=2)
    head_of_kinds = (text("Kind"), text("Columns"))
    kinds = ReportTable(text("The 18 kinds of identifiers"), head_of_kinds, tuple(_kinds(columns)), texts=1)
    return Section(
        anchor, text("Safe Harbor, column by column"), parts=(SectionPart((meaning,), tables=(by_column, kinds)),)
    )


def _columns(columns: Sequence[PublishedColumn]) -> Iterator[Row]:
    for one in columns:
        found = one.harbor
        cells = (text("none recognized"), "–")
        if found is not None:
            cells = (f"({found.letter}) {text(found.kind)}", text(found.remedy))
        yield Row(TableCell(one.name, one.release), texts(cells))


def _kinds(columns: Sequence[PublishedColumn]) -> Iterator[Row]:
    for letter, kind in KINDS.items():
        holding = [one.name for one in columns if one.harbor is not None and one.harbor.letter == letter]
        names = ", ".join(dict.fromkeys(holding)) or text("none recognized")
        yield Row(TableCell(f"({letter}) {text(kind)}"), texts((names,)))
