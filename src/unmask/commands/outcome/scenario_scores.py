"""Scores of fused predictions by a scenario, as measures of a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from unmask.arrays import Float64
from unmask.attacks.fusion.predicted_rows import CombinesPredictions, PredictedRows
from unmask.attacks.fusion.scenario import Scenario
from unmask.attacks.fusion.scenario_utility import Ratio, Success, success_of
from unmask.auditing.findings import AttackMeasure, AttackResult
from unmask.auditing.uncertainty import over_replicates
from unmask.commands.notes import Notes
from unmask.errors import InvalidInputError
from unmask.estimate import Estimate, Truth
from unmask.files.raw import Raw
from unmask.files.row_truth import RowTruth
from unmask.files.scenarios import read_scenario
from unmask.masks import published_values
from unmask.number_format import numeral
from unmask.release import Release
from unmask.schema import Schema, domain_values, labels_of
from unmask.table import Table
from unmask.view import Attack
from unmask.wording import message

MEASURES: Mapping[str, tuple[bool, Callable[[Success], float | Ratio | None]]] = {
    "utility": (True, lambda one: one.utility),
    "utility-ideal": (True, lambda one: one.ideal),
    "utility-best": (True, lambda one: one.best),
    "utility-guess": (True, lambda one: one.guess),
    "sigma-ideal": (True, lambda one: one.sigma_ideal),
    "sigma-best": (True, lambda one: one.sigma_best),
    "sigma-guess": (True, lambda one: one.sigma_guess),
    "named-share": (True, lambda one: one.named),
    "named-size": (False, lambda one: one.size),
    "shown-size": (False, lambda one: one.row_size),
}
"""By name: whether higher is worse for people, and the value in a run."""


@dataclass(frozen=True, slots=True, eq=False)
class Judge:
    """A scenario, with the weight of each published row."""

    scenario: Scenario
    attack: CombinesPredictions
    weight: Float64 = field(repr=False)  # (published rows,)

    @classmethod
    def of(
        cls, scenario: Scenario | str | Path, attack: Attack, row_truth: RowTruth | None, *, people: bool = False
    ) -> Judge:
        """Return the judge of a scenario, with weights from the true values of rows.

        Fails
            With `InvalidInputError` for an attack without predictions, for `people` other than those of the rows,
            without the truth, and for an interest in columns that the truth lacks.
        """
        if not isinstance(attack, CombinesPredictions):
            msg = message(
                "a scenario judges the guesses of fusion; {attack} makes none. Leave out --scenario", attack=attack.name
            )
            raise InvalidInputError(msg)
        if people:
            msg = message("a scenario must be about the published rows, and not about listed people")
            raise InvalidInputError(message("{msg}. Leave out --people", msg=msg))
        if row_truth is None:
            msg = message(
                "a scenario must come with what is true of the published rows. Write --truth FILE, and --keep "
                "FILE if that is the original table"
            )
            raise InvalidInputError(msg)
        found = scenario if isinstance(scenario, Scenario) else read_scenario(Path(scenario))
        of_line = found.weights(_of_interest(row_truth.raw, found.interest))
        return cls(found, attack, np.append(of_line, 0.0)[row_truth.line])

    def require(self, truth: Truth, values: Sequence[str], release: Release, notes: Notes) -> None:
        """Fail where true values cannot lie behind the rows, before miners are trained; note unknown values.

        Published numbers near the truth allow any value: people are older than the mean of the oldest group.
        """
        name, known = truth.about.name, truth.answer[truth.answer >= 0]
        domain = release.schema[name].domain
        numbers = release.schema[name].is_numeric and published_values.is_near(release, name)
        possible = np.isfinite(domain_values(domain, truth.values)) if numbers else np.isin(truth.values, values)
        wrong = int((~possible[known]).sum())
        if wrong:
            msg = message(
                "what is true of {name} must be a number; rows without that: {wrong}. Name the right file"
                if numbers
                else "what is true of {name} must be something that rows may hide; rows without that: {wrong}. "
                "Declare its values, or name the right file",
                name=name,
                wrong=numeral(wrong),
            )
            raise InvalidInputError(msg)
        outside = int((~np.isin(truth.values, values)[known]).sum())
        if outside:
            numbered = domain_values(domain, values)
            least, greatest = labels_of(domain, np.array([numbered.min(), numbered.max()]))
            notes.add(
                message(
                    "{outside} of {size} rows have a true {name} outside the numbers believed possible, from {least} "
                    "to {greatest}: no belief about them is right, but a guess may be nearer. Declare low and high "
                    "when sanitizing",
                    outside=numeral(outside),
                    size=numeral(known.size),
                    name=name,
                    least=least,
                    greatest=greatest,
                )
            )
        unknown = int((truth.answer < 0).sum())
        if unknown:
            notes.add(
                message("rows whose true value is unknown: {unknown}; they have weight 0", unknown=numeral(unknown))
            )

    def judged(self, result: AttackResult, predicted: PredictedRows, truth: Truth) -> AttackResult:
        """Return a result with scores of the scenario: means over runs, with the standard error over runs."""
        question = predicted.question
        place = dict(zip(question.values, question.cells.number.tolist(), strict=True))
        labels = [place.get(label, np.nan) for label in truth.values]
        numbers = domain_values(question.domain, truth.values) if question.lesson.is_numeric else labels
        number = np.append(numbers, question.cells.number[0])
        known = truth.answer >= 0
        true = number[np.where(known, truth.answer, -1)]
        weight = np.where(known, self.weight, 0.0)
        domain = self.attack.domain
        runs = [
            success_of(
                run.predictions,
                run.fused,
                question.cells,
                true,
                self.scenario,
                weight=weight,
                domain=domain,
            )
            for run in predicted.runs
        ]
        more = tuple(
            AttackMeasure(name, None, _estimate([of(one) for one in runs], int(known.sum())), higher_is_worse=worse)
            for name, (worse, of) in MEASURES.items()
        )
        best = dict.fromkeys(miner for one in runs for miner in one.best_miners)
        outcome = replace(result.outcome, best_miners=tuple(best))
        return replace(result, measures=result.measures + more, outcome=outcome)


def _of_interest(raw: Raw, interest: Mapping[str, object]) -> Table:
    """Return the columns of interest, (lines,)."""
    columns: dict[str, list[float | str | None]] = {}
    for name in interest:
        if name not in raw.columns:
            raise InvalidInputError.unknown_name(message("column of interest"), name, raw.columns)
        column = raw[name]
        values = column.labels if column.numbers is None else column.numbers.tolist()
        columns[name] = [values[code] if code >= 0 else None for code in column.codes.tolist()]
    return Table.of(columns, quasi=list(columns)) if columns else Table(Schema(()), {}, raw.n_rows)


def _estimate(runs: list[float | Ratio | None], n: int) -> Estimate:
    """Return the mean over runs; undefined where it is undefined or infinite in any of them."""
    values = []
    for one in runs:
        ratio = (
            one
            if isinstance(one, Ratio)
            else Ratio(one, message("a value drawn at random has no worth of its own here"))
        )
        if ratio.value is None or not np.isfinite(ratio.value):
            why = message("endless; {reason}", reason=ratio.why) if ratio.value is not None else ratio.why
            return Estimate.undefined(why, n)
        values.append(ratio.value)
    return over_replicates(Estimate.exact(float(np.mean(values)), n), values)
