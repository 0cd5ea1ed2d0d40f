"""Tested causes of differences between the paper's figures and ours, for notes."""

from __future__ import annotations

import numpy as np

from unmask.number_format import numeral
from unmask.reproduction import UNKNOWN
from unmask.studies._sramka_2010 import printed
from unmask.studies._sramka_2010.mined import INCLUSIVE
from unmask.studies._sramka_2010.runs import FusionTable, Key
from unmask.wording import message


def groups_of(found: FusionTable, key: Key) -> str:
    """Return whether random guesses have the paper's utility: it depends only on the width of groups of k."""
    utility, part = (printed.of(key[0], "B", measure, key[1].key) for measure in ("utility", "sigma-guess"))
    if not utility or not part or found.size != printed.SIZE:
        return UNKNOWN
    low, high = (100 * utility / (part + half) for half in (0.5, -0.5))  # it is printed without decimals
    ours = float(found.runs(key, INCLUSIVE, "guess").mean())
    if low <= ours <= high:
        return UNKNOWN
    return message(
        "tested: guesses alone, which no miner changes, are exact of {ours} people here and of {low} to {high} in the "
        "paper, so its groups (it omits its trees) or its guesses are others",
        ours=numeral(ours, ".0f"),
        low=numeral(low, ".0f"),
        high=numeral(high, ".0f"),
    )


def constant_of(found: FusionTable, key: Key, scenario: str) -> str:
    """Return the utility of a constant prediction: with much noise any middling number is nearer."""
    alone = found.alone(key, 0 if scenario == "A" else 1)
    constant = next((alone[name] for name in ("mean", "weka-zeror") if not np.isnan(alone.get(name, np.nan))), None)
    if constant is None or scenario == "B":
        return message("the sensitivity is 15 here and 16 in the paper, so its noise is a fifteenth wider")
    return message(
        "tested: the overall mean, predicted for all people, is nearer for {share}",
        share=numeral(constant / found.size, ".1%"),
    )
