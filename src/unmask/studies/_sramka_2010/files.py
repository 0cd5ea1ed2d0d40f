"""Further files of this study: scores of every database, and of every single miner."""

from __future__ import annotations

import numpy as np

from unmask.csv_writing import Rows
from unmask.studies._sramka_2010.mined import NUMBERS, VIEWS
from unmask.studies._sramka_2010.runs import FusionTable


def databases(found: FusionTable) -> str:
    """Return the scores of each database as CSV."""
    rows = Rows(("column", "setting", "edu", "database", "view", *NUMBERS))
    for (attribute, setting), outcomes in found.outcomes.items():
        for i, one in enumerate(outcomes):
            for view in VIEWS if setting.k else VIEWS[:2]:
                numbers = ["" if np.isnan(one.of(view, name)) else one.of(view, name) for name in NUMBERS]
                rows.add((attribute, setting.key, setting.edu, i, view if setting.k else view[0], *numbers))
    return rows.text


def miners(found: FusionTable) -> str:
    """Return the mean utility of each single miner as CSV; empty where it was left out."""
    rows = Rows(("column", "setting", "edu", "scenario", "miner", "utility"))
    for key in found.outcomes:
        for i, scenario in enumerate("AB"):
            for name, utility in found.alone(key, i).items():
                rows.add((key[0], key[1].key, key[1].edu, scenario, name, "" if np.isnan(utility) else utility))
    return rows.text
