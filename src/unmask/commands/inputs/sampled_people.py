"""The people of a table or release, and their population risk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from unmask.commands.inputs.reader import Reader
from unmask.commands.inputs.reading_options import Source
from unmask.errors import InvalidInputError, alternatives
from unmask.files.databases.dsn import is_dsn
from unmask.files.keys import nameless
from unmask.files.likely_keys import unit_notes
from unmask.files.people import names_in
from unmask.files.published import ReadRelease
from unmask.files.raw import Raw
from unmask.files.tables import to_table
from unmask.population.assessment import PopulationRisk, population_risk
from unmask.population.published_people import require_people
from unmask.release import Release
from unmask.schema import Role
from unmask.table import Table
from unmask.unit import Unit
from unmask.wording import joined, message

EXTRA = (Role.PERSON_KEY, Role.HOUSEHOLD, Role.WEIGHT)


@dataclass(frozen=True, slots=True, eq=False)
class SampledPeople:
    """The population risk of the people of a table or release, with their names."""

    risk: PopulationRisk
    attributes: tuple[str, ...]
    names: Callable[[], Sequence[str]]  # (rows,) person keys, else lines from 0; made when asked for
    unit: Unit = Unit.PEOPLE


def share_of(text: str | float) -> float:
    """Read the share of the population that a file is: 0.1, 10% or 30162/317238626.

    Fails
        With `InvalidInputError` unless it lies above 0 and is at most 1.
    """
    written = str(text).strip()
    try:
        if "/" in written:
            over, under = written.split("/")
            share = float(over) / float(under)
        else:
            share = float(written.removesuffix("%")) / (100 if written.endswith("%") else 1)
    except (ValueError, ZeroDivisionError):
        share = float("nan")
    if not 0 < share <= 1:
        msg = message(
            "--sampled must be the share of the population that is in the file, above 0, at most 1; got "
            "{written}. Write 0.1, 10% or PEOPLE/POPULATION, as in 30162/317238626",
            written=repr(written),
        )
        raise InvalidInputError(msg)
    return share


def people_sampled(
    reader: Reader, source: Source, read: ReadRelease, *,
    sampled: str | float | None, population: Raw | None, fits: Table | None,
) -> SampledPeople:  # fmt: skip
    """Estimate the population risk of the people of a raw table, or of a release.

    `population` is the table of the population as written, and `fits` the same table, coded as the release.
    """
    roles, notes = reader.roles, reader.notes
    share = None if sampled is None else share_of(sampled)
    if share is not None and population is not None:
        msg = message(
            "--sampled must not come with --population, which tells how many people there are; got both. Leave one out"
        )
        raise InvalidInputError(msg)
    release = read.release
    require_people(release)
    if isinstance(source, Release) or not (release.masked.is_exact and _is_one_table(source)) or release.starred.any():
        declared = [role for role in EXTRA if roles.having(role)]
        if declared:
            what = alternatives(str(role) for role in declared)
            notes.add(
                message(
                    "population risk: a {what} column changes nothing for a generalized release, only for a raw table",
                    what=what,
                )
            )
        found = population_risk(release, sampled=share, population=fits)
        attributes, n_rows = tuple(a.name for a in release.schema.quasi), found.keys.number.size
        return SampledPeople(found, attributes, lambda: _lines_of(read, n_rows), release.unit)
    raw = read.table  # where no cell is suppressed, a table of people is read as a release is
    if raw is None or any(column.has_stars for column in raw.columns.values()):
        raw = reader.silent().raw(source)  # its notes were added with the release
    table = to_table(raw, roles, require=(Role.QUASI_IDENTIFIER,))
    notes.add(*unit_notes(raw, roles))
    notes.add(*(note for name in roles.having(Role.HOUSEHOLD)
                for note in nameless(name, raw[name], Role.HOUSEHOLD)))  # fmt: skip
    outside = None
    if population is not None:
        quasi = {name: roles.of_column(name) for name in roles.having(Role.QUASI_IDENTIFIER)}
        keys = {name: roles.of_column(name) for name in roles.having(Role.PERSON_KEY) if name in population.columns}
        as_declared = roles.model_copy(update={"columns": quasi | keys})
        outside = to_table(population, as_declared, require=(Role.QUASI_IDENTIFIER,))
        notes.add(*(joined([population.name, text], ": ") for text in population.notes))
    found = population_risk(table, sampled=share, population=outside)
    keyed = roles.having(Role.PERSON_KEY)
    key, n_rows, unit = raw[keyed[0]] if keyed else None, table.n_rows, Unit.of(table.person_of)
    attributes = tuple(a.name for a in table.schema.quasi)
    return SampledPeople(found, attributes, lambda: _numbered(n_rows) if key is None else names_in(key), unit)


def _numbered(n_rows: int) -> tuple[str, ...]:
    return tuple(map(str, range(n_rows)))


def _lines_of(read: ReadRelease, n_rows: int) -> tuple[str, ...]:
    """Return the line in the file of each published row that is not suppressed; none unless there are `n_rows`."""
    release = read.release
    line = np.empty(release.n_rows, np.int64)
    line[read.row_of] = np.arange(read.row_of.size)
    line = line[~release.starred[release.group_of_row]]  # suppressed rows are not among these people
    return tuple(map(str, line.tolist())) if line.size == n_rows else ()


def _is_one_table(source: Source) -> bool:
    """Whether a source is one table, not a folder or the two tables of Anatomy."""
    return not isinstance(source, (str, Path)) or is_dsn(source) or Path(source).is_file()
