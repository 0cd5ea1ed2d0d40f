"""Attacks and repairs of candidates within a budget of time, some at a time."""

from __future__ import annotations

import contextvars
import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace

from unmask.auditing.policy import Verdict
from unmask.errors import InvalidInputError, UnmaskError
from unmask.hardening.attacked import ExposureByAttack
from unmask.hardening.candidates import Candidate
from unmask.hardening.evaluated import Evaluated
from unmask.hardening.repair import Repairs
from unmask.number_format import numeral
from unmask.runtime import work
from unmask.wording import message

LONGEST = 0.25
"""The share of the budget after which an evaluation or a repair is given up, so that others have their turn."""

FINISH = 3.0
"""The time that is kept to publish, attack and audit the best anew, in times of the longest attack on the whole table.

That took 1.6 times as long on 101,766 diabetes records, 2.5 times on 100,000 people of ACS.
"""

Evaluate = Callable[[Candidate, int], Evaluated]
"""Publish a candidate on a sample of so many rows, and attack it."""

Repair = Callable[[Evaluated], Evaluated]
"""Repair an evaluated candidate of the whole table, and attack it again; one that needs none, or bears none, stays."""


class OutOfTimeError(UnmaskError):
    """The time for an evaluation is over."""


@dataclass(slots=True)
class TimeBudget:
    """The time for a search; it decides how many candidates are tried, and nothing else."""

    seconds: float
    clock: Callable[[], float] = time.monotonic
    began: float = 0.0
    kept: float = 0.0  # seconds that are kept for the end

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
        """Whether a share of the time has passed, or all but what is kept for the end."""
        return self.clock() - self.began >= min(share * self.seconds, self.seconds - self.kept)

    def keep(self, seconds: float) -> None:
        """Keep at least so much for the end, at most a share of the budget."""
        self.kept = max(self.kept, min(seconds, LONGEST * self.seconds))


def may_be_repaired(one: Evaluated) -> bool:
    """Whether a repair may make a release pass: too many people are exposed, which ones is known, and that is all."""
    is_helpless = one.lacking or one.too_many_left_out or one.repairs.given_up
    return one.verdict is Verdict.BROKEN and not is_helpless and 0 < one.most < math.inf


@dataclass(frozen=True, slots=True)
class _Task:
    """An evaluation that is to be made, and what stands for it where its time is over."""

    run: Callable[[], Evaluated]
    instead: Evaluated


@dataclass(slots=True)
class CandidateRuns:
    """Attacks and repairs candidates, some at a time, and remembers what was tried."""

    evaluate: Evaluate
    repair: Repair
    budget: TimeBudget
    jobs: int
    n_rows: int
    evaluated: list[Evaluated] = field(default_factory=list)
    candidates: set[Candidate] = field(default_factory=set)
    is_complete: bool = True

    def attacked(self, candidates: Sequence[Candidate], size: int, share: float, *, least: int = 0) -> list[Evaluated]:
        """Attack candidates on so many rows, in order until a share of the budget is spent, but `least` always."""
        self.candidates.update(candidates)
        return self._all([self._attack(one, size) for one in candidates], size, share, least)

    def repaired(self, evaluated: Sequence[Evaluated], share: float) -> list[Evaluated]:
        """Return evaluations, repaired where they are broken, until a share of the budget is spent."""
        broken = [one for one in evaluated if may_be_repaired(one)]
        found = {one.candidate: one for one in self.both(broken, (), share)}
        return [found.get(one.candidate, one) for one in evaluated]

    def both(self, repairs: Sequence[Evaluated], attacks: Sequence[Candidate], share: float) -> list[Evaluated]:
        """Repair some and attack others on the whole table."""
        self.candidates.update(attacks)
        tasks = [self._repair(one) for one in repairs] + [self._attack(one, self.n_rows) for one in attacks]
        return self._all(tasks, self.n_rows, share, 0) if tasks else []

    def _attack(self, candidate: Candidate, size: int) -> _Task:
        def run() -> Evaluated:
            began = self.budget.clock()
            found = self.evaluate(candidate, size)
            if size == self.n_rows:
                self.budget.keep(FINISH * (self.budget.clock() - began))
            return found

        return _Task(run, given_up(candidate, size))

    def _repair(self, one: Evaluated) -> _Task:
        return _Task(lambda: self.repair(one), replace(one, repairs=Repairs(given_up=True)))

    def _all(self, tasks: Sequence[_Task], size: int, share: float, least: int) -> list[Evaluated]:
        """Do tasks in their order until a share of the budget is spent, but `least` in any case.

        What still runs when the whole budget is spent is given up, and so is what takes much of it alone.
        """
        running: dict[Future[Evaluated], int] = {}
        found: dict[int, Evaluated] = {}
        begun = 0
        title = message("attacking candidates on {n} rows", n=numeral(size))
        with work.step(title, len(tasks)) as step, ThreadPoolExecutor(self.jobs) as pool:
            while True:
                while len(running) < self.jobs and begun < len(tasks):
                    if begun >= least and self.budget.is_spent(share):
                        break
                    context = contextvars.copy_context()
                    running[pool.submit(context.run, self._one, tasks[begun])] = begun
                    begun += 1
                if not running:
                    break
                for done in wait(running, return_when=FIRST_COMPLETED).done:
                    found[running.pop(done)] = done.result()
                    step.advance()
        result = [found[i] for i in sorted(found)]
        self.evaluated += result
        whole = begun == len(tasks) and not any(one.repairs.given_up for one in result)
        self.is_complete = self.is_complete and whole
        return result

    def _one(self, task: _Task) -> Evaluated:
        last = self.budget.clock() + LONGEST * self.budget.seconds
        with work.watched(_Deadline(lambda: self.budget.is_spent(1.0) or self.budget.clock() >= last)):
            try:
                return task.run()
            except OutOfTimeError:
                return task.instead


def given_up(candidate: Candidate, size: int) -> Evaluated:
    """Return the evaluation of a candidate whose attacks were given up."""
    why = message("its attacks took too long for the budget")
    unknown = ExposureByAttack("", "", None, size, why)
    return Evaluated(candidate, size, Verdict.NOT_DECIDED, (why,), (unknown,), repairs=Repairs(given_up=True))


@dataclass(frozen=True, slots=True)
class _Deadline:
    """Stops work that reports its progress, once the time for it is over."""

    is_over: Callable[[], bool]

    def began(self, step: work.Step) -> None:
        """Begin nothing once the time is over."""
        self.advanced(step)

    def advanced(self, step: work.Step) -> None:
        """Fail with `OutOfTimeError` once the time is over."""
        if self.is_over():
            raise OutOfTimeError(message("{step} took too long for the budget", step=step.title))

    def ended(self, step: work.Step) -> None:
        """Let be done what is done."""


__all__ = ["CandidateRuns", "Evaluate", "OutOfTimeError", "Repair", "TimeBudget", "may_be_repaired"]
