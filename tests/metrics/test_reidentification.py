"""Re-identification risk: how likely a person's row is named rightly."""

from __future__ import annotations

import numpy as np
import pytest

from tests import stories
from tests.judged import FLU, judged
from tests.strategies import Seen, place_view
from unmask.attacks.linkage.attack import Linkage
from unmask.estimate import Tally, Truth
from unmask.metrics.reidentification import (
    AboveRisk,
    AtRisk,
    AverageReidentificationRisk,
    LinkageUpperBound,
    MaxReidentificationRisk,
)
from unmask.table import Table


def linked(publication, people) -> Tally:
    """Look for people in a release."""
    seen = Seen(stories.view_of(publication.release, people, "ill"), people, (publication,))
    return Tally.of(Linkage().infer(place_view(seen), np.random.default_rng(0)), None)


def test_in_groups_of_four_and_two_the_risk_is_a_third_on_average():
    """Over people: (4 · 1/4 + 2 · 1/2) / 6 = 2/6; over groups it would be .375. The most exposed stand at 1/2."""
    table = Table.of({"age": [20, 21, 22, 23, 40, 41], "ill": list("abcabc")}, quasi=["age"], sensitive=["ill"])
    tally = linked(stories.boxed(table, [0, 0, 0, 0, 1, 1]), table.visible("ill"))
    assert AverageReidentificationRisk().measure(tally).value == pytest.approx(2 / 6)
    assert MaxReidentificationRisk().measure(tally).value == pytest.approx(1 / 2)
    assert AtRisk(1 / 2).measure(tally).value == 2
    assert AtRisk(1 / 4).measure(tally).value == 6
    assert AtRisk(0.51).measure(tally).value == 0
    assert AboveRisk(1 / 4).measure(tally).value == 2  # who stands at a limit keeps it
    assert AboveRisk(1 / 2).measure(tally).value == 0


def test_a_release_identical_to_the_original_has_risk_one():
    """Exact rows, all different: matched with certainty, with a valid interval."""
    table = Table.of({"age": [20, 30, 40], "ill": list("abc")}, quasi=["age"], sensitive=["ill"])
    tally = linked(stories.exact(table, [0, 1, 2]), table.visible("ill"))
    estimate = AverageReidentificationRisk().measure(tally)
    assert (estimate.value, estimate.low, estimate.high) == (1, 1, 1)
    assert MaxReidentificationRisk().measure(tally).value == 1


def test_where_every_cell_is_suppressed_the_risk_is_one_in_n():
    """Seven rows of `*`: 1/7, no exception."""
    table = Table.of({"age": [20, 30, 40, 41, 42, 43, 44], "ill": list("abcdefg")}, quasi=["age"], sensitive=["ill"])
    everything = stories.boxed(table, [0] * 7, {"age": [(-1e9, 1e9)]})
    assert MaxReidentificationRisk().measure(linked(everything, table.visible("ill"))).value == pytest.approx(1 / 7)


def test_people_with_equal_posteriors_get_one_answer():
    """Three of 20 in two groups, one of 30: whichever group is named, at most two of three, and the other: 3/4."""
    table = Table.of({"age": [20, 20, 20, 30], "ill": list("abcd")}, quasi=["age"], sensitive=["ill"])
    published = stories.exact(table, [0, 0, 1, 1])
    seen = Seen(stories.view_of(published.release, table.visible("ill"), "ill"), table, (published,))
    view = place_view(seen)
    truth = Truth(view.about, ("0", "1"), published.group_of)
    tally = Tally.of(Linkage().infer(view, np.random.default_rng(0)), truth)
    assert LinkageUpperBound().measure(tally).value == pytest.approx(3 / 4)


def test_without_the_truth_the_bound_is_undefined():
    """Whose group is right is not known."""
    table = Table.of({"age": [20, 30], "ill": list("ab")}, quasi=["age"], sensitive=["ill"])
    tally = linked(stories.boxed(table, [0, 1]), table.visible("ill"))
    assert LinkageUpperBound().measure(tally).why == "the truth is known for no target"


def test_where_no_row_is_looked_for_there_is_no_such_risk():
    """Beliefs about a diagnosis name no row: undefined, with the reason."""
    tally = judged([FLU], ["flu"])
    for metric in (MaxReidentificationRisk(), AverageReidentificationRisk(), AtRisk(), AboveRisk()):
        assert metric.measure(tally).why == "no row is looked for"


def test_without_targets_the_risk_is_undefined():
    """0 people could be attacked: not 0, which would read as safe."""
    table = Table.of({"age": [20, 30], "ill": list("ab")}, quasi=["age"], sensitive=["ill"])
    tally = linked(stories.boxed(table, [0, 0]), table.visible("ill").take(np.zeros(0, np.int64)))
    for metric in (MaxReidentificationRisk(), AverageReidentificationRisk(), AtRisk(), AboveRisk()):
        estimate = metric.measure(tally)
        assert estimate.value is None
        assert estimate.n == 0


@pytest.mark.parametrize("threshold", [0.5, 1 / 3])
def test_a_threshold_is_reached_despite_rounding(threshold):
    """Groups of exactly the size that the limit allows count as at risk."""
    size = round(1 / threshold)
    table = Table.of({"age": [20] * size, "ill": list("abc")[:size]}, quasi=["age"], sensitive=["ill"])
    tally = linked(stories.boxed(table, [0] * size), table.visible("ill"))
    assert AtRisk(threshold).measure(tally).value == size
    assert AboveRisk(threshold).measure(tally).value == 0
