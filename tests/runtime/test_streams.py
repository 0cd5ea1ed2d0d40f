"""Random streams by name: adding one attack changes no number of another."""

from __future__ import annotations

import numpy as np

from unmask.runtime.streams import SECRET_BITS, beside, fresh_seed, secret_seed, secret_stream, stream


def test_a_name_always_gives_the_same_stream():
    """The first numbers are pinned: a report made today can be made again in ten years."""
    assert stream(7, "adult", "definetti").integers(0, 1000, 5).tolist() == [259, 276, 837, 505, 463]
    assert np.array_equal(stream(7, "a").random(3), stream(7, "a").random(3))


def test_other_names_other_seeds_and_other_borders_between_names_give_other_streams():
    """`("ab", "c")` is not `("a", "bc")`."""
    streams = [stream(7, "ab", "c"), stream(7, "a", "bc"), stream(7, "abc"), stream(8, "ab", "c"), stream(7)]
    firsts = {one.integers(0, 2**60) for one in streams}
    assert len(firsts) == 5


def test_what_one_attack_draws_does_not_reach_another():
    """Drawing a thousand numbers for one leaves the other's stream where it was."""
    before = stream(1, "intersection").random()
    stream(1, "definetti").random(1000)
    assert stream(1, "intersection").random() == before


def test_a_fresh_seed_is_not_guessed_and_short_enough_to_be_typed():
    """Ten seeds of the system differ, and have ten digits at most."""
    seeds = {fresh_seed() for _ in range(10)}
    assert len(seeds) == 10
    assert all(0 <= seed < 2**31 for seed in seeds)


def test_a_secret_seed_has_128_bits_of_the_system():
    """It asks the system for all of them; of 200 seeds each bit is 0 in some and 1 in others (missed once in 2^192)."""
    seeds = [secret_seed() for _ in range(200)]
    assert all(0 <= seed < 2**SECRET_BITS for seed in seeds)
    either, both = 0, 2**SECRET_BITS - 1
    for seed in seeds:
        either, both = either | seed, both & seed
    assert (either, both) == (2**SECRET_BITS - 1, 0)


def test_every_bit_of_a_secret_seed_matters():
    """Seeds that differ in one bit, the highest included, give other streams; the same seed gives the same."""
    seeds = [0, *(1 << bit for bit in range(SECRET_BITS))]
    firsts = {int(secret_stream(seed, "sanitizer").integers(0, 2**62)) for seed in seeds}
    assert len(firsts) == SECRET_BITS + 1
    assert secret_stream(5, "a").random() == secret_stream(5, "a").random()
    assert secret_stream(5, "a").random() != secret_stream(5, "b").random()


def test_the_stream_of_another_name_is_that_of_the_same_seed():
    """From a generator that has drawn, and from a seeded one without a name."""
    one = stream(7, "one")
    one.integers(10, size=3)
    for rng in (one, np.random.default_rng(7)):
        assert beside(rng, "other").integers(2**60) == stream(7, "other").integers(2**60)
