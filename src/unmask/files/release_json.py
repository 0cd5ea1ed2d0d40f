"""release.json: what a release tells of itself. The published format, so a key that is unknown is an error."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from unmask.files.json_reading import read_json
from unmask.files.validation import AtLeastZero, Count, Finite, Positive, Share, checked, require_rising
from unmask.neighboring_relation import Relation
from unmask.release import Noise, Provenance
from unmask.schema import MARK, Categorical, Domain, Missing, Numeric, Ordered, Role
from unmask.unit import Unit

CellForm = Literal["exact", "cells", "noisy", "centroid", "permuted"]


Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class _ReleaseModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class DomainFile(_ReleaseModel):
    """The values that a column may have; without values or bounds, only of what type they are."""

    type: Literal["categorical", "ordered", "numeric"]
    values: tuple[str, ...] | None = None
    low: Finite | None = None
    high: Finite | None = None
    step: Positive | None = None

    @model_validator(mode="after")
    def _rising(self) -> DomainFile:
        require_rising(self.low, self.high)
        return self

    @classmethod
    def of(cls, domain: Domain) -> DomainFile:
        """Publish what is declared of a domain; values that were only seen in the data are left out."""
        if isinstance(domain, Numeric):
            return cls(type="numeric", low=domain.low, high=domain.high, step=domain.step)
        kind: Literal["categorical", "ordered"] = "ordered" if isinstance(domain, Ordered) else "categorical"
        return cls(type=kind, values=domain.values if domain.declared else None)

    def domain(self) -> Domain:
        """Return the domain; empty where the values are to be found in the cells."""
        if self.type == "numeric":
            return Numeric(self.low, self.high, self.step)
        kind = Ordered if self.type == "ordered" else Categorical
        return kind(self.values or (), declared=self.values is not None)


class MissingFile(_ReleaseModel):
    """How a missing value is written, and how it counts."""

    mark: str = MARK
    policy: Missing = Missing.OWN


class NoiseFile(_ReleaseModel):
    """Noise that was added."""

    family: Literal["laplace", "discrete-laplace"]
    scale: Positive

    @classmethod
    def of(cls, noise: Noise) -> NoiseFile:
        """Tell of noise."""
        return cls(family=noise.family, scale=noise.scale)

    def noise(self) -> Noise:
        """Return the noise."""
        return Noise(self.family, self.scale)


class ColumnFile(_ReleaseModel):
    """One column of the release."""

    name: str
    role: Literal[Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.INSENSITIVE]
    cells: CellForm = "cells"
    domain: DomainFile | None = None
    hierarchy: str | None = None
    level: int | None = Field(default=None, ge=1)  # of the hierarchy, where all cells are its labels
    missing: MissingFile = MissingFile()
    noise: NoiseFile | None = None


class MadeByFile(_ReleaseModel):
    """How the release was made, as far as the publisher tells."""

    sanitizer: str | None = None
    parameters: Mapping[str, Any] = Field(default_factory=dict)
    order: tuple[str, ...] | None = None
    tail: Literal["closed", "merged", "hidden"] | None = None
    epsilon: AtLeastZero | None = None
    delta: Share | None = None
    neighbors: Relation | None = None

    @classmethod
    def of(cls, provenance: Provenance) -> MadeByFile:
        """Publish a provenance."""
        values = {key: getattr(provenance, key) for key in cls.model_fields}
        return cls(**{**values, "parameters": dict(provenance.parameters)})

    def provenance(self) -> Provenance:
        """Return the provenance."""
        return Provenance(**{key: getattr(self, key) for key in type(self).model_fields})


class CountsFile(_ReleaseModel):
    """What is told of the counts of a sensitive column."""

    noise: NoiseFile | None = None


class ReleaseFile(_ReleaseModel):
    """The whole of release.json."""

    unmask_release: Literal[1]
    columns: tuple[ColumnFile, ...]
    group_column: str | None = None
    rows: Literal["people", "synthetic", "none"] = "people"
    suppressed: Count = 0  # people of whom nothing is published
    suppressed_rows: Count | None = None  # where these are not the same
    unit: Unit = Unit.ROWS  # what numbers count: people, where a key said whose rows are whose
    people: str | None = None  # the file that counts people, where somebody has several rows
    made_by: MadeByFile | None = None
    regions: str | None = None
    counts: Mapping[str, CountsFile] = Field(default_factory=dict)
    files: Mapping[str, Digest] | None = None  # SHA-256 of every other file of the folder, as it was written

    @classmethod
    def read(cls, path: Path) -> ReleaseFile:
        """Read release.json.

        Fails
            With `InvalidInputError` where there is none, for broken JSON, and for an unknown key, naming it.
        """
        return checked(cls, read_json(path), path.name)

    def to_json(self) -> str:
        """Write release.json: what is not told is left out."""
        data = self.model_dump(mode="json", exclude_none=True)
        if not data["counts"]:
            del data["counts"]
        return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
