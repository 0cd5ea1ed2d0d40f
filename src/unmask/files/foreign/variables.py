"""Variables of statistics packages: their labels, missing values and storage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from unmask.hierarchies import number_text


@dataclass(frozen=True, slots=True)
class Variable:
    """What a file declares about one column; no cell decides any of it."""

    format: str
    storage: str  # string, double, float, int8, int16, int32
    labels: Mapping[Any, str]  # value → category, without the missing values
    names: Mapping[Any, str]  # value → label, of all values
    ranges: Sequence[Mapping[str, Any]]  # of missing values; `lo` and `hi` belong to them
    letters: bool  # whether some missing values are letters

    @classmethod
    def of(cls, name: str, meta: Any) -> Variable:  # noqa: ANN401 - the metadata of pyreadstat
        """Return a variable of a file."""
        storage = meta.readstat_variable_types.get(name, "double")
        names = {key: label.strip() for key, label in meta.variable_value_labels.get(name, {}).items()}
        names = {key: label for key, label in names.items() if label}
        ranges, letters = meta.missing_ranges.get(name, ()), bool(meta.missing_user_values.get(name))
        plain = cls(meta.original_variable_types.get(name) or "", storage, {}, names, ranges, letters)
        known = {key: label for key, label in names.items() if plain.missing_mark(key) is None}
        several = {label for label, count in Counter(known.values()).items() if count > 1}
        labels = {key: f"{label} ({_text(key)})" if label in several else label for key, label in known.items()}
        return cls(plain.format, storage, labels, names, ranges, letters)

    @property
    def is_text(self) -> bool:
        """Whether the values are texts."""
        return self.storage == "string"

    def missing_mark(self, value: Any) -> str | None:  # noqa: ANN401 - a value of any type
        """Return the label of a value that the file declares missing, else the value; None for others.

        A letter among numbers is a missing value of Stata (`.a`) or SAS (`.A`).
        """
        if value is None:
            return None
        if isinstance(value, str) and not self.is_text:
            return self.names.get(value, f".{value}")
        for ends in self.ranges:
            if isinstance(ends["lo"], str) == isinstance(value, str) and ends["lo"] <= value <= ends["hi"]:
                return self.names.get(value, _text(value))
        return None

    def text(self, value: Any) -> str | None:  # noqa: ANN401 - a value of any type
        """Return the category of a value: its label, else the value."""
        return None if value is None else self.labels.get(value, _text(value))

    def numbers(self, cells: Iterable[float | None]) -> pa.Array:
        """Return numbers, (rows,), as stored: those of single precision are the decimals that they were written as."""
        if self.storage.startswith("int"):
            return pa.array(cells, pa.int64())
        stored = np.float32 if self.storage == "float" else np.float64
        return pa.array(np.array(cells, np.float64).astype(stored), from_pandas=True)


def _text(value: Any) -> str:  # noqa: ANN401 - a value of any type
    return number_text(value) if isinstance(value, (int, float)) else str(value)
