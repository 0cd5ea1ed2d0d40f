"""The section that makes the page a record: methods, versions, hashes, limitations, review and signatures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import metadata

from unmask.auditing.findings import AuditReport, Scene
from unmask.report import words
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell, texts
from unmask.report.numbers import count, percent
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
    parts.append(SectionPart((*LIMITATIONS, _again(report))))
    return Section("record", "Methods, limitations, review", parts=tuple(parts))


def signatures(report: AuditReport) -> Section:
    """Return the lines to sign."""
    policy = report.policy
    rows = (
        Row(TableCell("Release"), (_releases(report),)),
        Row(TableCell("Verdict"), texts((words.VERDICTS[report.verdict][0],))),
        Row(TableCell("Policy"), texts((_policy(report),))),
        Row(TableCell("Tested on"), texts(("date:",))),
        Row(TableCell("Publisher", "controller"), texts(("name, address:",))),
        Row(TableCell("Decision"), texts(("publish / do not publish / publish after these changes:",)), "attack"),
        Row(TableCell("Reviewer", policy.reviewer), texts((_SIGN,)), "attack"),
        Row(TableCell("Data protection officer"), texts((_SIGN,)), "attack"),
        Row(TableCell("Next review"), texts((_review(report),))),
    )
    table = ReportTable("What is decided, and by whom", ("", ""), rows, texts=1)
    return Section("signatures", "Decision and signatures", parts=(SectionPart(tables=(table,)),))


_SIGN = "name, date, signature:"


def _releases(report: AuditReport) -> TableCell:
    """Return the names of the releases, with the keyed hashes of the files that they are in."""
    made = words.listed(
        [f"{one.name} ({_made(one.sanitizer, words.settings(one.parameters))})" for one in report.releases]
    )
    files = [one for one in report.inputs if one.use == "release"] or [
        one for one in report.inputs if one.use == "table"
    ]
    hashes = [f"{one.use} {one.name}: {one.code}" for one in files]
    key = f"HMAC-SHA-256 under key {report.hash_key}: " if files else ""
    return TableCell(made, f"{key}{'; '.join(hashes)}" if files else "files not hashed: add --key FILE")


def _policy(report: AuditReport) -> str:
    """Return the limits in few words."""
    limits, found = report.policy.limits, []
    if limits.max_belief is not None:
        surer = words.surer(report.policy)
        margin = surer and f", {surer}"
        most = f"{100 * limits.tolerate:g} %" if limits.tolerate_is_share else count(limits.tolerate)
        found.append(f"belief of {percent(limits.max_belief, short=True)} or more{margin}; tolerated: {most}")
    if limits.max_risk is not None:
        found.append(f"identified with a chance of at most {percent(limits.max_risk, short=True)}")
    more = {one.limit: one.requirement for one in report.limits if one.limit not in {"max-belief", "max-risk"}}
    return "; ".join([*found, *filter(None, more.values()), *words.circumstances(report.policy)]) or "no limits given"


def _again(report: AuditReport) -> str:
    """Return when the release must be tested again."""
    date = report.policy.next_review
    due = "" if date is None else f"by {date.isoformat()}, "
    return (
        f"Test again {due}before another release about the same people, and when other data about them are published "
        "or a new attack is known."
    )


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
