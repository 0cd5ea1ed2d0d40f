"""Comparison of another rule with the paper's vote: beliefs of both about the same rows, scored by the truth.

The vote combines the miners as in the paper, which predict their own training rows; its belief is the share of votes,
with one more vote for each value. The other rule combines a few fast miners that predict held-out groups.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from unmask.arrays import Float64, Int32
from unmask.attacks.fusion.attack import Fusion, question
from unmask.attacks.fusion.rules import all_rules
from unmask.attacks.fusion.rules.fused_beliefs import Fused
from unmask.attacks.fusion.rules.published_cells import PublishedCells
from unmask.auditing.uncertainty import half_width
from unmask.beliefs import About
from unmask.errors import InvalidInputError
from unmask.estimate import Tally, Truth, by_cluster
from unmask.metrics.calibration import CalibrationError
from unmask.metrics.scoring import FLOOR
from unmask.runtime import work
from unmask.runtime.streams import stream
from unmask.studies._sramka_2010.mined import COLUMN, voted
from unmask.studies._sramka_2010.people import AdultPopulation
from unmask.studies._sramka_2010.runs import Database, Key, Miners, chosen, drawn, papers, part
from unmask.wording import marked, message

RULES = tuple(name for name, kind in all_rules.OF_CELLS.items() if kind.needs_held_out and name in all_rules.OF_NUMBERS)
"""Rules for both ranges and noise that need predictions of held-out groups."""

MEASURES = (marked("right"), marked("log loss"), marked("told"))
"""The share of right likeliest values, ties split; the log loss; and the share of partial disclosures (the paper's
scenario A): a set that is a proper part of the row's and no larger than the vote's, or a nearer number."""

LESS_IS_BETTER = (False, True, False)

VERDICTS = BETTER, EQUAL, WORSE = marked("better"), marked("no difference"), marked("worse")


@dataclass(frozen=True, slots=True, eq=False)
class RulePair:
    """Scores of both rules for one column of one database."""

    rule: Float64  # (measures + 1,) the last is the calibration error
    vote: Float64  # (measures + 1,)
    people: Float64  # (groups,)
    more: Float64  # (measures, groups) the rule's score less the vote's, mean of a group

    def packed(self) -> work.Arrays:
        """Return the scores as arrays."""
        return {"rule": self.rule, "vote": self.vote, "people": self.people, "more": self.more}

    @classmethod
    def unpacked(cls, arrays: work.Arrays) -> RulePair:
        """Return the scores of packed arrays."""
        rule, vote, people, more = (np.asarray(arrays[n], np.float64) for n in ("rule", "vote", "people", "more"))
        if rule.shape != (len(MEASURES) + 1,) or vote.shape != rule.shape or more.shape != (len(MEASURES), people.size):
            raise ValueError("these are not two rules of a database")
        return cls(rule, vote, people, more)


@dataclass(frozen=True, slots=True)
class Difference:
    """The rule's score less the vote's, with two 95 % intervals: one by groups of people, one by databases.

    Groups of a database share the error of its overall mean with noise, so a verdict needs both intervals.
    """

    value: float
    low: float
    high: float
    databases: tuple[float, float]
    verdict: str

    @classmethod
    def of(cls, pairs: Sequence[RulePair], measure: int) -> Difference:
        """Return the difference over all databases; each database has separate groups."""
        people = np.concatenate([one.people for one in pairs])
        more = np.concatenate([one.more[measure] for one in pairs])
        value = float(more @ people / people.sum())
        low, high = by_cluster(more, people, np.arange(people.size, dtype=np.int32))
        half = 0.0
        if len(pairs) > 1:
            half = half_width([float(one.more[measure] @ one.people / one.people.sum()) for one in pairs])
        least, most = min(low, value - half), max(high, value + half)
        verdict = EQUAL
        if not least <= 0 <= most:
            verdict = BETTER if (most < 0) == LESS_IS_BETTER[measure] else WORSE
        return cls(value, low, high, (value - half, value + half), verdict)


def run(
    people: AdultPopulation,
    keys: Sequence[Key],
    miners: Miners,
    rule: str,
    size: int,
    databases: int,
    seconds: float,
    seed: int,
) -> Mapping[Key, Sequence[RulePair]]:
    """Draw and sanitize the databases, and return the scores of both rules; finished parts are stored."""
    found: dict[Key, list[RulePair]] = {key: [] for key in keys}
    better = Fusion("fast", rule, seconds=seconds)
    for one, key, parts in drawn(people, keys, size, databases, seed, "fusion-against", f"{miners} {rule} {seconds}"):
        names = chosen(miners, numbers=not key[1].k)
        compute = partial(pair, one, key, papers(names, seconds), better)
        found[key].append(parts.saved(part(key), compute, RulePair.packed, RulePair.unpacked))
    return found


def pair(database: Database, key: Key, paper: Fusion, better: Fusion) -> RulePair:
    """Return the scores of both rules for one column of one database."""
    attribute, setting = key
    made = database.published(setting)
    vote = voted(made, database.people, attribute, paper, database.seed)
    about = question(made.release, COLUMN[attribute])
    rule = better.run(about, stream(database.seed, "sramka-2010", "against", attribute)).fused
    return judged(rule, vote.run.fused, about.cells, vote.truth, made.release.group_of_row)


def judged(rule: Fused, vote: Fused, cells: PublishedCells, truth: Float64, group_of: Int32) -> RulePair:
    """Return the scores of two rules by the truth, (rows,), and their difference by group."""
    group = np.unique(group_of, return_inverse=True)[1].ravel().astype(np.int32)
    people = np.bincount(group).astype(np.float64)
    if cells.published is None:
        narrower = _narrower(rule, vote, cells, truth)
    else:
        narrower = (_nearer(rule, cells, truth), _nearer(vote, cells, truth))
    one, other = (_believed(fused, cells, truth, group) for fused in (rule, vote))
    rows = [np.stack([*measured[0], also]) for measured, also in zip((one, other), narrower, strict=True)]
    more = np.stack([np.bincount(group, difference) / people for difference in rows[0] - rows[1]])
    both = [np.append(each.mean(axis=1), error) for each, error in zip(rows, (one[1], other[1]), strict=True)]
    return RulePair(both[0], both[1], people, more)


def _believed(
    fused: Fused, cells: PublishedCells, truth: Float64, group: Int32
) -> tuple[tuple[Float64, Float64], float]:
    """Return the accuracy of the likeliest value and the log loss, (rows,), and the calibration error."""
    about, values = About.attribute("column"), tuple(f"{number:g}" for number in cells.number)
    place = np.searchsorted(cells.number, truth).astype(np.int32)
    tally = Tally.of(fused.beliefs(about, values), Truth(about, values, place, cluster=group))
    loss = -np.log(np.maximum(tally.of_truth(), FLOOR))
    rows = (tally.top()[1][tally.cell_of], loss[tally.cell_of])
    return rows, float(CalibrationError().measure(tally).value or 0.0)


def _nearer(fused: Fused, cells: PublishedCells, truth: Float64) -> Float64:
    """Return 1 for rows whose predicted number is nearer to the truth than the published one, (rows,)."""
    far = np.abs(np.asarray(cells.published)[cells.cell] - truth)
    miss = np.abs(fused.point[fused.row_of] - truth)
    return np.asarray((miss < far) | (miss == 0), np.float64)


def _narrower(rule: Fused, vote: Fused, cells: PublishedCells, truth: Float64) -> tuple[Float64, Float64]:
    """Return 1 for rows with the truth in a set that is a proper part of the row's, (rows,): the rule's, the vote's.

    The vote's set has the values that it names, declared or not. The rule's has as many of its likeliest values as the
    vote names declared ones, and fewer than the row's cell.
    """
    if cells.declared is None or cells.axis is None:
        raise InvalidInputError(message("cells must have an axis; these have none"))
    named = np.isin(vote.best.column, cells.declared)
    size = np.bincount(vote.best.row[named], minlength=vote.best.n_rows)[vote.row_of]
    of_row, sets = rule.highest(size, cells)
    holds = sets.at(of_row.astype(np.int64), np.searchsorted(cells.number, truth)) > 0
    held = vote.best.at(vote.row_of.astype(np.int64), np.searchsorted(cells.axis, truth)) > 0
    proper = vote.n_best[vote.row_of] < cells.held(domain=False).sum(axis=1)[cells.cell]
    return holds.astype(np.float64), (held & proper).astype(np.float64)
