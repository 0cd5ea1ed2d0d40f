"""Limits that no release keeps are refused before the search, and no others are."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from unmask.auditing.policy import Limits
from unmask.errors import InvalidInputError
from unmask.hardening.impossible import least_exposed, require_belief
from unmask.schema import Harm
from unmask.table import Table

PEOPLE = Table.of({"age": [float(x) for x in range(10)], "ill": list("aaaabbbccd")}, quasi=["age"], sensitive=["ill"])


@pytest.mark.parametrize(
    ("limits", "harm", "refused"),
    [
        (Limits(0.3), Harm(), True),
        (Limits(0.4), Harm(), False),
        (Limits(0.3, excess=0.1), Harm(), False),
        (Limits(0.3, tolerate=0.2), Harm(), False),
        (Limits(0.3, tolerate=0.1), Harm(), True),
        (Limits(0.3), Harm(frozenset("a")), False),
        (Limits(0.3), Harm(limit={"a": 0.5}), False),
        (Limits(0.5), Harm(limit={"b": 0.25}), True),
        (Limits(max_risk=0.1), Harm(), False),
    ],
)
def test_a_value_that_is_too_frequent_is_refused(limits, harm, refused):
    """Harmless values, limits of values, a control and a tolerance count."""
    if not refused:
        require_belief(PEOPLE, limits, 0.0, {"ill": harm})
        return
    with pytest.raises(InvalidInputError, match="max-belief must be above"):
        require_belief(PEOPLE, limits, 0.0, {"ill": harm})


@pytest.mark.parametrize("suppression", [0.0, 0.15, 0.3])
@pytest.mark.parametrize("limit", [0.25, 0.3, 0.5])
def test_no_grouping_exposes_fewer(limit, suppression):
    """Of all groupings of seven people into up to three groups, some of them left out."""
    ill, rows = np.array([1, 1, 1, 1, 0, 0, 0]), np.ones(7, np.int64)
    fewest = 7
    for group in product(range(-1, 3), repeat=7):
        of = np.array(group)
        if (of < 0).sum() > suppression * 7:
            continue
        shares = {g: ill[of == g].mean() for g in set(group) - {-1}}
        fewest = min(fewest, sum(shares.get(g, 0.0) >= limit for g in group))
    assert least_exposed(rows, 4 / 7, limit, suppression) <= fewest
