"""Values that anyone can compute again: hashes without a key, and noise that is the same for equal values."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, timedelta

import numpy as np

from unmask.arrays import Float64
from unmask.wording import message

_HASHES: dict[int, tuple[str, ...]] = {
    32: ("md5",), 40: ("sha1",), 56: ("sha224",), 64: ("sha256", "sha3_256"), 96: ("sha384",), 128: ("sha512",),
}  # fmt: skip
"""Algorithms by the number of hexadecimal digits of their hashes."""

_CUT = ("md5", "sha1", "sha256", "sha512")
"""Algorithms whose hashes are cut to their first digits."""

_SHORTEST = 8
"""Digits of the shortest cut hash: 2**32 values, so that half of a column never agrees by chance."""

_HEX = re.compile(r"[0-9a-fA-F]+")
_NUMBERS = 100_000  # of people or records, that are tried from 0
_DAYS = (date(1900, 1, 1), date(2031, 1, 1))  # of birth or visit, that are tried
_LEAST_REPEATED = 10  # rows with a value that other rows have


def look_like_hashes(values: Sequence[str]) -> bool:
    """Return True if all values have the form of hashes of one algorithm, whole or cut: so many hexadecimal digits.

    >>> look_like_hashes(["5d41402abc4b2a76b9719d911017c592"]), look_like_hashes(["5d41402abc4b"])
    (True, True)
    >>> look_like_hashes(["flu"]), look_like_hashes(["20180120"])
    (False, False)
    """
    lengths = {len(value) for value in values}
    if len(lengths) != 1 or not all(_HEX.fullmatch(value) for value in values):
        return False
    has_letters = any(letter.isalpha() for value in values for letter in value)  # else numbers, or days
    return lengths <= set(_HASHES) or (_SHORTEST <= min(lengths) < max(_HASHES) and has_letters)


def hashed_without_key(values: Sequence[str], known: Iterable[tuple[str, Sequence[str]]]) -> tuple[str, str, int]:
    """Return the algorithm, the words for what was hashed, and how many values are hashes of it; else 0 values.

    Tried are the texts of known columns, given by name, then whole numbers and days, in the usual forms. Values of
    another length than hashes have may be cut: then half of them must agree, and days are not tried.
    """
    hashes = {value.lower() for value in values}
    length = len(values[0]) if values else 0
    is_cut = length not in _HASHES
    least = len(hashes) / 2 if is_cut else 1
    best: tuple[str, str, int] = ("", "", 0)
    for what, texts in _tried(known, days=not is_cut):
        for name in _HASHES.get(length, _CUT):
            count = len(hashes & {digest[:length] for digest in _digests(name, texts)})
            if count > best[2] and count >= least:
                algorithm = message("{name}, cut to {n} digits,", name=name, n=length) if is_cut else name
                best = (algorithm, what, count)
        if best[2]:
            break
    return best


def _tried(known: Iterable[tuple[str, Sequence[str]]], *, days: bool) -> Iterator[tuple[str, Sequence[str]]]:
    yield from known
    yield message("numbers from 0"), [*_numbers()]
    if days:
        yield message("days"), [*_days()]


def _digests(name: str, texts: Iterable[str]) -> Iterator[str]:
    make: Callable[..., hashlib._Hash] = getattr(hashlib, name)
    for text in texts:
        for form in {text, text.strip(), text.lower(), text.upper()}:
            yield make(form.encode(), usedforsecurity=False).hexdigest()


def _numbers() -> Iterator[str]:
    return map(str, range(_NUMBERS))


def _days() -> Iterator[str]:
    first, end = _DAYS
    for i in range((end - first).days):
        day = first + timedelta(i)
        yield from (day.isoformat(), day.strftime("%d.%m.%Y"), day.strftime("%Y%m%d"), day.strftime("%m/%d/%Y"))


def repeated_noise(original: Float64, published: Float64) -> int:
    """Return the number of rows whose changed number is always the same for their original number; 0 if not all.

    `original` and `published`, (rows,): NaN where unknown. A function that merges values, as rounding does, is no
    noise; without enough equal values nothing is known, and 0 is returned.
    """
    known = ~(np.isnan(original) | np.isnan(published))
    ours, theirs = original[known], published[known]
    if ours.size == 0 or (ours != theirs).mean() <= 0.5:
        return 0
    values, number, times = np.unique(ours, return_inverse=True, return_counts=True)
    pairs = np.unique(np.stack([ours, theirs], axis=1), axis=0)
    repeated = int(times[number][times[number] > 1].size)
    merged = np.unique(theirs).size < 0.9 * values.size
    return repeated if pairs.shape[0] == values.size and not merged and repeated >= _LEAST_REPEATED else 0
