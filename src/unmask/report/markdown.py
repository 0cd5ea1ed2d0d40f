"""The report as Markdown: for a pull request or a job's summary."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib import metadata

from unmask.auditing.findings import AuditReport
from unmask.report import advice, columns, limit_lines, words
from unmask.report.numbers import UNDEFINED, count, fraction, measured, of_all, percent
from unmask.report.outline import chapters, not_run, promised, titled
from unmask.report.quick import ran_otherwise
from unmask.report.summary_sentences import story
from unmask.risk_levels import FIRM
from unmask.visible_text import visible
from unmask.wording import text


def to_markdown(report: AuditReport, *, title: str = "", context: Sequence[str] = ()) -> str:
    """Write verdict, story and one table: a line for each attack that ran."""
    return "\n".join(_lines(report, title or text("Audit"), context)) + "\n"


def _lines(report: AuditReport, title: str, context: Sequence[str]) -> Iterator[str]:
    name, meaning = words.VERDICTS[report.verdict]
    yield f"# {_text(title)}"
    yield ""
    yield f"**{text(name)}.** {text(meaning)}"
    yield ""
    sentences = (*ran_otherwise(report), *words.limits(report), *limit_lines.lines(report))
    yield from (f"- {_text(sentence)}" for sentence in sentences)
    if sentences:
        yield ""
    if advice.changed(report):
        yield _text(f"{advice.changed(report)}.")
        yield ""
    advised = advice.story(report)
    if advised:
        yield f"## {text('What to change')}"
        yield ""
        yield from (f"- {_text(sentence)}" for sentence in advised)
        yield ""
        for sentence in advice.repeats(report, named=False):
            yield _text(sentence)
            yield ""
    for paragraph in (*map(text, context), *(" ".join(sentences) for sentences in story(report))):
        yield _text(paragraph)
        yield ""
    for facts in report.releases:
        assumed = text("which row is whose {assumption}", assumption=text(facts.assumption)) if facts.assumption else ""
        yield from (f"- {_text(f'{facts.name}: {sentence}')}" for sentence in (text(facts.doubt), assumed) if sentence)
        if facts.columns is not None:
            audit = facts.columns
            sentences = (columns.by_all(audit), *columns.faults(audit), *columns.passed_over(audit))
            yield from (f"- {_text(f'{facts.name}: {sentence}')}" for sentence in sentences if sentence)
    yield ""
    firm = report.policy.limits.firm
    head = (
        text("Releases"), text("Asked"), text("Intruder"), text("Attack"), text("Promised"), text("Right"),
        text("Control"), text("Sure ≥ {share}", share=percent(firm, short=True)), text("Rightly"),
    )  # fmt: skip
    yield f"| {' | '.join(head)} |"
    yield "| --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: |"
    yield from _table(report)
    yield ""
    every = [one for chapter in chapters(report) for one in not_run(chapter)]
    elsewhere = dict.fromkeys(words.attack(one.name).title for one in every if not one.concerned)
    if elsewhere:
        yield _text(text("Attacks for other kinds of release: {attacks}.", attacks=", ".join(elsewhere)))
        yield ""
    missing = [one for one in every if one.concerned]
    if missing:
        reasons = "; ".join(dict.fromkeys(f"{words.attack(one.name).title}: {text(one.reason)}" for one in missing))
        yield _text(text("Not run, which is not safe: {reasons}.", reasons=reasons))
        yield ""
    yield text(
        "Higher is worse in every column. unmask {version}, seed {seed}.",
        version=metadata.version("unmask"),
        seed=report.seed,
    )


def _table(report: AuditReport) -> Iterator[str]:
    for scene in report.scenes:
        place = scene.about.question.value == "place"
        limit, _ = promised(scene, "max-risk" if place else "max-belief")
        most = text("no guarantee") if limit is None or limit.vacuous else fraction(limit.limit)
        for result, title in titled(scene):
            right = result.get("average-risk" if place else "accuracy")
            control = result.get("accuracy", control=True)
            sure, rightly = result.get("exposed", scene.firm), result.get("exposed-rightly", scene.firm)
            if place:
                sure = result.get("at-risk", FIRM)
            cells = (
                words.listed(scene.releases), text("the row") if place else scene.about.name,
                words.who_short(scene.attacker), title, most, measured(right, "share"),
                text("none") if control.value is None else measured(control, "share"),
                text(UNDEFINED) if sure.value is None else of_all(sure.value, sure.n),
                "–" if place else text(UNDEFINED) if rightly.value is None else count(rightly.value),
            )  # fmt: skip
            yield f"| {' | '.join(_text(cell) for cell in cells)} |"


def _text(text: str) -> str:
    """Escape markup of Markdown and HTML."""
    plain = re.sub(r"([\\`*_\[\]|~#])", r"\\\1", visible(text))
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
