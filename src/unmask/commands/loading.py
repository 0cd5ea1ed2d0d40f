"""Reading the user's table and roles: what every command begins with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from unmask.files.raw import MISSING, Raw
from unmask.files.reading import read
from unmask.files.roles import Roles
from unmask.files.tables import to_table
from unmask.schema import Role
from unmask.table import Table

Source = str | Path | Any
"""A file, `-` for standard input, or a data frame."""


Reading: TypeAlias = Mapping[str, Any]
"""Options of every command that reads a table: those of `Roles.with_options`, and encoding, delimiter, decimal."""

_OF_THE_FILE = ("encoding", "delimiter", "decimal")


@dataclass(frozen=True, slots=True, eq=False)
class Loaded:
    """A table of people, the raw one it came from, its roles, and what to tell the user."""

    table: Table
    raw: Raw
    roles: Roles
    notes: tuple[str, ...]


def roles_of(data: Source | None, roles: Roles | str | Path | None, options: Reading) -> tuple[Roles, list[str]]:
    """Return the roles that options and `roles.toml` declare; one that lies beside the table is found by itself."""
    notes = []
    declared = roles
    if declared is None and isinstance(data, (str, Path)) and str(data) != "-":
        beside = Path(data).parent / "roles.toml"
        if beside.is_file():
            notes.append(f"roles from {beside}")
            declared = beside
    found = Roles() if declared is None else declared if isinstance(declared, Roles) else Roles.from_toml(declared)
    given = {key: value for key, value in options.items() if key not in _OF_THE_FILE and value}
    return found.with_options(**given), notes


def raw_of(data: Source, roles: Roles, options: Reading) -> Raw:
    """Read a table as it is."""
    if isinstance(data, Raw):
        return data
    missing = MISSING if roles.missing is None else tuple({*MISSING, *roles.missing})
    return read(
        data,
        missing=missing,
        encoding=options.get("encoding"),
        delimiter=options.get("delimiter"),
        decimal=options.get("decimal"),
    )


def load(
    data: Source,
    roles: Roles | str | Path | None = None,
    options: Reading | None = None,
    *,
    require: Iterable[Role] = (Role.QUASI_IDENTIFIER, Role.SENSITIVE),
) -> Loaded:
    """Read a table and the roles of its columns.

    Fails
        With `InvalidInputError` where either cannot be read, or the two do not belong together.
    """
    given = options or {}
    declared, notes = roles_of(data, roles, given)
    raw = raw_of(data, declared, given)
    coded = to_table(raw, declared, require=require)
    return Loaded(coded.table, raw, declared, (*notes, *raw.notes, *coded.notes))
