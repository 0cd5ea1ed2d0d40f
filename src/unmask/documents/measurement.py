"""The measures of a release's privacy models as a document: the form `unmask-measure/1`."""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from unmask.documents.estimates import Infinite, Settings
from unmask.documents.population_risk import PopulationRiskJson
from unmask.documents.queries import QueryJson
from unmask.documents.releases import LeakChecksJson, PublishedColumnsJson, RowsAre
from unmask.unit import Unit

SCHEMA: Literal["unmask-measure/1"] = "unmask-measure/1"
"""The form of the document; a change that breaks readers counts up."""


class ModelMeasureJson(TypedDict):
    """A privacy model on the release; the keys after `why` are there where it was measured."""

    model: str
    """Name of the privacy model, as `unmask list models` prints it."""
    measured: bool
    """Whether it was measured; where it was not, the release may still violate it: see `why`."""
    why: str
    """Why it was not measured, or why its value is null; else empty."""
    value: NotRequired[float | Infinite | None]
    """The parameter for which the model holds, missing values counting as one more value; null where it is undefined,
    which is not zero."""
    higher_is_safer: NotRequired[bool]
    """Whether a higher value is safer."""
    people: NotRequired[float]
    """People in the groups with the worst value; rows, where the unit is rows."""
    groups: NotRequired[int]
    """Number of groups with the worst value."""
    readings: NotRequired[dict[str, float | Infinite | None]]
    """The value under both readings of missing values: `own` (one more value), `wildcard` (they match everything)."""
    parameters: NotRequired[Settings]
    """Parameters that the value depends on, by name."""
    claimed: NotRequired[str]
    """The limit that the release claims, in words."""
    claim_met: NotRequired[bool]
    """Whether the claim holds."""
    required: NotRequired[str]
    """The required limit, in words."""
    met: NotRequired[bool]
    """Whether the required limit is met."""
    by_all_columns: NotRequired[str]
    """The limit where the attacker knows every published column, in words; there where it is broken so."""


class SmallGroupsJson(TypedDict):
    """The people in groups of at most a size."""

    size: int
    """Largest size of the groups."""
    people: float
    """People in them; rows, where the unit is rows."""


class EngineJson(TypedDict):
    """The engine that counted the table. Only what its queries return left it."""

    name: str
    """Name of the engine."""
    in_small_groups: list[SmallGroupsJson]
    """People in small groups, by their largest size."""
    queries: list[QueryJson]
    """Queries that ran, in order."""


class MeasurementJson(TypedDict):
    """Privacy models of a release by `unmask measure`, and the re-identification risk in its population."""

    schema: Literal["unmask-measure/1"]
    """Form of the document."""
    version: str
    """Version of unmask."""
    release: str
    """Name of the release."""
    groups: int
    """Number of groups (equivalence classes)."""
    unit: Unit
    """What numbers of people count: rows, where no person key says which rows are whose."""
    people: float
    """Published people; rows, where the unit is rows."""
    rows: float
    """Published rows."""
    suppressed: int
    """People who were left out or whose quasi-identifiers are all suppressed."""
    rows_are: RowsAre
    """What a row stands for; measures of identity are undefined for synthetic rows."""
    rows_declared: bool
    """Whether that was declared."""
    measures: list[ModelMeasureJson]
    """Privacy models."""
    published_columns: PublishedColumnsJson
    """The release for an attacker who knows every published column."""
    leak_checks: LeakChecksJson | None
    """What the release discloses beside its cells; null where it was not examined."""
    population_risk: PopulationRiskJson | None
    """Re-identification risk in the population; null where it is not known, which a note explains."""
    notes: list[str]
    """Notes for the reader."""
    engine: NotRequired[EngineJson]
    """Engine that counted the table; there where one did."""
