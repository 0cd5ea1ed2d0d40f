"""Syntax of cells of dates: `1977-10`, `1975-1979`, `2020-01-15..2020-03-31`, `[2020-01-01, 2020-03-31]`, `>=1980`."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from unmask.dates import moment_texts, period_ends, period_text
from unmask.masks.notation.number_cells import Piece
from unmask.masks.notation.number_spellings import plain_signs

_BETWEEN = re.compile(r"\s*\.\.\s*|\s+(?:-|to|until|bis)\s+|/(?=\d{4}-)|(?<=\d{4}-\d\d-\d\d)-(?=\d{4}-)", re.IGNORECASE)
_YEARS = re.compile(r"(\d{4})\s*-\s*(\d{4})")
_AGES = re.compile(r"(\d{1,3})-(\d{1,3})( years on .*)")
_BRACKETS = re.compile(r"([\[\](])\s*([^,;]+?)\s*[,;]\s*([^,;]+?)\s*([\])\[])")
_BELOW = re.compile(r"(<=?|before |until |up to )\s*(.+)", re.IGNORECASE)
_ABOVE = re.compile(r"(>=?|after |since |from )\s*(.+)", re.IGNORECASE)
_UP = re.compile(r"(.+?)\s*(?:\+|and later|or later|and after)", re.IGNORECASE)
_INFINITE = {"-inf": -np.inf, "inf": np.inf, "+inf": np.inf, "-∞": -np.inf, "∞": np.inf, "+∞": np.inf}


def parse(text: str, *, day_first: bool | None = None) -> list[Piece] | None:
    """Return the pieces of a cell in days since 1970-01-01; None where it is not a date, a period or a range.

    Periods are half-open: a day ends where the next one begins. `day_first` is the order of day and month in dates such
    as 03/04/2020; with None such a cell is no date.
    """
    pieces: list[Piece] = []
    for part in plain_signs(text).split("|"):
        part = part.strip()  # noqa: PLW2901
        members = part[1:-1].split(",") if part.startswith("{") and part.endswith("}") else [part]
        for member in members:
            piece = _piece(member.strip(), day_first=day_first)
            if piece is None:
                return None
            pieces.append(piece)
    return pieces


def _piece(text: str, *, day_first: bool | None) -> Piece | None:
    if ends := period_ends(text, day_first=day_first):
        return _between(ends, ends)
    if found := _BRACKETS.fullmatch(text):
        low, high = (_end(end, day_first=day_first) for end in (found[2], found[3]))
        return None if low is None or high is None else _in_brackets(low, high, found[1], found[4])
    if found := _AGES.fullmatch(text):
        young, old = (period_ends(years + found[3]) for years in (found[1], found[2]))
        return None if young is None or old is None else _between(old, young)
    parts = _YEARS.fullmatch(text)
    two = parts.groups() if parts else tuple(_BETWEEN.split(text, maxsplit=1))
    if len(two) == 2:
        low, high = (period_ends(part.strip(), day_first=day_first) for part in two)
        return None if low is None or high is None else _between(low, high)
    if (found := _BELOW.fullmatch(text)) and (ends := period_ends(found[2].strip(), day_first=day_first)):
        whole = found[1].lower() in {"<=", "until ", "up to "}
        return Piece(-np.inf, ends[whole], high_open=not whole or ends[0] < ends[1])
    if (found := _ABOVE.fullmatch(text)) and (ends := period_ends(found[2].strip(), day_first=day_first)):
        after = found[1].lower() in {">", "after "}
        return Piece(ends[after], np.inf, low_open=after and ends[0] == ends[1])
    if (found := _UP.fullmatch(text)) and (ends := period_ends(found[1], day_first=day_first)):
        return Piece(ends[0], np.inf)
    return None


def _end(text: str, *, day_first: bool | None) -> tuple[float, float] | None:
    if text in _INFINITE:
        return _INFINITE[text], _INFINITE[text]
    return period_ends(text, day_first=day_first)


def _between(low: tuple[float, float], high: tuple[float, float]) -> Piece | None:
    """Return the piece from the first moment of a period to the last of another one."""
    if low[0] > high[0] or low[1] > high[1]:
        return None
    return Piece(low[0], high[1], high_open=high[0] < high[1])


def _in_brackets(low: tuple[float, float], high: tuple[float, float], opening: str, closing: str) -> Piece | None:
    """Return the piece between two periods, each in it if its bracket is closed."""
    begin, end = low[opening != "["], high[closing == "]"]
    begin_open = opening != "[" and low[0] == low[1] and bool(np.isfinite(begin))
    end_open = bool(np.isfinite(end)) and (closing != "]" or high[0] < high[1])
    if begin > end or (begin == end and (begin_open or end_open)):
        return None
    return Piece(begin, end, begin_open, end_open)


def text_of(pieces: Sequence[Piece], *, timed: bool) -> str:
    """Return the text of pieces that parses to the same: a day, a period, else a range of days or date-times."""
    texts = [_piece_text(piece, timed=timed) for piece in pieces]
    if len(texts) > 1 and all(piece.low == piece.high for piece in pieces):
        return "{" + ", ".join(texts) + "}"
    return "|".join(texts)


def _piece_text(piece: Piece, *, timed: bool) -> str:
    low, high, low_open, high_open = piece
    if timed and high_open and not low_open and float(low).is_integer() and float(high).is_integer():
        return _days_text(low, high - 1)
    if not timed:
        if np.isfinite([low, high]).all() and not low_open and not high_open:
            return _days_text(low, high)
    elif low == high:
        return _text(low, timed=True)
    if np.isneginf(low) and np.isfinite(high):
        return f"{'<' if high_open else '<='}{_text(high, timed=timed)}"
    if np.isposinf(high) and np.isfinite(low):
        return f"{'>' if low_open else '>='}{_text(low, timed=timed)}"
    begin, end = (_text(end, timed=timed) if np.isfinite(end) else str(end) for end in (low, high))
    if not low_open and not high_open:
        return f"{begin}..{end}"
    return f"{'(' if low_open else '['}{begin}, {end}{')' if high_open else ']'}"


def _days_text(first: float, last: float) -> str:
    if first == last:
        return _text(first, timed=False)
    period = period_text(first, last)
    return period or f"{_text(first, timed=False)}..{_text(last, timed=False)}"


def _text(number: float, *, timed: bool) -> str:
    return moment_texts(np.array([number]), timed=timed)[0]
