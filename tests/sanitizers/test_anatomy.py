"""Anatomy: groups of l different values, with each person's exact attributes beside them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.rates import proportion_within
from unmask.errors import InfeasibleError, InvalidInputError
from unmask.release import Publication
from unmask.sanitizers.anatomy import Anatomy
from unmask.schema import Missing
from unmask.table import Table


def ward(ills: str, ages: list[int | None] | None = None, missing: Missing = Missing.OWN) -> Table:
    """Return patients by their diseases, a letter each."""
    return Table.of(
        {"age": ages or list(range(20, 20 + len(ills))), "ill": [None if i == "?" else i for i in ills]},
        quasi=["age"], sensitive=["ill"], missing=missing,
    )  # fmt: skip


def publish(sanitizer: Anatomy, table: Table, seed: int = 0) -> Publication:
    """Publish with a fresh generator."""
    return sanitizer.sanitize(table, np.random.default_rng(seed))


def test_nothing_is_generalized_and_no_value_stands_beside_a_row():
    """Six people, three values twice: two groups of three different values; all ages exact."""
    release = publish(Anatomy(l=3), ward("abcabc")).release
    assert release.size.tolist() == [3, 3]
    assert release.counts_of("ill").dense().tolist() == [[1, 1, 1], [1, 1, 1]]
    assert release.columns == {}
    assert release.masked.is_exact
    assert np.unique(release.masked.cell_of("age")).size == 6


def test_random_worlds_is_never_surer_than_one_in_l():
    """No value more than once in a group of at least l."""
    for seed in range(20):
        release = publish(Anatomy(l=2), ward("aaabbcd"), seed).release
        assert (release.counts_of("ill").normalized().data <= 1 / 2).all()


def test_which_row_leaves_a_bucket_is_random():
    """Two of `a`, two of `b`, l = 2: each `a` is with the first `b` half of the time; 1 false alarm in 1,000."""
    table = ward("aabb")
    together = sum(len(set(publish(Anatomy(l=2), table, seed).group_of[[0, 2]].tolist())) == 1 for seed in range(500))
    proportion_within(together, 500, 0.5, 1e-3)


def test_rows_without_a_known_value_are_suppressed_and_counted():
    """Under the wildcard policy there is nothing to count; as a value of its own, `?` is one more."""
    loose = publish(Anatomy(l=2), ward("ab?ab", missing=Missing.WILDCARD))
    assert (loose.release.n_rows, loose.release.n_suppressed) == (4, 1)
    assert loose.group_of[2] == -1
    own = publish(Anatomy(l=2), ward("ab?ab"))
    assert (own.release.n_rows, own.release.n_suppressed) == (5, 0)


def test_more_values_than_there_are_cannot_be_spread():
    """Two values, three wanted; or one value of which there are too many."""
    with pytest.raises(InfeasibleError, match="l must be at most 2, the values of column 'ill'; got 3"):
        publish(Anatomy(l=3), ward("ababab"))
    with pytest.raises(InfeasibleError, match=r"at most 2 of 4 rows .* got 3"):
        publish(Anatomy(l=2), ward("aaab"))


def test_what_was_done_is_reported_and_the_seed_is_not():
    """Namely l and the rule for ties; anyone who had the seed could replay who went where."""
    provenance = publish(Anatomy(l=2, ties="stable"), ward("aabb")).release.provenance
    assert provenance.sanitizer == "anatomy"
    assert dict(provenance.parameters) == {"l": 2, "ties": "stable"}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"l": 0}, "l must be a whole number of at least 1; got 0"),
        ({"l": 2.5}, r"l must be a whole number; got 2\.5"),
        ({"l": float("nan")}, "l must be a whole number; got nan"),
        ({"ties": "first"}, "ties must be one of random, stable"),
    ],
)
def test_settings_that_mean_nothing_are_refused(settings, words):
    """An l of zero, of two and a half; a rule for ties that is none."""
    with pytest.raises(InvalidInputError, match=words):
        Anatomy(**settings)
