"""The learned model: in-group posteriors from any probabilistic classifier, by stochastic EM.

Naive Bayes treats attributes independently, and counts shared evidence twice. A classifier uses them jointly, but needs
labels. So each round draws each person's value from the current posterior, fits the classifier to the drawn values,
predicts P(value | attributes), and sums over each group's arrangements for a new posterior. Two measures limit
overfitting. Classifiers only predict people of groups to which they were not fitted, since they memorize drawn values;
and the posterior is the mean over many rounds, since one round depends on its draws. How sure it may be
follows from exchanges of people between groups, as for Naive Bayes (`classifier_power`), and from worlds drawn from
the beliefs (`drawn_worlds`).

References
----------
Celeux and Diebolt. The SEM algorithm. Computational Statistics Quarterly 1985 (draws in place of expectations).
Kifer. Attacks on privacy and deFinetti's theorem. SIGMOD 2009, section 7 (other models than Naive Bayes).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from unmask.arrays import Bool, Float64, Int32, Int64, distinct_rows
from unmask.attacks.definetti import drawn_worlds, gibbs_kernels
from unmask.attacks.definetti._sweep import SURE
from unmask.attacks.definetti.block_moves import ROUNDS_ALONE, sweep_blocks
from unmask.attacks.definetti.fixed_point import fixed_point
from unmask.attacks.shared.group_layout import chain_for
from unmask.attacks.shared.grouped_people import GroupedPeople, Slots, slots_of
from unmask.errors import InvalidInputError, NotApplicableError
from unmask.number_format import numeral
from unmask.runtime import work
from unmask.wording import message

Make: TypeAlias = Callable[[int], Any]
"""A factory from a seed to an unfitted classifier with `fit`, `predict_proba` and `classes_`."""

Name: TypeAlias = Literal["trees", "lightgbm", "forest", "logistic"]

CLASSIFIERS: tuple[Name, ...] = get_args(Name)
"""The named classifiers; in Python, `classifiers.of` takes any other."""

LogLift: TypeAlias = NDArray[np.float32]
"""log(P(value | attributes) / P(value)) by line, a profile in a fold, (lines, values)."""

NO_GROUP = -1

LEAST_PEOPLE = 500
"""The minimum number of people: a fold of fewer would not contain every value."""

LEAST_CHANCE = 1e-6  # of a value, in log-probabilities

FOLDS_OF_WORLD, ROUNDS_OF_WORLD = 3, 6  # the last four are averaged

BATCHES = 4  # of the rounds kept, whose differences give the error

SPREAD = 0.02  # the largest difference between the halves of the rounds in the share of people known


@dataclass(frozen=True, slots=True)
class LearningSchedule:
    """Parameters of the rounds: how often to fit, and which rounds to keep."""

    folds: int = 5
    rounds: int = 12  # the last two thirds are averaged
    limit: int = 48  # the most rounds, if fewer do not agree
    alpha: float = 1.0  # of the Naive Bayes model that gives the start
    threads: int = 1  # results do not depend on it; more than 1 only if fitting is thread-safe
    power: float = 1.0  # of the predictions: `classifier_power` chooses it
    worlds: int = 0  # the most worlds to draw, from which a smaller power may follow

    def __post_init__(self) -> None:
        if self.folds < 2:
            raise InvalidInputError(
                message(
                    "folds must be at least 2, so that each has others to learn from; got {folds}", folds=self.folds
                )
            )
        if self.threads < 1:
            raise InvalidInputError(message("threads must be at least 1; got {threads}", threads=self.threads))
        if self.rounds < 3:
            raise InvalidInputError(
                message("rounds must be at least 3, of which two thirds are kept; got {rounds}", rounds=self.rounds)
            )


@dataclass(frozen=True, slots=True, eq=False)
class Predictor:
    """A fitted classifier that gives every value a positive probability."""

    model: Any  # None if all drawn values were equal
    value: Int64  # (classes,) the value of each of its classes
    share: Float64  # (values,) share of all people
    n: int  # people in the training data
    blank: Bool  # (columns,) without any known value in the training data

    def __call__(self, features: Float64) -> Float64:
        """Return P(value | attributes) / P(value), (lines, values).

        Smoothed by one more person of the overall distribution, so that no value is impossible.
        """
        found = np.zeros((features.shape[0], self.share.size))
        if self.model is None:
            found[:, self.value] = 1.0
        elif features.shape[0]:
            with threadpool_limits(limits=1, user_api="openmp"):
                found[:, self.value] = self.model.predict_proba(np.where(self.blank, 0.0, features))
        lift = np.divide(found, self.share, out=np.ones_like(found), where=self.share > 0)
        return np.asarray((self.n * lift + 1) / (self.n + 1))


@dataclass(frozen=True, slots=True, eq=False)
class LearnedFit:
    """The fitted model: probabilities by slot (a profile in a group) over the group's values, and the classifiers."""

    slots: Slots = field(repr=False)
    data: Float64  # (kept, entries) marginals of each round
    fold_of_group: Int32  # (groups,)
    predictors: tuple[tuple[Predictor, ...], ...] = field(repr=False)  # by kept round and predicted fold
    learning: LearningSchedule

    @property
    def mean(self) -> Float64:
        """The probabilities, over all rounds kept, (entries,)."""
        return np.asarray(self.data.mean(axis=0))

    @property
    def replicates(self) -> tuple[LearnedFit, ...]:
        """The fits of batches of rounds: successive rounds are correlated, batches hardly are."""
        batches = np.array_split(np.arange(self.data.shape[0]), min(BATCHES, self.data.shape[0]))
        if len(batches) < 2:
            return ()
        return tuple(
            replace(self, data=self.data[batch], predictors=tuple(self.predictors[i] for i in batch.tolist()))
            for batch in batches
        )

    @property
    def share_known(self) -> tuple[float, float]:
        """The share of people with a probability of at least .8, in the first and in the second half of the rounds."""
        half = self.data.shape[0] // 2
        people = max(int(self.slots.people.sum()), 1)
        shares = []
        for part in (self.data[:half], self.data[-half:]):
            highest = np.maximum.reduceat(part.mean(axis=0), self.slots.start[:-1])
            shares.append(float((highest >= SURE) @ self.slots.people) / people)
        return shares[0], shares[1]

    def complaint(self) -> str:
        """Return how the halves of the rounds disagree, or an empty string."""
        first, second = self.share_known
        if abs(first - second) <= SPREAD:
            return ""
        points = 100 * abs(first - second)
        return message(
            "the share of people known moved by {points} points between them (limit {limit})",
            points=numeral(points, ".1f"),
            limit=numeral(100 * SPREAD, "g"),
        )

    def left_out(self, own: Int32, profile: Int32, features: Float64) -> tuple[Int32, Float64]:
        """Return the number of each target's row, and the rows: P(value | attributes) / P(value) of other groups.

        `own` (targets,) is the group that is left out, `NO_GROUP` for none; `profile` (targets,) a line of `features`.
        The classifiers that predict the own group were not fitted to it; without a group, all are averaged.
        """
        fold = np.append(self.fold_of_group, np.int32(NO_GROUP))[own]
        row_of, example = distinct_rows(np.stack([fold, profile], axis=1))
        fold, line = fold[example], profile[example]
        rows = np.zeros((example.size, self.predictors[0][0].share.size))
        with work.step(message("leaving out own groups"), len(self.predictors)) as step:
            for predictors in self.predictors:
                for number, predictor in enumerate(predictors):
                    asked = np.flatnonzero(fold == number)
                    rows[asked] += predictor(features[line[asked]]) ** self.learning.power
                    asked = np.flatnonzero(fold == NO_GROUP)
                    rows[asked] += predictor(features[line[asked]]) ** self.learning.power / len(predictors)
                step.advance()
        return row_of, np.asarray(rows / rows.sum(axis=1, keepdims=True))


def learn(
    groups: GroupedPeople, features: Float64, make: Make, learning: LearningSchedule, rng: np.random.Generator
) -> LearnedFit:
    """Fit classifiers to drawn values, and update the posterior from their predictions of other groups, in rounds.

    `features` (profiles, columns) are numbers, NaN where missing; categories are codes.

    Infers
        In each round `P(v | group)`, summed exactly over the group's arrangements, each as likely as the product of
        `P(v | attributes) / P(v)` over its people; large groups by blocks that continue from round to round. The start
        is the fixed point of Naive Bayes.
    Fails
        With `NotApplicableError` for few people.
    """
    if features.shape[0] != groups.codes.shape[0]:
        raise InvalidInputError(
            message(
                "features must have a row for each of {shape} profiles; got {given}",
                shape=groups.codes.shape[0],
                given=features.shape[0],
            )
        )
    people = groups.value.size
    if people < LEAST_PEOPLE:
        raise NotApplicableError(
            message(
                "needs at least {least_people} people for a classifier to learn from; got {people}. Use "
                "model=naive-bayes",
                least_people=LEAST_PEOPLE,
                people=people,
            )
        )
    return Rounds(groups, slots_of(groups), features, make, learning, rng).fit()


class Rounds:
    """The state of the rounds."""

    def __init__(
        self,
        groups: GroupedPeople,
        slots: Slots,
        features: Float64,
        make: Make,
        learning: LearningSchedule,
        rng: np.random.Generator,
    ) -> None:
        self.make, self.learning, self.rng = make, learning, rng
        start = fixed_point(slots, learning.alpha, chain_for(slots.layout, slots.shapes), limit=200)
        chances = _dense(slots, start.data[slots.order], groups.n_values)
        self.belief, self.row_of = chances, slots.of_row  # (rows of beliefs, values), (people,)

        n_groups = groups.start.size - 1
        self.fold_of_group = (rng.permutation(n_groups) % learning.folds).astype(np.int32)
        self.fold = np.repeat(self.fold_of_group, np.diff(groups.start))
        self.profile_of = groups.profile_of
        number, example = distinct_rows(np.stack([groups.profile_of, self.fold], axis=1))
        self.groups, self.line_of = groups, number
        self.features, self.fold_of_line = features[groups.profile_of[example]], self.fold[example]
        self.features_of_all = features
        # A single attribute: people of one profile predicted by the same classifier share a level.
        n = np.array([example.size], np.int32)
        lines = replace(groups, profile_of=number, codes=np.arange(example.size, dtype=np.int32)[:, None], levels=n)
        self.slots, self.n_values = slots_of(lines), groups.n_values
        self.chain = chain_for(self.slots.layout, self.slots.shapes)
        self.share = np.bincount(groups.value, minlength=groups.n_values) / groups.value.size

    def fit(self) -> LearnedFit:
        """Run rounds until the halves of those kept agree, at the power, too, or the limit is reached."""
        learning, folds = self.learning, self.learning.folds
        run: list[tuple[Float64, tuple[Predictor, ...], LogLift]] = []
        power: float | None = None
        with ThreadPoolExecutor(min(learning.threads, folds)) as pool, threadpool_limits(limits=1, user_api="blas"):
            while True:
                more = max(learning.rounds, min(2 * len(run), learning.limit)) - len(run)
                with work.step(message("learning from all groups"), more * folds) as step:
                    run += [self.round(pool, step) for _ in range(more)]
                data, predictors, lifts = zip(*run[len(run) // 3 :], strict=True)
                fit = LearnedFit(self.slots, np.array(data), self.fold_of_group, predictors, learning)
                if not fit.complaint() or len(run) >= learning.limit:
                    power = self.power(lifts[-1], pool) if power is None else power
                    fit = self.tempered(fit, lifts, power)
                    if not fit.complaint() or len(run) >= learning.limit:
                        return fit

    def power(self, lift: LogLift, pool: ThreadPoolExecutor) -> float:
        """Return the power of all predictions: that of the schedule, or a smaller one, from drawn worlds."""
        if not self.learning.worlds:
            return self.learning.power
        rng = np.random.default_rng(int(self.rng.integers(2**63)))
        schedule = replace(self.learning, folds=FOLDS_OF_WORLD)

        def learn(world: GroupedPeople) -> drawn_worlds.Score:
            again = Rounds(world, slots_of(world), self.features_of_all, self.make, schedule, rng)
            with work.step(message("learning from a drawn world"), ROUNDS_OF_WORLD * FOLDS_OF_WORLD) as step:
                lifts = [again.round(pool, step)[2] for _ in range(ROUNDS_OF_WORLD)][ROUNDS_OF_WORLD // 3 :]
            return lambda power: again.log_probability(world.value, lifts, power)

        rows = lift.astype(np.float64)[self.line_of]
        return drawn_worlds.power_of(self.groups, rows, self.learning.power, self.learning.worlds, learn, rng)

    def log_probability(self, value: Int32, lifts: Sequence[LogLift], power: float) -> float:
        """Return the log-probability of people's values, (people,), under the mean over rounds at a power."""
        data = [self.arranged(power * lift.astype(np.float64), number) for number, lift in enumerate(lifts)]
        chance = _dense(self.slots, np.mean(data, axis=0), self.n_values)[self.slots.of_row, value]
        return float(np.log(np.maximum(chance, LEAST_CHANCE)).sum())

    def tempered(self, fit: LearnedFit, lifts: Sequence[LogLift], power: float) -> LearnedFit:
        """Return the fit with all predictions raised to the power."""
        if power == 1.0:
            return fit
        seeds = self.rng.integers(2**63, size=len(lifts))
        powered = (power * lift.astype(np.float64) for lift in lifts)
        data = [self.arranged(lift, int(seed)) for lift, seed in zip(powered, seeds, strict=True)]
        return replace(fit, data=np.array(data), learning=replace(self.learning, power=power))

    def arranged(self, log_lift: Float64, seed: int) -> Float64:
        """Return the probabilities, summed over arrangements, (entries,); the seed is that of large groups."""
        chain, layout = self.chain, self.slots.layout
        chain.log_theta[:] = log_lift
        chain.sums[:] = 0.0
        gibbs_kernels.expect(layout, self.slots.shapes, chain)
        if layout.large.size:
            sweep_blocks(layout, self.slots.shapes, chain, np.uint64(seed), ROUNDS_ALONE)
        return np.asarray(np.where(self.slots.constant, self.slots.equal, chain.sums)[self.slots.order])

    def round(self, pool: ThreadPoolExecutor, step: work.Step) -> tuple[Float64, tuple[Predictor, ...], LogLift]:
        """Draw all values, fit the classifiers, and sum over arrangements."""
        guessed = self.guess()
        seeds = [int(seed) for seed in self.rng.integers(1 << 31, size=self.learning.folds)]
        lift = np.empty((self.features.shape[0], self.n_values), np.float32)

        def run(fold: int) -> Predictor:
            others = self.fold != fold
            predictor = self.fitted(self.features_of_all[self.profile_of[others]], guessed[others], seeds[fold])
            here = self.fold_of_line == fold
            lift[here] = np.log(predictor(self.features[here]))
            step.advance()
            return predictor

        fitted = tuple(pool.map(run, range(self.learning.folds)))
        seed = int(self.rng.integers(2**63)) if self.slots.layout.large.size else 0
        data = self.arranged(lift.astype(np.float64), seed)
        self.belief, self.row_of = _dense(self.slots, data, self.n_values), self.slots.of_row
        return data, fitted, lift

    def guess(self) -> Int32:
        """Draw each person's value from the current posterior, (people,)."""
        heights = self.belief.cumsum(axis=1)
        heights /= heights[:, -1:]
        drawn = self.rng.random(self.row_of.size)
        return np.asarray((drawn[:, None] >= heights[self.row_of, :-1]).sum(axis=1), np.int32)

    def fitted(self, features: Float64, guessed: Int32, seed: int) -> Predictor:
        """Fit a classifier to drawn values."""
        value, label = np.unique(guessed, return_inverse=True)
        blank = np.asarray(np.isnan(features).all(axis=0))  # binning fails on such columns
        model = None
        if value.size > 1:
            model = self.make(seed)
            with threadpool_limits(limits=1, user_api="openmp"):  # another order of sums could change a split
                model.fit(np.where(blank, 0.0, features), label)
        return Predictor(model, value.astype(np.int64), self.share, guessed.size, blank)


def _dense(slots: Slots, data: Float64, n_values: int) -> Float64:
    """Return probabilities by slot over all values, (slots, values)."""
    result = np.zeros((slots.n, n_values))
    result[np.repeat(np.arange(slots.n), np.diff(slots.start)), slots.column] = data
    return result
