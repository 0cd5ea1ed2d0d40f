"""The power of a classifier's predictions, from exchanges of people between groups that it never learned from.

In the rounds of `classifier_model`, no classifier predicts a group that it was fitted to; but the labels that it was
fitted to were drawn from the predictions of others, which were. So the groups of one part are set aside from all
rounds: short ones among the other groups, each followed by a classifier of all their people, which predicts those set
aside. `exchanges` explains how the power follows. How probable the published groups are at the best power can be
compared with Naive Bayes that learned from the same groups.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
from threadpoolctl import threadpool_limits

from unmask.arrays import Float64, Int64
from unmask.attacks.definetti import exchanges, gibbs_kernels
from unmask.attacks.definetti.classifier_model import LearningSchedule, Make, Rounds
from unmask.attacks.shared.group_layout import chain_for
from unmask.attacks.shared.grouped_people import GroupedPeople, slots_of
from unmask.number_format import numeral
from unmask.runtime import work
from unmask.wording import message

APART = 5
"""One group of so many is set aside."""

FOLDS = 3
ROUNDS = 4  # the last three are averaged
SEED = 1  # of the exchanges: the same pairs for all models

NOTHING = float(np.log(0.5))
"""The score of a model that learned nothing."""


@dataclass(frozen=True, slots=True)
class Apart:
    """What exchanges between the groups set aside say of a model."""

    power: float  # between 0 and 1
    score: float  # the mean log-probability of exchanged groups as published, at the power; log(1/2): nothing learned

    def __str__(self) -> str:
        return numeral(self.score - NOTHING, ".3f")


def apart_from_rounds(groups: GroupedPeople, features: Float64, make: Make, learning: LearningSchedule) -> Apart:
    """Return the power and the score of a classifier; always the same for the same groups.

    `features` (profiles, columns) are those of `classifier_model.learn`.
    """
    part = _parts(groups)
    rng = np.random.default_rng(0)
    taught, apart = groups.take(np.flatnonzero(part)), groups.take(np.flatnonzero(part == 0))
    n = np.array([features.shape[0]], np.int32)
    slots = slots_of(replace(apart, codes=np.arange(features.shape[0], dtype=np.int32)[:, None], levels=n))
    chosen = np.flatnonzero(np.cumsum(np.diff(apart.start)) <= exchanges.MOST_PEOPLE)
    drawn = exchanges.Exchanges.of(apart, slots, chosen, np.random.default_rng(SEED))
    if not drawn.one.size:
        return Apart(exchanges.LEAST, NOTHING)  # as where attributes tell nothing: nothing shows that they do
    used, place = np.unique(apart.profile_of, return_inverse=True)
    rounds = Rounds(taught, slots_of(taught), features, make, replace(learning, folds=FOLDS), rng)
    lifts = []
    with (
        ThreadPoolExecutor(min(learning.threads, FOLDS)) as pool,
        threadpool_limits(limits=1, user_api="blas"),
        work.step(message("learning without some groups"), ROUNDS * FOLDS) as step,
    ):
        for number in range(ROUNDS):
            rounds.round(pool, step)
            if number:
                label, seed = rounds.guess(), int(rng.integers(1 << 31))
                predictor = rounds.fitted(features[taught.profile_of], label, seed)
                lifts.append(np.log(predictor(features[used])))
    chain = chain_for(slots.layout, slots.shapes)
    one, other = place.ravel()[drawn.one], place.ravel()[drawn.other]

    def score(power: float) -> Float64:
        published = []
        for lift in lifts:
            chain.log_theta[used] = power * lift
            chain.sums[:] = 0.0
            gibbs_kernels.expect(slots.layout, slots.shapes, chain)
            entries = np.where(slots.constant, slots.equal, chain.sums)[slots.order]
            published.append(-np.logaddexp(0.0, drawn.log_odds(entries, power * lift[one], power * lift[other])))
        return np.asarray(np.logaddexp.reduce(published, axis=0) - np.log(len(published)))  # the mean of the rounds

    power = exchanges.best_power(score)
    return Apart(power, float(score(power).mean()))


def apart_from_naive_bayes(groups: GroupedPeople, alpha: float, power: float) -> Apart:
    """Return the score of Naive Bayes at a power, on the exchanges that a classifier is judged by."""
    each = exchanges.score_apart(groups, _parts(groups), alpha, power, np.random.default_rng(SEED))
    return Apart(power, float(each.mean()) if each.size else NOTHING)


def _parts(groups: GroupedPeople) -> Int64:
    """Return the part of each group, (groups,); part 0 is set aside."""
    return np.random.default_rng(0).permutation(groups.start.size - 1) % APART
