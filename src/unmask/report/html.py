"""The report as a page: one file, offline, readable by people who never run the tool."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import metadata, resources

import jinja2

from unmask.auditing.findings import AuditReport
from unmask.auditing.policy import Verdict
from unmask.report import glossary, limit_lines, words
from unmask.report.blocks import Section
from unmask.report.outline import chapters
from unmask.report.summary_sentences import story
from unmask.visible_text import visible

_SIGNS = {
    Verdict.BROKEN: ("broken", "✕"),
    Verdict.WITHIN: ("within", "✓"),
    Verdict.NOT_DECIDED: ("unsure", "?"),
    Verdict.NO_LIMITS: ("open", "–"),
}
_FEW = 3  # up to so many scenes a page needs no table of contents


def to_html(report: AuditReport, *, title: str = "", context: Sequence[str] = ()) -> str:
    """Return the report of an audit as a self-contained page.

    The page loads nothing and runs no code; all text from data is escaped. `context` are sentences of the caller below
    the title: purpose, recipient, date of review.
    """
    names = [facts.name for facts in report.releases]
    name, meaning = words.VERDICTS[report.verdict]
    kind, sign = _SIGNS[report.verdict]
    return (
        environment()
        .get_template("report.html.j2")
        .render(
            title=title or f"What {words.listed(names)} {'gives' if len(names) == 1 else 'give'} away",
            context=list(context),
            version=metadata.version("unmask"),
            css=css(),
            verdict={"name": name, "meaning": meaning, "kind": kind, "sign": sign},
            why=list(limit_lines.lines(report)),
            limits=words.limits(report),
            story=[(sentences[0], " ".join(sentences[1:])) for sentences in story(report) if sentences],
            sections=list(page_sections(report)),
            contents=len(report.scenes) > _FEW,
            glossary=[*glossary.TERMS.items(), *measures_taken(report)],
            seed=report.seed,
        )
    )


def environment() -> jinja2.Environment:
    """Return the environment in which pages are made: everything is escaped, and a name without a value is an error."""
    return jinja2.Environment(
        loader=jinja2.PackageLoader("unmask.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_displayed,
    )


def css() -> str:
    """Return the style sheet of a page."""
    return resources.files("unmask.report").joinpath("templates/report.css").read_text(encoding="utf-8").strip()


def _displayed(value: object) -> object:
    """Make controls of data visible, and keep a number and its per cent sign on one line."""
    if not isinstance(value, str) or hasattr(value, "__html__"):  # numbers, and markup of ours
        return value
    return visible(value).replace(" %", "\u00a0%")


def measures_taken(report: AuditReport) -> Iterator[tuple[str, str]]:
    """Explain the measures that were taken, in the order of the glossary."""
    taken = {one.metric: one for scene in report.scenes for result in scene.results for one in result.measures}
    for name, entry in glossary.METRICS.items():
        if name in taken:
            yield (
                entry.title,
                f"{entry.meaning} {words.direction(higher_is_worse=taken[name].higher_is_worse).capitalize()}.",
            )


def page_sections(report: AuditReport) -> Iterator[Section]:
    """Yield the sections of the page."""
    # Charts take a second to load, which only a page should pay for.
    from unmask.report.sections import (  # noqa: PLC0415
        advice,
        beliefs,
        columns,
        identity,
        leaks,
        method,
        overview,
        population,
    )

    outline = chapters(report)
    facts = {one.name: one for one in report.releases}
    advised = advice.section(report)
    if advised is not None:
        yield advised
    glance = overview.section(outline)
    if glance is not None:
        yield glance
    yield method.releases(report)
    for i, chapter in enumerate(outline, 1):
        names = words.listed([one.name for one in chapter.releases])
        inner = [identity.section(chapter.singling_out, f"chapter-{i}-rows", facts)] if chapter.singling_out else []
        for j, question in enumerate(chapter.inference + chapter.linkability, 1):
            inner.append(beliefs.section(question, f"chapter-{i}-{j}", facts))
        yield Section(f"chapter-{i}", f"Attacks on {names}", inner=tuple(inner))
    everything = columns.section(report.releases)
    if everything is not None:
        yield everything
    checks = leaks.section(report.releases)
    if checks is not None:
        yield checks
    yield population.section(report.releases)
    yield method.untried(outline)
    yield method.assumptions(report)
