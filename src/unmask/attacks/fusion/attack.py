"""Fusion attack: the combined predictions of many data miners that are trained on published rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

import numpy as np

from unmask.arrays import Float64, Int32, Ragged
from unmask.attacks.fusion.predicted_rows import FusionRun, PredictedRows
from unmask.attacks.fusion.released_training_data import TrainingQuestion, training_question
from unmask.attacks.fusion.rules import all_rules
from unmask.attacks.shared.pooling import believed, error_between, over_pooled
from unmask.beliefs import NOT_ATTACKED, Beliefs
from unmask.errors import InvalidInputError, NotApplicableError
from unmask.masks import published_values
from unmask.outcome import Outcome
from unmask.parameters import TextForm, check_parameters, list_text
from unmask.release import Release
from unmask.runtime.extras import why_missing
from unmask.view import Requirements, View, Worlds
from unmask.wording import message

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
"""A few fast miners, all of scikit-learn, the paper's own (Weka), or miners by name."""


@dataclass(frozen=True)
class Fusion:
    """Train many data miners on the published rows, and combine their predictions of a generalized attribute.

    A row with age 20-59 is published beside rows with age 20-24, and the other columns, job and education, correlate
    with age in both. A miner learns this correlation from the other rows. Miners make different errors, which partly
    cancel in the combination; the row's own cell rules out the other values.

    Assumes
        The published row of each target is known. Nested levels are the narrowest that contain their group; other
        cells depend on the hidden value only by containing it. The scale of noise is published.
    Infers
        `P(v) ∝ P(cell | v) · mixture of miners' P_m(v | other columns of the row) · prior(v) / shares(v)`, by the
        rule `stacking`, or by another rule; `paper` means the paper's two. Each miner predicts whole held-out groups,
        in `folds` folds; with `folds=0` all rows are training rows, as in the paper, and rules that weigh miners
        refuse that. The result is the mean of `runs` runs with different folds and seeds; sampled. A heuristic. With
        `domain=false` votes count all numbers of a range, declared or not, and miners also predict the widest range,
        as in the paper; suppressed rows are never training rows. Of more than `classes` cells, similar ones are merged
        to one class. The control applies the same rule to the predictions for the row, from models without its group,
        and ignores the row's own cell; with `folds=0` there is none.
    Fails
        With `NotApplicableError` for several releases, attributes other than a generalized or noisy quasi-identifier,
        targets whose rows are unknown, numbers without a step, and if no miner can answer. A miner that fails or
        takes longer than `seconds` is left out, with a note.

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
    classes: int = 40  # at most: more cells are merged
    seconds: float = 600.0  # limit of one miner
    jobs: int = 0  # miners at a time; 0: one for each processor

    def __post_init__(self) -> None:
        check_parameters(self)
        if self.rule not in RULES:
            raise InvalidInputError.unknown_name(message("rule"), self.rule, RULES)
        if self.folds < 0 or self.folds == 1:
            raise InvalidInputError(
                message("folds must be 0 (train on all rows), or at least 2; got {folds}", folds=self.folds)
            )
        if self.folds == 0 and any(kinds[self.rule].needs_held_out for kinds in KINDS if self.rule in kinds):
            msg = message(
                "rule {rule} must have predictions for held-out groups; got folds=0. Use rule=paper", rule=self.rule
            )
            raise InvalidInputError(msg)
        if self.classes < 2:
            raise InvalidInputError(message("classes must be at least 2; got {classes}", classes=self.classes))
        if self.runs < 2:
            raise InvalidInputError(
                message("runs must be at least 2, so that they can differ; got {runs}", runs=self.runs)
            )

    def infer(self, view: View, rng: np.random.Generator) -> Beliefs:
        """Return the mean posterior of all runs, each run as a part, and the left-out control."""
        return self.combine(view, self.predict(view, rng))

    def predict(self, view: View, rng: np.random.Generator) -> PredictedRows:
        """Train all miners `runs` times, and return their predictions for all published rows."""
        view.require(self.requirements)
        row = _rows_of(view)
        question = training_question(view.release, view.about.name, view.knowledge.prior.values, domain=self.domain)
        question = question.bounded(self.classes)
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
        """Train all miners once, and combine their predictions."""
        if why := why_missing("sklearn"):
            raise NotApplicableError(message("needs {why}", why=why))
        from unmask.attacks.fusion.miners.training import Mining, mine  # noqa: PLC0415 - scikit-learn takes a second to load

        numbers = question.lesson.is_numeric
        groups = np.unique(question.lesson.group_of[question.lesson.known]).size
        if self.folds and groups < 2:
            msg = message(
                "needs at least two groups, one to learn from and one to predict; got {groups}", groups=groups
            )
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
            kind = "numbers" if numbers else "cells"
            msg = message(
                "rule {name} needs other rows; these have {kind}. Use one of {known}",
                name=name,
                kind=kind,
                known=", ".join(known),
            )
            raise NotApplicableError(msg)
        settings: dict[str, Any] = {} if self.domain or "vote" not in name else {"domain": False}
        return all_rules.rule(name, numbers=numbers, **settings)


def question(release: Release, name: str) -> TrainingQuestion:
    """Return the training question about a column of published rows, with all its possible values."""
    return training_question(release, name, published_values.values_behind(release, name))


def chosen(names: Miners, *, numbers: bool) -> tuple[Any, ...]:
    """Return the miners of a list of names, or of a keyword.

    Fails
        With `NotApplicableError` for an unknown name.
    """
    from unmask.attacks.fusion.miners.all_miners import miners, named  # noqa: PLC0415

    if names == "all":
        return miners(numbers=numbers, library="scikit-learn")
    if names == "weka":
        return miners(numbers=numbers, library="weka")
    try:
        return named(FAST[numbers] if isinstance(names, str) else names, numbers=numbers)
    except InvalidInputError as error:
        raise NotApplicableError(str(error)) from error


def _rows_of(view: View) -> Int32:
    """Return the published row of each target, (targets,); negative where unknown."""
    located = view.knowledge.located
    row = None if located is None else located[0].row
    if row is None or not (row >= 0).any():
        msg = message("needs to know which published row each target is, since it predicts rows. Leave people out")
        raise NotApplicableError(msg)
    return np.where(row >= 0, row, NOT_ATTACKED).astype(np.int32)


def _n_groups(question: TrainingQuestion) -> int:
    return int(np.unique(question.lesson.group_of).size)


def _outcome(found: Sequence[FusionRun], unknown_rows: int) -> Outcome:
    """Return the miners that answered in all runs, and the reasons of the others."""
    ran = tuple(name for name in found[0].predictions.names if all(name in one.predictions.names for one in found))
    failed: dict[str, str] = {}
    for one in found:
        failed.update(one.predictions.left_out)
    return Outcome(unknown_rows=unknown_rows, miners=ran, failed_miners=failed)


EXAMPLES = (Fusion(),)
