"""Other spellings of one value: letter case, Unicode, spaces, initials, forms of a number or of a date."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping
from unicodedata import normalize

from unmask.dates import begin_with_day, parse_date
from unmask.masks.notation import number_cells
from unmask.masks.notation.number_cells import NUMBER, Piece
from unmask.masks.notation.number_spellings import PLAIN, NumberStyle, plain_signs, tidy
from unmask.numerics.numerals import canonical

_HIDDEN = re.compile(r"([0-9A-Za-z][0-9A-Za-z .-]*?)([Xx]+|_+|#+|\?{2,}|•+|·+)")


def spelled(names: Iterable[str], values: Iterable[str], style: NumberStyle = PLAIN) -> Mapping[str, frozenset[str]]:
    """Return the other spellings of each name that has some, among values.

    A value that is also a name is another spelling only of its initial: beside `Male`, `M` is `Male`. Of the words with
    one initial, those that no name spells otherwise come first: beside `Mixed`, `M` is `male`. Whether 03/04/2020 is in
    March or in April is decided by the dates of both that can only be read in one way; where none can, or they differ,
    such dates are only themselves.
    """
    named, values = set(names), set(values)
    others = values - named
    same = _same(named, others, style) if others else {}
    if any(map(_is_letter, named)) and any(map(_is_letter, values)):
        return same
    left = initials(named - same.keys(), others.difference(*same.values()))
    every = (same, left, initials(named, values))
    return {name: frozenset().union(*(one.get(name, ()) for one in every)) for name in set().union(*every)}


def _same(names: Collection[str], values: Collection[str], style: NumberStyle) -> Mapping[str, frozenset[str]]:
    """Return the values that differ from each name in letter case, blanks, or the form of a number or of a date."""
    day_first = begin_with_day([*names, *values])
    found: dict[str, set[str]] = {}
    for value in values:
        found.setdefault(_key(value, style.of_value(value), day_first=day_first), set()).add(value)
    keys = {name: _key(name, style, day_first=day_first) for name in names}
    return {name: frozenset(found[key]) for name, key in keys.items() if key in found}


def initials(names: Collection[str], values: Collection[str]) -> Mapping[str, frozenset[str]]:
    """Return the values of each name whose initial it is, or that are its initial: `M` for `male` and `Male`.

    A letter counts if it is the initial of exactly one word, in whatever case; `m` and `M` are one letter.
    """
    found: dict[str, frozenset[str]] = dict(_words_of_letters(names, values))
    for letter, words in _words_of_letters(values, names).items():
        for word in words:
            found[word] = found.get(word, frozenset()) | {letter}
    return found


def _words_of_letters(texts: Iterable[str], others: Iterable[str]) -> Mapping[str, frozenset[str]]:
    """Return the spellings, among others, of the word of each letter that is the initial of exactly one word."""
    letters, found = list(filter(_is_letter, texts)), dict[str, dict[str, set[str]]]()
    for word in filter(_is_word, others) if letters else ():
        folded = fold(word)
        found.setdefault(folded[:1], {}).setdefault(folded, set()).add(word)
    words = {letter: list(found.get(fold(letter), {}).values()) for letter in letters}
    return {letter: frozenset(own[0]) for letter, own in words.items() if len(own) == 1}


def _is_letter(text: str) -> bool:
    return len(text) == 1 and text.isalpha()


def _is_word(text: str) -> bool:
    return len(text) > 1 and text[0].isalpha()


def fold(text: str) -> str:
    """Return a text without distinctions of case, of composed and decomposed letters, and of blanks."""
    if not text.isascii():
        text = normalize("NFD", text)
    folded = " ".join(text.casefold().split())
    return folded if folded.isascii() else normalize("NFC", folded)


def masks(texts: Iterable[str], values: Collection[str]) -> Mapping[str, str]:
    """Return the mask with stars of each text that hides the end of a code by other signs: `021XX`, `02139-xxxx`.

    A text counts if some value begins like it, and none is the text itself; else it is a word.
    """
    hidden = {text: parts for text in texts if (parts := _HIDDEN.fullmatch(plain_signs(text)))}
    if not hidden:
        return {}  # fast path: most columns
    in_order, found = sorted(values), dict[str, str]()
    for text, parts in hidden.items():
        prefix = parts[1].rstrip(" -")
        at = bisect_left(in_order, prefix)
        begins = at < len(in_order) and in_order[at].startswith(prefix)
        if begins and text not in values and any(letter.isdigit() for letter in prefix):
            found[text] = prefix + "*" * len(parts[2])
    return found


def inside(texts: Iterable[str], values: Iterable[str], style: NumberStyle = PLAIN) -> Mapping[str, frozenset[str]]:
    """Return the values that each range or set of numbers covers: numbers in it, and ranges that overlap it.

    Numbers are found by bisection, so that thousands of ranges and of values cost little.
    """
    listed = [(value, pieces) for value in values if (pieces := number_pieces(value, style.of_value(value)))]
    if not listed:
        return {}
    points = sorted((own[0].low, value) for value, own in listed if all(p.low == p.high for p in own))
    numbers, names = [number for number, _ in points], [value for _, value in points]
    ranges = [(value, own) for value, own in listed if any(p.low < p.high for p in own)]
    found: dict[str, frozenset[str]] = {}
    for text in texts:
        pieces = number_pieces(text, style) or []
        held = {value for value, own in ranges if any(_overlap(a, b) for a in pieces for b in own)}
        for low, high, low_open, high_open in pieces if len(pieces) > 1 else (p for p in pieces if p.low < p.high):
            first = (bisect_right if low_open else bisect_left)(numbers, low)
            held.update(names[first : (bisect_left if high_open else bisect_right)(numbers, high)])
        if held:
            found[text] = frozenset(held)
    return found


def number_pieces(text: str, style: NumberStyle = PLAIN) -> list[Piece] | None:
    """Return a text as pieces of numbers or ranges; None for neither."""
    if not any(letter.isdigit() for letter in text):
        return None  # fast path: most texts of most columns
    return number_cells.parse(tidy(text.strip(), style))


def _overlap(a: Piece, b: Piece) -> bool:
    low, high = max(a.low, b.low), min(a.high, b.high)
    if low != high:
        return low < high
    open_low = (a.low == low and a.low_open) or (b.low == low and b.low_open)
    return not open_low and not ((a.high == high and a.high_open) or (b.high == high and b.high_open))


def _key(text: str, style: NumberStyle, *, day_first: bool | None) -> str:
    """Return a key that all spellings of a value share."""
    folded = fold(text)
    if NUMBER.fullmatch(numeral := tidy(folded, style)):
        return canonical(numeral)
    day = parse_date(folded, day_first=day_first)
    return folded if day is None else day.isoformat()
