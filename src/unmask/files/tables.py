"""Tables of people from raw columns and their roles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from unmask.arrays import Float64, Int32, occurrences
from unmask.dates import end_of_day
from unmask.errors import InvalidInputError, enumerated
from unmask.files.attributes import attribute_of
from unmask.files.declared_dates import may_be_two
from unmask.files.keys import nameless, numbered
from unmask.files.published_level import published_labels, require_level
from unmask.files.raw import Kind, Raw, RawColumn
from unmask.files.roles import ColumnRole, Roles
from unmask.hierarchies import number_text
from unmask.hierarchy_presets.preset_hierarchies import unknown_values
from unmask.number_format import numeral
from unmask.numerics.numerals import LARGEST, LONGEST, are_whole, in_order, make_numbers, require_steps
from unmask.repeated_columns import RepeatedColumns
from unmask.schema import (
    UNKNOWN,
    Attribute,
    Categorical,
    Missing,
    Numeric,
    Role,
    Schema,
    domain_values,
    labels_of,
    mark_for,
)
from unmask.table import Column, Table, encode
from unmask.wording import counted, message

_PUBLISHED = {Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.INSENSITIVE}


def to_table(raw: Raw, roles: Roles, *, require: Iterable[Role] = (Role.QUASI_IDENTIFIER, Role.SENSITIVE)) -> Table:
    """Code a raw table by the roles of its columns.

    Numeric quasi-identifiers stay numbers; categories are in the declared order, else sorted by code points.
    Sensitive and insensitive columns are categories. Columns of other roles are left out.

    Fails
        With `InvalidInputError` where a role names a column that does not exist, where a required role has no column,
        where values contradict their declaration.
    """
    for name in roles.columns:
        raw[name]  # suggests a similar name
    role_of: dict[str, Role | None] = {name: roles.of_column(name).role for name in raw.columns}
    if roles.rest == "insensitive":
        role_of.update(dict.fromkeys(_without_role(raw, roles), Role.INSENSITIVE))
    for needed in require:
        if needed not in role_of.values():
            option = "-q" if needed is Role.QUASI_IDENTIFIER else "-s"
            msg = message(
                "{raw} must have a {needed} column; none is declared. Name one with {option} COLUMN or in "
                "roles.toml; its columns are {columns}",
                raw=repr(raw.name),
                needed=needed,
                option=option,
                columns=", ".join(raw.columns),
            )
            raise InvalidInputError(msg)
    kind, rows = raw.distinct_rows if raw.repeats else (None, np.arange(raw.n_rows))
    attributes, columns = [], {}
    for name, role in role_of.items():
        if role in _PUBLISHED and role is not None:
            attribute, of_code = _coded(name, role, raw[name], roles)
            columns[name] = of_code[raw[name].codes[rows]]
            attributes.append(attribute)
    return Table(
        Schema(tuple(attributes)),
        columns if kind is None else RepeatedColumns(columns, rows.size, kind),
        raw.n_rows,
        person_of=_key(raw, roles, Role.PERSON_KEY),
        household_of=_key(raw, roles, Role.HOUSEHOLD),
        weight=_weight(raw, roles),
    )


def require_representable_numbers(raw: Raw, roles: Roles) -> None:
    """Fail where a quasi-identifier has a number that float64 cannot hold, unless its values are declared to be labels.

    Such a number makes labels of all numbers of its column: one record would decide how the others are read.
    """
    for name in roles.having(Role.QUASI_IDENTIFIER):
        declared = roles.of_column(name)
        labels = declared.holds_codes or declared.order is not None or declared.type in {"category", "text"}
        if name in raw.columns and raw[name].kind is Kind.LONG and not labels:
            msg = message(
                "column {name} must hold numbers of at most {longest} digits, up to {largest}, where noise is "
                "added; it has longer or more extreme ones, which would make labels of all. Correct them, or set "
                'type = "category" in roles.toml',
                name=repr(name),
                longest=LONGEST,
                largest=numeral(LARGEST, "g"),
            )
            raise InvalidInputError(msg)


def coding_notes(table: Table, raw: Raw, roles: Roles) -> Iterator[str]:
    """Yield notes on interpretations of columns that the user may not have intended."""
    unused = _without_role(raw, roles)
    if unused:
        what = message("carried along as insensitive") if roles.rest == "insensitive" else message("not used")
        yield counted(
            "{n} column without a role {what}: {unused}",
            "{n} columns without a role {what}: {unused}",
            len(unused),
            n=len(unused),
            what=what,
            unused=", ".join(unused),
        )
    texts = [a.name for a in table.schema if raw[a.name].mixed]
    padded = [name for name in texts if _are_padded(raw[name])]
    if padded:
        yield message("codes with leading zeros in {padded}: read as text", padded=", ".join(padded))
    mixed = [name for name in texts if name not in padded]
    if mixed:
        yield message("numbers and text beside each other in {mixed}: read as text", mixed=", ".join(mixed))
    listed = [a for a in table.schema.quasi if isinstance(a.domain, Categorical) and not a.domain.declared]
    alphabetical = [a.name for a in listed if raw[a.name].kind not in {Kind.DATE, Kind.MOMENT, Kind.LONG}]
    if alphabetical:
        yield message(
            "in alphabetical order: {alphabetical}; --order changes that", alphabetical=", ".join(alphabetical)
        )
    yield from _of_dates([a for a in table.schema if raw[a.name].holds_dates])
    long = [a.name for a in table.schema if raw[a.name].kind is Kind.LONG]
    if long:
        yield message(
            "numbers of more than {longest} digits or beyond {largest}, each a value of its own, in order of "
            "size: {long}",
            longest=LONGEST,
            largest=numeral(LARGEST, "g"),
            long=", ".join(long),
        )
    yield from _of_presets(table)
    empty = [a.name for a in table.schema if not raw[a.name].labels]
    if empty:
        yield message("without a single value: {empty}", empty=", ".join(empty))
    for role in (Role.PERSON_KEY, Role.HOUSEHOLD):
        for name in roles.having(role):
            yield from nameless(name, raw[name], role)
    yield from _of_sensitive(table, raw)


def _of_presets(table: Table) -> Iterator[str]:
    """Yield a note on each column with values that its preset does not know."""
    for attribute in table.schema:
        hierarchy = attribute.hierarchy
        unknown = [] if hierarchy is None else unknown_values(hierarchy)
        if hierarchy is not None and unknown:
            yield message(
                "values of {attribute} that preset {preset} does not know, under * on every level: {n}. Correct "
                "them, or name marks of missing values with --missing",
                attribute=attribute.name,
                preset=hierarchy.preset,
                n=numeral(len(unknown)),
            )


def _without_role(raw: Raw, roles: Roles) -> list[str]:
    return [name for name in raw.columns if roles.of_column(name).role is None and name not in raw.index]


def _are_padded(column: RawColumn) -> bool:
    """Whether all values are digits, some with leading zeros."""
    return all(label.isascii() and label.isdigit() for label in column.labels)


def _of_dates(dates: Sequence[Attribute]) -> Iterator[str]:
    timed = [a.name for a in dates if isinstance(a.domain, Numeric) and a.domain.timed]
    if timed:
        yield message(
            'dates with a time of day, each moment a value of its own: {timed}; levels = ["day"] hides it',
            timed=", ".join(timed),
        )
    in_days = [a.name for a in dates if a.is_numeric and a.name not in timed]
    if in_days:
        yield message("dates, counted in days: {columns}", columns=", ".join(in_days))
    listed = [a.name for a in dates if not a.is_numeric]
    if listed:
        yield message("dates, each day a value of its own, in the order of time: {listed}", listed=", ".join(listed))


def _of_sensitive(table: Table, raw: Raw) -> Iterator[str]:
    for attribute in table.schema.sensitive:
        n = int((raw[attribute.name].codes == UNKNOWN).sum())
        if n and attribute.missing is Missing.OWN and attribute.mark not in attribute.harm.harmless:
            option = f"--harmless {attribute.name}={attribute.mark}"
            rows = counted("{n} row", "{n} rows", n, n=numeral(n))
            yield message(
                "{attribute} is missing in {rows}: a value that can be found out; {option} changes that",
                attribute=attribute.name,
                rows=rows,
                option=option,
            )
        lacking = attribute.harm.harmless.union(attribute.harm.limit).difference(attribute.values)
        if lacking:
            yield message(
                "declared of column {attribute}, but not among its values: {lacking}",
                attribute=repr(attribute.name),
                lacking=", ".join(sorted(lacking)),
            )


def _coded(name: str, role: Role, column: RawColumn, roles: Roles) -> tuple[Attribute, Column]:
    """Return an attribute and its value of each code of the raw column, then that of a missing cell, (codes + 1,)."""
    declared = roles.of_column(name)
    if role is Role.QUASI_IDENTIFIER and declared.type in {None, "date"} and not declared.order and may_be_two(column):
        msg = message(
            "column {name} must say whether its day or its month comes first: in both orders its cells are "
            'dates. Set day_first = true or false for it in roles.toml, or type = "text"',
            name=repr(name),
        )
        raise InvalidInputError(msg)
    _require_type(name, column, declared)
    require_level(name, role, declared)
    if column.kind is Kind.LONG and any(bound is not None for bound in (declared.low, declared.high, declared.step)):
        msg = message(
            "column {name} must hold numbers of at most {longest} digits to have low, high or step; it has "
            "longer or more extreme ones. Leave these out",
            name=repr(name),
            longest=LONGEST,
        )
        raise InvalidInputError(msg)
    dates = column.holds_dates or (not column.labels and declared.holds_dates)
    as_dates = dates and declared.order is None and not declared.mask and declared.type in {None, "date"}
    if role is Role.QUASI_IDENTIFIER and as_dates:
        return _dated(name, column, roles)
    numbers = column.is_numeric or (not column.labels and declared.holds_numbers)
    numeric = numbers and not declared.holds_codes and declared.type in {None, "number", "integer"}
    if role is Role.QUASI_IDENTIFIER and numeric and declared.order is None:
        return _numeric(name, column, roles)
    return _listed(name, role, column, roles, numeric=numeric)


def _require_type(name: str, column: RawColumn, declared: ColumnRole) -> None:
    if not column.labels:
        return
    if declared.holds_numbers and not column.is_numeric and column.kind is not Kind.LONG:
        msg = message(
            "column {name} must hold numbers, by its type, low, high or step; some of its values are none. "
            '{make_numbers}, or set type = "category"',
            name=repr(name),
            make_numbers=make_numbers(column.labels),
        )
        raise InvalidInputError(msg)
    decimals = column.kind is Kind.NUMBER or (column.kind is Kind.LONG and any("." in v for v in column.labels))
    if declared.type == "integer" and decimals:
        msg = message(
            'column {name} must hold integers, by its type; it has decimals. Set type = "number"', name=repr(name)
        )
        raise InvalidInputError(msg)
    if declared.holds_dates and not column.holds_dates:
        msg = message(
            "column {name} must hold dates like 2020-12-31 or 31.12.2020, by its type; some values are none",
            name=repr(name),
        )
        raise InvalidInputError(msg)


def _dated(name: str, column: RawColumn, roles: Roles) -> tuple[Attribute, Float64]:
    """Return the same for a column of dates: days since 1970-01-01."""
    declared = roles.of_column(name)
    low, high = declared.bounds
    if column.kind is Kind.MOMENT:
        domain = Numeric(low, None if high is None else end_of_day(high), dates=True)
    else:
        domain = Numeric(low, high, declared.step or 1.0, declared.type is None and not declared.step, dates=True)
    distinct = np.asarray(domain_values(domain, column.labels), np.float64)
    _require_within(name, distinct, column, domain)
    rows = dict.fromkeys(labels_of(domain, distinct), 1)  # a hierarchy of dates depends on the dates alone
    attribute = replace(attribute_of(name, Role.QUASI_IDENTIFIER, Kind.DATE, rows, roles), domain=domain)
    return attribute, np.append(distinct, np.nan)


def _require_within(name: str, distinct: Float64, column: RawColumn, domain: Numeric) -> None:
    """Fail where values lie outside of the declared bounds."""
    outside = np.zeros(distinct.size, bool)
    if domain.low is not None:
        outside |= distinct < domain.low
    if domain.high is not None:
        outside |= distinct > domain.high
    if outside.any():
        n = int(np.append(outside, False)[column.codes].sum())
        msg = message(
            "column {name} must stay within its declared bounds; rows beyond them: {n}. Widen low and high",
            name=repr(name),
            n=numeral(n),
        )
        raise InvalidInputError(msg)


def _numeric(name: str, column: RawColumn, roles: Roles) -> tuple[Attribute, Float64]:
    declared = roles.of_column(name)
    observed = declared.step is None and declared.type is None
    distinct = column.numbers if column.numbers is not None else np.zeros(0)
    whole = declared.type == "integer" or (observed and are_whole(distinct))
    domain = Numeric(*declared.bounds, declared.step or (1.0 if whole else None), observed)
    _require_within(name, distinct, column, domain)
    require_steps(name, distinct, domain.declared_step)
    rows = _rows_of(column, [number_text(number) for number in distinct.tolist()])
    attribute = replace(attribute_of(name, Role.QUASI_IDENTIFIER, column.kind, rows, roles), domain=domain)
    return attribute, np.append(distinct, np.nan)


def _rows_of(column: RawColumn, labels: Sequence[str]) -> dict[str, int]:
    """Return the number of rows with each label of a raw column's values, (values,)."""
    found: dict[str, int] = {}
    for label, n in zip(labels, occurrences(column.codes, column.n)[1:].tolist(), strict=True):
        found[label] = found.get(label, 0) + n
    return found


def _listed(name: str, role: Role, column: RawColumn, roles: Roles, *, numeric: bool) -> tuple[Attribute, Int32]:
    """Return the same for a column of labels, coded by the rules of `encode`."""
    declared = roles.of_column(name)
    distinct: list[float | str | None] = list(column.labels)
    if numeric and column.numbers is not None and declared.order is None:
        distinct = [int(n) if n.is_integer() else n for n in column.numbers.tolist()]
    rows = _rows_of(column, [v if isinstance(v, str) else number_text(v) for v in distinct if v is not None])
    labels = tuple(rows)
    template = attribute_of(name, role, column.kind, rows, roles)
    if declared.level is not None and template.hierarchy is not None:
        published, above = published_labels(name, declared, template.hierarchy, labels)
        label_of = dict(zip(labels, published, strict=True))
        distinct = [label_of[v if isinstance(v, str) else number_text(v)] for v in distinct if v is not None]
        template = replace(template, hierarchy=above, mark=mark_for(published))
    if column.has_missing:
        distinct.append(None)  # the value of rows without one
    attribute, codes = encode(name, role, distinct, declared.order, roles.policy, template.mark)
    codes = codes if column.has_missing else np.append(codes, np.int32(UNKNOWN))
    domain = attribute.domain
    hierarchy = template.hierarchy
    if role is Role.QUASI_IDENTIFIER and hierarchy is not None and hierarchy.declared and declared.order is None:
        values = tuple(in_order({*labels, *hierarchy.leaves} - {template.mark}))  # the hierarchy declares the domain
        code = {value: i for i, value in enumerate(values)}
        place = np.array([code[value] for value in attribute.values] + [UNKNOWN], np.int32)
        codes, domain = place[codes], Categorical(values, declared=True)
    return replace(template, domain=domain), codes


def _key(raw: Raw, roles: Roles, role: Role) -> Int32 | None:
    names = roles.having(role)
    if len(names) > 1:
        msg = message(
            "{raw} must have one {role} column; got {names}. Keep one",
            raw=repr(raw.name),
            role=role,
            names=", ".join(names),
        )
        raise InvalidInputError(msg)
    return numbered(raw[names[0]]) if names else None


def _weight(raw: Raw, roles: Roles) -> Float64 | None:
    names = roles.having(Role.WEIGHT)
    if not names:
        return None
    if len(names) > 1:
        msg = message(
            "{raw} must have one weight column; got {names}. Keep one", raw=repr(raw.name), names=", ".join(names)
        )
        raise InvalidInputError(msg)
    column = raw[names[0]]
    numbers = column.numbers
    if numbers is None:
        wrong: str = message("text among them")
    else:
        negative = int(np.append(numbers < 0, False)[column.codes].sum())
        missing = int((column.codes == UNKNOWN).sum())
        counts = ((negative, message("below 0")), (missing, message("missing")))
        wrong = enumerated(message("{n} {what}", n=numeral(n), what=what) for n, what in counts if n)
    if numbers is None or wrong:
        msg = message(
            "weight column {names} of {raw} must hold a number of at least 0 in every row; got {wrong}. "
            "Correct or leave out these rows, or leave out the weight",
            names=repr(names[0]),
            raw=repr(raw.name),
            wrong=wrong,
        )
        raise InvalidInputError(msg)
    return numbers[column.codes]
