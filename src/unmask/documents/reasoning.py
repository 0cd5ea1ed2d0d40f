"""Inference methods side by side as a document: the form `unmask-reasoning/1`."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

SCHEMA: Literal["unmask-reasoning/1"] = "unmask-reasoning/1"
"""The form of the document; a change that breaks readers counts up."""

Posterior = dict[str, str]
"""Probability of each value above 0: an exact fraction, as in `1/3`."""


class ReasonedRowsJson(TypedDict):
    """Rows of one group with equal cells."""

    lines: list[int]
    """Lines of the file, from 0."""
    group: str
    """The group."""
    shown: dict[str, str]
    """Published cell of each quasi-identifier."""
    beliefs: dict[str, Posterior]
    """Probability of each value by inference method, as exact fractions: `1/3`."""
    own_group_alone: dict[str, Posterior]
    """The same from the own group alone."""


class ReasoningJson(TypedDict):
    """Inference methods on a small release by `unmask reason`, side by side; every possible world is enumerated."""

    schema: Literal["unmask-reasoning/1"]
    """Form of the document."""
    version: str
    """Version of unmask."""
    release: str
    """Name of the release."""
    about: str
    """Sensitive attribute that is inferred."""
    people: int
    """Number of people."""
    groups: int
    """Number of groups."""
    worlds: int
    """Number of tables that could be behind the release."""
    rows: list[ReasonedRowsJson]
    """Rows, those of a group with equal cells together."""
    notes: list[str]
    """Notes for the reader."""
