"""Learned minimality attack: the closing rule of greedy grouping, combined with the deFinetti attack."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from unmask import catalog
from unmask.arrays import Float64, Int32, Ragged
from unmask.attacks.definetti import attack as definetti
from unmask.attacks.definetti.attack import QUICK, DeFinetti, Tier, without_own
from unmask.attacks.definetti.fixed_point import FixedPointModes
from unmask.attacks.definetti.sampler import Fit
from unmask.attacks.minimality import tempering
from unmask.attacks.minimality.all_groups import rule_posterior
from unmask.attacks.minimality.attack import in_order, known_of, mixed, rows_of_targets
from unmask.attacks.minimality.attribute_evidence import CombinedBeliefs, LearnedBeliefs, combined_posterior, folded
from unmask.attacks.minimality.reading_order import position_ranges
from unmask.attacks.shared.exact_rows import published
from unmask.attacks.shared.grouped_people import GroupedPeople
from unmask.beliefs import Beliefs
from unmask.errors import InvalidInputError
from unmask.parameters import check_parameters
from unmask.runtime import work
from unmask.runtime.streams import beside
from unmask.view import LeftOutControl, Requirements, View, Worlds
from unmask.wording import marked, message

_MOST_REPLICATES = 16  # the least number of draws of any sampled part


@dataclass(frozen=True)
class LearnedMinimality:
    """Weigh each assignment of a group's values by the closing rule and by the likelihood of people's attributes.

    The rule of greedy grouping determines the positions in a group where frequent values are likely, and ignores
    attributes; deFinetti learns the association of values and attributes, and ignores positions. The combination uses
    both.

    Assumes
        The assumptions of `minimality` and of `definetti`. Parameters are learned as by the latter, without the rule;
        where only one of several values is bounded, the others are distinguished as by the latter.
    Infers
        `P(v | release) ∝ Σ P(coins) ∏ P(x_i | v_i)^w` over the orders of a group's values that the rule closes there,
        the mean over `draws` of the parameters; sampled. P(x_i | v_i) has the power of `definetti`; w, at most 1, is
        a further one that maximizes the likelihood of the counts of all groups, and 1 if none is clearly better, or
        for fewer than 500 people. People with different attributes who tie in the order are put in random orders,
        weighed by the probability of the group. Where the rule is uninformative and w is 1, the belief is that of
        `definetti`. Where worlds cannot be counted, both beliefs are multiplied and adjusted to the counts of the
        group; the notes have the number of these groups. Multiplied by prior / pooled as by both.
    Fails
        As `minimality` and `definetti`: with `NotApplicableError`, `ContradictionError`, or
        `NotConvergedError`.

    References
    ----------
    Kifer. Attacks on privacy and deFinetti's theorem. SIGMOD 2009, section 7. Cormode, Li, Li, Srivastava. Minimizing
    minimality and maximizing utility: analyzing method-based attacks on anonymized data. VLDB 2010.
    """

    name: ClassVar[str] = "learned-minimality"
    worlds: ClassVar[Worlds | None] = None
    requirements: ClassVar[Requirements] = Requirements(complete_list="used", algorithm=True, quick=QUICK)
    alpha: float = 1.0
    chains: int = 4
    limit: int = 4000
    tier: Tier = "auto"
    draws: int = 8  # of the parameters

    def __post_init__(self) -> None:
        check_parameters(self)
        _ = self.learner  # checks its parameters
        if self.draws < 2:
            raise InvalidInputError(
                message("draws must be at least 2, or nothing can differ; got {draws}", draws=self.draws)
            )

    def infer(self, view: View, rng: np.random.Generator) -> Beliefs:
        """Return the beliefs, with their left-out control."""
        view.require(self.requirements)
        rule, order = known_of(view.release, view.about.name)
        complete_list, seen = in_order(view)
        lines, groups = published(seen)
        where = position_ranges(seen.release, order, view.about.name)
        by_rule, both = rng.spawn(2)
        name, learning = view.about.name, self.learner
        settings = str(catalog.settings_of(learning))
        by_learning = beside(rng, seen.release.name, str(view.about), learning.name, settings)  # as in an audit

        def combine() -> tuple[CombinedBeliefs, float]:
            rule_beliefs = rule_posterior(seen.release, name, groups.value, where, rule, by_rule)
            trusted, power = _trusted(_learned(learned, groups, self.draws), groups, seen.release.counts_of(name))
            return combined_posterior(seen.release, name, trusted, where, rule, rule_beliefs, both), power

        learned = replace(learning, model="naive-bayes").learned_from(seen, lines, groups, by_learning)
        chosen = (self, view.about, str(rng.bit_generator.state))
        found, power = work.kept(self.name, (seen.release,), chosen, combine)
        row_beliefs = found.beliefs
        row_of, weight = (
            complete_list.slots_of_targets(row_beliefs) if complete_list else rows_of_targets(seen, lines, row_beliefs)
        )
        beliefs = mixed(view, seen.release, row_of, weight, row_beliefs)

        def control(seen: View, own: Sequence[Int32]) -> Beliefs:
            return without_own(seen, lines, learned.fit, own[0])

        trust: dict[str, float] = {marked("power of what was learned"): round(power, 2)}
        counted: dict[str, float] = {
            message("groups {how}", how=message(how)): float(n) for how, n in found.groups.items()
        }
        notes = {**learned.notes, **trust, **counted}
        fixed = isinstance(learned.fit, FixedPointModes)
        outcome = replace(beliefs.outcome, convergence=learned.convergence, is_approximate=fixed)
        return replace(beliefs, outcome=outcome, notes=notes, left_out=LeftOutControl(seen, control))

    @property
    def learner(self) -> DeFinetti:
        """The attack that learns from the release: in an audit, its chains are those of `definetti`."""
        return DeFinetti(alpha=self.alpha, chains=self.chains, limit=self.limit, tier=self.tier)


def _learned(found: definetti.FittedModel, groups: GroupedPeople, draws: int) -> LearnedBeliefs:
    """Return the learned beliefs, by row, and the factors."""
    fit = found.fit
    if not isinstance(fit, Fit | FixedPointModes):
        raise TypeError("Naive Bayes has parameters")
    slots = fit.slots
    error = fit.error if isinstance(fit, Fit) else np.zeros(slots.column.size)
    factors = [tempering.factors(groups, one) for one in _few(fit, draws)]
    several = fit.replicates if isinstance(fit, Fit) else (fit,) * fit.settling.starts  # orders are drawn all the same
    each = np.array([one.mean for one in several])
    n = min(len(each), _MOST_REPLICATES, len(factors) if len(factors) > 1 else _MOST_REPLICATES)
    rows, errors, *replicates = (
        Ragged(slots.start, slots.column, data, groups.n_values)
        for data in (fit.mean, error, *folded(each, np.ones(len(each)), n))
    )
    return LearnedBeliefs(slots.of_row, rows, errors, groups.profile_of, factors, replicates=tuple(replicates))


def _trusted(learned: LearnedBeliefs, groups: GroupedPeople, counts: Ragged) -> tuple[LearnedBeliefs, float]:
    """Return the learned beliefs with tempered factors, and the power."""
    whole = counts.dense().astype(np.int64)
    power = tempering.power(groups.start, groups.profile_of, whole, np.mean(learned.factors, axis=0))
    if power == 1.0:
        return learned, power
    return replace(learned, factors=[table**power for table in learned.factors], stands=False), power


def _few(fit: Fit | FixedPointModes, draws: int) -> list[Float64]:
    """Return draws of the parameters, far from each other; of a fixed point, itself."""
    if isinstance(fit, FixedPointModes):
        return [fit.modes[0].log_theta]
    at = np.linspace(0, len(fit.snapshots) - 1, min(draws, len(fit.snapshots))).round().astype(int)
    return [fit.snapshots[i].log_theta for i in at]


EXAMPLES = (LearnedMinimality(),)
