"""Minimax: the rule whose worst risk over several dictionaries is least."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import ClassVar

from unmask.arrays import Bool, Float64
from unmask.decision_risk.consistency import Consistency, same_records
from unmask.decision_risk.disclosure_risk import require_shape
from unmask.decision_risk.lower_bound import NEGLIGIBLE
from unmask.decision_risk.rule import DisclosureRule, must, shortness, too_many_sets
from unmask.decision_risk.rules._saddle import Choices, least_worst
from unmask.decision_risk.sensitivity import Sensitivity


@dataclass(frozen=True, slots=True, eq=False)
class MinimaxRule:
    """A rule, its worst risk, and how low the worst risk of any rule could be."""

    rule: DisclosureRule
    worst: float  # max_t R(δ, θ_t)
    bound: float  # no rule has a lower one
    prior: Float64  # (dictionaries,) the least favorable: even who knew it could not do better than the mixture
    mixture: tuple[tuple[float, Bool], ...]  # rules, and how often each is drawn
    drawn: Float64  # (dictionaries,) the risk of the mixture, on average over draws

    @property
    def mixed(self) -> float:
        """The worst risk of the mixture; of randomized rules, none has a lower one."""
        return float(self.drawn.max())

    @property
    def drawing_helps(self) -> bool:
        """Say whether the mixture has a lower worst risk than the single rule."""
        return self.mixed < self.worst * (1 - NEGLIGIBLE)


@dataclass(frozen=True)
class Minimax:
    """Disclose k attributes of each record so that the risk is least against whichever dictionary is worst.

    The worst dictionary is one for all records. So they cannot be looked at one by one: a record that is safe against
    the first dictionary makes up for another that is safe against the second. Against a *known* prior each record can,
    and the prior that makes the best answer worst gives a bound for all rules. Whoever draws among a few best answers
    to it reaches that bound; a single rule may have to stay above it.

    Assumes
        Nothing of which dictionary is held.
    Promises
        The least of max_t R(δ, θ_t) over rules that disclose k values of each record, to one part in a million: by
        mixed-integer programming, where records × sets are at most `variables`. Beyond, the best rule found stands
        beside the bound. For randomized rules the bound is reached, whatever the number of records.
    Fails
        With `InvalidInputError` where there are more than `most` sets, and for k above the number of attributes. Where
        every choice of some record is "never" to some dictionary, worst and bound are infinite.

    References
    ----------
    Lebanon, Scannapieco, Fouad, Bertino. Beyond k-anonymity: a decision theoretic framework for assessing privacy
    risk. Privacy in Statistical Databases 2006, equation 3. Wald. Statistical decision functions. Wiley 1950.
    """

    name: ClassVar[str] = "minimax"
    k: int = 1
    most: int = 10_000  # sets of attributes
    variables: int = 20_000  # of a mixed-integer program
    always: tuple[str, ...] = ()  # attributes that are disclosed in any case, among the k

    def choose(self, parts: Sequence[Consistency], sensitivity: Sensitivity) -> MinimaxRule:
        """Choose k attributes of each record, compared with each dictionary."""
        same_records(parts)
        wanted = must(self.always, self.k, parts[0])
        require_shape(parts[0], sensitivity)
        if comb(len(parts[0].names), self.k) > self.most:
            raise too_many_sets(self.k, len(parts[0].names), self.most)
        choices = Choices.of(parts, sensitivity, self.k, wanted)
        found = least_worst(choices, self.variables)
        notes = shortness(parts[0].available, self.k)
        if found.worst > found.bound * (1 + 1e-6):
            notes += (f"a rule may have a worst risk of {found.bound:.6g}, and this one has {found.worst:.6g}",)
        return MinimaxRule(
            DisclosureRule(choices.disclosed(found.sets), None, notes),
            found.worst,
            found.bound,
            found.prior,
            tuple((share, choices.disclosed(sets)) for share, sets in found.mixture),
            found.drawn,
        )
