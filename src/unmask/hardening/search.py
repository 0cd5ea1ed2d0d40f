"""The search: many candidates on a small sample, few on the whole table."""

from __future__ import annotations

import contextvars
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

import numpy as np

from unmask.arrays import Int64
from unmask.auditing.policy import Verdict
from unmask.errors import InvalidInputError
from unmask.hardening.candidates import Candidate, variants
from unmask.hardening.evaluated import Evaluated
from unmask.number_format import numeral
from unmask.people_counts import repeats
from unmask.runtime import work
from unmask.table import Table
from unmask.wording import message

SMALL = 2_000
"""Rows of the smallest sample; a table of at most twice as many is attacked whole."""

LARGER = 16_000
"""The most rows of the second sample."""

FACTOR = 4
"""The second sample has one in so many rows, and at least one in so many candidates is attacked on it."""

SECOND = 8
"""The fewest candidates that are attacked on the second sample."""

FINALISTS = 4
"""The fewest candidates that are attacked and repaired on the whole table."""

OTHERS = 2
"""The candidates of other sanitizers that are attacked there as well."""

BEAM = 3
"""The candidates of which variants with one more changed column are tried."""

GENERATIONS = 2
"""How often variants of the best are tried."""

SHARES = (0.45, 0.8)
"""The shares of the budget after which no sample, and no finalist, is begun."""

PLENTIFUL = 0.6
"""The share of the budget after which nothing is begun only to lose less than what passes already."""

GiveUp = Callable[[], bool]
"""Whether a long evaluation is to be given up."""

Evaluate = Callable[[Candidate, int, GiveUp], Evaluated]
"""Evaluate a candidate on a sample of so many rows; without a repair if that was given up."""


@dataclass(frozen=True, slots=True)
class TimeBudget:
    """The time for a search; it decides how many candidates are tried, and nothing else."""

    seconds: float
    clock: Callable[[], float] = time.monotonic
    began: float = field(default=0.0)

    @classmethod
    def of(cls, minutes: float) -> TimeBudget:
        """Return the budget of a search that begins now.

        Fails
            With `InvalidInputError` for anything but a finite number above 0.
        """
        if not 0 < minutes < math.inf:
            msg = message(
                "budget must be a finite number of minutes above 0; got {minutes}. Write --budget 10",
                minutes=numeral(minutes, "g"),
            )
            raise InvalidInputError(msg)
        return cls(60 * minutes, began=time.monotonic())

    def is_spent(self, share: float) -> bool:
        """Whether a share of the time has passed."""
        return self.clock() - self.began >= share * self.seconds


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
    budget: TimeBudget,
    *,
    jobs: int = 1,
) -> Searched:
    """Evaluate candidates on ever larger samples, of each the best: by error where they pass, else by exposed people.

    On the smallest sample, variants of the best are tried as well. On the whole table, candidates follow in their order
    as long as the budget lasts; the first ones are evaluated in any case. Others follow if none of them passes, or if
    they promise to lose less.
    """
    rungs, runner, tried = sizes(n_rows), _Runner(evaluate, jobs), _Tried()
    here = first
    for size in rungs[:-2]:
        found = tried.add(runner.all(here, size, budget, SHARES[0] / 2), here)
        here = _with_safest(found)[: max(SECOND, len(first) // FACTOR)]
    size, share = rungs[-2:][0], SHARES[0] if len(rungs) > 1 else SHARES[1]
    found = tried.add(runner.all(here, size, budget, share, least=1), here)
    for _ in range(GENERATIONS):
        known = {one.candidate for one in found}
        best = [one.candidate for one in _ranked(found)[:BEAM]]
        new = [one for one in dict.fromkeys(v for c in best for v in variants(c, levels)) if one not in known]
        found += tried.add(runner.all(new, size, budget, share), new)
    if len(rungs) == 1:
        return Searched(tuple(found), (), tried.proposed, tried.is_complete)
    final = _finalists(found, max(FINALISTS, len(found) // FACTOR**2))
    sampled = tuple(tried.evaluated)
    last = tried.add(runner.all(final, rungs[-1], budget, SHARES[1], least=1), final)
    last += _further(sampled, last, rungs[-1], runner, budget, tried)
    return Searched(tuple(last), sampled, tried.proposed, tried.is_complete)


def _further(
    sampled: Sequence[Evaluated],
    last: Sequence[Evaluated],
    size: int,
    runner: _Runner,
    budget: TimeBudget,
    tried: _Tried,
) -> list[Evaluated]:
    """Evaluate further candidates on the whole table.

    Where nothing passes yet, those that expose fewest people on samples come first, until one passes; then, as long as
    time is plentiful, those that promise to lose less than the best that passes.
    """
    known = {one.candidate for one in last}
    on_samples = {one.candidate: one for one in sampled}
    rest = [one for one in _ranked(on_samples.values()) if one.candidate not in known and not one.lacking]
    safest = sorted(rest, key=lambda one: (one.verdict is Verdict.NOT_DECIDED, one.harm))
    found: list[Evaluated] = []
    while True:
        losses = [one.loss for one in (*last, *found) if one.passes]
        open_ = [one for one in rest if one.promise < min(losses)[0]] if losses else safest
        batch = [one.candidate for one in open_ if one.candidate not in known][: runner.jobs]
        here = tried.add(runner.all(batch, size, budget, PLENTIFUL if losses else SHARES[1]), batch)
        if not here:
            return found
        known.update(batch)
        found += here


@dataclass(slots=True)
class _Tried:
    """The evaluations so far, and whether time sufficed for all of them."""

    evaluated: list[Evaluated] = field(default_factory=list)
    candidates: set[Candidate] = field(default_factory=set)
    is_complete: bool = True

    @property
    def proposed(self) -> int:
        """The number of different candidates."""
        return len(self.candidates)

    def add(self, found: list[Evaluated], wanted: Sequence[Candidate]) -> list[Evaluated]:
        """Keep some evaluations, and return them."""
        self.evaluated += found
        self.candidates.update(wanted)
        whole = len(found) == len(wanted) and not any(one.repairs.given_up for one in found)
        self.is_complete = self.is_complete and whole
        return found


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


@dataclass(frozen=True, slots=True)
class _Runner:
    """Evaluates candidates, some at a time."""

    evaluate: Evaluate
    jobs: int

    def all(
        self, candidates: Sequence[Candidate], size: int, budget: TimeBudget, share: float, *, least: int = 0
    ) -> list[Evaluated]:
        """Evaluate candidates in their order until a share of the budget is spent, but `least` in any case.

        A repair that goes on when the whole budget is spent is given up.
        """
        running: dict[Future[Evaluated], int] = {}
        found: dict[int, Evaluated] = {}
        begun = 0
        title = message("attacking candidates on {n} rows", n=numeral(size))
        with work.step(title, len(candidates)) as step, ThreadPoolExecutor(self.jobs) as pool:
            while True:
                while len(running) < self.jobs and begun < len(candidates):
                    if begun >= least and budget.is_spent(share):
                        break
                    context = contextvars.copy_context()
                    one = candidates[begun]
                    running[pool.submit(context.run, self._one, one, size, lambda: budget.is_spent(1.0))] = begun
                    begun += 1
                if not running:
                    break
                for done in wait(running, return_when=FIRST_COMPLETED).done:
                    found[running.pop(done)] = done.result()
                    step.advance()
        return [found[i] for i in sorted(found)]

    def _one(self, candidate: Candidate, size: int, give_up: GiveUp) -> Evaluated:
        with work.unwatched():
            return self.evaluate(candidate, size, give_up)


__all__ = ["Evaluate", "GiveUp", "Searched", "TimeBudget", "sample", "search", "sizes"]
