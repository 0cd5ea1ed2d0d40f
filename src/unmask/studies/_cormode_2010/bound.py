"""The exact bound on the posterior of an attacker who knows the algorithm, by l and group size."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import pairwise

from unmask.attacks.minimality.two_values import positive_given_position
from unmask.number_format import numeral
from unmask.reproduction import Figure, Listing
from unmask.sanitizers.greedy_rule.first_bucket import p_b1, p_b1_exact, p_b1_limit
from unmask.sanitizers.greedy_rule.rule import Coin, GreedyRule
from unmask.wording import Message, marked, message

LEVELS = range(2, 9)
SIZES = range(2, 7)

_ANY = 1000
"""Group size, in multiples of l, that stands for the limit."""

_SMALL = (6, 2, 3)
"""People, positives and l of the example group for coins."""

COINS: Mapping[Coin, Message] = {"prefix": message("prefix"), "group": message("group")}
"""What a coin is thrown for, in words."""

CHANCES = (0.0, 0.1, 0.5, 0.9, 1.0)

ALMOST = 1e-9


def figures() -> Iterator[Figure]:
    """Yield the table of p(b1), and the claims of the text."""
    for l in LEVELS:
        for m in SIZES:
            exact = p_b1_exact(l, m)
            says = message("l = {l}, {m} times {l} people: how likely each of the first {l} has the value", l=l, m=m)
            yield Figure.exact(f"bound/l={l}/m={m}", says, exact, None, str(exact))
        yield Figure.exact(
            f"bound/l={l}/limit", message("l = {l}: the same in groups of any size", l=l), p_b1_limit(l), None
        )
        yield Figure.exact(f"bound/l={l}/e", f"l = {l}: e/l", math.e / l, None)
    yield from _claims()
    yield from _coins()


def listing() -> Listing:
    """Return the table of p(b1)."""
    rows = [
        (str(l), *(numeral(one, ".4f") for one in (*(p_b1(l, m) for m in SIZES), p_b1_limit(l), math.e / l)))
        for l in LEVELS
    ]
    head = ("l", *(f"m = {m}" for m in SIZES), marked("any m"), "e/l")
    title = marked(
        "How firmly the first l people of a group of m times l can be believed to have a value; 1/l was promised"
    )
    return Listing(title, head, tuple(rows))


def _claims() -> Iterator[Figure]:
    least = min(float(l * p_b1_exact(l, m)) for l in LEVELS for m in SIZES)
    yield Figure.claim(
        "claim/at-least",
        "in first bucket, probability is at least 2/l",
        least,
        None,
        holds=least >= 2,
        is_arithmetic=True,
        note=message(
            "l times p(b1), the least for l = {least_l} to {most_l} and m = {least_m} to {most_m}; groups of l "
            "people with one positive, or none, have no more than 1/l",
            least_l=LEVELS[0],
            most_l=LEVELS[-1],
            least_m=SIZES[0],
            most_m=SIZES[-1],
        ),
    )
    most = max(l * p_b1(l, m) for l in range(2, 101) for m in (*SIZES, _ANY))
    yield Figure.claim(
        "claim/at-most",
        "increases probability from 1/l to at most e/l",
        most,
        None,
        holds=most < math.e,
        is_arithmetic=True,
        note=message(
            "l times p(b1), the most of l = 2 to 100 and m up to {most}: below e = 2.7183 (2.7818, on another "
            "slide, is a misprint of it). Groups must have at least l people",
            most=numeral(_ANY),
        ),
    )
    n, c, l = _SMALL
    first = float(positive_given_position(n, c, GreedyRule(l, 1, "Y"))[0])
    yield Figure.claim(
        "claim/at-most/no-least-size",
        "increases probability from 1/l to at most e/l",
        l * first,
        None,
        holds=l * first < math.e,
        note=message(
            "l times the largest belief, l = {l}, {n} people with {c} positives, where groups may have any "
            "size: the algorithm is printed without a least one. Tested: a negative person alone is a safe "
            "group, so that a longer one begins with a positive for certain. The proof takes groups of at "
            "least l people for granted",
            l=l,
            n=n,
            c=c,
        ),
    )
    rises = []
    for l in range(2, 6):
        for m in range(2, 5):
            buckets = positive_given_position(m * l, m, GreedyRule(l, l, "Y"))[::l]
            rises += [float(b - a) for a, b in pairwise(buckets)]
    yield Figure.claim(
        "claim/first-bucket",
        "first bucket b1 has highest probability in group",
        max(rises),
        None,
        holds=max(rises) < ALMOST,
        is_arithmetic=True,
        note=message(
            "the most by which a bucket exceeds the one before it, l = 2 to 5, m = 2 to 4, for groups that "
            "closed by themselves"
        ),
    )


def _coins() -> Iterator[Figure]:
    n, c, l = _SMALL
    for coin in COINS:
        firsts = []
        for p in CHANCES:
            beliefs = positive_given_position(n, c, GreedyRule(l, l, "Y", p, coin), last="closed" if p == 1 else None)
            firsts.append(float(beliefs[0]))
            says = message(
                "{n} people with {c} positives, l = {l}, p = {p}, a coin per {coin}: the first person",
                n=n,
                c=c,
                l=l,
                p=numeral(p, "g"),
                coin=COINS[coin],
            )
            yield Figure.exact(f"bound/coin/{coin}/p={p:g}", says, firsts[-1], None)
        yield Figure.claim(
            f"claim/coin/{coin}",
            "higher probability of merging decreases p(b1)",
            firsts[-1],
            None,
            holds=all(a > b for a, b in pairwise(firsts)),
            is_arithmetic=True,
            note=message(
                "{n} people with {c} positives, l = {l}, a coin per {coin}: from {without} at p = 0 to {always} "
                "at p = 1; 1/l is {even}",
                n=n,
                c=c,
                l=l,
                coin=COINS[coin],
                without=numeral(firsts[0], ".4f"),
                always=numeral(firsts[-1], ".4f"),
                even=numeral(1 / l, ".4f"),
            ),
        )
