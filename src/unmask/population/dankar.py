"""Dankar: which estimate of the population's uniques to believe."""

from __future__ import annotations

from typing import Literal

from unmask.estimate import Estimate

Model = Literal["pitman", "zayatz", "slide-negative-binomial"]

FEW = 0.1
"""The share of the population up to which Pitman is believed."""


def dankar(share: float, pitman: Estimate, zayatz: Estimate, slide_negative_binomial: Estimate) -> Model | None:
    """Return the model to believe where this share of the population was drawn; None where all are undefined.

    Pitman is best for small shares, and the other two overestimate where they are wrong: so the smaller is better.

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
