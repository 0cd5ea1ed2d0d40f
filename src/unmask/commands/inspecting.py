"""`unmask.inspect`: propose the roles of a table's columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from unmask.commands.inputs.parameters import public
from unmask.commands.inputs.reader import Reader
from unmask.commands.inputs.reading_options import Source
from unmask.commands.notes import Notes
from unmask.commands.results import PageReport
from unmask.files.databases.dsn import of_table
from unmask.files.missing_hints import missing_hints
from unmask.files.roles import ColumnRole, Roles
from unmask.files.writing import write_file
from unmask.inspection.roles_draft import roles_draft
from unmask.inspection.table_inspection import TableInspection, inspect_table
from unmask.number_format import numeral
from unmask.wording import plural


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class InspectedTable(PageReport):
    """The inspection of a table, with the notes of reading it.

    The data frame has a line for each column of the table.
    """

    inspection: TableInspection
    notes: tuple[str, ...] = ()

    @property
    def roles(self) -> Roles:
        """The proposed roles, for other functions; `write` gives more: types, levels and reasons."""
        return Roles(columns={one.name: ColumnRole(role=one.role) for one in self.inspection.columns})

    def __str__(self) -> str:
        from unmask.report.inspection import to_text  # noqa: PLC0415 - reports are loaded where one is made

        return to_text(self.inspection)

    def to_toml(self) -> str:
        """Return the proposals as a commented `roles.toml`."""
        return roles_draft(self.inspection)

    def to_json(self) -> str:
        """Return the inspection as a JSON document, as `--json` writes it."""
        from unmask.report.inspection import to_json  # noqa: PLC0415 - as above

        return to_json(self.inspection)

    def to_html(self) -> str:
        """Return the inspection as a self-contained page, as `--html` writes it."""
        from unmask.report.inspection import to_html  # noqa: PLC0415 - as above

        return to_html(self.inspection)

    def write(self, out: str | Path, *, force: bool = False) -> None:
        """Write the commented `roles.toml`, whole or not at all."""
        write_file(out, self.to_toml(), force=force)

    def _table(self) -> pa.Table:
        return pa.Table.from_pylist(
            [
                {
                    "column": one.name, "role": str(one.role), "reason": one.proposal.reason, "type": one.profile.type,
                    "distinct": one.profile.distinct, "missing": one.profile.missing, "hierarchy": one.hierarchy,
                    "safe_harbor": None if one.harbor is None else one.harbor.kind,
                }
                for one in self.inspection.columns
            ],
            schema=_COLUMNS,
        )  # fmt: skip

    def _facts(self) -> str:
        found = self.inspection
        columns = len(found.columns)
        return plural(
            "{found}, {rows} rows, {columns} column",
            "{found}, {rows} rows, {columns} columns",
            columns,
            found=found.name,
            rows=numeral(found.unit.rows),
            columns=columns,
        )


_COLUMNS = pa.schema(
    {
        **dict.fromkeys(("column", "role", "reason", "type"), pa.string()),
        **dict.fromkeys(("distinct", "missing"), pa.int64()),
        **dict.fromkeys(("hierarchy", "safe_harbor"), pa.string()),
    }
)


@public
def inspect(
    data: Source,
    *,
    table: str | None = None,
    missing: str | Iterable[str] = (),
    encoding: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    skip_lines: int | None = None,
    sheet: str | None = None,
) -> InspectedTable:
    """Propose the role of each column with a reason, and count what singles people out.

    The result has the proposed roles, the unit of protection, the kinds of HIPAA Safe Harbor, functional dependencies,
    and the sets of up to three columns that single people out. It never proposes to publish a column unchanged.

    Parameters
    ----------
    data
        Table to inspect: a file, a database, or a data frame.

    Fails
        With `InvalidInputError` where the table cannot be read.
    """
    notes = Notes()
    reader = Reader.of(
        Roles(),
        notes,
        missing=missing,
        encoding=encoding,
        delimiter=delimiter,
        decimal=decimal,
        skip_lines=skip_lines,
        sheet=sheet,
    )
    raw = reader.raw(of_table(data, table))
    notes.add(*raw.notes, *missing_hints(raw, Roles()))
    return InspectedTable(inspect_table(raw), notes.texts)
