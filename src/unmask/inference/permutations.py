"""Who got which value inside one group: exact permanents, marginals and draws.

A group of `size` people shows a list of `size` values and hides who got which.
Given a weight for each person and value, an arrangement is as probable as the
product of its weights. Serve the people one after the other and remember only
how many copies of each value are gone: that many *states* exist (2 to the power
of the size if all values differ, far fewer if they repeat), and one pass over
them, backward, gives the sum over all arrangements, a second one, forward, every
person's exact marginal, and a third one an exact draw.

References
----------
Kifer. Attacks on privacy and deFinetti's theorem. SIGMOD 2009, section 5.1.
Bellman. Dynamic programming treatment of the travelling salesman problem. J. ACM 1962 (states as subsets).
"""

from __future__ import annotations

import functools
from typing import NamedTuple, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from unmask.arrays import Float64, Int32, Int64
from unmask.errors import InvalidInputError
from unmask.inference.noise import uniform

Unsigned: TypeAlias = NDArray[np.uint64]

EXACT_STATES = 4096
"""Lists of values with more states than this (13 values that all differ have 8,192) are left to `swap`."""

SMALLEST_SUM = 1e-250  # a sum below this has lost digits to underflow: repeat it with logarithms
ONE = np.uint64(1)  # numba turns uint64 + 1 into a float


class Shape(NamedTuple):
    """The states of one list of values and the edges from each to the next: an edge hands one value to one person.

    Indices are unsigned, which spares numba the question whether they count from the end: three times as fast.
    """

    people: np.uint64
    values: np.uint64
    out: Unsigned  # (states + 1,) the edges that leave a state
    cell: Unsigned  # (edges,) person * values + value: the weight that the edge multiplies by
    to: Unsigned  # (edges,) the state reached


def n_states(copies: Int64) -> float:
    """Return how many states a list of values has, from how often each distinct value occurs."""
    return float(np.prod(copies + 1.0))


@functools.lru_cache(maxsize=1024)
def _shape(copies: tuple[int, ...]) -> Shape:
    digits = np.indices([n + 1 for n in copies], np.int32).reshape(len(copies), -1).T
    stride = np.ones(len(copies), np.int64)
    stride[:-1] = np.cumprod([n + 1 for n in copies[:0:-1]])[::-1]
    state, value = np.nonzero(digits < np.array(copies))
    person = digits.sum(1)[state]  # the people are served in order, so the state knows who is next
    return Shape(
        np.uint64(sum(copies)),
        np.uint64(len(copies)),
        np.searchsorted(state, np.arange(digits.shape[0] + 1)).astype(np.uint64),
        (person * len(copies) + value).astype(np.uint64),
        (state + stride[value]).astype(np.uint64),
    )


def shape_of(copies: Int64) -> Shape:
    """Return the states of a list of values, from how often each distinct value occurs."""
    return _shape(tuple(copies.tolist()))


@njit(cache=True, nogil=True)
def backward(shape: Shape, weight: Float64, flow: Float64, total: Float64) -> float:
    """Fill `flow` (edges,) and `total` (states,): the sum over all ways to serve the people who still wait.

    Here and below `weight` and `marginal` are flat: (people × values,).
    """
    last = np.uint64(shape.out.size - 2)
    total[last] = 1.0
    for back in range(last):
        state = last - ONE - back
        found = 0.0
        for edge in range(shape.out[state], shape.out[state + ONE]):
            through = weight[shape.cell[edge]] * total[shape.to[edge]]
            flow[edge] = through
            found += through
        total[state] = found
    return float(total[0])


@njit(cache=True, nogil=True)
def backward_logarithms(shape: Shape, log_weight: Float64, flow: Float64, total: Float64) -> float:
    """Do the same without underflow: `flow` becomes the chance of each edge, `total` 1; return the sum's logarithm."""
    last = np.uint64(shape.out.size - 2)
    total[last] = 0.0
    for back in range(last):
        state = last - ONE - back
        highest = -np.inf
        for edge in range(shape.out[state], shape.out[state + ONE]):
            flow[edge] = log_weight[shape.cell[edge]] + total[shape.to[edge]]
            highest = max(highest, flow[edge])
        found = 0.0
        for edge in range(shape.out[state], shape.out[state + ONE]):
            flow[edge] = np.exp(flow[edge] - highest) if highest > -np.inf else 0.0
            found += flow[edge]
        for edge in range(shape.out[state], shape.out[state + ONE]):
            flow[edge] /= max(found, 1.0)  # the largest term is 1, unless nothing is possible from here
        total[state] = highest + np.log(found) if found > 0.0 else -np.inf
    result = float(total[0])
    total[: last + ONE] = 1.0
    return result


@njit(cache=True, nogil=True)
def forward(shape: Shape, flow: Float64, total: Float64, reached: Float64, marginal: Float64) -> None:
    """Add to `marginal` the probability that a person gets a value."""
    last = np.uint64(shape.out.size - 2)
    reached[: last + ONE] = 0.0
    reached[0] = 1.0
    for state in range(last):
        if reached[state] == 0.0:  # also keeps a total of 0 from dividing
            continue
        share = reached[state] / total[state]
        for edge in range(shape.out[state], shape.out[state + ONE]):
            through = share * flow[edge]
            reached[shape.to[edge]] += through
            marginal[shape.cell[edge]] += through


@njit(cache=True, nogil=True)
def pick(shape: Shape, flow: Float64, total: Float64, noise: np.uint64, given: Int32) -> np.uint64:
    """Draw an arrangement: `given` (people,) becomes the number of the distinct value that each gets."""
    state = np.uint64(0)
    for person in range(shape.people):
        noise, height = uniform(noise)
        height *= total[state]
        chosen = first = shape.out[state]
        last = shape.out[state + ONE] - ONE
        while chosen < last and height >= flow[chosen]:
            height -= flow[chosen]
            chosen += ONE
        while flow[chosen] == 0.0 and chosen > first:  # rounding must not hand out the impossible
            chosen -= ONE
        given[person] = np.int32(shape.cell[chosen] - person * shape.values)
        state = shape.to[chosen]
    return noise


@njit(cache=True, nogil=True)
def swap(
    log_weight: Float64, values: int, steps: int, noise: np.uint64, given: Int32, since: Int64, occupancy: Float64
) -> np.uint64:
    """Let pairs of people trade values by Metropolis's rule, a fixed number of times; add up who held what how long.

    (To stop after a number of *accepted* trades, as the paper does, is biased: it always stops on a fresh move.)
    """
    people = given.size
    since[:people] = 0
    for step in range(steps):
        noise, height = uniform(noise)
        first = int(height * people)
        noise, height = uniform(noise)
        second = int(height * (people - 1))
        second += second >= first
        mine, other = given[first], given[second]
        if mine == other:
            continue
        i, j = first * values, second * values
        gain = log_weight[i + other] + log_weight[j + mine] - log_weight[i + mine] - log_weight[j + other]
        noise, height = uniform(noise)
        if gain >= 0.0 or height < np.exp(gain):
            occupancy[i + mine] += (step - since[first]) / steps
            occupancy[j + other] += (step - since[second]) / steps
            since[first] = since[second] = step
            given[first], given[second] = other, mine
    for person in range(people):
        occupancy[person * values + given[person]] += (steps - since[person]) / steps
    return noise


@njit(cache=True, nogil=True)
def solve(shape: Shape, log_weight: Float64, weight: Float64, flow: Float64, total: Float64) -> float:
    """Run `backward` on weights scaled to at most 1, with logarithms if need be; return the sum's logarithm."""
    shift = 0.0
    for person in range(shape.people):
        row = person * shape.values
        highest = log_weight[row]
        for value in range(ONE, shape.values):
            highest = max(highest, log_weight[row + value])
        if highest == -np.inf:
            highest = 0.0
        for value in range(shape.values):
            weight[row + value] = np.exp(log_weight[row + value] - highest)
        shift += highest
    found = backward(shape, weight, flow, total)
    if found > SMALLEST_SUM:
        return float(np.log(found) + shift)
    return backward_logarithms(shape, log_weight, flow, total)


def _solved(weight: Float64, copies: Int64 | None) -> tuple[Shape, Float64, Float64, float]:
    copies = np.ones(weight.shape[1], np.int64) if copies is None else copies
    if weight.shape != (copies.sum(), copies.size) or (copies < 1).any():
        raise InvalidInputError(
            "weights must have one row a person and one column a distinct value; "
            f"got {weight.shape} for {copies.sum()} values, {copies.size} distinct"
        )
    if n_states(copies) > EXACT_STATES:
        raise InvalidInputError(
            f"a list of values must have at most {EXACT_STATES} states; got {n_states(copies):.0f}. Swap instead."
        )
    shape = shape_of(copies)
    flow, total = np.empty(shape.to.size), np.empty(shape.out.size - 1)
    with np.errstate(divide="ignore"):
        logarithm = np.log(np.asarray(weight, np.float64)).ravel()
    found = float(solve(shape, logarithm, np.empty_like(logarithm), flow, total))
    if not np.isfinite(found):
        raise InvalidInputError("weights must allow at least one arrangement; got a permanent of zero")
    return shape, flow, total, found


def log_permanent(weight: Float64, copies: Int64 | None = None) -> float:
    """Return the logarithm of the sum over all distinct arrangements of the product of their weights.

    `weight` has a row for each person and a column for each distinct value, of which
    `copies` says how many there are (one each by default: then it is the matrix's permanent).
    """
    return _solved(weight, copies)[3]


def marginals(weight: Float64, copies: Int64 | None = None) -> Float64:
    """Return the exact probability that a person gets a value; rows and columns as in `weight`."""
    shape, flow, total, _ = _solved(weight, copies)
    result = np.zeros(weight.shape)
    forward(shape, flow, total, np.empty_like(total), result.reshape(-1))
    return result


def draw(weight: Float64, copies: Int64 | None, rng: np.random.Generator) -> Int32:
    """Draw an arrangement exactly: the number of the distinct value that each person gets."""
    shape, flow, total, _ = _solved(weight, copies)
    given = np.empty(weight.shape[0], np.int32)
    pick(shape, flow, total, rng.integers(2**63, dtype=np.uint64), given)
    return given


def swapped(weight: Float64, given: Int32, steps: int, rng: np.random.Generator) -> tuple[Int32, Float64]:
    """Move an arrangement by a fixed number of swaps; also return how long each person held each value, in shares.

    For groups too large for the exact ways; about `3 * people**2` steps forget the start.
    """
    moved, occupancy = given.astype(np.int32), np.zeros(weight.shape)
    noise, since = rng.integers(2**63, dtype=np.uint64), np.empty(given.size, np.int64)
    swap(np.log(weight).ravel(), weight.shape[1], steps, noise, moved, since, occupancy.reshape(-1))
    return moved, occupancy
