"""Declared ranges: low, high and step of numbers with noise, independent of the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor, inf, isclose, isfinite, nan
from typing import Annotated, TypeAlias

import numpy as np

from unmask.arrays import Float64
from unmask.dates import moment_number
from unmask.errors import InvalidInputError
from unmask.hierarchies import number_text
from unmask.parameters import TextForm
from unmask.schema import UNKNOWN, Attribute, Numeric, Role
from unmask.table import Table
from unmask.wording import marked, message


def require_ranges(ranges: Mapping[str, Sequence[float]]) -> None:
    """Check that each range has a low and a higher end, and optionally a step; an empty one is the declared range.

    Fails
        With `InvalidInputError` for the first other range.
    """
    for name, numbers in ranges.items():
        if numbers and not _is_range(*numbers):
            raise _wrong(_text(name, numbers))


def parse_ranges(text: str) -> dict[str, tuple[float, ...]]:
    """Parse the columns with noise: `age=17,99,1; edu` gives low, high and optionally the step of each, or nothing.

    The ends may be dates: `birth=1900-01-01,2020-12-31`.
    """
    ranges: dict[str, tuple[float, ...]] = {}
    for part in filter(None, (piece.strip() for piece in text.split(";"))):
        name, _, ends = (piece.strip() for piece in part.partition("="))
        try:
            numbers = tuple(map(_number, ends.split(","))) if ends else ()
        except ValueError:
            numbers = (nan,)
        if name in ranges or (numbers and not _is_range(*numbers)):
            raise _wrong(part)
        ranges[name] = numbers
    return ranges


def _number(text: str) -> float:
    day = moment_number(text.strip())
    return float(text) if day is None else day


def ranges_text(ranges: Mapping[str, Sequence[float]]) -> str:
    """Return ranges as `parse_ranges` reads them."""
    return "; ".join(_text(name, numbers) for name, numbers in ranges.items())


Ranges: TypeAlias = Annotated[
    Mapping[str, tuple[float, ...]],
    TextForm(parse_ranges, ranges_text, marked("a mapping from columns to (low, high, step)")),
]
"""Low, high and optionally the step of columns; an empty tuple for the declared range."""


def _text(name: str, numbers: Sequence[float]) -> str:
    return f"{name}={','.join(map(number_text, numbers))}" if numbers else name


def _wrong(part: str) -> InvalidInputError:
    msg = message(
        "attributes must occur once each, with a range or none, as in age=17,99,1; edu; got {part}", part=repr(part)
    )
    return InvalidInputError(msg)


def _is_range(low: float, high: float = nan, step: float = 1.0, *more: float) -> bool:
    return not more and -inf < low < high < inf and 0 < step < inf


def declared_range(attribute: Attribute, given: Sequence[float]) -> Numeric:
    """Return the range and the step of a column: those given, else those declared.

    Fails
        With `InvalidInputError` where one of them is missing.
    """
    name = attribute.name
    domain = attribute.domain if isinstance(attribute.domain, Numeric) else Numeric(observed=True)
    low, high = given[:2] if given else (domain.low, domain.high)
    step = given[2] if len(given) > 2 else domain.declared_step
    if step and low is not None and high is not None and isfinite(high - low):
        first, last = whole_steps(low, high, step)
        low, high = (
            end if isclose(at * step, end, rel_tol=1e-9) else at * step for at, end in ((first, low), (last, high))
        )
    example = message("1900-01-01,2020-12-31 (low, high)" if domain.dates else "0,100,1 (low, high, step)")
    if low is None or high is None or not np.finfo(float).tiny <= high - low < inf:
        msg = message(
            "column {name} must have a declared range to be hidden by noise; the extremes of the data are "
            "values of people. Declare it: attributes={typed}={example}, or low, high and step in roles.toml",
            name=repr(name),
            typed=name,
            example=example,
        )
        raise InvalidInputError(msg)
    if step is None and domain.dates and domain.observed:
        msg = message(
            'column {name} must be declared to hold dates to be hidden by noise: type = "date" in roles.toml',
            name=repr(name),
        )
        raise InvalidInputError(msg)
    if step is None and domain.observed:
        msg = message(
            "column {name} must have a declared step to be hidden by noise; one record decides whether all "
            "its numbers are whole. Declare it: attributes={typed}={low},{high},1 (low, high, step), or step "
            "or type in roles.toml",
            name=repr(name),
            typed=name,
            low=f"{low:g}",
            high=f"{high:g}",
        )
        raise InvalidInputError(msg)
    return Numeric(low, high, step, dates=domain.dates)


def whole_steps(low: float, high: float, step: float) -> tuple[int, int]:
    """Return the first and the last multiple of a step in a range."""
    return ceil(low / step - 1e-9), floor(high / step + 1e-9)


def holds_numbers(table: Table, attribute: Attribute, *, named: bool) -> bool:
    """Whether a column can have noise; one without any value can if it is `named`."""
    return attribute.is_numeric or (named and lacks_values(table, attribute))


def lacks_values(table: Table, attribute: Attribute) -> bool:
    """Whether no row has a value of a quasi-identifier without declaration."""
    domain = attribute.domain
    if isinstance(domain, Numeric) or domain.declared or attribute.role is not Role.QUASI_IDENTIFIER:
        return False
    return bool((table[attribute.name] == UNKNOWN).all())


def numbers_of(table: Table, name: str) -> Float64:
    """Return the numbers of a column, (rows,); NaN where missing, and everywhere in a column without any value."""
    attribute = table.schema[name]
    return table[name] if attribute.is_numeric else np.full(table.n_rows, np.nan)
