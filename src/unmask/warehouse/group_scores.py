"""Scores of privacy models as SQL: of each group, from its size and its counts of sensitive values.

Each expression is the formula of the model's `score`, which `tests/warehouse` compares. Infinity is a large number,
and an undefined score is NULL.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch

from sqlglot import exp

from unmask.errors import InvalidInputError
from unmask.models.alpha_k import AlphaK
from unmask.models.average_risk import AverageRisk
from unmask.models.beta_likeness import BetaLikeness, EnhancedBetaLikeness
from unmask.models.delta_disclosure import DeltaDisclosure
from unmask.models.delta_presence import DeltaPresence
from unmask.models.k_anonymity import KAnonymity
from unmask.models.k_map import KMap
from unmask.models.l_diversity import DistinctL, EntropyL, MaxShareL
from unmask.models.max_risk import MaxRisk
from unmask.models.p_sensitive import PSensitive
from unmask.models.privacy_model import AnyModel, HasOwnLimit, risk_meant, titled
from unmask.models.recursive_cl import RecursiveCL
from unmask.models.t_closeness import TCloseness
from unmask.models.uniqueness import SampleUniqueness
from unmask.numerics.rounding import TOLERANCE
from unmask.warehouse.expressions import (
    INFINITE,
    above,
    at_least,
    both,
    case,
    column,
    columns,
    equal,
    flag,
    grouped,
    inner,
    larger,
    least,
    minus,
    most,
    named,
    number,
    over,
    plus,
    rank,
    select,
    slack,
    table,
    times,
    total,
    within,
)  # fmt: skip
from unmask.wording import message


@singledispatch
def score(model: AnyModel) -> exp.Expression:
    """Return the score of a group, from the columns of `statistics`, or from `size` and `seen`.

    Fails
        With `InvalidInputError` for a model that is not a function of counts, as an engine has them.
    """
    msg = message(
        "{titled} must be measured from the rows; an engine has none. Leave out --engine", titled=titled(model)
    )
    raise InvalidInputError(msg)


@score.register
def _(model: KAnonymity) -> exp.Expression:
    del model
    return column("seen")


@score.register(MaxRisk)
@score.register(AverageRisk)
def _(model: AnyModel) -> exp.Expression:
    del model
    return over(number(1), column("seen"))


@score.register
def _(model: SampleUniqueness) -> exp.Expression:
    del model
    return flag(equal(column("seen"), number(1)))


@score.register(DistinctL)
@score.register(PSensitive)
def _(model: AnyModel) -> exp.Expression:
    del model
    return column("distinct")


@score.register
def _(model: EntropyL) -> exp.Expression:
    del model
    entropy = minus(exp.Ln(this=column("known")), over(column("n_log_n"), column("known")))
    return exp.Exp(this=entropy)


@score.register
def _(model: MaxShareL) -> exp.Expression:
    del model
    return over(column("known"), column("most"))


@score.register
def _(model: AlphaK) -> exp.Expression:
    del model
    return over(column("most"), column("known"))


@score.register
def _(model: RecursiveCL) -> exp.Expression:
    tail = column(f"tail{model.l}")
    return case(above(tail, number(0)), over(column("most"), tail.copy()), number(INFINITE))


@score.register
def _(model: TCloseness) -> exp.Expression:
    if model.distance != "equal":
        msg = message(
            "{titled} must be measured from the rows; an engine has distance=equal alone. Leave out --engine",
            titled=titled(model),
        )
        raise InvalidInputError(msg)
    return column("moved")


@score.register
def _(model: BetaLikeness) -> exp.Expression:
    del model
    return _gain()


@score.register
def _(model: EnhancedBetaLikeness) -> exp.Expression:
    del model
    return case(above(column("beyond"), number(0)), number(INFINITE), _gain())


@score.register
def _(model: DeltaDisclosure) -> exp.Expression:
    del model
    high, low = larger(column("high"), number(1)), over(number(1), column("low"))
    change = over(exp.Ln(this=larger(high, larger(low, number(1)))), exp.Ln(this=number(2)))
    return case(above(column("values"), column("distinct")), number(INFINITE), change)


@score.register
def _(model: KMap) -> exp.Expression:
    del model
    return case(above(column("members"), number(0)), column("fits"), number(INFINITE))


@score.register
def _(model: DeltaPresence) -> exp.Expression:
    del model
    possible = exp.Nullif(this=column("fits"), expression=number(0))  # some dialects fail on 0
    return exp.Coalesce(this=over(column("members"), possible), expressions=[number(INFINITE)])


def _gain() -> exp.Expression:
    return larger(minus(column("high"), number(1)), number(0))


def statistics(keys: Sequence[str], counts: str, overall: str, tails: Sequence[int]) -> exp.Select:
    """Return what the scores of a group need, from its counts of values.

    `counts` has the `keys` of a group, a value `v`, its number of people `n`, and the group's own `size` once;
    `overall` the number of people with each value. `tails` are the ranks from which counts are summed.
    """
    by = columns(keys, "c")
    everywhere = select(
        column("v"), named(over(column("n"), within(exp.Sum(this=column("n")))), "q"),
        named(within(rows_real()), "values"),
    ).from_(table(overall), copy=False)  # fmt: skip
    joined = (
        select(
            *by, column("n", "c"), column("size", "c"), column("q", "o"), column("values", "o"),
            named(within(exp.Sum(this=column("n", "c")), by), "known"), named(rank(by, column("n", "c")), "rank"),
        )
        .from_(table(counts, "c"), copy=False)
        .join(inner(everywhere, "o"), on=equal(column("v", "c"), column("v", "o")), join_type="left", copy=False)
    )  # fmt: skip
    share = over(column("n"), exp.Nullif(this=column("known"), expression=number(0)))  # some dialects fail on 0
    there = above(column("n"), number(0))
    grown = over(share, column("q"))
    ceiling = exp.Neg(this=exp.Ln(this=column("q")))
    gain = minus(grown.copy(), number(1))
    passes = above(gain, plus(ceiling, slack(ceiling.copy())))
    values = {
        "size": total(column("size")),
        "known": most(column("known")),
        "distinct": total(flag(there)),
        "most": most(column("n")),
        "n_log_n": total(case(there.copy(), times(column("n"), exp.Ln(this=column("n"))), number(0))),
        "moved": total(
            case(both(there.copy(), above(share.copy(), column("q"))), minus(share.copy(), column("q")), number(0))
        ),
        "high": most(case(there.copy(), grown.copy(), exp.Null())),
        "low": least(case(there.copy(), grown.copy(), exp.Null())),
        "beyond": most(case(there.copy(), flag(passes), number(0))),
        "values": most(column("values")),
    }
    for first in dict.fromkeys(tails):
        later = at_least(as_rank(), number(first))
        values[f"tail{first}"] = total(case(later, column("n"), number(0)))
    given = [named(value, text) for text, value in values.items()]
    return grouped(select(*columns(keys), *given).from_(inner(joined, "j"), copy=False), columns(keys))


def rows_real() -> exp.Expression:
    """Return a count of rows that a window can take."""
    return exp.Sum(this=number(1))


def as_rank() -> exp.Expression:
    """Return the rank of a value in its group as a number."""
    return exp.Cast(this=column("rank"), to=exp.DataType(this=exp.DType.DOUBLE))


def meets(model: AnyModel, value: exp.Expression) -> exp.Expression:
    """Return whether a score is within a model's limit, up to rounding, as `privacy_model.holds`."""
    if isinstance(model, DeltaPresence):
        least = number(model.low - TOLERANCE)
        return both(at_least(value, least), exp.LTE(this=value.copy(), expression=number(model.high + TOLERANCE)))
    limit = risk_meant(model.limit) if isinstance(model, MaxRisk) else model.limit
    tolerance = TOLERANCE * max(abs(limit), 1.0)
    if isinstance(model, HasOwnLimit) and not isinstance(model, MaxRisk):  # strictly below
        return exp.LT(this=value, expression=number(limit - tolerance))
    if model.higher_is_safer:
        return at_least(value, number(limit - tolerance))
    return exp.LTE(this=value, expression=number(limit + tolerance))


def ties(value: exp.Expression, worst: exp.Expression) -> exp.Expression:
    """Return whether a score is equal to the worst one up to rounding."""
    return both(
        at_least(value, minus(worst, slack(worst.copy()))),
        exp.LTE(this=value.copy(), expression=plus(worst.copy(), slack(worst.copy()))),
    )
