"""Non-uniform entropy: bits that are missing to know the value behind a cell."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

from tests import stories
from tests.utility import made, reference
from tests.utility.drawn import RNG, Drawn, grouped
from unmask.table import Table
from unmask.utility.non_uniform_entropy import NonUniformEntropy
from unmask.utility.utility_measure import PublishedTable

SEXES = Table.of({"sex": list("mmmf"), "ill": list("abab")}, quasi=["sex"], sensitive=["ill"])


def test_hiding_the_rare_value_costs_more():
    """Three men and a woman behind `*`: log2(4/3) for each man, 2 bits for the woman; all that there was to lose."""
    found = NonUniformEntropy().measure(made.case_of(SEXES, made.recoded(SEXES, {"sex": ["*"] * 4})), RNG(0))
    assert found.parts["bits"].value == pytest.approx(3 * math.log2(4 / 3) + 2)
    assert found.value.value == pytest.approx(1)


def test_who_was_left_out_costs_as_much_as_a_star():
    """The woman alone: 2 bits."""
    found = NonUniformEntropy().measure(
        made.case_of(SEXES, made.recoded(SEXES, {"sex": list("mmmf")}, kept=[True] * 3 + [False])), RNG(0)
    )
    assert found.parts["bits"].value == pytest.approx(2)


def test_ambiguous_assignment_is_undefined():
    """Two groups fit a man: which bits he lost is not known, and not 0."""
    release = stories.boxed(SEXES, [0, 0, 1, 1]).release
    assert NonUniformEntropy().measure(PublishedTable.of(release, SEXES), RNG(0)).value.value is None
    assert NonUniformEntropy().measure(PublishedTable.of(release), RNG(0)).value.why == "needs the original table"


@given(grouped())
def test_it_is_what_the_definition_says(drawn: Drawn):
    """Shares and bits, missing values among them."""
    found = NonUniformEntropy().measure(drawn.case, RNG(0))
    pairs = [reference.bits(column, drawn.group_of) for column in drawn.columns.values()]
    assert found.parts["bits"].value == pytest.approx(sum(lost for lost, _ in pairs), abs=1e-9)
    assert found.value.value == pytest.approx(np.mean([lost / most if most else 0 for lost, most in pairs]), abs=1e-9)
