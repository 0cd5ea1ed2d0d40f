"""What an engine must return: the document of `measure` on the same table in memory."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

import unmask
from unmask.commands.outcome.measured_release import MeasuredRelease

OF_ROWS = ("notes", "leak_checks", "population_risk", "engine", "release")
"""What an engine has not, or says in its own words."""


def in_memory(source: Any, **options: Any) -> dict[str, Any]:
    """Return the document of a table that is loaded."""
    return without_rows(unmask.measure(source, **options))


def in_engine(source: Any, engine: str, **options: Any) -> dict[str, Any]:
    """Return the document of a table that stays in an engine."""
    return without_rows(unmask.measure(source, engine=engine, **options))


def without_rows(found: MeasuredRelease) -> dict[str, Any]:
    """Return a document without what an engine has not."""
    return {key: value for key, value in json.loads(found.to_json()).items() if key not in OF_ROWS}


def differences(one: Any, other: Any, path: str = "") -> Iterator[str]:
    """Yield where two documents differ: numbers by more than 1e-9, counts and texts at all."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        for key in one:
            yield from differences(one[key], other[key], f"{path}/{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for i, (left, right) in enumerate(zip(one, other, strict=True)):
            name = left.get("model", i) if isinstance(left, Mapping) else i
            yield from differences(left, right, f"{path}/{name}")
    elif isinstance(one, float) and isinstance(other, float):
        if not math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9):
            yield f"{path}: {one} {other}"
    elif one != other or type(one) is not type(other):
        yield f"{path}: {one!r} {other!r}"
