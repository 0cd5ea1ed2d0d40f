"""Miners that are what the paper's are: on tables of cells they say what Weka's say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.attacks.fusion.miners.odd import town
from unmask.attacks.fusion.miners import all_miners, weka
from unmask.attacks.fusion.miners.training import Mining, mine
from unmask.errors import NotApplicableError

TWINS = {
    "hidden-naive-bayes": "weka-hnb",
    "local-stump": "weka-lwl",
    "majority": "weka-zeror",
    "naive-bayes": "weka-naivebayes",
    "naive-bayes-halves": "weka-bayesnet",
    "one-parent": "weka-aode",
    "one-parent-special": "weka-aodesr",
    "one-parent-weighted": "weka-waode",
    "pipes": "weka-hyperpipes",
    "stump": "weka-decisionstump",
    "voting-values": "weka-vfi",
}


@pytest.mark.slow
@pytest.mark.parametrize("ours", TWINS)
def test_it_says_what_wekas_does(ours):
    """Every probability, to the three places that Weka writes."""
    try:
        weka.jar()
    except NotApplicableError as error:
        pytest.skip(f"Weka {error}")
    drawn = town(400)
    features = np.column_stack([drawn.features[:, :2], drawn.features[:, 2] > 0]).astype(float)
    lesson = replace(drawn, features=features, listed=np.ones(3, bool))  # Weka cuts numbers in its own ways
    both = all_miners.named([ours, TWINS[ours]], numbers=False)
    predicted = mine(lesson, both, Mining(jobs=1), np.random.default_rng(1))
    assert predicted.by_miner[0].chance == pytest.approx(predicted.by_miner[1].chance, abs=3e-3)
    if ours == "pipes":  # of those that tie, the same one, too
        assert predicted.by_miner[0].answer.tolist() == predicted.by_miner[1].answer.tolist()
