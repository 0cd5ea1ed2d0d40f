"""The report as a page: one file, offline, readable by people who never run the tool."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from importlib import metadata, resources

import jinja2
import markupsafe

from unmask.auditing.findings import AuditReport
from unmask.auditing.policy import Verdict
from unmask.report import glossary, words
from unmask.report.blocks import Section, numbered
from unmask.report.glossary_links import GlossaryLinks, displayed, sentences_of
from unmask.report.headline import headline
from unmask.report.interaction import interaction
from unmask.report.outline import chapters, not_run
from unmask.report.reader_questions import reader_questions
from unmask.visible_text import visible
from unmask.wording import language_tag, plural, text

_SIGNS = {
    Verdict.BROKEN: ("broken", "✕"),
    Verdict.WITHIN: ("within", "✓"),
    Verdict.NOT_DECIDED: ("unsure", "?"),
    Verdict.NO_LIMITS: ("open", "–"),
}


def to_html(
    report: AuditReport,
    *,
    title: str = "",
    lead: Sequence[str] = (),
    context: Sequence[str] = (),
    interactive: bool = False,
) -> str:
    """Return the report of an audit as a self-contained page.

    The page loads nothing; all text from data is escaped. It runs no code, unless it is `interactive`: then tables sort
    and charts show their numbers, by a script of ours that its own policy allows by its hash, and nothing else.
    `lead` are sentences below the title, `context` notes for the appendix.
    """
    script = _template("report.js") if interactive else ""
    names = [facts.name for facts in report.releases]
    kind, sign = _SIGNS[report.verdict]
    with interaction(interactive=interactive):
        sections, links = explained_sections(report, context)
    return (
        environment(links)
        .get_template("report.html.j2")
        .render(
            title=title or what_is_given_away(names),
            lead=list(lead),
            circumstances=words.circumstances(report.policy),
            version=metadata.version("unmask"),
            css=css(),
            script=script,
            script_hash=_hash(script),
            verdict={"name": text(words.VERDICTS[report.verdict][0]), "kind": kind, "sign": sign},
            headline=headline(report),
            questions=reader_questions(sections),
            sections=sections,
            seed=report.seed,
        )
    )


def what_is_given_away(releases: Sequence[str]) -> str:
    """Return the title of a report on releases."""
    return plural(
        "What the release {releases} gives away",
        "What the releases {releases} give away",
        len(releases),
        releases=words.quoted(releases),
    )


def environment(links: GlossaryLinks | None = None) -> jinja2.Environment:
    """Return the environment in which pages are made: everything is escaped, and a name without a value is an error.

    With `links`, sentences lead to the glossary.
    """
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("unmask.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_displayed,
    )
    made.filters["typed"] = _typed
    made.filters["explained"] = links or displayed
    made.globals.update(text=text, plural=plural, language=language_tag)
    return made


def css() -> str:
    """Return the style sheet of a page."""
    return _template("report.css")


def _template(name: str) -> str:
    return resources.files("unmask.report").joinpath(f"templates/{name}").read_text(encoding="utf-8").strip()


def _hash(script: str) -> str:
    """Return the hash by which a content security policy allows a script."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _typed(line: str) -> markupsafe.Markup:
    """Return a line that is copied: its controls are visible, nothing is added, and it breaks between words only."""
    words = (f"<span>{markupsafe.escape(word)}</span>" for word in visible(line).split(" "))
    return markupsafe.Markup(" ".join(words))  # noqa: S704 - each word is escaped


def _displayed(value: object) -> object:
    """Return a value as `displayed` shows it; numbers, and markup of ours, as they are."""
    return value if not isinstance(value, str) or hasattr(value, "__html__") else displayed(value)


def attacks_tried(report: AuditReport) -> Iterator[tuple[str, str]]:
    """Explain the attacks that ran, or that could not."""
    concerned = {one.name for chapter in chapters(report) for one in not_run(chapter) if one.concerned}
    ran = {result.name for scene in report.scenes for result in scene.results if result.ran}
    for name in (*words.ATTACKS, *sorted((ran | concerned) - set(words.ATTACKS))):
        if name in ran | concerned and words.attack(name).meaning:
            known = words.attack(name)
            yield text("{name} (attack)", name=known.title), known.meaning


def measures_taken(report: AuditReport) -> Iterator[tuple[str, str]]:
    """Explain the measures that were taken, in the order of the glossary."""
    taken = {one.metric: one for scene in report.scenes for result in scene.results for one in result.measures}
    for name, entry in glossary.METRICS.items():
        if name in taken:
            direction = words.capitalized(words.direction(higher_is_worse=taken[name].higher_is_worse))
            yield entry.translated.title, f"{entry.translated.meaning} {direction}."


def explained_sections(report: AuditReport, context: Sequence[str] = ()) -> tuple[list[Section], GlossaryLinks]:
    """Return the numbered sections with the words that they use before the lines to sign, and the links to those."""
    sections = list(page_sections(report, context))
    links = GlossaryLinks([*glossary.entries(), *attacks_tried(report), *measures_taken(report)])
    place = next(i for i, one in enumerate(sections) if one.anchor == "signatures")
    sections.insert(place, links.section([*headline(report), *sentences_of(sections)]))
    return list(numbered(sections)), links


def page_sections(report: AuditReport, context: Sequence[str] = ()) -> Iterator[Section]:
    """Yield the sections of the page below the verdict: the answers, then the appendix, folded."""
    # Charts take a second to load, which only a page should pay for.
    from unmask.report.sections import (  # noqa: PLC0415
        advice,
        appendix,
        exposed,
        guarantees,
        ladder,
        leaks,
        limits,
        published,
        questions,
        record,
        scenarios,
        signatures,
    )  # fmt: skip

    outline = chapters(report)
    answers = (
        limits.section(report),
        advice.section(report),
        exposed.section(report),
        published.section(report.releases, with_changes=report.advice is None or report.advice.shares is None),
        leaks.section(report.releases),
        scenarios.section(report),
        questions.section(report),
        ladder.section(report),
        guarantees.section(report),
        record.section(report, outline),
        signatures.section(report),
        appendix.section(report, outline, context),
    )
    yield from (one for one in answers if one is not None)
