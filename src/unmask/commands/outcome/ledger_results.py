"""The results of `unmask ledger add` and `unmask ledger list`: entries of a ledger, and people in pairs of releases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pyarrow as pa

from unmask import __version__
from unmask.commands.results import Report, Result
from unmask.differential_privacy.budget import Budget, added
from unmask.documents.document_text import document_text
from unmask.documents.ledger_listing import SCHEMA, DeclaredBudgetJson, LedgerListingJson
from unmask.files.person_hashes import Overlap
from unmask.ledgers import Ledger, LedgerEntry
from unmask.neighboring_relation import Relation
from unmask.number_format import numeral
from unmask.wording import Message, counted, message


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RecordedRelease(Result):
    """A release that was recorded in a ledger, with notes for the user.

    The data frame has one line: the entry of the release.
    """

    ledger: Ledger
    entry: LedgerEntry
    notes: tuple[str, ...]

    def _table(self) -> pa.Table:
        return _entries([(self.entry, self.ledger.state(self.entry))])

    def _facts(self) -> str:
        return message(
            "{entry}, {n} people; {ledger}",
            entry=self.entry.name,
            n=self.entry.people_text,
            ledger=_releases(self.ledger),
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LedgerListing(Report):
    """A ledger, the states of its releases, and the numbers of people in pairs of them.

    The data frame has a line for each release.
    """

    ledger: Ledger
    states: tuple[str, ...]
    shared: Mapping[tuple[str, str], Overlap]

    def to_dict(self) -> LedgerListingJson:
        """Return the listing as values of JSON."""
        return {
            "schema": SCHEMA,
            "version": __version__,
            "releases": [
                {
                    "name": entry.name,
                    "date": entry.date.isoformat() if entry.date is not None else None,
                    "sanitizer": entry.provenance.sanitizer,
                    "parameters": dict(entry.provenance.parameters),
                    "people": entry.people,
                    "suppressed": entry.suppressed,
                    "epsilon": None if entry.budget is None else entry.budget.epsilon,
                    "delta": None if entry.budget is None else entry.budget.delta,
                    "neighbors": None if entry.budget is None else Relation.of("replace", entry.budget.unit),
                    "declared": _declared(entry),
                    "content": entry.content,
                    "path": entry.path,
                    "embedded": entry.embedded,
                    "state": state,
                }
                for entry, state in zip(self.ledger.entries, self.states, strict=True)
            ],
            "shared": [
                {"releases": list(pair), "people": found.n, "why": found.why} for pair, found in self.shared.items()
            ],
        }

    def to_json(self) -> str:
        """Return the listing as a JSON document, as `--json` writes it."""
        return document_text(self.to_dict())

    def _table(self) -> pa.Table:
        return _entries(zip(self.ledger.entries, self.states, strict=True))

    def _facts(self) -> str:
        return _releases(self.ledger)

    def spent(self) -> tuple[int, Budget]:
        """Return the number of releases with a budget, and their total budget."""
        having = [entry.budget for entry in self.ledger.entries if entry.budget is not None]
        return len(having), added(having)


def _releases(ledger: Ledger) -> Message:
    n = len(ledger.entries)
    return counted("{n} release in {file}", "{n} releases in {file}", n, n=numeral(n), file=ledger.file.name)


def _entries(entries: Iterable[tuple[LedgerEntry, str]]) -> pa.Table:
    """Return entries of a ledger, each with its state, as the lines of a data frame."""
    lines = [
        {
            "name": entry.name, "date": entry.date, "sanitizer": entry.provenance.sanitizer, "people": entry.people,
            "suppressed": entry.suppressed, "epsilon": entry.budget and entry.budget.epsilon,
            "delta": entry.budget and entry.budget.delta, "content": entry.content, "embedded": entry.embedded,
            "state": state,
        }
        for entry, state in entries
    ]  # fmt: skip
    return pa.Table.from_pylist(lines, schema=_COLUMNS)


_COLUMNS = pa.schema(
    {
        "name": pa.string(), "date": pa.date32(), "sanitizer": pa.string(), "people": pa.float64(),
        "suppressed": pa.int64(), "epsilon": pa.float64(), "delta": pa.float64(), "content": pa.string(),
        "embedded": pa.bool_(), "state": pa.string(),
    }
)  # fmt: skip


def _declared(entry: LedgerEntry) -> DeclaredBudgetJson | None:
    """Return the ε that a release declares, and the neighboring relation that it is about."""
    provenance = entry.provenance
    if provenance.epsilon is None:
        return None
    return {"epsilon": provenance.epsilon, "delta": provenance.delta, "neighbors": provenance.relation}
