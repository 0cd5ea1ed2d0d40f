"""The section on columns: which are published, in which form and role, and which are withheld."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from unmask.auditing.findings import ReleaseFacts
from unmask.auditing.published_forms import ColumnForm, WithheldColumn
from unmask.report import words
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell
from unmask.report.numbers import count

FEW = 14
"""Up to so many columns have a line each; more are put together by role and form."""

_HEAD = ("Column", "Role", "Published as")
_MEANING = {
    "quasi-identifier": "an intruder may know it",
    "sensitive": "must not be inferred",
    "insensitive": "published as it is; counts as known",
    "person-key": "marks the rows of a person",
    "identifier": "identifies people directly",
    "weight": "how many people a row represents",
    "household": "marks people who live together",
    "drop": "left out on purpose",
    "no role": "declared by nobody",
}


def section(releases: Sequence[ReleaseFacts]) -> Section:
    """Return the columns of each release; releases with the same columns share a table."""
    alike: dict[tuple[tuple[ColumnForm, ...], tuple[WithheldColumn, ...] | None], list[str]] = {}
    for facts in releases:
        alike.setdefault((facts.published, facts.withheld), []).append(facts.name)
    parts = []
    for i, ((published, withheld), names) in enumerate(alike.items()):
        table = ReportTable(f"Columns of {words.listed(names)}", _HEAD, tuple(_rows(published)), texts=2)
        tables = (table,) if published else ()
        parts.append(SectionPart((_withheld(withheld),), tables=tables, folded="" if i == 0 else table.caption))
    return Section("published", "Which columns are published, and which are withheld", parts=tuple(parts))


def _rows(published: Sequence[ColumnForm]) -> Iterator[Row]:
    if len(published) <= FEW:
        for one in published:
            yield Row(TableCell(one.name), (_role(one), TableCell(one.form)), "attack")
        return
    together: dict[tuple[TableCell, str], list[str]] = {}
    for one in published:
        form = re.sub(r" in (under )?\d+ % of rows", "", one.form)
        together.setdefault((_role(one), form), []).append(one.name)
    for (role, form), names in together.items():
        yield Row(TableCell(", ".join(names), f"{count(len(names))} columns"), (role, TableCell(form)), "attack")


def _role(one: ColumnForm | WithheldColumn) -> TableCell:
    role = "no role" if one.role is None else str(one.role)
    return TableCell(role, _MEANING[role])


def _withheld(withheld: Sequence[WithheldColumn] | None) -> str:
    if withheld is None:
        return "Withheld columns are not known: the original table was not given."
    if not withheld:
        return "No column of the original is withheld."
    by_role: dict[str, list[str]] = {}
    for one in withheld:
        by_role.setdefault("no role" if one.role is None else str(one.role), []).append(one.name)
    listed = "; ".join(f"{', '.join(names)} ({role})" for role, names in by_role.items())
    return f"Withheld, {count(len(withheld))} column{'s'[: len(withheld) != 1]}: {listed}."
