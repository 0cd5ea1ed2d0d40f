"""Bad input: one clear line on standard error, the right exit code, nothing half-written."""

from __future__ import annotations

from pathlib import Path

import pyarrow.csv
import pyarrow.parquet
import pytest

from tests.cli.conftest import MONDRIAN, ROLES, Unmask, people

AUDIT = ("--sanitizer", "mondrian", "--set", "k=2", "-q", "age", "-q", "sex", "-s", "ill", "--seed", "1")


def csv(*lines: str, header: str = "age,sex,ill") -> str:
    """Return a CSV file."""
    return "\n".join([header, *lines]) + "\n"


def varied(n: int = 12) -> list[str]:
    """Return lines that can be published."""
    return [f"{30 + i},{'MF'[i % 2]},{('flu', 'cold', 'flu')[i % 3]}" for i in range(n)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(csv(), "must have at least one row", id="no rows"),
        pytest.param("", "it is empty", id="an empty file"),
        pytest.param("\n\n", "it is empty", id="blank lines"),
        pytest.param(csv("30,M,flu"), "k must be at most the number of rows, 1; got 2", id="one row"),
        pytest.param(
            csv("1,M,2,flu", header="age,sex,age,ill"), "'age' stands there twice", id="two columns of a name"
        ),
        pytest.param(csv("30,M"), "line 2 of 't.csv' must have 3 cells like the header; got 2", id="a cell is missing"),
        pytest.param("30,41,52\n31,42,53\n32,43,54\n", "must name the columns", id="no header"),
    ],
)
def test_a_table_that_cannot_be_audited_is_said_in_one_line(unmask: Unmask, folder: Path, text, expected):
    """Exit code 2; the message tells what to change, and no report appears."""
    (folder / "t.csv").write_text(text)
    ran = unmask("audit", "t.csv", *AUDIT, "--html", "out.html")
    assert ran.code == 2
    assert expected in ran.error
    assert ran.out == ""
    assert [p.name for p in folder.iterdir()] == ["t.csv"]


@pytest.mark.parametrize(
    ("lines", "options"),
    [
        pytest.param(["30,M,flu"] * 6, AUDIT, id="constant columns, every row a duplicate"),
        pytest.param(
            [f"?,{'MF'[i % 2]},{('flu', 'cold')[i // 3]}" for i in range(6)], AUDIT, id="an attribute all missing"
        ),
        pytest.param([f"{30 + i},{'MF'[i % 2]}," for i in range(6)], AUDIT, id="a sensitive column all missing"),
        pytest.param([*varied(), "old,M,flu", "32.5,F,flu"], AUDIT, id="numbers and text in one column"),
        pytest.param(
            ["30,M,flu"], ("--sanitizer", "mondrian", "--set", "k=1", *AUDIT[4:]), id="one row, which is enough"
        ),
    ],
)
def test_a_strange_table_is_audited_all_the_same(unmask: Unmask, folder: Path, lines, options):
    """Other tools crash at these extremes; here they are ordinary, and no number is made up."""
    (folder / "t.csv").write_text(csv(*lines))
    ran = unmask("audit", "t.csv", *options)
    assert ran.code == 0, ran.err
    assert "nan" not in ran.out
    assert "attacked in" in ran.out


def test_mixed_types_are_said(unmask: Unmask, folder: Path):
    """A column of numbers with a word in it is read as text, and the user hears of it."""
    (folder / "t.csv").write_text(csv(*varied(), "old,M,flu"))
    assert "numbers and text beside each other in age" in unmask("audit", "t.csv", *AUDIT).err


def test_odd_names_of_columns_are_names_like_others(unmask: Unmask, folder: Path):
    """A space, a quotation mark, a word of SQL, an accent; through a release folder and back."""
    lines = [f"N{i % 3},{i % 2},{i},x{i % 2},{'flu' if i % 2 else 'cold'}" for i in range(8)]
    (folder / "odd.csv").write_text(csv(*lines, header='Full Name,"a""b",select,é/ü,ill,'.rstrip(",")))
    roles = ("-q", "Full Name", "-q", 'a"b', "-q", "select", "-q", "é/ü", "-s", "ill")
    assert unmask("sanitize", "odd.csv", "mondrian", "--set", "k=2", *roles, "--out", "rel").code == 0
    assert unmask("audit", "odd.csv", "--release", "rel", "--seed", "1").code == 0
    assert unmask("audit", "odd.csv", "--sanitizer", "anatomy", "--set", "l=2", *roles, "--seed", "1").code == 0


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--set", "k=100", *ROLES), "k must be at most the number of rows, 60; got 100"),
        (("--set", "k=0", *ROLES), "k must be a whole number of at least 1; got 0"),
        (("--set", "k=2.5", *ROLES), "must be a whole number; got 2.5"),
        (("--set", "distinct-l=9", *ROLES), "distinct-l"),
        ((*ROLES, "-s", "sex"), "column 'sex' must have one role; got quasi-identifier and sensitive"),
        (("-q", "aeg", "-s", "ill"), "Did you mean 'age'?"),
        (("-s", "ill"), "must have a quasi-identifier column"),
        ((*ROLES, "--missing-policy", "maybe"), "must be one of own, wildcard, exclude"),
        ((*ROLES, "--hierarchy", "age=none.csv"), "no such file"),
        ((*ROLES, "--hierarchy", "age"), "--hierarchy must be COLUMN="),
        ((*ROLES, "--roles", "none.toml"), "'none.toml' must exist; there is no such file"),
        ((*ROLES, "--encoding", "klingon"), "must be one of text that Python knows"),
        ((*ROLES, "--set", "kk=3"), "Did you mean 'k'?"),
        ((*ROLES, "--set", "k"), "--set must be written KEY=VALUE"),
    ],
)
def test_what_does_not_fit_the_table_is_said_with_the_way_out(
    unmask: Unmask, table: Path, folder: Path, options, expected
):
    """Roles, settings and models: exit code 2, and nothing is published."""
    ran = unmask("sanitize", table, "mondrian", *options, "--out", "rel")
    assert ran.code == 2
    assert expected in ran.error
    assert [p.name for p in folder.iterdir()] == ["people.csv"]


def test_l_larger_than_the_number_of_values_is_infeasible(unmask: Unmask, table: Path):
    """Three diagnoses cannot make groups with five; nor can groups of three where half the people have one."""
    anatomy = ("--sanitizer", "anatomy", *ROLES)
    ran = unmask("audit", table, *anatomy, "--set", "l=5")
    assert (ran.code, "l must be at most 3, the values of column 'ill'; got 5" in ran.error) == (2, True)
    ran = unmask("audit", table, *anatomy, "--set", "l=3")
    assert (ran.code, "at most 20 of 60 rows (one in 3)" in ran.error) == (2, True)


def test_values_that_a_hierarchy_lacks_are_counted(unmask: Unmask, table: Path, folder: Path):
    """Column, number and the way out; the value is one of the table."""
    (folder / "sex.csv").write_text("M;*\n")
    ran = unmask("audit", table, *MONDRIAN, "--hierarchy", "sex=sex.csv")
    assert ran.code == 2
    assert "'sex' must list every value of the column; it lacks 1 of 2" in ran.error
    assert "'F'" not in ran.error


@pytest.mark.parametrize("where", ["data", "release", "people", "truth"])
def test_a_truncated_parquet_file_is_recognized(unmask: Unmask, release: Path, table: Path, where):
    """Cut off in the middle of a copy."""
    pyarrow.parquet.write_table(pyarrow.csv.read_csv(table), "whole.parquet")
    content = Path("whole.parquet").read_bytes()
    Path("cut.parquet").write_bytes(content[: len(content) // 2])
    attack = ("attack", "random-worlds", "--release", release, "--people", table)
    ran = {
        "data": lambda: unmask("audit", "cut.parquet", *MONDRIAN),
        "release": lambda: unmask("audit", table, "--release", "cut.parquet", *ROLES),
        "people": lambda: unmask(*attack[:-1], "cut.parquet"),
        "truth": lambda: unmask(*attack, "--truth", "cut.parquet"),
    }[where]()
    assert ran.code == 2
    assert "'cut.parquet' must be a complete Parquet file" in ran.error


@pytest.mark.parametrize(
    "arguments",
    [
        ("audit", ".", *MONDRIAN),
        ("attack", "random-worlds", "--release", "rel", "--people", "."),
        ("attack", "random-worlds", "--release", "rel", "--people", "people.csv", "--truth", "."),
        ("attack", "random-worlds", "--release", "."),
        ("audit", "people.csv", "--release", "rel", "--keep", "."),
        ("audit", "people.csv", "--release", "rel", "--policy", "."),
        ("audit", "people.csv", *MONDRIAN, "--roles", "."),
        ("audit", "people.csv", *MONDRIAN, "--html", "."),
        ("audit", "people.csv", *MONDRIAN, "--html", ".", "--force"),
    ],
)
def test_a_folder_where_a_file_is_expected_is_said(unmask: Unmask, release: Path, arguments):
    """For whatever is read or written; a release may be a folder, but one with a release.json."""
    del release
    ran = unmask(*arguments)
    assert ran.code == 2
    assert "folder" in ran.error or "directory" in ran.error


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--html", "mine.csv"), "must not exist yet"),
        (("--html", "mine.csv", "--force"), "must be a file that unmask may replace"),
        (("--html", "people.csv"), "must be another file than the input 'people.csv'"),
        (("--html", "people.csv", "--force"), "must be another file than the input 'people.csv'"),
        (("--json", "no/out.json"), "must lie in a folder that exists"),
        (("--junit", "people.csv/out.xml"), "must lie in a folder that exists"),
        (("--markdown", "out.md", "--html", "out.md"), "must be different files"),
        (("--people-at-risk", "risk.csv"), "must come with a limit"),
    ],
)
def test_an_output_that_cannot_be_written_is_said_before_the_work(unmask: Unmask, table: Path, options, expected):
    """Nothing is read, nothing is drawn, nothing is written, and no data is lost to --force."""
    before = table.read_text()
    Path("mine.csv").write_text(before)
    ran = unmask("audit", table, *MONDRIAN, *options)
    assert ran.code == 2
    assert expected in ran.error
    assert Path("mine.csv").read_text() == before
    assert table.read_text() == before
    assert sorted(p.name for p in Path().iterdir()) == ["mine.csv", "people.csv"]
    assert "seed" not in ran.err


def test_a_folder_that_may_not_be_written_to_is_said(unmask: Unmask, table: Path, monkeypatch):
    """A test may run as root, who may write anywhere."""
    monkeypatch.setattr("os.access", lambda *_: False)
    ran = unmask("audit", table, *MONDRIAN, "--html", "out.html")
    assert (ran.code, "a folder that you may write to" in ran.error) == (2, True)


def test_an_existing_release_is_replaced_only_by_force(unmask: Unmask, release: Path, table: Path):
    """--force replaces a release; a folder with anything else in it is left alone, before the work as well."""
    again = ("sanitize", table, "mondrian", "--set", "k=5", *ROLES, "--out")
    assert "must not exist yet" in unmask(*again, release).error
    assert unmask(*again, release, "--force").code == 0
    Path("thesis").mkdir()
    Path("thesis/thesis.tex").write_text("years of work")
    ran = unmask(*again, "thesis", "--force")
    assert (ran.code, "holds nothing of ours" in ran.error) == (2, True)
    assert Path("thesis/thesis.tex").read_text() == "years of work"


def test_a_people_file_that_lacks_a_quasi_identifier_knows_less(unmask: Unmask, release: Path):
    """What it does not tell fits everything, and is said; who names the column by -q wants it, and gets an error."""
    Path("lack.csv").write_text("age,zip\n25,01003\n30,01002\n")
    attack = ("attack", "random-worlds", "--release", release, "--people", "lack.csv", "--seed", "1")
    ran = unmask(*attack)
    assert ran.code == 0
    assert "'lack.csv' has no sex: unknown, and fits everything" in ran.err
    ran = unmask(*attack, "-q", "sex")
    assert (ran.code, "quasi-identifier named by -q" in ran.error) == (2, True)
    Path("else.csv").write_text("name\nAnn\n")
    ran = unmask("attack", "random-worlds", "--release", release, "--people", "else.csv")
    assert (ran.code, "must have a quasi-identifier of the releases (age, sex, zip)" in ran.error) == (2, True)


def test_sensitive_columns_of_a_people_file_are_ignored_and_said(unmask: Unmask, release: Path, table: Path):
    """The attack must not see the truth, even where the user hands it over: the beliefs are the same without it."""
    without = "\n".join(line.rpartition(",")[0] for line in table.read_text().splitlines()) + "\n"
    Path("without.csv").write_text(without)
    attack = ("attack", "random-worlds", "--release", release, "--seed", "1", "--people")
    ran = unmask(*attack, table, "--out", "with-truth.csv")
    assert "sensitive in the releases, so not taken from 'people.csv': ill" in ran.err
    assert unmask(*attack, "without.csv", "--out", "without-truth.csv").code == 0
    assert Path("with-truth.csv").read_text() == Path("without-truth.csv").read_text()


def test_a_release_whose_groups_fit_nobody_tells_nothing(unmask: Unmask, release: Path):
    """`attack` leaves beliefs at the prior, warns, ends with 0; in an audit with limits this is not enough: 4."""
    Path("martians.csv").write_text("age,sex,zip\n" + "200,X,99999\n" * 5)
    ran = unmask("attack", "random-worlds", "--release", release, "--people", "martians.csv", "--out", "b.csv")
    assert ran.code == 0
    assert "5 of 5 people fit no group of rel: no target could be attacked" in ran.err
    beliefs = {line.split(",", 1)[1] for line in Path("b.csv").read_text().splitlines()[1:]}
    assert beliefs == {"ill,asthma,0.25,0", "ill,cold,0.25,0", "ill,flu,0.5,0"}  # the shares in the release

    audit = ("audit", "--release", release, "--people", "martians.csv", "--seed", "1")
    assert unmask(*audit).code == 0
    ran = unmask(*audit, "--max-belief", "0.9")
    assert ran.code == 4
    assert "0 of 5 people could be attacked" in ran.out
    assert "NOT DECIDED" in ran.out


def test_a_slip_in_a_name_of_a_file_finds_the_file(unmask: Unmask, table: Path):
    """For tables, releases, policies."""
    assert "Did you mean 'people.csv'?" in unmask("audit", "poeple.csv", *MONDRIAN).error
    assert "no such file" in unmask("audit", table, "--release", "nowhere").error
    assert "no such file" in unmask("audit", table, *MONDRIAN, "--policy", "polcy.toml").error


def test_a_spreadsheet_is_recognized(unmask: Unmask, folder: Path):
    """What it is, and what to do."""
    (folder / "t.xlsx").write_bytes(b"PK\x03\x04" + bytes(100))
    ran = unmask("audit", "t.xlsx", *AUDIT)
    assert (ran.code, "Save it again, or as CSV" in ran.error) == (2, True)


def test_nobody_is_quoted(unmask: Unmask, folder: Path):
    """A broken line is named by its number: the log of a privacy tool is a release too."""
    (folder / "t.csv").write_text(people(5) + "u5,secret-name,1,2\n")
    ran = unmask("audit", "t.csv", *MONDRIAN)
    assert ran.code == 2
    assert "line 7" in ran.error
    assert "secret-name" not in ran.err + ran.out
