"""The search: many candidates on a small sample, few on the whole table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count, zip_longest

import numpy as np

from unmask.arrays import Int64
from unmask.auditing.policy import Verdict
from unmask.hardening.candidate_runs import CandidateRuns, Evaluate, Repair, TimeBudget, may_be_repaired
from unmask.hardening.candidates import Candidate, variants
from unmask.hardening.evaluated import Evaluated
from unmask.people_counts import repeats
from unmask.table import Table

SMALL = 2_000
"""Rows of the smallest sample; a table of at most twice as many is attacked whole."""

LARGER = 16_000
"""The most rows of the second sample."""

FACTOR = 4
"""The second sample has one in so many rows, and at least one in so many candidates is attacked on it."""

SECOND = 8
"""The fewest candidates that are attacked on the second sample."""

WORTH = 2.0
"""The promise on a sample, in errors of the best that passes, of what is attacked on the whole table to lose less.

The same group sizes err less on more people: on NIST's excerpt of Texas half as much as on a quarter of it.
"""

FINALISTS = 4
"""The fewest candidates that are attacked and repaired on the whole table."""

OTHERS = 2
"""The candidates of other sanitizers that are attacked there as well."""

BEAM = 3
"""The candidates of which variants with one more changed column are tried."""

GENERATIONS = 2
"""How often variants of the best are tried."""

SHARES = (0.45, 0.6, 0.8)
"""The shares of the budget after which no sample, no finalist unless nothing passes yet, and no repair is begun."""


@dataclass(frozen=True, slots=True)
class Searched:
    """The evaluations of a search."""

    final: tuple[Evaluated, ...]  # on the whole table
    sampled: tuple[Evaluated, ...]  # on samples
    proposed: int  # candidates that there were
    is_complete: bool  # not cut short by the budget


def sizes(n_rows: int) -> tuple[int, ...]:
    """Return the rows of each sample, and of the whole table at last.

    >>> sizes(500), sizes(30_162), sizes(200_000)
    ((500,), (2000, 7540, 30162), (2000, 16000, 200000))
    """
    if n_rows <= 2 * SMALL:
        return (n_rows,)
    middle = min(n_rows // FACTOR, LARGER)
    return (SMALL, *((middle,) if middle >= 2 * SMALL else ()), n_rows)


def sample(table: Table, size: int, rng: np.random.Generator) -> Int64:
    """Return about so many rows of a table, all of each person drawn, in their order; smaller samples are in larger."""
    if size >= table.n_rows:
        return np.arange(table.n_rows)
    if table.person_of is None or not repeats(table.person_of):
        return np.sort(rng.permutation(table.n_rows)[:size])
    people = np.unique(table.person_of, return_inverse=True)[1]
    place = rng.permutation(int(people.max()) + 1)[people]
    rows = np.argsort(place, kind="stable")
    last = place[rows[min(size, rows.size) - 1]]
    return np.flatnonzero(place <= last)


def search(
    first: Sequence[Candidate],
    levels: Mapping[str, int],
    n_rows: int,
    evaluate: Evaluate,
    repair: Repair,
    budget: TimeBudget,
    *,
    jobs: int = 1,
) -> Searched:
    """Evaluate candidates on ever larger samples, of each the best: by error where they pass, else by exposed people.

    On the last sample, variants of the best are tried as well. On the whole table, finalists are attacked first. Then
    the most promising ones are repaired, and others follow if none of them passes, or if they promise to lose less.
    """
    rungs, runs = sizes(n_rows), CandidateRuns(evaluate, repair, budget, jobs, n_rows)
    here = first
    for size in rungs[:-2]:
        found = runs.attacked(here, size, SHARES[0] / 2)
        here = _with_safest(found)[: max(SECOND, len(first) // FACTOR)]
    is_small = len(rungs) == 1
    size, share = rungs[-2:][0], SHARES[-1] if is_small else SHARES[0]

    def tried(candidates: Sequence[Candidate], least: int = 0) -> list[Evaluated]:
        found = runs.attacked(candidates, size, share, least=least)
        return runs.repaired(found, share) if is_small else found

    found = tried(here, 1)
    for _ in range(GENERATIONS):
        known = {one.candidate for one in found}
        best = [one.candidate for one in _ranked(found)[:BEAM]]
        new = [one for one in dict.fromkeys(v for c in best for v in variants(c, levels)) if one not in known]
        found += tried(new)
    if is_small:
        return Searched(tuple(found), (), len(runs.candidates), runs.is_complete)
    sampled = tuple(runs.evaluated)
    final = tuple(_on_the_whole_table(runs, found, sampled))
    return Searched(final, sampled, len(runs.candidates), runs.is_complete)


def _on_the_whole_table(
    runs: CandidateRuns, last: Sequence[Evaluated], sampled: Sequence[Evaluated]
) -> Iterable[Evaluated]:
    """Attack finalists of the last sample on the whole table; then repair them, and attack others.

    Where nothing passes yet, repairs of those that expose fewest people take turns with those that expose fewest on
    samples. Once something passes, those follow that promise to lose less, as long as time is plentiful.
    """
    finalists = _finalists(last, max(FINALISTS, len(last) // FACTOR**2))
    found = {one.candidate: one for one in runs.attacked(finalists, runs.n_rows, SHARES[1], least=1)}
    on_samples = {one.candidate: one for one in sampled}
    ranked = [one for one in _ranked(on_samples.values()) if not one.lacking]
    mended: set[Candidate] = set()
    turns = count()
    while True:
        loss = min((one.loss[0] for one in found.values() if one.passes), default=math.inf)
        broken = [
            one
            for one in _ranked(found.values())
            if one.candidate not in mended and may_be_repaired(one) and one.loss[0] < loss
        ]
        rest = [one.candidate for one in ranked if one.candidate not in found and one.promise < WORTH * loss]
        if math.isinf(loss):
            rest = [one.candidate for one in sorted(ranked, key=_safety) if one.candidate not in found]
            repairs, attacks = _in_turn(sorted(broken, key=_safety), rest, runs.jobs, next(turns))
        else:
            repairs, attacks = broken[: runs.jobs], [] if broken else rest[: runs.jobs]
        here = runs.both(repairs, attacks, SHARES[-1] if repairs or math.isinf(loss) else SHARES[1])
        if not here:
            return found.values()
        mended.update(one.candidate for one in repairs)
        found |= {one.candidate: one for one in here}


def _safety(one: Evaluated) -> tuple[bool, tuple[float, float]]:
    return one.verdict is Verdict.NOT_DECIDED, one.harm


def _in_turn(
    repairs: Sequence[Evaluated], attacks: Sequence[Candidate], n: int, turn: int
) -> tuple[list[Evaluated], list[Candidate]]:
    """Return the first of both, n in all, one of each in turn; the attacks begin in each second turn."""
    both = (repairs, attacks) if turn % 2 == 0 else (attacks, repairs)
    order = [one for one in chain(*zip_longest(*both)) if one is not None][:n]
    return [one for one in order if isinstance(one, Evaluated)], [one for one in order if isinstance(one, Candidate)]


def _ranked(evaluated: Iterable[Evaluated]) -> list[Evaluated]:
    """Return evaluations by promise; those that no attack can decide, such as a required one, come last."""
    feasible = (one for one in evaluated if not one.infeasible)
    return sorted(feasible, key=lambda one: (one.verdict is Verdict.NOT_DECIDED, one.promise, one.loss[1]))


def _with_safest(evaluated: Sequence[Evaluated]) -> list[Candidate]:
    """Return candidates by promise, but second the one that exposes fewest people.

    A table on which time suffices for two then has a release that is likely to pass, whatever the promise of the
    others comes to. Candidates without a finite promise are left out, unless all are.
    """
    ranked = _ranked(evaluated)
    ranked = [one for one in ranked if math.isfinite(one.promise)] or ranked
    if not ranked:
        return []
    safest = min(ranked, key=lambda one: (one.verdict is Verdict.NOT_DECIDED, one.harm, one.loss))
    return list(dict.fromkeys(one.candidate for one in (ranked[0], safest, *ranked)))


def _finalists(evaluated: Sequence[Evaluated], n: int) -> list[Candidate]:
    """Return the first candidates, and of each other sanitizer the most promising one."""
    order = _with_safest(evaluated)
    first, more = order[:n], dict[str, Candidate]()
    for one in order[n:]:
        if one.sanitizer not in {other.sanitizer for other in first}:
            more.setdefault(one.sanitizer, one)
    return first + list(more.values())[:OTHERS]


__all__ = ["Searched", "sample", "search", "sizes"]
