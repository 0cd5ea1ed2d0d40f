"""Dankar's rule: which estimator of population uniques to prefer."""

from __future__ import annotations

from typing import Literal

from unmask.estimate import Estimate

Model = Literal["pitman", "zayatz", "slide-negative-binomial"]

FEW = 0.1
"""The largest sampling share for which Pitman is preferred."""


def dankar(share: float, pitman: Estimate, zayatz: Estimate, slide_negative_binomial: Estimate) -> Model | None:
    """Return the preferred model for a sampling share; None if all are undefined.

    Pitman is best for small shares. The errors of the other two are overestimates: the smaller one is preferred.

    Infers
        Up to one tenth: Pitman, or Zayatz where Pitman is undefined. Above: the smaller of Zayatz and the slide
        negative binomial, whichever are defined.

    References
    ----------
    Dankar, El Emam, Neisa, Roffey. Estimating the re-identification risk of clinical data sets. BMC Medical
    Informatics and Decision Making 2012.
    """
    if share <= FEW and pitman.value is not None:
        return "pitman"
    if slide_negative_binomial.value is not None and (
        zayatz.value is None or (share > FEW and slide_negative_binomial.value < zayatz.value)
    ):
        return "slide-negative-binomial"
    return None if zayatz.value is None else "zayatz"


ESTIMATES = (dankar,)
