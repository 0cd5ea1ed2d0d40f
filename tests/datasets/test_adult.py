"""The bundled Adult data: complete, coded as the papers do, and fast to load."""

from __future__ import annotations

import gzip
from importlib import resources

import numpy as np
import pytest

from unmask.datasets.adult import COLUMNS, adult
from unmask.errors import InvalidInputError
from unmask.schema import Numeric, Ordered, Role

QUASI = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country")


def test_adult_has_30162_complete_people():
    """The counts that UCI's users know: 72 ages, 7, 16, 7, 5, 2 and 41 values, 14 occupations."""
    table = adult(quasi=QUASI, sensitive=("occupation",))
    assert table.n_rows == 30_162
    assert [np.unique(table[name]).size for name in QUASI] == [72, 7, 16, 7, 5, 2, 41]
    assert len(table.schema["occupation"].values) == 14
    assert table.schema["occupation"].role is Role.SENSITIVE
    assert not any(table.missing(name).any() for name in table.schema.names)


def test_education_is_in_its_natural_order_and_other_text_in_alphabetical_order():
    """Codes of education rise with education-num, from preschool to the doctorate."""
    table = adult(quasi=("education", "education-num", "race"))
    assert isinstance(table.schema["education"].domain, Ordered)
    np.testing.assert_array_equal(table["education"] + 1, table["education-num"])
    assert table.schema["education"].values[0::15] == ("Preschool", "Doctorate")
    assert table.schema["education-num"].domain == Numeric(step=1.0)
    assert list(table.schema["race"].values) == sorted(table.schema["race"].values)


def test_people_with_missing_values_are_there_when_asked_for():
    """32,561 in all; a missing occupation is a value of its own, a missing country no value at all."""
    table = adult(quasi=("native-country",), sensitive=("occupation", "age"), complete=False)
    assert table.n_rows == 32_561
    assert int(table.missing("native-country").sum()) == 583
    assert table.schema["occupation"].values[-1] == "?"
    assert int((table["occupation"] == 14).sum()) == 1_843
    assert table.schema["age"].values[:2] == ("17", "18")


def test_a_wrong_name_says_what_was_probably_meant():
    """`native_country` is called native-country."""
    with pytest.raises(InvalidInputError, match="Did you mean 'native-country'"):
        adult(quasi=("native_country",))


def test_the_license_and_the_unchanged_values_come_along():
    """CC BY 4.0 asks for attribution; the file is the original with a header and without blanks."""
    folder = resources.files("unmask.datasets")
    assert "CC BY 4.0" in folder.joinpath("LICENSE-adult.txt").read_text(encoding="utf-8")
    lines = gzip.decompress(folder.joinpath("adult.csv.gz").read_bytes()).decode().splitlines()
    assert lines[0] == ",".join(COLUMNS)
    assert len(lines) == 32_562
    assert lines[1].startswith("39,State-gov,77516,Bachelors,13,")


def test_it_is_the_file_that_the_repository_publishes(data_folder):
    """Byte for byte, apart from the header, the blanks and the empty last line."""
    original = gzip.decompress((data_folder / "adult" / "adult.data.gz").read_bytes()).decode()
    bundled = gzip.decompress(resources.files("unmask.datasets").joinpath("adult.csv.gz").read_bytes()).decode()
    assert original.replace(", ", ",").rstrip("\n") == bundled.split("\n", 1)[1].rstrip("\n")
