"""Local repair: it ends at a release that nobody is exposed by, or says that it does not."""

from __future__ import annotations

import numpy as np
import pytest

from tests.changes.test_merged_groups import people
from unmask.arrays import Bool
from unmask.auditing.evidence import Evidence, evidence_of
from unmask.hardening.repair import METHOD, Allowance, partners, repaired
from unmask.sanitizers.mondrian import Mondrian


def frequent(one: Evidence) -> Bool:
    """Return who is in a group in which some value belongs to half or more."""
    assert one.group is not None
    counts = one.release.counts_of("ill").dense()
    bad: Bool = counts.max(axis=1) / one.release.size >= 0.5
    return np.asarray(bad[one.group] & (one.group >= 0))


def published(k: int = 3, n: int = 200) -> Evidence:
    """Return a release of random people as evidence about them."""
    return evidence_of(Mondrian(k).sanitize(people(n), np.random.default_rng(0)), "release")


@pytest.mark.parametrize("left_out", [0.0, 10.0])
def test_groups_are_changed_until_nobody_is_exposed(left_out):
    """The fixed point: attacked again, the release exposes no more people than allowed."""
    before = published()
    assert frequent(before).sum() > 0
    found = repaired(before, frequent, Allowance(0.0, left_out, 0.45))
    assert found.withstands
    assert frequent(found.evidence).sum() == 0
    assert found.evidence.release.n_suppressed <= left_out
    assert found.evidence.release.provenance.sanitizer == METHOD


def test_people_who_are_not_exposed_keep_their_cells_in_the_first_round():
    """A partner is coarsened with an exposed group; all others stay as they are."""
    before = published()
    counts = before.release.counts_of("ill").dense()
    exposed = counts.max(axis=1) / before.release.size >= 0.5
    union = partners(before.release, exposed, 0.45)
    size = np.bincount(union)
    assert size.max() == 2
    together = size[union] == 2
    assert (exposed <= together).all()
    assert together.sum() <= 2 * exposed.sum()


def test_a_release_that_exposes_nobody_stays():
    """Without an exposed person nothing is changed, the declared method included."""
    before = published(k=60)
    found = repaired(before, lambda _: np.zeros(200, bool), Allowance(0.0, 0.0, 0.4))
    assert found.evidence.release is before.release
    assert found.repairs.rounds == 0


def test_a_repair_that_does_not_help_ends():
    """People who stay exposed whatever is merged end it, and it says so."""
    found = repaired(published(), lambda _: np.ones(200, bool), Allowance(0.0, 0.0, 0.4))
    assert not found.withstands
    assert found.repairs.rounds <= 4


def test_no_more_people_are_left_out_than_allowed():
    """Groups are left out only within the allowance, where merging is not allowed."""
    found = repaired(published(), frequent, Allowance(0.0, 5.0, 0.4, merges=False))
    assert not found.withstands
    assert found.evidence.release.n_suppressed <= 5
