"""The two readings of a missing sensitive value: as one more value, and as not known.

A privacy model must hold under both. Which of them is less safe depends on the model and the group, so enforcement and
measurement share this one definition.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unmask.arrays import Bool, Float64, Int32
from unmask.schema import UNKNOWN, Attribute, Categorical, Ordered


def code_of_mark(attribute: Attribute) -> int | None:
    """Return the code of the value that stands for a missing one; None where missing values have no code."""
    return attribute.values.index(attribute.mark) if attribute.mark in attribute.values else None


def is_known(attribute: Attribute, codes: Int32) -> Bool:
    """Return whether each row, (rows,), has a value, under either reading of missing ones."""
    mark = code_of_mark(attribute)
    return codes >= 0 if mark is None else (codes >= 0) & (codes != mark)


def with_mark(attribute: Attribute) -> Attribute:
    """Return the attribute with one more value, the last one, for missing values."""
    if code_of_mark(attribute) is not None:
        return attribute
    values = (*attribute.values, attribute.mark)
    return replace(attribute, domain=Ordered(values) if isinstance(attribute.domain, Ordered) else Categorical(values))


def readings(attribute: Attribute, codes: Int32) -> tuple[tuple[Attribute, Int32], ...]:
    """Return a column, (rows,), under each reading of its missing values: as one more value, and as not known (-1).

    A column without missing values has one reading.
    """
    mark = code_of_mark(attribute)
    missing = codes < 0 if mark is None else (codes < 0) | (codes == mark)
    if not missing.any():
        return ((attribute, codes),)
    code = len(attribute.values) if mark is None else mark
    one_more = np.where(missing, code, codes).astype(np.int32)
    return (with_mark(attribute), one_more), (attribute, np.where(missing, UNKNOWN, codes).astype(np.int32))


def readings_of_counts(attribute: Attribute, size: Float64, counts: Float64) -> tuple[tuple[Attribute, Float64], ...]:
    """Return counts, (groups, values), under each reading; the people of a group of `size` without a value lack one."""
    unknown = np.maximum(size - counts.sum(axis=1), 0.0)
    mark = code_of_mark(attribute)
    if mark is None and not unknown.any():
        return ((attribute, counts),)
    own, known = with_mark(attribute), counts
    if mark is None:
        return (own, np.concatenate([counts, unknown[:, None]], axis=1)), (attribute, counts)
    known = counts.copy()
    known[:, mark] = 0.0
    every = counts.copy()
    every[:, mark] += unknown
    return (own, every), (attribute, known)
