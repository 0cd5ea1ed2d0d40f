"""roles.toml and the options that override it."""

from __future__ import annotations

import pytest

from unmask.errors import InvalidInputError
from unmask.files.roles import ColumnRole, Roles
from unmask.schema import Missing, Role

EXAMPLE = """
missing = ["-99", "refused"]
[columns]
age       = { role = "quasi-identifier", type = "number", hierarchy = "age.csv" }
education = { role = "quasi-identifier", order = ["HS-grad", "Bachelors", "Masters"] }
hours     = { role = "quasi-identifier", type = "integer", low = 1, high = 99, step = 1 }     # a declared domain
zip       = { role = "quasi-identifier", mask = true }                       # 13012, 1301*, 130**
admitted  = { role = "quasi-identifier", type = "date", levels = ["month", "quarter", "year"] }
diagnosis = { role = "sensitive", harmless = ["none"], limit = { HIV = 0.1 } }
patient   = { role = "person-key" }
[releases.h2]
rename = { condition = "diagnosis" }
"""


@pytest.fixture
def written(tmp_path):
    """Return a function that writes roles.toml and reads it."""

    def write(text: str) -> Roles:
        (tmp_path / "roles.toml").write_text(text)
        return Roles.from_toml(tmp_path / "roles.toml")

    return write


def test_the_example_of_the_contract_is_understood(written, tmp_path):
    """Each line of the documented file means what its comment says."""
    roles = written(EXAMPLE)
    assert roles.missing == ("-99", "refused")
    assert roles.policy is Missing.OWN
    assert roles.having(Role.QUASI_IDENTIFIER) == ["age", "education", "hours", "zip", "admitted"]
    assert roles.of_column("hours") == ColumnRole(role=Role.QUASI_IDENTIFIER, type="integer", low=1, high=99, step=1)
    assert roles.of_column("diagnosis").limit == {"HIV": 0.1}
    assert roles.of_column("unheard of") == ColumnRole()
    assert roles.renamed("h2") == {"condition": "diagnosis"}
    assert roles.renamed("h1") == {}
    assert roles.file("age.csv") == tmp_path / "age.csv"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[colums]\nage = {}", "Did you mean 'columns'"),
        ("[columns]\nage = { rol = 'sensitive' }", "Did you mean 'role'"),
        ("[columns]\nage = { role = 'sensitiv' }", r"'columns.age.role' in roles.toml must be one of .*'sensitive'"),
        ("[columns]\nage = { type = 'int' }", "Did you mean 'integer'"),
        ("[columns]\nage = { step = 0 }", "greater than 0"),
        ("[columns]\nage = { level = 0 }", r"^'columns.age.level' in roles.toml must be at least 1; got 0"),
        ("missing_policy = 'wild'", "Did you mean 'wildcard'"),
        ("[releases.h2]\nrenam = {}", "Did you mean 'rename'"),
        ("[columns", "must be valid TOML"),
    ],
)
def test_a_slip_is_one_line_that_says_what_was_meant(written, text, message):
    """Unknown keys, wrong words, broken syntax."""
    with pytest.raises(InvalidInputError, match=message) as caught:
        written(text)
    assert "\n" not in str(caught.value)


def test_options_go_before_the_file(written, tmp_path, monkeypatch):
    """-s on a column that the file calls quasi-identifier changes that column and no other, and keeps its details."""
    monkeypatch.chdir(tmp_path)
    roles = written(EXAMPLE).with_options(
        sensitive=["age"],
        insensitive=["note"],
        rest="insensitive",
        order=['education=a,"b, c",d'],
        harmless=["diagnosis=cold", "diagnosis=flu"],
        bins=["hours=20,40"],
        level=["ill=block", "job=2"],
        cells=["hours=bands"],
        hierarchy=["zip=zips.csv"],
        missing=["n/a"],
        missing_policy="wildcard",
    )
    assert roles.of_column("age").role is Role.SENSITIVE
    assert roles.of_column("age").hierarchy == "age.csv"
    assert roles.of_column("education").order == ("a", "b, c", "d")
    assert roles.of_column("diagnosis").harmless == ("cold", "flu")
    assert roles.of_column("hours").bins == (20, 40)
    assert roles.of_column("hours").cells == "bands"
    assert [roles.of_column(name).level for name in ("ill", "job")] == ["block", 2]
    assert roles.file(roles.of_column("zip").hierarchy or "") == tmp_path / "zips.csv"
    assert (roles.rest, roles.missing, roles.policy) == ("insensitive", ("n/a",), Missing.WILDCARD)
    assert roles.having(Role.INSENSITIVE) == ["note"]
    assert roles.file("age.csv") == tmp_path / "age.csv"


def test_options_alone_are_enough():
    """-q and -s, nothing else: the everyday call; from Python the values need no `=`."""
    roles = Roles.of(quasi=["age"], sensitive=["d"], order={"age": [1, 2.5]}, harmless={"d": ["none"]})
    assert roles.having(Role.QUASI_IDENTIFIER) == ["age"]
    assert roles.of_column("age").order == ("1", "2.5")
    assert roles.of_column("d").harmless == ("none",)


def test_a_quasi_identifier_that_is_also_sensitive_is_refused():
    """One column, one role: what is asked about cannot be known beforehand."""
    with pytest.raises(InvalidInputError, match="column 'age' must have one role; got quasi-identifier and sensitive"):
        Roles.of(quasi=["age"], sensitive=["age"])


def test_an_option_without_its_column_is_refused():
    """`--order a,b,c` names no column."""
    with pytest.raises(InvalidInputError, match=r"--order must be COLUMN=…; got 'a,b,c'"):
        Roles.of(order=["a,b,c"])


@pytest.mark.parametrize(
    ("ends", "says"),
    [("low = 99\nhigh = 17", "a range whose low is at most its high"), ("high = inf", "finite number")],
)
def test_a_range_rises_and_ends(tmp_path, ends, says):
    """An open end is left out."""
    (tmp_path / "roles.toml").write_text(f'[columns.age]\nrole = "quasi-identifier"\n{ends}\n', encoding="utf-8")
    with pytest.raises(InvalidInputError, match=says):
        Roles.from_toml(tmp_path / "roles.toml")


def test_numbers_in_toml_are_meant_as_they_are_written(written):
    """A code of 16 digits keeps its last one; 1.0 is written as the column's values are."""
    text = '[columns]\ncode = { role = "sensitive", harmless = [9007199254740993, 1.0, 0.5] }\n'
    assert written(text).of_column("code").harmless == ("9007199254740993", "1", "0.5")
