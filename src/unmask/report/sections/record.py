"""The section that makes the page a record: methods, versions, hashes, limitations, review and signatures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import metadata

from unmask.auditing.findings import AuditReport, Scene
from unmask.report import words
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell, texts
from unmask.report.numbers import count
from unmask.report.outline import Chapter, not_run

LIMITATIONS = (
    "Attacks that ran bound nothing: a stronger one may find more.",
    "What is assumed of an intruder is often more than a motivated one finds out, and less than an insider may know.",
    "The numbers hold for this release and these people; another release of them must be audited together with it.",
    "This page is evidence for a decision, not a legal finding.",
)
"""What the page does not say, whatever was audited."""


def section(report: AuditReport, chapters: Sequence[Chapter]) -> Section:
    """Return the record: what was done, what was not, what the page does not say, and who answers for it."""
    facts = ReportTable("How the numbers were made", ("", ""), tuple(_facts(report)), texts=1)
    parts = [SectionPart(tuple(_untried(chapters)), tables=(facts,))]
    if report.inputs:
        rows = tuple(
            Row(TableCell(one.name, one.use), texts((f"{one.size:,} bytes", one.code))) for one in report.inputs
        )
        head = ("File", "Size", f"HMAC-SHA-256 under key {report.hash_key}")
        parts.append(SectionPart(tables=(ReportTable("Keyed hashes of the files", head, rows, texts=2),)))
    parts.append(SectionPart(LIMITATIONS))
    return Section("record", "Methods, limitations, review", parts=tuple(parts))


def signatures(report: AuditReport) -> Section:
    """Return the lines to sign."""
    policy = report.policy
    rows = (
        Row(TableCell("Decision"), texts(("publish / do not publish / publish after these changes:",))),
        Row(TableCell("Reviewer", policy.reviewer), texts(("name, date, signature:",))),
        Row(TableCell("Data protection officer"), texts(("name, date, signature:",))),
        Row(TableCell("Next review"), texts((_review(report),))),
    )
    return Section("signatures", "Decision and signatures", parts=(SectionPart(tables=(
        ReportTable("Decision", ("", ""), rows, texts=1),)),))  # fmt: skip


def _review(report: AuditReport) -> str:
    date = report.policy.next_review
    return "not set; policy.toml has next_review" if date is None else date.isoformat()


def _facts(report: AuditReport) -> Iterator[Row]:
    made = [f"{one.name}: {_made(one.sanitizer, words.settings(one.parameters))}" for one in report.releases]
    yield Row(TableCell("Releases"), texts(("; ".join(made),)))
    yield Row(TableCell("Attacked"), texts((str(report.targets),)))
    yield Row(TableCell("Attacks"), texts((", ".join(_attacks(report.scenes)) or "none ran",)))
    yield Row(TableCell("Program"), texts((f"unmask {metadata.version('unmask')}, seed {report.seed}",)))


def _made(sanitizer: str | None, parameters: str) -> str:
    if sanitizer is None:
        return "made elsewhere"
    return f"{sanitizer} ({parameters})" if parameters else sanitizer


def _attacks(scenes: Sequence[Scene]) -> list[str]:
    settings: dict[str, str] = {}
    for scene in scenes:
        for result in scene.results:
            if result.ran:
                given = {key: value for key, value in result.settings.items() if value != ""}
                settings.setdefault(words.attack(result.name).title, words.settings(given))
    return [f"{title} ({how})" if how else title for title, how in settings.items()]


def _untried(chapters: Sequence[Chapter]) -> Iterator[str]:
    """Yield the attacks that did not run, with the reason; those for other kinds of release in one sentence."""
    every = [one for chapter in chapters for one in not_run(chapter)]
    elsewhere = dict.fromkeys(words.attack(one.name).title for one in every if not one.concerned)
    reasons = dict.fromkeys((words.attack(one.name).title, one.reason) for one in every if one.concerned)
    for title, reason in reasons:
        yield f"Not attacked by {title}, which is not safe: {reason}."
    if elsewhere:
        are = "attack is" if len(elsewhere) == 1 else "attacks are"
        yield f"{count(len(elsewhere))} {are} for other kinds of release: {', '.join(elsewhere)}."
