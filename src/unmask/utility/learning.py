"""Learning: the accuracy on new people of a model trained on the release."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64, distinct_rows
from unmask.errors import InvalidInputError
from unmask.estimate import NORMAL_95, Estimate
from unmask.masks.atoms import labels_in
from unmask.masks.cells import Cells
from unmask.number_format import numeral
from unmask.parameters import check_parameters
from unmask.runtime import work
from unmask.runtime.extras import why_missing
from unmask.schema import Schema, recode
from unmask.table import Table
from unmask.utility import _features
from unmask.utility.utility_measure import PublishedTable, Quality
from unmask.wording import message

Learner = Literal["logistic", "trees"]

Few = Callable[[Int64], Int64]
"""Chooses the rows of a training set."""


@dataclass(frozen=True)
class Learning:
    """Train a classifier on the release, and score its predictions of a sensitive value for new people.

    Without people outside the release, part of the original people is held out: their published rows are removed
    before training, and the model is tested on their true attributes.

    Assumes
        That an analyst reads a range of numbers or ordered values as its middle, and a set of values as each of them
        in part. Where only the values of a group are published, each of its rows has all of them in part.
    Measures
        The share of new people whose value is predicted rightly; beside it, as `original`, the same after training on
        the original rows of the same people, and as `majority` by guessing the most frequent value. `logistic`:
        multinomial logistic regression; `trees`: gradient boosted trees. Sampled: the interval is Wilson's at 95 %.
    Fails
        With `InvalidInputError` for a share that leaves no people. Undefined without the extra miners, without a
        sensitive attribute, or where neither people outside the release nor the group of each person are known.

    References
    ----------
    LeFevre, DeWitt, Ramakrishnan. Workload-aware anonymization. KDD 2006. Brickell, Shmatikov. The cost of privacy:
    destruction of data-mining utility in anonymized data publishing. KDD 2008.
    """

    name: ClassVar[str] = "learning"
    higher_is_better: ClassVar[bool] = True
    learner: Learner = "trees"
    held_out: float = 0.25
    target: str | None = None  # the first sensitive attribute by default
    most: int = 10_000  # most people to train on, and to predict; beyond, a sample is drawn

    def __post_init__(self) -> None:
        check_parameters(self)
        if self.most < 2:
            msg = message("most must be at least 2 people to learn from; got {most}", most=self.most)
            raise InvalidInputError(msg)
        if not 0 < self.held_out < 1:
            msg = message(
                "the share held out must lie between 0 and 1; got {held_out}", held_out=numeral(self.held_out, "g")
            )
            raise InvalidInputError(msg)

    def measure(self, case: PublishedTable, rng: np.random.Generator) -> Quality:
        """Return the accuracy of the model."""
        if why := why_missing("sklearn"):
            return Quality.undefined(message("it needs {missing}", missing=why))
        target = self._target(case)
        if target is None:
            return Quality.undefined(
                message("no sensitive attribute is counted by group and known of the people to predict")
            )
        seed = int(rng.integers(1 << 31))
        people = case.held_out if case.held_out is not None else case.original
        if people is None or (case.held_out is None and case.group_of is None):
            return Quality.undefined(case.why_unknown)
        values = case.release.schema[target].values
        code = np.append(recode(labels_in(people, target), values), np.int32(-1))[people.ranks(target)[0]]
        new = code >= 0

        def few(rows: Int64) -> Int64:
            return self._few(rows, seed)

        if case.held_out is None:
            new &= _drawn(people, self.held_out, seed)
            kept = ~_together(people, new)
            rows = _Rows.of_people(case, code, kept, target, few)
            originals = self._few(np.flatnonzero(kept & (code >= 0) & (_group_of(case) >= 0)), seed)
        else:
            rows = _Rows.of_release(case, target, few)
            originals = None
        if not new.any() or not rows.weight.size:
            return Quality.undefined(message("the table has no people to predict, or to learn from"))
        encoding = _features.Encoding.of(case.published.cells)
        tested = few(np.flatnonzero(new))
        test, truth = _exact(encoding, case, people, tested), code[tested]
        published = encoding.of_lines(case.published.cells, case.published.cell[rows.line])
        right = self._right(published, rows.value, rows.weight, test, truth, seed)
        most = int(np.argmax(np.bincount(rows.value, rows.weight)))
        parts = {"majority": _share(truth == most)}
        if originals is not None and case.original is not None:
            original = case.original

            def learn() -> Bool:
                train = _exact(encoding, case, original, originals)
                return self._right(train, code[originals], np.ones(originals.size), test, truth, seed)

            cells = tuple(a.name for a in case.published.attributes)
            parts["original"] = _share(work.kept("learning", (original,), (self, target, cells, seed), learn))
        return Quality(_share(right), parts)

    def _few(self, rows: Int64, seed: int) -> Int64:
        """Draw a sample of the rows where they are too many."""
        if rows.size <= self.most:
            return rows
        return np.sort(np.random.default_rng([seed, 1]).choice(rows, self.most, replace=False))

    def _target(self, case: PublishedTable) -> str | None:
        people = case.held_out if case.held_out is not None else case.original
        names = [a.name for a in case.release.schema.sensitive if self.target in {None, a.name}]
        known = [n for n in names if n in case.release.counts and people is not None and n in people.schema]
        return known[0] if known else None

    def _right(self, train: Float64, value: Int32, weight: Float64, test: Float64, truth: Int32, seed: int) -> Bool:
        """Train a model; return whether its prediction is right for each person, (people to predict,)."""
        scale = train.std(axis=0)
        middle, scale = train.mean(axis=0), np.where(scale > 0, scale, 1.0)
        train, test = (train - middle) / scale, (test - middle) / scale
        if np.unique(value).size < 2:
            return np.asarray(truth == value[0])
        from sklearn.ensemble import HistGradientBoostingClassifier  # noqa: PLC0415 - an extra
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415
        from threadpoolctl import threadpool_limits  # noqa: PLC0415

        model: Any = (
            LogisticRegression(max_iter=300, tol=1e-3)
            if self.learner == "logistic"
            else HistGradientBoostingClassifier(
                learning_rate=0.2, max_iter=20, max_leaf_nodes=15, max_bins=64, early_stopping=False, random_state=seed
            )
        )
        with threadpool_limits(limits=1):  # sums in another order could tip a split
            model.fit(train, value, sample_weight=weight)
            predicted = model.predict(test)
        return np.asarray(predicted == truth)


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """The training set that a release gives: lines with weighted values."""

    line: Int32  # (rows,)
    value: Int32  # (rows,)
    weight: Float64  # (rows,)

    @classmethod
    def of_people(cls, case: PublishedTable, code: Int32, kept: Bool, target: str, few: Few) -> _Rows:
        """Return the training rows of some of the original people."""
        group, line = _group_of(case), np.asarray(case.line_of)
        here = kept & (group >= 0)
        if target in case.release.columns and target not in case.release.permuted:
            rows = few(np.flatnonzero(here & (code >= 0)))
            return cls._joined(line[rows], code[rows], np.ones(rows.size))
        known = here & (code >= 0)
        counts = np.zeros((case.release.n_groups, len(case.release.schema[target].values)))
        np.add.at(counts, (group[known], code[known]), 1.0)
        rows = few(np.flatnonzero(here))
        return cls._in_part(line[rows], group[rows], np.ones(rows.size), counts)

    @classmethod
    def of_release(cls, case: PublishedTable, target: str, few: Few) -> _Rows:
        """Return the training rows of all published people."""
        release = case.release
        group_of_line = release.masked.group_of_line
        if target in release.columns and target not in release.permuted:
            line = np.arange(release.n_rows, dtype=np.int32)
            if group_of_line.size != release.n_rows:
                first = np.zeros(release.n_groups, np.int32)
                first[group_of_line] = np.arange(group_of_line.size)
                line = first[release.group_of_row]
            value = release.columns[target]
            rows = few(np.flatnonzero(value >= 0))
            return cls._joined(line[rows], value[rows], np.ones(rows.size))
        lines = few(np.arange(group_of_line.size))
        counts = np.maximum(release.counts_of(target).dense(), 0.0)
        return cls._in_part(lines.astype(np.int32), group_of_line[lines], case.people[lines], counts)

    @classmethod
    def _joined(cls, line: Int32, value: Int32, weight: Float64) -> _Rows:
        pairs = np.stack([line, value], axis=1)
        number, example = distinct_rows(pairs)
        return cls(line[example], value[example], np.bincount(number, weight, example.size).astype(np.float64))

    @classmethod
    def _in_part(cls, line: Int32, group: Int32, weight: Float64, counts: Float64) -> _Rows:
        """Give each row the values of its group, weighted by their share; `counts` is (groups, values)."""
        total = counts.sum(axis=1, keepdims=True)
        share = np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)
        row, value = np.nonzero(share[group])
        return cls._joined(line[row], value.astype(np.int32), weight[row] * share[group[row], value])


def _group_of(case: PublishedTable) -> Int32:
    return np.asarray(case.group_of)


def _drawn(people: Table, share: float, seed: int) -> Bool:
    """Draw the people who are held out, (rows,); all rows of a person together."""
    rng = np.random.default_rng(seed)
    person = np.arange(people.n_rows) if people.person_of is None else people.person_of
    return np.asarray(rng.random(int(person.max(initial=-1)) + 1) < share)[person]


def _together(people: Table, held_out: Bool) -> Bool:
    """Mark all rows of each person with a held-out row, (rows,)."""
    if people.person_of is None:
        return held_out
    return np.isin(people.person_of, people.person_of[held_out])


def _exact(encoding: _features.Encoding, case: PublishedTable, people: Table, rows: Int64) -> Float64:
    """Encode people's own values, (rows, features)."""
    known = people.take(rows).aligned(Schema(case.published.attributes))
    cells, cell = [], np.zeros((rows.size, len(case.published.cells)), np.int32)
    for i, attribute in enumerate(case.published.attributes):
        exact, cell[:, i] = Cells.exact(attribute, known.columns[attribute.name])
        cells.append(exact)
    return encoding.of_lines(tuple(cells), cell)


def _share(right: Bool) -> Estimate:
    """Return the share of people with Wilson's interval at 95 %."""
    n, p, z = right.size, float(right.mean()), NORMAL_95
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * float(np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))) / (1 + z * z / n)
    return Estimate(p, middle - half, middle + half, n, "sample")


EXAMPLES = (Learning(), Learning("logistic"))
