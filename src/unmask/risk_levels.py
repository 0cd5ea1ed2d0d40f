"""Levels of risk at which people are counted: those that regulators and statistical offices have used."""

from __future__ import annotations

from collections.abc import Mapping

LEVELS: Mapping[str, float] = {
    "1/20": 1 / 20, "1/11": 1 / 11, "1/10": 1 / 10, "1/5": 1 / 5, "1/3": 1 / 3, "1/2": 1 / 2,
    "0.8": 0.8, "0.9": 0.9, "1": 1.0,
}  # fmt: skip
"""All levels by name, from the lowest to the highest."""

SMALLEST_GROUPS: Mapping[str, float] = {name: LEVELS[name] for name in ("1/3", "1/5", "1/10", "1/11", "1/20")}
"""The risk in groups of 3, 5, 10, 11 and 20 people: the smallest sizes that offices publish."""

IDENTIFICATION: Mapping[str, float] = {name: LEVELS[name] for name in ("1", "1/2", "1/5", "1/11")}
"""The probabilities of identification from which on records are counted, from the highest to the lowest."""

AT_RISK = LEVELS["1/11"]
"""The level that EMA Policy 0070 writes as 0.09: groups of at least 11."""
