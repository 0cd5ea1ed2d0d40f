"""Random queries that are kept between tests: drawing a thousand takes as long as auditing a small table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from unmask.utility._counting_queries import CountingQueries

KEPT = 64
"""The number of draws that are kept."""


@contextmanager
def queries_drawn_once() -> Iterator[None]:
    """Keep what is drawn while this lasts; a generator is left as drawing leaves it."""
    draw = CountingQueries.drawn
    found: dict[tuple[object, ...], tuple[CountingQueries, Any]] = {}

    def drawn(
        queries: int, predicates: int, quasi: Sequence[int], sensitive: Sequence[int], ordered: Sequence[bool],
        selectivity: float, rng: np.random.Generator,
    ) -> CountingQueries:  # fmt: skip
        state = str(rng.bit_generator.state)
        key = (queries, predicates, tuple(quasi), tuple(sensitive), tuple(ordered), selectivity, state)
        if key not in found:
            made = draw(queries, predicates, quasi, sensitive, ordered, selectivity, rng)
            for array in (made.asked, *made.accepts):
                array.setflags(write=False)
            if len(found) == KEPT:
                del found[next(iter(found))]
            found[key] = made, rng.bit_generator.state
        kept, rng.bit_generator.state = found[key]
        return kept

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CountingQueries, "drawn", staticmethod(drawn))
        yield
