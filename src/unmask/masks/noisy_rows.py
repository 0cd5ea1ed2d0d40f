"""Noisy rows: numbers with noise, which exclude no person, and exact values otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unmask.arrays import DENSE_CELLS, Float64, Int32, Int64, Ragged, starts
from unmask.errors import InvalidInputError
from unmask.links import Linking, Links
from unmask.masks._form_of_lines import FormOfLines
from unmask.masks._noise_density import log_baseline, within
from unmask.masks.cells import Cells
from unmask.masks.lines import Lines, chance
from unmask.release import Masked, Noise
from unmask.schema import Numeric
from unmask.table import Column, Table
from unmask.wording import message


@dataclass(frozen=True, eq=False)
class NoisyRows(FormOfLines):
    """Lines in which some numbers have noise of a published scale, and other cells none.

    A number with noise excludes no person; it only makes people with near values likelier. So the evidence is a density
    relative to the density of such a number overall. A missing number is published as missing.

    Assumes
        Noise drawn independently for each number, added to the true value, or to the nearest end of a declared range.
    Fails
        With `InvalidInputError` where a column with noise has no numbers, or a line has more than one.
    """

    lines: Lines
    noise: Mapping[str, Noise]  # attribute → its noise; the scale in the column's own units

    def __post_init__(self) -> None:
        if not self.noise:
            msg = message("rows with noise must have noise on at least one column; got none. Use Lines")
            raise InvalidInputError(msg)
        for name in self.noise:
            cells = self.lines.cells[self.lines.column(name)]
            if not cells.attribute.is_numeric:
                msg = message("noise must be on numbers; column {name} has none", name=repr(name))
                raise InvalidInputError(msg)
            pieces = np.diff(cells.start)
            if (pieces > 1).any() or (cells.low != cells.high).any() or (cells.missing & (pieces > 0)).any():
                msg = message(
                    "column {name} must show one number a row to have noise; it shows ranges", name=repr(name)
                )
                raise InvalidInputError(msg)

    @property
    def is_typical(self) -> bool:
        """False: each number is that of one person, with noise."""
        return False

    def exact_table(self) -> Table:
        """Fail: a number with noise is no person's exact value."""
        msg = message(
            "quasi-identifiers must be exact to be read as people; {noise} has noise", noise=", ".join(self.noise)
        )
        raise InvalidInputError(msg)

    def likelihood(self, attribute: str, at: Column) -> Ragged:
        """Return P(cell | true value), (cells, at): of a number with noise a density, or a probability on steps.

        Where the true value is unknown (a wildcard), the mean over the declared range.
        """
        cells = self.lines.cells[self.lines.column(attribute)]
        if attribute not in self.noise:
            return cells.likelihood(at)
        noise, domain = self.noise[attribute], _domain(cells)
        published, value = _numbers(cells), within(cells.coordinates(at), domain)
        width = 2 * noise.scale
        height = 1 / width if noise.family == "laplace" else float(np.tanh((domain.step or 1.0) / width))
        near = np.exp(-np.abs(published[:, None] - np.where(np.isfinite(value), value, np.nan)) / noise.scale)
        baseline = np.exp(log_baseline(published, np.zeros(published.size), noise, domain, pooled=False))
        chances = height * np.where(np.isnan(value), baseline[:, None], near)
        chances = np.where(np.isnan(published)[:, None], np.isneginf(value) | np.isnan(value), np.nan_to_num(chances))
        chances[cells.fits_all] = 1.0
        return Ragged.of(chances)

    def regrouped(self, lines: Int64, group_of_line: Int32, n_groups: int) -> NoisyRows:
        """Return some of the lines, in the given order, with new group numbers."""
        return NoisyRows(self.lines.regrouped(lines, group_of_line, n_groups), self.noise)

    def shows_same(self, other: Masked) -> bool:
        """Whether another mask publishes the same, with the same noise."""
        return isinstance(other, NoisyRows) and self.noise == other.noise and self.lines.shows_same(other.lines)

    def links(self, profiles: Table, size: Float64, how: Linking) -> Iterator[Links]:
        """Link distinct profiles to groups of these sizes, in blocks.

        Infers
            weight(g) = Σ over the lines of g whose exact cells fit, of people per line / P(exact cells), times
            density(number | value) / density(number) for each number with noise: unusual numbers are more informative.
            Columns are assumed independent. The unlikeliest lines of a profile, a billionth of its weight together, are
            omitted.
        """
        from unmask.masks._noise_links import weighed  # noqa: PLC0415 - compiled code

        people = self._people(size)
        start, shape, log_rarity = self._clear_matches(profiles, size, how)
        line_start, line = self._lines_of_shape
        published, value = self._published_numbers, self._values(profiles)
        baseline = self._log_baseline(people, how)
        rate = np.array([1.0 / noise.scale for noise in self.noise.values()])
        each_a_group = np.array_equal(self.group_of_line, np.arange(self.n_groups))
        alone = each_a_group and bool((np.diff(start) <= 1).all())  # then each line is its group, in the same order
        with np.errstate(divide="ignore"):
            log_people = np.log(people)
        for block in _blocks(start, shape, line_start):
            part = slice(int(start[block.start]), int(start[block.stop]))
            begin, line_of_entry, weight = weighed(
                start[block.start : block.stop + 1] - part.start, shape[part], log_rarity[part], line_start, line,
                value[block], published, rate, baseline, log_people,
            )  # fmt: skip
            weights = Ragged(begin, line_of_entry, weight, people.size)
            fits = Ragged(begin, line_of_entry, people[line_of_entry], people.size)
            if not alone:
                weights, fits = (self._by_group(one) for one in (weights, fits))
            yield Links(block, weights.normalized(), fits.data)

    def _by_group(self, by_line: Ragged) -> Ragged:
        """Return the sum over the lines of each group, (profiles, groups)."""
        group = self.group_of_line[by_line.column]
        return Ragged.gather(by_line.row, group, by_line.data, (by_line.n_rows, self.n_groups))

    def nearest(self, profiles: Table, without: Int32) -> Ragged:
        """Return for each profile all groups at the least distance except one; noise is ignored."""
        return self.lines.nearest(profiles, without)

    @cached_property
    def _columns(self) -> list[int]:
        """The columns with noise."""
        return [self.lines.column(name) for name in self.noise]

    @cached_property
    def _clear(self) -> Lines:
        """The lines without the columns that have noise."""
        kept = [i for i in range(len(self.lines.cells)) if i not in self._columns]
        cells = tuple(self.lines.cells[i] for i in kept)
        return Lines(cells, self.lines.cell[:, kept], self.group_of_line, self.n_groups)

    @cached_property
    def _lines_of_shape(self) -> tuple[Int64, Int64]:
        """The lines of each shape of the columns without noise, as starts and lines."""
        number, cells = self._clear.shapes
        return starts(np.bincount(number, minlength=cells.shape[0])), np.argsort(number, kind="stable")

    @cached_property
    def _published_numbers(self) -> Float64:
        """The numbers with noise, (lines, columns with noise); NaN where missing, infinite where all fit."""
        columns = [self.lines.cells[i] for i in self._columns]
        published = [np.where(one.fits_all, np.inf, _numbers(one)) for one in columns]
        return np.stack([s[self.lines.cell[:, i]] for s, i in zip(published, self._columns, strict=True)], axis=1)

    def _people(self, size: Float64) -> Float64:
        """Return the number of people per line, (lines,)."""
        lines = np.bincount(self.group_of_line, minlength=self.n_groups)
        return np.asarray((size / np.maximum(lines, 1))[self.group_of_line], np.float64)

    def _values(self, profiles: Table) -> Float64:
        """Return the known values of profiles, (profiles, columns with noise)."""
        points = self.lines.points(profiles)
        moved = [within(points[:, i], _domain(self.lines.cells[i])) for i in self._columns]
        return np.stack(moved, axis=1)

    def _log_baseline(self, people: Float64, how: Linking) -> Float64:
        """Return the log probability of each number over all people, (lines, columns with noise)."""
        result = np.empty(self._published_numbers.shape)
        for k, (i, noise) in enumerate(zip(self._columns, self.noise.values(), strict=True)):
            published, domain = self._published_numbers[:, k], _domain(self.lines.cells[i])
            absent, is_number = np.isnan(published), ~np.isinf(published)
            gone = float(people[absent].sum() / people[is_number].sum()) if absent.any() else 0.0
            one = log_baseline(
                np.where(is_number, published, np.nan), people, noise, domain, pooled=how.background == "pooled"
            )
            with np.errstate(divide="ignore"):
                result[:, k] = np.where(absent, np.log(gone), one + np.log1p(-gone))
        return result

    def _clear_matches(self, profiles: Table, size: Float64, how: Linking) -> tuple[Int64, Int32, Float64]:
        """Return the shapes without noise that fit each profile, as starts and shapes, and their log rarity."""
        if not self._clear.cells:
            some = min(1, self.group_of_line.size)
            n = profiles.n_rows * some
            return np.arange(profiles.n_rows + 1) * some, np.zeros(n, np.int32), np.zeros(n)
        points = self._clear.points(profiles)
        start, shape = self._clear.candidates(points)
        return start, shape, -np.log(chance(self._clear.cell_probability(size, how), points, start, shape))


def _numbers(cells: Cells) -> Float64:
    """Return the number of each distinct cell, (cells,); NaN where it is missing."""
    result = np.full(cells.n, np.nan)
    result[np.diff(cells.start) == 1] = cells.low
    return result


def _domain(cells: Cells) -> Numeric:
    domain = cells.attribute.domain
    return domain if isinstance(domain, Numeric) else Numeric()


def _blocks(start: Int64, shape: Int32, line_start: Int64) -> Iterator[slice]:
    """Yield runs of profiles whose pairs with lines fit into memory; at least one profile each."""
    pairs = starts(np.diff(line_start)[shape])[start]  # of all profiles before each
    n, first = start.size - 1, 0
    while first < n or n == first == 0:
        last = int(np.searchsorted(pairs, pairs[first] + DENSE_CELLS, "right")) - 1
        last = min(max(last, first + 1), n)
        yield slice(first, last)
        if last >= n:
            return
        first = last
