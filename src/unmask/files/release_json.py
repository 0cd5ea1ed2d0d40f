"""release.json: the published description of a release; unknown keys are errors."""

from __future__ import annotations

import datetime as dt
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from unmask.dates import day_number, end_of_day
from unmask.files.json_reading import read_json
from unmask.files.validation import AtLeastZero, Bound, Count, Positive, Share, Switch, checked, require_rising
from unmask.hierarchy_presets.names import preset_name
from unmask.neighboring_relation import Relation
from unmask.release import DateShift, Noise, Provenance, Rows
from unmask.schema import MARK, Categorical, Domain, Missing, Numeric, Ordered, Role
from unmask.unit import Unit
from unmask.wording import message

CellForm = Literal["exact", "cells", "noisy", "centroid", "permuted", "pseudonym"]


Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class _ReleaseModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class DomainFile(_ReleaseModel):
    """The domain of a column: its type, and values or bounds if declared."""

    type: Literal["categorical", "ordered", "numeric", "date"]
    """Type of the values."""
    values: tuple[str, ...] | None = None
    """Declared values, in their order where they have one; absent: the cells show them."""
    low: Bound | None = None
    """Lowest value: a number or a date."""
    high: Bound | None = None
    """Highest value: a number or a date."""
    step: Positive | None = None
    """Distance of neighboring values."""

    @model_validator(mode="after")
    def _rising(self) -> DomainFile:
        require_rising(self.low, self.high)
        ends = [end for end in (self.low, self.high) if end is not None]
        if any(isinstance(end, dt.date) != (self.type == "date") for end in ends):
            msg = message("a table with low and high of its type: dates of dates, numbers of numbers")
            raise ValueError(msg)
        return self

    @classmethod
    def of(cls, domain: Domain) -> DomainFile:
        """Return the declared part of a domain; values that were only observed in the data are left out."""
        if isinstance(domain, Numeric):
            ends = [_date(end) if domain.dates and end is not None else end for end in (domain.low, domain.high)]
            return cls(type="date" if domain.dates else "numeric", low=ends[0], high=ends[1], step=domain.step)
        kind: Literal["categorical", "ordered"] = "ordered" if isinstance(domain, Ordered) else "categorical"
        return cls(type=kind, values=domain.values if domain.declared else None)

    def domain(self) -> Domain:
        """Return the domain; empty: derive the values from the cells."""
        if self.type in {"numeric", "date"}:
            low, high = (day_number(end) if isinstance(end, dt.date) else end for end in (self.low, self.high))
            if self.type == "date" and self.step is None and high is not None:
                high = end_of_day(high)
            return Numeric(low, high, self.step, dates=self.type == "date")
        kind = Ordered if self.type == "ordered" else Categorical
        return kind(self.values or (), declared=self.values is not None)


def _date(number: float) -> dt.date:
    """Return days since 1970-01-01 as a date."""
    return dt.date(1970, 1, 1) + dt.timedelta(math.floor(number))


class MissingFile(_ReleaseModel):
    """The mark of a missing value, and its policy."""

    mark: str = MARK
    """The cell of a missing value."""
    policy: Missing = Missing.OWN
    """How missing values count: as a value of their own, as a wildcard, or not at all."""


class NoiseFile(_ReleaseModel):
    """The added noise."""

    family: Literal["laplace", "discrete-laplace"]
    """Distribution of the noise."""
    scale: Positive
    """Scale of the distribution, in the unit of the numbers."""

    @classmethod
    def of(cls, noise: Noise) -> NoiseFile:
        """Return the description of noise."""
        return cls(family=noise.family, scale=noise.scale)

    def noise(self) -> Noise:
        """Return the noise."""
        return Noise(self.family, self.scale)


class ShiftFile(_ReleaseModel):
    """The largest offset of the dates of a column."""

    days: Annotated[int, Field(ge=1, le=2**31, strict=True)]
    """Largest offset, in days, before or after."""
    in_cells: Switch = False
    """Whether the cells are extended by it."""

    @classmethod
    def of(cls, shift: DateShift) -> ShiftFile:
        """Return the description of an offset."""
        return cls(days=shift.days, in_cells=shift.in_cells)

    def shift(self) -> DateShift:
        """Return the offset."""
        return DateShift(self.days, self.in_cells)


class ColumnFile(_ReleaseModel):
    """One column of the release."""

    name: str
    """Name of the column."""
    role: Literal[Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.INSENSITIVE, Role.PERSON_KEY]
    """Role of the column."""
    cells: CellForm = "cells"
    """Published form: exact values, generalized cells, noisy numbers, centroids, permuted values or pseudonyms."""
    domain: DomainFile | None = None
    """Domain of the values, as far as it was declared."""
    hierarchy: str | None = None
    """Generalization hierarchy: a file of the folder, or `preset:NAME`."""
    level: Annotated[int, Field(ge=1, le=2**53, strict=True)] | None = None
    """Level of the hierarchy, where all cells are its labels."""
    missing: MissingFile = MissingFile()
    """The mark of a missing value, and how missing values count."""
    noise: NoiseFile | None = None
    """Noise on the numbers."""
    shifted: ShiftFile | None = None
    """Offset of the dates: one for each person, not published."""

    @property
    def hierarchy_file(self) -> str | None:
        """The file of the hierarchy; None for a preset, or without a hierarchy."""
        return None if self.hierarchy is None or preset_name(self.hierarchy) is not None else self.hierarchy


class MadeByFile(_ReleaseModel):
    """The published provenance of the release."""

    sanitizer: str | None = None
    """Name of the sanitizer."""
    parameters: Mapping[str, Any] = Field(default_factory=dict)
    """Its parameters, by name."""
    order: tuple[str, ...] | None = None
    """Columns by which records were sorted before they were grouped."""
    tail: Literal["closed", "merged", "hidden"] | None = None
    """What became of the last records, too few for a group."""
    epsilon: AtLeastZero | None = None
    """ε of differential privacy; higher is worse."""
    delta: Share | None = None
    """δ of differential privacy; higher is worse."""
    neighbors: Relation | None = None
    """Pairs of tables that ε and δ compare."""

    @classmethod
    def of(cls, provenance: Provenance) -> MadeByFile:
        """Return the description of a provenance."""
        values = {key: getattr(provenance, key) for key in cls.model_fields}
        return cls(**{**values, "parameters": dict(provenance.parameters)})

    def provenance(self) -> Provenance:
        """Return the provenance."""
        return Provenance(**{key: getattr(self, key) for key in type(self).model_fields})


class CountsFile(_ReleaseModel):
    """The published description of the counts of a sensitive column."""

    noise: NoiseFile | None = None
    """Noise on the counts."""


class ReleaseFile(_ReleaseModel):
    """Description of a release folder, `release.json`: columns, form of the cells, and how the release was made."""

    unmask_release: Annotated[int, Field(ge=1, le=1, strict=True)]
    """Version of the form."""
    columns: tuple[ColumnFile, ...]
    """Published columns."""
    group_column: str | None = None
    """Column with the group of each row, where groups are published."""
    rows: Rows = "people"
    """What a row stands for."""
    suppressed: Count = 0
    """Suppressed people."""
    suppressed_rows: Count | None = None
    """Suppressed rows, where that is another number."""
    unit: Unit = Unit.ROWS
    """What numbers count: rows, or people where there was a person key."""
    people: str | None = None
    """File with the number of people in each group, where people have several rows."""
    made_by: MadeByFile | None = None
    """How the release was made, as far as published."""
    regions: str | None = None
    """File with the region of each group, where regions are published."""
    counts: Mapping[str, CountsFile] = Field(default_factory=dict)
    """Noise on the published counts of sensitive values, by column."""
    files: Mapping[str, Digest] | None = None
    """SHA-256 of every other file of the folder, as it was written."""

    @classmethod
    def read(cls, path: Path) -> ReleaseFile:
        """Read release.json.

        Fails
            With `InvalidInputError` where the file does not exist, for broken JSON, and for an unknown key.
        """
        return checked(cls, read_json(path), path.name)

    @property
    def has_noise(self) -> bool:
        """Whether numbers of rows or counts have noise."""
        noises = [*(one.noise for one in self.columns), *(one.noise for one in self.counts.values())]
        return any(noise is not None for noise in noises)

    def to_json(self) -> str:
        """Return the text of release.json, without absent values."""
        data = self.model_dump(mode="json", exclude_none=True)
        if not data["counts"]:
            del data["counts"]
        return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
