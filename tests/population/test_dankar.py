"""Dankar: three estimates that differ by a factor, and which of them to believe."""

from __future__ import annotations

import pytest

from tests.population import samples
from unmask.estimate import Estimate
from unmask.population.dankar import dankar
from unmask.population.pitman import pitman
from unmask.population.slide_negative_binomial import slide_negative_binomial
from unmask.population.zayatz import zayatz

NONE = Estimate.undefined("no model fits")


def test_of_a_small_share_pitman_speaks():
    """Up to one in ten, whatever the others say."""
    for share in (1e-6, 0.1):
        assert dankar(share, Estimate(9.0), Estimate(1.0), Estimate(1.0)) == "pitman"
    assert dankar(0.1, NONE, Estimate(5.0), Estimate(1.0)) == "zayatz"
    assert dankar(0.1, NONE, NONE, Estimate(1.0)) == "slide-negative-binomial"


def test_of_a_large_share_the_smaller_of_the_others():
    """They err by too many."""
    assert dankar(0.2, Estimate(1.0), Estimate(5.0), Estimate(4.0)) == "slide-negative-binomial"
    assert dankar(0.2, Estimate(1.0), Estimate(4.0), Estimate(5.0)) == "zayatz"
    assert dankar(0.2, Estimate(1.0), Estimate(4.0), NONE) == "zayatz"
    assert dankar(0.2, Estimate(1.0), NONE, Estimate(4.0)) == "slide-negative-binomial"
    assert dankar(0.2, Estimate(1.0), NONE, NONE) is None


@pytest.mark.parametrize(
    ("population", "believed"),
    [(317_238_626, "pitman"), (301_620, "pitman"), (150_810, "slide-negative-binomial"), (60_324, "zayatz"),
     (33_513, "zayatz")],
)  # fmt: skip
def test_on_adult_the_right_estimate_of_one_model_changes_the_choice(population, believed):
    """ARX takes Zayatz at .2 and its slide negative binomial at .9, since that one is missing there, or wrong."""
    size, n_keys = samples.sizes(quasi=samples.QI8)
    each = [model(size, n_keys, population) for model in (pitman, zayatz, slide_negative_binomial)]
    assert dankar(30_162 / population, *each) == believed
