"""People as a release shows them: a table whose values are the distinct cells."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unmask.arrays import Int64
from unmask.errors import InvalidInputError
from unmask.models.equivalence_classes import MissingAs, Units
from unmask.release import SYNTHETIC, Release
from unmask.schema import UNKNOWN, Categorical, Missing, Schema
from unmask.table import Table


def unit_of_row(release: Release, units: Units) -> Int64:
    """Return the unit of each row of the table that `people_table` makes of a release, (rows,).

    Fails
        With `InvalidInputError` where sizes are not whole (noise), so that nobody can be counted.
    """
    size = np.round(units.size).astype(np.int64)
    if release.noise or not np.allclose(size, units.size) or (size < 0).any():
        msg = "sizes of groups must be whole to count people; these are noisy. Estimate the risk before noise is added"
        raise InvalidInputError(msg)
    size[release.starred[units.group]] = 0
    return np.repeat(np.arange(size.size), size)


def people_table(release: Release, reading: MissingAs) -> Table:
    """Return the published people, (rows,), each cell of a column being a value of its own.

    Two people look alike in this table where they do in the release. Under the reading `WILDCARD` a missing or
    suppressed cell is a missing value that matches everything, else one more value. Suppressed people are not in it.

    Fails
        With `InvalidInputError` where sizes are not whole (noise), so that nobody can be counted; or where numbers
        have noise, so that everybody is alone in what is shown.
    """
    if release.is_synthetic:
        msg = f"population risk must be about people; {SYNTHETIC}"
        raise InvalidInputError(msg)
    if release.masked.noise:
        msg = "people must be shown as they are to say who is alone; numbers here have noise. Estimate it beforehand"
        raise InvalidInputError(msg)
    units = Units.of(release)
    unit = unit_of_row(release, units)
    attributes, columns = [], {}
    for i, attribute in enumerate(units.masked.attributes):
        cell, wild = units.cell[:, i], units.wild[:, i]
        labels = tuple(str(number) for number in range(int(cell.max(initial=-1)) + 1))
        missing = Missing.WILDCARD if reading is MissingAs.WILDCARD else Missing.OWN
        attributes.append(replace(attribute, domain=Categorical(labels), hierarchy=None, missing=missing))
        codes = np.where(wild & (reading is MissingAs.WILDCARD), UNKNOWN, cell)
        columns[attribute.name] = codes.astype(np.int32)[unit]
    return Table(Schema(tuple(attributes)), columns, unit.size)
