"""Differences between another rule and the vote, as figures, two listings and a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from unmask.arrays import Float64
from unmask.csv_writing import Rows
from unmask.number_format import numeral
from unmask.reproduction import Figure, Listing
from unmask.studies._sramka_2010.against import MEASURES, VERDICTS, Difference, RulePair
from unmask.studies._sramka_2010.runs import Key
from unmask.wording import joined, marked, message

SAYS = (marked("how much more often the likeliest value is right"), marked("how much larger the log loss is"),
        marked("how much more often a partial disclosure is right"))  # fmt: skip

CALIBRATED = 0.05
"""The largest calibration error of calibrated beliefs."""

Pairs = Mapping[Key, Sequence[RulePair]]


def figures(found: Pairs, rule: str) -> Iterator[Figure]:
    """Yield each difference with its interval, and the rule's calibration error; the paper has none of them."""
    for (attribute, setting), pairs in found.items():
        place = f"{attribute}/{setting.key}"
        for i, measure in enumerate(MEASURES):
            more = Difference.of(pairs, i)
            key = f"against/{place}/{measure.replace(' ', '-')}"
            note = message(
                "{rule}: {verdict}; by database from {least} to {most}",
                rule=rule,
                verdict=message(more.verdict),
                least=numeral(more.databases[0], "+.3g"),
                most=numeral(more.databases[1], "+.3g"),
            )
            yield Figure.ranged(key, SAYS[i], more.value, (more.low, more.high), None, note)
        errors = np.array([one.rule[-1] for one in pairs])
        around = (float(errors.min()), float(errors.max()))
        note = message(
            "{rule}: least and greatest of databases; the vote's is {error}",
            rule=rule,
            error=numeral(_mean(pairs, vote=True)[-1], ".3f"),
        )
        yield Figure.ranged(
            f"against/{place}/calibration", marked("calibration error"), float(errors.mean()), around, None, note
        )


def listings(found: Pairs, rule: str) -> tuple[Listing, ...]:
    """Return differences, in percent of people and nats, with intervals: groups, then noise.

    Calibration is in the notes and in the file of figures, since lines with large differences have no room for it.
    """
    made = []
    head = ("", *MEASURES)
    for title, grouped in ((message("groups of k"), True), (message("noise"), False)):
        rows = []
        for (attribute, setting), pairs in found.items():
            if bool(setting.k) == grouped:
                right, loss, narrower = (Difference.of(pairs, i) for i in range(len(MEASURES)))
                cells = (_written(right, 100, 1), _written(loss, 1, 2), _written(narrower, 100, 1))
                rows.append((f"{attribute} {setting.key}", *cells))
        if rows:
            remark = marked("Percent of people; nats; percent of people; 95 % intervals by group")
            made.append(
                Listing(message("{rule} less the vote, {title}", rule=rule, title=title), head, tuple(rows), remark)
            )
    return tuple(made)


def verdicts(found: Pairs, rule: str) -> str:
    """Return the number of cases in which the rule is better, worse or equal, and calibrated."""
    parts = []
    for i, measure in enumerate(MEASURES):
        words = Counter(Difference.of(pairs, i).verdict for pairs in found.values())
        counts = [joined((str(words[word]), message(word)), " ") for word in VERDICTS if word in words]
        parts.append(joined((message(measure), joined(counts, ", ")), ": "))
    calibrated = sum(_mean(pairs)[-1] <= CALIBRATED for pairs in found.values())
    parts.append(
        message(
            "calibration error at most {error} in {calibrated} of {n}",
            error=numeral(CALIBRATED, "g"),
            calibrated=calibrated,
            n=len(found),
        )
    )
    return message("{rule} against the vote, {parts}", rule=rule, parts=joined(parts))


def databases(found: Pairs) -> str:
    """Return the scores of each database as CSV: both rules, the difference and its interval."""
    rows = Rows(("column", "setting", "database", "measure", "rule", "vote", "more", "low", "high"))
    for (attribute, setting), pairs in found.items():
        for i, one in enumerate(pairs):
            for j, measure in enumerate(MEASURES):
                more = Difference.of([one], j)
                numbers = (one.rule[j], one.vote[j], more.value, more.low, more.high)
                rows.add((attribute, setting.key, i, measure, *(f"{number:.6g}" for number in numbers)))
            rows.add(
                (attribute, setting.key, i, "calibration", f"{one.rule[-1]:.6g}", f"{one.vote[-1]:.6g}", "", "", "")
            )
    return rows.text


def _mean(pairs: Sequence[RulePair], *, vote: bool = False) -> Float64:
    return np.asarray(np.mean([one.vote if vote else one.rule for one in pairs], axis=0))


def _written(more: Difference, factor: float, digits: int) -> str:
    low, high = (numeral(factor * number, f".{digits}f") for number in (more.low, more.high))
    return message("{value} [{low}, {high}]", value=numeral(factor * more.value, f"+.{digits}f"), low=low, high=high)
