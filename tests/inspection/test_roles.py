"""Proposed roles: twelve tables against roles that were written down before, and names never tuned on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import unmask
from tests.inspection.acceptable_roles import acceptable, direct_identifiers
from tests.inspection.tables import MADE, PUBLIC, made_table, public_table
from unmask.schema import Role

FIVE_OF_EACH = list(range(5)) * 8


def roles_of(data: Any) -> dict[str, Role]:
    """Return the proposed role of each column."""
    return {one.name: one.role for one in unmask.inspect(data).inspection.columns}


def assert_acceptable(table: str, data: Any) -> None:
    """Check each role, and that no direct identifier is overlooked."""
    proposed = roles_of(data)
    wrong = {name: str(role) for name, role in proposed.items() if role not in acceptable(table)[name]}
    assert wrong == {}
    never_published = {Role.IDENTIFIER, Role.PERSON_KEY, Role.HOUSEHOLD, Role.WEIGHT, Role.DROP}
    assert {name for name in direct_identifiers(table) if proposed[name] not in never_published} == set()


@pytest.mark.parametrize("table", MADE)
def test_roles_of_made_tables_are_acceptable(table: str):
    """Names, e-mails, visits, households and free text; English, German, French and Spanish."""
    assert_acceptable(table, made_table(table))


@pytest.mark.parametrize("table", ["adult", *PUBLIC])
def test_roles_of_public_tables_are_acceptable(table: str, data_folder: Path, tmp_path: Path):
    """Adult, ACS, NIST, diabetes, German credit, FEBRL and sdcMicro's test data."""
    assert_acceptable(table, public_table(table, data_folder, tmp_path))


@pytest.mark.parametrize(
    ("column", "values", "role"),
    [
        ("x", ["male", "female", "female", "male", "male"] * 8, Role.QUASI_IDENTIFIER),
        ("x", ["A00.1", "C34", "E11.9", "J45", "I10"] * 8, Role.SENSITIVE),
        ("x", ["01067", "04103", "04109", "10115", "20095"] * 8, Role.QUASI_IDENTIFIER),
        ("x", [f"K{i:05}" for i in range(40)], Role.IDENTIFIER),
        ("x", list(range(40)), Role.IDENTIFIER),
        ("x", ["2020-01-02", "2020-02-03"] * 20, Role.QUASI_IDENTIFIER),
        ("x", ["02/03/2020", "05/06/2020"] * 20, Role.QUASI_IDENTIFIER),
        ("x", FIVE_OF_EACH, Role.SENSITIVE),
        ("telephone", ["yes", "none"] * 20, Role.SENSITIVE),
        ("admission_type_id", FIVE_OF_EACH, Role.SENSITIVE),
        ("street_number", list(range(20)) * 2, Role.IDENTIFIER),
        ("Hausnr", list(range(20)) * 2, Role.IDENTIFIER),
        ("contact_phone", [f"{n}" for n in range(340_000, 340_020)] * 2, Role.IDENTIFIER),
        ("emergency_contact", [f"Ada {n}" for n in range(20)] * 2, Role.IDENTIFIER),
        ("phone_type", ["mobile", "none", "other", "land"] * 10, Role.SENSITIVE),
        ("Haushaltsnettoeinkommen", FIVE_OF_EACH, Role.SENSITIVE),
        ("Familienstand", FIVE_OF_EACH, Role.QUASI_IDENTIFIER),
        ("fecha_ingreso", FIVE_OF_EACH, Role.QUASI_IDENTIFIER),
        ("Gemeindekennziffer", FIVE_OF_EACH, Role.QUASI_IDENTIFIER),
        ("weight", [70, 81, 92, 63, 54] * 8, Role.QUASI_IDENTIFIER),
        ("weight", [1200 + 31 * i for i in range(40)], Role.QUASI_IDENTIFIER),  # newborns, in grams
        ("weight", [12 + 131 * i for i in range(40)], Role.WEIGHT),
        ("Gewicht", [0.4 + 0.05 * i for i in range(40)], Role.WEIGHT),
        ("wt", [131 * i for i in range(40)], Role.DROP),
        ("weight_kg", [12 + 131 * i for i in range(40)], Role.QUASI_IDENTIFIER),
        ("PWGTP12", [70, 81, 92, 63, 54] * 8, Role.WEIGHT),
        ("survey_wt", [70, 81, 92, 63, 54] * 8, Role.WEIGHT),
        ("final weight", [70, 81, 92, 63, 54] * 8, Role.WEIGHT),
        ("sampling_weight", [70, 81, 92, 63, 54] * 8, Role.WEIGHT),
        ("sampling_weight", [0, 81, 92, 63, 54] * 8, Role.DROP),
        ("Einwohnermeldeort", ["a", "b"] * 20, Role.SENSITIVE),
    ],
)
def test_a_column_is_judged_by_its_values_and_its_name(column: str, values: list[Any], role: Role):
    """What remains is sensitive: an unknown name is no reason to publish a column."""
    assert roles_of({column: values})[column] is role


def test_no_column_is_proposed_to_be_published_unchanged():
    """A rival calls five columns of Adult safe; here only the publisher can say so."""
    for table in MADE:
        assert Role.INSENSITIVE not in roles_of(made_table(table)).values()


def test_a_column_that_determines_a_quasi_identifier_is_one():
    """The density of an area names the area."""
    areas = [f"area {i}" for i in range(6)]
    data = {"district": areas * 10, "q7": [100.5 * (i + 1) for i in range(6)] * 10}
    inspection = unmask.inspect(data).inspection
    assert inspection.columns[1].role is Role.QUASI_IDENTIFIER
    assert inspection.columns[1].proposal.reason == "determines district: publishing it publishes them"
    assert [str(one) for one in inspection.dependencies] == ["district → q7 (and back)", "q7 → district (and back)"]
