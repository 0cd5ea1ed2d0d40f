"""Risk levels of regulators and statistical offices, at which people are counted."""

from __future__ import annotations

from collections.abc import Mapping

LEVELS: Mapping[str, float] = {
    "1/20": 1 / 20, "1/11": 1 / 11, "1/10": 1 / 10, "1/5": 1 / 5, "1/3": 1 / 3, "1/2": 1 / 2,
    "0.8": 0.8, "0.9": 0.9, "1": 1.0,
}  # fmt: skip
"""All levels by name, from the lowest to the highest."""

SMALLEST_GROUPS: Mapping[str, float] = {name: LEVELS[name] for name in ("1/3", "1/5", "1/10", "1/11", "1/20")}
"""The risk in groups of 3, 5, 10, 11 and 20 people: minimum group sizes of statistical offices."""

IDENTIFICATION: Mapping[str, float] = {name: LEVELS[name] for name in ("1", "1/2", "1/5", "1/11")}
"""The identification probabilities at or above which records are counted, from the highest to the lowest."""

FIRM = LEVELS["0.8"]
"""The belief from which people are counted where no policy sets a limit: most intruders would act on it."""

AT_RISK = LEVELS["1/11"]
"""The level of EMA Policy 0070, written there as 0.09: groups of at least 11."""
