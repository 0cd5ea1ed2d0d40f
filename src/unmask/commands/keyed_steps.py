"""Steps before a sanitizer that use a secret key: person numbers become pseudonyms, and dates are shifted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from unmask.commands.inputs.person_keys import key_column
from unmask.commands.inputs.reader import Reader
from unmask.commands.inputs.reading_options import Settings
from unmask.errors import InvalidInputError
from unmask.files.date_shifts import offsets, shifted
from unmask.files.pseudonyms import Pseudonyms
from unmask.files.raw import Raw
from unmask.masks.shifted_dates import with_shift_in_cells
from unmask.number_format import numeral
from unmask.parameters import parse_list, parse_parameter
from unmask.release import DateShift, Publication
from unmask.schema import Role
from unmask.table import Table
from unmask.wording import counted, message

NAMES = PSEUDONYM, SHIFT_DATES, SHIFT_DAYS = "pseudonym", "shift-dates", "shift-days"
"""Settings beside the sanitizer's: the column of person numbers, columns of dates, and the largest offset in days."""


@dataclass(frozen=True, slots=True)
class KeyedSteps:
    """The steps under a secret key that a table goes through before its sanitizer."""

    pseudonym: str | None = None  # the column of person numbers
    dates: tuple[str, ...] = ()  # the columns to shift
    days: int = 0  # the largest offset

    @classmethod
    def of(cls, settings: Settings | None) -> tuple[KeyedSteps, Mapping[str, Any]]:
        """Return the steps among the settings of a sanitizer, and the sanitizer's own settings.

        Fails
            With `InvalidInputError` for dates to shift without a number of days, or the reverse.
        """
        own = dict(settings or {})
        ours = {key.replace("_", "-"): own.pop(key) for key in list(own) if key.replace("_", "-") in NAMES}
        name, dates, days = (ours.get(key) for key in NAMES)
        if (dates is None) != (days is None):
            there, lacking, example = SHIFT_DATES, SHIFT_DAYS, "N"
            if dates is None:
                there, lacking, example = SHIFT_DAYS, SHIFT_DATES, "COLUMN"
            msg = message(
                "{there} must come with {lacking}; got it alone. Write --set {lacking}={example}",
                there=there,
                lacking=lacking,
                example=example,
            )
            raise InvalidInputError(msg)
        names = parse_list(dates) if isinstance(dates, str) else tuple(dates or ())
        largest = 0 if days is None else DateShift(parse_parameter(SHIFT_DAYS, str(days), int)).days
        return cls(None if name is None else str(name), names, largest), own

    def __bool__(self) -> bool:
        return self.pseudonym is not None or bool(self.dates)

    def require_key(self, *, given: bool) -> None:
        """Fail where a step lacks the key, or a key has no step."""
        if self and not given:
            what = message("shifted dates") if self.pseudonym is None else message("pseudonyms")
            msg = message(
                "{what} must have a secret key; got none. Make one (openssl rand -hex 32 > FILE): write --key FILE",
                what=what,
            )
            raise InvalidInputError(msg)
        if given and not self:
            msg = message("--key must come with a step that uses it; got none. Write --set pseudonym=COLUMN")
            raise InvalidInputError(msg)

    def reader(self, reader: Reader) -> Reader:
        """Return the reader that takes the column of a pseudonym for the person key.

        Fails
            With `InvalidInputError` where the column has another role, or another column is the person key.
        """
        name, roles = self.pseudonym, reader.roles
        if name is None:
            return reader
        role = roles.of_column(name).role
        if role not in {None, Role.PERSON_KEY, Role.IDENTIFIER, Role.DROP}:
            msg = message(
                "the column of a pseudonym must hold person numbers; {name} is declared {role}. Leave that role out",
                name=repr(name),
                role=role,
            )
            raise InvalidInputError(msg)
        others = [other for other in roles.having(Role.PERSON_KEY) if other != name]
        if others:
            msg = message(
                "the pseudonym must be of the person key; got {name} beside {others}. Name one column for both",
                name=repr(name),
                others=repr(others[0]),
            )
            raise InvalidInputError(msg)
        return reader.declaring(name, Role.PERSON_KEY)

    def shifted(self, reader: Reader, raw: Raw, key: bytes, rng: np.random.Generator) -> Raw:
        """Return the raw table with the dates of each person moved.

        Fails
            With `InvalidInputError` where no column is the person key, where a column has no dates, or is sensitive.
        """
        if not self.dates:
            return raw
        person = key_column(raw, reader.roles)
        if person is None:
            msg = message(
                "dates must be shifted person by person; no column is the person key. Write --person-key COLUMN"
            )
            raise InvalidInputError(msg)
        by, columns = offsets(raw[person], key, self.days, rng), dict(raw.columns)
        for name in self.dates:
            role = reader.roles.of_column(name).role
            if not raw[name].holds_dates or role not in {None, Role.QUASI_IDENTIFIER, Role.INSENSITIVE}:
                got = (
                    message("{name} is {role}", name=repr(name), role=role)
                    if raw[name].holds_dates
                    else message("{name} has other values", name=repr(name))
                )
                msg = message(
                    "columns to shift must hold dates, and be quasi-identifiers or insensitive; {got}. Leave it out",
                    got=got,
                )
                raise InvalidInputError(msg)
            columns[name] = shifted(raw[name], by, name, largest=self.days)
        return replace(raw, columns=columns)

    def with_pseudonyms(self, reader: Reader, raw: Raw, table: Table, key: bytes, rng: np.random.Generator) -> Table:
        """Return the table with a column of pseudonyms; a note says how people without a number are treated."""
        if self.pseudonym is None:
            return table
        made = Pseudonyms.of(self.pseudonym, raw[self.pseudonym], key, rng)
        if made.n_nameless:
            rows = counted(
                "{n_nameless} row", "{n_nameless} rows", made.n_nameless, n_nameless=numeral(made.n_nameless)
            )
            reader.notes.add(
                message(
                    "{rows} without a {made}: each has a pseudonym of its own, drawn for this release only",
                    rows=rows,
                    made=made.name,
                )
            )
        return made.published_with(table, tuple(raw.columns))

    def declared(self, made: Publication) -> Publication:
        """Return the publication with the largest offset of its dates.

        Fails
            With `InvalidInputError` where it has no rows of people for pseudonyms, or no cells for shifted dates.
        """
        release = made.release
        if self.pseudonym is not None and release.person_key is None:
            by = release.provenance.sanitizer or message("this sanitizer")
            msg = message(
                "pseudonyms must stand on published rows of people; {by} publishes none. Use mondrian, "
                "full-domain or another sanitizer that publishes rows, or leave out pseudonym",
                by=by,
            )
            raise InvalidInputError(msg)
        if not self.dates:
            return made
        shifts = {name: DateShift(self.days) for name in self.dates if name in release.schema}
        release = replace(release, date_shifts=shifts)
        with_shift_in_cells(release)  # fails where an audit could not compare the dates
        return replace(made, release=release)


@dataclass(frozen=True, slots=True, eq=False)
class KeyedRun:
    """Steps with their key, and random numbers for people without a number."""

    steps: KeyedSteps
    key: bytes
    rng: np.random.Generator

    def shifted(self, reader: Reader, raw: Raw) -> Raw:
        """Return the raw table with the dates of each person moved."""
        return self.steps.shifted(reader, raw, self.key, self.rng)

    def with_pseudonyms(self, reader: Reader, raw: Raw, table: Table) -> Table:
        """Return the table with a column of pseudonyms."""
        return self.steps.with_pseudonyms(reader, raw, table, self.key, self.rng)
