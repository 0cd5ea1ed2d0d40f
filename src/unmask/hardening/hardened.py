"""The result of hardening: all evaluations, the frontier, and the recommendation in a sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from unmask.auditing.findings import AuditReport
from unmask.auditing.policy import Policy
from unmask.hardening.evaluated import Evaluated
from unmask.hardening.frontier import frontier, nearest, recommended
from unmask.number_format import numeral
from unmask.wording import message


@dataclass(frozen=True, slots=True, eq=False)
class HardenReport:
    """What was tried, what passes, and the audit of the release that is written."""

    policy: Policy
    suppression: float  # the share of people who may be left out
    minutes: float  # the budget
    proposed: int
    sampled: tuple[Evaluated, ...]  # on samples of the table
    final: tuple[Evaluated, ...]  # on the whole table
    is_complete: bool  # not cut short by the budget
    chosen: Evaluated | None = None  # of the release that is written, as it was drawn for that
    audit: AuditReport | None = None  # of that release, by both attackers
    starred: tuple[str, ...] = ()  # columns that are `*` for all in that release
    redrawn: int = 0  # releases that failed when they were drawn anew, and are not written

    @property
    def frontier(self) -> tuple[Evaluated, ...]:
        """The evaluations on the whole table that no other beats in exposed people and error, the safest first."""
        return frontier(self.final)

    @property
    def nearest(self) -> Evaluated | None:
        """Where none passes: the evaluation on the whole table with the fewest exposed people."""
        return None if recommended(self.final) else nearest(self.final)

    @property
    def in_search(self) -> Evaluated | None:
        """The evaluation of the chosen candidate in the search, before it was drawn anew."""
        chosen = None if self.chosen is None else self.chosen.candidate
        return next((one for one in self.final if one.candidate == chosen), None)

    @property
    def tried(self) -> int:
        """The number of candidates that were tried, on samples or on the whole table."""
        return len({one.candidate for one in (*self.sampled, *self.final)})

    @property
    def infeasible(self) -> int:
        """The number of candidates that could not be published, so that none of their releases was attacked."""
        possible = {one.candidate for one in (*self.sampled, *self.final) if not one.infeasible}
        return self.tried - len(possible)

    @property
    def obstacles(self) -> tuple[tuple[str, int], ...]:
        """Why candidates could not be published: each reason with its number of candidates, the most frequent first."""
        found = {one.candidate: one.infeasible for one in (*self.sampled, *self.final) if one.infeasible}
        return tuple(Counter(found.values()).most_common())

    @property
    def is_hopeless(self) -> bool:
        """Whether no candidate can pass, however long the search: a required attack ran on none of them."""
        attacked = [one for one in (*self.sampled, *self.final) if not one.repairs.given_up and not one.infeasible]
        return bool(attacked) and all(one.lacking for one in attacked)

    @property
    def ran_out(self) -> bool:
        """Whether time ended the search before anything that passes was found, and more time may help."""
        return self.chosen is None and not self.is_complete and not self.is_hopeless


def in_words(one: Evaluated) -> Iterator[str]:
    """Yield the parts of an evaluation as text: how it is made, and what was repaired."""
    yield one.candidate.text
    if one.repairs.merged:
        yield message("{n} exposed groups merged with a near one", n=numeral(one.repairs.merged))
    if one.repairs.left_out:
        yield message("{people} of exposed groups left out", people=one.count.unit.counted(one.repairs.left_out))
    if one.repairs.given_up:
        yield message("not repaired, since the time was over")


__all__ = ["HardenReport", "in_words"]
