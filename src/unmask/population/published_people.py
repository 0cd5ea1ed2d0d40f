"""Published people as a table whose values are the distinct cells of a release."""

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
    """Return the unit of each row of `people_table`, (rows,).

    Fails
        With `InvalidInputError` where sizes are not whole numbers (noise).
    """
    size = np.round(units.size).astype(np.int64)
    if release.noise or not np.allclose(size, units.size) or (size < 0).any():
        msg = "sizes of groups must be whole to count people; these are noisy. Estimate the risk before noise is added"
        raise InvalidInputError(msg)
    size[release.starred[units.group]] = 0
    return np.repeat(np.arange(size.size), size)


def people_table(release: Release, reading: MissingAs) -> Table:
    """Return a table of the published people, in which each distinct cell of a column is a value.

    Two people match in this table if they match in the release. Under the reading `WILDCARD` a missing or suppressed
    cell is a missing value that matches everything, else one more value. Suppressed people are left out.

    Fails
        With `InvalidInputError` where sizes are not whole numbers (noise), or where numbers have noise, so that all
        rows are unique.
    """
    if release.is_synthetic:
        msg = f"population risk must be about people; {SYNTHETIC}"
        raise InvalidInputError(msg)
    if release.masked.noise:
        msg = "numbers must be exact for population risk; these have noise. Estimate it before noise is added"
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
