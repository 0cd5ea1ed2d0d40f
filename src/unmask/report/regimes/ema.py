"""Policy 0070 of the European Medicines Agency on the publication of clinical data."""

from __future__ import annotations

from unmask.report.regimes.regime import NEXT_REVIEW, REVIEWER, EvidenceKind, OpenPoint, Regime, RegimeRequirement

_CHAPTER = "external guidance, chapter 3"

EMA = Regime(
    "ema",
    "EMA, Policy 0070",
    "European Medicines Agency, Policy 0070 on the publication of clinical data for medicinal products for human use, "
    "and the external guidance on its implementation (EMA/90915/2016).",
    "For a quantitative assessment the guidance proposes a maximum risk of re-identification of 0.09: no smaller group "
    "than 11. Otherwise it asks for the three criteria: no singling out, no linking, no inference.",
    (
        RegimeRequirement(
            "variables", "Direct identifiers and quasi-identifiers", _CHAPTER,
            "Which variables identify directly, which indirectly, and what became of each.",
            (EvidenceKind.COLUMNS, EvidenceKind.RELEASES),
            (OpenPoint("Direct and quasi-identifiers in narratives, figures and scanned pages, which are no columns"),),
        ),
        RegimeRequirement(
            "threshold", "Risk of re-identification, and the threshold", _CHAPTER,
            "The risk of re-identification is at most the threshold.",
            (EvidenceKind.THRESHOLD, EvidenceKind.IDENTIFICATION, EvidenceKind.POPULATION),
            (OpenPoint("Whether the people of this trial, or of similar trials, are the population; rare diseases"),),
        ),
        RegimeRequirement(
            "linking", "Possibility to link records", _CHAPTER,
            "Whether records of one person can be linked, also with other published trials.",
            (EvidenceKind.LINKABILITY,),
            (OpenPoint("Other publications about the same trial: registries, journals, press"),),
        ),
        RegimeRequirement(
            "inference", "Possibility to infer information", _CHAPTER,
            "Whether information about a person can be inferred.",
            (EvidenceKind.INFERENCE,),
        ),
        RegimeRequirement(
            "methodology", "Methodology", _CHAPTER,
            "The adversaries that were assumed, the attacks, and their parameters. Published reports are accessible to "
            "everybody.",
            (EvidenceKind.INTRUDERS, EvidenceKind.NOT_RUN, EvidenceKind.RECORD),
        ),
        RegimeRequirement(
            "utility", "Impact on the usefulness of the data", _CHAPTER,
            "How far the data stay useful for the assessment of the trial.",
            (),
            (OpenPoint("Data utility; unmask compare measures what a release of a table is still good for"),),
        ),
        RegimeRequirement(
            "conclusion", "Conclusion", _CHAPTER,
            "The conclusion of the anonymisation report.",
            (EvidenceKind.LIMITS,),
            (OpenPoint("Conclusion of the applicant"), REVIEWER, NEXT_REVIEW),
        ),
    ),
    max_risk=0.09,
)  # fmt: skip
