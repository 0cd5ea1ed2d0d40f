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
from unmask.decision_risk.selection import RULES, SHARED, Case, Choice, Name, any_of, chosen_by, kept_always
from unmask.decision_risk.subsets import tabulated, work_of
from unmask.decision_risk.upper_bound import Bound, Growth, as_it_grows, upper_bound
from unmask.errors import InvalidInputError
from unmask.runtime import work

BESIDE = 2e9
"""So much work, in nanoseconds, the least risk may be beside that of MinRisk."""


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """What everything that is disclosed costs against one dictionary."""

    entries: int
    risk: Risk
    withheld: Float64  # (attributes,) the risk if each were withheld of all records
    growth: Growth  # what is expected against larger dictionaries
    bound: Bound  # of whatever larger dictionary tells no more, as far as that depends on this one
    bounds: tuple[tuple[str, Bound], ...]  # of each other dictionary that was given


@dataclass(frozen=True, slots=True, eq=False)
class Disclosing:
    """What a disclosure costs now, and what a rule would make of it."""

    names: tuple[str, ...]  # (attributes,)
    held: tuple[Held, ...]
    prior: Float64  # (dictionaries,)
    everything: Choice
    best: Choice | None = None
    least: Choice | None = None  # where the rule does not promise the least risk: what that is, if it could be sought
    random: Choice | None = None  # any k of each record
    curve: tuple[tuple[Choice, Choice], ...] = ()  # for each number of attributes: by the rule, and any

    @property
    def worst(self) -> Held:
        """The dictionary under which everything costs most."""
        return max(self.held, key=lambda one: one.risk.value)

    @property
    def notes(self) -> tuple[str, ...]:
        """What to say of the rules, each once."""
        best = self.best
        return () if best is None else best.notes


def disclosing(
    case: Case, *, k: int | None = None, rule: Name | None = None, curve: bool = False, always: Sequence[str] = ()
) -> Disclosing:
    """Say what disclosing everything costs, and what it would cost to disclose k attributes of each record.

    Without a name, the rule is the best there is: `exact` for one dictionary, `bayes` for several. All but `bayes` and
    `minimax` look at one: the dictionary under which everything costs most. `total` and `per-attribute` disclose k
    attributes of a record on average. Attributes that are disclosed `always` are among the k of each.

    Fails
        With `InvalidInputError` for a rule that there is not, for k above the number of attributes or below that of
        those which are always disclosed, and where a rule cannot promise these.
    """
    name: Name = rule or ("exact" if len(case.parts) == 1 else "bayes")
    if name not in RULES:
        raise InvalidInputError.unknown_name("rule", name, RULES)
    if k is not None:
        require_k(k, case.parts[0])
    always = kept_always(always, k, name, case.parts[0])
    beside = k is not None and name == "min-risk" and len(case.parts) == 1 and _is_quick(case.parts[0], k)
    tried = [] if k is None or (name == "min-risk" and not beside) else [k]
    sizes = range(len(case.parts[0].names) + 1) if curve or (tried and name in SHARED) else tried
    case = replace(case, parts=tuple(tabulated(part, sizes) for part in case.parts))
    everything = case.everything()
    held = []
    with work.step("withholding each attribute", len(case.parts)) as step:
        for i in range(len(case.parts)):
            held.append(_held(case, i, everything))
            step.advance()
    found = Disclosing(case.parts[0].names, tuple(held), case.prior, everything)
    m, worst = len(found.names), found.held.index(found.worst)
    best = least = any_k = None
    if k is not None:
        best, any_k = chosen_by(name, case, k, worst, always), any_of(case, k, always)
        if beside:
            least = chosen_by("exact", case, k, worst, always)
    points = tuple(
        (best, any_k)
        if best is not None and any_k is not None and k == size
        else (chosen_by(name, case, size, worst, always), any_of(case, size, always))
        for size in (range(len(always), m + 1) if curve else ())
    )
    return replace(found, best=best, least=least, random=any_k, curve=points)


def _is_quick(part: Consistency, k: int) -> bool:
    """Say whether all sets of k attributes are soon tried."""
    return comb(len(part.names), k) <= Exact(k).most and work_of(part, k) <= BESIDE


def _held(case: Case, i: int, everything: Choice) -> Held:
    part, mine = case.parts[i], case.dictionaries[i]
    own = upper_bound(part, mine, mine, case.sensitivity)
    others = [
        (theirs.name, upper_bound(part, mine, theirs, case.sensitivity))
        for j, theirs in enumerate(case.dictionaries)
        if j != i
    ]
    return Held(
        mine.n,
        everything.risks[i],
        withheld(part, case.sensitivity, everything.disclosed),
        as_it_grows(part, case.sensitivity, everything.disclosed),
        Bound(tuple(dict.fromkeys(own.fails))),
        tuple(others),
    )
