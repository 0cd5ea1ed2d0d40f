"""Builders of SQL expressions that mean the same in every dialect: double precision, quoted names, no cast of truth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlglot import exp

INFINITE = 1e300
"""The number that stands for infinity, which dialects write differently."""


def name(text: str) -> exp.Identifier:
    """Return a quoted identifier, safe for any content."""
    return exp.to_identifier(text, quoted=True)


def column(text: str, of: str | None = None) -> exp.Column:
    """Return a column, of a table where its name alone is ambiguous."""
    return exp.Column(this=name(text), table=None if of is None else name(of))


def columns(texts: Iterable[str], of: str | None = None) -> list[exp.Expression]:
    """Return columns of one table."""
    return [column(text, of) for text in texts]


def table(text: str, alias: str | None = None) -> exp.Table:
    """Return a relation that an earlier query defines."""
    return exp.Table(this=name(text), alias=None if alias is None else exp.TableAlias(this=name(alias)))


def named(value: exp.Expression, text: str) -> exp.Alias:
    """Return an expression with the name of its column."""
    return exp.Alias(this=value, alias=name(text))


def text(value: str) -> exp.Expression:
    """Return a text as a literal."""
    return exp.Literal.string(value)


def as_text(value: exp.Expression) -> exp.Expression:
    """Return an expression as text."""
    return exp.Cast(this=value, to=exp.DataType(this=exp.DType.TEXT))


def as_real(value: exp.Expression) -> exp.Expression:
    """Return an expression in double precision."""
    return exp.Cast(this=value, to=exp.DataType(this=exp.DType.DOUBLE))


def number(value: float) -> exp.Expression:
    """Return a number in double precision: without the cast, some dialects count in decimals."""
    return as_real(exp.Literal.number(repr(float(value))))


def case(condition: exp.Expression, then: exp.Expression, otherwise: exp.Expression) -> exp.Expression:
    """Return one value where a condition is true, else another."""
    return exp.Case(ifs=[exp.If(this=condition, true=then)], default=otherwise)


def flag(condition: exp.Expression) -> exp.Expression:
    """Return 1.0 where a condition is true, else 0.0."""
    return case(condition, number(1), number(0))


def both(*conditions: exp.Expression) -> exp.Expression:
    """Return whether all conditions are true; true for none."""
    return (
        exp.paren(exp.and_(*conditions, copy=False), copy=False)
        if conditions
        else exp.EQ(this=number(1), expression=number(1))
    )


def any_of(*conditions: exp.Expression) -> exp.Expression:
    """Return whether some condition is true; false for none."""
    return (
        exp.paren(exp.or_(*conditions, copy=False), copy=False)
        if conditions
        else exp.EQ(this=number(1), expression=number(0))
    )


def is_null(value: exp.Expression) -> exp.Expression:
    """Return whether a value is NULL."""
    return exp.Is(this=value, expression=exp.Null())


def is_known(value: exp.Expression) -> exp.Expression:
    """Return whether a value is not NULL."""
    return exp.Not(this=is_null(value))


def equal(left: exp.Expression, right: exp.Expression) -> exp.Expression:
    """Return whether two values are equal; not where one is NULL."""
    return exp.EQ(this=left, expression=right)


def times(left: exp.Expression, right: exp.Expression) -> exp.Expression:
    """Return a product."""
    return exp.Mul(this=exp.Paren(this=left), expression=exp.Paren(this=right))


def over(left: exp.Expression, right: exp.Expression) -> exp.Expression:
    """Return a quotient of reals."""
    return exp.Div(this=exp.Paren(this=left), expression=exp.Paren(this=right), typed=True)


def plus(left: exp.Expression, right: exp.Expression) -> exp.Expression:
    """Return a sum."""
    return exp.Add(this=exp.Paren(this=left), expression=exp.Paren(this=right))


def minus(left: exp.Expression, right: exp.Expression) -> exp.Expression:
    """Return a difference."""
    return exp.Sub(this=exp.Paren(this=left), expression=exp.Paren(this=right))


def above(left: exp.Expression, right: exp.Expression) -> exp.Expression:
    """Return whether one number exceeds another."""
    return exp.GT(this=exp.Paren(this=left), expression=exp.Paren(this=right))


def at_least(left: exp.Expression, right: exp.Expression) -> exp.Expression:
    """Return whether one number is at least another."""
    return exp.GTE(this=exp.Paren(this=left), expression=exp.Paren(this=right))


def larger(left: exp.Expression, right: exp.Expression) -> exp.Expression:
    """Return the larger of two numbers."""
    return case(at_least(left.copy(), right.copy()), left, right)


def slack(value: exp.Expression) -> exp.Expression:
    """Return the tolerance of equality at a number, as `numerics.rounding.slack_at`."""
    return times(number(1e-9), larger(exp.Abs(this=value), number(1)))


def largest(values: Sequence[exp.Expression]) -> exp.Expression:
    """Return the largest of some numbers, at least one."""
    first, *others = values
    return exp.Greatest(this=first, expressions=others) if others else first


def summed(values: Sequence[exp.Expression]) -> exp.Expression:
    """Return the sum of some numbers, added from left to right; 0 for none."""
    found: exp.Expression = number(0)
    for i, value in enumerate(values):
        found = plus(found, value) if i else value
    return found


def total(value: exp.Expression) -> exp.Expression:
    """Return the sum over rows; 0 for none."""
    return exp.Coalesce(this=exp.Sum(this=value), expressions=[number(0)])


def most(value: exp.Expression) -> exp.Expression:
    """Return the maximum over rows."""
    return exp.Max(this=value)


def least(value: exp.Expression) -> exp.Expression:
    """Return the minimum over rows."""
    return exp.Min(this=value)


def rows() -> exp.Expression:
    """Return the number of rows."""
    return as_real(exp.Count(this=exp.Star()))


def within(value: exp.Expression, partition: Sequence[exp.Expression] = ()) -> exp.Expression:
    """Return an aggregate over the rows with equal values in some columns, beside each row."""
    return exp.Window(this=value, partition_by=[one.copy() for one in partition])


def rank(partition: Sequence[exp.Expression], falling: exp.Expression) -> exp.Expression:
    """Return the place of each row, from 1, among the rows with equal values in some columns, largest number first."""
    order = exp.Order(expressions=[exp.Ordered(this=falling, desc=True, nulls_first=False)])
    return exp.Window(this=exp.RowNumber(), partition_by=[one.copy() for one in partition], order=order)


def numbered(order: Sequence[exp.Expression]) -> exp.Expression:
    """Return the number, from 1, of each distinct combination of some columns, in their order; NULL is one value."""
    ordered = exp.Order(expressions=[exp.Ordered(this=one.copy(), nulls_first=True) for one in order])
    return as_real(exp.Window(this=exp.DenseRank(), order=ordered))


def listed(rows_of: Sequence[Sequence[float | str | None]], alias: str, names: Sequence[str]) -> exp.Query:
    """Return rows of constants, at least one: numbers in double precision, and texts."""
    first, *others = (exp.Tuple(expressions=[_constant(value) for value in row]) for row in rows_of)
    given = exp.Values(
        expressions=[first, *others],
        alias=exp.TableAlias(this=name(alias), columns=[name(one) for one in names]),
    )
    return select(*columns(names)).from_(given, copy=False)


def _constant(value: float | str | None) -> exp.Expression:
    if value is None:
        return as_real(exp.Null())
    return text(value) if isinstance(value, str) else number(value)


def select(*values: exp.Expression) -> exp.Select:
    """Return a query of some expressions."""
    return exp.Select(expressions=list(values))


def grouped(query: exp.Select, by: Sequence[exp.Expression]) -> exp.Select:
    """Return a query with one row for each combination of some columns; one row in all for no columns."""
    return query.group_by(*(one.copy() for one in by), copy=False) if by else query


def all_of(queries: Sequence[exp.Query]) -> exp.Query:
    """Return the rows of all queries, equal ones repeated."""
    found: exp.Query = queries[0]
    for one in queries[1:]:
        found = exp.Union(this=found, expression=one, distinct=False)
    return found


def inner(query: exp.Query, alias: str) -> exp.Subquery:
    """Return a query as a relation of another."""
    return exp.Subquery(this=query, alias=exp.TableAlias(this=name(alias)))
