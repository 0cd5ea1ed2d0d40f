"""Reports of a search for a release that passes: the screen, and JSON."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterator, Sequence
from importlib import metadata

from unmask.auditing.policy import Verdict
from unmask.documents.document_text import document_text
from unmask.documents.hardening import SCHEMA, CandidateJson, HardeningJson
from unmask.hardening.evaluated import Evaluated
from unmask.hardening.hardened import HardenReport, in_words
from unmask.number_format import numeral
from unmask.report.json import estimated, policy_document, report_document
from unmask.report.numbers import count, fraction, percent
from unmask.visible_text import joined
from unmask.wording import SOURCE_LANGUAGE, language, marked, plural, text

WIDTH = 80
_LINES = 8  # of the frontier on the screen
_NARROWEST = 9  # column of numbers
_UNKNOWN = marked("not measured")  # in place of a number
_OBSTACLES = 5  # reasons on the screen why candidates could not be published


def recommendation(report: HardenReport) -> str:
    """Return what to publish, or that nothing passes, with the nearest candidate and what ended the search."""
    return " ".join(_chosen(report) if report.chosen is not None else _none(report))


def _chosen(report: HardenReport) -> Iterator[str]:
    one, before = report.chosen, report.in_search
    if one is None:
        return
    yield text("Publish {release}: {facts}.", release=described(one), facts=facts(report, one))
    if report.starred:
        yield plural(
            "Column {columns} is * in every row, so nothing is left of it.",
            "Columns {columns} are * in every row, so nothing is left of them.",
            len(report.starred),
            columns=", ".join(report.starred),
        )
    if before is not None and facts(report, one) != facts(report, before):
        yield text(
            "This release was drawn anew; in the search, the same candidate had: {facts}.", facts=facts(report, before)
        )
    if report.redrawn:
        yield _redrawn(report)


def _none(report: HardenReport) -> Iterator[str]:
    tried, near = report.tried, report.nearest
    among = candidates(report.proposed)
    if tried != report.proposed:
        among = text("{n} of {candidates}", n=numeral(tried), candidates=among)
    if near is None:
        yield text("No release that passes was found among {candidates}.", candidates=among)
    else:
        yield text(
            "No release that passes was found among {candidates}; the nearest is {release}: {facts}.",
            candidates=among,
            release=described(near),
            facts=facts(report, near),
        )
    if near is not None and near.verdict is Verdict.NOT_DECIDED and near.why:
        yield text("It is not decided whether it passes: {why}.", why=text(near.why[0]))
    if near is not None and near.too_many_left_out:
        yield text(
            "At most {share} of {unit} may be left out: --suppression changes that.",
            share=percent(report.suppression),
            unit=text(near.count.unit),
        )
    if report.redrawn:
        yield _redrawn(report)
    if report.is_hopeless:
        yield text("More time would not help: a required attack ran on none of them. Require another one.")
    elif not report.is_complete:
        yield text("The budget of {minutes} ended the search.", minutes=minutes(report))


def _redrawn(report: HardenReport) -> str:
    n = report.redrawn
    return plural(
        "{n} release of candidates that passed in the search failed when drawn anew.",
        "{n} releases of candidates that passed in the search failed when drawn anew.",
        n,
        n=n,
    )


def described(one: Evaluated) -> str:
    """Return how a release is made, and what was repaired."""
    return "; ".join(map(text, in_words(one)))


def facts(report: HardenReport, one: Evaluated) -> str:
    """Return the numbers of an evaluation: exposed, largest risk, query error, left out; those that limits concern."""
    unit = one.count.unit
    found = []
    if report.policy.limits.max_belief is not None:
        among = text(unit.counted(one.count.n))
        found.append(
            plural(
                "{n} of {people} is exposed by some attack",
                "{n} of {people} are exposed by some attack",
                int(one.count.n),
                n=people(one),
                people=among,
            )
            if math.isfinite(one.most)
            else text("how many of {people} are exposed was not measured", people=among)
        )
    if report.policy.limits.max_risk is not None:
        found.append(text("the largest risk of re-identification is {risk}", risk=risk(one)))
    found.append(text("the median query error is {error}", error=error(one)))
    return text(
        "{facts}, and {share} of {unit} are left out",
        facts=", ".join(found),
        share=percent(one.left_out),
        unit=text(unit),
    )


def candidates(n: int) -> str:
    """Write a number of candidates with the noun.

    >>> candidates(1), candidates(1200)
    ('1 candidate', '1,200 candidates')
    """
    return plural("{n} candidate", "{n} candidates", n, n=numeral(n))


def minutes(report: HardenReport) -> str:
    """Write the budget with its unit."""
    return plural("{n} minute", "{n} minutes", report.minutes, n=numeral(report.minutes, "g"))


def effort(report: HardenReport) -> str:
    """Return how many candidates were tried, how many could not be published, and whether time limited that."""
    parts = [
        text(
            "{n} of {candidates} tried, {whole} on the whole table",
            n=numeral(report.tried),
            candidates=candidates(report.proposed),
            whole=numeral(len(report.final)),
        )
    ]
    if report.infeasible:
        parts.append(text("{n} could not be published", n=numeral(report.infeasible)))
    if not report.is_complete:
        parts.append(text("the budget of {minutes} allowed no more", minutes=minutes(report)))
    return f"{'; '.join(parts)}."


def coverage(report: HardenReport) -> str:
    """Return which attacks ran on the release that is written, and which did not apply: no evidence of safety."""
    if report.audit is None:
        return ""
    results = [one for scene in report.audit.scenes for one in scene.results]
    ran = sorted({one.name for one in results if one.ran})
    others = sorted({one.name for one in results if not one.ran} - set(ran))
    if not others:
        return text("Attacks that ran on it: {attacks}.", attacks=", ".join(ran))
    return text(
        "Attacks that ran on it: {attacks}; not applicable to it, which is no evidence of safety: {others}.",
        attacks=", ".join(ran),
        others=", ".join(others),
    )


def people(one: Evaluated) -> str:
    """Return the number of people exposed by some attack."""
    return count(one.most) if math.isfinite(one.most) else text(_UNKNOWN)


def error(one: Evaluated) -> str:
    """Return the median error of counting queries."""
    return text(_UNKNOWN) if one.query_error.value is None else percent(one.query_error.value)


def risk(one: Evaluated) -> str:
    """Return the largest risk of re-identification."""
    return text(_UNKNOWN) if one.largest_risk is None else fraction(one.largest_risk)


def passing(one: Evaluated) -> str:
    """Return whether the limits hold; unknown where the attacks could not decide that."""
    if one.passes:
        return text("yes")
    return text("no") if one.verdict is Verdict.BROKEN else text("unknown")


def dangers(report: HardenReport) -> list[tuple[str, Callable[[Evaluated], str]]]:
    """Return the head and the text of each column with what is limited: people exposed, and the largest risk."""
    limits = report.policy.limits
    found: list[tuple[str, Callable[[Evaluated], str]]] = []
    if limits.max_belief is not None:
        found.append((text("exposed"), people))
    if limits.max_risk is not None:
        found.append((text("largest risk"), risk))
    return found


def summary(report: HardenReport, *, footer: str = "") -> str:
    """Write the result as text of one screen: the recommendation, the frontier, and what was tried."""
    lines = [*textwrap.wrap(recommendation(report), WIDTH), *textwrap.wrap(coverage(report), WIDTH), ""]
    if report.frontier:
        lines += [*_table(report), ""]
    lines += textwrap.wrap(
        text(
            "{tried} Each by an attacker who knows attributes and by one who also knows the row. "
            "Higher is worse in every column of numbers.",
            tried=effort(report),
        ),
        WIDTH,
    )
    lines += [line for one in _obstacles(report) for line in textwrap.wrap(one, WIDTH, subsequent_indent="  ")]
    return joined([*lines, *([footer] if footer else [])])


def _obstacles(report: HardenReport) -> Iterator[str]:
    """Yield why candidates could not be published, the most frequent reasons."""
    for reason, n in report.obstacles[:_OBSTACLES]:
        yield text("{candidates} could not be published: {reason}", candidates=candidates(n), reason=text(reason))
    if len(report.obstacles) > _OBSTACLES:
        yield text("and {n} more in --json or --html", n=len(report.obstacles) - _OBSTACLES)


def _table(report: HardenReport) -> Iterator[str]:
    columns = [
        *dangers(report), (text("error"), error), (text("left out"), lambda one: percent(one.left_out)),
        (text("passes"), passing),
    ]  # fmt: skip
    some = report.frontier[:_LINES]
    cells = [[head, *map(text_of, some)] for head, text_of in columns]
    widths = [max(_NARROWEST, *(len(cell) + 2 for cell in column)) for column in cells]
    room = WIDTH - sum(widths)
    heads, *lines = ("".join(f"{c:>{w}}" for c, w in zip(row, widths, strict=True)) for row in zip(*cells, strict=True))
    yield f"{text('In the search'):<{room}}{heads}"
    for one, numbers in zip(some, lines, strict=True):
        first, *more = textwrap.wrap(described(one), room - 2) or [""]
        yield f"{first:<{room}}{numbers}"
        yield from (f"  {line}" for line in more)
    if len(report.frontier) > _LINES:
        yield text("and {n} more in --json or --html", n=len(report.frontier) - _LINES)


@language(SOURCE_LANGUAGE)
def to_json(report: HardenReport, *, context: Sequence[str] = ()) -> str:
    """Return all numbers as one JSON document; undefined ones are null, with the reason."""
    document: HardeningJson = {
        "schema": SCHEMA,
        "version": metadata.version("unmask"),
        "context": list(context),
        "verdict": Verdict.BROKEN if report.audit is None else report.audit.verdict,
        "recommendation": recommendation(report),
        "attacks": coverage(report),
        "policy": policy_document(report.policy),
        "suppression": report.suppression,
        "minutes": report.minutes,
        "is_complete": report.is_complete,
        "proposed": report.proposed,
        "tried": report.tried,
        "starred": list(report.starred),
        "redrawn": report.redrawn,
        "chosen": None if report.chosen is None else _candidate(report.chosen),
        "frontier": [one.candidate.text for one in report.frontier],
        "final": [_candidate(one) for one in report.final],
        "sampled": [_candidate(one) for one in report.sampled],
        "audit": None if report.audit is None else report_document(report.audit),
    }
    return document_text(document)


def _candidate(one: Evaluated) -> CandidateJson:
    made, repairs = one.candidate, one.repairs
    return {
        "candidate": made.text,
        "sanitizer": made.sanitizer,
        "settings": dict(made.settings),
        "coarser": dict(made.coarser),
        "withheld": list(made.withheld),
        "rows": one.rows,
        "people": one.people,
        "verdict": one.verdict,
        "exposed": [
            {"attacker": e.attacker, "attack": e.attack or None, "people": e.people, "n": e.n, "reason": e.why}
            for e in one.exposed
        ],
        "query_error": estimated(one.query_error),
        "ncp": estimated(one.ncp),
        "groups": one.groups,
        "left_out": one.left_out,
        "largest_risk": one.largest_risk,
        "repairs": {"rounds": repairs.rounds, "merged": repairs.merged, "left_out": repairs.left_out},
        "infeasible": one.infeasible,
    }


__all__ = [
    "candidates", "coverage", "dangers", "described", "effort", "error", "facts", "passing", "people", "recommendation",
    "risk", "summary", "to_json",
]  # fmt: skip
