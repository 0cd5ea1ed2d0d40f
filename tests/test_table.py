"""Tables: people and their attributes, coded by label, with missing values declared."""

from __future__ import annotations

import numpy as np
import pytest

from unmask.errors import InvalidInputError
from unmask.schema import OUTSIDE, UNKNOWN, Attribute, Categorical, Missing, Numeric, Ordered, Role, Schema
from unmask.table import Table


def ward(**more):
    """Return three patients."""
    return Table.of(
        {"age": [30, 20, 30], "town": ["Ulm", "Bonn", "Ulm"], "ill": ["flu", None, "cold"]},
        quasi=["age", "town"],
        sensitive=["ill"],
        **more,
    )


def test_numbers_become_numbers_and_text_becomes_sorted_labels():
    """Towns are coded alphabetically, ages stay what they are; a diagnosis that is missing is a value of its own."""
    table = ward()
    assert table["age"].tolist() == [30, 20, 30]
    assert table.schema["town"].values == ("Bonn", "Ulm")
    assert table["town"].tolist() == [1, 0, 1]
    assert table.schema["ill"].values == ("cold", "flu", "?")
    assert table["ill"].tolist() == [1, 2, 0]
    assert isinstance(table.schema["age"].domain, Numeric)
    assert table.schema["age"].domain.step == 1


def test_under_the_wildcard_policy_a_missing_diagnosis_is_not_a_value():
    """It is unknown, and counted as such."""
    table = ward(missing=Missing.WILDCARD)
    assert table.schema["ill"].values == ("cold", "flu")
    assert table["ill"].tolist() == [1, UNKNOWN, 0]
    assert table.missing("ill").tolist() == [False, True, False]


def test_under_the_policy_exclude_a_row_with_a_missing_value_is_left_out():
    """Of what is published, that is: the table still has it."""
    assert ward(missing=Missing.EXCLUDED).excluded().tolist() == [False, True, False]
    assert not ward().excluded().any()


def test_a_sensitive_number_is_a_list_of_labels_in_order():
    """Incomes are believed value by value: 10 before 9.5 only if text decided."""
    table = Table.of({"income": [10, 9.5, 200]}, sensitive=["income"])
    assert table.schema["income"].values == ("9.5", "10", "200")
    assert isinstance(table.schema["income"].domain, Ordered)


def test_what_an_intruder_may_know_are_the_quasi_identifiers_but_not_the_one_asked_about():
    """Never the sensitive column; and not the age, if the age is the question."""
    assert ward().visible("ill").schema.names == ("age", "town")
    assert ward().visible("age").schema.names == ("town",)


def test_people_who_look_alike_share_a_profile():
    """The two of 30 from Ulm are one profile; a person without any attribute looks like all others."""
    number, profiles = ward().visible("ill").profiles()
    assert number.tolist() == [1, 0, 1]
    assert profiles["age"].tolist() == [20, 30]
    number, profiles = ward().only([]).profiles()
    assert number.tolist() == [0, 0, 0]
    assert profiles.n_rows == 1


def test_a_missing_value_and_a_value_outside_of_the_domain_are_different_profiles():
    """Unknown, and known to be something else: two people who must not be confused."""
    schema = Schema((Attribute("town", Role.QUASI_IDENTIFIER, Categorical(("Ulm",))),))
    table = Table(schema, {"town": np.array([UNKNOWN, OUTSIDE, UNKNOWN], np.int32)}, 3)
    number, profiles = table.profiles()
    assert number[0] == number[2] != number[1]
    assert profiles.n_rows == 2


def test_columns_align_by_label_never_by_code():
    """Another list of towns in another order; numbers written as text; a town that the other list lacks."""
    theirs = Schema((
        Attribute("town", Role.QUASI_IDENTIFIER, Categorical(("Ulm", "Kiel"))),
        Attribute("age", Role.QUASI_IDENTIFIER, Categorical(("20", "30"))),
        Attribute("job", Role.QUASI_IDENTIFIER, Categorical(("nurse",))),
    ))  # fmt: skip
    aligned = ward().aligned(theirs)
    assert aligned["town"].tolist() == [0, OUTSIDE, 0]
    assert aligned["age"].tolist() == [1, 0, 1]
    assert aligned["job"].tolist() == [UNKNOWN] * 3
    assert aligned.schema["job"].missing is Missing.WILDCARD  # not declared: it matches everything


def test_labels_that_are_numbers_align_with_numbers():
    """Ages read as text are numbers where the release has numbers; what is none fits nothing."""
    table = Table.of({"age": ["30", "old", None]}, quasi=["age"])
    aligned = table.aligned(Schema((Attribute("age", Role.QUASI_IDENTIFIER, Numeric()),)))
    assert aligned["age"][0] == 30
    assert aligned["age"][1] == np.inf
    assert np.isnan(aligned["age"][2])


def test_rows_are_taken_with_all_that_belongs_to_them():
    """Person keys and weights come along; by number or by mark."""
    table = Table(
        ward().schema, ward().columns, 3, person_of=np.array([0, 1, 0], np.int32), weight=np.array([1.0, 2, 3])
    )
    taken = table.take(np.array([2, 0]))
    assert taken["ill"].tolist() == [0, 1]
    assert taken.person_of is not None
    assert taken.person_of.tolist() == [0, 0]
    assert taken.weight is not None
    assert taken.weight.tolist() == [3, 1]
    assert table.take(np.array([True, False, False])).n_rows == 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ward()["twon"], "Did you mean 'town'"),
        (lambda: Table.of({"a": [1]}, quasi=["b"]), "column must be one of a; got 'b'"),
        (lambda: Table(ward().schema, {}, 3), "one column for each attribute"),
        (lambda: Table(ward().schema, ward().columns, 4), "must have 4 rows"),
        (lambda: Table(ward().schema, {**ward().columns, "town": np.array([0, 1, 2])}, 3), "codes of column 'town'"),
        (lambda: Table(ward().schema, ward().columns, 3, person_of=np.array([0])), "person_of must have 3 rows"),
        (
            lambda: Table.of({"size": ["s", "x"]}, quasi=["size"], orders={"size": ["s", "m"]}),
            "it lacks 1 of the 2",
        ),
        (lambda: Schema((Attribute("a", Role.DROP), Attribute("a", Role.DROP))), "got 'a' twice"),
        (lambda: Attribute("", Role.DROP), "must have a name"),
        (lambda: Categorical(("a", "a")), "must be distinct"),
        (lambda: Ordered(("a", "a")), "must be distinct"),
        (lambda: ward().schema["age"].values, "must have listed values; got numbers"),
    ],
)
def test_inconsistent_arguments_are_one_line(make, message):
    """The column, what is required, what came, and the way out."""
    with pytest.raises(InvalidInputError, match=message):
        make()


def test_odd_names_are_names():
    """A blank, a quotation mark, a word of SQL."""
    table = Table.of({"Full Name": ["x"], 'a"b': [1], "select": ["y"]}, quasi=["Full Name", 'a"b', "select"])
    assert table.schema.names == ("Full Name", 'a"b', "select")


def test_a_column_of_which_nothing_is_known_has_no_values():
    """All missing: no domain, no exception."""
    table = Table.of({"age": [None, float("nan")], "ill": ["a", "b"]}, quasi=["age"], sensitive=["ill"])
    assert table.missing("age").all()
    assert table.ranks("age")[1].size == 0


def test_columns_cannot_be_written_to():
    """What was handed over may change afterwards; the table does not."""
    codes = np.array([0, 1], np.int32)
    schema = Schema((Attribute("town", Role.QUASI_IDENTIFIER, Categorical(("Bonn", "Ulm"))),))
    table = Table(schema, {"town": codes}, 2)
    codes[0] = 1
    assert table["town"].tolist() == [0, 1]
    with pytest.raises(ValueError, match="read-only"):
        table["town"][0] = 1


def test_numbers_that_can_only_be_compared_are_the_same_numbers_as_elsewhere():
    """One extreme number makes labels of its column; the others still equal those of a column of numbers."""
    extreme = Table.of({"x": [1.0, 1e20, 1e-7, np.inf, 5]}, quasi=["x"])
    plain = Table.of({"x": [1.0, 1e20, 1e-7, 7.0]}, quasi=["x"])
    assert plain.schema["x"].is_numeric
    assert not extreme.schema["x"].is_numeric
    found = plain.aligned(extreme.schema)["x"]
    assert [extreme.schema["x"].values[code] for code in found[:3]] == ["1", "100000000000000000000", "0.0000001"]
    assert found[3] == OUTSIDE
    assert extreme.aligned(plain.schema)["x"].tolist() == [1.0, 1e20, 1e-7, np.inf, 5.0]
