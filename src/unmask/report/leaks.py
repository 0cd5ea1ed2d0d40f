"""Sentences about leak checks: what was detected where, of how many, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator

from unmask.auditing.leaks import Leak, LeakChecks, LeakFinding
from unmask.number_format import numeral
from unmask.wording import marked, text

WAY_OUT = {
    Leak.ROW_ORDER: marked("Sort the rows by their content, or shuffle them; until then, judge with --location row"),
    Leak.RECORD_NUMBERS: marked("Leave the column out"),
    Leak.EXACT_TOTALS: marked("Suppress a second cell of each sum, or leave the totals out"),
    Leak.DETERMINISM: marked("Use a secret key for pseudonyms, and fresh random noise for each row"),
    Leak.METADATA: marked("Write the table to a new file without metadata, for instance as CSV"),
    Leak.RARE_VALUES: marked("Merge rare values, or leave the column out"),
    Leak.DIRECT_IDENTIFIERS: marked("Remove the identifiers, or leave the column out"),
    Leak.MORE_EXACT: marked("Leave the exact column out, or publish it at the declared level"),
    Leak.COPIES: marked("Leave the column out, or publish a keyed pseudonym"),
    Leak.COPIED_ROWS: marked("Judge them with --rows people, or make rows that are drawn anew"),
}
"""What to do about a finding of each kind."""


def sentence(one: LeakFinding) -> str:
    """Return a finding as a sentence without its end.

    >>> sentence(LeakFinding(Leak.METADATA, "", 2, 2, "entries", "the file holds names of authors"))
    'the file holds names of authors (2 entries)'
    """
    where = text(one.detail)
    if one.column:
        where = text("column {name} {detail}", name=repr(one.column), detail=where)
    return f"{where} ({amount(one)})"


def amount(one: LeakFinding) -> str:
    """Return how much of what has a leak."""
    if one.of > one.count:
        return text("{n} of {all} {unit}", n=numeral(one.count), all=numeral(one.of), unit=text(one.unit))
    if one.unit == "entries":
        return f"{text(numeral(one.count))} {text(one.unit)}"
    return text("all {n} {unit}", n=numeral(one.count), unit=text(one.unit))


def summary_line(checks: LeakChecks) -> str:
    """Return the open findings in one line: kinds and columns; empty where there are none."""
    parts: dict[Leak, list[str]] = {}
    for one in checks.open:
        parts.setdefault(one.kind, []).append(one.column)
    named = []
    for kind, columns in parts.items():
        listed = ", ".join(dict.fromkeys(filter(None, columns)))
        named.append(f"{text(kind)} ({listed})" if listed else text(kind))
    return text("leak checks: {kinds}", kinds="; ".join(named)) if named else ""


def with_ways_out(checks: LeakChecks) -> Iterator[str]:
    """Yield each warning with what to do about it."""
    for one in checks.warnings:
        yield f"{text(one.kind)}: {sentence(one)}. {text(WAY_OUT[one.kind])}"
