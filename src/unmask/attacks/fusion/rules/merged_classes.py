"""Classes of similar cells: a release may have a thousand cells, each of a few rows, too few to be learned."""

from __future__ import annotations

import numpy as np

from unmask.arrays import Int32
from unmask.attacks.fusion.rules.published_cells import PublishedCells
from unmask.attacks.fusion.rules.sharpening import SmoothAxis


def merged_classes(cells: PublishedCells, predicted: int, classes: int) -> Int32:
    """Return a class of each cell, (cells,): at most so many for the first `predicted` cells, one more for the others.

    Cells are merged by k-means, weighted by rows, on uniform distributions over their values, smoothed if values have
    an order. Draws nothing: k-means starts from a fixed seed.

    Assumes
        That which of the cells of a class is published does not depend on the other columns.
    """
    from sklearn.cluster import KMeans  # noqa: PLC0415 - other attacks do without it

    axis = SmoothAxis.of(cells)
    held = axis.held[:predicted]
    shape = axis.smoothed(held / np.maximum(held.sum(axis=1, keepdims=True), 1.0))
    distinct, number = np.unique(shape, axis=0, return_inverse=True)
    weight = np.bincount(number.ravel()[cells.cell[cells.cell < predicted]], minlength=len(distinct))
    label = KMeans(min(classes, len(distinct)), n_init=1, random_state=0).fit_predict(distinct, sample_weight=weight)
    _, class_of = np.unique(label[number.ravel()], return_inverse=True)
    silent = np.full(cells.likelihood.n_rows - predicted, class_of.max() + 1)
    return np.concatenate([class_of.ravel(), silent]).astype(np.int32)
