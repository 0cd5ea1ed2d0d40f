"""Fusion of one column of one sanitized database: its utility, compared with each miner and a guess."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from unmask.arrays import Float64, Int32, Int64
from unmask.attacks.fusion.attack import Fusion, question
from unmask.attacks.fusion.miners.training_data import Lesson
from unmask.attacks.fusion.predicted_rows import FusionRun
from unmask.attacks.fusion.rules.published_cells import PublishedCells
from unmask.attacks.fusion.rules.voting import Vote
from unmask.attacks.fusion.scenario import EXACT, PARTIAL
from unmask.attacks.fusion.scenario_utility import Success, success_of
from unmask.release import Publication, Sanitizer
from unmask.runtime import work
from unmask.runtime.streams import stream
from unmask.sanitizers.k_member import KMember
from unmask.sanitizers.laplace import Laplace
from unmask.table import Table
from unmask.wording import marked

COLUMN = {"age": "age", "edu": "education-num"}
INCLUSIVE, EXCLUSIVE = marked("B inclusive"), marked("B exclusive")
VIEWS = ("A", INCLUSIVE, EXCLUSIVE)
NUMBERS = ("utility", "ideal", "best", "guess", "named", "size", "shown")


@dataclass(frozen=True)
class SanitizerSetting:
    """Parameters of the sanitizer: groups of k, with education by number or by taxonomy; or noise."""

    k: int = 0
    epsilon: float = 0.0
    edu: str = ""  # distance of education in groups of k

    @property
    def key(self) -> str:
        """The column heading in the paper's table."""
        return f"k={self.k}" if self.k else "eps=" + f"{self.epsilon:g}".removeprefix("0")

    @property
    def sanitizer(self) -> Sanitizer:
        """The sanitizer with these parameters."""
        if self.k:
            taxonomies = ("education-num",) if self.edu == "taxonomy" else ()
            return KMember(self.k, finest={"age": 1, "education-num": 1}, taxonomies=taxonomies)
        return Laplace(self.epsilon, {"age": (), "education-num": ()})


@dataclass(frozen=True, slots=True, eq=False)
class ColumnScores:
    """Utility of fused guesses about one column of one database."""

    number: Float64  # (views, numbers) NaN where there is none
    miners: Float64  # (A and B, miners) the utility of each alone; NaN where it was left out

    def of(self, view: str, name: str) -> float:
        """Return one number of one view."""
        return float(self.number[VIEWS.index(view), NUMBERS.index(name)])

    def packed(self) -> work.Arrays:
        """Return the scores as arrays."""
        return {"number": self.number, "miners": self.miners}

    @classmethod
    def unpacked(cls, arrays: work.Arrays) -> ColumnScores:
        """Return the scores of packed arrays."""
        number, miners = arrays["number"], arrays["miners"]
        if number.shape != (len(VIEWS), len(NUMBERS)) or miners.ndim != 2:
            raise ValueError("these are not the numbers of a database")
        return cls(np.asarray(number, np.float64), np.asarray(miners, np.float64))


def published(people: Table, setting: SanitizerSetting, seed: int, database: int) -> Publication:
    """Return a sanitized database; noise is drawn by the operating system."""
    rng = stream(seed, "sramka-2010", "sanitizer", setting.key, setting.edu, str(database))
    return setting.sanitizer.sanitize(people, rng)


@dataclass(frozen=True, slots=True, eq=False)
class FusedColumn:
    """Predictions for one column of miners trained on all rows, combined as in the paper, and the truth."""

    cells: PublishedCells
    run: FusionRun
    truth: Float64  # (published rows,)


def voted(made: Publication, people: Table, attribute: str, fusion: Fusion, seed: int) -> FusedColumn:
    """Train all miners on all rows, and combine their predictions."""
    name = COLUMN[attribute]
    row_of = _row_of(made)
    truth = np.empty(made.release.n_rows)
    truth[row_of] = people[name]
    about = question(made.release, name)
    lesson, cells = _as_people_stood(_with_suppressed(about.lesson, about.cells.cell), about.cells, row_of)
    run = fusion.run(replace(about, lesson=lesson, cells=cells), stream(seed, "sramka-2010", "miners", attribute))
    return FusedColumn(about.cells, _as_published(run, row_of), truth)


def fused(
    made: Publication, people: Table, attribute: str, miners: Sequence[str], fusion: Fusion, seed: int
) -> ColumnScores:
    """Combine the miners' predictions as in the paper, and score them by the truth."""
    found = voted(made, people, attribute, fusion, seed)
    cells, run = found.cells, found.run
    is_ranges = not run.predictions.is_numeric
    exclusive = Vote("exclusive", domain=False).fuse(run.predictions, cells) if is_ranges else run.fused
    worth = [
        success_of(run.predictions, guess, cells, found.truth, scenario, domain=False)
        for guess, scenario in ((run.fused, PARTIAL), (run.fused, EXACT), (exclusive, EXACT))
    ]
    alone = [[one.by_miner.get(miner, np.nan) for miner in miners] for one in worth[:2]]
    return ColumnScores(np.array([_numbers(one) for one in worth]), np.array(alone))


def _row_of(made: Publication) -> Int64:
    if made.row_of is None:
        raise ValueError("this study's sanitizers publish a row of each person")
    return made.row_of


def _as_people_stood(lesson: Lesson, cells: PublishedCells, row_of: Int64) -> tuple[Lesson, PublishedCells]:
    """Return rows in the order of the database, as in the paper: one sanitized tuple for each of its own.

    A release sorts them by group. If several ranges tie, HyperPipes predicts the first one: in sorted rows that is the
    range of the tightest group, in these of any group.
    """
    features, answer, group_of = lesson.features[row_of], lesson.answer[row_of], lesson.group_of[row_of]
    stood = replace(lesson, features=features, answer=answer, group_of=group_of)
    own = None if cells.group_of is None else cells.group_of[row_of]
    return stood, replace(cells, cell=cells.cell[row_of], group_of=own)


def _as_published(run: FusionRun, row_of: Int64) -> FusionRun:
    """Return a run by published row from a run by person."""
    person = np.argsort(row_of)
    predictions = replace(run.predictions, row_of=run.predictions.row_of[person])
    return replace(run, predictions=predictions, fused=replace(run.fused, row_of=run.fused.row_of[person]))


def _with_suppressed(lesson: Lesson, cell: Int32) -> Lesson:
    """Return training data with suppressed rows: suppression becomes a class like any other.

    The attack leaves them out. Then each miner predicts a narrower range for nearly all people, and the widest
    range wins: in large groups twice as many people are disclosed as in the paper.
    """
    return lesson if lesson.is_numeric else replace(lesson, answer=cell, n_classes=int(cell.max()) + 1)


def _numbers(one: Success) -> list[float]:
    guess = np.nan if one.guess is None else one.guess
    return [one.utility, one.ideal, one.best, guess, one.named, one.size, one.row_size]
