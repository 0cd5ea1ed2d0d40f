"""Other spellings of one value: letter case, spaces, forms of a number or of a date (15/01/2020, 2020-01-15)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping

from unmask.dates import begin_with_day, parse_date
from unmask.masks.notation import number_cells
from unmask.masks.notation.number_cells import Piece
from unmask.numerics.numerals import canonical


def spelled(names: Iterable[str], values: Iterable[str]) -> Mapping[str, frozenset[str]]:
    """Return the other spellings of each name that has some, among values.

    A value that is also a name is no other spelling. Whether 03/04/2020 is in March or in April is decided by the
    dates of both that can only be read in one way; where none can, or they differ, such dates are only themselves.
    """
    named = set(names)
    others = [value for value in values if value not in named]
    if not others:
        return {}
    day_first = begin_with_day([*named, *others])
    found: dict[str, set[str]] = {}
    for value in others:
        found.setdefault(_key(value, day_first=day_first), set()).add(value)
    keys = {name: _key(name, day_first=day_first) for name in named}
    return {name: frozenset(found[key]) for name, key in keys.items() if key in found}


def inside(texts: Iterable[str], values: Iterable[str], decimal: str) -> Mapping[str, frozenset[str]]:
    """Return the values that each range of numbers covers: numbers in it, and ranges that overlap it.

    Numbers are found by bisection, so that thousands of ranges and of values cost little.
    """
    listed = [(value, pieces) for value in values if (pieces := number_pieces(value, decimal))]
    if not listed:
        return {}
    points = sorted((own[0].low, value) for value, own in listed if all(p.low == p.high for p in own))
    numbers, names = [number for number, _ in points], [value for _, value in points]
    ranges = [(value, own) for value, own in listed if any(p.low < p.high for p in own)]
    found: dict[str, frozenset[str]] = {}
    for text in texts:
        pieces = number_pieces(text, decimal) or []
        held = {value for value, own in ranges if any(_overlap(a, b) for a in pieces for b in own)}
        for low, high, low_open, high_open in (piece for piece in pieces if piece.low < piece.high):
            first = (bisect_right if low_open else bisect_left)(numbers, low)
            held.update(names[first : (bisect_left if high_open else bisect_right)(numbers, high)])
        if held:
            found[text] = frozenset(held)
    return found


def number_pieces(text: str, decimal: str) -> list[Piece] | None:
    """Return a text as pieces of numbers or ranges; None for neither."""
    if not any(letter.isdigit() for letter in text):
        return None  # fast path: most texts of most columns
    return number_cells.parse(number_cells.tidy(text.strip(), decimal))


def _overlap(a: Piece, b: Piece) -> bool:
    low, high = max(a.low, b.low), min(a.high, b.high)
    if low != high:
        return low < high
    open_low = (a.low == low and a.low_open) or (b.low == low and b.low_open)
    return not open_low and not ((a.high == high and a.high_open) or (b.high == high and b.high_open))


def _key(text: str, *, day_first: bool | None) -> str:
    """Return a key that all spellings of a value share."""
    folded = " ".join(text.casefold().split())
    if number_cells.NUMBER.fullmatch(folded):
        return canonical(folded)
    day = parse_date(folded, day_first=day_first)
    return folded if day is None else day.isoformat()
