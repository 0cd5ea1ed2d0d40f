"""Registry of all miners by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unmask.attacks.fusion.miners import categorical, numeric
from unmask.errors import InvalidInputError
from unmask.wording import message


def miners(*, numbers: bool, library: str = "scikit-learn") -> tuple[Any, ...]:
    """Return the miners that predict numbers, or those that predict cells.

    `library`: `scikit-learn`, or `weka` for the paper's own.
    """
    if library == "weka":
        from unmask.attacks.fusion.miners import weka  # noqa: PLC0415 - only who asks for the paper's own miners needs them

        return weka.NUMERIC if numbers else weka.CATEGORICAL
    if library != "scikit-learn":
        raise InvalidInputError.unknown_name(message("library"), library, ("scikit-learn", "weka"))
    return numeric.MINERS if numbers else categorical.MINERS


def named(names: Sequence[str], *, numbers: bool) -> tuple[Any, ...]:
    """Return miners by name, of either library.

    Fails
        With `InvalidInputError` for an unknown name.
    """
    known = {one.name: one for one in miners(numbers=numbers)}
    if not known.keys() >= set(names):
        known |= {one.name: one for one in miners(numbers=numbers, library="weka")}
    for name in names:
        if name not in known:
            raise InvalidInputError.unknown_name(message("miner"), name, known)
    return tuple(known[name] for name in names)
