"""Reproducible random numbers: a hashed counter.

The seed of an iteration and the number of a group determine the group's random
numbers, in any order and on any thread.

References
----------
Steele, Lea and Flood. Fast splittable pseudorandom number generators. OOPSLA 2014 (SplitMix64).
Hörmann. The generation of binomial random variates. J. Statistical Computation and Simulation 1993 (BTRS).
"""

from __future__ import annotations

import math

import numpy as np

from unmask.compiled_code import njit

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_FEW = 10.0  # expected successes, from which rejection is faster, and its envelope close enough
_MIDDLE, _HALF = 0.07, 0.5
_S30, _S27, _S31, _S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)


@njit(cache=True, nogil=True)
def _hashed(word: np.uint64) -> np.uint64:
    word = (word ^ (word >> _S30)) * _FIRST
    word = (word ^ (word >> _S27)) * _SECOND
    return word ^ (word >> _S31)


@njit(cache=True, nogil=True)
def stream_of(seed: np.uint64, number: int) -> np.uint64:
    """Return the start of a number's stream; hashed, so that neighboring streams do not overlap."""
    return _hashed(seed + _GOLDEN * (np.uint64(number) + np.uint64(1)))


@njit(cache=True, nogil=True)
def uniform(noise: np.uint64) -> tuple[np.uint64, float]:
    """Return the advanced stream, and a number from [0, 1)."""
    noise = noise + _GOLDEN
    return noise, (_hashed(noise) >> _S11) * (1.0 / 9007199254740992.0)


@njit(cache=True, nogil=True)
def binomial(noise: np.uint64, trials: int, chance: float) -> tuple[np.uint64, int]:
    """Return the advanced stream, and a binomial draw; the time does not grow with the number of trials.

    Few expected successes are drawn by inversion; many by rejection from a smooth envelope (at most a quarter of the
    proposals are rejected).
    """
    if trials <= 0 or chance <= 0.0:
        return noise, 0
    if chance >= 1.0:
        return noise, trials
    rare = min(chance, 1.0 - chance)
    expected = trials * rare
    found = 0
    if expected < _FEW:
        noise, height = uniform(noise)
        odds = rare / (1.0 - rare)
        mass = np.exp(trials * np.log1p(-rare))
        while height >= mass and found < trials:
            height -= mass
            found += 1
            mass *= odds * (trials - found + 1) / found
    else:
        root = np.sqrt(expected * (1.0 - rare))
        b = 1.15 + 2.53 * root
        a = -0.0873 + 0.0248 * b + 0.01 * rare
        edge, wide = 0.92 - 4.2 / b, (2.83 + 5.1 / b) * root
        log_odds, mode = np.log(rare / (1.0 - rare)), int((trials + 1) * rare)
        top = math.lgamma(mode + 1.0) + math.lgamma(trials - mode + 1.0)
        while True:
            noise, across = uniform(noise)
            noise, height = uniform(noise)
            across -= 0.5
            inside = 0.5 - abs(across)
            if inside <= 0.0:
                continue
            found = int(np.floor((2.0 * a / inside + b) * across + expected + 0.5))
            if inside >= _MIDDLE and height <= edge:
                break
            if found < 0 or found > trials or height == 0.0:
                continue
            cover = np.log(height * wide / (a / (inside * inside) + b))
            rest = math.lgamma(found + 1.0) + math.lgamma(trials - found + 1.0)
            if cover <= top - rest + (found - mode) * log_odds:
                break
    return noise, found if chance <= _HALF else trials - found
