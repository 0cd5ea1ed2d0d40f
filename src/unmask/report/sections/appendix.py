"""The appendix: results in words, charts and every measure of each question, what did not run, notes of the program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from unmask.auditing.findings import AuditReport, EngineQueries
from unmask.report import words
from unmask.report.blocks import Section, SectionPart
from unmask.report.outline import Chapter, QuestionScenes, strength
from unmask.report.sections import beliefs, columns, identity, method, overview, population
from unmask.report.summary_sentences import story
from unmask.wording import marked, text

DRAWN = 12
"""The questions with charts and every measure: the worst ones. Of the others each attack has one line."""


def section(report: AuditReport, chapters: Sequence[Chapter], notes: Sequence[str]) -> Section:
    """Return the appendix; each part is folded."""
    parts = [replace(one, folded=True) for one in _parts(report, chapters, notes)]
    return Section("appendix", text("Appendix"), parts=(SectionPart((text(_HOW),)),), inner=tuple(parts))


_HOW = marked("Each part opens on demand. A printed page has the parts that are open.")


def _parts(report: AuditReport, chapters: Sequence[Chapter], notes: Sequence[str]) -> Iterator[Section]:
    sentences = tuple(" ".join(one) for one in story(report) if one)
    yield Section("summary", text("The results in words"), parts=(SectionPart(sentences),))
    glance = overview.section(chapters)
    if glance is not None:
        yield glance
    yield method.releases(report)
    yield from _chapters(report, chapters)
    everything = columns.section(report.releases)
    if everything is not None:
        yield everything
    yield population.section(report.releases)
    yield method.untried(chapters)
    yield method.assumptions(report)
    if report.queries is not None:
        yield queries(report.queries)
    if notes:
        yield notes_of(notes)


def notes_of(notes: Sequence[str]) -> Section:
    """Return the notes of the program as a section."""
    return Section("notes", text("Notes of the program"), parts=(SectionPart(tuple(map(text, notes))),))


def queries(ran: EngineQueries) -> Section:
    """Return the queries that ran in an engine, each with its purpose."""
    head = text("{n} queries ran in {engine}, in this order.", n=f"{len(ran.ran):,}", engine=ran.engine)
    parts = (SectionPart((text(purpose),), commands=(query,)) for purpose, query in ran.ran)
    return Section("queries", text("Queries that ran in the engine"), parts=(SectionPart((head,)), *parts))


def _chapters(report: AuditReport, chapters: Sequence[Chapter]) -> Iterator[Section]:
    facts = {one.name: one for one in report.releases}
    questions = [one for chapter in chapters for one in chapter.inference + chapter.linkability]
    drawn = {id(one) for one in sorted(questions, key=_strength, reverse=True)[:DRAWN]}
    for i, chapter in enumerate(chapters, 1):
        names = words.listed([one.name for one in chapter.releases])
        inner = [identity.section(chapter.singling_out, f"chapter-{i}-rows", facts)] if chapter.singling_out else []
        for j, question in enumerate(chapter.inference + chapter.linkability, 1):
            inner.append(beliefs.section(question, f"chapter-{i}-{j}", facts, whole=id(question) in drawn))
        yield Section(f"chapter-{i}", text("Attacks on {releases}", releases=names), inner=tuple(inner))


def _strength(question: QuestionScenes) -> tuple[float, ...]:
    return max(map(strength, question.scenes))
