"""Random columns: cells as in real files, and malformed ones."""

from __future__ import annotations

import string
from collections.abc import Callable
from random import Random

MARKS = ("", "?", "NA", "NULL", "N/A", "nan", "-", " ", "*", "#N/A", "none", "-99")
"""What files write where a value is missing."""

ODD = (
    "", " ", "0", "-0", "1e308", "-1e308", "1e-300", "5e-324", "1e400", "NaN", "inf", "-inf", "9" * 25, "9" * 400,
    "0x1f", "1_000", "1,000", "1.000,5", "007", "٣", "½", "=1+1", "+1", "-1", "@x", "\t=1", "＝1", '=HYPERLINK("x")',
    "*", "**",
    "?", "|", "a|b", "20-29", "[20, 30)", "{A, B}", "<30", ">=40", "30+", "3*", "130**", "A..C", "2020-02-30", "true",
    "'; DROP TABLE x; --", "../../etc/passwd", "%s%n", "é", "😀", "\u202eabc", "\u200b", "x" * 500, "a\nb", 'a"b',
    "a;b",
    "@row:rel", "group", "count", "value", "None", "1e5", "12:30", "10%", "$5", "5 kg", ".5", "5.", "--", "[1, 0]",
)  # fmt: skip
"""Cells that are something else than they look like."""


def column(rng: Random, n: int) -> list[str]:
    """Return the cells of a random column."""
    cells = rng.choice(KINDS)(rng, n)
    if rng.random() < 0.3:
        mark, share = rng.choice(MARKS), rng.choice((0.05, 0.3, 0.9))
        cells = [mark if rng.random() < share else cell for cell in cells]
    if rng.random() < 0.1 and n:
        cells[rng.randrange(n)] = rng.choice(ODD)
    return cells


def plain(rng: Random, n: int) -> list[str]:
    """Return the cells of a column that nothing is wrong with."""
    return rng.choice((_integers, _categories, _codes, _decimals))(rng, n)


def _integers(rng: Random, n: int) -> list[str]:
    low, width = rng.choice((0, 18, -50, 10**6)), rng.choice((1, 3, 20, 1000))
    return [str(low + rng.randrange(width)) for _ in range(n)]


def _decimals(rng: Random, n: int) -> list[str]:
    places = rng.randrange(1, 4)
    return [f"{rng.uniform(-5, 100):.{places}f}" for _ in range(n)]


def _categories(rng: Random, n: int) -> list[str]:
    words = ("clerk", "nurse", "flu", "asthma", "HIV", "A", "B", "yes", "no", "São Paulo", "Müller & Co", "x y", "a,b")
    some = rng.sample(words, rng.randrange(1, 6))
    return [rng.choice(some) for _ in range(n)]


def _codes(rng: Random, n: int) -> list[str]:
    return [f"{rng.choice((1, 13, 130))}{rng.randrange(100):03}".zfill(rng.choice((5, 6))) for _ in range(n)]


def _huge(rng: Random, n: int) -> list[str]:
    numbers = (
        "1e308",
        "-1e308",
        "1e-300",
        "1.7976931348623157e308",
        "5e-324",
        "0",
        "1",
        "1e16",
        "12345678901234567890",
    )
    return [rng.choice(numbers) for _ in range(n)]


def _dates(rng: Random, n: int) -> list[str]:
    form = rng.choice(("{y}-{m:02}-{d:02}", "{d}.{m}.{y}", "{m}/{d}/{y}", "{y}-Q1", "{y}-{m:02}-{d:02}T10:00:00"))
    return [form.format(y=rng.randrange(1900, 2030), m=rng.randrange(1, 13), d=rng.randrange(1, 29)) for _ in range(n)]


def _bands(rng: Random, n: int) -> list[str]:
    form = rng.choice(("{a}-{b}", "[{a}, {b})", "[{a}, {b}]", "{a} to {b}", "{a}–{b}"))
    lows = [rng.randrange(0, 90, 10) for _ in range(n)]
    cells = [form.format(a=low, b=low + 9) for low in lows]
    return [rng.choice((cell, cell, cell, "<10", ">=90", "90+", "*")) for cell in cells]


def _masked(rng: Random, n: int) -> list[str]:
    return [f"{rng.randrange(10, 14)}{'*' * rng.randrange(4)}".ljust(5, "*") for _ in range(n)]


def _sets(rng: Random, n: int) -> list[str]:
    return [rng.choice(("{A, B}", "A", "B", "{C}", "A..C", "{A, B}|?", "*")) for _ in range(n)]


def _local_numbers(rng: Random, n: int) -> list[str]:
    form = rng.choice(("{:,.2f}", "{:,d}", "{:.1f} kg", "{:.0f} %", "${:.2f}"))
    cells = [form.format(rng.randrange(10**6) if "d" in form else rng.uniform(0, 1e5)) for _ in range(n)]
    return [cell.translate(str.maketrans(",.", ".,")) for cell in cells] if rng.random() < 0.5 else cells


def _noise(rng: Random, n: int) -> list[str]:
    return [rng.choice(ODD) for _ in range(n)]


def _text(rng: Random, n: int) -> list[str]:
    return ["".join(rng.choices(string.printable, k=rng.randrange(12))) for _ in range(n)]


def _empty(rng: Random, n: int) -> list[str]:
    return [rng.choice(MARKS)] * n


def _constant(rng: Random, n: int) -> list[str]:
    return [rng.choice(("1", "x", "0.5", "*"))] * n


def _words_of_two_values(rng: Random, n: int) -> list[str]:
    return [rng.choice(rng.choice((("0", "1"), ("true", "false"), ("M", "F"), ("1", "1.0", "01")))) for _ in range(n)]


KINDS: tuple[Callable[[Random, int], list[str]], ...] = (
    _integers, _integers, _decimals, _categories, _categories, _codes, _huge, _dates, _bands, _masked, _sets,
    _local_numbers, _noise, _text, _empty, _constant, _words_of_two_values,
)  # fmt: skip
