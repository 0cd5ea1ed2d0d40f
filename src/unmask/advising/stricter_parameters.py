"""Stricter parameters of a sanitizer, mild ones first."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from unmask.changes.planned_changes import Changes
from unmask.hierarchies import number_text
from unmask.numerics.rounding import TOLERANCE

_SIZES = {"k": (2, 4, 10)}
"""Sizes of groups, and how many times larger they are tried."""

_COUNTS = ("l", "distinct-l", "entropy-l", "max-share-l", "p-sensitive")
"""Numbers of values, which are tried larger by 1 and by 2."""

_SHARES = ("t", "alpha", "beta", "enhanced-beta", "delta-disclosure", "epsilon")
"""Bounds and budgets, which are tried smaller: a half and a quarter."""


def stricter(settings: Mapping[str, Any], models: Collection[str], max_belief: float | None) -> Iterator[list[Changes]]:
    """Yield for each parameter its stricter settings.

    `settings` are those of the sanitizer; `models` the privacy models that may be added to it. A limit on beliefs is
    met by groups in which no value has a larger share: `max-share-l` of at least its reciprocal.
    """
    for name, value in settings.items():
        if not isinstance(value, (int, float)) or isinstance(value, bool) or not value:
            continue
        if name in _SIZES:
            yield [_set(name, value * times) for times in _SIZES[name]]
        elif name in _COUNTS:
            yield [_set(name, value + more) for more in (1, 2)]
        elif name in _SHARES:
            yield [_set(name, value / parts) for parts in (2, 4)]
    if max_belief is not None and "max-share-l" in models and not {"l", "max-share-l"} & settings.keys():
        least = max(math.ceil(1 / max_belief - TOLERANCE), 2)
        yield [_set("max-share-l", least + more) for more in (0, 1, 2)]
    if max_belief is not None and "t" in models and "t" not in settings:
        yield [_set("t", limit) for limit in (0.4, 0.3, 0.2)]


def _set(name: str, value: float) -> Changes:
    return Changes(parameters=((name, number_text(round(value, 10))),))
