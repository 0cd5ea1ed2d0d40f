"""The measurements of an audit as parts of a document, each with the reason where it was not made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from unmask.auditing.findings import AuditReport, Scene
from unmask.models.privacy_model import risk_meant
from unmask.number_format import numeral
from unmask.numerics.rounding import TOLERANCE
from unmask.report import words
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell, cell, texts
from unmask.report.numbers import fraction
from unmask.report.outline import QuestionScenes, chapters, ran, strongest
from unmask.report.regimes import published_identifiers, record
from unmask.report.regimes.published_identifiers import PublishedColumn
from unmask.report.regimes.regime import EvidenceKind
from unmask.report.sections import beliefs, columns, identity, leaks, limits, method, population, published, scenarios
from unmask.report.sections.questions import counted_table, meaning
from unmask.risk_levels import AT_RISK
from unmask.wording import marked, text


@dataclass(frozen=True, slots=True)
class EvidencePart:
    """A part of the evidence: its sections, and why nothing was measured, where nothing was."""

    sections: tuple[Section, ...]
    why_not: str = ""  # in English


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """All that the evidence is made of."""

    report: AuditReport
    columns: Sequence[PublishedColumn] | None = None  # by Safe Harbor; None: not checked
    max_risk: float | None = None  # threshold of the regime
    notes: tuple[str, ...] = ()  # of the run

    def measured(self, kind: EvidenceKind, anchor: str) -> EvidencePart:
        """Return one kind of evidence, its sections under `anchor`."""
        return _MAKE[kind](self, anchor)


def _releases(material: Material, anchor: str) -> EvidencePart:
    return EvidencePart((_placed(method.releases(material.report), anchor),))


def _columns(material: Material, anchor: str) -> EvidencePart:
    releases = material.report.releases
    found = (published.section(releases), columns.section(releases), leaks.section(releases))
    made = tuple(_placed(one, f"{anchor}-{i}") for i, one in enumerate(found) if one is not None)
    return EvidencePart(made, "" if found[1] else marked("no release has columns of rows to count"))


def _safe_harbor(material: Material, anchor: str) -> EvidencePart:
    if material.columns is None:
        why = marked("the published columns were not at hand")
        return _not_measured(anchor, text("Safe Harbor, column by column"), why)
    return EvidencePart((published_identifiers.section(material.columns, anchor),))


def _identification(material: Material, anchor: str) -> EvidencePart:
    report = material.report
    facts = {one.name: one for one in report.releases}
    scenes = [chapter.singling_out for chapter in chapters(report) if chapter.singling_out]
    made = tuple(
        _placed(identity.section(one, f"{anchor}-{i}", facts), f"{anchor}-{i}") for i, one in enumerate(scenes, 1)
    )
    if not any(ran(scene) for group in scenes for scene in group):
        return _not_measured(anchor, text(identity.TITLE), _NO_LINKAGE, made)
    return EvidencePart((_counted(report, marked("Singling out"), anchor), *made))


_NO_LINKAGE = marked("no attack looked for people's rows")


def _threshold(material: Material, anchor: str) -> EvidencePart:
    limit = material.max_risk or AT_RISK
    scenes = [scene for chapter in chapters(material.report) for scene in chapter.singling_out]
    rows = tuple(_beside_threshold(scene, limit) for scene in scenes)
    title = text("Maximum risk beside the threshold of {threshold}", threshold=numeral(limit, "g"))
    if not any(_max_risk(scene) is not None for scene in scenes):
        return _not_measured(anchor, title, _NO_LINKAGE)
    caption = text("Re-identification risk by linkage")
    head = (
        text("Release"),
        text("Maximum risk"),
        text("Average risk"),
        text("Smallest group that means"),
        text("People at {threshold} or above", threshold=numeral(limit, "g")),
        text("Threshold"),
    )
    note = text(
        "Higher is worse. {threshold} is read as {risk}, a group of {size}. In the release, not in a population; by "
        "the strongest linkage that ran.",
        threshold=numeral(limit, "g"),
        risk=fraction(risk_meant(limit)),
        size=numeral(1 / risk_meant(limit), ".0f"),
    )
    return EvidencePart(
        (Section(anchor, title, parts=(SectionPart(tables=(ReportTable(caption, head, rows, note=note),)),)),)
    )


def _beside_threshold(scene: Scene, limit: float) -> Row:
    best, risk = strongest(scene), _max_risk(scene)
    if best is None or risk is None:
        return Row(TableCell(scene.about.name), texts((text("not attacked"), "–", "–", "–", text("not decided"))))
    is_kept = risk <= risk_meant(limit) + TOLERANCE
    state = TableCell(text("kept"), state="kept") if is_kept else TableCell(text("exceeded"), state="broken")
    cells = (
        cell(best.get("max-risk"), "chance"), cell(best.get("average-risk"), "chance"),
        TableCell(text(numeral(1 / risk, ",.0f"))),
        cell(best.get("at-risk", AT_RISK), "people"), state,
    )  # fmt: skip
    return Row(TableCell(scene.about.name), cells, "attack")


def _max_risk(scene: Scene) -> float | None:
    best = strongest(scene)
    return None if best is None else best.get("max-risk").value


def _linkability(material: Material, anchor: str) -> EvidencePart:
    questions = [one for chapter in chapters(material.report) for one in chapter.linkability]
    why = marked("only one release was attacked; unmask ledger check compares it with past ones")
    return _beliefs(material, anchor, questions, marked("Linkability"), why)


def _inference(material: Material, anchor: str) -> EvidencePart:
    questions = [one for chapter in chapters(material.report) for one in chapter.inference]
    return _beliefs(material, anchor, questions, marked("Inference"), marked("no column was declared sensitive"))


def _beliefs(
    material: Material, anchor: str, questions: Sequence[QuestionScenes], kind: str, why_no_question: str
) -> EvidencePart:
    facts = {one.name: one for one in material.report.releases}
    made = tuple(_short(beliefs.section(one, f"{anchor}-{i}", facts)) for i, one in enumerate(questions, 1))
    if any(ran(scene) for one in questions for scene in one.scenes):
        return EvidencePart((_counted(material.report, kind, anchor), *made))
    why = marked("no attack could be run") if questions else why_no_question
    return _not_measured(anchor, text(kind), why, made)


def _population(material: Material, anchor: str) -> EvidencePart:
    made = (_placed(population.section(material.report.releases), anchor),)
    known = any(facts.in_population is not None for facts in material.report.releases)
    return EvidencePart(made, "" if known else marked("the population is not known"))


def _intruders(material: Material, anchor: str) -> EvidencePart:
    report = material.report
    made = (_placed(scenarios.section(report), anchor), _placed(method.assumptions(report), f"{anchor}-attacks"))
    return EvidencePart(made)


def _not_run(material: Material, anchor: str) -> EvidencePart:
    return EvidencePart((_short(_placed(method.untried(chapters(material.report)), anchor)),))


def _limits(material: Material, anchor: str) -> EvidencePart:
    found = limits.section(material.report)
    if found is None:
        return _not_measured(anchor, text("Limits"), marked("no limits were given"))
    name, meaning = words.VERDICTS[material.report.verdict]
    verdict = SectionPart((f"{text(name)}. {text(meaning)}",))
    return EvidencePart((replace(_short(_placed(found, anchor)), parts=(verdict, *found.parts)),))


def _record(material: Material, anchor: str) -> EvidencePart:
    report = material.report
    why = "" if report.hash_key else marked("input files are not hashed without --key FILE")
    return EvidencePart((record.section(report, material.notes, anchor),), why)


def _counted(report: AuditReport, kind: str, anchor: str) -> Section:
    table = counted_table(report, kind)
    title = text("How many people, beside the control")
    return Section(f"{anchor}-people", title, parts=(SectionPart((meaning(report, kind),), tables=(table,)),))


def _placed(section: Section, anchor: str) -> Section:
    inner = tuple(replace(one, anchor=f"{anchor}-{one.anchor}") for one in section.inner)
    return replace(section, anchor=anchor, label="", inner=inner)


def _short(section: Section) -> Section:
    """Leave out what is folded away on the page: every measure is in the full report and its JSON."""
    return replace(section, label="", parts=tuple(part for part in section.parts if not part.folded))


def _not_measured(anchor: str, title: str, why: str, made: tuple[Section, ...] = ()) -> EvidencePart:
    """Return evidence without a measurement: the sections that say so, else one that does."""
    nothing = text("Not measured: {why}. Not attacked is not safe.", why=text(why))
    return EvidencePart(made or (Section(anchor, title, parts=(SectionPart((nothing,)),)),), why)


_MAKE: Mapping[EvidenceKind, Callable[[Material, str], EvidencePart]] = {
    EvidenceKind.RELEASES: _releases,
    EvidenceKind.COLUMNS: _columns,
    EvidenceKind.SAFE_HARBOR: _safe_harbor,
    EvidenceKind.IDENTIFICATION: _identification,
    EvidenceKind.THRESHOLD: _threshold,
    EvidenceKind.LINKABILITY: _linkability,
    EvidenceKind.INFERENCE: _inference,
    EvidenceKind.POPULATION: _population,
    EvidenceKind.INTRUDERS: _intruders,
    EvidenceKind.NOT_RUN: _not_run,
    EvidenceKind.LIMITS: _limits,
    EvidenceKind.RECORD: _record,
}
