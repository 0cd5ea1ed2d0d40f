"""What k-anonymity promises, and linkage keeps."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from tests import stories
from tests.strategies import Seen, place_view, views
from unmask.attacks.linkage.attack import Linkage
from unmask.beliefs import About
from unmask.estimate import Tally
from unmask.guarantees.k_anonymity import KAnonymityPromise
from unmask.metrics.reidentification import MaxReidentificationRisk
from unmask.table import Table

WHERE = About.place("release")


def ward() -> Table:
    """Return five patients."""
    return Table.of({"age": [20, 21, 40, 41, 42], "ill": list("ababa")}, quasi=["age"], sensitive=["ill"])


def test_the_smallest_group_is_the_promise():
    """Groups of two and three: no person is matched rightly with probability above one half."""
    promise = KAnonymityPromise().promises([stories.boxed(ward(), [0, 0, 1, 1, 1]).release], WHERE)
    assert promise is not None
    assert (promise.metric, promise.limit, promise.vacuous) == ("max-risk", 1 / 2, False)
    assert "k = 2" in promise.assumes


def test_a_group_of_one_promises_nothing():
    """Vacuous: one in one."""
    promise = KAnonymityPromise().promises([stories.boxed(ward(), [0, 1, 2, 2, 2]).release], WHERE)
    assert promise is not None
    assert promise.vacuous


def test_of_exact_rows_of_values_and_of_several_releases_nothing_is_promised():
    """There each row is its own cell; values are another model's; and two groups of five may share one person."""
    boxes, rows = stories.boxed(ward(), [0] * 5).release, stories.exact(ward(), [0] * 5).release
    assert KAnonymityPromise().promises([rows], WHERE) is None
    assert KAnonymityPromise().promises([boxes], About.attribute("ill")) is None
    assert KAnonymityPromise().promises([boxes, boxes], WHERE) is None


@settings(max_examples=40)
@given(seen=views(1, forms=("boxes",), located=False))
def test_on_strict_boxes_linkage_reaches_the_promise_and_no_more(seen: Seen):
    """Where no two boxes overlap the largest risk is one over the smallest group, neither more nor less."""
    view = place_view(seen)
    beliefs = Linkage().infer(view, np.random.default_rng(0))
    if (beliefs.rows.data < 1).any():
        return  # overlapping boxes: the person may be elsewhere, too
    promise = KAnonymityPromise().promises(view.releases, WHERE)
    risk = MaxReidentificationRisk().measure(Tally.of(beliefs, None)).value
    if promise is not None:
        assert risk == promise.limit
