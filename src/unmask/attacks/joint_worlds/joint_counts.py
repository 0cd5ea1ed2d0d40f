"""Exact marginals of people's values under the counts of several releases, by variable elimination.

A world gives each person one value. It agrees with the releases if the members of every group have its published
values. People who share a group depend on each other, and so do people connected through others: the computation goes
from person to person, and keeps the probability of each state of the open groups.

References
----------
Bertele, Brioschi. Nonserial dynamic programming. Academic Press 1972. Dechter. Bucket elimination. Artificial
Intelligence 1999.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from unmask.errors import NotApplicableError
from unmask.number_format import numeral
from unmask.wording import message


@dataclass(frozen=True, slots=True)
class Person:
    """A person of a connected set: the prior of each value, and the person's groups."""

    prior: Mapping[int, float]
    groups: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _GroupCounts:
    """A group as digits of a state: the members so far with each published value, and with another one."""

    times: int  # of its lowest digit
    span: int  # number of its states
    digit: Mapping[int, tuple[int, int, int]]  # value → times, radix, published count
    free: int  # times of the digit that counts values beyond those published
    blanks: int  # members whose value is not published

    def given(self, state: int, value: int) -> tuple[int, float]:
        """Return the state after one more member with a value, and the factor; a factor of 0: impossible.

        Infers
            Any c of the h members with a value may be the published ones: `C(h, c)` ways, which is `Π h / (h − c)` over
            every h beyond c.
        """
        if value in self.digit:
            times, radix, count = self.digit[value]
            holders = state // times % radix
            if holders < count:
                return state + times, 1.0
        else:
            times, holders, count = 0, 0, 0
        if not self.blanks or state // self.free % (self.blanks + 1) == self.blanks:
            return state, 0.0
        return state + times + self.free, (holders + 1) / (holders + 1 - count)

    def closed(self, state: int) -> int:
        """Return the state without the digits of the group, once all its members have a value."""
        return state - state // self.times % self.span * self.times


def marginals(people: Sequence[Person], groups: Sequence[Mapping[int, int]], limit: int) -> list[dict[int, float]]:
    """Return the marginal of each person; empty for all, if no world agrees with the counts.

    `groups` has the published count of each value. Every member of a group is among the people.

    Infers
        `P(v_i) ∝ Σ over worlds with v_i of Π_people prior(v) · Π_groups ways`, by one pass forward and one back.
    Fails
        With `NotApplicableError` where more than `limit` states of open groups would be stored.
    """
    order = _order(people, len(groups))
    steps = _steps([people[i] for i in order], _states(people, groups))
    layers = _forward(steps, len(groups), limit)
    found = _backward(steps, layers)
    result: list[dict[int, float]] = [{} for _ in people]
    for i, held in zip(order, found, strict=True):
        whole = sum(held.values())
        result[i] = {value: p / whole for value, p in held.items()} if whole else {}
    return result


@dataclass(frozen=True, slots=True)
class _PersonStep:
    """One more person, the person's groups, and those of them that are complete afterwards."""

    prior: Mapping[int, float]
    inside: tuple[_GroupCounts, ...]
    done: tuple[_GroupCounts, ...]

    def moves(self, state: int) -> Iterator[tuple[int, int, float]]:
        """Yield each possible value of the person, the state after it, and its prior times the number of ways."""
        for value, probability in self.prior.items():
            after, factor = state, probability
            for group in self.inside:
                after, ways = group.given(after, value)
                factor *= ways
                if not factor:
                    break
            else:
                for group in self.done:
                    after = group.closed(after)
                yield value, after, factor


def _steps(people: Sequence[Person], groups: Sequence[_GroupCounts]) -> list[_PersonStep]:
    last = {g: i for i, person in enumerate(people) for g in person.groups}
    return [
        _PersonStep(
            person.prior,
            tuple(groups[g] for g in person.groups),
            tuple(groups[g] for g in person.groups if last[g] == i),
        )
        for i, person in enumerate(people)
    ]


def _forward(steps: Sequence[_PersonStep], n_groups: int, limit: int) -> list[dict[int, float]]:
    """Return the probability of each state before each step."""
    layers: list[dict[int, float]] = [{0: 1.0}]
    kept = 1
    for step in steps:
        ahead: dict[int, float] = {}
        for state, weight in layers[-1].items():
            for _, after, factor in step.moves(state):
                ahead[after] = ahead.get(after, 0.0) + weight * factor
        kept += len(ahead)
        if kept > limit:
            msg = message(
                "needs small groups: {steps} people in {n_groups} groups are connected, and have more than {limit} "
                "joint states. Use intersection, which treats each person separately, or raise the limit",
                steps=numeral(len(steps)),
                n_groups=numeral(n_groups),
                limit=numeral(limit),
            )
            raise NotApplicableError(msg)
        layers.append(_scaled(ahead))
    return layers


def _backward(steps: Sequence[_PersonStep], layers: Sequence[dict[int, float]]) -> list[dict[int, float]]:
    """Return for each step the probability of each value of its person, up to a factor."""
    result = []
    behind = dict.fromkeys(layers[-1], 1.0)
    for step, layer in zip(reversed(steps), reversed(layers[:-1]), strict=True):
        found: dict[int, float] = {}
        before: dict[int, float] = {}
        for state, weight in layer.items():
            total = 0.0
            for value, after, factor in step.moves(state):
                way = factor * behind.get(after, 0.0)
                total += way
                found[value] = found.get(value, 0.0) + weight * way
            before[state] = total
        behind = _scaled(before)
        result.append({value: p for value, p in found.items() if p})
    return result[::-1]


def _scaled(layer: dict[int, float]) -> dict[int, float]:
    most = max(layer.values(), default=0.0)
    return {state: weight / most for state, weight in layer.items() if weight} if most else {}


def _states(people: Sequence[Person], groups: Sequence[Mapping[int, int]]) -> list[_GroupCounts]:
    """Return the digits of each group."""
    size = [0] * len(groups)
    for person in people:
        for g in person.groups:
            size[g] += 1
    result, times = [], 1
    for n, counts in zip(size, groups, strict=True):
        blanks, first, digit = n - sum(counts.values()), times, {}
        for value, count in counts.items():
            digit[value] = (times, count + blanks + 1, count)
            times *= count + blanks + 1
        free = times
        times *= blanks + 1
        result.append(_GroupCounts(first, times // first, digit, free, blanks))
    return result


def _order(people: Sequence[Person], n_groups: int) -> list[int]:
    """Return an order of people that keeps few groups open: next is the group with the fewest missing people."""
    members: list[list[int]] = [[] for _ in range(n_groups)]
    for i, person in enumerate(people):
        for g in person.groups:
            members[g].append(i)
    order: list[int] = []
    taken: set[int] = set()
    is_open: set[int] = set()
    unfinished = set(range(n_groups))
    while unfinished:
        among = is_open or unfinished
        _, g = min((sum(i not in taken for i in members[g]), g) for g in among)
        for i in members[g]:
            if i not in taken:
                taken.add(i)
                order.append(i)
                is_open.update(people[i].groups)
        unfinished.discard(g)
        is_open &= unfinished
        is_open.discard(g)
    return order + [i for i in range(len(people)) if i not in taken]
