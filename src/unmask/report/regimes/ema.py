"""Policy 0070 of the European Medicines Agency on the publication of clinical data."""

from __future__ import annotations

from unmask.report.regimes.regime import NEXT_REVIEW, REVIEWER, EvidenceKind, OpenPoint, Regime, RegimeRequirement
from unmask.wording import marked

_CHAPTER = marked("external guidance, chapter 3")

EMA = Regime(
    "ema",
    marked("EMA, Policy 0070"),
    marked(
        "European Medicines Agency, Policy 0070 on the publication of clinical data for medicinal products for human "
        "use, and the external guidance on its implementation (EMA/90915/2016)."
    ),
    marked(
        "For a quantitative assessment the guidance proposes a maximum risk of re-identification of 0.09: no smaller "
        "group than 11. Otherwise it asks for the three criteria: no singling out, no linking, no inference."
    ),
    (
        RegimeRequirement(
            "variables",
            marked("Direct identifiers and quasi-identifiers"),
            _CHAPTER,
            marked("Which variables identify directly, which indirectly, and what became of each."),
            (EvidenceKind.COLUMNS, EvidenceKind.RELEASES),
            (
                OpenPoint(
                    marked(
                        "Direct and quasi-identifiers in narratives, figures and scanned pages, which are no columns"
                    )
                ),
            ),
        ),
        RegimeRequirement(
            "threshold",
            marked("Risk of re-identification, and the threshold"),
            _CHAPTER,
            marked("The risk of re-identification is at most the threshold."),
            (EvidenceKind.THRESHOLD, EvidenceKind.IDENTIFICATION, EvidenceKind.POPULATION),
            (
                OpenPoint(
                    marked("Whether the people of this trial, or of similar trials, are the population; rare diseases")
                ),
            ),
        ),
        RegimeRequirement(
            "linking",
            marked("Possibility to link records"),
            _CHAPTER,
            marked("Whether records of one person can be linked, also with other published trials."),
            (EvidenceKind.LINKABILITY,),
            (OpenPoint(marked("Other publications about the same trial: registries, journals, press")),),
        ),
        RegimeRequirement(
            "inference",
            marked("Possibility to infer information"),
            _CHAPTER,
            marked("Whether information about a person can be inferred."),
            (EvidenceKind.INFERENCE,),
        ),
        RegimeRequirement(
            "methodology",
            marked("Methodology"),
            _CHAPTER,
            marked(
                "The adversaries that were assumed, the attacks, and their parameters. Published reports are "
                "accessible to everybody."
            ),
            (EvidenceKind.INTRUDERS, EvidenceKind.NOT_RUN, EvidenceKind.RECORD),
        ),
        RegimeRequirement(
            "utility",
            marked("Impact on the usefulness of the data"),
            _CHAPTER,
            marked("How far the data stay useful for the assessment of the trial."),
            (),
            (OpenPoint(marked("Data utility; unmask compare measures what a release of a table is still good for")),),
        ),
        RegimeRequirement(
            "conclusion",
            marked("Conclusion"),
            _CHAPTER,
            marked("The conclusion of the anonymisation report."),
            (EvidenceKind.LIMITS,),
            (OpenPoint(marked("Conclusion of the applicant")), REVIEWER, NEXT_REVIEW),
        ),
    ),
    max_risk=0.09,
)
