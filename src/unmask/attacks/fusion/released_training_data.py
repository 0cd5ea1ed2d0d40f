"""Training data of a release for one of its columns: features and classes of all rows, and their published cells."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Ragged
from unmask.attacks.fusion.miners.training_data import NO_ANSWER, Lesson
from unmask.attacks.fusion.rules.merged_classes import merged_classes
from unmask.attacks.fusion.rules.published_cells import PublishedCells
from unmask.errors import NotApplicableError
from unmask.masks import published_values
from unmask.masks.cells import Cells
from unmask.release import Release
from unmask.schema import Categorical, Domain, Role, domain_values, labels_of
from unmask.wording import message


@dataclass(frozen=True, slots=True, eq=False)
class TrainingQuestion:
    """A column of published rows to be predicted, and the features of those rows."""

    lesson: Lesson
    cells: PublishedCells
    values: tuple[str, ...]  # possible values, in the order of `cells`
    axis: Float64 = field(repr=False)  # (axis,) of `cells`, if it has one
    domain: Domain = field(repr=False)  # of the column

    def bounded(self, classes: int) -> TrainingQuestion:
        """Return the question with so many classes at most: similar cells are merged to one class."""
        n = self.lesson.n_classes
        if n <= classes:
            return self
        class_of = merged_classes(self.cells, n, classes)
        answer = np.where(self.lesson.known, class_of[self.cells.cell], NO_ANSWER).astype(np.int32)
        lesson = replace(self.lesson, answer=answer, n_classes=int(class_of[:n].max()) + 1)
        return replace(self, lesson=lesson, cells=replace(self.cells, class_of=class_of))


def training_question(release: Release, name: str, values: tuple[str, ...], *, domain: bool = True) -> TrainingQuestion:
    """Return the training question about a quasi-identifier that is not published exactly.

    Rows have cells (ranges, sets), which are the classes to predict, or numbers: noisy ones, means of groups. All other
    columns are features, also sensitive ones unless they were shuffled inside groups. A range with all values carries
    no information and is no class, unless the attacker does not know the `domain`.

    Fails
        With `NotApplicableError` if the column is not published at all, or published exactly.
    """
    if not published_values.is_published(release, name):
        msg = message(
            "predicts generalized or noisy quasi-identifiers; release {release} has no such {name}",
            release=repr(release.name),
            name=repr(name),
        )
        raise NotApplicableError(msg)
    lines = published_values.lines_of(release)
    cells, row = lines.cells[lines.column(name)], published_values.line_of_row(release)
    cell = lines.cell_of(name)[row]
    near, typical = published_values.is_near(release, name), release.masked.is_typical
    if not near and not (_several(cells) | cells.fits_all)[cell].any():
        msg = message(
            "predicts generalized or noisy values; release {release} publishes {name} exactly",
            release=repr(release.name),
            name=repr(name),
        )
        raise NotApplicableError(msg)
    features, listed = _features(release, name, row)
    group_of = release.group_of_row
    if cells.attribute.is_numeric and near:
        numbers = np.sort(domain_values(cells.attribute.domain, values).astype(np.float64))
        ordered = labels_of(cells.attribute.domain, numbers)
        published = _numbers(cells)
        if not np.isfinite(published).any():
            msg = message(
                "needs rows with a cell of {name}; all rows of release {release} are suppressed",
                name=repr(name),
                release=repr(release.name),
            )
            raise NotApplicableError(msg)
        chances = published_values.likelihood(release, name, published_values.column_of(release, name, ordered))
        lesson = Lesson(features, listed, np.where(np.isinf(published), np.nan, published)[cell], 0, group_of)
        noisy = np.where(np.isfinite(published), published, np.nan_to_num(np.nanmean(published)))
        published_cells = PublishedCells(
            cell, chances, numbers, published=noisy, group_of=group_of if typical else None
        )
        return TrainingQuestion(lesson, published_cells, ordered, numbers, cells.attribute.domain)
    return _of_cells(release, name, values, cells, cell, (features, listed), domain=domain)


def _of_cells(
    release: Release,
    name: str,
    values: tuple[str, ...],
    cells: Cells,
    cell: Int32,
    read: tuple[Float64, Bool],
    *,
    domain: bool,
) -> TrainingQuestion:
    attribute = cells.attribute
    if attribute.is_numeric:
        number = domain_values(attribute.domain, values).astype(np.float64)
        at = axis = np.union1d(published_values.steps_behind(release, name, declared=False), number)
    else:
        known = published_values.column_of(release, name, values).astype(np.float64)
        more = np.flatnonzero(known < 0)  # values outside the release
        number = known.copy()
        number[more] = len(attribute.values) + np.arange(more.size)
        axis = np.arange(len(attribute.values) + more.size, dtype=np.float64)
        at = np.where(axis < len(attribute.values), axis, -2).astype(np.int32)
    order = np.argsort(number, kind="stable")
    declared = np.searchsorted(axis, number[order])
    inside = published_values.lines_of(release).likelihood(name, at).dense() > 0
    whole = inside | ~inside.any(axis=1, keepdims=True)
    silent = whole.all(axis=1) if domain else cells.fits_all | (np.diff(cells.start) == 0)
    is_class = ~silent & (np.bincount(cell, minlength=cells.n) > 0)
    first = np.argsort(~is_class, kind="stable")
    number_of = np.empty(cells.n, np.int32)
    number_of[first] = np.arange(cells.n, dtype=np.int32)
    n_classes = int(is_class.sum())
    if n_classes == 0:
        msg = message(
            "needs rows with a cell of {name}; all rows of release {release} are suppressed",
            name=repr(name),
            release=repr(release.name),
        )
        raise NotApplicableError(msg)
    chances = published_values.likelihood(release, name, at).dense()[first][:, declared]
    whole, cell = whole[first], number_of[cell]
    group_of = release.group_of_row
    answer = np.where(cell < n_classes, cell, NO_ANSWER).astype(np.int32)
    published_cells = PublishedCells(
        cell,
        Ragged.of(np.where(chances.any(axis=1, keepdims=True), chances, 1.0)),  # cells without any possible value
        axis[declared],
        whole,
        axis,
        declared,
        ordered=not isinstance(attribute.domain, Categorical),
        group_of=group_of,
    )
    lesson = Lesson(*read, answer, n_classes, group_of)
    return TrainingQuestion(lesson, published_cells, tuple(values[i] for i in order), axis, attribute.domain)


def _features(release: Release, name: str, row: Int32) -> tuple[Float64, Bool]:
    """Return the other columns of all rows, (rows, columns), and which hold cell numbers, (columns,)."""
    lines = published_values.lines_of(release)
    columns, listed = [], []
    for cells in lines.cells:
        attribute = cells.attribute
        if attribute.name == name:
            continue
        number = lines.cell_of(attribute.name)[row]
        plain = not isinstance(attribute.domain, Categorical) and not _several(cells).any()
        columns.append(_numbers(cells)[number] if plain else number.astype(np.float64))
        listed.append(not plain)
    for attribute in (a for a in release.schema if a.role is not Role.PERSON_KEY):
        if attribute.name in release.columns and attribute.name not in release.permuted:
            code = release.columns[attribute.name]
            columns.append(np.where(code >= 0, code, np.nan).astype(np.float64))
            listed.append(isinstance(attribute.domain, Categorical))
    features = np.stack(columns, axis=1) if columns else np.zeros((row.size, 0))
    return np.where(np.isfinite(features), features, np.nan), np.array(listed, bool)


def _several(cells: Cells) -> Bool:
    """Return which cells contain more than one value, (cells,)."""
    low, high = cells.extent
    return np.asarray((np.diff(cells.start) > 1) | (low < high))


def _numbers(cells: Cells) -> Float64:
    """Return the number of each single-valued cell, (cells,); NaN for others."""
    result = np.full(cells.n, np.nan)
    result[np.diff(cells.start) == 1] = cells.low
    return result
