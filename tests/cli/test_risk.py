"""`unmask risk`: one screen, three files that only their owner reads, and bad input in one line with code 2."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.cli.conftest import ROLES, Unmask, people

WEIGHTS = """
form = "multiplicative"
default = 0.1

[attributes]
ill = 1

[values.ill]
asthma = 2
"""


@pytest.fixture
def register(table: Path) -> Path:
    """Write a dictionary: 90 people, the 60 of the table among them, without diagnoses."""
    lines = [",".join(line.split(",")[:-1]) for line in people(90).splitlines()]
    (table.parent / "register.csv").write_text("\n".join(lines) + "\n")
    (table.parent / "weights.toml").write_text(WEIGHTS)
    return Path("register.csv")


def test_one_screen_says_what_it_costs_and_what_to_disclose(unmask: Unmask, table, register):
    """Risk, people, attributes, the rule before and after, and whether it is a bound: 24 lines of 80 columns."""
    ran = unmask(
        "risk", table, "--dictionary", register, "--dictionary", table, "--weights", "weights.toml",
        "--disclose", "2", "--person-key", "id", *ROLES,
    )  # fmt: skip
    lines = ran.out.splitlines()
    assert ran.code == 0
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    assert "What it costs to disclose 4 attributes of 60 records" in lines
    for expected in ("register", "everything", "2 by bayes", "Risk if an attribute were withheld", "upper bound"):
        assert expected in ran.out
    assert lines[-1] == "A page with the plot: --html FILE; the numbers: --json FILE"
    assert "not disclosed, having no role: job" in ran.err


def test_files_appear_owner_only_and_hold_nothing_raw(unmask: Unmask, table, register):
    """No diagnosis, postcode or job in any; keys of people only where they were asked for."""
    arguments: tuple[object, ...] = (
        "risk",
        table,
        "--dictionary",
        register,
        "--weights",
        "weights.toml",
        "--disclose",
        "2",
    )
    arguments = (*arguments, "--person-key", "id", "--html", "r.html", "--json", "r.json")
    assert unmask(*arguments, "--people-at-risk", "who.csv").code == 0
    for name in ("r.html", "r.json", "who.csv"):
        assert stat.S_IMODE(Path(name).stat().st_mode) == 0o600
        text = Path(name).read_text()
        assert not any(value in text for value in ("asthma", "cold", "01000", "clerk"))
        assert ("u17" in text) is (name == "who.csv")
    assert unmask(*arguments).code == 2
    assert unmask(*arguments, "--people-at-risk", "who.csv", "--force").code == 0


def test_json_has_the_documented_shape(unmask: Unmask, table, register):
    """On standard output alone with `-`; every name that the page on `unmask risk` lists."""
    ran = unmask("risk", table, "--dictionary", register, "--disclose", "2", "--rule", "min_risk", "--person-key", "id",
                 *ROLES, "--json", "-")  # fmt: skip
    document = json.loads(ran.out)
    assert list(document) == [
        "schema", "version", "records", "attributes", "weighted", "dictionaries", "everything", "chosen", "least",
        "random", "curve", "notes",
    ]  # fmt: skip
    assert (document["schema"], document["records"], document["weighted"]) == ("unmask-risk/1", 60, False)
    assert document["chosen"]["rule"] == "min-risk"
    assert document["least"]["worst"] <= document["chosen"]["worst"] <= document["everything"]["worst"]
    assert [point["k"] for point in document["curve"]] == [0, 1, 2, 3, 4]
    assert document["curve"][4]["worst"] == document["everything"]["worst"]
    assert {"lower_bound", "drawing", "notes", "disclosed"} <= set(document["chosen"])
    assert list(document["least"]["lower_bound"]) == ["of", "dictionary", "risk", "gap"]
    assert list(document["dictionaries"][0]) == [
        "probability", "name", "entries", "risk", "found_at_least", "fit_nobody", "never", "half_of_the_risk",
        "withheld", "expected_if_larger", "upper_bound", "upper_bound_of",
    ]  # fmt: skip


def test_a_dictionary_may_be_parquet(unmask: Unmask, table, register):
    """The same people give the same risk."""
    header, *rows = (line.split(",") for line in register.read_text().splitlines())
    columns = {name: [row[j] for row in rows] for j, name in enumerate(header)}
    parquet.write_table(pa.table(columns), "register.parquet")
    both = [unmask("risk", table, "--dictionary", f"register.{kind}", *ROLES, "--json", "-").out for kind in
            ("csv", "parquet")]  # fmt: skip
    assert json.loads(both[0])["everything"] == json.loads(both[1])["everything"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--disclose", "9"], "at most the number of attributes, 5; got 9"),
        (["--rule", "best"], "rule must be one of min-risk, exact, bayes, minimax"),
        (["--dictionary", "nowhere.csv"], "nowhere.csv"),
        (["--weights", "nowhere.toml"], "nowhere.toml"),
        (["--person-key", "ssn"], "column must be one of id"),
        (["--compare", "ill"], "must be written COL=HOW"),
        (["--prior", "likely"], "--prior must be uniform"),
        (["--html", "r.html", "--json", "r.html"], "outputs must be different files"),
    ],
)
def test_bad_input_is_one_line_and_code_2(unmask: Unmask, table, arguments, expected):
    """With what is wrong and the way out."""
    options = arguments if "--person-key" in arguments else ["--person-key", "id", *arguments]
    ran = unmask("risk", table, *options)
    assert ran.code == 2
    assert expected in ran.error


def test_a_weight_of_an_unknown_attribute_or_below_0_is_refused(unmask: Unmask, table):
    """The file names what the table does not have; the value is shown as little as any other."""
    for text, expected in (("default = 1\n[attributes]\nheight = 2\n", "height"), ("default = -3\n", "at least 0")):
        Path("w.toml").write_text(text)
        ran = unmask("risk", table, "--weights", "w.toml")
        assert ran.code == 2
        assert expected in ran.error


def test_words_of_disclosure_are_explained(unmask: Unmask):
    """`unmask explain dictionary`, `upper bound` and the like."""
    for word in ("dictionary", "sensitivity", "loss", "bayes-risk", "upper bound"):
        ran = unmask("explain", word)
        assert ran.code == 0
        assert max(map(len, ran.out.splitlines())) <= 80


def test_many_dictionaries_still_fit_the_screen(unmask: Unmask, table, register):
    """Six of them: the worst is among those listed, and the last lines say how to see the rest."""
    books = [word for n in range(6) for word in ("--dictionary", register if n != 4 else table)]
    ran = unmask("risk", table, *books, "--disclose", "2", "--rule", "minimax", "-q", "sex", "-q", "zip", "-s", "ill")
    lines = ran.out.splitlines()
    assert ran.code == 0
    assert len(lines) <= 24
    assert any(line.startswith("people  ") for line in lines)
    assert "and 2 more" in lines


def test_what_the_rule_chose_becomes_a_folder_that_can_be_measured_and_attacked(unmask: Unmask, table, register):
    """Owner-only, with no key and no column that has no role; the screen ends with the command that attacks it."""
    chosen = ("risk", table, "--dictionary", register, "--weights", "weights.toml", "--person-key", "id", *ROLES,
              "--disclose", "2", "--out", "shown")  # fmt: skip
    ran = unmask(*chosen, "--keep", "keep.json")
    assert ran.code == 0
    assert ran.out.splitlines()[-1].endswith(f"unmask audit {table} --release shown --keep keep.json --person-key id")
    assert len(ran.out.splitlines()) <= 24
    assert stat.S_IMODE(Path("shown").stat().st_mode) == 0o700
    text = "".join(file.read_text() for file in Path("shown").iterdir())
    assert not any(word in text for word in ("u17", "clerk", '"id"', "job"))
    assert {line.count("*") for line in Path("shown/rows.csv").read_text().splitlines()[1:]} == {2}
    assert unmask("measure", "shown").code == 0
    assert unmask("attack", "linkage", "--release", "shown", "--people", table).code == 0
    assert unmask("audit", table, "--release", "shown", *ROLES, "--person-key", "id").code == 0
    assert "must not exist yet" in unmask(*chosen).error
    assert unmask(*chosen, "--force").code == 0


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--out", "shown"], "nothing was chosen. Say how many attributes: --disclose K"),
        (["--disclose", "1", "--keep", "keep.json"], "Write --out FOLDER"),
        (["--disclose", "1", "--out", "people.csv", "--force"], "people.csv"),
        (["--disclose", "1", "--out", "shown", "--html", "shown"], "outputs must be different files"),
    ],
)
def test_a_release_that_cannot_be_made_is_one_line_before_any_work(unmask: Unmask, table, arguments, expected):
    """Nothing is written, and what is there stays."""
    before = table.read_text()
    ran = unmask("risk", table, "--person-key", "id", *arguments)
    assert ran.code == 2
    assert expected in ran.error
    assert not Path("shown").exists()
    assert table.read_text() == before


def test_every_illness_is_published_where_it_is_always_shown(unmask: Unmask, table):
    """`--always ill`: two of five, and the second is what costs least."""
    ran = unmask("risk", table, "--person-key", "id", *ROLES, "--disclose", "2", "--always", "ill", "--out", "shown")
    assert ran.code == 0
    lines = Path("shown/rows.csv").read_text().splitlines()
    assert lines[0].endswith("ill")
    assert not any(line.endswith("*") for line in lines[1:])
