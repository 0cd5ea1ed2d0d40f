"""Lines: quasi-identifiers published as cells, a line for each group (boxes) or for each row (exact rows)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unmask.arrays import DENSE_CELLS, Bool, Float64, Int32, Int64, Ragged, distinct_rows, frozen, starts
from unmask.errors import InvalidInputError
from unmask.links import Linking, Links
from unmask.masks.cells import Cells
from unmask.masks.search import background
from unmask.masks.search.box_set import BoxSet
from unmask.release import Masked, Noise
from unmask.schema import UNKNOWN, Attribute, Categorical, Schema
from unmask.table import Column, Table
from unmask.wording import message


@dataclass(frozen=True, eq=False)
class Lines:
    """Lines of cells, each belonging to a group: the published form of generalized and of exact rows.

    Lines with equal cells are looked up once (a *shape*), so exact rows with few distinct profiles cost as little as
    boxes. The shapes that fit a person are found in a tree of boxes, not by people × groups.

    Fails
        With `InvalidInputError` where cells and lines do not belong together.
    """

    cells: tuple[Cells, ...]  # per attribute
    cell: Int32  # (lines, attributes)
    group_of_line: Int32  # (lines,)
    n_groups: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "cell", frozen(self.cell, np.int32))
        object.__setattr__(self, "group_of_line", frozen(self.group_of_line, np.int32))
        if self.cell.shape != (self.group_of_line.size, len(self.cells)):
            msg = message("every line must show {n} cells; got {shape}", n=len(self.cells), shape=self.cell.shape)
            raise InvalidInputError(msg)

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The published quasi-identifiers."""
        return tuple(cells.attribute for cells in self.cells)

    @property
    def lines(self) -> Lines:
        """These lines."""
        return self

    @property
    def noise(self) -> Mapping[str, Noise]:
        """None: cells have no noise."""
        return {}

    @property
    def is_typical(self) -> bool:
        """False: each cell contains the values of the members of its group."""
        return False

    def line_of(self, group_of_row: Int32) -> Int64:
        """Return the line with the cells of each row, (rows,): its own, or the first of its group."""
        if np.array_equal(self.group_of_line, group_of_row):
            return np.arange(group_of_row.size, dtype=np.int64)
        group, first = np.unique(self.group_of_line, return_index=True)
        line = np.zeros(self.n_groups, np.int64)
        line[group] = first
        return line[group_of_row]

    @cached_property
    def is_exact(self) -> bool:
        """Whether each line has one value for each attribute, or a missing one."""
        return all(
            bool(
                (np.diff(c.start) <= 1).all() and (c.low == c.high).all() and not c.anything[np.diff(c.start) > 0].any()
            )
            and not (c.missing & (np.diff(c.start) > 0)).any()
            for c in self.cells
        )

    @cached_property
    def shows_nothing(self) -> Bool:
        """Whether each group, (groups,), is published with `*` in every column, and not all are.

        These are suppressed records: people who fit no other group are among them. With one column only, `*` is a
        suppressed cell, which counts as cells do.
        """
        starred = np.ones(self.group_of_line.size, bool)
        for i, column in enumerate(self.cells):
            starred &= column.anything[self.cell[:, i]]
        is_informative = np.bincount(self.group_of_line[~starred], minlength=self.n_groups) > 0
        return ~is_informative & is_informative.any() & (len(self.cells) > 1)

    def column(self, attribute: str) -> int:
        """Return the index of an attribute's column of cells."""
        names = [a.name for a in self.attributes]
        if attribute not in names:
            raise InvalidInputError.unknown_name("quasi-identifier", attribute, names)
        return names.index(attribute)

    def cell_of(self, attribute: str) -> Int32:
        """Return the distinct cell of each line, (lines,)."""
        return self.cell[:, self.column(attribute)]

    def exact_table(self) -> Table:
        """Return the lines as a table of people, (lines,); only for exact rows."""
        if not self.is_exact:
            msg = message("quasi-identifiers must be exact to be read as people; these are generalized")
            raise InvalidInputError(msg)
        columns: dict[str, Column] = {}
        for i, (cells, attribute) in enumerate(zip(self.cells, self.attributes, strict=True)):
            numbers = np.full(cells.n, np.nan)
            numbers[np.diff(cells.start) > 0] = cells.low
            if not attribute.is_numeric:
                numbers = np.where(np.isnan(numbers), UNKNOWN, numbers)
            columns[attribute.name] = numbers[self.cell[:, i]].astype(np.float64 if attribute.is_numeric else np.int32)
        return Table(Schema(self.attributes), columns, self.group_of_line.size)

    def likelihood(self, attribute: str, at: Column) -> Ragged:
        """Return P(cell | true value), (cells, at): 1 where the cell contains the value."""
        return self.cells[self.column(attribute)].likelihood(at)

    def regrouped(self, lines: Int64, group_of_line: Int32, n_groups: int) -> Lines:
        """Return some of the lines, in the given order, with new group numbers."""
        return Lines(self.cells, self.cell[lines], group_of_line, n_groups)

    def shows_same(self, other: Masked) -> bool:
        """Whether another mask publishes the same: lines of the same groups, cells with the same values."""
        if not isinstance(other, Lines) or not np.array_equal(self.group_of_line, other.group_of_line):
            return False
        if [a.name for a in self.attributes] != [a.name for a in other.attributes]:
            return False
        for ours, theirs, mine, yours in zip(self.cells, other.cells, self.cell.T, other.cell.T, strict=True):
            pairs = np.unique(np.stack([mine, yours]), axis=1)
            if not ours.take(pairs[0]).same(theirs.take(pairs[1])):
                return False
        return True

    @cached_property
    def shapes(self) -> tuple[Int32, Int32]:
        """The shape of each line, (lines,), and the cells of each distinct shape, (shapes, attributes)."""
        number, example = distinct_rows(self.cell)
        return number, self.cell[example]

    @cached_property
    def members(self) -> Ragged:
        """The number of lines of each shape in each group, (shapes, groups)."""
        shape, cells = self.shapes
        return Ragged.gather(shape, self.group_of_line, np.ones(shape.size), (cells.shape[0], self.n_groups))

    def _boxes(self, cells: Int32, *, missing: bool) -> tuple[Float64, Float64]:
        """Return the ends of some shapes, (shapes, attributes), extended for missing values or not."""
        low, high = np.zeros(cells.shape), np.zeros(cells.shape)
        for i, column in enumerate(self.cells):
            least, greatest = column.hull if missing else column.extent
            low[:, i], high[:, i] = least[cells[:, i]], greatest[cells[:, i]]
        return low, high

    @cached_property
    def _boxes_of_shapes(self) -> BoxSet:
        return BoxSet(*self._boxes(self.shapes[1], missing=True))

    @cached_property
    def _boxes_of_groups(self) -> tuple[BoxSet, Int32]:
        """One box for each pair of shape and group, and the group of each box."""
        members = self.members
        group = members.column
        return BoxSet(*self._boxes(self.shapes[1][members.row], missing=False), group=group), group

    def points(self, profiles: Table) -> Float64:
        """Return profiles on the axes of the cells, (profiles, attributes); NaN fits anywhere."""
        known = profiles.aligned(Schema(self.attributes))
        placed = np.empty((profiles.n_rows, len(self.cells)))
        for i, (column, attribute) in enumerate(zip(self.cells, known.schema, strict=True)):
            here = known.columns[attribute.name]
            placed[:, i] = column.coordinates(here)
            if attribute.missing is not column.attribute.missing:  # an unknown attribute fits anywhere
                placed[:, i] = np.nan
        return placed

    def candidates(self, points: Float64) -> tuple[Int64, Int32]:
        """Return the shapes that fit each point, (points, attributes), as starts and shapes."""
        start, shape = self._boxes_of_shapes.containing(points)
        profile = np.repeat(np.arange(points.shape[0]), np.diff(start))
        kept = np.ones(shape.size, bool)
        cells = self.shapes[1]
        for i, column in enumerate(self.cells):
            plain = not (
                column.missing.any() or column.anything.any() or column.low_open.any() or column.high_open.any()
            )
            if plain and (np.diff(column.start) == 1).all():
                continue  # hulls are the cells themselves
            kept &= column.fit(cells[shape, i], points[profile, i])
        return starts(np.bincount(profile[kept], minlength=points.shape[0])), shape[kept]

    def cell_probability(self, size: Float64, how: Linking) -> Float64:
        """Return the probability of each cell of each shape, (shapes, attributes)."""
        per_line = (size / np.bincount(self.group_of_line, minlength=self.n_groups))[self.group_of_line]
        result = np.ones(self.shapes[1].shape)
        for i, column in enumerate(self.cells):
            share = background.cell_probability(column, self.cell[:, i], per_line, pooled=how.background == "pooled")
            result[:, i] = share[self.shapes[1][:, i]]
        return result

    def links(self, profiles: Table, size: Float64, how: Linking) -> Iterator[Links]:
        """Link distinct profiles to groups of these sizes, in blocks.

        Infers
            weight(g) = Σ over the lines of g that fit, of people per line / P(line), normalized over groups; cells
            are assumed independent. An attribute that is unknown for a person fits anywhere, and its factor is 1.
        """
        lines_of_group = np.bincount(self.group_of_line, minlength=self.n_groups)
        members = self.members
        people = members.columns_scaled(size / np.maximum(lines_of_group, 1))
        probability = self.cell_probability(size, how)
        step = max(1, DENSE_CELLS // 64)
        for first in range(0, max(profiles.n_rows, 1), step):
            block = slice(first, min(first + step, profiles.n_rows))
            points = self.points(profiles.take(np.arange(block.start, block.stop)))
            start, shape = self.candidates(points)
            likely = Ragged(start, shape, 1.0 / chance(probability, points, start, shape), members.n_rows)
            fits = Ragged(start, shape, np.ones(shape.size), members.n_rows) @ people
            yield Links(block, (likely @ people).normalized(), fits.data)

    def nearest(self, profiles: Table, without: Int32) -> Ragged:
        """Return for each profile all groups at the least distance except one, (profiles, groups), equally weighted.

        Infers
            The distance to a box is the sum over attributes of the distance outside it, over the published range; 1 for
            a mismatch where the values have no order.
        """
        boxes, group = self._boxes_of_groups
        low, high = self._boxes(self.shapes[1], missing=False)
        low, high = np.where(np.isfinite(low), low, np.nan), np.where(np.isfinite(high), high, np.nan)
        span = np.array([
            (np.nanmax(h) - np.nanmin(l)) if np.isfinite(h).any() and np.isfinite(l).any() else 0.0
            for l, h in zip(low.T, high.T, strict=True)
        ])  # fmt: skip
        scale = np.divide(1.0, span, out=np.ones(span.size), where=span > 0)
        nominal = np.array([isinstance(a.domain, Categorical) for a in self.attributes], bool)
        points = self.points(profiles)
        points = np.where(np.isinf(points), np.nan, points)
        start, box = boxes.nearest(points, scale, nominal, without)
        row = np.repeat(np.arange(profiles.n_rows), np.diff(start))
        pairs = np.unique(row.astype(np.int64) * self.n_groups + group[box])
        row_start = starts(np.bincount(pairs // self.n_groups, minlength=profiles.n_rows))
        nearest = Ragged(row_start, (pairs % self.n_groups).astype(np.int32), np.ones(pairs.size), self.n_groups)
        return nearest.normalized()


def excluding(masked: Masked) -> Lines | None:
    """Return the lines where a cell excludes everyone whose value it does not contain; None for noise and centroids."""
    return None if masked.noise or masked.is_typical else masked.lines


def chance(probability: Float64, points: Float64, start: Int64, shape: Int32) -> Float64:
    """Return P(shape) for each pair of point and shape, (pairs,), over the known attributes of the point."""
    pattern, example = distinct_rows(np.isnan(points))
    pattern_of = np.repeat(pattern, np.diff(start))
    result = np.ones(shape.size)
    for number, known in enumerate(~np.isnan(points[example])):
        pairs = pattern_of == number
        result[pairs] = np.prod(probability[:, known], axis=1)[shape[pairs]]
    return np.maximum(result, np.finfo(float).tiny)
