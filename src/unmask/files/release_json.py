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
from unmask.release import DateShift, Noise, Provenance
from unmask.schema import MARK, Categorical, Domain, Missing, Numeric, Ordered, Role
from unmask.unit import Unit

CellForm = Literal["exact", "cells", "noisy", "centroid", "permuted", "pseudonym"]


Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class _ReleaseModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class DomainFile(_ReleaseModel):
    """The domain of a column: its type, and values or bounds if declared."""

    type: Literal["categorical", "ordered", "numeric", "date"]
    values: tuple[str, ...] | None = None
    low: Bound | None = None
    high: Bound | None = None
    step: Positive | None = None

    @model_validator(mode="after")
    def _rising(self) -> DomainFile:
        require_rising(self.low, self.high)
        ends = [end for end in (self.low, self.high) if end is not None]
        if any(isinstance(end, dt.date) != (self.type == "date") for end in ends):
            msg = "a table with low and high of its type: dates of dates, numbers of numbers"
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
    policy: Missing = Missing.OWN


class NoiseFile(_ReleaseModel):
    """The added noise."""

    family: Literal["laplace", "discrete-laplace"]
    scale: Positive

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
    in_cells: Switch = False  # the cells are extended by it

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
    role: Literal[Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.INSENSITIVE, Role.PERSON_KEY]
    cells: CellForm = "cells"
    domain: DomainFile | None = None
    hierarchy: str | None = None  # a file of the folder, or preset:NAME
    level: Annotated[int, Field(ge=1, le=2**53, strict=True)] | None = (
        None  # of the hierarchy, where all cells are its labels
    )
    missing: MissingFile = MissingFile()
    noise: NoiseFile | None = None
    shifted: ShiftFile | None = None  # dates, with one unknown offset for each person

    @property
    def hierarchy_file(self) -> str | None:
        """The file of the hierarchy; None for a preset, or without a hierarchy."""
        return None if self.hierarchy is None or preset_name(self.hierarchy) is not None else self.hierarchy


class MadeByFile(_ReleaseModel):
    """The published provenance of the release."""

    sanitizer: str | None = None
    parameters: Mapping[str, Any] = Field(default_factory=dict)
    order: tuple[str, ...] | None = None
    tail: Literal["closed", "merged", "hidden"] | None = None
    epsilon: AtLeastZero | None = None
    delta: Share | None = None
    neighbors: Relation | None = None

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


class ReleaseFile(_ReleaseModel):
    """The whole of release.json."""

    unmask_release: Annotated[int, Field(ge=1, le=1, strict=True)]
    columns: tuple[ColumnFile, ...]
    group_column: str | None = None
    rows: Literal["people", "synthetic", "none"] = "people"
    suppressed: Count = 0  # suppressed people
    suppressed_rows: Count | None = None  # if different
    unit: Unit = Unit.ROWS  # what numbers count: rows, or people if there was a person key
    people: str | None = None  # the file of people counts, where people have several rows
    made_by: MadeByFile | None = None
    regions: str | None = None
    counts: Mapping[str, CountsFile] = Field(default_factory=dict)
    files: Mapping[str, Digest] | None = None  # SHA-256 of every other file of the folder, as it was written

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
