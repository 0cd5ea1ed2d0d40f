"""Selection of a disclosure by a named rule, and its risk against every dictionary."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from unmask.arrays import Bool, Float64
from unmask.decision_risk.consistency import Consistency, same_records
from unmask.decision_risk.dictionary import Dictionary
from unmask.decision_risk.disclosure_risk import Risk, bayes_risk, prior_of, risk, worst_risk
from unmask.decision_risk.lower_bound import LowerBound
from unmask.decision_risk.rule import DisclosureRule, must
from unmask.decision_risk.rules.bayes import Bayes
from unmask.decision_risk.rules.exact import Exact
from unmask.decision_risk.rules.min_risk import MinRisk
from unmask.decision_risk.rules.minimax import Minimax, MinimaxRule
from unmask.decision_risk.rules.per_attribute import PerAttribute
from unmask.decision_risk.rules.random import Random
from unmask.decision_risk.rules.total import Total
from unmask.decision_risk.sensitivity import Sensitivity
from unmask.errors import InvalidInputError
from unmask.number_format import numeral
from unmask.runtime import work
from unmask.runtime.streams import stream
from unmask.wording import message

Name = Literal["min-risk", "exact", "bayes", "minimax", "total", "per-attribute"]
RULES: tuple[Name, ...] = ("min-risk", "exact", "bayes", "minimax", "total", "per-attribute")

SHARED: tuple[Name, ...] = ("total", "per-attribute")
"""Rules that disclose k values of a record on average."""

OF_ONE: tuple[Name, ...] = ("min-risk", "exact", *SHARED)
"""Rules for one dictionary."""


@dataclass(frozen=True, slots=True, eq=False)
class JudgedRule:
    """A disclosure of k attributes of each record, and its risks."""

    rule: str
    k: int
    disclosed: Bool  # (records, attributes)
    risks: tuple[Risk, ...]  # against each dictionary
    average: float  # over dictionaries
    notes: tuple[str, ...] = ()
    always: tuple[str, ...] = ()  # always disclosed attributes, among the k
    floor: LowerBound | None = None  # lower bound over all rules; None: no guarantee
    game: MinimaxRule | None = None  # of minimax: the solution of the game, with the randomized rule

    @property
    def worst(self) -> Risk:
        """The largest risk over dictionaries."""
        return worst_risk(self.risks)


@dataclass(frozen=True, slots=True, eq=False)
class DecisionProblem:
    """Records compared with dictionaries, the harm of identification, and a prior over dictionaries."""

    parts: tuple[Consistency, ...]
    dictionaries: tuple[Dictionary, ...]
    sensitivity: Sensitivity
    prior: Float64

    @classmethod
    def of(
        cls,
        parts: Sequence[Consistency],
        dictionaries: Sequence[Dictionary],
        sensitivity: Sensitivity,
        probability: Sequence[float] | None = None,
    ) -> DecisionProblem:
        """Combine the parts of a problem; the default prior is uniform."""
        same_records(parts)
        prior = prior_of([1.0] * len(parts) if probability is None else probability, len(parts))
        return cls(tuple(parts), tuple(dictionaries), sensitivity, prior)

    def choice(self, rule: str, k: int, chosen: DisclosureRule) -> JudgedRule:
        """Compute the risks of a disclosure against each dictionary."""
        risks = tuple(risk(part, self.sensitivity, chosen.disclosed) for part in self.parts)
        average = bayes_risk(risks, self.prior.tolist())
        return JudgedRule(rule, k, chosen.disclosed & self.parts[0].available, risks, average, chosen.notes)

    def everything(self) -> JudgedRule:
        """Return the disclosure of all values."""
        available = self.parts[0].available
        return self.choice("everything", available.shape[1], DisclosureRule(available))


def kept_always(always: Sequence[str], k: int | None, name: Name, part: Consistency) -> tuple[str, ...]:
    """Return the distinct always disclosed attributes; raise an error if the rule does not allow them."""
    wanted = tuple(dict.fromkeys(always))
    if not wanted:
        return ()
    if k is None:
        msg = message(
            "attributes that are always disclosed must be among some that are chosen. Say how many: --disclose K"
        )
        raise InvalidInputError(msg)
    if name in SHARED:
        msg = message(
            "rule {name} must be free to show nothing of a record; got attributes that are always disclosed", name=name
        )
        raise InvalidInputError(msg)
    must(wanted, k, part)
    return wanted


def chosen_by(name: Name, problem: DecisionProblem, k: int, worst: int, always: tuple[str, ...]) -> JudgedRule:
    """Choose k attributes of each record by a rule; `worst` is the dictionary of rules that use one."""
    with work.step(message("choosing {k} of {n} attributes", k=k, n=len(problem.parts[0].names))):
        if name == "minimax":
            game = Minimax(k, always=always).choose(problem.parts, problem.sensitivity)
            choice = problem.choice(name, k, game.rule)
            floor: LowerBound | None = LowerBound("worst", None, choice.worst.value, game.bound)
            return replace(choice, always=always, floor=floor, game=game)
        if name in SHARED:
            return _shared(problem, name, k, worst)
        part = problem.parts[worst]
        one: Callable[[], DisclosureRule] = {
            "min-risk": lambda: MinRisk(k, always=always).choose(part, problem.sensitivity),
            "exact": lambda: Exact(k, always=always).choose(part, problem.sensitivity),
            "bayes": lambda: Bayes(k, always=always).choose(problem.parts, problem.prior.tolist(), problem.sensitivity),
        }[name]
        chosen = one()
    choice, floor = problem.choice(name, k, chosen), None
    if name == "bayes":  # exhaustive search: the result is optimal
        floor = LowerBound("average", None, choice.average, choice.average)
    elif chosen.gap is not None:
        floor = LowerBound.of_records(choice.risks[worst], chosen.gap)
    return replace(choice, always=always, floor=floor)


def _shared(problem: DecisionProblem, name: Name, k: int, worst: int) -> JudgedRule:
    """Allocate k values for each record on average, over all records or equally over attributes."""
    part = problem.parts[worst]
    (n, m), there = part.available.shape, int(part.available.sum())
    if name == "total":
        each = min(k * n, there)
        found = Total(each).choose(part, problem.sensitivity)
        note = message(
            "total shows {n} values in all: {k} of each record on average, as far as there are so many",
            n=numeral(each),
            k=k,
        )
    else:
        each = k * n // m
        found = PerAttribute(each).choose(part, problem.sensitivity)
        note = message(
            "per-attribute shows {n} values of each attribute: about {k} of each record on average",
            n=numeral(each),
            k=k,
        )
    rule = replace(found.rule, notes=(note, *found.rule.notes))
    floor = LowerBound("risk", part.dictionary, found.value, found.bound)
    return replace(problem.choice(name, k, rule), floor=floor)


def any_of(problem: DecisionProblem, k: int, always: tuple[str, ...]) -> JudgedRule:
    """Draw k random attributes with a fixed seed: the same draw for all dictionaries and reports."""
    drawn = Random(k, always=always).choose(problem.parts[0], stream(0, "risk", "any", str(k)))
    return replace(problem.choice("random", k, drawn), always=always)
