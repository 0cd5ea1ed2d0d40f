"""The section on how certain the numbers are: what ± is, which numbers are exact, and which attacks draw."""

from __future__ import annotations

from collections.abc import Iterator

from unmask.auditing.findings import AuditReport
from unmask.report import words
from unmask.report.blocks import Section, SectionPart
from unmask.report.numbers import SHORT_SOURCES, SOURCES
from unmask.wording import plural, text


def section(report: AuditReport) -> Section:
    """Return what an interval says, where it comes from, and which attacks are approximate."""
    return Section(
        "certainty", text("How certain these numbers are"), parts=(SectionPart((" ".join(_sentences(report)),)),)
    )


def _sentences(report: AuditReport) -> Iterator[str]:
    ran = [result for scene in report.scenes for result in scene.results if result.ran]
    uncertain = [
        (result.name, one.estimate.source)
        for result in ran
        for one in (*result.measures, *result.control)
        if one.estimate.value is not None and one.estimate.source != "exact"
    ]
    approximate = dict.fromkeys(words.attack(name).title for name, source in uncertain if source == "monte carlo")
    exact = dict.fromkeys(words.attack(result.name).title for result in ran)
    if not uncertain:
        yield text("No number was drawn at random.")
    else:
        yield text("In tables, numbers of attacks that draw at random have ±; those without were not drawn.")
    if approximate:
        yield plural(
            "{attacks} is approximate: it draws at random, and ± is the range in which 95 % of such draws fall "
            "(30 ±2: 28 to 32).",
            "{attacks} are approximate: they draw at random, and ± is the range in which 95 % of such draws fall "
            "(30 ±2: 28 to 32).",
            len(approximate), attacks=words.capitalized(words.listed([*approximate])),
        )  # fmt: skip
    fixed = dict.fromkeys(words.attack(result.name).title for result in ran if result.outcome.is_approximate)
    if fixed:
        yield text(
            "Approximate by a margin that is not known, since a fixed point takes the place of draws: {attacks}.",
            attacks=words.listed([*fixed]),
        )
    if rest := [title for title in exact if title not in {**approximate, **fixed}]:
        yield text("Exact: {attacks}.", attacks=words.listed(rest))
    for source in dict.fromkeys(source for _, source in uncertain if source != "monte carlo"):
        yield text(
            "Where “{mark}” stands beside ±, its source is: {reason}.",
            mark=text(SHORT_SOURCES[source]), reason=text(SOURCES[source]),
        )  # fmt: skip
    yield text("No number says anything of stronger attacks, nor of an intruder who knows more than was assumed.")
