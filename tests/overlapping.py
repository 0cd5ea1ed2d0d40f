"""Two extracts of a table that share 5,000 people, published independently, for reproductions of composition."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from unmask.auditing.evidence import Evidence, evidence_of
from unmask.release import Sanitizer
from unmask.table import Table

SHARED = 5_000


def published(table: Table, sanitizers: Sequence[Sanitizer], key: Sequence[int]) -> tuple[list[Evidence], Table]:
    """Publish two extracts that together cover the table; return them, and the people in both."""
    rng = np.random.default_rng(key)
    size = (table.n_rows + SHARED) // 2
    order = rng.permutation(table.n_rows)
    both = order[:SHARED]
    evidence = []
    for i, rows in enumerate((order[SHARED:size], order[size : 2 * size - SHARED])):
        made = evidence_of(sanitizers[i].sanitize(table.take(np.concatenate([both, rows])), rng), f"h{i + 1}")
        assert made.group is not None
        evidence.append(Evidence(made.release, made.group[:SHARED]))
    return evidence, table.take(both)


def mean(values: Iterable[float | None]) -> float:
    """Return the mean over runs."""
    return float(np.mean([value for value in values if value is not None]))
