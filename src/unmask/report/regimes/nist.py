"""NIST SP 800-188 on de-identifying government datasets."""

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

_GUIDE = marked("SP 800-188")

NIST = Regime(
    "nist",
    marked("NIST SP 800-188"),
    marked(
        "National Institute of Standards and Technology, SP 800-188, De-Identifying Government Datasets: Techniques "
        "and Governance, September 2023; SP 800-226 on guarantees of differential privacy, March 2025."
    ),
    marked(
        "The publications set no numerical threshold: an agency adopts a standard with measurable performance levels."
    ),
    (
        RegimeRequirement(
            "goals",
            marked("Goals and data-sharing model"),
            _GUIDE,
            marked(
                "The goals of the release, its risks, and the model of sharing: file, synthetic data, queries, enclave."
            ),
            (),
            (PURPOSE, RECIPIENT, OpenPoint(marked("Data-sharing model, and why it was chosen"))),
        ),
        RegimeRequirement(
            "identifiers",
            marked("Identifiers and quasi-identifiers"),
            _GUIDE,
            marked("Which columns identify directly or indirectly, and how they were transformed."),
            (EvidenceKind.COLUMNS, EvidenceKind.RELEASES),
        ),
        RegimeRequirement(
            "performance",
            marked("Standard with measurable performance"),
            _GUIDE,
            marked("The performance levels that the release must meet, and whether it does."),
            (EvidenceKind.LIMITS,),
            (OpenPoint(marked("The agency's de-identification standard, from which the limits follow")),),
        ),
        RegimeRequirement(
            "study",
            marked("Re-identification study"),
            _GUIDE,
            marked("An attempt to identify people and to learn about them, with its method and its result."),
            (
                EvidenceKind.IDENTIFICATION,
                EvidenceKind.POPULATION,
                EvidenceKind.INFERENCE,
                EvidenceKind.LINKABILITY,
                EvidenceKind.INTRUDERS,
                EvidenceKind.NOT_RUN,
            ),
        ),
        RegimeRequirement(
            "formal-privacy",
            marked("Formal privacy"),
            marked("SP 800-226"),
            marked(
                "Of differential privacy: ε, δ, the mechanism, the neighboring relation, and the total of all releases."
            ),
            (),
            (OpenPoint(marked("Budget of all releases (unmask ledger check), and tests of ε, where one is claimed")),),
        ),
        RegimeRequirement(
            "board",
            marked("Disclosure review board"),
            _GUIDE,
            marked("Who oversees the process and takes the decision."),
            (),
            (OpenPoint(marked("Decision of the board")), REVIEWER, NEXT_REVIEW),
        ),
        RegimeRequirement(
            "evidence-file",
            marked("Evidence file"),
            _GUIDE,
            marked("Methods, parameters, software and inputs, so that the study can be repeated."),
            (EvidenceKind.RECORD,),
        ),
    ),
)
