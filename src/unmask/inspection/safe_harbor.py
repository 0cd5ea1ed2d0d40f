"""HIPAA Safe Harbor, column by column: the 18 kinds of identifiers, and what must become of each.

45 CFR 164.514(b)(2)(i), with the guidance of the Office for Civil Rights (2012) on postcodes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from unmask.auditing.direct_identifiers import Identifier, words_of
from unmask.files.raw import Kind
from unmask.inspection.column_profiles import ColumnProfile
from unmask.inspection.field_knowledge import Topic
from unmask.inspection.proposals import Proposal
from unmask.number_format import numeral
from unmask.schema import Role
from unmask.wording import marked, message

KINDS: Mapping[str, str] = {
    "A": marked("names"),
    "B": marked("geographic subdivisions smaller than a state"),
    "C": marked("dates (except the year), and ages above 89"),
    "D": marked("telephone numbers"),
    "E": marked("fax numbers"),
    "F": marked("e-mail addresses"),
    "G": marked("social security numbers"),
    "H": marked("medical record numbers"),
    "I": marked("health plan beneficiary numbers"),
    "J": marked("account numbers"),
    "K": marked("certificate and license numbers"),
    "L": marked("vehicle identifiers and license plates"),
    "M": marked("device identifiers and serial numbers"),
    "N": marked("web addresses (URLs)"),
    "O": marked("IP addresses"),
    "P": marked("biometric identifiers"),
    "Q": marked("full-face photographs"),
    "R": marked("any other unique number, characteristic or code"),
}
"""The kinds by the letter of the paragraph."""

SMALL_ZIP3 = (
    "036", "059", "063", "102", "203", "556", "692", "790", "821", "823", "830", "831", "878", "879", "884", "890",
    "893",
)  # fmt: skip
"""Three-digit prefixes of at most 20,000 people by the census of 2000, as the guidance lists them: 000 instead."""

OLDEST = 89
"""The highest age that may be published; all above are one category, 90 or older."""

_STATES = ("state", "country", "land", "pays", "pais", "bundesland", "native country", "nationality")
_BY_NAME = {
    "B": ("birth place", "place of birth", "geburtsort", "lieu de naissance", "lugar de nacimiento", "pobp"),
    "E": ("fax",), "I": ("beneficiary", "health plan", "insurance number", "versichertennummer", "member id"),
    "K": ("license", "licence", "certificate", "fuhrerschein", "permis"),
    "L": ("plate", "vin", "vehicle", "kennzeichen", "immatriculation", "matricula"),
    "M": ("device", "imei", "serial", "mac address"), "N": ("url", "website", "homepage", "web"),
    "P": ("fingerprint", "biometric", "iris", "voice", "retina"), "Q": ("photo", "image", "picture", "foto"),
}  # fmt: skip
_BY_TOPIC: Mapping[Topic | Identifier | None, str] = {
    Identifier.NAME: "A", Identifier.ADDRESS: "B", Topic.POSTCODE: "B", Topic.PLACE: "B", Topic.DATE: "C",
    Topic.BIRTH: "C", Topic.AGE: "C", Identifier.PHONE: "D", Identifier.EMAIL: "F", Identifier.NATIONAL_ID: "G",
    Identifier.RECORD_NUMBER: "H", Identifier.ACCOUNT: "J", Identifier.DEVICE: "O", Identifier.FREE_TEXT: "R",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class SafeHarbor:
    """The kind of a column, and what Safe Harbor asks of it."""

    letter: str
    remedy: str

    @property
    def kind(self) -> str:
        """The kind in words."""
        return KINDS[self.letter]


def safe_harbor(one: ColumnProfile, proposal: Proposal) -> SafeHarbor | None:
    """Return which of the 18 kinds a column seems to hold, and the remedy; None: none that is recognized."""
    words = words_of(one.name)
    letter = next((key for key, names in _BY_NAME.items() if any(f" {n} " in f" {words} " for n in names)), None)
    letter = letter or _BY_TOPIC.get(proposal.topic)
    if letter == "B":
        return None if words in _STATES else SafeHarbor("B", _place(one, proposal))
    if letter == "C":
        return _date(one, proposal)
    if letter is None and proposal.role in {Role.IDENTIFIER, Role.PERSON_KEY}:
        letter = "R"
    return None if letter is None else SafeHarbor(letter, marked("remove it"))


def _place(one: ColumnProfile, proposal: Proposal) -> str:
    if proposal.topic is not Topic.POSTCODE:
        return marked("remove it, or generalize it to the state")
    small = sum(text[:3] in SMALL_ZIP3 for text in one.values)
    if not small:
        return marked("three digits, where more than 20,000 people live under them; else 000")
    return message(
        "three digits, where more than 20,000 people live under them; else 000: {n} of the values begin with one of "
        "those that the guidance lists",
        n=small,
    )


def _date(one: ColumnProfile, proposal: Proposal) -> SafeHarbor | None:
    numbers = one.column.numbers
    if proposal.topic is Topic.AGE:
        if numbers is None:
            return SafeHarbor("C", marked("ages above 89 become 90 or older"))
        old = int((numbers[one.column.codes[one.column.codes >= 0]] > OLDEST).sum())
        found = message("ages above 89 become 90 or older: {n} rows", n=numeral(old))
        return SafeHarbor("C", found) if old else None
    only_years = one.column.kind is Kind.INTEGER and numbers is not None and bool(np.ptp(numbers) < 300)
    if only_years:
        years = marked("years that imply an age above 89: pool them")
        return None if proposal.topic is Topic.DATE else SafeHarbor("C", years)
    return SafeHarbor("C", marked("the year only; years that imply an age above 89: pool them"))
