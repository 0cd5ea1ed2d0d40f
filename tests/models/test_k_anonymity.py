"""k-anonymity: how many people a person is hidden among."""

from __future__ import annotations

import numpy as np
import pytest

from tests import stories
from unmask.errors import InvalidInputError
from unmask.models.k_anonymity import KAnonymity
from unmask.models.privacy_model import all_hold, holds
from unmask.sanitizers.mondrian import Mondrian
from unmask.schema import Missing
from unmask.table import Table

NONE = np.zeros((2, 0))


def smallest(table: Table, *names: str) -> int:
    """Return the k of the people who look alike in some columns."""
    number, _ = table.only(names).profiles()
    return int(np.bincount(number).min())


def test_a_group_of_five_is_enough_for_k_5_and_not_for_k_6():
    """The score is the size; the limit itself is allowed."""
    size = np.array([5.0, 7.0])
    assert KAnonymity(5).score(size, NONE, np.zeros(0)).tolist() == [5, 7]
    assert holds(KAnonymity(5), size).tolist() == [True, True]
    assert holds(KAnonymity(6), size).tolist() == [False, True]
    assert all_hold([KAnonymity(6)], size, [], []).tolist() == [False, True]


@pytest.mark.parametrize("k", [0, -1, 2.5, float("inf"), float("nan")])
def test_k_is_a_whole_number_of_at_least_1(k):
    """Half a person protects no one."""
    with pytest.raises(InvalidInputError, match=r"k must be a whole number( of at least 1)?; got"):
        KAnonymity(k)


def test_a_missing_value_is_a_value_of_its_own():
    """Ages 30, 30, 30, missing: the one without an age stands alone, k = 1, not 3."""
    table = Table.of({"age": [30, 30, 30, None], "ill": list("abcd")}, quasi=["age"], sensitive=["ill"])
    assert smallest(table, "age") == 1
    release = Mondrian(k=1).sanitize(table, np.random.default_rng(0)).release
    assert sorted(release.size) == [1, 3]


def test_an_unused_level_changes_nothing():
    """A category that does not occur makes no empty group: k stays 2."""
    table = Table.of(
        {"sex": ["f", "f", "m", "m"], "ill": list("abab")},
        quasi=["sex"],
        sensitive=["ill"],
        orders={"sex": ["f", "m", "unused"]},
    )
    assert smallest(table, "sex") == 2
    assert Mondrian(k=2).sanitize(table, np.random.default_rng(0)).release.size.tolist() == [2, 2]


def test_a_suppressed_cell_is_strict_as_a_value_and_lenient_as_a_wildcard():
    """Single, married, married, single, and a suppressed widow: alone as a value; matching all as a wildcard.

    As a wildcard she could be any of five rows, and each of the others any of three: at least 3 rows match.
    """
    status = ["single", "married", "married", "single", None]
    table = Table.of({"status": status, "ill": list("abcde")}, quasi=["status"], sensitive=["ill"])
    assert smallest(table, "status") == 1
    loose = Table.of(
        {"status": status, "ill": list("abcde")}, quasi=["status"], sensitive=["ill"], missing=Missing.WILDCARD
    )
    release = stories.exact(loose, [0, 0, 0, 0, 0]).release
    profiles = loose.visible("ill").profiles()[1]
    fits = [block.fits for block in release.masked.links(profiles, release.size, how=stories.LINKING)]
    assert sorted(np.concatenate(fits)) == [3, 3, 5]
