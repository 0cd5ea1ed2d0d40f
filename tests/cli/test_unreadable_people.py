"""People whose record could not be compared with the release: a failure to read, which is not safety."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Unmask

pytestmark = pytest.mark.usefixtures("no_advice")

COLUMNS = ("-q", "age", "-q", "sex", "-s", "dx", "--seed", "1")
WORDS = {20: "twenties", 30: "thirties", 40: "forties", 50: "fifties"}


def table(band: dict[int, str] | None) -> str:
    """Return 40 people aged 20 to 59, and 80 whose age is `N`; with ages in bands of ten years."""
    lines = ["age,sex,dx"]
    for i in range(40):
        age = 20 + i
        lines.append(f"{age if band is None else band[age // 10 * 10]},f,{'abcd'[i // 10]}")
    lines += [f"N,{'f' if i < 40 else 'm'},{'abcd'[i % 4]}" for i in range(80)]
    return "\n".join(lines) + "\n"


@pytest.fixture
def files(folder: Path) -> Path:
    """Write the table, releases of it in two notations, and a policy."""
    (folder / "o.csv").write_text(table(None))
    (folder / "r.csv").write_text(table({low: f"{low}-{low + 9}" for low in WORDS}))
    (folder / "w.csv").write_text(table(WORDS))
    (folder / "pol.toml").write_text("[limits]\nmax_risk = 0.09\n")
    return folder


@pytest.mark.usefixtures("files")
def test_bands_beside_a_word_are_read(unmask: Unmask):
    """The stated values: risk 0.1, and 40 exposed; it was WITHIN THE LIMITS, since no band was read."""
    for missing in ((), ("--missing", "N")):
        ran = unmask("audit", "o.csv", "--release", "r.csv", *COLUMNS, "--policy", "pol.toml", *missing)
        assert ran.code == 1
        assert "the largest re-identification risk is 0.1; the limit is 0.09" in " ".join(ran.out.split())
    limits = ("--max-belief", "0.5", "--tolerate", "1%", "--attack", "random-worlds", "--json", "out.json")
    assert unmask("audit", "o.csv", "--release", "r.csv", *COLUMNS, *limits).code == 1
    attacks = json.loads(Path("out.json").read_text())["attacks"]
    (attack,) = (one for one in attacks if one["exposed"] and one["location"] == "attributes")
    assert attack["exposed"]["value"] == 40
    assert attack["unplaced"] == []


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("limits", "code"),
    [
        (("--policy", "pol.toml"), 4),
        (("--max-belief", "0.5", "--tolerate", "1%"), 4),
        (("--max-belief", "0.5", "--tolerate", "39"), 4),
        (("--max-belief", "0.5", "--tolerate", "40"), 0),
        (("--max-belief", "0.2", "--tolerate", "79"), 1),
        (("--policy", "strict.toml"), 1),
    ],
)
def test_people_whom_no_cell_fits_leave_the_verdict_open(unmask: Unmask, files: Path, limits, code):
    """Unless so many are tolerated, or the limit is broken without them."""
    (files / "strict.toml").write_text("[limits]\nmax_risk = 0.02\n")
    ran = unmask("audit", "o.csv", "--release", "w.csv", *COLUMNS, *limits, "--attack", "random-worlds", "--attack",
                 "linkage")  # fmt: skip
    assert ran.code == code, ran.out
    assert ran.out.startswith({0: "WITHIN THE LIMITS", 1: "A LIMIT IS BROKEN", 4: "NOT DECIDED"}[code])


@pytest.mark.usefixtures("files")
def test_the_message_names_the_column_both_notations_and_the_way_out(unmask: Unmask):
    """Also in every report; of people only how they write is shown, and the way out leads out."""
    written = ("--json", "out.json", "--junit", "out.xml", "--html", "out.html", "--markdown", "out.md")
    ran = unmask("audit", "o.csv", "--release", "w.csv", *COLUMNS, "--policy", "pol.toml", *written)
    expected = (
        "40 of 120 rows fit no group of w: column 'age' is published like 'fifties', and they have values like '99'. "
        "Write both alike, or say which values a cell stands for: --hierarchy age=FILE"
    )
    assert expected in " ".join(ran.out.split())
    assert expected in ran.err
    report = json.loads(Path("out.json").read_text())
    assert any(expected in why for why in report["why"])
    (linkage,) = (one for one in report["attacks"] if one["name"] == "linkage" and one["ran"])
    assert linkage["unreadable"] == 40
    column = {"column": "age", "people": 40, "cell": "fifties", "value": "99"}
    assert linkage["unplaced"] == [{"release": "w", "people": 40, "unreadable": 40, "columns": [column]}]
    for file in ("out.html", "out.md"):
        assert "fifties" in Path(file).read_text()
    assert "not decided" in Path("out.xml").read_text()

    leaves = [f"{age};{WORDS[age // 10 * 10]};*" for age in range(20, 60)]
    Path("ages.csv").write_text("\n".join([*leaves, "N;N;*"]) + "\n")
    ran = unmask(
        "audit", "o.csv", "--release", "w.csv", *COLUMNS, "--policy", "pol.toml", "--hierarchy", "age=ages.csv"
    )
    assert ran.code == 1
    assert "the largest re-identification risk is 0.1" in " ".join(ran.out.split())


@pytest.mark.parametrize(
    ("band", "remedy", "declared"),
    [
        ("{}/{}", "cells = \"bands\" for 'age' in roles.toml", 'age = { cells = "bands" }'),
        ("{},0-{},0", "--decimal ,", ""),
    ],
)
@pytest.mark.usefixtures("files")
def test_the_way_out_is_the_option_that_reads_the_cells(unmask: Unmask, files: Path, band, remedy, declared):
    """`20/29` may be a fraction, `20,0-29,0` has a decimal comma: with the option every person fits."""
    (files / "r.csv").write_text(table({low: f'"{band.format(low, low + 9)}"' for low in WORDS}))
    ran = unmask("audit", "o.csv", "--release", "r.csv", *COLUMNS, "--policy", "pol.toml")
    assert ran.code == 4
    assert f"or say which values a cell stands for: {remedy}" in " ".join(ran.out.split())
    if declared:
        (files / "roles.toml").write_text(f"[columns]\n{declared}\n")
    option = () if declared else tuple(remedy.split())
    ran = unmask("audit", "o.csv", "--release", "r.csv", *COLUMNS, "--policy", "pol.toml", *option)
    assert ran.code == 1
    assert "fit no group" not in ran.out
    assert "age: 4 bands, 1 word: N" in ran.err


@pytest.mark.parametrize(
    ("published", "theirs", "alike"),
    [
        (("31", "86"), "99", True),
        (("20-29", "30-39"), "99", True),
        (("20-29", "5"), "41.5", True),
        (("Ma", "Fe"), "Di", True),
        (("twenties", "thirties"), "25", False),
        (("Male", "Female"), "W", False),
        (("011", "101"), "11", False),
    ],
)
def test_values_that_are_not_in_a_release_are_no_difference_of_spelling(
    unmask: Unmask, folder: Path, published, theirs, alike
):
    """Numbers beside other numbers were called published like 86, and having values like 99."""
    rows = "".join(f"{cell},{dx}\n" for cell in published for dx in "aab" * 5)
    (folder / "r.csv").write_text("x,dx\n" + rows)
    (folder / "p.csv").write_text(f"x,dx\n{theirs},a\n")
    ran = unmask("audit", "p.csv", "--release", "r.csv", "-q", "x", "-s", "dx", "--max-belief", "0.9", "--seed", "1")
    assert ran.code == 4
    assert ("no cell of column 'x' stands for their value. Leave out who is not in it" in ran.err) is alike
    assert ("column 'x' is published like" in ran.err) is not alike


def test_a_column_of_missing_cells_is_not_published_like_a_star(unmask: Unmask, folder: Path):
    """A star fits all people; a missing cell fits no person with a value, unless the policy differs."""
    (folder / "r.csv").write_text("x,y,dx\n" + "NA,1,a\nNA,1,b\nNA,2,a\nNA,2,b\n" * 3)
    (folder / "p.csv").write_text("x,y,dx\nu,1,a\nv,2,b\nu,3,a\n")
    options = ("audit", "p.csv", "--release", "r.csv", "-q", "x", "-q", "y", "-s", "dx", "--max-belief", "0.9")
    ran = unmask(*options)
    assert ran.code == 4
    assert "all cells of column 'x' are missing, and they have a value; no cell of column 'y' stands for" in ran.err
    assert "the value of 1 of them. Where missing cells were suppressed, say --missing-policy wildcard" in ran.err
    assert "1 of 3 rows fit no group" in unmask(*options, "--missing-policy", "wildcard").err


@pytest.mark.usefixtures("files")
def test_suppressed_people_are_not_unreadable(unmask: Unmask):
    """Left out, or published as rows of stars: of them there is nothing to read."""
    header, *lines = table({low: f"{low}-{low + 9}" for low in WORDS}).splitlines()
    Path("fewer.csv").write_text("\n".join([header, *lines[10:]]) + "\n")  # the ten youngest are left out
    Path("starred.csv").write_text("\n".join([header, *["*,*,*"] * 10, *lines[10:]]) + "\n")
    for release in ("fewer.csv", "starred.csv"):
        ran = unmask("audit", "o.csv", "--release", release, *COLUMNS, "--max-belief", "0.5", "--tolerate", "30")
        assert ran.code == 0, ran.out
    header, *lines = table(WORDS).splitlines()
    Path("both.csv").write_text("\n".join([header, *lines[10:]]) + "\n")  # and thirty are unreadable
    limits = ("--max-belief", "0.5", "--tolerate", "29", "--attack", "random-worlds", "--json", "out.json")
    assert unmask("audit", "o.csv", "--release", "both.csv", *COLUMNS, *limits).code == 4
    attacks = json.loads(Path("out.json").read_text())["attacks"]
    (attack,) = (one for one in attacks if one["exposed"] and one["location"] == "attributes")
    assert (attack["unplaced"][0]["people"], attack["unreadable"]) == (40, 30)


def test_suppressed_people_of_a_folder_are_counted_by_the_folder(unmask: Unmask, folder: Path):
    """With what was kept back it is known who they are; without, how many."""
    (folder / "o.csv").write_text(
        "age,sex,dx\n" + "".join(f"{20 + i % 10},f,{'ab'[i // 10 % 2]}\n" for i in range(40)) + "90,m,a\n"
    )
    made = unmask("sanitize", "o.csv", "local-suppression", "--set", "k=3", "-q", "age", "-q", "sex", "-s", "dx",
                  "--out", "rel", "--keep", "keep.json", "--force")  # fmt: skip
    assert made.code == 0, made.err
    made = unmask("sanitize", "o.csv", "record-suppression", "--set", "k=3", "-q", "age", "-q", "sex", "-s", "dx",
                  "--out", "gone", "--keep", "gone.json")  # fmt: skip
    assert made.code == 0, made.err
    for release, keep in (("rel", "keep.json"), ("gone", "gone.json")):
        for kept in ((), ("--keep", keep)):
            ran = unmask("audit", "o.csv", "--release", release, *kept, "--max-belief", "0.8", "--seed", "1")
            assert ran.code == 0, ran.out


@pytest.mark.usefixtures("files")
def test_nobody_at_the_belief_limit_needs_no_control(unmask: Unmask):
    """Whose row is whose is not known, so nothing can be left out; but there is nothing to exceed either."""
    limits = ("--max-belief", "0.99", "--excess", "0.1", "--attack", "random-worlds")
    Path("even.csv").write_text("age,sex,dx\n" + "20-29,f,a\n20-29,f,b\n20-35,f,a\n20-35,f,b\n")
    Path("four.csv").write_text("age,sex,dx\n" + "20,f,a\n21,f,b\n22,f,a\n23,f,b\n")
    ran = unmask("audit", "four.csv", "--release", "even.csv", *COLUMNS, *limits)
    assert ran.code == 0, ran.out
    ran = unmask("audit", "four.csv", "--release", "even.csv", *COLUMNS, "--max-belief", "0.5", *limits[2:])
    assert ran.code == 4, ran.out
    assert "there is no control to exceed" in ran.out


def test_kept_limits_are_no_reason_for_a_broken_one(unmask: Unmask, folder: Path):
    """A risk of 0.2 under a limit of 0.2 was listed below A LIMIT IS BROKEN."""
    (folder / "o.csv").write_text("age,sex,dx\n" + "20,f,a\n" * 5 + "30,f,b\n" * 5)
    (folder / "pol.toml").write_text("[limits]\nmax_risk = 0.2\nmax_belief = 0.9\nrequire = ['k=5']\n")
    ran = unmask("audit", "o.csv", "--release", "o.csv", *COLUMNS, "--policy", "pol.toml", "--json", "out.json")
    assert ran.code == 1
    why = json.loads((folder / "out.json").read_text())["why"]
    assert why
    assert not [text for text in why if "0.2" in text or "k=" in text or "k of" in text]


def test_numbers_of_a_broken_limit_differ_on_paper(unmask: Unmask, folder: Path):
    """Of 99 people 1 % are less than one; of a distance of 0.20004 four digits are 0.2, which would be allowed."""
    (folder / "o.csv").write_text("age,sex,dx\n" + "20,f,a\n20,f,b\n" * 49 + "30,f,a\n")
    ran = unmask("audit", "o.csv", "--release", "o.csv", *COLUMNS, "--max-belief", "0.9", "--tolerate", "1%",
                 "--attack", "random-worlds")  # fmt: skip
    assert ran.code == 1
    assert "of 1 of 99 rows; 0 are tolerated" in " ".join(ran.out.split())
    (folder / "pol.toml").write_text("[limits]\nmax_belief = 1.0\ntolerate = 1.0\nrequire = ['average-risk=0.0202']\n")
    ran = unmask("audit", "o.csv", "--release", "o.csv", *COLUMNS, "--policy", "pol.toml")
    assert ran.code == 1
    assert "average-risk of at most 0.0202 is required; found 0.020202" in " ".join(ran.out.split())


def test_rows_of_people_who_have_another_row_there_are_counted_as_rows(unmask: Unmask, folder: Path):
    """Of five people one lost one of two rows; of two lists one has also a person who is nowhere."""
    rows = "pid,zip,ill\np1,A,flu\np2,A,flu\np3,A,flu\np3,B,cold\np4,C,cold\np5,C,flu\n"
    (folder / "p.csv").write_text(rows)
    columns = ("-q", "zip", "-s", "ill", "--person-key", "pid")
    made = unmask("sanitize", "p.csv", "record-suppression", "--set", "k=2", *columns, "--out", "r", "--keep", "k.json")
    assert made.code == 0
    audit = ("--release", "r", *columns, "--attack", "random-worlds", "--max-belief", "0.9", "--seed", "1")
    ran = unmask("audit", "p.csv", *audit, "--keep", "k.json")
    assert "1 row of 1 person with others there is not in r: beliefs about them stay as they were" in ran.err
    assert "1 row of 1 person with others there fits no group of r" in ran.err
    assert "of 5 people" not in ran.err
    (folder / "more.csv").write_text(f"{rows}p3,D,flu\np6,D,flu\np6,E,flu\n")
    ran = unmask("audit", "more.csv", *audit)
    assert "1 of 6 people and 2 rows of 1 person with others there fit no group of r" in ran.err


def test_a_column_of_several_units_needs_a_hierarchy(unmask: Unmask, folder: Path):
    """Read as bands, `6 months` and `1-4 years` would still be words: that option was proposed, and changed nothing."""
    (folder / "r.csv").write_text("age,dx\n" + "6 months,a\n6 months,b\n1-4 years,a\n1-4 years,b\n" * 3)
    (folder / "p.csv").write_text("age,dx\n2,a\n3,b\n")
    ran = unmask("audit", "p.csv", "--release", "r.csv", "-q", "age", "-s", "dx", "--max-belief", "0.9", "--seed", "1")
    assert ran.code == 4
    assert "Write both alike, or say which values a cell stands for: --hierarchy age=FILE" in ran.err
    assert 'cells = "bands"' not in ran.err
