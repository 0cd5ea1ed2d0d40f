"""Random numbers that can be had again: a counter, hashed.

A sampler that names the seed of an iteration and the number of a group gets the
same numbers for that group whenever it asks, in any order and on any thread.

References
----------
Steele, Lea and Flood. Fast splittable pseudorandom number generators. OOPSLA 2014 (SplitMix64).
"""

from __future__ import annotations

import numpy as np
from numba import njit

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)


@njit(cache=True, nogil=True)
def _hashed(word: np.uint64) -> np.uint64:
    word = (word ^ (word >> _S30)) * _FIRST
    word = (word ^ (word >> _S27)) * _SECOND
    return word ^ (word >> _S31)


@njit(cache=True, nogil=True)
def stream_of(seed: np.uint64, number: int) -> np.uint64:
    """Return where the stream of one number begins; hashed, lest the streams of neighbors overlap."""
    return _hashed(seed + _GOLDEN * (np.uint64(number) + np.uint64(1)))


@njit(cache=True, nogil=True)
def uniform(noise: np.uint64) -> tuple[np.uint64, float]:
    """Return the stream moved on by one, and a number from [0, 1)."""
    noise = noise + _GOLDEN
    return noise, (_hashed(noise) >> _S11) * (1.0 / 9007199254740992.0)
