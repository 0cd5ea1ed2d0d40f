"""Named random streams: adding one attack changes no number of another."""

from __future__ import annotations

import hashlib
import secrets

import numpy as np


def stream(seed: int, *names: str) -> np.random.Generator:
    """Return the random stream that belongs to a seed and a name.

    The name is hashed into the seed, so streams with different names are
    independent, and the same seed and name always give the same stream.
    """
    digest = hashlib.blake2b("\0".join(names).encode(), digest_size=16).digest()
    words = np.frombuffer(digest, dtype="<u4").tolist()
    return np.random.default_rng(np.random.SeedSequence([seed, *words]))


def fresh_seed() -> int:
    """Return a seed drawn from the operating system, short enough to be typed again."""
    return secrets.randbelow(2**31)
