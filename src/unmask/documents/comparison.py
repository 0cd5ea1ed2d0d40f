"""The comparison of releases as a document: the form `unmask-comparison/1`."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from unmask.documents.estimates import EstimateJson
from unmask.documents.releases import ReleaseJson

SCHEMA: Literal["unmask-comparison/1"] = "unmask-comparison/1"
"""The form of the document; a change that breaks readers counts up."""


class ComparedMeasureJson(EstimateJson):
    """A measure of risk or of utility of one release."""

    measure: str
    """Name of the measure, as `unmask list models` and `unmask list utility` print it."""
    detail: str
    """Sensitive attribute, or the parameters that distinguish measures of one name; may be empty."""
    higher_is_better: bool
    """Whether a higher value is better: safer for a measure of risk, more useful for one of utility."""
    parts: dict[str, EstimateJson]
    """The measure by part, mostly by column."""


class ComparedReleaseJson(ReleaseJson):
    """A release with its measures."""

    risk: list[ComparedMeasureJson]
    """Measures of risk."""
    utility: list[ComparedMeasureJson]
    """Measures of utility."""


class ComparisonJson(TypedDict):
    """Comparison by `unmask compare`: measures of risk and utility of each release."""

    schema: Literal["unmask-comparison/1"]
    """Form of the document."""
    version: str
    """Version of unmask."""
    title: str
    """Title; empty where none was given."""
    context: list[str]
    """Notes for the reader."""
    seed: int | None
    """Seed of random queries and models; null where nothing was drawn."""
    against: Literal["original", "held out", "nothing"]
    """What utility is measured against: the original table, people held out of it, or nothing."""
    releases: list[ComparedReleaseJson]
    """Releases in the order of the command."""
