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
from unmask.wording import marked

_GUIDELINE = marked("TEHDAS2, D7.2")

EHDS = Regime(
    "ehds",
    marked("EHDS, secondary use of health data"),
    marked("Regulation (EU) 2025/327 on the European Health Data Space, chapter IV; TEHDAS2, guideline D7.2 (2026)."),
    marked("Neither the regulation nor the guideline is known to set a numerical threshold."),
    (
        RegimeRequirement(
            "format",
            marked("Anonymised format"),
            marked("article 66(2) and (3)"),
            marked("Data are provided in an anonymised format where they suffice for the purpose, else pseudonymised."),
            (),
            (
                PURPOSE,
                OpenPoint(marked("Whether the purpose can be achieved with anonymised data, and the reason if not")),
            ),
        ),
        RegimeRequirement(
            "minimisation",
            marked("Minimisation: who, what, when, where, how"),
            marked("article 66(1); TEHDAS2, D7.2"),
            marked("Only people, columns, periods, places and detail that the purpose needs."),
            (EvidenceKind.RELEASES, EvidenceKind.COLUMNS),
            (OpenPoint(marked("Why the purpose needs each column, in this detail, of these people")),),
        ),
        RegimeRequirement(
            "re-identification",
            marked("Risk of re-identification"),
            _GUIDELINE,
            marked("The risk that a person is re-identified is assessed; for synthetic data as well."),
            (EvidenceKind.IDENTIFICATION, EvidenceKind.POPULATION),
        ),
        RegimeRequirement(
            "inference",
            marked("Risk of inference"),
            _GUIDELINE,
            marked(
                "The risk that something is inferred about a person is assessed, also from several releases together."
            ),
            (EvidenceKind.INFERENCE, EvidenceKind.LINKABILITY),
        ),
        RegimeRequirement(
            "methods",
            marked("Methods"),
            _GUIDELINE,
            marked("The intruders that were assumed, the attacks, their parameters, and what was not tried."),
            (EvidenceKind.INTRUDERS, EvidenceKind.NOT_RUN, EvidenceKind.RECORD),
        ),
        RegimeRequirement(
            "output",
            marked("Output of the secure processing environment"),
            marked("article 73(2)"),
            marked(
                "Users download only non-personal data, also in an anonymised statistical format; downloads are "
                "reviewed."
            ),
            (EvidenceKind.LIMITS,),
            (OpenPoint(marked("Decision of the health data access body on this download")), REVIEWER, NEXT_REVIEW),
        ),
        RegimeRequirement(
            "users",
            marked("No re-identification by users"),
            marked("article 61(3)"),
            marked("Users do not re-identify people, nor try to."),
            (),
            (RECIPIENT, OpenPoint(marked("Data permit, and the measures that enforce it"))),
        ),
    ),
)
