"""The lines to sign: the release, the verdict, the policy and who set it, with room for a decision."""

from __future__ import annotations

from unmask.auditing.findings import AuditReport
from unmask.number_format import numeral
from unmask.report import words
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell, texts
from unmask.report.methods import made_by
from unmask.report.numbers import count, percent
from unmask.report.sections.record import HASH
from unmask.wording import marked, text

_NO_HASH = marked(
    "no code ties this page to a file: with --key FILE the audit adds a keyed hash, by which who has the file and the "
    "key can check that it is the one that was audited"
)


def section(report: AuditReport) -> Section:
    """Return the lines to sign."""
    policy = report.policy
    rows = (
        Row(TableCell(text("Release")), (_releases(report),)),
        Row(TableCell(text("Verdict")), (_verdict(report),)),
        Row(TableCell(text("Policy")), texts((_policy(report),))),
        Row(TableCell(text("Limits")), texts((text("{source}; set by:", source=_source(report)),))),
        Row(TableCell(text("Tested on")), texts((text(_TESTED),))),
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


def _verdict(report: AuditReport) -> TableCell:
    """Return the verdict; of a release that is not the one to publish, that too."""
    trial = text("of a release made for this audit: the one to publish is not audited yet") if report.is_trial else ""
    return TableCell(text(words.VERDICTS[report.verdict][0]), trial)


_SIGN = marked("name, date, signature:")
_TESTED = marked("(to be written by hand: the same audit gives the same page, so no date is printed) date:")


def _source(report: AuditReport) -> str:
    """Return where the limits of the audit were given."""
    given, file = report.command, ""
    if "--policy" in given:
        file = given[given.index("--policy") + 1]
    typed = any(word.partition("=")[0] in _TYPED for word in given)
    if not report.limits:
        return text("none were given")
    if file and typed:
        return text("from {file} and from the command line", file=file)
    if file:
        return text("from {file}", file=file)
    return text("from the command line") if typed else text("from a call of the program")


_TYPED = frozenset({"--max-belief", "--max-risk", "--excess", "--tolerate", "--require"})
"""Options that set limits."""


def _releases(report: AuditReport) -> TableCell:
    """Return the names of the releases, with the keyed hashes of the files that they are in."""
    made = words.listed(
        [f"{words.quoted([one.name])} ({made_by(one.sanitizer, one.parameters)})" for one in report.releases]
    )
    files = [one for one in report.inputs if one.use == "release"] or [
        one for one in report.inputs if one.use == "table"
    ]
    if not files:
        return TableCell(made, text(_NO_HASH))
    hashes = "; ".join(f"{text(one.use)} {one.name}: {one.code}" for one in files)
    keyed = text("keyed hash (HMAC-SHA-256 under key {key}): {hashes}", key=report.hash_key, hashes=hashes)
    return TableCell(made, f"{keyed}. {text(HASH)}")


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


def _review(report: AuditReport) -> str:
    date = report.policy.next_review
    return text("no date was set; to be decided:") if date is None else date.isoformat()
