"""Fusion: many data miners learn from published rows what they hide, and one rule makes one belief of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np

from unmask.arrays import Float64, Int32, Ragged
from unmask.attacks.fusion.miners.predictions import Predictions
from unmask.attacks.fusion.released_training_data import TrainingQuestion, training_question
from unmask.attacks.fusion.rules import all_rules
from unmask.attacks.fusion.rules.fused_beliefs import Fused
from unmask.attacks.shared.pooling import believed, error_between, over_pooled
from unmask.beliefs import NOT_ATTACKED, Beliefs
from unmask.errors import InvalidInputError, NotApplicableError
from unmask.masks import published_values
from unmask.outcome import Outcome
from unmask.parameters import TextForm, check_parameters, list_text
from unmask.release import Release
from unmask.view import Requirements, View, Worlds

KINDS = (all_rules.OF_CELLS, all_rules.OF_NUMBERS)

RULES = ("paper", *dict.fromkeys(name for kinds in KINDS for name in kinds))

FAST = {
    False: ("majority", "one-attribute", "naive-bayes", "tree-of-twenty", "logistic", "boosted-trees"),
    True: ("mean", "stump", "tree", "linear", "ridge", "boosted-trees"),
}
"""A few miners of different kinds that take seconds: of cells, and of numbers."""

Names: TypeAlias = Annotated[
    tuple[str, ...], TextForm(lambda text: tuple(name for name in re.split(r"[,;\s]+", text) if name), list_text)
]
Miners: TypeAlias = Literal["fast", "all", "weka"] | Names
"""A few fast ones, all of scikit-learn's, the paper's own, or miners by name."""


@dataclass(frozen=True)
class Fusion:
    """Let many data miners learn from all rows what some hide, and make one belief of what they say.

    Rows that show an age as 20-59 stand beside rows that show 20-24, and what else they show, job and schooling, goes
    with age in both. A miner learns that from the rows of others. Each miner errs in its own way; heard together they
    err less, and what a row itself shows rules out the rest.

    Assumes
        The published row of each target is known. Nested levels are the narrowest that hold their group; of other
        cells what is shown depends on the hidden value only by whether the cell holds it. The scale of noise is told.
    Infers
        `P(v) ∝ P(shown | v) · mixture of miners' P_m(v | everything else on the row) · prior(v) / shares(v)`, by the
        rule `stacking`; the other rules of the family in its place, the paper's two as `paper`. Each miner predicts
        whole groups that it has not seen, `folds` times; with `folds=0` all rows are learned from, as in the paper,
        which rules that learn refuse. All is done `runs` times with other folds and seeds, and averaged; sampled. A
        heuristic. With `domain=false` votes count all that a range holds, declared or not, and miners learn to predict
        the widest one, too, as in the paper; nothing is learned from rows that are suppressed. The control is what the
        same rule makes of what miners say of a row whose group they have not seen, before what it shows itself is
        looked at; with `folds=0` there is none.
    Fails
        With `NotApplicableError` for several releases, questions about anything but a quasi-identifier that rows hide,
        targets whose rows are not known, numbers without a step, and where no miner can answer. A miner that fails or
        takes longer than `seconds` is left out, and the notes say so.

    References
    ----------
    Sramka, Safavi-Naini, Denzinger. An attack on the privacy of sanitized data that fuses the outputs of multiple data
    miners. ICDM workshops 2010.
    """

    name: ClassVar[str] = "fusion"
    worlds: ClassVar[Worlds | None] = None
    requirements: ClassVar[Requirements] = Requirements(counts=None, masked_attribute=True)
    miners: Miners = "fast"  # several by one word, or names
    rule: str = "stacking"
    folds: int = 5
    runs: int = 2
    domain: bool = True
    seconds: float = 600.0  # that one miner may take
    jobs: int = 0  # miners at a time; 0: one for each processor

    def __post_init__(self) -> None:
        check_parameters(self)
        if self.rule not in RULES:
            raise InvalidInputError.unknown_name("rule", self.rule, RULES)
        if self.folds < 0 or self.folds == 1:
            raise InvalidInputError(f"folds must be 0 (learn from all), or at least 2; got {self.folds}")
        if self.folds == 0 and any(kinds[self.rule].needs_held_out for kinds in KINDS if self.rule in kinds):
            msg = f"rule {self.rule} must hear miners of groups they have not seen; got folds=0. Use rule=paper"
            raise InvalidInputError(msg)
        if self.runs < 2:
            raise InvalidInputError(f"runs must be at least 2, so that they can differ; got {self.runs}")

    def infer(self, view: View, rng: np.random.Generator) -> Beliefs:
        """Return the mean of what each run believes, each as a part, and what miners say without the own group."""
        return self.combine(view, self.predict(view, rng))

    def predict(self, view: View, rng: np.random.Generator) -> PredictedRows:
        """Train all miners `runs` times, and return their predictions for all published rows."""
        view.require(self.requirements)
        row = _rows_of(view)
        question = training_question(view.release, view.about.name, view.knowledge.prior.values, domain=self.domain)
        return PredictedRows(question, row, tuple(self.run(question, rng) for _ in range(self.runs)))

    def combine(self, view: View, predicted: PredictedRows) -> Beliefs:
        """Return the posterior of each target, from the predictions of all runs."""
        question, row, found = predicted.question, predicted.row, predicted.runs
        prior, release = view.knowledge.prior, view.release
        factor = over_pooled(1.0, published_values.shares(release, view.about.name, question.values))
        order = [question.values.index(value) for value in prior.values]
        row_of = [
            np.where(row >= 0, one.fused.row_of[np.maximum(row, 0)], NOT_ATTACKED).astype(np.int32) for one in found
        ]

        def mixed(rows: Sequence[Ragged], used: Sequence[int]) -> Beliefs:
            def formula(before: Float64, combo: list[Int32]) -> Float64:
                seen = combo[0] >= 0
                likely = np.ones_like(before)
                mean = sum(rows[r].dense(combo[r][seen]) for r in used) / len(used)
                likely[seen] = (mean * factor)[:, order]
                return before * likely

            return believed(prior, row_of, formula)[0]

        every = range(self.runs)
        rows = [one.fused.rows for one in found]
        beliefs = mixed(rows, every)
        parts = {f"chain {r + 1}": mixed(rows, [r]) for r in every}
        replicates = tuple(part.rows for part in parts.values())
        control = [one.without for one in found if one.without is not None]
        left_out = None
        if len(control) == self.runs:
            left_out = replace(mixed(control, every), replicates=tuple(mixed(control, [r]).rows for r in every))
        return replace(
            beliefs,
            error=error_between(beliefs, replicates),
            replicates=replicates,
            parts=parts,
            outcome=_outcome(found, unknown_rows=int((row < 0).sum())),
            left_out=None if left_out is None else lambda _own: left_out,
            unplaced=(row < 0,),
        )

    def run(self, question: TrainingQuestion, rng: np.random.Generator) -> FusionRun:
        """Let all miners learn once, and fuse what they say."""
        from unmask.attacks.fusion.miners.training import Mining, mine  # noqa: PLC0415 - scikit-learn takes a second to load

        numbers = question.lesson.is_numeric
        groups = np.unique(question.lesson.group_of[question.lesson.known]).size
        if self.folds and groups < 2:
            msg = f"needs at least two groups, one to learn from and one to predict; got {groups}"
            raise NotApplicableError(msg)
        mining = Mining(min(self.folds, _n_groups(question)), self.seconds, jobs=self.jobs)
        predictions = mine(question.lesson, chosen(self.miners, numbers=numbers), mining, rng)
        rule = self._rule(numbers=numbers)
        fused = rule.fuse(predictions, question.cells)
        if not predictions.held_out:
            return FusionRun(predictions, fused, None)
        return FusionRun(predictions, fused, rule.fuse(predictions, replace(question.cells, looked_at=False)).rows)

    def _rule(self, *, numbers: bool) -> all_rules.FusionRule:
        name = {True: "most-frequent", False: "vote"}[numbers] if self.rule == "paper" else self.rule
        known = all_rules.OF_NUMBERS if numbers else all_rules.OF_CELLS
        if name not in known:
            shows = "numbers" if numbers else "cells"
            msg = f"rule {name} needs other rows; these show {shows}. Use one of {', '.join(known)}"
            raise NotApplicableError(msg)
        settings: dict[str, Any] = {} if self.domain or "vote" not in name else {"domain": False}
        return all_rules.rule(name, numbers=numbers, **settings)


@runtime_checkable
class CombinesPredictions(Protocol):
    """An attack that combines predictions about published rows, which a scenario scores one by one."""

    @property
    def domain(self) -> bool:
        """Whether votes count the declared values of a range only."""
        ...

    def predict(self, view: View, rng: np.random.Generator) -> PredictedRows:
        """Return the predictions for all published rows."""
        ...

    def combine(self, view: View, predicted: PredictedRows) -> Beliefs:
        """Return the beliefs about the targets that follow from the predictions."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class FusionRun:
    """What miners said, and what one rule made of it."""

    predictions: Predictions
    fused: Fused
    without: Ragged | None  # (distinct, values) what is believed before the own row is looked at


@dataclass(frozen=True, slots=True, eq=False)
class PredictedRows:
    """The question, the published row of each target, and the predictions of all runs for every row."""

    question: TrainingQuestion
    row: Int32  # (targets,) negative where it is not known
    runs: tuple[FusionRun, ...]


def question(release: Release, name: str) -> TrainingQuestion:
    """Return what is asked about a column of published rows, whatever value may stand behind it."""
    return training_question(release, name, published_values.values_behind(release, name))


def chosen(names: Miners, *, numbers: bool) -> tuple[Any, ...]:
    """Return miners by name, or those that a word stands for.

    Fails
        With `NotApplicableError` for a name that no miner of such rows has.
    """
    from unmask.attacks.fusion.miners.all_miners import miners, named  # noqa: PLC0415

    if names == "all":
        return miners(numbers=numbers, library="scikit-learn")
    if names == "weka":
        return miners(numbers=numbers, library="weka")
    try:
        return named(FAST[numbers] if isinstance(names, str) else names, numbers=numbers)
    except InvalidInputError as error:
        raise NotApplicableError(f"{error}") from error


def _rows_of(view: View) -> Int32:
    """Return the published row of each target, (targets,); negative where it is not known."""
    located = view.knowledge.located
    row = None if located is None else located[0].row
    if row is None or not (row >= 0).any():
        msg = "needs to know which published row each target is: it tells what that row hides. Leave people out"
        raise NotApplicableError(msg)
    return np.where(row >= 0, row, NOT_ATTACKED).astype(np.int32)


def _n_groups(question: TrainingQuestion) -> int:
    return int(np.unique(question.lesson.group_of).size)


def _outcome(found: Sequence[FusionRun], unknown_rows: int) -> Outcome:
    """Return which miners answered in all runs, and why others did not."""
    ran = tuple(name for name in found[0].predictions.names if all(name in one.predictions.names for one in found))
    failed: dict[str, str] = {}
    for one in found:
        failed.update(one.predictions.left_out)
    return Outcome(unknown_rows=unknown_rows, miners=ran, failed_miners=failed)


EXAMPLES = (Fusion(),)
