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
from unmask.risk.rule import Rule, must, require_k
from unmask.risk.rules.bayes import Bayes
from unmask.risk.rules.exact import Exact
from unmask.risk.rules.min_risk import MinRisk
from unmask.risk.rules.minimax import Minimax, MinimaxRule
from unmask.risk.rules.per_attribute import PerAttribute
from unmask.risk.rules.random import Random
from unmask.risk.rules.total import Total
from unmask.risk.sensitivity import Sensitivity
from unmask.risk.subsets import tabulated, work_of
from unmask.risk.upper_bound import Bound, Growth, as_it_grows, upper_bound
from unmask.streams import stream

Name = Literal["min-risk", "exact", "bayes", "minimax", "total", "per-attribute"]
RULES: tuple[Name, ...] = ("min-risk", "exact", "bayes", "minimax", "total", "per-attribute")

SHARED: tuple[Name, ...] = ("total", "per-attribute")
"""These show k values of a record on average, and not of each."""

OF_ONE: tuple[Name, ...] = ("min-risk", "exact", *SHARED)
"""These look at one dictionary."""

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
    always: tuple[str, ...] = ()  # attributes that are disclosed in any case, among the k
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
    always = _kept_always(always, k, name, case.parts[0])
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
        best, any_k = _chosen(case, name, k, worst, always), _any(case, k, always)
        if beside:
            least = _chosen(case, "exact", k, worst, always)
    points = tuple(
        (best, any_k)
        if best is not None and any_k is not None and k == size
        else (_chosen(case, name, size, worst, always), _any(case, size, always))
        for size in (range(len(always), m + 1) if curve else ())
    )
    return replace(found, best=best, least=least, random=any_k, curve=points)


def _kept_always(always: Sequence[str], k: int | None, name: Name, part: Consistency) -> tuple[str, ...]:
    """Return the attributes that are disclosed in any case, each once; fail where nothing could come of it."""
    wanted = tuple(dict.fromkeys(always))
    if not wanted:
        return ()
    if k is None:
        msg = "attributes that are always disclosed must be among some that are chosen. Say how many: --disclose K"
        raise InvalidInputError(msg)
    if name in SHARED:
        msg = f"rule {name} must be free to show nothing of a record; got attributes that are always disclosed"
        raise InvalidInputError(msg)
    must(wanted, k, part)
    return wanted


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


def _chosen(case: Case, name: Name, k: int, worst: int, always: tuple[str, ...]) -> Choice:
    with work.step(f"choosing {k} of {len(case.parts[0].names)} attributes"):
        if name == "minimax":
            game = Minimax(k, always=always).choose(case.parts, case.sensitivity)
            choice = case.choice(name, k, game.rule)
            floor: Floor | None = Floor("worst", None, choice.worst.value, game.bound)
            return replace(choice, always=always, floor=floor, game=game)
        if name in SHARED:
            return _shared(case, name, k, worst)
        part = case.parts[worst]
        one: Callable[[], Rule] = {
            "min-risk": lambda: MinRisk(k, always=always).choose(part, case.sensitivity),
            "exact": lambda: Exact(k, always=always).choose(part, case.sensitivity),
            "bayes": lambda: Bayes(k, always=always).choose(case.parts, case.prior.tolist(), case.sensitivity),
        }[name]
        chosen = one()
    choice, floor = case.choice(name, k, chosen), None
    if name == "bayes":  # all sets are tried: what it reaches is the least
        floor = Floor("average", None, choice.average, choice.average)
    elif chosen.gap is not None:
        floor = Floor.of_records(choice.risks[worst], chosen.gap)
    return replace(choice, always=always, floor=floor)


def _shared(case: Case, name: Name, k: int, worst: int) -> Choice:
    """Share out as many values as k of each record would be: to whichever records, or the same of each attribute."""
    part = case.parts[worst]
    (n, m), there = part.available.shape, int(part.available.sum())
    if name == "total":
        each = min(k * n, there)
        found = Total(each).choose(part, case.sensitivity)
        told = f"total shows {each:,} values in all: {k} of each record on average, as far as there are so many"
    else:
        each = k * n // m
        found = PerAttribute(each).choose(part, case.sensitivity)
        told = f"per-attribute shows {each:,} values of each attribute: {k} of each record on average"
    rule = replace(found.rule, notes=(told, *found.rule.notes))
    floor = Floor("risk", part.dictionary, found.value, found.bound)
    return replace(case.choice(name, k, rule), floor=floor)


def _any(case: Case, k: int, always: tuple[str, ...]) -> Choice:
    """Draw any k: one draw for all dictionaries, always the same one, so that a report says the same twice."""
    drawn = Random(k, always=always).choose(case.parts[0], stream(0, "risk", "any", str(k)))
    return replace(case.choice("random", k, drawn), always=always)
