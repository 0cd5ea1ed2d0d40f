"""Columns of a table whose rows repeat, kept once for each kind of row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unmask.arrays import Int32, Int64, gathered, occurrences


@dataclass(frozen=True, slots=True, eq=False)
class RepeatedColumns(Mapping[str, NDArray[Any]]):
    """Columns of a table whose rows repeat: those of each kind of row, and the kind of each row.

    The column of all rows is made when it is asked for.
    """

    of_kind: Mapping[str, NDArray[Any]]  # name → (kinds,)
    n_kinds: int
    kind: Int32  # (rows,) every kind occurs

    def __getitem__(self, name: str) -> NDArray[Any]:
        column = gathered(self.of_kind[name], self.kind)
        column.setflags(write=False)
        return column

    def __iter__(self) -> Iterator[str]:
        return iter(self.of_kind)

    def __len__(self) -> int:
        return len(self.of_kind)

    def take(self, rows: Int64 | Int32) -> Mapping[str, NDArray[Any]]:
        """Return the selected rows, in the given order."""
        kind = self.kind[rows]
        if kind.size <= self.n_kinds:
            return {name: column[kind] for name, column in self.of_kind.items()}
        occurs = occurrences(kind, self.n_kinds)[1:] > 0
        number = np.cumsum(occurs, dtype=np.int32) - 1
        kinds = {name: column[occurs] for name, column in self.of_kind.items()}
        return RepeatedColumns(kinds, int(occurs.sum()), number[kind])
