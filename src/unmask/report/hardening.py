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
from unmask.report.json import estimated, policy_document, report_document
from unmask.report.numbers import UNDEFINED, count, fraction, percent
from unmask.visible_text import joined

WIDTH = 80
_LINES = 8  # of the frontier on the screen


def recommendation(report: HardenReport) -> str:
    """Return what to publish, or that nothing passes, with the nearest candidate and what ended the search."""
    return " ".join(_chosen(report) if report.chosen is not None else _none(report))


def _chosen(report: HardenReport) -> Iterator[str]:
    one, before = report.chosen, report.in_search
    if one is None:
        return
    yield f"Publish {'; '.join(in_words(one))}: {facts(report, one)}."
    if before is not None and facts(report, one) != facts(report, before):
        yield f"This release was drawn anew; in the search, the same candidate had: {facts(report, before)}."
    if report.redrawn:
        yield _redrawn(report)


def _none(report: HardenReport) -> Iterator[str]:
    tried, near = report.tried, report.nearest
    among = candidates(tried) if tried == report.proposed else f"{tried:,} of {candidates(report.proposed)}"
    nearest = "" if near is None else f"; the nearest is {'; '.join(in_words(near))}: {facts(report, near)}"
    yield f"No release that passes was found among {among}{nearest}."
    if near is not None and near.too_many_left_out:
        yield f"At most {percent(report.suppression)} of {near.count.unit} may be left out: --suppression changes that."
    if report.redrawn:
        yield _redrawn(report)
    if not report.is_complete:
        yield f"The budget of {report.minutes:g} minutes ended the search."


def _redrawn(report: HardenReport) -> str:
    n = report.redrawn
    return f"{n} release{'s'[: n != 1]} of candidates that passed in the search failed when drawn anew."


def facts(report: HardenReport, one: Evaluated) -> str:
    """Return the numbers of an evaluation: exposed, largest risk, query error, left out; those that limits concern."""
    unit = one.count.unit
    found = []
    if report.policy.limits.max_belief is not None:
        found.append(f"the strongest attack exposes {people(one)} of {unit.counted(one.count.n)}")
    if report.policy.limits.max_risk is not None:
        found.append(f"the largest risk of re-identification is {risk(one)}")
    found.append(f"the median query error is {error(one)}")
    return f"{', '.join(found)}, and {percent(one.left_out)} of {unit} are left out"


def candidates(n: int) -> str:
    """Write a number of candidates with the noun.

    >>> candidates(1), candidates(1200)
    ('1 candidate', '1,200 candidates')
    """
    return f"{n:,} candidate{'s'[: n != 1]}"


def effort(report: HardenReport) -> str:
    """Return how many candidates were tried, how many could not be published, and whether time limited that."""
    tried = f"{report.tried:,} of {candidates(report.proposed)} tried, {len(report.final):,} on the whole table"
    text = f"{tried}; {report.infeasible:,} could not be published" if report.infeasible else tried
    return f"{text}." if report.is_complete else f"{text}; the budget of {report.minutes:g} minutes allowed no more."


def coverage(report: HardenReport) -> str:
    """Return which attacks ran on the release that is written, and which did not apply: no evidence of safety."""
    if report.audit is None:
        return ""
    results = [one for scene in report.audit.scenes for one in scene.results]
    ran = sorted({one.name for one in results if one.ran})
    others = sorted({one.name for one in results if not one.ran} - set(ran))
    missing = f"; not applicable to it, which is no evidence of safety: {', '.join(others)}" if others else ""
    return f"Attacks that ran on it: {', '.join(ran)}{missing}."


def people(one: Evaluated) -> str:
    """Return the number of people exposed by the attack that exposes most."""
    return count(one.most) if math.isfinite(one.most) else UNDEFINED


def error(one: Evaluated) -> str:
    """Return the median error of counting queries."""
    return UNDEFINED if one.query_error.value is None else percent(one.query_error.value)


def risk(one: Evaluated) -> str:
    """Return the largest risk of re-identification."""
    return UNDEFINED if one.largest_risk is None else fraction(one.largest_risk)


def passing(one: Evaluated) -> str:
    """Return whether the limits hold; unknown where the attacks could not decide that."""
    return "yes" if one.passes else "no" if one.verdict is Verdict.BROKEN else "unknown"


def danger(report: HardenReport) -> tuple[str, Callable[[Evaluated], str]]:
    """Return the head and the text of the column with what is limited: people exposed, else the largest risk."""
    return ("risk", risk) if report.policy.limits.max_belief is None else ("exposed", people)


def summary(report: HardenReport, *, footer: str = "") -> str:
    """Write the result as text of one screen: the recommendation, the frontier, and what was tried."""
    lines = [*textwrap.wrap(recommendation(report), WIDTH), *textwrap.wrap(coverage(report), WIDTH), ""]
    if report.frontier:
        lines += [*_table(report), ""]
    lines += textwrap.wrap(
        f"{effort(report)} Each by an attacker who knows attributes and by one who also knows the row. Higher is worse "
        f"in every column of numbers.",
        WIDTH,
    )
    return joined([*lines, *([footer] if footer else [])])


def _table(report: HardenReport) -> Iterator[str]:
    head, text_of = danger(report)
    yield f"{'In the search':<{WIDTH - 36}}{head:>9}{'error':>9}{'left out':>9}{'passes':>9}"
    for one in report.frontier[:_LINES]:
        first, *more = textwrap.wrap("; ".join(in_words(one)), WIDTH - 38) or [""]
        numbers = (text_of(one), error(one), percent(one.left_out), passing(one))
        yield f"{first:<{WIDTH - 36}}{''.join(f'{text:>9}' for text in numbers)}"
        yield from (f"  {line}" for line in more)
    if len(report.frontier) > _LINES:
        yield f"and {len(report.frontier) - _LINES} more in --json or --html"


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
            {"attacker": e.attacker, "attack": e.attack, "people": e.people, "n": e.n, "reason": e.why}
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
    "candidates", "coverage", "danger", "effort", "error", "facts", "passing", "people", "recommendation", "risk",
    "summary", "to_json",
]  # fmt: skip
