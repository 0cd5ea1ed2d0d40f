"""The section on columns: which are published, in which form and role, and which are withheld."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unmask.auditing.findings import ReleaseFacts
from unmask.auditing.published_forms import ColumnForm, WithheldColumn
from unmask.report import words
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell
from unmask.report.numbers import count
from unmask.wording import marked, plural, text

FEW = 14
"""Up to so many columns have a line each; more are put together by role and form."""

_NO_ROLE = marked("no role")
_MEANING = {
    "quasi-identifier": marked("an intruder may know it"),
    "sensitive": marked("must not be inferred"),
    "insensitive": marked("published as it is; counts as known"),
    "person-key": marked("marks the rows of a person"),
    "identifier": marked("identifies people directly"),
    "weight": marked("how many people a row represents"),
    "household": marked("marks people who live together"),
    "drop": marked("left out on purpose"),
    _NO_ROLE: marked("declared by nobody"),
}


def section(releases: Sequence[ReleaseFacts], *, with_changes: bool = False) -> Section:
    """Return the columns of each release; releases with the same columns share a table.

    With `with_changes`, it says how a changed column is attacked, where no advice has measured that.
    """
    alike: dict[tuple[tuple[ColumnForm, ...], tuple[WithheldColumn, ...] | None], list[str]] = {}
    for facts in releases:
        alike.setdefault((facts.published, facts.withheld), []).append(facts.name)
    parts = []
    head = (text("Column"), text("Role"), text("Published as"))
    for i, ((published, withheld), names) in enumerate(alike.items()):
        caption = text("Columns of {releases}", releases=words.quoted(names))
        table = ReportTable(caption, head, tuple(_rows(published)), texts=2)
        tables = (table,) if published else ()
        alone = tuple(_alone(facts) for facts in releases if facts.name in names)
        changes = (text(_CHANGES),) if with_changes and i == 0 else ()
        sentences = (_withheld(withheld), *filter(None, alone), *changes)
        parts.append(SectionPart(sentences, tables=tables, folded="" if i == 0 else table.caption))
    return Section("published", text("Which columns are published, and which are withheld"), parts=tuple(parts))


_CHANGES = marked(
    "What if a column is dropped or coarser? Not measured here. The audit with --withhold COLUMN or --coarser COLUMN "
    "attacks the release again without it, or with coarser values."
)


def _rows(published: Sequence[ColumnForm]) -> Iterator[Row]:
    if len(published) <= FEW:
        for one in published:
            yield Row(TableCell(one.name), (_role(one), TableCell(text(one.form))), "attack")
        return
    together: dict[tuple[TableCell, str], list[str]] = {}
    for one in published:
        together.setdefault((_role(one), text(one.brief or one.form)), []).append(one.name)
    for (role, form), names in together.items():
        yield Row(
            TableCell(", ".join(names), plural("{n} column", "{n} columns", len(names), n=count(len(names)))),
            (role, TableCell(form)),
            "attack",
        )


def _role(one: ColumnForm | WithheldColumn) -> TableCell:
    role = _NO_ROLE if one.role is None else str(one.role)
    return TableCell(text(role), text(_MEANING[role]))


def _alone(facts: ReleaseFacts) -> str:
    """Return how many rows are alone by all published columns, which no attack without the sensitive ones uses."""
    found = None if facts.columns is None else facts.columns.by_all
    if facts.columns is None or found is None or not found.unique or not facts.columns.sensitive:
        return ""
    return plural(
        "Who also knew the {columns} of the people would find {n} row of “{release}” alone by all published columns.",
        "Who also knew the {columns} of the people would find {n} rows of “{release}” alone by all published columns.",
        found.unique, n=count(found.unique), columns=words.listed(facts.columns.sensitive), release=facts.name,
    )  # fmt: skip


def _withheld(withheld: Sequence[WithheldColumn] | None) -> str:
    if withheld is None:
        return text("Withheld columns are not known: the original table was not given.")
    if not withheld:
        return text("No column of the original is withheld.")
    by_role: dict[str, list[str]] = {}
    for one in withheld:
        by_role.setdefault(_NO_ROLE if one.role is None else str(one.role), []).append(one.name)
    listed = "; ".join(f"{', '.join(names)} ({text(role)})" for role, names in by_role.items())
    n = len(withheld)
    return plural(
        "Withheld, {n} column: {columns}.", "Withheld, {n} columns: {columns}.", n, n=count(n), columns=listed
    )
