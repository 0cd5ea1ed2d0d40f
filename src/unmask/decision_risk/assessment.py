"""What it costs to disclose records, against every dictionary that may be held, and what a rule would save."""

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

BESIDE = 2e9
"""So much work, in nanoseconds, the least risk may be beside that of MinRisk."""


@dataclass(frozen=True, slots=True, eq=False)
class DictionaryRisk:
    """What everything that is disclosed costs against one dictionary."""

    entries: int
    risk: Risk
    withheld: Float64  # (attributes,) the risk if each were withheld of all records
    growth: Growth  # what is expected against larger dictionaries
    bound: Bound  # of whatever larger dictionary tells no more, as far as that depends on this one
    bounds: tuple[tuple[str, Bound], ...]  # of each other dictionary that was given


@dataclass(frozen=True, slots=True, eq=False)
class DisclosureAssessment:
    """What a disclosure costs now, and what a rule would make of it."""

    names: tuple[str, ...]  # (attributes,)
    held: tuple[DictionaryRisk, ...]
    prior: Float64  # (dictionaries,)
    everything: JudgedRule
    best: JudgedRule | None = None
    least: JudgedRule | None = (
        None  # where the rule does not promise the least risk: what that is, if it could be sought
    )
    random: JudgedRule | None = None  # any k of each record
    curve: tuple[tuple[JudgedRule, JudgedRule], ...] = ()  # for each number of attributes: by the rule, and any

    @property
    def worst(self) -> DictionaryRisk:
        """The dictionary under which everything costs most."""
        return max(self.held, key=lambda one: one.risk.value)

    @property
    def notes(self) -> tuple[str, ...]:
        """What to say of the rules, each once."""
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
    """Say what disclosing everything costs, and what it would cost to disclose k attributes of each record.

    Without a name, the rule is the best there is: `exact` for one dictionary, `bayes` for several. All but `bayes` and
    `minimax` look at one: the dictionary under which everything costs most. `total` and `per-attribute` disclose k
    attributes of a record on average. Attributes that are disclosed `always` are among the k of each.

    Fails
        With `InvalidInputError` for a rule that there is not, for k above the number of attributes or below that of
        those which are always disclosed, and where a rule cannot promise these.
    """
    name: Name = rule or ("exact" if len(problem.parts) == 1 else "bayes")
    if name not in RULES:
        raise InvalidInputError.unknown_name("rule", name, RULES)
    if k is not None:
        require_k(k, problem.parts[0])
    always = kept_always(always, k, name, problem.parts[0])
    beside = k is not None and name == "min-risk" and len(problem.parts) == 1 and _is_quick(problem.parts[0], k)
    tried = [] if k is None or (name == "min-risk" and not beside) else [k]
    sizes = range(len(problem.parts[0].names) + 1) if curve or (tried and name in SHARED) else tried
    problem = replace(problem, parts=tuple(tabulated(part, sizes) for part in problem.parts))
    everything = problem.everything()
    held = []
    with work.step("withholding each attribute", len(problem.parts)) as step:
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
    """Say whether all sets of k attributes are soon tried."""
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
