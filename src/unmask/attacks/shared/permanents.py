"""Assignments of values to people in one group: exact permanents, marginals and draws.

A group of `size` people publishes a list of `size` values without the assignment.
Given a weight for each person and value, an arrangement has probability
proportional to the product of its weights. A dynamic program serves the people in
order; its *states* are the numbers of used copies of each value (2 to the power
of the size if all values differ, far fewer if they repeat). A backward pass gives
the sum over all arrangements, a forward pass each person's exact marginal, and a
third pass an exact draw.

References
----------
Kifer. Attacks on privacy and deFinetti's theorem. SIGMOD 2009, section 5.1.
Bellman. Dynamic programming treatment of the travelling salesman problem. J. ACM 1962 (states as subsets).
"""

from __future__ import annotations

import functools
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unmask.arrays import Float64, Int32, Int64
from unmask.attacks.shared.counter_random import binomial, uniform
from unmask.compiled_code import njit
from unmask.errors import InvalidInputError
from unmask.number_format import numeral
from unmask.wording import message

Unsigned: TypeAlias = NDArray[np.uint64]

EXACT_STATES = 4096
"""The most states of a list of values (13 distinct values have 8,192)."""

SMALLEST_SUM = 1e-250  # smaller sums have lost digits to underflow: they are repeated with logarithms
ONE = np.uint64(1)  # numba turns uint64 + 1 into a float
LANES = np.uint64(
    8
)  # so many groups of one shape are summed over at once: neighbors in memory, side by side in the CPU


class Shape(NamedTuple):
    """The states of one list of values and the edges between them: an edge gives one value to one person.

    Indices are unsigned, so that numba need not check for negative ones: three times as fast.
    """

    out: Unsigned  # (states + 1,) the edges that leave a state
    cell: Unsigned  # (edges,) person * values + value: the weight that the edge multiplies by
    to: Unsigned  # (edges,) the state reached


def n_states(copies: Int64) -> float:
    """Return the number of states of a list of values, from the multiplicities of its distinct values."""
    return float(np.prod(copies + 1.0))


@functools.lru_cache(maxsize=1024)
def _shape(copies: tuple[int, ...]) -> Shape:
    digits = np.indices([n + 1 for n in copies], np.int32).reshape(len(copies), -1).T
    stride = np.ones(len(copies), np.int64)
    stride[:-1] = np.cumprod([n + 1 for n in copies[:0:-1]])[::-1]
    state, value = np.nonzero(digits < np.array(copies))
    person = digits.sum(1)[state]  # people are served in order: the state determines the next
    return Shape(
        np.searchsorted(state, np.arange(digits.shape[0] + 1)).astype(np.uint64),
        (person * len(copies) + value).astype(np.uint64),
        (state + stride[value]).astype(np.uint64),
    )


def shape_of(copies: Int64) -> Shape:
    """Return the states of a list of values, from the multiplicities of its distinct values."""
    return _shape(tuple(copies.tolist()))


@njit(cache=True, nogil=True, error_model="numpy")
def backward(out: Unsigned, cell: Unsigned, to: Unsigned, weight: Float64, flow: Float64, total: Float64) -> None:
    """Fill `flow` (edges,) and `total` (states,): the sums over all ways to serve the remaining people.

    Here and below `weight` and `marginal` are flat, (people × values,), and every number is `LANES` numbers, one for
    each of so many groups of one shape. The first three arguments are a `Shape`'s; passing the tuple would count
    references to its arrays, which costs more than the sums.
    """
    last = np.uint64(out.size - 2)
    for lane in range(LANES):
        total[last * LANES + lane] = 1.0
    for back in range(last):
        state = last - ONE - back
        here = state * LANES
        for lane in range(LANES):
            total[here + lane] = 0.0
        for edge in range(out[state], out[state + ONE]):
            w, f, t = cell[edge] * LANES, edge * LANES, to[edge] * LANES
            for lane in range(LANES):
                through = weight[w + lane] * total[t + lane]
                flow[f + lane] = through
                total[here + lane] += through


@njit(cache=True, nogil=True)
def backward_logarithms(
    out: Unsigned, cell: Unsigned, to: Unsigned, log_weight: Float64, lane: np.uint64, flow: Float64, total: Float64
) -> float:
    """Fill one lane without underflow; return the logarithm of the sum.

    Each state's `total` becomes 1, and `flow` the probability of each edge: equivalent for `forward` and `pick`.
    """
    last = np.uint64(out.size - 2)
    total[last * LANES + lane] = 0.0
    for back in range(last):
        state = last - ONE - back
        highest = -np.inf
        for edge in range(out[state], out[state + ONE]):
            flow[edge * LANES + lane] = log_weight[cell[edge]] + total[to[edge] * LANES + lane]
            highest = max(highest, flow[edge * LANES + lane])
        found = 0.0
        for edge in range(out[state], out[state + ONE]):
            chance = np.exp(flow[edge * LANES + lane] - highest) if highest > -np.inf else 0.0
            flow[edge * LANES + lane] = chance
            found += chance
        for edge in range(out[state], out[state + ONE]):
            flow[edge * LANES + lane] /= max(found, 1.0)  # the largest is 1, unless nothing is possible from here
        total[state * LANES + lane] = highest + np.log(found) if found > 0.0 else -np.inf
    result = float(total[lane])
    for any_state in range(last + ONE):
        total[any_state * LANES + lane] = 1.0
    return result


@njit(cache=True, nogil=True, error_model="numpy")
def forward(
    out: Unsigned, cell: Unsigned, to: Unsigned, flow: Float64, total: Float64, reached: Float64, marginal: Float64
) -> None:
    """Add to `marginal` the probability that a person gets a value."""
    last = np.uint64(out.size - 2)
    for i in range((last + ONE) * LANES):
        reached[i] = 0.0
    for lane in range(LANES):
        reached[lane] = 1.0
    for state in range(last):
        here = state * LANES
        for lane in range(LANES):
            reached[here + lane] /= total[here + lane] + (total[here + lane] == 0.0)  # unreachable then
        for edge in range(out[state], out[state + ONE]):
            w, f, t = cell[edge] * LANES, edge * LANES, to[edge] * LANES
            for lane in range(LANES):
                through = reached[here + lane] * flow[f + lane]
                reached[t + lane] += through
                marginal[w + lane] += through


@njit(cache=True, nogil=True)
def pick(
    out: Unsigned,
    cell: Unsigned,
    to: Unsigned,
    flow: Float64,
    total: Float64,
    lane: np.uint64,
    noise: np.uint64,
    given: Int32,
    first_person: int,
) -> None:
    """Draw one lane's arrangement: fill `given`, from `first_person` on, with the index of each person's value."""
    state, last_state = np.uint64(0), np.uint64(out.size - 2)
    place = first_person
    served = np.uint64(0)  # cells of the people served
    values = cell[out[ONE] - ONE] + ONE  # the first person can have any value
    while state < last_state:
        chosen = first = out[state]
        last = out[state + ONE] - ONE
        if first < last:
            noise, height = uniform(noise)
            height *= total[state * LANES + lane]
            for edge in range(first, last):  # without a branch that the processor would have to guess
                height -= flow[edge * LANES + lane]
                chosen += np.uint64(height >= 0.0)
            while flow[chosen * LANES + lane] == 0.0 and chosen > first:  # rounding must not hand out the impossible
                chosen -= ONE
        given[place] = cell[chosen] - served
        state = to[chosen]
        served += values
        place += 1


@njit(cache=True, nogil=True)
def pick_many(
    out: Unsigned,
    cell: Unsigned,
    to: Unsigned,
    flow: Float64,
    total: Float64,
    lane: np.uint64,
    noise: np.uint64,
    times: int,
    waiting: Int64,
    given: Int64,
) -> None:
    """Draw several arrangements of one lane at once: `given` (people × values,) becomes the number of draws of a cell.

    Arrangements in a state are divided among its edges by binomial draws: the work does not grow with their number.
    """
    last_state = np.uint64(out.size - 2)
    waiting[: out.size - 1] = 0
    waiting[0] = times
    for state in range(last_state):
        left, rest = waiting[state], total[state * LANES + lane]
        if left == 0:
            continue
        last = out[state + ONE] - ONE
        while flow[last * LANES + lane] == 0.0 and last > out[state]:  # rounding must not hand out the impossible
            last -= ONE
        for edge in range(out[state], last):
            here = flow[edge * LANES + lane]
            noise, moved = binomial(noise, left, min(here / rest, 1.0) if rest > 0.0 else 1.0)
            waiting[to[edge]] += moved
            given[cell[edge]] += moved
            left -= moved
            rest -= here
            if left == 0:
                break
        waiting[to[last]] += left
        given[cell[last]] += left


@njit(cache=True, nogil=True)
def scale(log_weight: Float64, values: int, weight: Float64) -> float:
    """Fill `weight` with the weights of `log_weight`, each person's largest scaled to 1; return the logarithm lost."""
    lost = 0.0
    for row in range(0, log_weight.size, values):
        highest = log_weight[row]
        for value in range(1, values):
            highest = max(highest, log_weight[row + value])
        if highest == -np.inf:
            highest = 0.0
        for value in range(values):
            weight[row + value] = np.exp(log_weight[row + value] - highest)
        lost += highest
    return lost


class _Solved(NamedTuple):
    shape: Shape
    flow: Float64
    total: Float64
    log_sum: float


def _solved(weight: Float64, copies: Int64 | None) -> _Solved:
    copies = np.ones(weight.shape[1], np.int64) if copies is None else copies
    if weight.shape != (copies.sum(), copies.size) or (copies < 1).any():
        raise InvalidInputError(
            message(
                "weights must have one row a person and one column a distinct value; got {shape} for {sum} "
                "values, {size} distinct",
                shape=weight.shape,
                sum=copies.sum(),
                size=copies.size,
            )
        )
    if n_states(copies) > EXACT_STATES:
        raise InvalidInputError(
            message(
                "a list of values must have at most {exact_states} states; got {n_states}. Sample instead.",
                exact_states=EXACT_STATES,
                n_states=numeral(n_states(copies), ".0f"),
            )
        )
    shape = shape_of(copies)
    flow, total = np.empty(shape.to.size * int(LANES)), np.empty((shape.out.size - 1) * int(LANES))
    with np.errstate(divide="ignore"):
        logarithm = np.log(np.asarray(weight, np.float64)).ravel()
    scaled = np.empty_like(logarithm)
    lost = scale(logarithm, copies.size, scaled)
    backward(*shape, np.repeat(scaled, int(LANES)), flow, total)
    small = not total[0] > SMALLEST_SUM
    log_sum = (
        backward_logarithms(*shape, logarithm, np.uint64(0), flow, total) if small else float(np.log(total[0]) + lost)
    )
    if not np.isfinite(log_sum):
        raise InvalidInputError(message("weights must allow at least one arrangement; got a permanent of zero"))
    return _Solved(shape, flow, total, log_sum)


def log_permanent(weight: Float64, copies: Int64 | None = None) -> float:
    """Return the logarithm of the sum over all distinct arrangements of the product of their weights.

    `weight` has a row for each person and a column for each distinct value, with
    multiplicities `copies` (one each by default: then it is the matrix's permanent).
    """
    return _solved(weight, copies).log_sum


def marginals(weight: Float64, copies: Int64 | None = None) -> Float64:
    """Return the exact probability that a person gets a value; rows and columns as in `weight`."""
    shape, flow, total, _ = _solved(weight, copies)
    result = np.zeros((weight.size, int(LANES)))
    forward(*shape, flow, total, np.empty_like(total), result.reshape(-1))
    return result[:, 0].reshape(weight.shape)


def draw(weight: Float64, copies: Int64 | None, rng: np.random.Generator) -> Int32:
    """Draw an arrangement exactly: the index of each person's distinct value."""
    shape, flow, total, _ = _solved(weight, copies)
    given = np.empty(weight.shape[0], np.int32)
    pick(*shape, flow, total, np.uint64(0), rng.integers(2**63, dtype=np.uint64), given, 0)
    return given
