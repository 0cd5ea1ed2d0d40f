"""The anonymisation guidance of the UK Information Commissioner's Office."""

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

_EFFECTIVE = "chapter “How do we ensure anonymisation is effective?”"
_GOVERNANCE = "chapter on accountability and governance"

ICO = Regime(
    "ico",
    "UK ICO, anonymisation guidance",
    "Information Commissioner's Office (UK), guidance on anonymisation, 28 March 2025.",
    "The guidance sets no numerical threshold: the risk of identification must be sufficiently remote, which is a "
    "judgement on the circumstances.",
    (
        RegimeRequirement(
            "singling-out", "Singling out", _EFFECTIVE,
            "Whether one person can be told apart from all others.",
            (EvidenceKind.IDENTIFICATION, EvidenceKind.COLUMNS),
        ),
        RegimeRequirement(
            "linkability", "Linkability", _EFFECTIVE,
            "Whether records about one person can be combined, in this release or with other information.",
            (EvidenceKind.LINKABILITY, EvidenceKind.POPULATION),
            (OpenPoint("Other information that is available to the recipient, and was not given to the audit"),),
        ),
        RegimeRequirement(
            "inferences", "Inferences", _EFFECTIVE,
            "Whether something can be inferred about a person from what is published.",
            (EvidenceKind.INFERENCE,),
        ),
        RegimeRequirement(
            "motivated-intruder", "Motivated intruder test", _EFFECTIVE,
            "Whether a reasonably competent person without special skills, who wishes to identify a person and has "
            "access to ordinary resources, would succeed; the test and its result are recorded.",
            (EvidenceKind.INTRUDERS, EvidenceKind.NOT_RUN),
            (
                OpenPoint(
                    "Attempts by a person with public sources: registers, press, social media, enquiries. The attacks "
                    "above know more statistics than such a person, and less about the place and its people"
                ),
                OpenPoint(
                    "Which of the intruders above are reasonably likely here, and which are only theoretical"
                ),
            ),
        ),
        RegimeRequirement(
            "whose-hands", "In whose hands", _EFFECTIVE,
            "Who may obtain the information, with which other information, and under which controls.",
            (),
            (RECIPIENT, PURPOSE, OpenPoint("Technical and organisational controls at the recipient's")),
        ),
        RegimeRequirement(
            "remote", "Sufficiently remote", _EFFECTIVE,
            "Whether the risk of identification, by all means reasonably likely to be used, is sufficiently remote.",
            (EvidenceKind.LIMITS,),
            (OpenPoint("The judgement, with its reasons: means, cost, time and technology in these circumstances"),),
        ),
        RegimeRequirement(
            "governance", "Governance and review", _GOVERNANCE,
            "Who is responsible, how the decision is documented, and when it is reviewed.",
            (EvidenceKind.RECORD,),
            (REVIEWER, NEXT_REVIEW, OpenPoint("Data protection impact assessment, and the plan for an incident")),
        ),
    ),
)  # fmt: skip
