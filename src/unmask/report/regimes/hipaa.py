"""The de-identification standard of the HIPAA Privacy Rule."""

from __future__ import annotations

from unmask.report.regimes.regime import NEXT_REVIEW, RECIPIENT, EvidenceKind, OpenPoint, Regime, RegimeRequirement
from unmask.wording import marked

HIPAA = Regime(
    "hipaa",
    marked("HIPAA, de-identification of health information"),
    marked(
        "45 CFR 164.514(a) to (c), with the guidance of the Office for Civil Rights of 26 November 2012. One of the "
        "two methods suffices: Safe Harbor, or expert determination."
    ),
    marked(
        "Safe Harbor names 18 identifiers, postcodes of areas with at most 20,000 people, and ages above 89. Expert "
        "determination asks for a very small risk and sets no number; smallest cells of 3, 5, 11 and 20 people have "
        "been used elsewhere."
    ),
    (
        RegimeRequirement(
            "safe-harbor",
            marked("Safe Harbor: the 18 identifiers"),
            marked("45 CFR 164.514(b)(2)(i)"),
            marked(
                "The 18 kinds of identifiers of the individual, of relatives, employers and household members are "
                "removed."
            ),
            (EvidenceKind.SAFE_HARBOR, EvidenceKind.COLUMNS),
            (
                OpenPoint(
                    marked("Identifiers that neither the name nor the content of a column reveals, also in free text")
                ),
                OpenPoint(
                    marked(
                        "Three-digit postcodes with at most 20,000 people by current census data; this check has the "
                        "list of the census of 2000"
                    )
                ),
            ),
        ),
        RegimeRequirement(
            "actual-knowledge",
            marked("Safe Harbor: no actual knowledge"),
            marked("45 CFR 164.514(b)(2)(ii)"),
            marked("The covered entity does not know that the information could be used to identify an individual."),
            (),
            (OpenPoint(marked("Statement of the covered entity; what the attacks below found is knowledge")),),
        ),
        RegimeRequirement(
            "very-small-risk",
            marked("Expert determination: very small risk"),
            marked("45 CFR 164.514(b)(1)(i)"),
            marked(
                "The risk is very small that an anticipated recipient could identify an individual, with the "
                "information alone or with other reasonably available information."
            ),
            (EvidenceKind.IDENTIFICATION, EvidenceKind.POPULATION, EvidenceKind.LINKABILITY, EvidenceKind.INFERENCE),
            (
                RECIPIENT,
                OpenPoint(marked("Other reasonably available information")),
                OpenPoint(marked("The expert's determination")),
            ),
        ),
        RegimeRequirement(
            "documentation",
            marked("Expert determination: methods and results"),
            marked("45 CFR 164.514(b)(1)(ii)"),
            marked("The methods and results of the analysis that justify the determination are documented."),
            (
                EvidenceKind.RELEASES,
                EvidenceKind.INTRUDERS,
                EvidenceKind.NOT_RUN,
                EvidenceKind.LIMITS,
                EvidenceKind.RECORD,
            ),
        ),
        RegimeRequirement(
            "expert",
            marked("Expert determination: the expert"),
            marked("45 CFR 164.514(b)(1)"),
            marked(
                "A person with appropriate knowledge of and experience with generally accepted statistical and "
                "scientific principles and methods."
            ),
            (),
            (OpenPoint(marked("Name, qualification and signature of the expert"), "reviewer"), NEXT_REVIEW),
        ),
        RegimeRequirement(
            "codes",
            marked("Codes for re-identification"),
            marked("45 CFR 164.514(c)"),
            marked(
                "A code assigned to a record is not derived from information about the individual, and its mechanism "
                "is not disclosed."
            ),
            (),
            (OpenPoint(marked("How published codes or pseudonyms were made, and who holds the key")),),
        ),
    ),
)
