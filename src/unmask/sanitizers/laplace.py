"""Laplace: rows as they are, but for numbers that noise was added to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, floor, isclose, isfinite
from typing import ClassVar

import numpy as np

from unmask import work
from unmask.arrays import Float64, Int64, distinct_rows
from unmask.errors import InvalidInputError
from unmask.headcount import repeats
from unmask.masks.cells import Cells
from unmask.masks.lines import Lines
from unmask.masks.noisy_rows import NoisyRows
from unmask.release import Noise, Provenance, Publication, arranged
from unmask.sanitizers import _mechanisms
from unmask.schema import Attribute, Numeric, Role, Schema
from unmask.table import Table

_FINE = 2**20
"""A range of numbers without steps is divided into so many; noise is a whole number of these."""

_LARGEST = 2**53
"""Beyond, not every whole number is a floating-point one."""

_BLOCK = 100_000
"""So many numbers get their noise at once; between blocks progress is shown."""


@dataclass(frozen=True)
class Laplace:
    """Add Laplace noise to numbers that could identify people, and publish everything else of their rows as it is.

    A number with noise could be anybody's, though rather somebody's whose own is near. What is learned of that one
    number is bounded, whatever else is known. What stands beside it in clear is not: two numbers with noise give away
    twice as much as one, and a row with anything in clear has no bound at all.

    Assumes
        Each row is a person. Ranges do not depend on the data: they are declared, or told in `attributes`, as in
        `age=17,99; edu=1,16`; without it every number among the quasi-identifiers gets noise.
    Publishes
        For each number the value, moved into its range, plus noise of scale range/epsilon by OpenDP, never clipped:
        whoever clips it takes away what its likelihood says. Whole numbers, and others in declared steps, get discrete
        Laplace noise and stay whole; the rest is first rounded to about a millionth of the range. That a number is
        missing is shown. `epsilon` is for each number alone: the release claims their sum where nothing else is
        published of a row, and none otherwise. Noise is drawn from the operating system; the seed has no say in it.
    Fails
        With `InvalidInputError` where no quasi-identifier is a number, a range is not declared, or OpenDP is not
        installed.

    References
    ----------
    Dwork, McSherry, Nissim, Smith. Calibrating noise to sensitivity in private data analysis. TCC 2006. Sramka,
    Safavi-Naini, Denzinger. An attack on the privacy of sanitized data that fuses the outputs of multiple data miners.
    ICDM Workshops 2010, section IV.
    """

    name: ClassVar[str] = "laplace"
    epsilon: float = 1.0
    attributes: str = ""
    needs_values: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not (self.epsilon > 0 and isfinite(self.epsilon)):
            msg = f"epsilon must be a number above 0; got {self.epsilon}"
            raise InvalidInputError(msg)
        _told(self.attributes)

    def sanitize(self, table: Table, rng: np.random.Generator) -> Publication:
        """Publish rows with noise; the generator decides nothing."""
        del rng
        _mechanisms.require_opendp(self.name)
        chosen = self._chosen(table.schema)
        kept = np.flatnonzero(~table.excluded())
        columns, noise = [], {}
        cell = np.zeros((kept.size, len(table.schema.quasi)), np.int32)
        with work.step("adding noise", len(chosen)) as step:
            for i, attribute in enumerate(table.schema.quasi):
                column = table[attribute.name][kept]
                if attribute.name in chosen:
                    attribute = replace(attribute, domain=chosen[attribute.name], hierarchy=None)  # noqa: PLW2901
                    column, noise[attribute.name] = self._noisy(column, chosen[attribute.name])
                    step.advance()
                cells, cell[:, i] = Cells.exact(attribute, column)
                columns.append(cells)
        group, example = distinct_rows(cell)
        attached = table.schema.having(Role.SENSITIVE, Role.INSENSITIVE)
        lines = Lines(tuple(columns), cell[example], np.arange(example.size, dtype=np.int32), example.size)
        gaps = any(one.missing.any() for one in columns)
        alone = not attached and len(chosen) == len(columns) and not gaps and not repeats(table.person_of)
        alone = alone and kept.size == table.n_rows  # who is left out for a missing value is told by the number of rows
        total = self.epsilon * len(chosen) if alone else None
        parameters = {"epsilon": self.epsilon, "attributes": ", ".join(chosen)}
        return arranged(
            Schema((*(one.attribute for one in columns), *attached)),
            NoisyRows(lines, noise),
            input_row=kept,
            n_input=table.n_rows,
            group_of_row=group,
            line_of_row=group,
            columns={a.name: table.columns[a.name][kept] for a in attached},
            provenance=Provenance(self.name, parameters, epsilon=total, delta=None if total is None else 0.0),
            person_of=table.person_of,
        )

    def _chosen(self, schema: Schema) -> dict[str, Numeric]:
        """Return the ranges of the columns that get noise, in the order of the schema."""
        told = _told(self.attributes)
        numbers = [a.name for a in schema.quasi if a.is_numeric]
        strange = [name for name in told if name not in numbers]
        if strange:
            raise InvalidInputError.unknown_name("number among quasi-identifiers", strange[0], numbers)
        if not numbers:
            msg = f"{self.name} must have a number among the quasi-identifiers to add noise to; got none. Name it by -q"
            raise InvalidInputError(msg)
        wanted = [a for a in schema.quasi if a.name in (told or numbers)]
        return {a.name: _range(a, told.get(a.name)) for a in wanted}

    def _noisy(self, column: Float64, domain: Numeric) -> tuple[Float64, Noise]:
        """Return the numbers with noise, (rows,), NaN where missing; and the noise, its scale in their own units."""
        low, high = domain.low or 0.0, domain.high or 0.0
        step, origin = domain.step or (high - low) / _FINE, 0.0 if domain.step else low
        first, last = _whole(low - origin, high - origin, step)
        if max(-first, last, (last - first) / self.epsilon) > _LARGEST:
            msg = (
                f"numbers with noise must be below 2^53 steps of {step:g}; got a range from {low:g} to {high:g} at "
                f"epsilon {self.epsilon:g}. Take a narrower range, or a larger epsilon"
            )
            raise InvalidInputError(msg)
        known = ~np.isnan(column)
        whole: Int64 = np.clip(np.rint((column[known] - origin) / step), first, last).astype(np.int64)
        parts, noise = [], Noise("laplace", 1.0)
        for begin in range(0, max(whole.size, 1), _BLOCK):
            part, noise = _mechanisms.noisy_integers(whole[begin : begin + _BLOCK], last - first, self.epsilon)
            parts.append(part)
        shown = np.full(column.size, np.nan)
        shown[known] = origin + np.concatenate(parts) * step
        return shown, Noise("laplace" if domain.step is None else "discrete-laplace", noise.scale * step)


def _told(text: str) -> dict[str, tuple[float, float] | None]:
    """Read which columns get noise: `age=17,99; edu` gives the range that is told of each, or None."""
    found: dict[str, tuple[float, float] | None] = {}
    for part in filter(None, (piece.strip() for piece in text.split(";"))):
        name, _, ends = (piece.strip() for piece in part.partition("="))
        try:
            numbers = [float(end) for end in ends.split(",")] if ends else []
        except ValueError:
            numbers = [np.nan]
        if name in found or (ends and not (len(numbers) == 2 and -np.inf < numbers[0] < numbers[1] < np.inf)):
            msg = f"attributes must be told once each, with a range or none, as in age=17,99; edu; got {part!r}"
            raise InvalidInputError(msg)
        found[name] = (numbers[0], numbers[1]) if ends else None
    return found


def _range(attribute: Attribute, told: tuple[float, float] | None) -> Numeric:
    """Return the range of a column that is told, else declared."""
    domain = attribute.domain
    declared = (domain.low, domain.high) if isinstance(domain, Numeric) else (None, None)
    low, high = told or declared
    step = domain.step if isinstance(domain, Numeric) else None
    if step and low is not None and high is not None and isfinite(high - low):
        first, last = _whole(low, high, step)
        low, high = (
            end if isclose(at * step, end, rel_tol=1e-9) else at * step for at, end in ((first, low), (last, high))
        )
    if low is None or high is None or not np.finfo(float).tiny <= high - low < np.inf:
        msg = (
            f"column {attribute.name!r} must have a declared range to be hidden by noise; the extremes of the data are "
            f"somebody's values. Tell it: attributes={attribute.name}=0,100, or low and high in roles.toml"
        )
        raise InvalidInputError(msg)
    return Numeric(low, high, step)


def _whole(low: float, high: float, step: float) -> tuple[int, int]:
    """Return the first and the last multiple of a step in a range."""
    return ceil(low / step - 1e-9), floor(high / step + 1e-9)


EXAMPLES = (Laplace(),)
