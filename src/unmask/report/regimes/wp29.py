"""Opinion 05/2014 of the Article 29 Working Party on anonymisation techniques."""

from __future__ import annotations

from unmask.report.regimes.regime import (
    NEXT_REVIEW,
    RECIPIENT,
    REVIEWER,
    EvidenceKind,
    OpenPoint,
    Regime,
    RegimeRequirement,
)
from unmask.wording import marked

_TECHNIQUES = marked("section 3")
_CONCLUSIONS = marked("sections 2 and 5")

WP29 = Regime(
    "wp29",
    marked("EU, Article 29 Working Party, Opinion 05/2014"),
    marked(
        "Article 29 Data Protection Working Party, Opinion 05/2014 on anonymisation techniques (WP216), 10 April 2014."
    ),
    marked(
        "The opinion sets no numerical threshold. Where one of the three risks is not excluded, it asks for a thorough "
        "evaluation of the risk of identification."
    ),
    (
        RegimeRequirement(
            "singling-out",
            marked("Singling out"),
            _TECHNIQUES,
            marked("Is it still possible to isolate some or all records of an individual?"),
            (EvidenceKind.IDENTIFICATION, EvidenceKind.COLUMNS),
        ),
        RegimeRequirement(
            "linkability",
            marked("Linkability"),
            _TECHNIQUES,
            marked("Is it still possible to link records about an individual, in one database or in several?"),
            (EvidenceKind.LINKABILITY, EvidenceKind.POPULATION),
            (OpenPoint(marked("Other databases about the same people, and which of them were given to the audit")),),
        ),
        RegimeRequirement(
            "inference",
            marked("Inference"),
            _TECHNIQUES,
            marked(
                "Can information about an individual be deduced, with significant probability, from other attributes?"
            ),
            (EvidenceKind.INFERENCE,),
        ),
        RegimeRequirement(
            "means",
            marked("Means likely reasonably to be used"),
            _CONCLUSIONS,
            marked("Which means the controller or a third party may use, at the present state of technology."),
            (EvidenceKind.INTRUDERS, EvidenceKind.NOT_RUN),
            (RECIPIENT, OpenPoint(marked("Which of these intruders are realistic, and which are only theoretical"))),
        ),
        RegimeRequirement(
            "technique",
            marked("Technique and its parameters"),
            _CONCLUSIONS,
            marked("The technique that was applied, its parameters, and what it does not protect against."),
            (EvidenceKind.RELEASES, EvidenceKind.RECORD),
            (OpenPoint(marked("Whether the original data are deleted, or kept apart, by whom and for what")),),
        ),
        RegimeRequirement(
            "residual-risk",
            marked("Residual risk and review"),
            _CONCLUSIONS,
            marked("Identify new risks, and re-evaluate the residual risk regularly."),
            (EvidenceKind.LIMITS,),
            (OpenPoint(marked("Assessment of the residual risk, with its reasons")), REVIEWER, NEXT_REVIEW),
        ),
    ),
)
