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
from unmask.wording import marked

_EFFECTIVE = marked("chapter “How do we ensure anonymisation is effective?”")
_GOVERNANCE = marked("chapter on accountability and governance")

ICO = Regime(
    "ico",
    marked("UK ICO, anonymisation guidance"),
    marked("Information Commissioner's Office (UK), guidance on anonymisation, 28 March 2025."),
    marked(
        "The guidance sets no numerical threshold: the risk of identification must be sufficiently remote, which is a "
        "judgement on the circumstances."
    ),
    (
        RegimeRequirement(
            "singling-out",
            marked("Singling out"),
            _EFFECTIVE,
            marked("Whether one person can be told apart from all others."),
            (EvidenceKind.IDENTIFICATION, EvidenceKind.COLUMNS),
        ),
        RegimeRequirement(
            "linkability",
            marked("Linkability"),
            _EFFECTIVE,
            marked("Whether records about one person can be combined, in this release or with other information."),
            (EvidenceKind.LINKABILITY, EvidenceKind.POPULATION),
            (
                OpenPoint(
                    marked("Other information that is available to the recipient, and was not given to the audit")
                ),
            ),
        ),
        RegimeRequirement(
            "inferences",
            marked("Inferences"),
            _EFFECTIVE,
            marked("Whether something can be inferred about a person from what is published."),
            (EvidenceKind.INFERENCE,),
        ),
        RegimeRequirement(
            "motivated-intruder",
            marked("Motivated intruder test"),
            _EFFECTIVE,
            marked(
                "Whether a reasonably competent person without special skills, who wishes to identify a person and has "
                "access to ordinary resources, would succeed; the test and its result are recorded."
            ),
            (EvidenceKind.INTRUDERS, EvidenceKind.NOT_RUN),
            (
                OpenPoint(
                    marked(
                        "Attempts by a person with public sources: registers, press, social media, enquiries. The "
                        "attacks above know more statistics than such a person, and less about the place and its "
                        "people"
                    )
                ),
                OpenPoint(
                    marked("Which of the intruders above are reasonably likely here, and which are only theoretical")
                ),
            ),
        ),
        RegimeRequirement(
            "whose-hands",
            marked("In whose hands"),
            _EFFECTIVE,
            marked("Who may obtain the information, with which other information, and under which controls."),
            (),
            (RECIPIENT, PURPOSE, OpenPoint(marked("Technical and organisational controls at the recipient's"))),
        ),
        RegimeRequirement(
            "remote",
            marked("Sufficiently remote"),
            _EFFECTIVE,
            marked(
                "Whether the risk of identification, by all means reasonably likely to be used, is sufficiently remote."
            ),
            (EvidenceKind.LIMITS,),
            (
                OpenPoint(
                    marked("The judgement, with its reasons: means, cost, time and technology in these circumstances")
                ),
            ),
        ),
        RegimeRequirement(
            "governance",
            marked("Governance and review"),
            _GOVERNANCE,
            marked("Who is responsible, how the decision is documented, and when it is reviewed."),
            (EvidenceKind.RECORD,),
            (
                REVIEWER,
                NEXT_REVIEW,
                OpenPoint(marked("Data protection impact assessment, and the plan for an incident")),
            ),
        ),
    ),
)
