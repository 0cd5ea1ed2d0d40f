"""The text's claims with attributes that identify fewer people: which attributes are disclosed decides them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from unmask.number_format import numeral
from unmask.reproduction import Figure, Reproduction
from unmask.wording import joined, message

_HELD = (Reproduction.REPRODUCED, Reproduction.ARITHMETIC)


def noted(
    figures: Sequence[Figure], ks: Sequence[int], coarse: Sequence[Figure], coarse_ks: Sequence[int]
) -> list[Figure]:
    """Return figures, each claim with the number of the same claim with coarse attributes in its note.

    The least of `ks` stands beside the least of `coarse_ks`, and so on: a claim is one figure, with both readings.
    """
    other_k = {f"k={k}": f"k={other}" for k, other in zip(ks, coarse_ks, strict=False)}
    beside = {figure.id: figure for figure in coarse if figure.id.startswith("claim/")}
    found = []
    for figure in figures:
        same = beside.get("/".join(other_k.get(part, part) for part in figure.id.split("/")))
        if same is not None and same.ours is not None:
            held = message("With coarse attributes it holds: {ours}", ours=numeral(same.ours, ".3g"))
            failed = message("With coarse attributes it does not hold: {ours}", ours=numeral(same.ours, ".3g"))
            says = held if same.verdict in _HELD else failed
            figure = replace(figure, note=joined((figure.note, says), ". "))  # noqa: PLW2901
        found.append(figure)
    return found


def note(figures: Sequence[Figure], coarse: Sequence[Figure], attributes: Sequence[str]) -> str:
    """Return the sentence that counts the claims that hold with either choice of attributes."""
    ours, theirs = (
        [figure.verdict in _HELD for figure in some if figure.id.startswith("claim/")] for some in (figures, coarse)
    )
    return message(
        "the choice of attributes decides: of {n} claims {held} hold with these, and {coarse} of {n_coarse} with "
        "{names}, which identify fewer people; the paper names none",
        n=len(ours), held=sum(ours), coarse=sum(theirs), n_coarse=len(theirs), names=", ".join(attributes),
    )  # fmt: skip
