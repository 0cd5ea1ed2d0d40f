"""Exact beliefs by listing worlds: slow, and simple enough to be believed.

A world says who is which published person and who holds which value. The worlds that publish what was published are
listed one by one, their probabilities added up as fractions. Nothing here is shared with the package: only the plain
fields of releases, tables, priors and places are read, and an algorithm that is known is run as it is. For at most
eight people or so.

What is assumed of a world (`Worlds`):

- `values`: the target's value is drawn from their prior and those of strangers from what is published of all people
  (`prior`); every assignment is equally likely (`uniform`; a prior of zero still forbids); or all rows are drawn from
  one unknown distribution (`dirichlet`: Naive Bayes, `P(S)` uniform, each `P(R | S)` Dirichlet with parameter alpha; a
  prior that is not the published distribution reweights the target's value).
- `members`: the other people of a group are strangers, drawn anew for each release and each target (`afresh`); or the
  people listed are in all releases with one value each (`shared`).
- Where only attributes are known, the person is equally likely to be any published one before the attributes are
  looked at; strangers' attributes are independent draws from the published marginals.
- Where the people known are all of the release, and it generalizes cells, worlds are the ways to put them into groups
  that they fit, as many as a group has; whoever is left over is in none. Rows are then these people's own values.
- `algorithm`: a world is possible only if the algorithm, run on it, publishes what was published; it must draw nothing.
- A person who fits nowhere, or whom the evidence rules out, stays at the prior.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from math import inf, isinf, isnan, prod
from typing import Any, Literal

import numpy as np

from unmask.errors import InfeasibleError
from unmask.schema import Schema
from unmask.table import Table
from unmask.view import View, Worlds

Model = Literal["naive bayes", "joint"]
Listed = tuple[str, ...]
"""The published values of a group's members; `FREE` where a member's value is not published."""

FREE = "?!"

ONE = Fraction(1)


def posterior(view: View, worlds: Worlds, model: Model = "naive bayes") -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the belief about each target, (people, values)."""
    return np.array([[float(p) for p in row] for row in exact(view, worlds, model)])


def exact(view: View, worlds: Worlds, model: Model = "naive bayes") -> list[list[Fraction]]:
    """Return the belief about each target as fractions, in the order of the prior's values."""
    published = [_read(release, view.about.name) for release in view.releases]
    priors = _priors(view)
    if worlds.algorithm and view.knowledge.sanitizers is None:
        from tests import greedy_oracle  # noqa: PLC0415 - it reads views as this file does

        return greedy_oracle.exact(view)
    if worlds.algorithm:
        if len(published) != 1:
            raise ValueError("the oracle replays one release only")
        return _replayed(view, published[0], priors)
    if worlds.values == "dirichlet":
        if len(published) != 1:
            raise ValueError("the oracle learns from one release only")
        complete_list = view.knowledge.complete and not _publishes_each_person(published[0])
        learn = _learned_posteriors_of_list if complete_list else _learned_posteriors
        return learn(view, published[0], priors, Fraction(worlds.alpha), model)
    everywhere = _everywhere(published)
    if worlds.values == "uniform":
        everywhere = dict.fromkeys(everywhere, ONE)
        priors = [{value: Fraction(p > 0) for value, p in prior.items()} for prior in priors]
    together = [list(range(len(priors)))] if worlds.members == "shared" else [[i] for i in range(len(priors))]
    result: list[list[Fraction]] = []
    for people in together:
        result += _posteriors(view, published, people, priors, everywhere)
    return result


# --- what is published, as plain lists


@dataclass(frozen=True)
class _Cell:
    """What a published cell may stand for."""

    pieces: tuple[tuple[float, float, bool, bool], ...]  # low, high, whether each end is open
    missing: bool
    anything: bool
    hides: bool = False  # one whose value is missing, and may be any

    def holds(self, x: float) -> bool:
        inside = any((lo < x or (lo == x and not lo_open)) and (x < hi or (x == hi and not hi_open))
                     for lo, hi, lo_open, hi_open in self.pieces)  # fmt: skip
        return (
            self.anything
            or self.hides
            or isnan(x)
            or (isinf(x) and x < 0 and self.missing)
            or (not isinf(x) and inside)
        )


@dataclass(frozen=True)
class _PublishedRelease:
    """One release: a line of cells for each box or each exact row, and the values of each group."""

    lines: list[tuple[_Cell, ...]]
    group_of: list[int]
    people: list[Fraction]  # behind a line
    groups: list[Listed]
    measures: list[float | None]  # per attribute: the step of numbers, 1 for listed values, None if continuous
    kinds: list[int]  # per attribute: how many different values there may be: those listed, or those shown


def _read(release: Any, attribute: str) -> _PublishedRelease:
    masked, counts = release.masked, release.counts[attribute]
    columns, measures, listed = [], [], []
    for cells in masked.cells:
        made = []
        for c in range(len(cells.start) - 1):
            entries = range(int(cells.start[c]), int(cells.start[c + 1]))
            ends = [(float(cells.low[e]), float(cells.high[e])) for e in entries]
            opened = [(bool(cells.low_open[e]), bool(cells.high_open[e])) for e in entries]
            pieces = tuple((*end, *is_open) for end, is_open in zip(ends, opened, strict=True))
            hides = bool(cells.missing[c]) and str(cells.attribute.missing) == "wildcard"
            made.append(_Cell(pieces, bool(cells.missing[c]), bool(cells.anything[c]), hides))
        columns.append(made)
        domain = cells.attribute.domain
        measures.append(1.0 if hasattr(domain, "values") else domain.step)
        listed.append(len(getattr(domain, "values", ())))
    group_of = [int(g) for g in masked.group_of_line]
    lines = [tuple(columns[i][int(c)] for i, c in enumerate(row)) for row in masked.cell]
    labels = release.schema[attribute].domain.values
    groups = []
    for g, size in enumerate(release.size):
        known: list[str] = []
        for e in range(int(counts.start[g]), int(counts.start[g + 1])):
            known += [labels[int(counts.column[e])]] * int(counts.data[e])
        groups.append(tuple(known + [FREE] * (int(size) - len(known))))
    share = Counter(group_of)
    people = [Fraction(len(groups[g]), share[g]) for g in group_of]
    kinds = [max(n, len({line[i] for line in lines})) for i, n in enumerate(listed)]
    return _PublishedRelease(lines, group_of, people, groups, measures, kinds)


def _priors(view: View) -> list[dict[str, Fraction]]:
    prior = view.knowledge.prior
    result = []
    for row in prior.row_of:
        entries = range(int(prior.rows.start[row]), int(prior.rows.start[row + 1]))
        belief = dict.fromkeys(prior.values, Fraction(0))
        belief.update({prior.values[int(prior.rows.column[e])]: _fraction(float(prior.rows.data[e])) for e in entries})
        result.append(belief)
    return result


def _fraction(p: float) -> Fraction:
    """Return the simple fraction that a float was made of, if it was; else the float itself."""
    simple = Fraction(p).limit_denominator(10_000)
    return simple if float(simple) == p else Fraction(p)


def _everywhere(published: Sequence[_PublishedRelease]) -> dict[str, Fraction]:
    """Return how often each value is published, as a share."""
    counted = Counter(v for release in published for group in release.groups for v in group if v != FREE)
    return {value: Fraction(n, counted.total()) for value, n in counted.items()}


# --- who may be which published person


def _coordinates(view: View, r: int, person: int) -> list[float]:
    """Place a person on the axes of a release: minus infinity is missing, infinity outside, NaN unknown (fits all)."""
    people, result = view.knowledge.people, []
    for cells in view.releases[r].masked.cells:  # type: ignore[attr-defined]
        theirs = cells.attribute
        ours = next((a for a in people.schema.attributes if a.name == theirs.name), None)
        absent = float("nan") if str(theirs.missing) == "wildcard" else -inf
        if ours is None:
            result.append(float("nan"))
            continue
        x = float(people.columns[ours.name][person])
        listed: Any = getattr(ours.domain, "values", None)
        if isnan(x) or (listed is not None and x < 0):
            result.append(absent)
            continue
        text = listed[int(x)] if listed is not None else str(int(x)) if x.is_integer() else str(x)
        known: Any = getattr(theirs.domain, "values", None)
        if known is None:
            result.append(float(text))
        else:
            result.append(float(known.index(text)) if text in known else inf)
    return result


def _rarity(published: _PublishedRelease, place: list[float]) -> list[Fraction]:
    """Return for each line how likely a stranger shows the cells that a person can be compared with."""
    result = [ONE] * len(published.lines)
    for i, step in enumerate(published.measures):
        if isnan(place[i]):
            continue
        column = [line[i] for line in published.lines]
        specific = [(cell, n) for cell, n in zip(column, published.people, strict=True) if not cell.anything]
        total = sum(n for _, n in specific)
        for j, cell in enumerate(column):
            if cell.anything or cell.hides or not specific:
                continue
            result[j] *= sum((n * _overlap(other, cell, step) for other, n in specific), Fraction(0)) / total
    return result


def _overlap(spread: _Cell, cell: _Cell, step: float | None) -> Fraction:
    """Return the share of a uniform distribution over one cell that falls into another."""
    if not spread.pieces:
        return Fraction(int(cell.missing))
    atoms = _atoms(spread, cell, step)
    size = {atom: Fraction(n) for atom, n in atoms.items() if _within(spread, atom)}
    if not sum(size.values()):  # an exact number on a continuous axis
        size = dict.fromkeys(size, ONE)
    return sum((n for atom, n in size.items() if _within(cell, atom)), Fraction(0)) / sum(size.values())


def _atoms(one: _Cell, other: _Cell, step: float | None) -> dict[tuple[float, float], float]:
    """Cut the axis into points and the gaps between them, each with its length (points count where there are steps)."""
    ends = sorted({end for cell in (one, other) for piece in cell.pieces for end in piece[:2]})
    if step is not None:
        low, high = ends[0], ends[-1]
        points = [low + n * step for n in range(round((high - low) / step) + 1)]
        return {(x, x): 1.0 for x in points}
    return {(x, x): 0.0 for x in ends} | {(a, b): b - a for a, b in pairwise(ends)}


def _within(cell: _Cell, atom: tuple[float, float]) -> bool:
    return _Cell(cell.pieces, missing=False, anything=False).holds((atom[0] + atom[1]) / 2)


def _chances(view: View, r: int, published: _PublishedRelease, person: int, *, row_level: bool) -> list[Fraction]:
    """Return for each line the weight with which the person is one of the people behind it; all 0: nowhere.

    With `row_level`, a known group leaves only those of its rows that match the person.
    """
    located = view.knowledge.located
    group = -1 if located is None else int(located[r].group[person])
    nowhere = [Fraction(0)] * len(published.lines)
    if group == -2:
        return nowhere
    if group >= 0 and row_level and located is not None and located[r].row is not None:
        row = int(located[r].row[person])  # type: ignore[index]
        if row >= 0:
            return [Fraction(i == row) for i in range(len(published.lines))]
    if group >= 0 and not row_level:
        return [n * (g == group) for g, n in zip(published.group_of, published.people, strict=True)]
    place = _coordinates(view, r, person)
    fits = [all(cell.holds(x) for cell, x in zip(line, place, strict=True)) for line in published.lines]
    if group >= 0:
        return [Fraction(fit and g == group) for fit, g in zip(fits, published.group_of, strict=True)]
    rarity = _rarity(published, place)
    return [n / rare if fit else Fraction(0) for fit, n, rare in zip(fits, published.people, rarity, strict=True)]


# --- worlds in which values are drawn one by one


@cache
def arrangements(values: Listed) -> tuple[Listed, ...]:
    """Return the distinct orders of a list."""
    if not values:
        return ((),)
    result: list[Listed] = []
    for first in dict.fromkeys(values):
        rest = list(values)
        rest.remove(first)
        result += [(first, *others) for others in arrangements(tuple(rest))]
    return tuple(result)


def _chance_of_list(group: Listed, held: Sequence[str], everywhere: dict[str, Fraction]) -> Fraction:
    """Return the probability that a group publishes its list, when its first members hold given values."""
    total = Fraction(0)
    for world in arrangements(group):
        if all(cell in (FREE, value) for cell, value in zip(world, held, strict=False)):
            total += prod((everywhere[v] for v in world[len(held) :] if v != FREE), start=ONE)
    return total


def _posteriors(
    view: View,
    published: Sequence[_PublishedRelease],
    people: Sequence[int],
    priors: Sequence[dict[str, Fraction]],
    everywhere: dict[str, Fraction],
) -> list[list[Fraction]]:
    """Return beliefs about people whose values are drawn from their priors, strangers' from `everywhere`."""
    values = list(priors[0])
    joint: dict[tuple[str, ...], Fraction] = {}
    evidence = [_placements(view, r, release, people) for r, release in enumerate(published)]
    chance = cache(lambda r, g, held: _chance_of_list(published[r].groups[g], held, everywhere))
    for held in product(values, repeat=len(people)):
        weight = prod((priors[person][v] for person, v in zip(people, held, strict=True)), start=ONE)
        for r, placements in enumerate(evidence):
            if not weight:
                break
            total = Fraction(0)
            for places, probability in placements:
                inside = [tuple(v for v, p in zip(held, places, strict=True) if p == g)
                          for g in range(len(published[r].groups))]  # fmt: skip
                total += probability * prod((chance(r, g, inside[g]) for g in range(len(inside))), start=ONE)
            weight *= total
        joint[held] = weight
    result = []
    whole = sum(joint.values())
    for i, person in enumerate(people):
        if not whole:
            norm = sum(priors[person].values())
            result.append([p / norm for p in _priors(view)[person].values()] if norm else [])
            continue
        result.append([sum((w for held, w in joint.items() if held[i] == v), Fraction(0)) / whole for v in values])
    return result


def _placements(
    view: View, r: int, published: _PublishedRelease, people: Sequence[int]
) -> list[tuple[tuple[int, ...], Fraction]]:
    """List every way to put people into a release, each at an own place: their groups (-1: nowhere), and the weight."""
    choices: list[list[tuple[int, int, Fraction]]] = []  # line, which of the people behind it, weight
    for person in people:
        weight = _chances(view, r, published, person, row_level=False)
        choices.append([(line, n, w / published.people[line]) for line, w in enumerate(weight) if w
                        for n in range(int(published.people[line]))] or [(-1, person, ONE)])  # fmt: skip
    merged: Counter[tuple[int, ...]] = Counter()
    for chosen in product(*choices):
        if len({(line, n) for line, n, _ in chosen}) == len(chosen):
            groups = tuple(published.group_of[line] if line >= 0 else -1 for line, _, _ in chosen)
            merged[groups] += prod((w for _, _, w in chosen), start=ONE)  # type: ignore[assignment]
    return [(groups, Fraction(weight)) for groups, weight in merged.items()]


# --- worlds in which rows are drawn from one unknown distribution


def _learned_posteriors(
    view: View, published: _PublishedRelease, priors: Sequence[dict[str, Fraction]], alpha: Fraction, model: Model
) -> list[list[Fraction]]:
    values = list(priors[0])
    everywhere = _everywhere([published])
    listed = list(dict.fromkeys([*values, *everywhere]))
    by_group: list[list[int]] = [[] for _ in published.groups]
    for line, group in enumerate(published.group_of):
        by_group[group].append(line)
    held: list[Counter[str]] = [Counter() for _ in published.lines]
    for world in _worlds(published.groups, listed):
        value_of = {line: v for lines, given in zip(by_group, world, strict=True)
                    for line, v in zip(lines, given, strict=True)}  # fmt: skip
        rows = [(published.lines[line], value_of[line]) for line in range(len(published.lines))]
        joint = model == "joint"
        weight = (
            _joint_weight(rows, listed, published.kinds)
            if joint
            else _bayes_weight(rows, listed, published.kinds, alpha)
        )
        for line, v in value_of.items():
            held[line][v] += weight  # type: ignore[assignment]
    result = []
    for person, prior in enumerate(priors):
        chances = _chances(view, 0, published, person, row_level=True)
        weights = {v: sum((w * held[line][v] for line, w in enumerate(chances) if w), Fraction(0)) for v in values}
        result.append(_reweighted(weights, prior, everywhere))
    return result


def _reweighted(
    weights: dict[str, Fraction], prior: dict[str, Fraction], everywhere: dict[str, Fraction]
) -> list[Fraction]:
    """Multiply by prior over published share; where nothing is left, return the prior."""
    belief = [weights[v] * prior[v] / everywhere[v] if everywhere.get(v) else Fraction(0) for v in prior]
    belief = belief if sum(belief) else list(prior.values())
    return [p / sum(belief) for p in belief]


# --- the algorithm is known


def _replayed(view: View, published: _PublishedRelease, priors: Sequence[dict[str, Fraction]]) -> list[list[Fraction]]:
    """Try every way to give the members of groups their values, and keep those that publish the same again."""
    place_of = _own_places(view, published)
    total: list[Counter[str]] = [Counter() for _ in priors]
    for world in product(*(arrangements(group) for group in published.groups)):
        held = {(g, i): v for g, values in enumerate(world) for i, v in enumerate(values)}
        if _publishes(view, published, [held[place] for place in place_of]):
            for person, place in enumerate(place_of):
                total[person][held[place]] += 1
    everywhere = _everywhere([published])
    return [_reweighted({v: Fraction(t[v]) for v in p}, p, everywhere) for t, p in zip(total, priors, strict=True)]


def _own_places(view: View, published: _PublishedRelease) -> list[tuple[int, int]]:
    """Return the group and a place in it of each person of a complete list."""
    (way,) = _placings(view, published)
    return [(g, way[:person].count(g)) for person, g in enumerate(way)]


def _publishes(view: View, published: _PublishedRelease, values: Sequence[str]) -> bool:
    """Whether the algorithm publishes the release if people have these values."""
    (sanitizer,) = view.knowledge.sanitizers or (None,)
    assert sanitizer is not None
    people = view.knowledge.people
    attribute = view.releases[0].schema[view.about.name]
    codes = np.array([attribute.values.index(v) for v in values], np.int32)
    schema = Schema((*people.schema.attributes, attribute))
    table = Table(schema, {**people.columns, view.about.name: codes}, people.n_rows)
    try:
        made = sanitizer.sanitize(table, np.random.default_rng(0)).release
    except InfeasibleError:
        return False
    return _read(made, view.about.name) == published


# --- complete list of people


Profile = tuple[str | None, ...]
"""What is known of a person, as text; None where nothing is."""


def _publishes_each_person(published: _PublishedRelease) -> bool:
    """Whether each line is one person's own values."""
    cells = [cell for line in published.lines for cell in line]
    own = all(len(c.pieces) <= 1 and not (c.pieces and (c.anything or c.missing or c.pieces[0][0] != c.pieces[0][1]))
              for c in cells)  # fmt: skip
    return own and len(published.lines) == sum(len(group) for group in published.groups)


def _learned_posteriors_of_list(
    view: View, published: _PublishedRelease, priors: Sequence[dict[str, Fraction]], alpha: Fraction, model: Model
) -> list[list[Fraction]]:
    everywhere = _everywhere([published])
    values = list(dict.fromkeys([*priors[0], *everywhere]))
    profiles = [_profile(view, person) for person in range(len(priors))]
    ways = _placings(view, published)
    if not ways:
        raise ValueError("the people listed cannot fill the groups")
    total: list[Counter[str]] = [Counter() for _ in priors]
    by_group = [[[p for p, at in enumerate(way) if at == g] for g in range(len(published.groups))] for way in ways]
    for members in by_group:
        alike = tuple(tuple(sorted((profiles[p] for p in group), key=str)) for group in members)
        kinds = _kinds(view, [profile for group in alike for profile in group])
        chance = _values_of(published, alike, tuple(values), alpha, model, kinds)
        for g, group in enumerate(members):
            for p in group:
                for v in values:
                    total[p][v] += chance[g, profiles[p]][v]  # type: ignore[assignment]
    return [_reweighted({v: Fraction(total[p][v]) for v in prior}, prior, everywhere) for p, prior in enumerate(priors)]


def _values_of(
    published: _PublishedRelease, members: tuple[tuple[Profile, ...], ...], values: Listed, alpha: Fraction,
    model: Model, kinds: tuple[int, ...],
) -> dict[tuple[int, Profile], dict[str, Fraction]]:  # fmt: skip
    """Return the probability, up to a factor, of each value for each profile in each group."""
    key = (tuple(published.groups), members, values, alpha, model, kinds)
    if key not in _solved:
        rows = [(g, profile) for g, group in enumerate(members) for profile in group]
        held: dict[tuple[int, Profile], dict[str, Fraction]] = {row: dict.fromkeys(values, Fraction(0)) for row in rows}
        for world in _worlds(published.groups, values):
            given = [v for group in world for v in group]
            table = [(profile, v) for (_, profile), v in zip(rows, given, strict=True)]
            joint = model == "joint"
            weight = _joint_weight(table, values, kinds) if joint else _bayes_weight(table, values, kinds, alpha)
            for row, v in zip(rows, given, strict=True):
                held[row][v] += weight / rows.count(row)
        _solved[key] = held
    return _solved[key]


_solved: dict[Any, dict[tuple[int, Profile], dict[str, Fraction]]] = {}
"""Solved problems by content: several placings of people with equal profiles are one problem."""


def _placings(view: View, published: _PublishedRelease) -> list[tuple[int, ...]]:
    """List every way to put people into groups, as many as each has: their groups, -1 for none."""
    n = view.knowledge.people.n_rows
    spare = n - sum(len(group) for group in published.groups)
    placings: list[tuple[int, ...]] = []

    def seat(person: int, free: tuple[Fraction, ...], spare: int, so_far: tuple[int, ...]) -> None:
        if person == n:
            placings.append(so_far)
            return
        for line in _lines_for(view, published, person):
            if free[line] >= 1:
                left = (*free[:line], free[line] - 1, *free[line + 1 :])
                seat(person + 1, left, spare, (*so_far, published.group_of[line]))
        if spare and (view.knowledge.located is None or view.knowledge.located[0].group[person] < 0):
            seat(person + 1, free, spare - 1, (*so_far, -1))

    if spare >= 0:
        seat(0, tuple(published.people), spare, ())
    return list(dict.fromkeys(placings))


def _lines_for(view: View, published: _PublishedRelease, person: int) -> list[int]:
    """List the lines that may be about a person: those of a known group, else those that fit."""
    group = -1 if view.knowledge.located is None else int(view.knowledge.located[0].group[person])
    if group >= 0:
        return [line for line, g in enumerate(published.group_of) if g == group]
    people = view.knowledge.people
    excluded = any(str(a.missing) == "exclude" and bool(people.missing(a.name)[person]) for a in people.schema)
    if group == -2 or excluded:
        return []
    place = _coordinates(view, 0, person)
    return [i for i, line in enumerate(published.lines) if all(c.holds(x) for c, x in zip(line, place, strict=True))]


def _profile(view: View, person: int) -> Profile:
    """Return what is known of a person in each column of the release."""
    people = view.knowledge.people
    result: list[str | None] = []
    for cells in view.releases[0].masked.cells:  # type: ignore[attr-defined]
        theirs = cells.attribute
        if theirs.name not in people.schema.names:
            result.append(None)
            continue
        x = float(people.columns[theirs.name][person])
        listed: Any = getattr(people.schema[theirs.name].domain, "values", None)
        if isnan(x) or (listed is not None and x < 0):
            result.append(None if str(theirs.missing) == "wildcard" else "")
        else:
            result.append(listed[int(x)] if listed is not None else f"{x:g}")
    return tuple(result)


def _kinds(view: View, profiles: Sequence[Profile]) -> tuple[int, ...]:
    """Return how many different values each column may have: those listed, or those of these people."""
    result = []
    for i, cells in enumerate(view.releases[0].masked.cells):  # type: ignore[attr-defined]
        present = {profile[i] for profile in profiles}
        listed = set(getattr(cells.attribute.domain, "values", ()))
        result.append(max(len(present), len(listed | (present - {None, ""})) if listed else 0))
    return tuple(result)


def _worlds(groups: Sequence[Listed], values: Sequence[str]) -> Iterator[tuple[Listed, ...]]:
    """List every way to give the members of all groups their values; unpublished ones may be any."""
    filled = []
    for group in groups:
        free = group.count(FREE)
        known = group[: len(group) - free]
        filled.append([world for extra in _multisets(values, free) for world in arrangements((*known, *extra))
                       ] if free else list(arrangements(group)))  # fmt: skip
    yield from product(*filled)


def _multisets(values: Sequence[str], n: int) -> list[tuple[str, ...]]:
    return sorted({tuple(sorted(chosen)) for chosen in product(values, repeat=n)})


def _rising(a: Fraction, n: int) -> Fraction:
    return prod((a + i for i in range(n)), start=ONE)


def _dirichlet(counts: Sequence[int], kinds: int, alpha: Fraction) -> Fraction:
    """Return the probability of draws from an unknown distribution over some kinds, in a given order."""
    return prod((_rising(alpha, n) for n in counts), start=ONE) / _rising(alpha * kinds, sum(counts))


def _bayes_weight(
    rows: Sequence[tuple[tuple[_Cell | str | None, ...], str]],
    values: Sequence[str],
    kinds: Sequence[int],
    alpha: Fraction,
) -> Fraction:
    """Return the probability of a table under Naive Bayes with unknown parameters."""
    weight = _dirichlet(list(Counter(v for _, v in rows).values()), len(values), ONE)
    for i, n in enumerate(kinds):
        for value in values:
            counts_of_value = Counter(line[i] for line, v in rows if v == value and line[i] is not None)
            weight *= _dirichlet(list(counts_of_value.values()), n, alpha)
    return weight


def _joint_weight(
    rows: Sequence[tuple[tuple[_Cell | str | None, ...], str]], values: Sequence[str], kinds: Sequence[int]
) -> Fraction:
    """Return the probability of a table whose cells (profile, value) all have unknown probabilities."""
    return _dirichlet(list(Counter(rows).values()), prod(kinds) * len(values), ONE)
