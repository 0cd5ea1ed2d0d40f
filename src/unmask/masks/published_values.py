"""What published rows show of one quasi-identifier, and how likely each value would have been shown so.

A quasi-identifier can be what is asked about: rows show an age as a range, with noise, or as the mean of a group, and
somebody wants to know it. Then its values are listed, whole steps of numbers among them, as those of a sensitive
attribute are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unmask.arrays import Float64, Int32, Ragged, starts
from unmask.beliefs import About, Beliefs
from unmask.errors import NotApplicableError
from unmask.hierarchies import multiples, number_text
from unmask.masks.centroids import Centroids
from unmask.masks.lines import Lines
from unmask.release import Release
from unmask.schema import Numeric, Role, parse_numbers, recode
from unmask.table import Column

MOST_VALUES = 20_000
"""How many values may be asked about."""

NEAR = 0.3
"""How far members lie from their centroid in one attribute, as a part of the usual distance of a centroid to the next.

On 3,000 people of Adult (k = 5 and 20) beliefs about age had the least log loss at .25; they were off by .01 to .03
there and at .35, by up to .05 at .5, and too sure by .13 and .15 at .125.
"""

_ROUNDS = 30  # of expectation maximization; more would rise to peaks that noise alone explains


def is_published(release: Release, name: str) -> bool:
    """Say whether rows are published that show something of a quasi-identifier of that name."""
    known = name in release.schema and release.schema[name].role is Role.QUASI_IDENTIFIER
    return known and release.n_rows > 0


def is_near(release: Release, name: str) -> bool:
    """Say whether rows show what lies near the truth, and rules nothing out: a number with noise, what is typical."""
    return release.masked.is_typical or name in release.masked.noise


def lines_of(release: Release) -> Lines:
    """Return the cells that rows show: of noisy rows and centroids the numbers as they stand."""
    if not release.n_rows:
        msg = f"needs published rows; release {release.name!r} has none"
        raise NotApplicableError(msg)
    return release.masked.lines


def line_of_row(release: Release) -> Int32:
    """Return which line each published row is shown as, (rows,)."""
    group = lines_of(release).group_of_line
    if group.size == release.n_rows:
        return np.arange(release.n_rows, dtype=np.int32)
    first = np.zeros(release.n_groups, np.int32)
    first[group[::-1]] = np.arange(group.size, dtype=np.int32)[::-1]
    return first[release.group_of_row]


def values_behind(release: Release, name: str) -> tuple[str, ...]:
    """Return the values that may stand behind what rows show: those declared, else all from the least end to the last.

    Fails
        With `NotApplicableError` for numbers without a step, and for too many of them.
    """
    attribute = release.schema[name]
    if not attribute.is_numeric:
        if not attribute.values:
            msg = f"needs values that can be listed; column {name!r} has none"
            raise NotApplicableError(msg)
        return attribute.values
    return tuple(number_text(float(number)) for number in steps_behind(release, name, declared=True))


def steps_behind(release: Release, name: str, *, declared: bool) -> Float64:
    """Return the steps of a number that may stand behind what rows show, rising; of what is declared, or of all cells.

    Of a range that is not declared the ends are those of what is shown.
    """
    lines, domain = lines_of(release), release.schema[name].domain
    cells = lines.cells[lines.column(name)]
    ends = np.concatenate([cells.low, cells.high])
    ends = ends[np.isfinite(ends)]
    bounds = (domain.low, domain.high, domain.step) if isinstance(domain, Numeric) else (None, None, None)
    step = bounds[2] or (1.0 if ends.size and (ends == np.floor(ends)).all() else None)
    if step is None or not ends.size:
        msg = (
            f"needs values that can be listed; column {name!r} has numbers without a step. Declare one, as in step = 1"
        )
        raise NotApplicableError(msg)
    low = float(ends.min()) if bounds[0] is None else bounds[0]
    high = float(ends.max()) if bounds[1] is None else bounds[1]
    if not declared:
        low, high = min(low, float(ends.min())), max(high, float(ends.max()))
    first, last = np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9)
    if last - first >= MOST_VALUES:
        msg = f"needs at most {MOST_VALUES:,} values to ask about; column {name!r} has {last - first + 1:,.0f}"
        raise NotApplicableError(msg)
    return multiples(step, np.arange(first, last + 1))


def column_of(release: Release, name: str, labels: Sequence[str]) -> Column:
    """Return labels as a column of true values: numbers, or codes of the release."""
    attribute = release.schema[name]
    return parse_numbers(labels) if attribute.is_numeric else recode(tuple(labels), attribute.values)


def likelihood(release: Release, name: str, at: Column) -> Ragged:
    """Return P(cell shown | true value), (cells, at), up to a factor for each cell; what tells nothing fits all.

    Infers
        Of ranges and sets 1 where they hold the value, of noise its density. Of centroids `exp(−d / width)`, d being
        how far the value lies from what is typical, in standard deviations of what is published (1 for another listed
        value), and the width a part, `NEAR`, of the usual distance of a centroid to the next.
    """
    masked = release.masked
    if isinstance(masked, Centroids):
        chances = Ragged.of(masked.nearness(name, at, release.size, NEAR))
    else:
        chances = masked.likelihood(name, at)
    silent = np.flatnonzero(chances.sums() <= 0)  # a value is missing: that tells nothing of which it was
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
    """Return how usual each value is, (values,), as far as rows tell.

    Infers
        A few rounds of expectation maximization from an even distribution: each row spreads over what may stand behind
        it, by what is usual so far. Behind much noise that stays nearly even, as it should.
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
        share = (expected + 1.0) / (expected.sum() + share.size)  # nothing is ruled out for not having been seen
    return share


def default_prior(release: Release, name: str, n_targets: int) -> Beliefs:
    """Believe of everybody how usual each value of a quasi-identifier is, as far as the release tells."""
    values = values_behind(release, name)
    return Beliefs.shared(About.attribute(name), values, shares(release, name, values), n_targets)
