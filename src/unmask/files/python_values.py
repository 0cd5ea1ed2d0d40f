"""Columns of Python values as Arrow arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pyarrow as pa

from unmask.hierarchies import number_text

_BOOLEANS = {bool, np.bool_}


def arrow_of(values: Iterable[Any]) -> pa.Array:
    """Return Python values as an Arrow array; as text if of several types, or for too long integers."""
    listed = list(values)
    if not mix_booleans(listed):
        with suppress(pa.ArrowException, OverflowError, TypeError):
            return pa.array(listed)
    return pa.array([_text_of(value) for value in listed], pa.string())


def mix_booleans(values: Sequence[Any]) -> bool:
    """Whether booleans and other values stand beside each other: Arrow takes True for 1."""
    kinds = set(map(type, values)) - {type(None)}
    return not kinds.isdisjoint(_BOOLEANS) and not kinds <= _BOOLEANS


def _text_of(value: Any) -> str | None:  # noqa: ANN401 - whatever a list holds
    """Return a value as it would be read among values of its own type."""
    try:
        if value is None or value != value:  # noqa: PLR0124 - NaN differs
            return None
    except TypeError:  # pandas' NA
        return None
    if isinstance(value, float):
        return number_text(value)
    return str(value).lower() if type(value) in _BOOLEANS else str(value)
