"""The list of a ledger's releases as a document: the form `unmask-ledger-list-1`."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from unmask.documents.estimates import Settings
from unmask.neighboring_relation import Relation

SCHEMA: Literal["unmask-ledger-list-1"] = "unmask-ledger-list-1"
"""The form of the document; a change that breaks readers counts up."""


class DeclaredBudgetJson(TypedDict):
    """The privacy budget that a release declares."""

    epsilon: float
    """Declared ε; higher is worse."""
    delta: float | None
    """Declared δ; null where none is declared."""
    neighbors: Relation | None
    """Pairs of tables that ε compares; null where it is not declared."""


class RecordedReleaseJson(TypedDict):
    """A release of the ledger."""

    name: str
    """Name, unique in the ledger."""
    date: str | None
    """Date of publication, as 2026-12-31; null where none was given."""
    sanitizer: str | None
    """Name of the sanitizer; null where it is not published."""
    parameters: Settings
    """Published parameters of the sanitizer, by name."""
    people: float
    """Published people; with noise it may be below 0."""
    suppressed: int
    """Suppressed people."""
    epsilon: float | None
    """ε that counts for sums over releases; null where none is declared."""
    delta: float | None
    """δ that counts for sums over releases; null where none is declared."""
    neighbors: Relation | None
    """Pairs of tables that this ε compares; null where none is declared."""
    declared: DeclaredBudgetJson | None
    """The budget as the release declares it; null where it declares none."""
    content: str
    """SHA-256 of the release's content."""
    path: str
    """Location of the release."""
    embedded: bool
    """Whether the ledger has a copy of the release."""
    state: str
    """Whether the release is still there, and unchanged."""


class SharedPeopleJson(TypedDict):
    """The people in two releases."""

    releases: list[str]
    """Names of the two releases."""
    people: int | None
    """Number of people in both; null where it is not known, which is not zero: see `why`."""
    why: str
    """Why the number is null, or at least so many; else empty."""


class LedgerListingJson(TypedDict):
    """Releases of a ledger by `unmask ledger list`, and how many people pairs of them share."""

    schema: Literal["unmask-ledger-list-1"]
    """Form of the document."""
    version: str
    """Version of unmask."""
    releases: list[RecordedReleaseJson]
    """Releases, in the order in which they were added."""
    shared: list[SharedPeopleJson]
    """Pairs of releases."""
