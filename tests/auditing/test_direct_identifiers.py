"""Direct identifiers, detected by column name and by content."""

from __future__ import annotations

import pytest

from unmask.auditing.direct_identifiers import DirectIdentifier, Identifier, direct_identifier

WORDS = ("red", "green", "blue")


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        ("name", Identifier.NAME), ("LastName", Identifier.NAME), ("Nachname", Identifier.NAME),
        ("prénom", Identifier.NAME), ("apellidos", Identifier.NAME), ("patient_name", Identifier.NAME),
        ("E-Mail", Identifier.EMAIL), ("Telefonnummer", Identifier.PHONE), ("mobile phone", Identifier.PHONE),
        ("Straße", Identifier.ADDRESS), ("home_address", Identifier.ADDRESS), ("IBAN", Identifier.ACCOUNT),
        ("ssn", Identifier.NATIONAL_ID), ("codice fiscale", Identifier.NATIONAL_ID),
        ("Sozialversicherungsnummer", Identifier.NATIONAL_ID), ("ip_address", Identifier.DEVICE),
        ("Patientennummer", Identifier.RECORD_NUMBER), ("patientId", Identifier.RECORD_NUMBER),
        ("Kunden-Nr", Identifier.RECORD_NUMBER), ("mrn", Identifier.RECORD_NUMBER), ("id", Identifier.RECORD_NUMBER),
        ("Fallnummer", Identifier.RECORD_NUMBER), ("Bemerkung", Identifier.FREE_TEXT),
        ("姓名", Identifier.NAME), ("фамилия", Identifier.NAME),
    ],
)  # fmt: skip
def test_names_of_columns(column: str, kind: Identifier):
    """In several languages, in any spelling of a header."""
    assert direct_identifier(column, WORDS, 30) == DirectIdentifier(kind, "name")


@pytest.mark.parametrize(
    "column", ["age", "cost", "ward", "drug_name", "product name", "index", "zip", "diagnosis", "Kosten", "region_id"]
)
def test_ordinary_columns(column: str):
    """A name of a thing is no name of a person."""
    assert direct_identifier(column, WORDS, 30) is None


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["see ada@example.org", "nothing"], Identifier.EMAIL),
        (["DE89 3704 0044 0532 0130 00", "none"], Identifier.ACCOUNT),
        (["123-45-6789", "987-65-4321"], Identifier.NATIONAL_ID),
        (["+49 341 123456", "0341 / 98 76 54"], Identifier.PHONE),
        (["10.0.0.1", "192.168.1.17"], Identifier.DEVICE),
        (["Ada Byron", "von Neumann, János", "Emmy Noether"], Identifier.NAME),
        (["came in with pain in the left knee"], Identifier.FREE_TEXT),
    ],
)
def test_content(values: list[str], kind: Identifier):
    """Whatever the column is called."""
    assert direct_identifier("x", values, len(values)) == DirectIdentifier(kind, "content")


@pytest.mark.parametrize("part", ["a", "a@", "a@-.", "+1", "A-", "Aa'", "A b-", "(", "0-"])
def test_long_cells_are_read_once(part: str):
    """An e-mail address was sought from each letter of a cell to its end: hours for a cell of a megabyte."""
    direct_identifier("x", [part * 500_000], 1)


@pytest.mark.parametrize(
    "values",
    [
        ["2020-01-31", "2021-02-28"], ["02/03/2020", "05.06.2021"],
        ["04103", "04105"], ["1234567.5", "7654321.25"], ["DE00 3704 0044 0532 0130 00"],
        ["20-29", "30-39"], [f"{n}" for n in range(100000000000000, 100000000000900, 7)], [], [""],
    ],
)  # fmt: skip
def test_ordinary_content(values: list[str]):
    """Dates, codes, decimals and ranges are none; nor is what has the form of an IBAN without its check digits."""
    assert direct_identifier("x", values, 1000) is None
