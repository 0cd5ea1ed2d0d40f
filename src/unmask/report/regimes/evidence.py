"""The measurements of an audit as parts of a document, each with the reason where it was not made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from unmask.auditing.findings import AuditReport, Scene
from unmask.auditing.limit_results import worst_first
from unmask.auditing.policy import Verdict
from unmask.models.privacy_model import risk_meant
from unmask.numerics.rounding import TOLERANCE
from unmask.report import words
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell, cell, texts
from unmask.report.numbers import fraction
from unmask.report.outline import QuestionScenes, chapters, ran, strongest
from unmask.report.regimes import published_identifiers, record
from unmask.report.regimes.published_identifiers import PublishedColumn
from unmask.report.regimes.regime import EvidenceKind
from unmask.report.sections import beliefs, columns, identity, method, population
from unmask.risk_levels import AT_RISK


@dataclass(frozen=True, slots=True)
class EvidencePart:
    """A part of the evidence: its sections, and why nothing was measured, where nothing was."""

    sections: tuple[Section, ...]
    why_not: str = ""


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
    found = columns.section(material.report.releases)
    if found is None:
        return _not_measured(anchor, "All published columns", "no release has columns of rows to count")
    return EvidencePart((_placed(found, anchor),))


def _safe_harbor(material: Material, anchor: str) -> EvidencePart:
    if material.columns is None:
        return _not_measured(anchor, "Safe Harbor, column by column", "the published columns were not at hand")
    return EvidencePart((published_identifiers.section(material.columns, anchor),))


def _identification(material: Material, anchor: str) -> EvidencePart:
    report = material.report
    facts = {one.name: one for one in report.releases}
    scenes = [chapter.singling_out for chapter in chapters(report) if chapter.singling_out]
    made = tuple(
        _placed(identity.section(one, f"{anchor}-{i}", facts), f"{anchor}-{i}") for i, one in enumerate(scenes, 1)
    )
    if not any(ran(scene) for group in scenes for scene in group):
        return _not_measured(anchor, "Which row is whose?", "no attack looked for people's rows", made)
    return EvidencePart(made)


def _threshold(material: Material, anchor: str) -> EvidencePart:
    limit = material.max_risk or AT_RISK
    scenes = [scene for chapter in chapters(material.report) for scene in chapter.singling_out]
    rows = tuple(_beside_threshold(scene, limit) for scene in scenes)
    title = f"Maximum risk beside the threshold of {limit:g}"
    if not any(_max_risk(scene) is not None for scene in scenes):
        return _not_measured(anchor, title, "no attack looked for people's rows")
    caption = "Re-identification risk by linkage"
    people = f"People at {limit:g} or above"
    head = ("Release", "Maximum risk", "Average risk", "Smallest group that means", people, "Threshold")
    note = (
        f"Higher is worse. {limit:g} is read as {fraction(risk_meant(limit))}, a group of {1 / risk_meant(limit):.0f}. "
        "In the release, not in a population; by the strongest linkage that ran."
    )
    return EvidencePart(
        (Section(anchor, title, parts=(SectionPart(tables=(ReportTable(caption, head, rows, note=note),)),)),)
    )


def _beside_threshold(scene: Scene, limit: float) -> Row:
    best, risk = strongest(scene), _max_risk(scene)
    if best is None or risk is None:
        return Row(TableCell(scene.about.name), texts(("not attacked", "–", "–", "–", "not decided")))
    state = "kept" if risk <= risk_meant(limit) + TOLERANCE else "exceeded"
    cells = (
        cell(best.get("max-risk"), "chance"), cell(best.get("average-risk"), "chance"), TableCell(f"{1 / risk:,.0f}"),
        cell(best.get("at-risk", AT_RISK), "people"), TableCell(state),
    )  # fmt: skip
    return Row(TableCell(scene.about.name), cells, "attack")


def _max_risk(scene: Scene) -> float | None:
    best = strongest(scene)
    return None if best is None else best.get("max-risk").value


def _linkability(material: Material, anchor: str) -> EvidencePart:
    questions = [one for chapter in chapters(material.report) for one in chapter.linkability]
    why = "only one release was attacked; unmask ledger check compares it with past ones"
    return _beliefs(material, anchor, questions, "Releases together", why)


def _inference(material: Material, anchor: str) -> EvidencePart:
    questions = [one for chapter in chapters(material.report) for one in chapter.inference]
    return _beliefs(material, anchor, questions, "Sensitive values", "no column was declared sensitive")


def _beliefs(
    material: Material, anchor: str, questions: Sequence[QuestionScenes], title: str, why_no_question: str
) -> EvidencePart:
    facts = {one.name: one for one in material.report.releases}
    made = tuple(_short(beliefs.section(one, f"{anchor}-{i}", facts)) for i, one in enumerate(questions, 1))
    if any(ran(scene) for one in questions for scene in one.scenes):
        return EvidencePart(made)
    return _not_measured(anchor, title, "no attack could be run" if questions else why_no_question, made)


def _population(material: Material, anchor: str) -> EvidencePart:
    made = (_placed(population.section(material.report.releases), anchor),)
    known = any(facts.in_population is not None for facts in material.report.releases)
    return EvidencePart(made, "" if known else "the population is not known")


def _intruders(material: Material, anchor: str) -> EvidencePart:
    return EvidencePart((_placed(method.assumptions(material.report), anchor),))


def _not_run(material: Material, anchor: str) -> EvidencePart:
    return EvidencePart((_short(_placed(method.untried(chapters(material.report)), anchor)),))


def _limits(material: Material, anchor: str) -> EvidencePart:
    report = material.report
    name, meaning = words.VERDICTS[report.verdict]
    rows = tuple(
        Row(TableCell(one.limit), texts((str(one.state), one.reason, one.would_change or "–")), "attack")
        for one in worst_first(report.limits)
    )
    table = ReportTable("Each limit", ("Limit", "State", "Measured", "What would change it"), rows, texts=3)
    part = SectionPart((f"{name}. {meaning}", *words.limits(report)), tables=(table,) if rows else ())
    why = "no limits were given" if report.verdict is Verdict.NO_LIMITS else ""
    return EvidencePart((Section(anchor, "Limits of this audit", parts=(part,)),), why)


def _record(material: Material, anchor: str) -> EvidencePart:
    report = material.report
    why = "" if report.hash_key else "input files are not hashed without --key FILE"
    return EvidencePart((record.section(report, material.notes, anchor),), why)


def _placed(section: Section, anchor: str) -> Section:
    return replace(section, anchor=anchor, label="")


def _short(section: Section) -> Section:
    """Leave out what is folded away on the page: every measure is in the full report and its JSON."""
    return replace(section, label="", parts=tuple(part for part in section.parts if not part.folded))


def _not_measured(anchor: str, title: str, why: str, made: tuple[Section, ...] = ()) -> EvidencePart:
    """Return evidence without a measurement: the sections that say so, else one that does."""
    text = f"Not measured: {why}. Not attacked is not safe."
    return EvidencePart(made or (Section(anchor, title, parts=(SectionPart((text,)),)),), why)


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
