"""The deFinetti attack: tiers, models, and their posteriors and controls."""
# Over 300 lines: every tier and model shares the choices, notes and controls of one attack.

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar, Literal, TypeAlias

import numpy as np

from unmask.arrays import Float64, Int32, Ragged, frozen
from unmask.attacks.definetti import (
    centroids,
    classifier_model,
    classifier_power,
    exchanges,
    posterior_modes,
    smoothing,
)
from unmask.attacks.definetti.exact_assignments import EnumeratedFit, enumerate_assignments
from unmask.attacks.definetti.fixed_point import FixedPointModes, FixedPointSearch, require_small_groups, settle
from unmask.attacks.definetti.generalized_cells import Boxes, beliefs_of, boxes_of, left_out_of, lifts_of
from unmask.attacks.definetti.left_out import left_out
from unmask.attacks.definetti.sampler import Fit, Sampling
from unmask.attacks.shared.complete_list import anatomized, has_complete_list
from unmask.attacks.shared.exact_rows import codes_of, features_of, listed, published, slots_of_targets
from unmask.attacks.shared.grouped_people import GroupedPeople, slots_of
from unmask.attacks.shared.pooling import believed, error_between, in_terms_of, over_pooled, pooled
from unmask.beliefs import NOT_ATTACKED, Beliefs, unique_pairs
from unmask.errors import InvalidInputError, NotApplicableError, NotConvergedError
from unmask.masks.lines import Lines
from unmask.number_format import numeral
from unmask.outcome import Convergence, Outcome
from unmask.parameters import check_parameters
from unmask.runtime import work
from unmask.runtime.extras import why_missing
from unmask.view import LeftOutControl, QuickForm, Requirements, View, Worlds
from unmask.wording import joined, marked, message

Tier: TypeAlias = Literal["auto", "exact", "fast"]
Model: TypeAlias = Literal["auto", "naive-bayes", "learned"]
Temper: TypeAlias = Literal["on", "off"]
AnyFit: TypeAlias = Fit | FixedPointModes | classifier_model.LearnedFit | EnumeratedFit

LEAST_PEOPLE = 5000
"""The minimum number of people of the fast tier.

In smaller tables its uncertainty of the parameters matters. On people drawn from Adult in groups of 2, 3 and 4 it
overestimates the share of people with a probability of .8 or more by 2, 5 and 4 points at 2,000 people, by 1, 2 and 2
at 4,000, by .4, .8 and 1.6 at 8,000 (chains may differ by 2).
"""

QUICK = QuickForm({"tier": "fast"}, least=LEAST_PEOPLE)
"""In a quick audit the fast tier runs where it can: on Adult in groups of 3 in a tenth of the time of the exact one."""

MOST_SAMPLED = 200_000
"""The most people that tier=auto samples; for more, it looks for a fixed point first.

On rows drawn from Adult in groups of 3, the tiers differ by .2, .8 and .8 points of people with a probability of .5, .8
and .9 or more at 100,000 people, by .1, .3 and .3 at 300,000, where sampling takes ten times as long.
"""

LEAST_PEOPLE_IN_CELLS = 100
"""The minimum number of people in generalized cells.

For 100 people drawn from the model in boxes of at least 4, predictions of probability .85 are right for .83 to .87; for
60 people, for .76 to .94.
"""

LEAST_COMPARED, MOST_COMPARED = 2_000, 10_000
"""The numbers of people for which model=auto compares Naive Bayes with a classifier.

Fewer tell neither apart; for more, a classifier takes minutes.
"""

LEAST_PER_VALUE = 20
"""The fewest people for each value of whom model=auto fits a classifier.

Fewer tell it little, and it takes minutes: of 2,000 patients with 333 diagnoses 3.6.
"""

WORLDS = 2
"""The most worlds drawn from a classifier's beliefs for its power."""

TIERS: tuple[Tier, ...] = ("exact", "fast")
MODELS: tuple[Model, ...] = ("auto", "naive-bayes", "learned")
POWER = marked("power of attributes")
"""The note on the power, where it is below 1."""

SAMPLE = message("Use tier=exact")
MORE_ROUNDS = message("Raise rounds, or use model=naive-bayes")
REMEDY = message("Use model=learned, or raise limit (iterations of a chain)")


@dataclass(frozen=True)
class DeFinetti:
    """Learn the association of attributes and sensitive values from all groups, and apply it within each group.

    A group of three with a pilot, a nurse and a farmer hides each person's job if all assignments are equally likely.
    But thousands of such groups reveal which attributes are associated with which value, and this model distinguishes
    the members of each group.

    Assumes
        People are exchangeable: given the value, attributes are drawn independently (Naive Bayes), with a uniform
        Dirichlet prior of parameter `alpha` on every distribution. For generalized cells: neighbors on an ordered
        attribute are alike.
    Infers
        `P(v | release)`, over all assignments of values to people within groups. Tier `exact`: the sum over all of
        them, if they have at most `assignments` tables of counts of profiles and values (and few enough to leave out
        every group), is exact; else Gibbs sampling of parameters and assignments, averaging exact in-group
        probabilities (Rao-Blackwell), with at least 4 chains, restarted in the best of several modes if one is clear;
        sampled. Tier `fast`: a fixed point of the parameters by EM, from as many starts as there would be chains;
        approximate and deterministic, in a hundredth of the time. Tier `auto`: `exact` for at most 200,000 people; for
        more `fast`, or `exact` where that gives no answer; the notes state the choice. Model `learned`: a classifier
        (`trees`: gradient boosted trees; `lightgbm`, `forest`, `logistic`) instead of Naive Bayes, fitted in rounds to
        draws from the posterior, and averaged; a heuristic that finds interactions of attributes, in minutes. Model
        `auto`: Naive Bayes; for 2,000 to 10,000 people `learned` where exchanges of people between groups leave the
        published groups more probable under it; the other one where the first gives no answer; a classifier only for
        at least 500 people, 20 for each value; the notes state the choice and why. Where attributes depend on each
        other, Naive Bayes is too sure, so P(attributes | value) is raised to a power of at most 1 that the release's
        own groups determine, if they have at least 500 people; so is what a classifier predicts, where worlds drawn
        from it may lower the power. With `temper=off` it is 1, the paper's own model, and `auto` is Naive Bayes.
        Multiplied by prior / pooled if the prior differs. For generalized cells, in both tiers: `P(v) ∝ n_v(group)
        Π_i (θ_i(x_i | v) / θ_i(cell | v))^w_i`, with θ by smoothed EM; bandwidths and exponents w by
        cross-validation; approximate, calibrated on people drawn from the model, deterministic. For centroids: `P(v)
        ∝ Σ_g weight(g) · share_g(v) · exp(w · slope_v · (x − centroid_g))`, with the slopes of a linear discriminant
        of the other groups' centroids, and the power w at most 1 under which it predicts their values best;
        approximate, deterministic. With a complete list of people, groups consist of the people assigned to them.
    Fails
        With `NotConvergedError` if chains, starts or rounds disagree; with `NotApplicableError` for several releases,
        and for rows without counted values; in the fast tier for fewer than 5,000 people and groups too large to be
        summed over; with the learned model for fewer than 500 people and generalized cells without a complete list;
        for generalized cells of fewer than 100 people, centroids of fewer than 500, and if a complete list does not
        determine each person's group. A person who matches no group keeps the prior.

    References
    ----------
    Kifer. Attacks on privacy and deFinetti's theorem. SIGMOD 2009, sections 4 and 5.
    """

    name: ClassVar[str] = "definetti"
    worlds: ClassVar[Worlds | None] = Worlds(values="dirichlet")
    requirements: ClassVar[Requirements] = Requirements(
        complete_list="used", quick=QUICK, ranking={"model": "naive-bayes"}
    )
    alpha: float = 1.0
    chains: int = 4
    limit: int = 4000
    temper: Temper = "on"  # less sure where attributes depend on each other; off: the paper's own model
    assignments: int = 100_000  # the most tables of counts to enumerate; more are sampled
    tier: Tier = "auto"  # exact up to `MOST_SAMPLED` people, then fast, if that gives one answer
    model: Model = "auto"  # what the release favors, unless tier=fast or temper=off; then naive-bayes
    classifier: classifier_model.Name = "trees"  # of the learned model, as is `rounds`
    rounds: int = 12  # initially; up to four times as many if they disagree

    def __post_init__(self) -> None:
        check_parameters(self)
        if self.model == "learned" and self.tier == "fast":
            msg = message("model=learned must be used without a tier, which is Naive Bayes's; got fast. Leave tier out")
            raise InvalidInputError(msg)
        classifier_model.LearningSchedule(rounds=self.rounds)
        if self.assignments < 0:
            msg = message(
                "assignments must be at least 0, which samples; got {assignments}", assignments=self.assignments
            )
            raise InvalidInputError(msg)
        if self.chains < 4:
            msg = message("chains must be at least 4, so that they can disagree; got {chains}", chains=self.chains)
            raise InvalidInputError(msg)
        Sampling(alpha=self.alpha, chains=self.chains, limit=self.limit)

    def infer(self, view: View, rng: np.random.Generator) -> Beliefs:
        """Return the posteriors, those of each chain, and the left-out control."""
        view.require(self.requirements)
        known_people = anatomized(view) if has_complete_list(view) else None
        view = known_people.view if known_people else view
        if view.release.masked.is_typical:
            return self._of_centroids(view)
        if not view.release.masked.is_exact:
            return self._of_cells(view)
        lines, groups = published(view)
        found = self._enumerated(view, groups) or self.learned_from(view, lines, groups, rng)
        slots = found.fit.slots
        row_of, weight = known_people.slots_of_targets(slots) if known_people else slots_of_targets(view, lines, slots)
        mixed = _mixed(view, row_of, weight, found.fit)
        beliefs, parts = mixed(found.fit.mean), {name: mixed(data) for name, data in found.rounds.items()}
        replicates = tuple(mixed(one.mean).rows for one in found.fit.replicates)
        if isinstance(found.fit, Fit):
            parts = {f"chain {c + 1}": replace(beliefs, rows=rows) for c, rows in enumerate(replicates)}

        def control(view: View, own: Sequence[Int32]) -> Beliefs:
            return without_own(view, lines, found.fit, own[0])

        return replace(
            beliefs,
            error=error_between(beliefs, replicates),
            replicates=replicates,
            parts=parts,
            notes=found.notes,
            outcome=Outcome(
                convergence=found.convergence,
                is_approximate=isinstance(found.fit, FixedPointModes),
                fallback=found.fallback,
            ),
            left_out=LeftOutControl(view, control),
            unplaced=(row_of < 0,),
        )

    def _enumerated(self, view: View, groups: GroupedPeople) -> FittedModel | None:
        """Sum over all assignments if their tables are few; None otherwise, and for other tiers, models and powers."""
        if self.tier == "fast" or self.model == "learned" or not self.assignments:
            return None
        chosen = ("assignments", view.about, self.alpha, self.assignments)
        fit = work.kept(
            self.name, (view.release,), chosen, lambda: enumerate_assignments(groups, self.alpha, self.assignments)
        )
        if fit is None or self._power(view, groups) < 1.0:
            return None
        return FittedModel(fit, {marked("tables of counts added up"): float(fit.cases.n)})

    def learned_from(self, view: View, lines: Lines, groups: GroupedPeople, rng: np.random.Generator) -> FittedModel:
        """Fit the chosen tier and model to exact rows and their groups; fail as `infer` does."""
        if self.model == "learned":
            return self._classified(view, lines, groups, rng)
        if self.tier == "fast":
            return self._fast(view, groups)
        naive = partial(self._naive_bayes, view, groups, rng)
        if not self._may_learn(groups):
            return naive()
        learned = partial(self._classified, view, lines, groups, rng)
        if not LEAST_COMPARED <= groups.value.size <= MOST_COMPARED:
            return _first_that_converges([naive, learned])
        return self._better(view, lines, groups, naive, learned)

    def _may_learn(self, groups: GroupedPeople) -> bool:
        """Whether a classifier may take the place of Naive Bayes: a rule on the table alone."""
        people = groups.value.size
        enough = people >= max(classifier_model.LEAST_PEOPLE, LEAST_PER_VALUE * groups.n_values)
        return self.model == "auto" and self.temper == "on" and enough and not why_missing("sklearn")

    def _better(self, view: View, lines: Lines, groups: GroupedPeople, naive: MakeFit, learned: MakeFit) -> FittedModel:
        """Fit the model under which exchanges leave the published groups more probable; the other if it has no answer.

        The notes state both gains in log-probability over a model that learned nothing.
        """
        power = self._power(view, groups)
        simple = work.kept(
            self.name, (view.release,), ("apart", view.about, self.alpha, power),
            lambda: classifier_power.apart_from_naive_bayes(groups, self.alpha, power),
        )  # fmt: skip
        strong = self._apart(view, lines, groups)
        models = [learned, naive] if strong.score > simple.score else [naive, learned]
        if max(strong.score, simple.score) <= classifier_power.NOTHING:  # groups too few or too large to be exchanged
            models = [learned]  # at the least power, in a fraction of the time of chains that will not agree
        found = _first_that_converges(models)
        why = message(
            "exchanges between groups: gain {strong} by {classifier}, {simple} by Naive Bayes",
            strong=str(strong),
            classifier=self.classifier,
            simple=str(simple),
        )
        return replace(found, notes={**found.notes, marked("model chosen for"): why})

    def _naive_bayes(self, view: View, groups: GroupedPeople, rng: np.random.Generator) -> FittedModel:
        """Fit Naive Bayes by the tier that the number of people decides, and by sampling where that has no answer."""
        unsettled = ""
        if self.tier == "auto" and groups.value.size > MOST_SAMPLED:
            try:
                found = self._fast(view, groups)
            except (NotApplicableError, NotConvergedError) as error:
                unsettled = str(error)
            else:
                return replace(
                    found,
                    notes={
                        **found.notes,
                        marked("chosen for"): message("more than {n} people", n=numeral(MOST_SAMPLED)),
                    },
                )
        sampled = self._exact(view, groups, rng)
        return replace(sampled, notes={**sampled.notes, marked("not fast"): unsettled}) if unsettled else sampled

    @property
    def level_prior(self) -> float | None:
        """The parameter of the Dirichlet prior on levels of an attribute; None for classifiers."""
        return None if self.model == "learned" else self.alpha

    def power(self, view: View) -> float:
        """Return the power of P(attributes | value) for a release of exact rows."""
        return self._power(view, published(view)[1])

    def _power(self, view: View, groups: GroupedPeople) -> float:
        if self.temper == "off":
            return 1.0
        chosen = ("power", view.about, self.alpha)
        return work.kept(self.name, (view.release,), chosen, lambda: exchanges.power_of(groups, self.alpha))

    def lifts(self, view: View, person: int, group: int) -> dict[str, Float64]:
        """Return each attribute's likelihood of the values for a target, by attribute, for generalized cells.

        The numbers, (values of the release,), are P(level | value) inside the group's cell, without the target, to the
        power of the attribute's exponent; 1 where the cell does not fit the target.
        """
        if view.release.masked.is_typical:
            return centroids.lifts_of(view, self._centroids_learned_from(view), person, group)
        boxes, fit = self._cells_learned_from(view)
        return lifts_of(view, boxes, fit, person, group)

    def _cells_learned_from(self, view: View) -> tuple[Boxes, smoothing.CellModel]:
        """Fit the model of generalized cells."""
        if self.model == "learned":
            msg = message(
                "model=learned needs exact quasi-identifiers; release {release} shows generalized cells",
                release=repr(view.release.name),
            )
            raise NotApplicableError(message("{msg}. Use model=naive-bayes, or a complete list of people", msg=msg))
        boxes = boxes_of(view)
        people = int(view.release.size.sum())
        if people < LEAST_PEOPLE_IN_CELLS:
            msg = message(
                "generalized cells must be of at least {least_people_in_cells} people to learn from; got {people}",
                least_people_in_cells=numeral(LEAST_PEOPLE_IN_CELLS),
                people=numeral(people),
            )
            raise NotApplicableError(message("{msg}. Use random-worlds", msg=msg))
        fit = work.kept(
            self.name,
            (view.release,),
            (view.about, self.alpha),
            lambda: smoothing.learn(boxes.axes, boxes.people, self.alpha),
        )
        if fit.complaint():
            raise NotConvergedError(
                message("a fixed point must be unique; {fit}. Do not use this attack", fit=fit.complaint())
            )
        return boxes, fit

    def _centroids_learned_from(self, view: View) -> centroids.CentroidModel:
        """Fit the discriminants of centroids."""
        if self.model == "learned":
            raise NotApplicableError(message("the learned model needs exact rows; leave model out"))
        return work.kept("centroids", (view.release,), view.about, lambda: centroids.learn(view))

    def _of_centroids(self, view: View) -> Beliefs:
        """Return the posteriors from centroids."""
        found = self._centroids_learned_from(view)

        def control(view: View, own: Sequence[Int32]) -> Beliefs:
            return centroids.left_out_of(view, found, own[0])

        notes: dict[str, float | str] = {marked("model"): message("a linear discriminant of centroids")}
        beliefs = centroids.beliefs_of(view, found)
        return replace(beliefs, notes=notes | _power_note(found.power), left_out=LeftOutControl(view, control))

    def _of_cells(self, view: View) -> Beliefs:
        """Return the posteriors from generalized cells."""
        boxes, fit = self._cells_learned_from(view)
        beliefs = beliefs_of(view, boxes, fit)

        def control(view: View, own: Sequence[Int32]) -> Beliefs:
            return left_out_of(view, boxes, fit, own[0])

        notes: dict[str, float | str] = {marked("cells"): message("generalized: approximate, by a fixed point")}
        return replace(beliefs, notes={**notes, **beliefs.notes}, left_out=LeftOutControl(view, control))

    def _exact(self, view: View, groups: GroupedPeople, rng: np.random.Generator) -> FittedModel:
        """Fit by Gibbs sampling."""
        power = self._power(view, groups)
        sampling = Sampling(alpha=self.alpha, power=power, chains=self.chains, limit=self.limit)
        settling = FixedPointSearch(alpha=self.alpha, power=power, starts=self.chains)
        chosen = (view.about, sampling, str(rng.bit_generator.state))
        found = work.kept(
            self.name, (view.release,), chosen, lambda: posterior_modes.learn(groups, sampling, settling, rng)
        )
        if found.complaint():
            raise NotConvergedError(
                message("chains must agree; {found}. {remedy}", found=found.complaint(), remedy=REMEDY)
            )
        fit = found.fit
        agreed = Convergence(fit.agreement.iterations, max(*fit.agreement.r_hat.values(), fit.agreement.r_hat_counts))
        notes = _power_note(power)
        if found.settled is not None and found.within_one:
            notes[marked("solutions found")] = _solutions(found.settled)
        return FittedModel(fit, notes, convergence=agreed)

    def _fast(self, view: View, groups: GroupedPeople) -> FittedModel:
        """Fit by fixed points, always from the same starts: deterministic."""
        people = groups.value.size
        if people < LEAST_PEOPLE:
            msg = message(
                "tier=fast needs at least {least_people} people to learn from; got {people}. {sample}",
                least_people=numeral(LEAST_PEOPLE),
                people=numeral(people),
                sample=SAMPLE,
            )
            raise NotApplicableError(msg)
        slots = slots_of(groups)
        require_small_groups(slots)  # before a power is chosen, which takes longer
        power = self._power(view, groups)
        settling = FixedPointSearch(alpha=self.alpha, power=power, starts=self.chains)
        chosen = (view.about, settling)
        fit = work.kept(self.name, (view.release,), chosen, lambda: settle(slots, settling, np.random.default_rng(0)))
        if fit.complaint():
            msg = message("a fixed point must be unique; {fit}. {sample}", fit=fit.complaint(), sample=SAMPLE)
            raise NotConvergedError(msg)
        notes: dict[str, float | str] = {
            marked("tier"): message("fast: approximate, by a fixed point"),
            marked("starts"): float(sum(fit.found)),
            marked("iterations of a start"): float(max(mode.iterations for mode in fit.modes)),
            **_power_note(power),
        }
        if len(fit.modes) > 1:
            notes[marked("solutions found")] = _solutions(fit)
        return FittedModel(fit, notes)

    def _classified(self, view: View, lines: Lines, groups: GroupedPeople, rng: np.random.Generator) -> FittedModel:
        """Fit classifiers."""
        if why := why_missing("sklearn"):
            raise NotApplicableError(message("model=learned needs {why}", why=why))
        features, make, learning = self._learner(lines)
        if self.temper == "on" and groups.value.size >= classifier_model.LEAST_PEOPLE:
            learning = replace(learning, power=self._apart(view, lines, groups).power, worlds=WORLDS)
        chosen = (view.about, self.classifier, learning, str(rng.bit_generator.state))
        fit = work.kept(
            self.name, (view.release,), chosen, lambda: classifier_model.learn(groups, features, make, learning, rng)
        )
        if fit.complaint():
            msg = message(
                "the rounds kept must agree by halves; {fit}. {more_rounds}",
                fit=fit.complaint(),
                more_rounds=MORE_ROUNDS,
            )
            raise NotConvergedError(msg)
        notes: dict[str, float | str] = {
            marked("model"): message("learned ({classifier}): a heuristic", classifier=self.classifier),
            marked("rounds kept"): float(len(fit.data)),
            **_power_note(fit.learning.power),
        }
        return FittedModel(fit, notes, {f"round {r + 1}": data for r, data in enumerate(fit.data)})

    def _learner(self, lines: Lines) -> tuple[Float64, classifier_model.Make, classifier_model.LearningSchedule]:
        """Return the features of the profiles, the factory of the classifier, and the schedule of its rounds."""
        from unmask.attacks.definetti import classifiers  # noqa: PLC0415 - scikit-learn takes a second to load

        features = features_of(lines)
        learning = classifier_model.LearningSchedule(
            rounds=self.rounds,
            limit=4 * self.rounds,
            alpha=self.alpha,
            threads=classifiers.threads_for(self.classifier),
        )
        return features, classifiers.named(self.classifier, features, listed(lines)), learning

    def _apart(self, view: View, lines: Lines, groups: GroupedPeople) -> classifier_power.Apart:
        """Return what exchanges say of the classifier."""
        features, make, learning = self._learner(lines)
        return work.kept(
            self.name, (view.release,), ("classifier's power", view.about, self.classifier, learning),
            lambda: classifier_power.apart_from_rounds(groups, features, make, learning),
        )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class FittedModel:
    """The fit of any tier or model, with notes."""

    fit: AnyFit
    notes: dict[str, float | str]
    rounds: dict[str, Float64] = field(default_factory=dict)  # (entries,) by name, for display
    convergence: Convergence | None = None
    fallback: str = ""  # why the model that came first gave no answer


MakeFit: TypeAlias = Callable[[], FittedModel]


def _first_that_converges(models: Sequence[MakeFit]) -> FittedModel:
    """Return the fit of the first model that gives an answer, with why those before it gave none."""
    unsettled: list[str] = []
    for fit in models:
        try:
            return replace(fit(), fallback=joined(unsettled) if unsettled else "")
        except NotConvergedError as error:
            unsettled.append(str(error))
    raise NotConvergedError(joined(unsettled))


def _power_note(power: float) -> dict[str, float | str]:
    return {POWER: power} if power < 1.0 else {}


def _solutions(found: FixedPointModes) -> str:
    """Return the note on several modes: their number, and the evidence ratio of the best."""
    return message(
        "{n}; the best by {starts} starts, {ratio} times as likely as the next",
        n=len(found.modes),
        starts=found.found[0],
        ratio=f"e^{-found.evidence[1]:.0f}",
    )


def _mixed(view: View, row_of: Int32, weight: Ragged, fit: AnyFit) -> Callable[[Float64], Beliefs]:
    """Return the function from slots' probabilities to beliefs, under the view's prior.

    Each distinct pair of a prior row and a row of slots is one row of beliefs; the pairs are shared by all chains.
    """
    name, prior, release = view.about.name, view.knowledge.prior, view.release
    slots, n_values = fit.slots, len(release.schema[name].values)
    pair_of, first, second = unique_pairs(prior.row_of + 1, row_of + 1)
    shared = replace(prior, row_of=first - 1)
    used, number = np.unique(np.maximum(second - 1, 0), return_inverse=True)
    evidence_of = np.where(second > 0, number, NOT_ATTACKED).astype(np.int32)
    some = weight.take(used)
    factor = over_pooled(1.0, pooled([release], name, prior.values))
    target = None

    def mix(data: Float64) -> Beliefs:
        nonlocal target
        evidence = Ragged(slots.start, slots.column, data, n_values)
        rows = in_terms_of(prior.values, release, name, some @ evidence)

        def formula(before: Float64, row: list[Int32]) -> Float64:
            seen = row[0] >= 0
            likelihood = np.ones_like(before)
            likelihood[seen] = rows.dense(row[0][seen]) * factor
            return before * likelihood

        beliefs = believed(shared, [evidence_of], formula)[0]
        if target is None:  # the same for all chains
            target = frozen(beliefs.row_of[pair_of], np.int32)
        return replace(beliefs, row_of=target)

    return mix


def without_own(view: View, lines: Lines, fit: AnyFit, own: Int32) -> Beliefs:
    """Return the left-out control: each target's posterior from all groups but its own."""
    name, prior, release = view.about.name, view.knowledge.prior, view.release
    profile, profiles = view.knowledge.people.profiles()

    def predict(fit: AnyFit) -> tuple[Int32, Float64]:
        if isinstance(fit, classifier_model.LearnedFit):
            return fit.left_out(own, profile, features_of(lines, profiles))
        if isinstance(fit, EnumeratedFit):
            return fit.left_out(own, profile, codes_of(lines, profiles))
        return left_out(fit, own, profile, codes_of(lines, profiles), np.ones(len(release.schema[name].values)))

    every = work.kept(
        "definetti left out",
        (fit, own, view.knowledge.people),
        view.about,
        lambda: [predict(one) for one in (fit, *fit.replicates)],
    )

    def without(row_of: Int32, dense: Float64) -> Beliefs:
        rows = in_terms_of(prior.values, release, name, Ragged.of(dense))
        return believed(prior, [row_of], lambda before, evidence: before * rows.dense(evidence[0]))[0]

    beliefs, *each = (without(*one) for one in every)
    return replace(beliefs, replicates=tuple(one.rows for one in each))


EXAMPLES = (DeFinetti(),)
