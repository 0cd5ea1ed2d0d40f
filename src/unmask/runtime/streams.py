"""Named random streams, so that adding one attack changes no number of another."""

from __future__ import annotations

import hashlib
import secrets

import numpy as np

SECRET_BITS = 128
"""The number of bits of the seed of a published release."""


def stream(seed: int, *names: str) -> np.random.Generator:
    """Return the random stream of a seed and a name.

    The name is hashed into the seed, so streams with different names are
    independent, and the same seed and name always give the same stream.
    """
    digest = hashlib.blake2b("\0".join(names).encode(), digest_size=16).digest()
    words = np.frombuffer(digest, dtype="<u4").tolist()
    return np.random.default_rng(np.random.SeedSequence([seed, *words]))


def beside(rng: np.random.Generator, *names: str) -> np.random.Generator:
    """Return the stream of the same seed and another name, so that two attacks can share a part."""
    entropy = rng.bit_generator.seed_seq.entropy  # type: ignore[attr-defined] # of every seeded generator
    return stream(entropy[0] if isinstance(entropy, list) else entropy, *names)


def secret_stream(seed: int, *names: str) -> np.random.Generator:
    """Return the random stream of a published release: like `stream`, with a generator without a known attack.

    The state of NumPy's default generator can be computed from its output (Bouillaguet et al. 2020), and a release is
    output. Here the seed is the key of Philox, a reduced block cipher that encrypts a counter; no way to compute its
    key from its output is known.

    References
    ----------
    Bouillaguet, Martinez, Sauvage. Practical seed-recovery for the PCG pseudo-random number generator. IACR ToSC 2020.
    Salmon, Moraes, Dror, Shaw. Parallel random numbers: as easy as 1, 2, 3. SC 2011.
    """
    digest = hashlib.blake2b("\0".join([str(seed), *names]).encode(), digest_size=16).digest()
    return np.random.Generator(np.random.Philox(key=int.from_bytes(digest, "little")))


def fresh_seed() -> int:
    """Return a random seed from the operating system, short enough to type; not for published data."""
    return secrets.randbelow(2**31)


def secret_seed() -> int:
    """Return a random seed of 128 bits from the operating system, for published data: too many to try."""
    return secrets.randbits(SECRET_BITS)
