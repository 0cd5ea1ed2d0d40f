"""Minimax rule: the least worst-case risk over several dictionaries."""

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
from unmask.number_format import numeral
from unmask.wording import message


@dataclass(frozen=True, slots=True, eq=False)
class MinimaxRule:
    """A rule, its worst-case risk, and a lower bound of the worst-case risk of all rules."""

    rule: DisclosureRule
    worst: float  # max_t R(δ, θ_t)
    bound: float  # no rule has a lower one
    prior: Float64  # (dictionaries,) the least favorable prior
    mixture: tuple[tuple[float, Bool], ...]  # rules with their probabilities
    drawn: Float64  # (dictionaries,) the risk of the mixture, on average over draws

    @property
    def mixed(self) -> float:
        """The worst risk of the mixture; of randomized rules, none has a lower one."""
        return float(self.drawn.max())

    @property
    def drawing_helps(self) -> bool:
        """Whether the mixture has a lower worst-case risk than the deterministic rule."""
        return self.mixed < self.worst * (1 - NEGLIGIBLE)


@dataclass(frozen=True)
class Minimax:
    """Disclose k attributes of each record, minimizing the largest risk over the dictionaries.

    The worst dictionary is the same for all records, so they cannot be optimized separately: a record that is safe
    against the first dictionary compensates for one that is safe against the second. Under a *known* prior they can,
    and the least favorable prior bounds all rules. A randomized rule over a few Bayes rules reaches that bound; a
    deterministic rule may stay above it.

    Assumes
        No prior over dictionaries.
    Promises
        The least of max_t R(δ, θ_t) over rules that disclose k values of each record, to one part in a million: by
        mixed-integer programming, where records × sets are at most `variables`. Beyond, the best rule found stands
        beside the bound. For randomized rules the bound is reached, whatever the number of records.
    Fails
        With `InvalidInputError` where there are more than `most` sets, and for k above the number of attributes. Where
        every choice of some record has infinite loss against some dictionary, worst and bound are infinite.

    References
    ----------
    Lebanon, Scannapieco, Fouad, Bertino. Beyond k-anonymity: a decision theoretic framework for assessing privacy
    risk. Privacy in Statistical Databases 2006, equation 3. Wald. Statistical decision functions. Wiley 1950.
    """

    name: ClassVar[str] = "minimax"
    k: int = 1
    most: int = 10_000  # sets of attributes
    variables: int = 20_000  # of a mixed-integer program
    always: tuple[str, ...] = ()  # always disclosed attributes, among the k

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
            notes += (
                message(
                    "a rule may have a worst risk of {bound}, and this one has {risk}",
                    bound=numeral(found.bound, ".6g"),
                    risk=numeral(found.worst, ".6g"),
                ),
            )
        return MinimaxRule(
            DisclosureRule(choices.disclosed(found.sets), None, notes),
            found.worst,
            found.bound,
            found.prior,
            tuple((share, choices.disclosed(sets)) for share, sets in found.mixture),
            found.drawn,
        )
