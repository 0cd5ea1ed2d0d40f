"""Assessment of a disclosure: its risk against each possible dictionary, and what a rule would save."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import comb

from unmask.arrays import Float64
from unmask.decision_risk.consistency import Consistency
from unmask.decision_risk.disclosure_risk import Risk, withheld
from unmask.decision_risk.rule import require_k
from unmask.decision_risk.rules.exact import Exact
from unmask.decision_risk.selection import (
    RULES,
    SHARED,
    DecisionProblem,
    JudgedRule,
    Name,
    any_of,
    chosen_by,
    kept_always,
)
from unmask.decision_risk.subsets import tabulated, work_of
from unmask.decision_risk.upper_bound import Bound, Growth, as_it_grows, upper_bound
from unmask.errors import InvalidInputError
from unmask.runtime import work
from unmask.wording import message

BESIDE = 2e9
"""Most work, in nanoseconds, for computing the least risk beside that of MinRisk."""


@dataclass(frozen=True, slots=True, eq=False)
class DictionaryRisk:
    """The risk of disclosing everything against one dictionary."""

    entries: int
    risk: Risk
    withheld: Float64  # (attributes,) the risk if each is withheld of all records
    growth: Growth  # the expected risk against larger dictionaries
    bound: Bound  # for larger dictionaries without further values: the conditions on this one
    bounds: tuple[tuple[str, Bound], ...]  # for each other given dictionary


@dataclass(frozen=True, slots=True, eq=False)
class DisclosureAssessment:
    """The risk of disclosing everything, and of the disclosure that a rule chooses."""

    names: tuple[str, ...]  # (attributes,)
    held: tuple[DictionaryRisk, ...]
    prior: Float64  # (dictionaries,)
    everything: JudgedRule
    best: JudgedRule | None = None
    least: JudgedRule | None = None  # the least risk, if the rule does not guarantee it and the search is short
    random: JudgedRule | None = None  # any k of each record
    curve: tuple[tuple[JudgedRule, JudgedRule], ...] = ()  # for each number of attributes: by the rule, and at random

    @property
    def worst(self) -> DictionaryRisk:
        """The dictionary with the largest risk of disclosing everything."""
        return max(self.held, key=lambda one: one.risk.value)

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of the rule."""
        best = self.best
        return () if best is None else best.notes


def disclosing(
    problem: DecisionProblem,
    *,
    k: int | None = None,
    rule: Name | None = None,
    curve: bool = False,
    always: Sequence[str] = (),
) -> DisclosureAssessment:
    """Compute the risk of disclosing everything, and of disclosing k attributes of each record by a rule.

    The default rule is `exact` for one dictionary, `bayes` for several. All rules but `bayes` and `minimax` use one
    dictionary: the one with the largest risk. `total` and `per-attribute` disclose k attributes of a record on
    average. Attributes that are `always` disclosed are among the k of each record.

    Fails
        With `InvalidInputError` for an unknown rule, for k above the number of attributes or below the number of those
        always disclosed, and for a rule that cannot guarantee these.
    """
    name: Name = rule or ("exact" if len(problem.parts) == 1 else "bayes")
    if name not in RULES:
        raise InvalidInputError.unknown_name(message("rule"), name, RULES)
    if k is not None:
        require_k(k, problem.parts[0])
    always = kept_always(always, k, name, problem.parts[0])
    beside = k is not None and name == "min-risk" and len(problem.parts) == 1 and _is_quick(problem.parts[0], k)
    tried = [] if k is None or (name == "min-risk" and not beside) else [k]
    sizes = range(len(problem.parts[0].names) + 1) if curve or (tried and name in SHARED) else tried
    problem = replace(problem, parts=tuple(tabulated(part, sizes) for part in problem.parts))
    everything = problem.everything()
    held = []
    with work.step(message("withholding each attribute"), len(problem.parts)) as step:
        for i in range(len(problem.parts)):
            held.append(_held(problem, i, everything))
            step.advance()
    found = DisclosureAssessment(problem.parts[0].names, tuple(held), problem.prior, everything)
    m, worst = len(found.names), found.held.index(found.worst)
    best = least = any_k = None
    if k is not None:
        best, any_k = chosen_by(name, problem, k, worst, always), any_of(problem, k, always)
        if beside:
            least = chosen_by("exact", problem, k, worst, always)
    points = tuple(
        (best, any_k)
        if best is not None and any_k is not None and k == size
        else (chosen_by(name, problem, size, worst, always), any_of(problem, size, always))
        for size in (range(len(always), m + 1) if curve else ())
    )
    return replace(found, best=best, least=least, random=any_k, curve=points)


def _is_quick(part: Consistency, k: int) -> bool:
    """Whether trying all sets of k attributes is quick."""
    return comb(len(part.names), k) <= Exact(k).most and work_of(part, k) <= BESIDE


def _held(problem: DecisionProblem, i: int, everything: JudgedRule) -> DictionaryRisk:
    part, mine = problem.parts[i], problem.dictionaries[i]
    own = upper_bound(part, mine, mine, problem.sensitivity)
    others = [
        (theirs.name, upper_bound(part, mine, theirs, problem.sensitivity))
        for j, theirs in enumerate(problem.dictionaries)
        if j != i
    ]
    return DictionaryRisk(
        mine.n,
        everything.risks[i],
        withheld(part, problem.sensitivity, everything.disclosed),
        as_it_grows(part, problem.sensitivity, everything.disclosed),
        Bound(tuple(dict.fromkeys(own.fails))),
        tuple(others),
    )
