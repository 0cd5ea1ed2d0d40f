"""Making and checking hierarchies, from Python as from the command line."""

from __future__ import annotations

import pytest

from unmask.commands.hierarchies import check_hierarchy, hierarchy, make_hierarchy
from unmask.errors import InvalidInputError, OutputError
from unmask.hierarchies import Hierarchy

PEOPLE = {"age": [23, 27, 31, 31, 48], "zip": ["13053", "13068", "14850", "14853", "14850"]}


def test_ages_are_put_into_ever_wider_intervals():
    """Five, ten and twenty years; then all values."""
    made = hierarchy("age", PEOPLE, intervals=[5, 10, 20])
    assert made.hierarchy.to_csv().splitlines()[0] == "23;[20, 25);[20, 30);[20, 40);*"
    assert made.checked.labels == (4, 4, 3, 2, 1)
    assert made.checked.fits
    assert made.checked.has_root
    assert not made.checked.crossing


def test_codes_are_masked():
    """From the right; zip codes are text even where they look like numbers."""
    made = hierarchy("zip", {"zip": ["0130", "0148"]}, mask=True)
    assert made.hierarchy.to_csv() == "0130;013*;01**;0***;****\n0148;014*;01**;0***;****\n"


def test_a_file_is_held_against_the_values(tmp_path):
    """Which values it lacks, how many leaves do not occur, which levels cut across each other."""
    file = tmp_path / "zip.csv"
    file.write_text("13053;130**;a;1\n13068;130**;b;2\n14850;148**;b;1\n99999;999**;b;1\n")
    checked = hierarchy("zip", PEOPLE, file=file).checked
    assert checked.lacking == ("14853",)
    assert checked.unused == 1
    assert checked.crossing == (2, 3)
    assert not checked.fits
    assert not checked.has_root
    expected = " ".join(checked.lines())
    for words in ("4 values", "'14853'", "leaves that do not occur: 1", "level 2 cuts across level 1", "add *"):
        assert words in expected


def test_widths_that_cut_across_each_other_are_said_when_they_are_made():
    """Not only when the file is checked later: [0, 25) cuts [20, 30) in two."""
    assert hierarchy("age", PEOPLE, intervals=[10, 20]).checked.warnings() == []
    (warning,) = hierarchy("age", PEOPLE, intervals=[10, 25]).checked.warnings()
    assert warning.startswith("level 2 cuts across level 1")


def test_decimals_lie_in_the_interval_that_their_digits_say():
    """0.6 begins its own interval of width 0.1, and no bound carries binary noise."""
    made = hierarchy("x", {"x": [0.55, 0.6, 0.25, 0.2, 0.3]}, intervals=[0.1])
    assert made.hierarchy.to_csv().splitlines() == [
        "0.2;[0.2, 0.3);*",
        "0.25;[0.2, 0.3);*",
        "0.3;[0.3, 0.4);*",
        "0.55;[0.5, 0.6);*",
        "0.6;[0.6, 0.7);*",
    ]
    assert made.checked.fits


@pytest.mark.parametrize(
    ("rows", "wrong"),
    [
        ("0.6;[0.5, 0.6);*\n", ("0.6", "[0.5, 0.6)")),
        ("20;0-19;*\n", ("20", "0-19")),
        ("30;<30;*\n", ("30", "<30")),
        ("40;30s;*\n", ("40", "30s")),
        ("13053;131**;*\n", ("13053", "131**")),
        ("0130;014*;*\n", ("0130", "014*")),
        ("24;{20, 25};*\n", ("24", "{20, 25}")),
        ("nurse;{doctor, clerk};*\n", ("nurse", "{doctor, clerk}")),
        ("2020-04-01;2020-Q1;*\n", ("2020-04-01", "2020-Q1")),
    ],
)
def test_a_label_that_excludes_its_value_is_refused(rows, wrong):
    """An interval, a range, a mask, a set, a period; a word or a number is a name and refused never."""
    checked = check_hierarchy(Hierarchy.from_csv(rows), [rows.split(";")[0]], column="x")
    assert checked.wrong == (wrong,)
    assert not checked.fits
    assert f"{wrong[0]!r} is under {wrong[1]!r}" in " ".join(checked.lines())
    value = wrong[0]
    for label in ("old", "25", f"{{{value}, x}}", value[:-1] + "*", "*"):
        assert check_hierarchy(Hierarchy.from_rows([(value, label)]), [value]).fits


@pytest.mark.parametrize("lines", ["a;x;*\nb;x\n", "a;*\na;*\n", ""])
def test_a_file_that_is_no_hierarchy_is_named(tmp_path, lines):
    """With a table of ten columns, "line 2 of a hierarchy" is not enough."""
    (tmp_path / "broken.csv").write_text(lines)
    with pytest.raises(InvalidInputError, match=r"^'broken.csv': .*\. (Write|Keep)"):
        make_hierarchy(["a"], file=tmp_path / "broken.csv")


def test_of_many_values_that_are_lacking_five_are_named():
    """The rest is counted."""
    checked = check_hierarchy(Hierarchy.from_csv("a;*\n"), [*"abcdefgh"], column="x")
    assert checked.lines()[1] == "values that are lacking: 7 ('b', 'c', 'd', 'e', 'f', …). Add a line for each"


def test_it_is_written_whole_and_read_back(tmp_path):
    """In ARX's form; a file that stands there is not replaced."""
    made = hierarchy("age", PEOPLE, intervals=[10])
    made.write(tmp_path / "age.csv")
    assert Hierarchy.from_csv((tmp_path / "age.csv").read_text()).to_csv() == made.hierarchy.to_csv()
    assert hierarchy("age", PEOPLE, file=tmp_path / "age.csv").checked.fits
    with pytest.raises(OutputError, match=r"age\.csv' must not exist yet"):
        made.write(tmp_path / "age.csv")


def test_one_way_must_be_given():
    """And it must suit the values."""
    for options, words in (
        ({}, "one way: --intervals, --mask, --preset or --file; got none"),
        ({"mask": True, "intervals": [5]}, "got --intervals and --mask"),
        ({"intervals": []}, "interval widths must be greater than 0"),
        ({"intervals": [5, -1]}, "interval widths must be greater than 0"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            make_hierarchy(["1", "2"], **options)
    with pytest.raises(InvalidInputError, match="'sex' must hold numbers to be put into intervals"):
        make_hierarchy(["f", "m"], column="sex", intervals=[5])
    with pytest.raises(InvalidInputError, match="must have a value"):
        make_hierarchy([], column="sex", mask=True)
    with pytest.raises(InvalidInputError, match="Did you mean 'age'"):
        hierarchy("agee", PEOPLE, mask=True)
