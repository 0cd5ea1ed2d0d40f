"""The published cells of one quasi-identifier as the target of inference, and the likelihood of its values.

An attack can infer a quasi-identifier: rows have an age as a range, with noise, or as the mean of a group. Then its
values are listed, including whole steps of numbers, like those of a sensitive attribute.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unmask.arrays import Float64, Int32, Ragged, starts
from unmask.beliefs import About, Beliefs
from unmask.errors import NotApplicableError
from unmask.hierarchies import multiples
from unmask.masks.centroids import Centroids
from unmask.masks.lines import Lines
from unmask.number_format import numeral
from unmask.release import Release
from unmask.schema import Numeric, Role, domain_values, labels_of
from unmask.table import Column
from unmask.wording import message

MOST_VALUES = 20_000
"""The largest number of values to infer."""

NEAR = 0.3
"""The distance of members from their centroid in one attribute, relative to the usual distance between centroids.

On 3,000 people of Adult (k = 5 and 20) posteriors of age had the least log loss at .25; calibration was off by .01 to
.03 there and at .35, by up to .05 at .5, and overconfident by .13 and .15 at .125.
"""

_ROUNDS = 30  # of expectation maximization; more would rise to peaks that noise alone explains


def is_published(release: Release, name: str) -> bool:
    """Whether published rows have a quasi-identifier of that name."""
    known = name in release.schema and release.schema[name].role is Role.QUASI_IDENTIFIER
    return known and release.n_rows > 0


def is_near(release: Release, name: str) -> bool:
    """Whether published cells are near the truth without excluding values: numbers with noise, or centroids."""
    return release.masked.is_typical or name in release.masked.noise


def lines_of(release: Release) -> Lines:
    """Return the published cells; of noisy rows and centroids the numbers as published."""
    if not release.n_rows:
        msg = message("needs published rows; release {release} has none", release=repr(release.name))
        raise NotApplicableError(msg)
    return release.masked.lines


def line_of_row(release: Release) -> Int32:
    """Return the line of each published row, (rows,)."""
    group = lines_of(release).group_of_line
    if group.size == release.n_rows:
        return np.arange(release.n_rows, dtype=np.int32)
    first = np.zeros(release.n_groups, np.int32)
    first[group[::-1]] = np.arange(group.size, dtype=np.int32)[::-1]
    return first[release.group_of_row]


def values_behind(release: Release, name: str) -> tuple[str, ...]:
    """Return the values that published cells may have: those declared, else all from the least end to the last.

    Fails
        With `NotApplicableError` for numbers without a step, and for too many of them.
    """
    attribute = release.schema[name]
    if not attribute.is_numeric:
        if not attribute.values:
            msg = message("needs values that can be listed; column {name} has none", name=repr(name))
            raise NotApplicableError(msg)
        return attribute.values
    return labels_of(attribute.domain, steps_behind(release, name, declared=True))


def steps_behind(release: Release, name: str, *, declared: bool) -> Float64:
    """Return the steps of a number that published cells may have, rising; of the declared range, or of all cells.

    A range that is not declared ends at the published extremes.
    """
    lines, domain = lines_of(release), release.schema[name].domain
    cells = lines.cells[lines.column(name)]
    ends = np.concatenate([cells.low, cells.high])
    ends = ends[np.isfinite(ends)]
    bounds = (domain.low, domain.high, domain.step) if isinstance(domain, Numeric) else (None, None, None)
    step = bounds[2] or (1.0 if ends.size and (ends == np.floor(ends)).all() else None)
    if step is None or not ends.size:
        msg = message(
            "needs values that can be listed; column {name} has numbers without a step. Declare one, as in step = 1",
            name=repr(name),
        )
        raise NotApplicableError(msg)
    low = float(ends.min()) if bounds[0] is None else bounds[0]
    high = float(ends.max()) if bounds[1] is None else bounds[1]
    if not declared:
        low, high = min(low, float(ends.min())), max(high, float(ends.max()))
    first, last = np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9)
    if last - first >= MOST_VALUES:
        msg = message(
            "needs at most {most_values} values to ask about; column {name} has {last}",
            most_values=numeral(MOST_VALUES),
            name=repr(name),
            last=numeral(last - first + 1, ",.0f"),
        )
        raise NotApplicableError(msg)
    return multiples(step, np.arange(first, last + 1))


def column_of(release: Release, name: str, labels: Sequence[str]) -> Column:
    """Return labels as a column of true values: numbers, or codes of the release."""
    attribute = release.schema[name]
    return domain_values(attribute.domain, labels)


def likelihood(release: Release, name: str, at: Column) -> Ragged:
    """Return P(cell | true value), (cells, at), up to a factor for each cell; uninformative cells fit all.

    Infers
        For ranges and sets 1 where they contain the value, for noise its density. For centroids `exp(−d / width)`, d
        being the distance from the typical value in published standard deviations (1 for another listed value), and
        the width the share `NEAR` of the usual distance between centroids.
    """
    masked = release.masked
    if isinstance(masked, Centroids):
        chances = Ragged.of(masked.nearness(name, at, release.size, NEAR))
    else:
        chances = masked.likelihood(name, at)
    silent = np.flatnonzero(chances.sums() <= 0)  # a missing cell is uninformative
    if not silent.size:
        return chances
    n = np.diff(chances.start)
    n[silent] = at.size
    column, data = np.empty(n.sum(), np.int32), np.ones(n.sum())
    start = starts(n)
    quiet = np.zeros(chances.n_rows, bool)
    quiet[silent] = True
    of_silent = np.repeat(quiet, n)
    column[of_silent] = np.tile(np.arange(at.size, dtype=np.int32), silent.size)
    column[~of_silent], data[~of_silent] = chances.column, chances.data
    return Ragged(start, column, data, at.size)


def shares(release: Release, name: str, values: Sequence[str]) -> Float64:
    """Return the estimated share of each value, (values,), from the published rows.

    Infers
        A few rounds of expectation maximization from a uniform distribution: each row spreads over its possible values
        by the current shares. Under much noise the result stays nearly uniform, as it should.
    """
    chances = likelihood(release, name, column_of(release, name, values))
    cell = lines_of(release).cell_of(name)[line_of_row(release)]
    people = np.bincount(cell, minlength=chances.n_rows).astype(np.float64)
    share = np.full(len(values), 1.0 / max(len(values), 1))
    for _ in range(_ROUNDS):
        spread = chances.columns_scaled(share)
        total = spread.sums()
        weight = np.divide(people, total, out=np.zeros_like(total), where=total > 0)
        expected = spread.scaled(weight).column_sums()
        share = (expected + 1.0) / (expected.sum() + share.size)  # no value is excluded
    return share


def default_prior(release: Release, name: str, n_targets: int) -> Beliefs:
    """Return the prior of all targets: the estimated share of each value of a quasi-identifier in the release."""
    values = values_behind(release, name)
    return Beliefs.shared(About.attribute(name), values, shares(release, name, values), n_targets)
