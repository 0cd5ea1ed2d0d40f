"""Formats of numbers: thousands separators, percentages with significant digits, no positive number as zero."""

from __future__ import annotations

import math
from typing import Literal

from unmask.estimate import Estimate
from unmask.number_format import numeral, percentage
from unmask.unit import Unit
from unmask.wording import marked, plural, text

Kind = Literal["people", "share", "points", "chance", "number"]
"""The unit of a metric: people, a share of people, a difference of shares, a probability, or another."""

UNDEFINED = marked("not defined")
"""The text in place of an undefined number."""

SOURCES = {
    "exact": marked("exact: all people were attacked, nothing was drawn"),
    "monte carlo": marked("the attack's own randomness"),
    "sample": marked("only a sample of people was attacked"),
    "sanitizer": marked("another release made by the same method"),
    "people": marked("other people of a population like this one"),
}
"""The meaning of an interval, by the source of its estimate."""

SHORT_SOURCES = {"sample": marked("sampled"), "sanitizer": marked("another release"), "people": marked("other people")}
"""The same for narrow places, where the interval is not about this release alone."""

_LARGEST_PART = 100  # 1/100 is still read as a fraction


def count(value: float) -> str:
    """Write a number of people; a fraction of a person (weights) keeps one digit.

    >>> count(30162), count(2.5)
    ('30,162', '2.5')
    """
    whole = abs(value - round(value)) < 1e-9
    return text(numeral(value, ",.0f" if whole or abs(value) >= 1000 else ",.1f"))


def one_decimal(value: float) -> str:
    """Write a number with one digit after the point, none where that is 0.

    >>> one_decimal(3.02), one_decimal(1234.56)
    ('3', '1,234.6')
    """
    return text(numeral(value, ",.0f" if f"{value:.1f}".endswith(".0") else ",.1f"))


def people(value: float, unit: Unit = Unit.PEOPLE) -> str:
    """Write a number of people, or of rows where people were not counted, with the noun.

    >>> people(0), people(1), people(9773), people(0, Unit.ROWS), people(2, Unit.ROWS)
    ('nobody', '1 person', '9,773 people', 'no row', '2 rows')
    """
    if value == 0:
        return text("nobody") if unit is Unit.PEOPLE else text("no row")
    if unit is Unit.PEOPLE:
        return plural("{n} person", "{n} people", value, n=count(value))
    return plural("{n} row", "{n} rows", value, n=count(value))


def percent(share: float, *, short: bool = False) -> str:
    """Write a share in per cent: one digit after the point, none where `short` and large, more where it is small.

    A share between 0 and 1 is never rounded to either.

    >>> percent(0.585), percent(0.324, short=True), percent(0.0004), percent(0.00001), percent(0.9999)
    ('58.5 %', '32 %', '0.04 %', 'under 0.01 %', 'over 99.9 %')
    """
    return text(percentage(share, short=short))


def fraction(probability: float) -> str:
    """Write a probability as one of so many, where it is.

    >>> fraction(1 / 3), fraction(0.8), fraction(1.0)
    ('1/3', '0.8', '1')
    """
    if probability > 0:
        parts = 1 / probability
        if 1.5 < parts <= _LARGEST_PART and abs(parts - round(parts)) < 1e-6:
            return f"1/{parts:.0f}"
    return text(numeral(probability, ".3g"))


def chance(probability: float) -> str:
    """Write a probability in per cent, and as one of so many where it is.

    >>> chance(0.2), chance(0.004), chance(1)
    ('1/5 (20 %)', '0.4 %', '100 %')
    """
    part = 100 * probability
    share = f"{one_decimal(part)} %" if 0.1 <= part <= 99.9 else percent(probability)
    short = fraction(probability)
    return f"{short} ({share})" if "/" in short else share


def of_all(value: float, n: float) -> str:
    """Write how many of n people, with the share.

    >>> of_all(9773, 30162), of_all(0, 30162)
    ('9,773 (32 %)', '0')
    """
    return f"{count(value)} ({percent(value / n, short=True)})" if value and n else count(value)


def bare(value: float, kind: Kind) -> str:
    """Write a number by its kind."""
    if kind == "people":
        return count(value)
    if kind == "share":
        return percent(value)
    if kind == "chance":
        return chance(value)
    if kind == "points":
        return text("{n} points", n=_signed(value))
    return text(numeral(value, ",.0f" if abs(value) >= 100 else ".3g"))


def _signed(share: float) -> str:
    return text(numeral(100 * share, "+.1f")).replace("-", "−")


def has_interval(estimate: Estimate) -> bool:
    """Whether a number has an interval of positive width."""
    if estimate.source == "exact" or estimate.value is None or estimate.low is None or estimate.high is None:
        return False
    return math.isfinite(estimate.low) and math.isfinite(estimate.high) and estimate.low < estimate.high


def interval(estimate: Estimate, kind: Kind) -> str:
    """Write the interval of a number that has one; empty for exact and undefined numbers."""
    if not has_interval(estimate) or estimate.low is None or estimate.high is None:
        return ""
    low, high = estimate.low, estimate.high
    if kind in {"share", "chance"}:
        form = ".1f" if high - low >= 0.001 else ".2f"
        return f"{text(numeral(100 * max(low, 0), form))}–{text(numeral(100 * min(high, 1), form))} %"
    if kind == "points":
        return text("{low} to {high}", low=_signed(low), high=_signed(high))
    if kind == "people":
        return f"{count(math.floor(max(low, 0)))}–{count(math.ceil(min(high, estimate.n or high)))}"
    return f"{bare(low, kind)}–{bare(high, kind)}"


def half_width(estimate: Estimate, kind: Kind) -> str:
    """Write an interval as ± its half, for narrow places; in full where it is not symmetric, empty where none is."""
    if not has_interval(estimate) or estimate.value is None or estimate.low is None or estimate.high is None:
        return ""
    half = (estimate.high - estimate.low) / 2
    if abs(estimate.low + half - estimate.value) > 1e-9 * max(1, abs(estimate.value)):
        return interval(estimate, kind)
    if kind in {"share", "chance", "points"}:
        return f"±{text(numeral(100 * half, '.1f'))}" if half >= 0.0005 else f"±<{text(numeral(0.1, 'g'))}"
    return f"±{text(numeral(math.ceil(half)) if kind == 'people' else numeral(half, '.2g'))}"


def measured(estimate: Estimate, kind: Kind) -> str:
    """Write a number with its interval where it is uncertain, in words where it is not defined."""
    if estimate.value is None:
        return text(UNDEFINED)
    between = interval(estimate, kind)
    about = "" if estimate.source in {"exact", "monte carlo"} else f"; {text(SOURCES[estimate.source])}"
    return bare(estimate.value, kind) + (f" ({between}{about})" if between else "")
