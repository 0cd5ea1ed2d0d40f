"""Parser of a column of numbers too long for float64: each is its rank among all known numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from unmask.masks.notation import number_cells
from unmask.masks.notation._columns import CellsRead, Column, assembled
from unmask.masks.notation.number_cells import Piece
from unmask.masks.notation.number_spellings import plain_numeral, tidy
from unmask.numerics.numerals import canonical, exceed_float64, in_order
from unmask.schema import Categorical, Domain, Numeric


def of_long_numbers(column: Column, domain: Domain | None) -> CellsRead | None:
    """Parse a column of numbers and intervals as listed numbers, in order of size; None where float64 suffices.

    An interval covers the numbers in it that cells or people have, and is a value where there are none.
    """
    if not (domain is None or isinstance(domain, Numeric)):
        return None
    if domain is None and column.people_have_labels:
        return None
    bodies = {body: tidy(body, column.style) for body in column.distinct_bodies}
    numerals = _named(bodies.values())
    if numerals is None:
        return None
    if domain is None:
        people = (plain_numeral(text, column.decimal) for text in column.also)
        numerals += [text for text in people if number_cells.NUMBER.fullmatch(text)]
    if not exceed_float64(numerals):
        return None
    values = in_order({canonical(numeral) for numeral in numerals})
    rank = {value: float(i) for i, value in enumerate(values)}
    read: dict[str, list[Piece]] = {}
    for body, text in bodies.items():
        pieces = number_cells.parse(text, lambda end: rank[canonical(end)]) or []
        inside = number_cells.stepped(number_cells.bounded(pieces, 0.0, float(len(rank) - 1), 1.0), 1.0)
        if not inside:
            values.append(body)
            inside = [Piece(len(values) - 1.0, len(values) - 1.0)]
        read[body] = number_cells.merged(inside, 1.0)
    return assembled(column, replace(column.attribute, domain=Categorical(tuple(values))), read)


def _named(texts: Iterable[str]) -> list[str] | None:
    """Return the numerals in cells; None where a cell is neither a number nor an interval."""
    numerals: list[str] = []

    def place(numeral: str) -> float:
        numerals.append(numeral)
        return float(len(numerals))

    return numerals if all(number_cells.parse(text, place) is not None for text in texts) else None
