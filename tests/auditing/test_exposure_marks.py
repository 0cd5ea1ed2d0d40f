"""People exposed by any of several attacks: each counted once, and rightly where some attack is right."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from unmask.auditing.measuring import ExposureMarks

MARKS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=6, max_size=6)


def marks(pairs: list[tuple[bool, bool]]) -> ExposureMarks:
    """Return the marks of one attack: a target exposed by its true value is exposed."""
    exposed = np.array([a for a, _ in pairs])
    return ExposureMarks(exposed, exposed & np.array([b for _, b in pairs]))


@given(MARKS, MARKS)
def test_a_union_is_between_the_largest_and_the_sum(one, other):
    """Of people with two rows each as well; the rightly exposed are among the exposed."""
    for person_of in (None, np.array([0, 0, 1, 1, 2, 2], np.int32)):
        each = [marks(one).counted(person_of), marks(other).counted(person_of)]
        both = (marks(one) | marks(other)).counted(person_of)
        for found, few, many in zip(both, *each, strict=True):
            assert found is not None
            assert few is not None
            assert many is not None
            assert max(few, many) <= found <= few + many
        assert (both[1] or 0) <= both[0]


def test_without_a_known_truth_nothing_is_rightly_exposed():
    """Not known is not zero; an attack that knows the truth keeps its marks."""
    unknown = ExposureMarks(np.array([True, False]))
    assert (unknown | ExposureMarks.none(2)).counted(None) == (1, None)
    assert (unknown | marks([(False, False), (True, True)])).counted(None) == (2, 1)
