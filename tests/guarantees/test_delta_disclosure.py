"""What δ-disclosure promises: belief grows by at most a factor of 2 to the δ, and shrinks by at most as much."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import stories
from tests.strategies import publications, tables
from unmask.attacks.random_worlds import RandomWorlds
from unmask.beliefs import About
from unmask.guarantees.beta_likeness import BetaLikenessPromise
from unmask.guarantees.delta_disclosure import DeltaDisclosurePromise
from unmask.release import Release
from unmask.table import Table

ILL = About.attribute("ill")


def halves(first: str, second: str) -> Release:
    """Return two groups with these values."""
    values = list(first + second)
    table = Table.of({"age": [1] * len(first) + [2] * len(second), "ill": values}, quasi=["age"], sensitive=["ill"])
    return stories.boxed(table, [0] * len(first) + [1] * len(second)).release


def test_twice_as_rare_counts_like_twice_as_frequent():
    """Half of all have a; in the second group a fifth: log2(.5 / .2) bits, though no share grows by more than .6."""
    release = halves("aaaab", "abbbb")

    promise = DeltaDisclosurePromise().promises([release], ILL)
    assert promise is not None
    assert promise.metric == "belief-gain"
    assert promise.limit == pytest.approx(2.5 - 1)
    assert promise.vacuous, "from a half no belief can gain more than once itself"
    beta = BetaLikenessPromise().promises([release], ILL)
    assert beta is not None
    assert beta.limit == pytest.approx(0.6)


def test_a_group_that_lacks_a_value_promises_nothing():
    """To rule a value out is a disclosure that no finite δ allows; nor is anything promised of other questions."""
    assert DeltaDisclosurePromise().promises([halves("aab", "aaa")], ILL) is None
    assert DeltaDisclosurePromise().promises([halves("ab", "ab")] * 2, ILL) is None
    assert DeltaDisclosurePromise().promises([halves("ab", "ab")], About.attribute("age")) is None


@given(data=st.data())
def test_random_worlds_keeps_the_promise_on_both_sides(data):
    """Where it is finite, beliefs stay within a factor of 2 to the δ of what they were."""
    published = data.draw(publications(table := data.draw(tables())))
    promise = DeltaDisclosurePromise().promises([published.release], ILL)
    if promise is None:
        return
    view = stories.view_of(published.release, table.visible("ill"), "ill", [published.group_of])
    believed = RandomWorlds().infer(view, np.random.default_rng(0)).dense()
    prior = view.knowledge.prior.dense()
    factor = np.divide(believed, prior, out=np.ones(prior.shape), where=prior > 0)
    assert factor.max() <= promise.limit + 1 + 1e-9
    assert factor.min() >= 1 / (promise.limit + 1) - 1e-9
