"""The ledger file: an entry for each past release, without any value of a row."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from unmask.errors import InvalidInputError
from unmask.files.existence import require_file
from unmask.files.json_reading import read_json
from unmask.files.release_json import MadeByFile
from unmask.files.validation import AtLeastZero, Count, Date, Finite, Share, Switch, checked
from unmask.wording import message

FORM = 1

_SCHEMA = re.compile(r"unmask-ledger-(\d{1,9})")


class _LedgerModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class PeopleFile(_LedgerModel):
    """The location of the hashes of a release's people, and how they were made."""

    file: str = Field(pattern=r"^([^/\\]+-files/)?[\w%-]+\.npy$")  # or in `…-files/` (earlier)
    """File of the keyed hashes."""
    n: Count
    """Number of people."""
    nameless: Count
    """Number of rows without a person key."""
    column: str
    """Name of the person key."""
    key: str
    """Identifier of the key of the hashes."""


class BudgetFile(_LedgerModel):
    """The differential privacy budget of a release: per row replaced, or per person if `made_by` says so."""

    epsilon: AtLeastZero
    """Declared ε; higher is worse."""
    delta: Share
    """Declared δ; higher is worse."""


class EntryFile(_LedgerModel):
    """One past release."""

    name: str = Field(min_length=1)
    """Name, unique in the ledger."""
    date: Date | None = None
    """Date of publication."""
    path: str
    """Location of the release."""
    embedded: Switch = False
    """Whether the ledger has a copy of the release."""
    content: str
    """SHA-256 of the release's content."""
    people: Finite
    """Published people; with noise it may be below 0."""
    suppressed: Count = 0
    """Suppressed people."""
    made_by: MadeByFile | None = None
    """How the release was made, as far as published."""
    budget: BudgetFile | None = None
    """Privacy budget of the release."""
    shared: PeopleFile | None = None
    """Keyed hashes of the people; absent where no key was given."""


class LedgerFile(_LedgerModel):
    """The ledger of past releases that `unmask ledger` keeps; it has no value of a record."""

    form: str = Field(default=f"unmask-ledger-{FORM}", alias="schema", pattern=r"^unmask-ledger-1$")
    """Form of the file."""
    releases: tuple[EntryFile, ...] = ()
    """Releases, in the order in which they were added."""

    def to_json(self) -> str:
        """Return the ledger as JSON text."""
        data = self.model_dump(mode="json", by_alias=True, exclude_none=True)
        return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def read_ledger(path: Path) -> LedgerFile:
    """Read a ledger.

    Fails
        With `InvalidInputError` where the file is no ledger, is damaged, or was written by a newer version.
    """
    require_file(path)
    try:
        data: Any = read_json(path)
    except InvalidInputError as error:
        if error.__cause__ is not None:  # no permission, a failing disk, a repeated key
            raise
        data = None
    form = _SCHEMA.fullmatch(str(data.get("schema"))) if isinstance(data, dict) else None
    if form is None:
        msg = message(
            "ledger {path} must be what unmask ledger add wrote; it is damaged, or something else", path=repr(path.name)
        )
        raise InvalidInputError(msg)
    if int(form[1]) > FORM:
        msg = message(
            "ledger {path} must be of form {form}, which this version reads; it is of form {got}. A newer "
            "unmask wrote it: use that one",
            path=repr(path.name),
            form=FORM,
            got=form[1],
        )
        raise InvalidInputError(msg)
    ledger = checked(LedgerFile, data, path.name)
    names = [entry.name for entry in ledger.releases]
    if len(set(names)) < len(names):
        msg = message("ledger {path} must name each release once; it is damaged", path=repr(path.name))
        raise InvalidInputError(msg)
    return ledger
