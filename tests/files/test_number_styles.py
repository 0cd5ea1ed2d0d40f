"""Numbers as people write them: decimal commas, thousands separators, typographic minus signs."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unmask.errors import InvalidInputError
from unmask.files.raw import Kind, Raw
from unmask.files.reading import read
from unmask.files.releases import generalized
from unmask.files.roles import Roles


def read_cells(path, cells: Sequence[str], decimal: str | None = None, encoding: str = "utf-8") -> Raw:
    """Write a column of quoted cells to a file, and read it."""
    lines = ["x;row", *(f'"{cell}";{i}' for i, cell in enumerate(cells))]
    path.write_bytes("\n".join(lines).encode(encoding))
    return read(path, decimal=decimal)


def numbers(raw: Raw) -> list[float]:
    """Return the numbers of the column, row by row."""
    column = raw["x"]
    assert column.numbers is not None
    return [float(column.numbers[code]) for code in column.codes]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1.200,5", "1200,5", "7"], [1200.5, 1200.5, 7]),
        (["1.234,50", "0,5"], [1234.5, 0.5]),
        (["1,234.50", "987"], [1234.5, 987]),
        (["1,234,567", "987"], [1234567, 987]),
        (["1.234.567", "1.234"], [1234567, 1234]),
        (["1 234", "987"], [1234, 987]),
        (["1 234,5", "987"], [1234.5, 987]),
        (["1\u00a0234\u00a0567,25", "1\u202f234"], [1234567.25, 1234]),
        (["1'234", "1’234.5"], [1234, 1234.5]),
        (["12,34,567", "1,00,000.5"], [1234567, 100000.5]),
        (["−5", "–3", "2"], [-5, -3, 2]),
        (["1,5E+03", "2"], [1500, 2]),
        ([",5", "-,25"], [0.5, -0.25]),
    ],
)
def test_a_form_with_one_meaning_is_read(tmp_path, cells, expected):
    """Where only one reading fits all cells of the column, it is the reading."""
    assert numbers(read_cells(tmp_path / "data.csv", cells)) == expected


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-8"])
def test_the_encoding_decides_nothing_about_numbers(tmp_path, encoding):
    """`1.234,50` and a space that does not break, in the encodings of spreadsheets."""
    raw = read_cells(tmp_path / "data.csv", ["1.234,50", "1.234", "12,5"], encoding=encoding)
    assert numbers(raw) == [1234.5, 1234, 12.5]
    assert numbers(read_cells(tmp_path / "data.csv", ["1\u00a0234,5", "2"], encoding=encoding)) == [1234.5, 2]


def test_a_comma_that_may_be_either_is_asked_about_and_both_answers_work(tmp_path):
    """`1,234` beside `987`: 1.234 or 1234; never text in alphabetical order."""
    cells = ["1,234", "987"]
    with pytest.raises(InvalidInputError, match=r"Give --decimal , or --decimal \."):
        read_cells(tmp_path / "data.csv", cells)
    assert numbers(read_cells(tmp_path / "data.csv", cells, ".")) == [1234, 987]
    assert numbers(read_cells(tmp_path / "data.csv", cells, ",")) == [1.234, 987]


def test_a_point_that_may_be_either_is_a_decimal_point_and_said_to_be(tmp_path):
    """`1.234` beside `987`: a note; `--decimal ,` makes it a thousand; a decimal comma elsewhere makes it doubtful."""
    cells = ["1.234", "987"]
    raw = read_cells(tmp_path / "data.csv", cells)
    assert numbers(raw) == [1.234, 987]
    assert "1.234 is a decimal number in x; --decimal , would make it a thousand" in raw.notes
    assert numbers(read_cells(tmp_path / "data.csv", cells, ",")) == [1234, 987]
    assert read_cells(tmp_path / "data.csv", cells, ".").notes == ("columns separated by semicolon",)
    assert read_cells(tmp_path / "data.csv", ["1.234", "0.5"]).notes == ("columns separated by semicolon",)
    (tmp_path / "data.csv").write_text("x;y\n1.234;1,5\n987;2\n")
    with pytest.raises(InvalidInputError, match="column 'x' must say what its points mean"):
        read(tmp_path / "data.csv")
    assert numbers(read(tmp_path / "data.csv", decimal=",")) == [1234, 987]


@pytest.mark.parametrize("cells", [["1,5", "1.5"], ["1,234", "1.234"], ["1'234", "1 234"]])
def test_numbers_of_several_forms_are_refused(tmp_path, cells):
    """All cells are numbers, and no one form fits them: one line, without a cell in it."""
    with pytest.raises(InvalidInputError, match="must write its numbers in one form") as caught:
        read_cells(tmp_path / "data.csv", cells)
    assert cells[0] not in str(caught.value)


def test_numbers_among_words_are_marked_as_mixed(tmp_path):
    """`78,5` beside `unbekannt`, and cells of another form than the declared one: text, and said to be."""
    assert read_cells(tmp_path / "data.csv", ["78,5", "unbekannt"])["x"].mixed
    assert read_cells(tmp_path / "data.csv", ["1.234,5", "unbekannt"])["x"].mixed
    declared = read_cells(tmp_path / "data.csv", ["1,5", "2"], ".")["x"]
    assert declared.kind is Kind.TEXT
    assert declared.mixed
    for cell in ("12 %", "€ 1.200,50", "1,234.50 USD", "$5", "(1,234)", "1.234,50-"):
        assert read_cells(tmp_path / "data.csv", [cell, "-"])["x"].mixed
    for cells in (["01234", "030 123"], ["10.0.0.1", "31.12.2019"], ["a", "b"]):
        assert not read_cells(tmp_path / "data.csv", cells)["x"].mixed


def test_numbers_that_a_release_writes_like_text_are_noted(tmp_path):
    """`1.200,5` beside a word is text of its own; plain numbers beside ranges are read, cell by cell."""
    warning = "numbers of another form beside other cells in x: read as text. Write them like 1200.5"
    cases = ["1.200,5", "old"], ["(12)", "old"], ["12 %", "old"], ["20-29", "30", "old"]
    for cells, noted in zip(cases, (True, True, False, False), strict=True):
        notes = generalized(read_cells(tmp_path / "data.csv", cells), Roles.of(quasi=["x"])).notes
        assert (warning in notes) == noted


def test_separated_thousands_are_the_same_numbers_in_every_command(tmp_path):
    """A release with `1.200,5` and `1200,5` has one equivalence class, and a long number keeps its last digit."""
    roles = Roles.of(quasi=["x"])
    assert generalized(read_cells(tmp_path / "data.csv", ["1.200,5", "1200,5"]), roles).release.n_groups == 1
    raw = read_cells(tmp_path / "data.csv", ["9.007.199.254.740.992", "9.007.199.254.740.993"])
    assert raw["x"].labels == ("9007199254740992", "9007199254740993")
    assert raw.notes[1:] == (
        "decimal comma in x; --decimal . would make it text",
        "thousands separators in x: not part of the numbers",
    )


@given(
    st.lists(st.decimals(-(10**9), 10**9, places=2), min_size=1, max_size=8),
    st.sampled_from([(".", ","), (",", "."), (".", " "), (",", "'"), (",", "\u202f")]),
)
def test_law_numbers_are_read_as_they_were_meant(tmp_path_factory, values, signs):
    """Whatever the separators: two decimal places and the decimal sign leave one reading."""
    decimal, separator = signs
    texts = [f"{value:,.2f}".replace(",", "x").replace(".", decimal).replace("x", separator) for value in values]
    raw = read_cells(tmp_path_factory.mktemp("law") / "data.csv", texts, decimal)
    assert numbers(raw) == [float(value) for value in values]


def test_suppressed_cells_leave_the_form_of_numbers_as_it_is(tmp_path):
    """`*` is not published: what is left are numbers, in a quasi-identifier as in a sensitive column."""
    cells = ["1.200,5", "1200,5", "*", "7"]
    raw = read_cells(tmp_path / "data.csv", cells)
    assert raw.notes[1:] == (
        "decimal comma in x; --decimal . would make it text",
        "thousands separators in x: not part of the numbers",
    )
    release = generalized(raw, Roles.of(quasi=["x"])).release
    assert release.n_groups == 3
    assert release.schema["x"].is_numeric
    sensitive = generalized(raw, Roles.of(quasi=["row"], sensitive=["x"])).release
    assert sensitive.schema["x"].values == ("7", "1200.5")
    with pytest.raises(InvalidInputError, match=r"column 'x' must say what its commas mean"):
        read_cells(tmp_path / "data.csv", ["1,234", "*"])
