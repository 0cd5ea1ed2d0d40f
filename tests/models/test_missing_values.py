"""Two readings of a missing sensitive value: one definition, of rows and of counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unmask.models.missing_values import is_known, readings, readings_of_counts, with_mark
from unmask.schema import Attribute, Categorical, Ordered, Role

LISTED = Attribute("ill", Role.SENSITIVE, Ordered(("a", "b", "?")))
BARE = Attribute("ill", Role.SENSITIVE, Categorical(("a", "b")))


@given(
    attribute=st.sampled_from([LISTED, BARE]),
    drawn=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=12),
)
def test_rows_and_counts_are_read_alike(attribute, drawn):
    """Whether a missing value is written with the mark or has no code."""
    group, value = (np.array(column, np.int32) for column in zip(*drawn, strict=True))
    codes = value if attribute is LISTED else np.where(value == 2, -1, value).astype(np.int32)
    counts = np.zeros((3, len(attribute.values)))
    np.add.at(counts, (group[codes >= 0], codes[codes >= 0]), 1)
    of_rows = readings(attribute, codes)
    of_counts = readings_of_counts(attribute, np.bincount(group, minlength=3).astype(float), counts)
    assert len(of_rows) in {1, len(of_counts)}
    assert (len(of_rows) == 1) is bool(is_known(attribute, codes).all())
    for (ours, column), (theirs, expected) in zip(of_rows, of_counts, strict=False):
        assert ours.values == theirs.values
        found = np.zeros(expected.shape)
        np.add.at(found, (group[column >= 0], column[column >= 0]), 1)
        assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("attribute", [LISTED, BARE])
def test_the_mark_is_the_last_value_once(attribute):
    """And an order stays one."""
    marked = with_mark(with_mark(attribute))
    assert marked.values == ("a", "b", "?")
    assert isinstance(marked.domain, type(attribute.domain))
