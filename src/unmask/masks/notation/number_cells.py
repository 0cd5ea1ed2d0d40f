"""Syntax of cells of numbers in plain spelling: `25`, `20-29`, `[20, 30)`, `<30`, `>=40`, `30+`, `30s`, `{20, 25}`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from unmask.arrays import Bool, Float64
from unmask.hierarchies import multiples, number_text
from unmask.masks.notation.number_spellings import in_signs
from unmask.numerics.numerals import NUMERAL as _N

NUMBER = re.compile(_N)
_RANGE = re.compile(rf"({_N})\s*(?:-|\.\.|to)\s*({_N})", re.IGNORECASE)
_BELOW = re.compile(rf"(<=?)\s*({_N})")
_ABOVE = re.compile(rf"(>=?)\s*({_N})|({_N})\s*\+")
_DECADE = re.compile(r"((?:[1-9]\d*)?0)s")
_END = rf"{_N}|[+-]?inf(?:inity)?|[+-]?∞"
_BRACKETS = re.compile(rf"([\[\](])\s*({_END})?\s*(?:[,;]|-|\.\.|to)\s*({_END})?\s*([\])\[])")
_MASK = re.compile(r"([1-9]\d*)(\*+)")


class Piece(NamedTuple):
    """An interval; infinite where an end is open-ended."""

    low: float
    high: float
    low_open: bool = False
    high_open: bool = False


def parse(text: str, number: Callable[[str], float] = float) -> list[Piece] | None:
    """Return the pieces of a tidied cell, their ends converted by `number`; None where it is not numeric."""
    pieces: list[Piece] = []
    for part in text.split("|"):
        signs = in_signs(part.strip())
        members = signs[1:-1].split(",") if signs.startswith("{") and signs.endswith("}") else [signs]
        for member in members:
            piece = _piece(in_signs(member.strip()), number)
            if piece is None:
                return None
            pieces.append(piece)
    return pieces


def _piece(text: str, number: Callable[[str], float]) -> Piece | None:
    if NUMBER.fullmatch(text):
        value = number(text)
        return Piece(value, value)
    if found := _RANGE.fullmatch(text):
        return _forwards(Piece(number(found[1]), number(found[2])))
    if found := _BELOW.fullmatch(text):
        return Piece(-np.inf, number(found[2]), high_open=found[1] == "<")
    if found := _ABOVE.fullmatch(text):
        return Piece(number(found[2] or found[3]), np.inf, low_open=found[1] == ">")
    if (found := _DECADE.fullmatch(text)) and number is float:
        return Piece(float(found[1]), float(found[1]) + 10, high_open=True)
    if (found := _BRACKETS.fullmatch(text)) and (found[2] or found[3]):
        ends = (end.replace("∞", "inf") for end in (found[2] or "-inf", found[3] or "inf"))
        low, high = (number(end) if NUMBER.fullmatch(end) else float(end) for end in ends)
        return _forwards(Piece(low, high, found[1] != "[" and np.isfinite(low), found[4] != "]" and np.isfinite(high)))
    return None


def holds(piece: Piece, numbers: Float64) -> Bool:
    """Whether each number, (numbers,), lies in a piece."""
    above = numbers > piece.low if piece.low_open else numbers >= piece.low
    return np.asarray(above & (numbers < piece.high if piece.high_open else numbers <= piece.high))


def _forwards(piece: Piece) -> Piece | None:
    empty = piece.low > piece.high or (piece.low == piece.high and (piece.low_open or piece.high_open))
    return None if empty else piece


def is_digit_mask(text: str) -> bool:
    """Whether a cell is digits followed by stars, `3*` or `130**`: a number or a code."""
    return _MASK.fullmatch(text) is not None


def of_mask(text: str) -> Piece | None:
    """Return digits and stars as a piece of numbers: `3*` is 30 to 39."""
    found = _MASK.fullmatch(text)
    if found is None:
        return None
    unit = 10.0 ** len(found[2])
    return Piece(float(found[1]) * unit, (float(found[1]) + 1) * unit, high_open=True)


def ends(pieces: Iterable[Piece]) -> set[float]:
    """Return the finite ends of pieces."""
    return {end for piece in pieces for end in piece[:2] if np.isfinite(end)}


def bounded(pieces: Sequence[Piece], low: float, high: float, gap: float) -> list[Piece]:
    """Return pieces with open ends at the bounds; a bound on the wrong side of the cell is replaced by one gap."""
    result = []
    for piece in pieces:
        begin, end, low_open, high_open = piece
        if np.isneginf(begin):
            begin, low_open = min(low, end - gap if high_open else end), False
        if np.isposinf(end):
            end, high_open = max(high, begin + gap if low_open else begin), False
        result.append(Piece(begin, end, low_open, high_open))
    return result


def stepped(pieces: Sequence[Piece], step: float) -> list[Piece]:
    """Return intervals shrunk to the multiples of a step in them: `[20, 30)` on integers is 20 to 29."""
    result = []
    for low, high, low_open, high_open in pieces:
        first, last = np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9)
        first += low_open and abs(first * step - low) < 1e-9 * step
        last -= high_open and abs(last * step - high) < 1e-9 * step
        if first <= last:
            begin, end = multiples(step, np.array([first, last])).tolist()
            result.append(Piece(begin, end))
    return result


def settled(pieces: Sequence[Piece], low: float, high: float, step: float | None) -> list[Piece]:
    """Return pieces with open ends at the bounds and intervals shrunk to multiples of the step."""
    inner = bounded(pieces, low, high, step or 1.0)
    if step is not None:
        inner = [one for piece in inner for one in ([piece] if piece.low == piece.high else stepped([piece], step))]
    return merged(inner, step)


def merged(pieces: Iterable[Piece], step: float | None) -> list[Piece]:
    """Return pieces sorted and joined where they touch, so that equal sets have equal pieces."""
    result: list[Piece] = []
    for piece in sorted(pieces, key=lambda p: (p.low, p.low_open, p.high, not p.high_open)):
        before = result[-1] if result else None
        if before is not None and _touch(before, piece, step):
            last = max((before.high, not before.high_open), (piece.high, not piece.high_open))
            result[-1] = Piece(before.low, last[0], before.low_open, not last[1])
        else:
            result.append(piece)
    return result


def _touch(before: Piece, after: Piece, step: float | None) -> bool:
    if step is not None:
        return after.low <= before.high + step * (1 + 1e-9)
    return after.low < before.high or (after.low == before.high and not (after.low_open and before.high_open))


def text_of(pieces: Sequence[Piece], step: float | None) -> str:
    """Return the text of pieces that parses to the same: `25`, `20-29` on integers, else `[20, 29.5]`."""
    if len(pieces) > 1 and all(piece.low == piece.high for piece in pieces):
        return "{" + ", ".join(number_text(piece.low) for piece in pieces) + "}"
    return "|".join(_piece_text(piece, step) for piece in pieces)


def _piece_text(piece: Piece, step: float | None) -> str:
    low, high, low_open, high_open = piece
    if low == high:
        return number_text(low)
    if np.isneginf(low) and np.isfinite(high):
        return f"{'<' if high_open else '<='}{number_text(high)}"
    if np.isposinf(high) and np.isfinite(low):
        return f"{'>' if low_open else '>='}{number_text(low)}"
    plain = not low_open and not high_open and low >= 0
    if step is not None and plain and low.is_integer() and high.is_integer():
        return f"{number_text(low)}-{number_text(high)}"
    begin, end = (number_text(e) if np.isfinite(e) else str(e) for e in (low, high))
    return f"{'(' if low_open else '['}{begin}, {end}{')' if high_open else ']'}"
