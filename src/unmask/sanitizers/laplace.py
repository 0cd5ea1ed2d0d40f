"""Laplace: rows as they are, except numbers with added noise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

import numpy as np

from unmask.arrays import Float64, Int64, distinct_rows
from unmask.errors import InvalidInputError
from unmask.hierarchies import multiples
from unmask.masks.cells import Cells
from unmask.masks.declared_ranges import Ranges, declared_range, holds_numbers, numbers_of, require_ranges, whole_steps
from unmask.masks.lines import Lines
from unmask.masks.noisy_rows import NoisyRows
from unmask.neighboring_relation import Relation
from unmask.number_format import numeral
from unmask.numerics.numerals import make_numbers
from unmask.parameters import check_parameters
from unmask.people_counts import repeats
from unmask.release import Noise, Provenance, Publication, arranged
from unmask.runtime import work
from unmask.sanitizers import _mechanisms
from unmask.schema import ATTACHED, Attribute, Missing, Numeric, Schema
from unmask.table import Table
from unmask.unit import Unit
from unmask.wording import message

_FINE = 2**20
"""The number of steps of a range without declared steps; noise is a whole number of steps."""

_LARGEST = 2**53
"""The largest bound below which every whole number is a floating-point number."""

_BLOCK = 100_000
"""How many numbers get noise at once; progress is reported between blocks."""


@dataclass(frozen=True)
class Laplace:
    """Add Laplace noise to the numbers among the quasi-identifiers, and publish all other columns as they are.

    A noisy number is compatible with every person, with higher likelihood for those with a near value. The noise bounds
    what can be learned about that one number, for any background knowledge. Exact values in the same row are not
    protected: two noisy numbers disclose twice as much as one, and a row with an exact value has no bound at all.

    Assumes
        Each row is a person. Ranges and steps do not depend on the data: they are declared, or given in `attributes` as
        low, high and step, as in `age=17,99,1; height=1,2.2,0.01`; without it every number among the quasi-identifiers
        gets noise.
    Publishes
        For each number the value, moved into its range, plus noise of scale range/epsilon by OpenDP, never clipped:
        clipping would falsify the likelihood. Numbers in declared steps are rounded to them and get discrete Laplace
        noise; a number that is declared to have no step (`type = "number"`) is rounded to about a millionth of the
        range. Missing numbers follow `missing`: with "refuse" there must be none, with "middle" they count as the
        middle of the range, with "show" they are published as missing. `epsilon` is for each number alone. The release
        claims the sum, for tables in which one row is replaced by another, if no other column is published, `missing`
        is not "show", and no missing value excludes a row; else no epsilon. Only declarations decide that. The number
        of rows is public. Noise is drawn from the operating system, independently of the seed.
    Fails
        With `InvalidInputError` where no quasi-identifier is a number, a range or step is not declared, a number is
        missing, a person has several rows although an epsilon is claimed for people, or OpenDP is not installed.

    References
    ----------
    Dwork, McSherry, Nissim, Smith. Calibrating noise to sensitivity in private data analysis. TCC 2006. Sramka,
    Safavi-Naini, Denzinger. An attack on the privacy of sanitized data that fuses the outputs of multiple data miners.
    ICDM Workshops 2010, section IV.
    """

    name: ClassVar[str] = "laplace"
    read_by: ClassVar[str | None] = None
    outcomes: ClassVar[tuple[str, ...]] = ()
    needs_values: ClassVar[bool] = False
    epsilon: float = 1.0
    attributes: Ranges = field(default_factory=dict)
    missing: Literal["refuse", "show", "middle"] = "refuse"

    def __post_init__(self) -> None:
        check_parameters(self)
        _mechanisms.require_epsilon(self.epsilon)
        require_ranges(self.attributes)

    def sanitize(self, table: Table, rng: np.random.Generator) -> Publication:
        """Publish noisy rows; the generator is not used."""
        del rng
        _mechanisms.require_opendp(self.name)
        chosen = self._chosen(table)
        neighbors = self._claimed(table, chosen)
        kept = np.flatnonzero(~table.excluded())
        columns, noise = [], {}
        cell = np.zeros((kept.size, len(table.schema.quasi)), np.int32)
        with work.step(message("adding noise"), len(chosen)) as step:
            for i, attribute in enumerate(table.schema.quasi):
                column = table[attribute.name][kept]
                if attribute.name in chosen:
                    attribute = replace(attribute, domain=chosen[attribute.name], hierarchy=None)  # noqa: PLW2901
                    number = self._filled(attribute, numbers_of(table, attribute.name)[kept])
                    column, noise[attribute.name] = self._noisy(number, chosen[attribute.name])
                    step.advance()
                cells, cell[:, i] = Cells.exact(attribute, column)
                columns.append(cells)
        group, example = distinct_rows(cell)
        attached = table.schema.having(*ATTACHED)
        lines = Lines(tuple(columns), cell[example], np.arange(example.size, dtype=np.int32), example.size)
        total = None if neighbors is None else self.epsilon * len(chosen)
        delta = None if neighbors is None else 0.0
        parameters = {"epsilon": self.epsilon, "attributes": ", ".join(chosen), "missing": self.missing}
        return arranged(
            Schema((*(one.attribute for one in columns), *attached)),
            NoisyRows(lines, noise),
            input_row=kept,
            n_input=table.n_rows,
            group_of_row=group,
            line_of_row=group,
            columns={a.name: table.columns[a.name][kept] for a in attached},
            provenance=Provenance(self.name, parameters, epsilon=total, delta=delta, neighbors=neighbors),
            person_of=table.person_of,
        )

    def _claimed(self, table: Table, chosen: Mapping[str, Numeric]) -> Relation | None:
        """Return the neighboring relation of the claimed ε; None where none is claimed. Only declarations decide.

        Fails
            With `InvalidInputError` where ε is about people, and some people have several rows.
        """
        schema = table.schema
        clear = schema.having(*ATTACHED) or len(chosen) < len(schema.quasi)
        excluded = any(a.missing is Missing.EXCLUDED for a in schema.quasi)  # the number of rows discloses how many
        if clear or excluded or self.missing == "show":
            return None
        if repeats(table.person_of):
            msg = message(
                "{name} must have one row for each person, since its epsilon is about the one row of a person; "
                "some people have several. Keep one row of each, or leave out the person key: then it is about a "
                "row",
                name=self.name,
            )
            raise InvalidInputError(msg)
        return Relation.of("replace", Unit.of(table.person_of))

    def _filled(self, attribute: Attribute, column: Float64) -> Float64:
        """Return the numbers of a column, (rows,), with missing ones treated as `missing` requires.

        Fails
            With `InvalidInputError` where one is missing and none may be.
        """
        absent, domain = np.isnan(column), attribute.domain
        if self.missing == "refuse" and absent.any():
            msg = message(
                "column {attribute} must have no missing number to be hidden by noise; rows without one: {sum}. "
                "Set missing=middle to count them as the middle of the range, or missing=show to publish that "
                "they lack it, which no epsilon bounds",
                attribute=repr(attribute.name),
                sum=numeral(int(absent.sum())),
            )
            raise InvalidInputError(msg)
        if self.missing == "show" or not isinstance(domain, Numeric):
            return column
        return np.where(absent, ((domain.low or 0.0) + (domain.high or 0.0)) / 2, column)

    def _chosen(self, table: Table) -> dict[str, Numeric]:
        """Return the ranges of the columns that get noise, in the order of the schema."""
        given, schema = self.attributes, table.schema
        numbers = [a.name for a in schema.quasi if holds_numbers(table, a, named=a.name in given)]
        unknown = [name for name in given if name not in numbers]
        if unknown and given[unknown[0]] and unknown[0] in [a.name for a in schema.quasi]:
            msg = message(
                "column {unknown} must hold numbers to be hidden by noise; some values are none. {make_numbers}",
                unknown=repr(unknown[0]),
                make_numbers=make_numbers(schema[unknown[0]].values),
            )
            raise InvalidInputError(msg)
        if unknown:
            raise InvalidInputError.unknown_name(message("number among quasi-identifiers"), unknown[0], numbers)
        if not numbers:
            msg = message(
                "{name} must have a number among the quasi-identifiers to add noise to; got none. Name it by -q",
                name=self.name,
            )
            raise InvalidInputError(msg)
        wanted = [a for a in schema.quasi if a.name in (given or numbers)]
        return {a.name: declared_range(a, given.get(a.name, ())) for a in wanted}

    def _noisy(self, column: Float64, domain: Numeric) -> tuple[Float64, Noise]:
        """Return the noisy numbers, (rows,), NaN where missing; and the noise, its scale in the numbers' units."""
        low, high = domain.low or 0.0, domain.high or 0.0
        step, origin = domain.step or (high - low) / _FINE, 0.0 if domain.step else low
        first, last = whole_steps(low - origin, high - origin, step)
        if max(-first, last, (last - first) / self.epsilon) > _LARGEST:
            msg = message(
                "numbers with noise must be below 2^53 steps of {step}; got a range from {low} to {high} at "
                "epsilon {epsilon}. Take a narrower range, or a larger epsilon",
                step=numeral(step, "g"),
                low=numeral(low, "g"),
                high=numeral(high, "g"),
                epsilon=numeral(self.epsilon, "g"),
            )
            raise InvalidInputError(msg)
        known = ~np.isnan(column)
        whole: Int64 = np.clip(np.rint((column[known] - origin) / step), first, last).astype(np.int64)
        parts, noise = [], Noise("laplace", 1.0)
        for begin in range(0, max(whole.size, 1), _BLOCK):
            part, noise = _mechanisms.noisy_integers(whole[begin : begin + _BLOCK], last - first, self.epsilon)
            parts.append(part)
        published = np.full(column.size, np.nan)
        drawn = np.concatenate(parts)
        published[known] = origin + drawn * step if domain.step is None else multiples(step, drawn)
        return published, Noise("laplace" if domain.step is None else "discrete-laplace", noise.scale * step)


EXAMPLES = (Laplace(),)
