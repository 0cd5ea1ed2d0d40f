"""The section that makes the page a record: methods, versions, hashes, limitations, review and signatures."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from importlib import metadata

from unmask.auditing.findings import AuditReport, Scene
from unmask.number_format import numeral
from unmask.report import words
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell, texts
from unmask.report.methods import sanitizer_meaning
from unmask.report.numbers import count, percent
from unmask.report.outline import Chapter, not_run
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
    """Return the record: what was done, what was not, what the page does not say, and who answers for it."""
    facts = ReportTable(text("How the numbers were made"), ("", ""), tuple(_facts(report)), texts=1)
    parts = [SectionPart(tuple(_untried(chapters)), tables=(facts,))]
    if report.command:
        parts.append(SectionPart((text("The line that repeats the audit:"),), commands=(shlex.join(report.command),)))
    if report.inputs:
        rows = tuple(
            Row(TableCell(one.name, text(one.use)), texts((text("{n} bytes", n=numeral(one.size)), one.code)))
            for one in report.inputs
        )
        head = (text("File"), text("Size"), text("HMAC-SHA-256 under key {key}", key=report.hash_key))
        caption, note = text("Keyed hashes of the files"), text(_HASH)
        parts.append(SectionPart(tables=(ReportTable(caption, head, rows, texts=2, note=note),)))
    parts.append(SectionPart((" ".join(map(text, LIMITATIONS)), _again(report))))
    return Section("record", text("Methods, limitations, review"), parts=tuple(parts))


_HASH = marked(
    "A keyed hash is a code computed from a file and a secret key. Who has both can check that a file is the one that "
    "was audited; without the key the code tells nothing of the file. It is no signature, and no encryption."
)
_NO_HASH = marked(
    "no code ties this page to a file: with --key FILE the audit adds a keyed hash, by which who has the file and the "
    "key can check that it is the one that was audited"
)


def signatures(report: AuditReport) -> Section:
    """Return the lines to sign."""
    policy = report.policy
    rows = (
        Row(TableCell(text("Release")), (_releases(report),)),
        Row(TableCell(text("Verdict")), texts((text(words.VERDICTS[report.verdict][0]),))),
        Row(TableCell(text("Policy")), texts((_policy(report),))),
        Row(TableCell(text("Tested on")), texts((text("date:"),))),
        Row(TableCell(text("Publisher"), text("controller")), texts((text("name, address:"),))),
        Row(
            TableCell(text("Decision")),
            texts((text("publish / do not publish / publish after these changes:"),)),
            "attack",
        ),
        Row(TableCell(text("Reviewer"), policy.reviewer), texts((text(_SIGN),)), "attack"),
        Row(TableCell(text("Data protection officer")), texts((text(_SIGN),)), "attack"),
        Row(TableCell(text("Next review")), texts((_review(report),))),
    )
    table = ReportTable(text("What is decided, and by whom"), ("", ""), rows, texts=1)
    return Section("signatures", text("Decision and signatures"), parts=(SectionPart(tables=(table,)),))


_SIGN = marked("name, date, signature:")


def _releases(report: AuditReport) -> TableCell:
    """Return the names of the releases, with the keyed hashes of the files that they are in."""
    made = words.listed(
        [
            f"{words.quoted([one.name])} ({_made(one.sanitizer, words.settings(one.parameters))})"
            for one in report.releases
        ]
    )
    files = [one for one in report.inputs if one.use == "release"] or [
        one for one in report.inputs if one.use == "table"
    ]
    if not files:
        return TableCell(made, text(_NO_HASH))
    hashes = "; ".join(f"{text(one.use)} {one.name}: {one.code}" for one in files)
    keyed = text("keyed hash (HMAC-SHA-256 under key {key}): {hashes}", key=report.hash_key, hashes=hashes)
    return TableCell(made, f"{keyed}. {text(_HASH)}")


def _policy(report: AuditReport) -> str:
    """Return the limits in few words."""
    limits, found = report.policy.limits, []
    if limits.max_belief is not None:
        surer = words.surer(report.policy)
        belief = percent(limits.max_belief, short=True)
        most = f"{text(numeral(100 * limits.tolerate, 'g'))} %" if limits.tolerate_is_share else count(limits.tolerate)
        found.append(
            text(
                "exposed: an intruder at least {belief} sure, and {surer}; tolerated: {tolerated}",
                belief=belief, surer=surer, tolerated=most,
            )
            if surer
            else text(
                "exposed: an intruder at least {belief} sure; tolerated: {tolerated}", belief=belief, tolerated=most
            )
        )  # fmt: skip
    if limits.max_risk is not None:
        found.append(text("identified with a chance of at most {risk}", risk=words.largest_risk(limits.max_risk)))
    more = {one.limit: text(one.requirement) for one in report.limits if one.limit not in {"max-belief", "max-risk"}}
    all_of_it = [*found, *filter(None, more.values()), *words.circumstances(report.policy)]
    return "; ".join(all_of_it) or text("no limits given")


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


def _review(report: AuditReport) -> str:
    date = report.policy.next_review
    return text("not set; policy.toml has next_review") if date is None else date.isoformat()


def _facts(report: AuditReport) -> Iterator[Row]:
    made = [
        f"{words.quoted([one.name])}: {_made(one.sanitizer, words.settings(one.parameters))}" for one in report.releases
    ]
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


def _made(sanitizer: str | None, parameters: str) -> str:
    if sanitizer is None:
        return text("made elsewhere")
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
        yield text("Not attacked by {attack}, which is not safe: {reason}.", attack=title, reason=text(reason))
    if elsewhere:
        yield plural(
            "{n} attack is for other kinds of release, and does not concern this one: {attacks}.",
            "{n} attacks are for other kinds of release, and do not concern this one: {attacks}.",
            len(elsewhere), n=count(len(elsewhere)), attacks=", ".join(elsewhere),
        )  # fmt: skip
