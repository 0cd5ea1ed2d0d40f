"""`unmask ledger add`, `list` and `prune`: record published releases, and list them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations
from pathlib import Path

from unmask.arrays import Bool
from unmask.commands.inputs.parameters import public
from unmask.commands.inputs.person_keys import hashed_people
from unmask.commands.inputs.reader import Reader
from unmask.commands.inputs.reading_options import Source, is_folder, is_release
from unmask.commands.notes import Notes
from unmask.commands.outcome.ledger_results import LedgerListing, RecordedRelease
from unmask.errors import InvalidInputError
from unmask.files.databases.dsn import display_text
from unmask.files.kept_back import read_keep
from unmask.files.person_hashes import overlap, read_key
from unmask.files.published import ReadRelease
from unmask.files.raw import Raw
from unmask.files.releases import read_release
from unmask.files.roles import Assignments, Roles
from unmask.ledgers import Ledger, changing
from unmask.number_format import numeral
from unmask.release import Release
from unmask.runtime import work
from unmask.wording import counted, message

HERE = "ledger.json"
"""The ledger, where no other file is named."""


@public
def add(  # noqa: PLR0913 - the options of the command line
    path: Source,
    *,
    ledger: str | Path = HERE,
    name: str | None = None,
    date: str | dt.date | None = None,
    embed: bool = False,
    people: Source | None = None,
    keep: str | Path | None = None,
    key: str | Path | None = None,
    force: bool = False,
    roles: Roles | str | Path | None = None,
    quasi: str | Iterable[str] = (),
    sensitive: str | Iterable[str] = (),
    identifier: str | Iterable[str] = (),
    insensitive: str | Iterable[str] = (),
    person_key: str | None = None,
    household: str | None = None,
    weight: str | None = None,
    rest: str | None = None,
    hierarchy: Assignments = (),
    order: Assignments = (),
    bins: Assignments = (),
    level: Assignments = (),
    cells: Assignments = (),
    harmless: Assignments = (),
    missing: str | Iterable[str] = (),
    missing_policy: str | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    skip_lines: int | None = None,
    sheet: str | None = None,
) -> RecordedRelease:
    """Record a published release in the ledger: content hash, location, method, and hashes of its people.

    Parameters
    ----------
    path
        Release: a release folder, a table, `QIT.csv,ST.csv`, a data frame, or a result of `sanitize`.
    name
        Name in the ledger. By default the name of the release.
    date
        Day of publication, `YYYY-MM-DD`.
    embed
        Whether to keep a copy of the release beside the ledger. Required unless the release is a folder, which
        declares its columns.
    people
        Table of the people in the release. Their person keys are hashed with `key`.
    keep
        File with the mapping of rows. Suppressed people are not recorded.
    force
        Whether to replace the ledger's entry of this release.

    Fails
        With `InvalidInputError` where the release is in the ledger already and `force` is not given.
    """
    notes, day = Notes(), _day(date)
    reader = Reader.of(
        roles, notes, beside=path if people is None else people,
        quasi=quasi, sensitive=sensitive, identifier=identifier, insensitive=insensitive, person_key=person_key,
        household=household, weight=weight, rest=rest, hierarchy=hierarchy, order=order, bins=bins, harmless=harmless,
        level=level, cells=cells,
        missing=missing, missing_policy=missing_policy, encoding=encoding, delimiter=delimiter, decimal=decimal,
        skip_lines=skip_lines, sheet=sheet,
    )  # fmt: skip
    found = as_published(path, reader)
    release = replace(found.release, name=name or found.release.name)
    if not embed and not is_folder(path):
        what = (
            repr(display_text(path))
            if isinstance(path, (str, Path))
            else message("release {release}", release=repr(release.name))
        )
        kind = message("a release in memory") if is_release(path) else message("a table")
        msg = message(
            "{what} must be a release folder to be found again as it is; it is {kind}. Add --embed",
            what=what,
            kind=kind,
        )
        raise InvalidInputError(msg)
    if people is None and (key is not None or keep is not None):
        msg = message("--key and --keep must come with the people that they are about. Write --people FILE")
        raise InvalidInputError(msg)
    if people is not None and key is None:
        msg = message(
            "--people must come with --key FILE: people are kept as keyed hashes of their person keys, or not at all"
        )
        raise InvalidInputError(msg)
    who = None
    if people is not None and key is not None:
        raw = reader.raw(people)
        rows = None if keep is None else published_rows(keep, raw, release, found.content)
        who = hashed_people(raw, reader.roles, read_key(key), rows)
        if who.nameless:
            notes.add(
                counted(
                    "{nameless} rows without a {column}: their people are unknown",
                    "{nameless} row without a {column}: their people are unknown",
                    who.nameless,
                    nameless=numeral(who.nameless),
                    column=who.column,
                )
            )
    with changing(ledger) as book:
        ready = _ready_for(book, release, force=force)
        if who is None and any(entry.shared is not None for entry in book.entries if entry not in ready.entries):
            notes.add(
                message(
                    "the hashes of its people that the ledger had are gone: --people FILE and --key FILE give them anew"
                )
            )
        with work.step(message("writing {file}", file=book.file.name)), ready.adding():
            written, entry = ready.with_release(release, None if embed else Path(path), day=day, people=who)
            written.save()
    return RecordedRelease(written, entry, notes.texts)


def _ready_for(book: Ledger, release: Release, *, force: bool) -> Ledger:
    """Return a ledger without the entry that a release replaces."""
    same, namesake = book.same_content(release), book.named(release.name)
    if same is not None and not force:
        msg = message(
            "release {release} must be new to the ledger; {same} shows the same. --force replaces it",
            release=repr(release.name),
            same=repr(same.name),
        )
        raise InvalidInputError(msg)
    if namesake is not None and not force:
        msg = message(
            "release {release} must have a name of its own; the ledger has one. Give it a --name",
            release=repr(release.name),
        )
        raise InvalidInputError(msg)
    return book.without(same).without(namesake)


def as_published(path: Source, reader: Reader) -> ReadRelease:
    """Read a release without a table beside it, with the column names that it declares."""
    if is_folder(path):
        return read_release(path)
    return reader.releases([path])[0]


def published_rows(keep: str | Path, raw: Raw, release: Release, content: str | None) -> Bool:
    """Return which rows of a table were published, (rows,), from the kept mapping."""
    kept = read_keep(keep)
    kept.require_release(release.name, content)
    if kept.published.size != raw.n_rows or kept.n_published != release.n_rows:
        msg = message(
            "what was kept back must be about {raw} ({n_rows} rows) and release {release} ({n_rows2}); it is "
            "about {size} and {n_published}. Name the file that the same sanitize wrote",
            raw=repr(raw.name),
            n_rows=numeral(raw.n_rows),
            release=repr(release.name),
            n_rows2=numeral(release.n_rows),
            size=numeral(kept.published.size),
            n_published=numeral(kept.n_published),
        )
        raise InvalidInputError(msg)
    kept.require_table(raw)
    return kept.published >= 0


@public
def listed(*, ledger: str | Path = HERE) -> LedgerListing:
    """Return every release of a ledger with its state, and the number of people shared by each pair.

    Parameters
    ----------
    Fails
        With `InvalidInputError` where there is no ledger.
    """
    book = Ledger.read(ledger)
    people = {entry.name: book.people_of(entry) for entry in book.entries}
    shared = {(a, b): overlap(people[a], people[b]) for a, b in combinations(people, 2)}
    return LedgerListing(book, tuple(book.state(entry) for entry in book.entries), shared)


@public
def prune(*, ledger: str | Path = HERE) -> list[Path]:
    """Remove copies and hashes that neither a ledger nor another one beside it needs; return what was removed.

    Parameters
    ----------
    Fails
        With `InvalidInputError` where there is no ledger.
    """
    Ledger.read(ledger)  # fails where there is none
    with changing(ledger) as book:
        return book.prune()


def _day(text: str | dt.date | None) -> dt.date | None:
    if text is None or isinstance(text, dt.date):
        return text
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        msg = message("--date must be a day written YYYY-MM-DD; got {text}", text=repr(text))
        raise InvalidInputError(msg) from None
