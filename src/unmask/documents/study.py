"""The reproduction of a paper as a document: the form `unmask-study/1`."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from unmask.documents.estimates import Settings
from unmask.reproduction import Reproduction

SCHEMA: Literal["unmask-study/1"] = "unmask-study/1"
"""The form of the document; a change that breaks readers counts up."""


class FigureJson(TypedDict):
    """A number or a claim of a paper, and ours."""

    id: str
    """Name of the figure, unique in the study."""
    says: str
    """Description."""
    paper: float | str | None
    """Printed number, or a claim of the text; null where the paper has none."""
    ours: float | None
    """Our number; null where it is undefined."""
    low: float | None
    """Lower end of the 95 % prediction range of the paper's number."""
    high: float | None
    """Upper end of that range."""
    verdict: Reproduction
    """Result of the comparison."""
    note: str
    """Cause of a difference, or a remark; may be empty."""


class StudyJson(TypedDict):
    """Reproduction of a paper by `unmask study`: each printed figure beside the new one."""

    schema: Literal["unmask-study/1"]
    """Form of the document."""
    version: str
    """Version of unmask."""
    study: str
    """Name of the study, as `unmask list studies` prints it."""
    title: str
    """The paper."""
    settings: Settings
    """Parameters of the study, by name."""
    seed: int | None
    """Seed that gives the same numbers again."""
    context: list[str]
    """Notes for the reader."""
    counts: dict[str, int]
    """Number of figures by result of the comparison."""
    outside_by_chance: float
    """Number of printed numbers that would lie outside their 95 % range by chance."""
    figures: list[FigureJson]
    """All figures."""
