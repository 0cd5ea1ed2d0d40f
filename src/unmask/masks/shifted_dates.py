"""Cells of shifted dates: what a published date says about the true one, whose offset is unknown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from unmask.arrays import starts
from unmask.errors import InvalidInputError
from unmask.masks.cells import Cells
from unmask.masks.lines import Lines
from unmask.number_format import numeral
from unmask.release import DateShift, Masked, Release
from unmask.schema import Attribute, Numeric, Schema
from unmask.wording import message


def generalizes(release: Release) -> bool:
    """Whether a release has one line of cells for each group, so that these can be extended."""
    return isinstance(release.masked, Lines) and release.masked.group_of_line.size == release.n_groups


def with_shift_in_cells(release: Release) -> Release:
    """Return the release with cells of true dates: published dates extended by the largest offset on both sides.

    An attacker who knows true dates and not the offset excludes no row whose extended cell contains the date. Intervals
    between the dates of a person, which the offset does not change, are not in the cells.

    Fails
        With `InvalidInputError` where rows have cells of their own, noise or centroids.
    """
    shifts = {name: one for name, one in release.date_shifts.items() if not one.in_cells}
    if not shifts:
        return release
    published = [name for name in shifts if name in {a.name for a in release.masked.attributes}]
    if published and not generalizes(release):
        msg = message(
            "dates that are shifted, as {published}, must be published as cells of groups; these are rows "
            "with noise, centroids or exact rows. Use a sanitizer that generalizes, as mondrian or "
            "full-domain",
            published=repr(published[0]),
        )
        raise InvalidInputError(msg)
    days = {name: shift.days for name, shift in shifts.items()}
    schema = Schema(tuple(_extended(a, days[a.name]) if a.name in days else a for a in release.schema))
    return replace(
        release,
        schema=schema,
        masked=_wider(release.masked, days),
        regions=None if release.regions is None else _wider(release.regions, days),
        date_shifts={name: replace(one, in_cells=True) for name, one in release.date_shifts.items()},
    )


def with_published_dates(masked: Masked, shifts: Mapping[str, DateShift]) -> Masked:
    """Return lines of cells that were extended, as they were published; gaps in a cell that closed stay closed."""
    return _wider(masked, {name: -one.days for name, one in shifts.items() if one.in_cells})


def describe_shifts(release: Release) -> Iterator[str]:
    """Yield how shifted dates are compared with true ones, as sentences."""
    for name, shift in release.date_shifts.items():
        yield message(
            "{name} is shifted by up to {days} days for each person: true dates are compared with published "
            "ones give or take these days; only trajectory-linkage uses that intervals between the dates of "
            "a person are unchanged",
            name=name,
            days=numeral(shift.days),
        )


def _wider(masked: Masked, days: Mapping[str, int]) -> Masked:
    if not isinstance(masked, Lines):
        msg = "only cells can be extended by the offset of a date; these lines are none"
        raise TypeError(msg)
    cells = (_cells(one, days[one.attribute.name]) if one.attribute.name in days else one for one in masked.cells)
    return replace(masked, cells=tuple(cells))


def _extended(attribute: Attribute, days: int) -> Attribute:
    """Return the attribute with the bounds of true dates; its labels are of shifted dates, so it has none."""
    domain = attribute.domain
    if not isinstance(domain, Numeric):
        return attribute
    low, high = domain.low, domain.high
    wider = replace(domain, low=None if low is None else low - days, high=None if high is None else high + days)
    return replace(attribute, domain=wider, hierarchy=None)


def _cells(cells: Cells, days: int) -> Cells:
    """Return the cells with each piece extended on both sides; pieces that then overlap are one."""
    if not cells.attribute.holds_dates:
        return cells
    owner = np.repeat(np.arange(cells.n), np.diff(cells.start))
    order = np.lexsort((cells.low, owner))
    low, high, owner = cells.low[order] - days, cells.high[order] + days, owner[order]
    new = np.append([True], (owner[1:] != owner[:-1]) | (low[1:] > high[:-1]))[: owner.size]
    first = np.flatnonzero(new)
    last = np.append(first[1:], owner.size)[: first.size] - 1
    return replace(
        cells,
        attribute=_extended(cells.attribute, days),
        start=starts(np.bincount(owner[first], minlength=cells.n)),
        low=low[first],
        high=high[last],
        low_open=cells.low_open[order][first],
        high_open=cells.high_open[order][last],
        label=(),
    )
