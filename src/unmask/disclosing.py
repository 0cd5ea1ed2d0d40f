"""What it costs to disclose records, against every dictionary that may be held, and what a rule would save."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import comb
from typing import Literal

from unmask import work
from unmask.arrays import Bool, Float64
from unmask.errors import InvalidInputError
from unmask.risk.consistency import Consistency, same_records
from unmask.risk.dictionary import Dictionary
from unmask.risk.disclosure_risk import Risk, bayes_risk, prior_of, risk, withheld, worst_risk
from unmask.risk.floor import Floor
from unmask.risk.rule import Rule, require_k
from unmask.risk.rules.bayes import Bayes
from unmask.risk.rules.exact import Exact
from unmask.risk.rules.min_risk import MinRisk
from unmask.risk.rules.minimax import Minimax, MinimaxRule
from unmask.risk.rules.random import Random
from unmask.risk.sensitivity import Sensitivity
from unmask.risk.subsets import tabulated, work_of
from unmask.risk.upper_bound import Bound, Growth, as_it_grows, upper_bound
from unmask.streams import stream

Name = Literal["min-risk", "exact", "bayes", "minimax"]
RULES: tuple[Name, ...] = ("min-risk", "exact", "bayes", "minimax")

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
class Choice:
    """A disclosure of k attributes of each record, and what it costs."""

    rule: str
    k: int
    disclosed: Bool  # (records, attributes)
    risks: tuple[Risk, ...]  # against each dictionary
    average: float  # over dictionaries
    notes: tuple[str, ...] = ()
    floor: Floor | None = None  # how low any rule could come; None: nothing is promised
    game: MinimaxRule | None = None  # where the worst risk is made least: what drawing among rules would reach

    @property
    def worst(self) -> Risk:
        """The risk against the dictionary under which it is largest."""
        return worst_risk(self.risks)


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


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """Records, compared with dictionaries, and how bad it is to be found."""

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
    ) -> Case:
        """Put together what belongs together; without probabilities each dictionary is as likely as any other."""
        same_records(parts)
        prior = prior_of([1.0] * len(parts) if probability is None else probability, len(parts))
        return cls(tuple(parts), tuple(dictionaries), sensitivity, prior)

    def choice(self, rule: str, k: int, chosen: Rule) -> Choice:
        """Judge a disclosure against each dictionary."""
        risks = tuple(risk(part, self.sensitivity, chosen.disclosed) for part in self.parts)
        average = bayes_risk(risks, self.prior.tolist())
        return Choice(rule, k, chosen.disclosed & self.parts[0].available, risks, average, chosen.notes)

    def everything(self) -> Choice:
        """Disclose all that there is."""
        available = self.parts[0].available
        return self.choice("everything", available.shape[1], Rule(available))


def disclosing(case: Case, *, k: int | None = None, rule: Name | None = None, curve: bool = False) -> Disclosing:
    """Say what disclosing everything costs, and what it would cost to disclose k attributes of each record.

    Without a name, the rule is the best there is: `exact` for one dictionary, `bayes` for several. `min-risk` and
    `exact` look at one: the dictionary under which everything costs most.

    Fails
        With `InvalidInputError` for a rule that there is not, and for k above the number of attributes.
    """
    name: Name = rule or ("exact" if len(case.parts) == 1 else "bayes")
    if name not in RULES:
        raise InvalidInputError.unknown_name("rule", name, RULES)
    if k is not None:
        require_k(k, case.parts[0])
    beside = k is not None and name == "min-risk" and len(case.parts) == 1 and _is_quick(case.parts[0], k)
    tried = [] if k is None or (name == "min-risk" and not beside) else [k]
    sizes = range(len(case.parts[0].names) + 1) if curve else tried
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
        best, any_k = _chosen(case, name, k, worst), _any(case, k)
        if beside:
            least = _chosen(case, "exact", k, worst)
    points = tuple(
        (best, any_k)
        if best is not None and any_k is not None and k == size
        else (_chosen(case, name, size, worst), _any(case, size))
        for size in (range(m + 1) if curve else ())
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


def _chosen(case: Case, name: Name, k: int, worst: int) -> Choice:
    part, title = case.parts[worst], f"choosing {k} of {len(case.parts[0].names)} attributes"
    if name == "minimax":
        with work.step(title):
            game = Minimax(k).choose(case.parts, case.sensitivity)
        choice = case.choice(name, k, game.rule)
        return replace(choice, floor=Floor("worst", None, choice.worst.value, game.bound), game=game)
    one: Callable[[], Rule] = {
        "min-risk": lambda: MinRisk(k).choose(part, case.sensitivity),
        "exact": lambda: Exact(k).choose(part, case.sensitivity),
        "bayes": lambda: Bayes(k).choose(case.parts, case.prior.tolist(), case.sensitivity),
    }[name]
    with work.step(title):
        chosen = one()
    choice = case.choice(name, k, chosen)
    if chosen.gap is None:
        return choice
    if name == "bayes":  # all sets are tried: what it reaches is the least
        return replace(choice, floor=Floor("average", None, choice.average, choice.average))
    return replace(choice, floor=Floor.of_records(choice.risks[worst], chosen.gap))


def _any(case: Case, k: int) -> Choice:
    """Draw any k: one draw for all dictionaries, always the same one, so that a report says the same twice."""
    return case.choice("random", k, Random(k).choose(case.parts[0], stream(0, "risk", "any", str(k))))
