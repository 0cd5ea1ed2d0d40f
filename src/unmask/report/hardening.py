"""Reports of a search for a release that passes: the screen, and JSON."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from importlib import metadata

from unmask.auditing.policy import Verdict
from unmask.documents.document_text import document_text
from unmask.documents.hardening import SCHEMA, CandidateJson, HardeningJson
from unmask.hardening.evaluated import Evaluated
from unmask.hardening.hardened import HardenReport, in_words
from unmask.report.json import estimated, policy_document, report_document
from unmask.report.numbers import UNDEFINED, count, percent
from unmask.visible_text import joined

WIDTH = 80
_LINES = 8  # of the frontier on the screen
_NUMBERS = (9, 9, 9)  # widths of columns


def recommendation(report: HardenReport) -> str:
    """Return what to publish in a sentence, or that nothing passes, with the nearest candidate."""
    one = report.chosen
    if one is not None:
        return (
            f"Publish {'; '.join(in_words(one))}: at most {people(one)} of {count(one.rows)} people are exposed, the "
            f"median query error is {error(one)}, and {percent(one.left_out)} of people are left out."
        )
    tried = f"{report.proposed:,} candidates"
    why = "" if report.is_complete else f" The budget of {report.minutes:g} minutes ended the search."
    near = report.nearest
    if near is None:
        failed = " Releases that passed failed when they were drawn anew." if report.redrawn else ""
        return f"No release that passes was found among {tried}.{failed}{why}"
    return (
        f"No release that passes was found among {tried}; the nearest is {'; '.join(in_words(near))}: {people(near)} "
        f"of {count(near.rows)} people are exposed, the median query error is {error(near)}.{why}"
    )


def effort(report: HardenReport) -> str:
    """Return how many candidates were tried, and whether time limited that."""
    n = len({one.candidate for one in (*report.sampled, *report.final)})
    text = f"{n:,} candidates were attacked, {len(report.final):,} of them on the whole table"
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


def summary(report: HardenReport, *, footer: str = "") -> str:
    """Write the result as text of one screen: the recommendation, the frontier, and what was tried."""
    lines = [*textwrap.wrap(recommendation(report), WIDTH), *textwrap.wrap(coverage(report), WIDTH), ""]
    if report.frontier:
        lines += [*_table(report.frontier[:_LINES]), ""]
    lines += textwrap.wrap(
        f"{effort(report)} Each by an attacker who knows attributes and by one who also knows the row. Exposed people, "
        f"error and people left out: higher is worse.",
        WIDTH,
    )
    return joined([*lines, *([footer] if footer else [])])


def _table(evaluated: Sequence[Evaluated]) -> Iterator[str]:
    yield f"{'':<{WIDTH - 36}}{'exposed':>9}{'error':>9}{'left out':>9}{'passes':>9}"
    for one in evaluated:
        text = "; ".join(in_words(one))
        first, *more = textwrap.wrap(text, WIDTH - 38) or [""]
        passes = "yes" if one.passes else "no" if one.verdict is Verdict.BROKEN else "unknown"
        yield f"{first:<{WIDTH - 36}}{people(one):>9}{error(one):>9}{percent(one.left_out):>9}{passes:>9}"
        yield from (f"  {line}" for line in more)


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
        "verdict": one.verdict,
        "exposed": [
            {"attacker": e.attacker, "attack": e.attack, "people": e.people, "n": e.n, "reason": e.why}
            for e in one.exposed
        ],
        "query_error": estimated(one.query_error),
        "ncp": estimated(one.ncp),
        "groups": one.groups,
        "left_out": one.left_out,
        "repairs": {"rounds": repairs.rounds, "merged": repairs.merged, "left_out": repairs.left_out},
        "infeasible": one.infeasible,
    }


__all__ = ["coverage", "effort", "error", "people", "recommendation", "summary", "to_json"]
