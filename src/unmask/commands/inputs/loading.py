"""Reading the user's table, roles and releases: what every command begins with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias, TypedDict, Unpack, cast

import numpy as np

from unmask.commands.notes import Notes
from unmask.commands.resuming import begin_with, begun_with
from unmask.errors import InvalidInputError
from unmask.files.databases.dsn import Dsn, is_dsn
from unmask.files.likely_keys import unit_notes
from unmask.files.missing_hints import missing_hints
from unmask.files.published import ReadRelease
from unmask.files.raw import MISSING, SUPPRESSED, Raw
from unmask.files.reading import read
from unmask.files.releases import generalized, read_release, release_names
from unmask.files.roles import Assignments, Roles
from unmask.files.tables import to_table
from unmask.masks.noise_told import told_of_noise
from unmask.release import Release
from unmask.schema import Role
from unmask.streams import fresh_seed
from unmask.table import Table
from unmask.view import Attack, ComparesValues

Source: TypeAlias = str | Path | Any
"""A file, `-` for standard input, a DSN with what is read of the database (`sqlite:///people.db#register`), or a data
frame (pandas, Polars, Arrow, a mapping of columns)."""

Settings: TypeAlias = Mapping[str, Any]
"""Settings of an algorithm, as `--set KEY=VALUE` gives them."""


class Reading(TypedDict, total=False):
    """Options of every command that reads a table, called as on the command line."""

    quasi: str | Iterable[str]
    sensitive: str | Iterable[str]
    identifier: str | Iterable[str]
    insensitive: str | Iterable[str]
    person_key: str | None
    household: str | None
    weight: str | None
    rest: str | None
    hierarchy: Assignments
    order: Assignments
    bins: Assignments
    harmless: Assignments
    missing: str | Iterable[str]
    missing_policy: str | None
    encoding: str | None
    delimiter: str | None
    decimal: str | None


_OF_THE_FILE = ("encoding", "delimiter", "decimal")
_LISTS = ("quasi", "sensitive", "identifier", "insensitive", "hierarchy", "order", "bins", "harmless", "missing")


@dataclass(frozen=True, slots=True, eq=False)
class Loaded:
    """A table of people, the raw one it came from, and its roles."""

    table: Table
    raw: Raw
    roles: Roles


def given(**options: Unpack[Reading]) -> Reading:
    """Return the options that were given; a single text counts as a list of one."""
    found = {k: [v] if isinstance(v, str) and k in _LISTS else v for k, v in options.items() if v is not None}
    return cast("Reading", {key: value for key, value in found.items() if not _is_empty(value)})


def roles_of(data: Source | None, roles: Roles | str | Path | None, options: Reading, notes: Notes) -> Roles:
    """Return the roles that options and `roles.toml` declare; one that lies beside the table is found by itself."""
    declared = roles
    if declared is None and (folder := _folder_of(data)) is not None:
        beside = folder / "roles.toml"
        if beside.is_file():
            notes.aside(f"roles from {beside}")
            declared = beside
    found = Roles() if declared is None else declared if isinstance(declared, Roles) else Roles.from_toml(declared)
    declaring: dict[str, Any] = {key: value for key, value in options.items() if key not in _OF_THE_FILE}
    return found.with_options(**declaring)


def raw_of(data: Source, roles: Roles, options: Reading) -> Raw:
    """Read a table of people as it is; `*` is a value that is not told."""
    if isinstance(data, Raw):
        return data
    return read(data, missing=(*_marks(roles), SUPPRESSED), **_of_the_file(options))


def _marks(roles: Roles) -> Iterable[str]:
    """Return what counts as missing."""
    return MISSING if roles.missing is None else roles.missing


def load(
    data: Source,
    roles: Roles,
    options: Reading,
    notes: Notes,
    *,
    require: Iterable[Role] = (Role.QUASI_IDENTIFIER, Role.SENSITIVE),
) -> Loaded:
    """Read a table by the roles of its columns.

    Fails
        With `InvalidInputError` where it cannot be read, or the roles do not belong to it.
    """
    raw = raw_of(data, roles, options)
    notes.add(
        *raw.notes, *filter(None, [_no_longer_missing(raw, roles)]), *missing_hints(raw, roles), *unit_notes(raw, roles)
    )
    coded = to_table(raw, roles, require=require)
    notes.add(*coded.notes)
    return Loaded(coded.table, raw, roles)


def uncounted(loaded: Loaded) -> Iterator[str]:
    """Say how the people of a table are counted: weights count nobody here, several rows of a person are one."""
    if loaded.roles.having(Role.WEIGHT):
        yield "weights are ignored here: the people of this table are counted, one each"
    if loaded.table.person_of is not None:
        people = np.unique(loaded.table.person_of).size
        if people < loaded.table.n_rows:
            rows = loaded.table.n_rows
            yield f"{people:,} people have {rows:,} rows: people are counted, not rows"


def uncounted_here(loaded: Loaded, found: Sequence[ReadRelease]) -> Iterator[str]:
    """Say that releases count people where rows of the table, whose people are not known, are attacked."""
    counting = [one.release.name for one in found if one.release.headcount is not None]
    if counting and loaded.table.person_of is None:
        yield (
            f"{' and '.join(counting)} counts people, and somebody has several rows; of the table rows are attacked. "
            f"Write --person-key COL to count its people"
        )


def counted_by(found: ReadRelease, options: Reading) -> Iterator[str]:
    """Say how the people of a release are counted.

    Fails
        With `InvalidInputError` where the column that says whose rows are whose is asked for and is not there.
    """
    release, key = found.release, options.get("person_key")
    if key is not None and found.person_key != key:
        msg = (
            f"person-key must be a column of the release; {release.name!r} has no {key!r}. Leave it out: a release "
            f"folder says by itself how many people its rows are, where somebody has several"
        )
        raise InvalidInputError(msg)
    if release.headcount is not None:
        yield f"{release.n_people:,.0f} people have {release.n_rows:,} rows: people are counted, not rows"
        lacking = [name for name in release.counts if name not in release.headcount.holders]
        if lacking:
            yield f"how many people have each {' and '.join(lacking)} is not told: at most as many as have rows with it"
        if found.person_key is not None and release.headcount.repeated:
            yield (
                "somebody is in several groups, and counts by the riskiest: average-risk and uniqueness are at most "
                "what is printed"
            )
        elif release.headcount.repeated:
            yield (
                f"somebody is in several groups, {release.headcount.repeated:,.0f} times in all: who is not told, so "
                f"population risk takes them for other people each time"
            )
    if options.get("weight") is not None:
        yield "privacy models ignore weights: the people of the release are counted, one each"


def releases_of(
    sources: Sequence[Source],
    roles: Roles,
    options: Reading,
    notes: Notes,
    *,
    also: Mapping[str, Iterable[str]] | None,
    attacks: Sequence[Attack] = (),
) -> tuple[ReadRelease, ...]:
    """Read releases: folders, tables, pairs of tables, data frames, or releases that were made here.

    `also` are the values of the people that they will be held against, by column; `attacks` look for these people.
    """
    paths = [source if isinstance(source, (str, Path)) else _called(source) for source in sources]
    found: list[ReadRelease] = []
    for source, name in zip(sources, release_names(paths), strict=True):
        if isinstance(source, Release):
            one = ReadRelease(replace(source, name=name), np.arange(source.n_rows, dtype=np.int64))
        elif isinstance(source, ReadRelease):
            one = source
        elif isinstance(source, (str, Path)):
            one = read_release(source, roles, name=name, also=also, **_of_the_file(options))
        else:
            raw = source if isinstance(source, Raw) else read(source, missing=_marks(roles), **_of_the_file(options))
            one = generalized(raw, roles, name=name, also=also)
        notes.add(
            *(f"{name}: {text}" for text in (*one.notes, *_of_gaps(one.gaps, attacks), *told_of_noise(one.release)))
        )
        same = next((other.release.name for other in found if other.release.same_content(one.release)), None)
        if same is not None:
            notes.add(f"{name} shows the same as {same}: together they count once")
        found.append(one)
    return tuple(found)


def _of_gaps(columns: Sequence[str], attacks: Sequence[Attack]) -> Iterator[str]:
    """Yield which people missing cells fit: linkage that compares values lets them fit everybody, other attacks nobody.

    `columns` are those with missing cells that count as a value of their own; without attacks no one is looked for.
    """
    if not columns:
        return
    comparing = [isinstance(one, ComparesValues) and bool(one.compare) for one in attacks]
    if any(comparing):
        yield f"cells of {', '.join(columns)} are missing: linkage with compare lets them fit everybody"
    if not all(comparing) or not attacks:
        others = ", in other attacks" if any(comparing) else ""
        yield (
            f"cells of {', '.join(columns)} are missing, which counts as a value of its own{others}: nobody who has a "
            f"value fits them. Where they were suppressed, as sdcMicro writes NA, --missing-policy wildcard says so"
        )


def beside(options: Reading) -> Reading:
    """Return the options for releases read beside a table: how the table is encoded and delimited is not about them."""
    return cast("Reading", {key: v for key, v in options.items() if key not in {"encoding", "delimiter"}})


def several(sources: Source | Sequence[Source]) -> list[Source]:
    """Return one source, or a list of them, as a list."""
    return list(sources) if isinstance(sources, (list, tuple)) else [sources]


def is_release(data: Source | None) -> bool:
    """Say whether a source is a release folder."""
    return isinstance(data, (str, Path)) and not is_dsn(data) and Path(data, "release.json").is_file()


def seed_of(seed: int | None, notes: Notes) -> int:
    """Return the seed that was given, else a new one, and say how to have the same numbers again.

    Work that was interrupted goes on with the seed with which it began.

    Fails
        With `InvalidInputError` for a negative one, and for another than that of the work that is taken up.
    """
    if seed is not None and seed < 0:
        msg = f"seed must be a whole number of at least 0; got {seed}"
        raise InvalidInputError(msg)
    seed = begun_with(seed, notes)
    if seed is None:
        seed = fresh_seed()
        notes.aside(f"seed {seed} (say --seed {seed} to see the same numbers again)")
    begin_with(seed)
    return seed


def texts_of(settings: Settings | None) -> dict[str, str]:
    """Return settings as they would be written on the command line."""
    return {key: str(value) for key, value in (settings or {}).items()}


def _folder_of(data: Source | None) -> Path | None:
    """Return the folder that a table, or the file of its database, lies in; None where it lies in none."""
    if not isinstance(data, (str, Path)) or str(data) == "-":
        return None
    path = Dsn.of(str(data)).path if is_dsn(data) else Path(data)
    return None if path is None else path.parent


def _called(source: Any) -> str:  # noqa: ANN401 - a release or any data frame
    if isinstance(source, ReadRelease):
        return source.release.name
    return source.name if isinstance(source, Release) else "release"


def _no_longer_missing(raw: Raw, roles: Roles) -> str | None:
    """Say which of the usual marks of a missing value count as values here, since others were declared."""
    undeclared = set(MISSING).difference(roles.missing if roles.missing is not None else MISSING)
    found = [mark for mark in MISSING if mark in undeclared and any(mark in c.labels for c in raw.columns.values())]
    if not found:
        return None
    return f"counted as values, since --missing names other marks: {', '.join(found)}"


def _of_the_file(options: Reading) -> dict[str, str | None]:
    return {key: cast("str | None", options.get(key)) for key in _OF_THE_FILE}


def _is_empty(value: Any) -> bool:  # noqa: ANN401 - the value of an option
    return isinstance(value, (list, tuple, dict)) and not value
