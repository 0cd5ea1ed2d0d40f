"""The section that makes the page a record: what was not tried, how certain it is, methods, hashes, review."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from importlib import metadata

from unmask.auditing.findings import AuditReport, Scene
from unmask.number_format import numeral
from unmask.report import words
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell, texts
from unmask.report.methods import made_by, sanitizer_meaning
from unmask.report.numbers import count
from unmask.report.outline import Chapter, not_run
from unmask.report.sections import certainty
from unmask.wording import marked, plural, text

LIMITATIONS = (
    marked("A stronger attack may find more than those that ran."),
    marked(
        "What is assumed of an intruder is often more than a motivated one finds out, and less than an insider may "
        "know."
    ),
    marked(
        "The numbers hold for this release and these people; another release of them must be audited together with it."
    ),
    marked("This page is evidence for a decision, not a legal finding."),
)

"""What the page does not say, whatever was audited."""


def section(report: AuditReport, chapters: Sequence[Chapter]) -> Section:
    """Return the record: what was not tried, how certain the numbers are, what was done, and what is not said."""
    inner = (
        Section("not-tried", text("What was not tried"), parts=(SectionPart((" ".join(_untried(report, chapters)),)),)),
        certainty.section(report),
        Section("repetition", text("How the numbers were made, and are repeated"), parts=tuple(_made(report))),
        Section("review", text("Limitations, and when to test again"), parts=(SectionPart(tuple(_review(report))),)),
    )
    return Section("record", text("Methods, limitations, review"), inner=inner)


def _made(report: AuditReport) -> Iterator[SectionPart]:
    facts = ReportTable(text("How the numbers were made"), ("", ""), tuple(_facts(report)), texts=1)
    yield SectionPart(tables=(facts,))
    if report.command:
        yield SectionPart((text("The line that repeats the audit:"),), commands=(shlex.join(report.command),))
    if report.inputs:
        rows = tuple(
            Row(TableCell(one.name, text(one.use)), texts((text("{n} bytes", n=numeral(one.size)), one.code)))
            for one in report.inputs
        )
        head = (text("File"), text("Size"), text("HMAC-SHA-256 under key {key}", key=report.hash_key))
        caption, note = text("Keyed hashes of the files"), text(HASH)
        yield SectionPart(tables=(ReportTable(caption, head, rows, texts=2, note=note),))


def _review(report: AuditReport) -> Iterator[str]:
    yield " ".join(map(text, LIMITATIONS))
    yield _again(report)


HASH = marked(
    "A keyed hash is a code computed from a file and a secret key. Who has both can check that a file is the one that "
    "was audited; without the key the code tells nothing of the file. It is no signature, and no encryption."
)


def _again(report: AuditReport) -> str:
    """Return when the release must be tested again."""
    date = report.policy.next_review
    if date is None:
        return text(
            "Test again before another release about the same people, and when other data about them are published or "
            "a new attack is known."
        )
    return text(
        "Test again by {date}, before another release about the same people, and when other data about them are "
        "published or a new attack is known.",
        date=date.isoformat(),
    )


def _facts(report: AuditReport) -> Iterator[Row]:
    made = [f"{words.quoted([one.name])}: {made_by(one.sanitizer, one.parameters)}" for one in report.releases]
    methods = dict.fromkeys(one.sanitizer for one in report.releases if one.sanitizer)
    how = [
        text("{name}: {meaning}", name=name, meaning=meaning)
        for name in methods
        if (meaning := sanitizer_meaning(name))
    ]
    program = text("unmask {version}, seed {seed}", version=metadata.version("unmask"), seed=report.seed)
    yield Row(TableCell(text("Releases")), (TableCell("; ".join(made), "; ".join(how)),))
    yield Row(TableCell(text("Attacked")), texts((text(str(report.targets)),)))
    yield Row(TableCell(text("Attacks")), texts((", ".join(_attacks(report.scenes)) or text("none ran"),)))
    yield Row(TableCell(text("Program")), texts((program,)))


def _attacks(scenes: Sequence[Scene]) -> list[str]:
    settings: dict[str, str] = {}
    for scene in scenes:
        for result in scene.results:
            if result.ran:
                given = {key: value for key, value in result.settings.items() if value != ""}
                settings.setdefault(words.attack(result.name).title, words.settings(given))
    return [f"{title} ({how})" if how else title for title, how in settings.items()]


def _untried(report: AuditReport, chapters: Sequence[Chapter]) -> Iterator[str]:
    """Yield what did not run, with the reason; attacks for other kinds of release in one sentence."""
    yield text("What was not tried is not counted as safe.")
    every = [one for chapter in chapters for one in not_run(chapter)]
    elsewhere = dict.fromkeys(words.attack(one.name).title for one in every if not one.concerned)
    reasons = dict.fromkeys((words.attack(one.name).title, one.reason) for one in every if one.concerned)
    for title, reason in reasons:
        yield text("Not attacked by {attack}: {reason}.", attack=title, reason=text(reason))
    if not reasons:
        yield text("Every attack asked for that concerns such a release ran.")
    yield from _unchecked(report)
    if len(report.releases) == 1:
        yield text("No earlier release was given, so linkability was not tried: if there is one, audit both together.")
    if elsewhere:
        yield plural(
            "{n} attack is for other kinds of release, and does not concern this one: {attacks}.",
            "{n} attacks are for other kinds of release, and do not concern this one: {attacks}.",
            len(elsewhere), n=count(len(elsewhere)), attacks=", ".join(elsewhere),
        )  # fmt: skip


def _unchecked(report: AuditReport) -> Iterator[str]:
    """Yield which checks for leaks were not made, with the reason."""
    checked = [facts.leaks for facts in report.releases if facts.leaks is not None]
    for kind, why in dict.fromkeys(pair for leaks in checked for pair in leaks.not_run):
        yield text("Not checked for leaks, {check}: {reason}.", check=text(kind), reason=text(why))
