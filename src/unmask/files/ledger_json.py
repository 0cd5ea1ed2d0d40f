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

FORM = 1

_SCHEMA = re.compile(r"unmask-ledger-(\d{1,9})")


class _LedgerModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class PeopleFile(_LedgerModel):
    """The location of the hashes of a release's people, and how they were made."""

    file: str = Field(pattern=r"^([^/\\]+-files/)?[\w%-]+\.npy$")  # or in `…-files/` (earlier)
    n: Count
    nameless: Count  # rows without a person key
    column: str  # name of the person key
    key: str  # identifier of the hash key


class BudgetFile(_LedgerModel):
    """The differential privacy budget of a release: per row replaced, or per person if `made_by` says so."""

    epsilon: AtLeastZero
    delta: Share


class EntryFile(_LedgerModel):
    """One past release."""

    name: str = Field(min_length=1)
    date: Date | None = None
    path: str
    embedded: Switch = False
    content: str
    people: Finite  # with noise it may be below 0
    suppressed: Count = 0
    made_by: MadeByFile | None = None
    budget: BudgetFile | None = None
    shared: PeopleFile | None = None


class LedgerFile(_LedgerModel):
    """The whole file."""

    form: str = Field(default=f"unmask-ledger-{FORM}", alias="schema")
    releases: tuple[EntryFile, ...] = ()

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
        msg = f"ledger {path.name!r} must be what unmask ledger add wrote; it is damaged, or something else"
        raise InvalidInputError(msg)
    if int(form[1]) > FORM:
        msg = (
            f"ledger {path.name!r} must be of form {FORM}, which this version reads; it is of form {form[1]}. "
            f"A newer unmask wrote it: use that one"
        )
        raise InvalidInputError(msg)
    ledger = checked(LedgerFile, data, path.name)
    names = [entry.name for entry in ledger.releases]
    if len(set(names)) < len(names):
        msg = f"ledger {path.name!r} must name each release once; it is damaged"
        raise InvalidInputError(msg)
    return ledger
