"""Schemas of tables: roles, domains and missing-value policies of columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, TypeAlias

import numpy as np

from unmask.arrays import Float64, Int32
from unmask.dates import begin_with_day, moment_number, moment_numbers, moment_texts, period_ends
from unmask.errors import InvalidInputError
from unmask.hierarchies import Hierarchy, number_text
from unmask.wording import marked, message

UNKNOWN = -1
"""The code of a missing value."""

OUTSIDE = -2
"""The code of a value outside of the domain; it matches no cell but `*`."""

MARK = "?"
"""The default mark of a missing value."""

MARKS = (MARK, "NA", "NULL", "missing", "no value")
"""The marks of a missing value, of which a column has the first that is none of its values."""


def mark_for(values: Iterable[str]) -> str:
    """Return the mark of a missing value of a column: `?`, unless that is one of its values."""
    taken = set(values)
    return next((mark for mark in MARKS if mark not in taken), "?" * (1 + max((len(v) for v in taken), default=0)))


class Role(StrEnum):
    """The role of a column for the publisher."""

    IDENTIFIER = marked("identifier")
    QUASI_IDENTIFIER = marked("quasi-identifier")
    SENSITIVE = marked("sensitive")
    INSENSITIVE = marked("insensitive")
    PERSON_KEY = marked("person-key")
    HOUSEHOLD = marked("household")
    WEIGHT = marked("weight")
    DROP = marked("drop")


BESIDE = (Role.INSENSITIVE, Role.PERSON_KEY)
"""Roles of published columns beside quasi-identifiers and sensitive ones; a published person key is a pseudonym."""

ATTACHED = (Role.SENSITIVE, *BESIDE)
"""Roles of the columns of a table that a sanitizer publishes on rows, beside quasi-identifiers."""


class Missing(StrEnum):
    """The policy for missing values: a value of its own, a wildcard, or the row is left out."""

    OWN = "own"
    WILDCARD = "wildcard"
    EXCLUDED = "exclude"


def _distinct(values: tuple[str, ...]) -> None:
    if len(set(values)) < len(values):
        msg = message("the values of a domain must be distinct")
        raise InvalidInputError(msg)


@dataclass(frozen=True, slots=True)
class Categorical:
    """Values without an order; algorithms that need one use the given order (alphabetical by default)."""

    values: tuple[str, ...]
    declared: bool = False  # only a declared domain is published

    def __post_init__(self) -> None:
        _distinct(self.values)


@dataclass(frozen=True, slots=True)
class Ordered:
    """Values in a declared order."""

    values: tuple[str, ...]
    declared: bool = True

    def __post_init__(self) -> None:
        _distinct(self.values)


@dataclass(frozen=True, slots=True)
class Numeric:
    """Numbers; with a step, multiples of it (1: integers). Bounds are declared, never derived from the data.

    A step may be derived from the data (all numbers are integers); `declared_step` is None then, since one record can
    change it. Dates are numbers of days since 1970-01-01, written as dates: whole days with step 1, else date-times.
    """

    low: float | None = None
    high: float | None = None
    step: float | None = None
    observed: bool = field(default=False, compare=False)  # the presence of a step is derived from the data
    dates: bool = False  # the numbers are days since 1970-01-01

    @property
    def timed(self) -> bool:
        """Whether dates have a time of day."""
        return self.dates and self.step is None

    @property
    def declared_step(self) -> float | None:
        """The declared step; None if derived from the data."""
        return None if self.observed else self.step


Domain: TypeAlias = Categorical | Ordered | Numeric


@dataclass(frozen=True, slots=True)
class Harm:
    """The harmless values of a sensitive attribute, and value-specific limits for others."""

    harmless: frozenset[str] = frozenset()
    limit: Mapping[str, float] = field(default_factory=dict)

    def harmful(self, values: tuple[str, ...]) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Whether the disclosure of each value is harmful."""
        return np.array([value not in self.harmless for value in values], bool)

    def limits(self, values: tuple[str, ...], default: float) -> Float64:
        """Return the limit of the posterior probability of each value."""
        return np.array([self.limit.get(value, default) for value in values])


@dataclass(frozen=True, slots=True)
class Attribute:
    """A column: its name, role, domain, hierarchy, missing-value policy and harm."""

    name: str
    role: Role
    domain: Domain = Categorical(())
    hierarchy: Hierarchy | None = None
    missing: Missing = Missing.OWN
    harm: Harm = Harm()
    mark: str = MARK  # mark of a missing value

    def __post_init__(self) -> None:
        if not self.name:
            msg = message("a column must have a name; got an empty one. Name it in the header")
            raise InvalidInputError(msg)

    @property
    def is_numeric(self) -> bool:
        """Whether the column holds numbers."""
        return isinstance(self.domain, Numeric)

    @property
    def holds_dates(self) -> bool:
        """Whether the numbers of the column are dates."""
        return isinstance(self.domain, Numeric) and self.domain.dates

    @property
    def values(self) -> tuple[str, ...]:
        """The labels of a categorical or ordered domain."""
        if isinstance(self.domain, Numeric):
            msg = message(
                "column {name} must have listed values; got numbers. Declare it as a category", name=repr(self.name)
            )
            raise InvalidInputError(msg)
        return self.domain.values


@dataclass(frozen=True, slots=True)
class Schema:
    """The attributes of a table, in the order of its columns."""

    attributes: tuple[Attribute, ...]

    def __post_init__(self) -> None:
        names = [attribute.name for attribute in self.attributes]
        if len(set(names)) < len(names):
            twice = next(name for i, name in enumerate(names) if name in names[:i])
            msg = message("column names must be distinct; got {twice} twice. Rename one of them", twice=repr(twice))
            raise InvalidInputError(msg)

    def __iter__(self) -> Iterator[Attribute]:
        return iter(self.attributes)

    def __contains__(self, name: object) -> bool:
        return any(attribute.name == name for attribute in self.attributes)

    def __getitem__(self, name: str) -> Attribute:
        for attribute in self.attributes:
            if attribute.name == name:
                return attribute
        raise InvalidInputError.unknown_name("column", name, self.names)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all columns."""
        return tuple(attribute.name for attribute in self.attributes)

    def having(self, *roles: Role) -> tuple[Attribute, ...]:
        """Return the attributes with one of the roles."""
        return tuple(attribute for attribute in self.attributes if attribute.role in roles)

    @property
    def quasi(self) -> tuple[Attribute, ...]:
        """The quasi-identifiers."""
        return self.having(Role.QUASI_IDENTIFIER)

    @property
    def sensitive(self) -> tuple[Attribute, ...]:
        """The sensitive attributes."""
        return self.having(Role.SENSITIVE)

    def only(self, names: Iterable[str]) -> Schema:
        """Return the schema of some of the columns, in the given order."""
        return Schema(tuple(self[name] for name in names))

    def renamed(self, names: Mapping[str, str]) -> Schema:
        """Return the schema with some columns renamed."""
        return Schema(tuple(replace(a, name=names.get(a.name, a.name)) for a in self.attributes))


def recode(values: tuple[str, ...], onto: tuple[str, ...]) -> Int32:
    """Return the code of each label among other labels; `OUTSIDE` if it is not there."""
    index = {label: code for code, label in enumerate(onto)}
    return np.array([index.get(label, OUTSIDE) for label in values], np.int32)


def parse_numbers(labels: Iterable[str]) -> Float64:
    """Return labels as numbers; infinity, which matches no cell but `*`, if a label is not a number."""
    result = []
    for label in labels:
        try:
            number = float(label)
        except ValueError:
            number = np.inf
        result.append(np.inf if np.isnan(number) else number)
    return np.array(result, np.float64)


def _parse_dates(labels: Iterable[str], domain: Numeric) -> Float64:
    """Return labels as days since 1970-01-01, of a period the middle; infinity if a label is not a date."""
    listed = list(labels)
    numbers = moment_numbers(listed)
    if numbers is not None:
        return numbers if domain.timed else np.floor(numbers)
    day_first = begin_with_day(listed)
    return np.array([_date_number(label, domain, day_first=day_first) for label in listed], np.float64)


def _date_number(label: str, domain: Numeric, *, day_first: bool | None) -> float:
    number = moment_number(label)
    if number is None:
        ends = period_ends(label, day_first=day_first)
        number = np.inf if ends is None or not np.isfinite(ends[0]) else (ends[0] + ends[1]) / 2
    return float(number if domain.timed or np.isinf(number) else np.floor(number))


def domain_values(domain: Domain, labels: Iterable[str]) -> Float64 | Int32:
    """Return labels as values of a domain: numbers, or codes. The inverse of `labels_of`.

    A label outside of the domain becomes infinity or `OUTSIDE`, which match no cell but `*`.
    """
    if not isinstance(domain, Numeric):
        return recode(tuple(labels), domain.values)
    return _parse_dates(labels, domain) if domain.dates else parse_numbers(labels)


def labels_of(domain: Domain, values: Float64 | Int32) -> tuple[str, ...]:
    """Return values of a domain as labels."""
    if isinstance(domain, Numeric):
        return number_labels(domain, values)
    return tuple(domain.values[int(code)] for code in values)


def number_labels(domain: Numeric, numbers: Float64 | Int32) -> tuple[str, ...]:
    """Return numbers as labels: numerals, or dates."""
    if not domain.dates:
        return tuple(number_text(float(number)) for number in numbers)
    finite = np.isfinite(numbers)
    texts = iter(moment_texts(np.asarray(numbers)[finite], timed=domain.timed))
    return tuple(next(texts) if is_finite else number_text(np.inf) for is_finite in finite.tolist())
