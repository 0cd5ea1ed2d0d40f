"""Posterior of the positions of a group when every value is bounded, given the closing rule.

All orders of a group's values are equally likely beforehand; the rule leaves those that close the group where it was
closed. No earlier prefix was safe, so some value was too frequent in each, and frequent values are more likely at the
beginning. Small groups are counted exactly by states; for large ones orders are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np

from unmask.arrays import Float64, Int64, distinct_rows
from unmask.attacks.minimality._beginnings import begun
from unmask.attacks.minimality._differing import differing
from unmask.attacks.minimality._exact import exact
from unmask.attacks.minimality._insertion import GroupSetting
from unmask.attacks.minimality._sampling import SampledPosterior, sampled
from unmask.attacks.minimality._shuffles import weighed
from unmask.attacks.minimality.position_posterior import Posterior
from unmask.errors import ContradictionError, InvalidInputError
from unmask.runtime import work
from unmask.runtime.machine import processors
from unmask.sanitizers.greedy_rule.rule import GreedyRule, Tail
from unmask.wording import message

_Way: TypeAlias = Callable[
    [Int64, GroupSetting, Float64 | None, float, float, np.random.Generator], SampledPosterior | None
]


@dataclass(frozen=True, slots=True)
class SamplingEffort:
    """Limits on states and sampling work, and on errors."""

    states: int = 20_000  # a group with more of them is sampled; half a second for a million
    aim: float = 0.005  # the standard error at which sampling ends
    limit: float = 0.02  # the standard error above which a group is not resolved
    paths: float = 3e9  # work of each sampler for a group: about 15 seconds
    threads: int | None = None  # results do not depend on it


def value_given_position(
    counts: Int64,
    rule: GreedyRule,
    rng: np.random.Generator,
    *,
    last: Tail | None = None,
    lift: Float64 | None = None,
    effort: SamplingEffort = SamplingEffort(),
) -> Posterior:
    """Return the probability of each value at each position of one group, when every value is bounded.

    `counts` (values,) are the group's. `last` is the declared tail of the last group; None for all others. `lift`
    (n, values) has a factor for each person and value, by which worlds are weighed.

    Assumes
        The order is known, and all assignments were equally likely before the release was seen, times `lift`.
    Infers
        `P(v at t) ∝ Σ P(the rule makes this group | order) ∏ lift`, over all orders of the values with v at t. Exact
        with at most `effort.states` states: the counts so far of the values that can still be too frequent. Else, with
        errors, from shuffled orders; with `lift`, from chains of orders.
    Fails
        With `ContradictionError` for counts that the rule makes no group of. Where errors stay above
        `effort.limit`, chains disagree or too few orders are kept, the group is not `resolved`.
    """
    n = int(counts.sum())
    largest = int(counts.max(initial=0))
    if lift is not None and lift.shape != (n, counts.size):
        msg = message(
            "lift must have a factor for each of {n} people and {size} values; got shape {shape}",
            n=n,
            size=counts.size,
            shape=lift.shape,
        )
        raise InvalidInputError(msg)
    if not rule.publishable(n, largest) or (last is None and rule.p == 1):
        raise _never(n, largest)
    order = np.argsort(-counts, kind="stable")
    order = order[counts[order] > 0]
    held = np.ascontiguousarray(counts[order], np.int64)
    odds = None if lift is None else _scaled(lift[:, order])
    closed, merged = last != "merged", last in {"merged", "hidden"}
    if odds is None:
        found = exact(held, rule, closed=closed, merged=merged, most=effort.states)
    else:
        found = differing(held, rule, closed=closed, merged=merged, lift=odds, most=effort.states)
    if found is not None:
        if not found.any():
            raise _never(n, largest)
        return Posterior.exact(_spread(found, order, counts.size))
    setting = GroupSetting(n, rule.l, rule.minimum, rule.p, closed, merged)
    segments = bool(rule.p) and rule.coin == "group"
    ways: list[_Way] = [partial(weighed, segments=segments)]
    if not segments:
        ways = [begun, *ways, sampled]
    drawn: SampledPosterior | None = None
    for way in ways if odds is None else ways[::-1]:  # chains suit unequal weights better than rejection
        if drawn is None or not drawn.settled or drawn.error.max() > effort.limit:
            drawn = way(held, setting, odds, effort.aim, effort.paths, rng) or drawn
    if drawn is None:
        shares = np.tile(held / n, (n, 1))
        unknown = np.minimum(1.0, rule.l * shares)
        return Posterior(_spread(shares, order, counts.size), _spread(unknown, order, counts.size), resolved=False)
    resolved = drawn.settled and float(drawn.error.max()) <= effort.limit
    mean, error, each = (_spread(one, order, counts.size) for one in (drawn.mean, drawn.error, drawn.each))
    return Posterior(mean, error, resolved, each)


def posteriors(
    counts: Sequence[Int64],
    rule: GreedyRule,
    rng: np.random.Generator,
    *,
    effort: SamplingEffort = SamplingEffort(),
) -> list[Posterior]:
    """Return `value_given_position` of several groups, none of them the last; those of equal sorted counts once."""
    if not counts:
        return []
    matrix = np.stack(counts)
    falling = -np.sort(-matrix, axis=1)
    number, example = distinct_rows(falling)
    streams = rng.spawn(example.size)
    largest_first = np.argsort(-falling[example].sum(axis=1), kind="stable")
    with (
        work.step(message("greedy groups"), float(example.size)) as step,
        ThreadPoolExecutor(effort.threads or processors()) as pool,
    ):

        def one(i: int) -> Posterior:
            found = value_given_position(falling[example[i]], rule, streams[i], effort=effort)
            step.advance()
            return found

        found = dict(zip(largest_first.tolist(), pool.map(one, largest_first.tolist()), strict=True))
    result = []
    for row, i in zip(matrix, number.tolist(), strict=True):
        own = found[i]
        order = np.argsort(-row, kind="stable")
        if np.array_equal(order, np.arange(row.size)):
            result.append(own)
            continue
        place = np.empty(row.size, np.int64)
        place[order] = np.arange(row.size)
        draws = None if own.draws is None else own.draws[:, :, place]
        result.append(Posterior(own.value_given_position[:, place], own.error[:, place], own.resolved, draws))
    return result


def _scaled(lift: Float64) -> Float64:
    """Return factors scaled to a maximum of 1 for each person; all-zero rows stay."""
    return np.ascontiguousarray(lift / np.maximum(lift.max(axis=1, keepdims=True), 1e-300))


def _spread(found: Float64, order: Int64, n_values: int) -> Float64:
    """Return columns in the order of all values; missing ones are 0."""
    result = np.zeros((*found.shape[:-1], n_values))
    result[..., order] = found
    return result


def _never(n: int, largest: int) -> ContradictionError:
    msg = message(
        "a group must be one that greedy grouping makes by the published rule; it never makes one of {n} "
        "people, {largest} of them with the most frequent value. Check the rule, and the tail that the "
        "release declares",
        n=n,
        largest=largest,
    )
    return ContradictionError(msg)


__all__ = ["SamplingEffort", "posteriors", "value_given_position"]
