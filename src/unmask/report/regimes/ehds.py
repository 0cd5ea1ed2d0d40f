"""Secondary use of health data under the European Health Data Space."""

from __future__ import annotations

from unmask.report.regimes.regime import (
    NEXT_REVIEW,
    PURPOSE,
    RECIPIENT,
    REVIEWER,
    EvidenceKind,
    OpenPoint,
    Regime,
    RegimeRequirement,
)

_GUIDELINE = "TEHDAS2, D7.2"

EHDS = Regime(
    "ehds",
    "EHDS, secondary use of health data",
    "Regulation (EU) 2025/327 on the European Health Data Space, chapter IV; TEHDAS2, guideline D7.2 (2026).",
    "Neither the regulation nor the guideline is known to set a numerical threshold.",
    (
        RegimeRequirement(
            "format", "Anonymised format", "article 66(2) and (3)",
            "Data are provided in an anonymised format where they suffice for the purpose, else pseudonymised.",
            (),
            (PURPOSE, OpenPoint("Whether the purpose can be achieved with anonymised data, and the reason if not")),
        ),
        RegimeRequirement(
            "minimisation", "Minimisation: who, what, when, where, how", f"article 66(1); {_GUIDELINE}",
            "Only people, columns, periods, places and detail that the purpose needs.",
            (EvidenceKind.RELEASES, EvidenceKind.COLUMNS),
            (OpenPoint("Why the purpose needs each column, in this detail, of these people"),),
        ),
        RegimeRequirement(
            "re-identification", "Risk of re-identification", _GUIDELINE,
            "The risk that a person is re-identified is assessed; for synthetic data as well.",
            (EvidenceKind.IDENTIFICATION, EvidenceKind.POPULATION),
        ),
        RegimeRequirement(
            "inference", "Risk of inference", _GUIDELINE,
            "The risk that something is inferred about a person is assessed, also from several releases together.",
            (EvidenceKind.INFERENCE, EvidenceKind.LINKABILITY),
        ),
        RegimeRequirement(
            "methods", "Methods", _GUIDELINE,
            "The intruders that were assumed, the attacks, their parameters, and what was not tried.",
            (EvidenceKind.INTRUDERS, EvidenceKind.NOT_RUN, EvidenceKind.RECORD),
        ),
        RegimeRequirement(
            "output", "Output of the secure processing environment", "article 73(2)",
            "Users download only non-personal data, also in an anonymised statistical format; downloads are reviewed.",
            (EvidenceKind.LIMITS,),
            (OpenPoint("Decision of the health data access body on this download"), REVIEWER, NEXT_REVIEW),
        ),
        RegimeRequirement(
            "users", "No re-identification by users", "article 61(3)",
            "Users do not re-identify people, nor try to.",
            (),
            (RECIPIENT, OpenPoint("Data permit, and the measures that enforce it")),
        ),
    ),
)  # fmt: skip
