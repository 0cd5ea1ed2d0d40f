"""Given levels of full-domain recoding: only these are published, and the others are searched."""

from __future__ import annotations

import numpy as np
import pytest

from unmask.errors import InvalidInputError
from unmask.sanitizers.full_domain import FullDomain
from unmask.table import Table

PEOPLE = Table.of(
    {"sex": list("ffmmffmm"), "town": list("abcdabcd"), "ill": list("xyxyxyxy")},
    quasi=["sex", "town"],
    sensitive=["ill"],
)


def cells(**settings: object) -> tuple[int, int]:
    """Return the number of different cells of both columns."""
    release = FullDomain(**settings).sanitize(PEOPLE, np.random.default_rng(0)).release  # type: ignore[arg-type]
    first, second = release.masked.lines.cells
    return first.n, second.n


def test_the_given_level_is_published():
    """Every combination of levels, with whatever groups there are."""
    assert cells(k=1, levels={"sex": 0, "town": 0}) == (2, 4)
    assert cells(k=1, levels={"sex": 1, "town": 0}) == (1, 4)
    assert cells(k=1, levels={"sex": 1, "town": 1}) == (1, 1)


def test_the_other_columns_are_searched():
    """With the town given, only the sex can make groups of four."""
    assert cells(k=4, levels={"town": 1}) == (2, 1)
    assert cells(k=5, levels={"town": 1}) == (1, 1)
    assert cells(k=4, levels={"sex": 1}, most_nodes=1) == (1, 1)


def test_a_level_that_a_column_lacks_is_refused():
    """As is a column that there is not, and a level beside local recoding."""
    with pytest.raises(InvalidInputError, match="levels of column 'sex' must be at most 1"):
        cells(levels={"sex": 2})
    with pytest.raises(InvalidInputError, match="Did you mean 'town'"):
        cells(levels={"twon": 0})
    with pytest.raises(InvalidInputError, match="levels must be those of all records"):
        cells(levels={"sex": 0}, local=True)


def test_levels_are_published_with_the_release():
    """They are read back by the text form of the parameter."""
    made = FullDomain(k=1, levels={"sex": 1, "town": 0}).sanitize(PEOPLE, np.random.default_rng(0))
    assert made.release.provenance.parameters["levels"] == "sex@1; town@0"
