"""Input from a random generator: computed, or refused in one line; never exit code 70."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path

import pyarrow as pa
import pyarrow.feather
import pytest

from tests.cli.conftest import ROLES, Unmask
from unmask.cli import LONGEST_LINE

SANITIZE = ("sanitize", "people.csv", "mondrian", "--set", "k=2", *ROLES)
LONG = "x" * 500


def written(column: list[str], *, name: str = "age") -> None:
    """Write a table with a column of given cells."""
    lines = [f"{cell},{1000 + i},{'flu' if i % 2 else 'cold'}" for i, cell in enumerate(column)]
    Path("people.csv").write_text("\n".join([f"{name},zip,ill", *lines]) + "\n")


@pytest.mark.usefixtures("folder")
def test_nothing_can_be_reasoned_about_values_that_are_all_missing(unmask: Unmask):
    """A sensitive column of empty cells has no values, and so no worlds."""
    Path("people.csv").write_text("age,ill\n30,\n30,\n40,\n")
    ran = unmask("reason", "people.csv", "-q", "age", "-s", "ill")
    assert ran.code == 2
    assert "must show a value of 'ill'; all are missing. Name another column with -s" in ran.error


@pytest.mark.parametrize(
    "cells", [["1e308", "-1e308", "5", "6"], ["1e-300", "5e-324", "0", "1"], ["1e20", "-1e99", "3", "4"]]
)
@pytest.mark.usefixtures("folder")
def test_extreme_numbers_are_compared_with_each_other(unmask: Unmask, cells: list[str]):
    """Their differences and squares would be infinite or 0: they are values in order of size, as long numbers are."""
    written(cells)
    options = ("-q", "age", "-q", "zip", "-s", "ill")
    assert unmask("sanitize", "people.csv", "mondrian", "--set", "k=2", *options, "--out", "rel").code == 0
    for command in (
        ("compare", "rel", "--original", "people.csv", "--seed", "1"),
        ("measure", "rel"),
        ("reason", "rel"),
        ("audit", "people.csv", "--release", "rel", *options, "--attack", "linkage", "--seed", "1"),
    ):
        assert unmask(*command).code == 0, command


@pytest.mark.parametrize(
    ("roles", "expected"),
    [
        ("step = 1e-300", "'columns.age.step' in roles.toml must be of size 1e-100 to 1e+100, or 0; got 1e-300"),
        ("step = 1e-30", "the step of column 'age' must be at least 4.9e-15, since its numbers go up to 44; got 1e-30"),
        ("high = 1e308", "'columns.age.high' in roles.toml must be of size 1e-100 to 1e+100, or 0; got 1e+308"),
        ("bins = [0, 1e308]", "must be of size 1e-100 to 1e+100, or 0; got 1e+308"),
        (f"step = 1{'0' * 5000}", "'roles.toml' must be valid TOML; a number has too many digits"),
        ("order = ['", "'roles.toml' must be valid TOML"),
        (f"hierarchy = {json.dumps([LONG])}", "must be a text; got ['xxx"),
        ('role = "quasi"', "must be one of identifier, quasi-identifier, sensitive, insensitive"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("folder")
def test_declarations_that_cannot_be_computed_with_are_refused(unmask: Unmask, roles: str, expected: str):
    """By the key that holds them; what is quoted is short."""
    written([str(20 + i % 25) for i in range(30)])
    Path("roles.toml").write_text(f"[columns.age]\n{roles}\n")
    ran = unmask(
        "sanitize", "people.csv", "mondrian", "--set", "k=2", "-q", "age", "-q", "zip", "-s", "ill", "--out", "rel"
    )
    assert ran.code == 2
    assert expected in ran.error
    assert len(ran.error) < 400


@pytest.mark.parametrize("declared", ["order", "hierarchy"])
@pytest.mark.usefixtures("folder")
def test_values_that_are_lacking_are_counted(unmask: Unmask, declared: str):
    """A cell may be a free text about a person."""
    written([LONG, "b", "c", LONG + "y"])
    Path("h.csv").write_text("b;*\n")
    options = ("--order", "age=b,a") if declared == "order" else ("--hierarchy", "age=h.csv")
    ran = unmask(
        "sanitize", "people.csv", "full-domain", "-q", "age", "-q", "zip", "-s", "ill", *options, "--out", "rel"
    )
    assert ran.code == 2
    assert "it lacks 3 of" in ran.error
    assert LONG not in ran.err
    assert len(ran.error) < 300


@pytest.mark.usefixtures("folder")
def test_a_line_is_never_endless(unmask: Unmask):
    """Names of columns have any length and number; both ends of the line stay."""
    names = [f"{LONG}{i}" for i in range(40)]
    Path("people.csv").write_text(f"{','.join(names)}\n{','.join('1' for _ in names)}\n")
    ran = unmask("measure", "people.csv", "-q", names[0], "-q", names[1], "--require", "k=x")
    assert max(map(len, ran.err.splitlines())) <= LONGEST_LINE + len("error: ")
    assert unmask("measure", "people.csv").code == 2
    ran = unmask("measure", "people.csv")
    assert "must have a quasi-identifier" in ran.error


@pytest.mark.usefixtures("folder")
def test_a_damaged_arrow_file_is_not_followed(unmask: Unmask):
    """Its offsets may lead anywhere."""
    frame = pa.table({"age": ["20", "30", "40"], "ill": ["flu", "cold", "flu"]})
    pa.feather.write_feather(frame, "people.arrow", compression="uncompressed")
    content = Path("people.arrow").read_bytes()
    offsets = b"\0\0\0\0\2\0\0\0\4\0\0\0\6\0\0\0"
    assert offsets in content
    Path("people.arrow").write_bytes(content.replace(offsets, b"\0\0\0\0\2\0\0\0\xff\xff\xff\x7f\6\0\0\0"))
    ran = unmask("measure", "people.arrow", "-q", "age")
    assert ran.code == 2
    assert "'people.arrow' must be a complete Arrow file; it seems cut off or damaged" in ran.error


@pytest.mark.usefixtures("folder")
def test_other_slips(unmask: Unmask):
    """An empty argument too many; a ledger whose form has thousands of digits."""
    written(["20", "30"])
    options = ("-q", "age", "-s", "ill", "--order", "age=20,30\n40")
    assert "--order must be written in one line" in unmask("reason", "people.csv", *options).error
    assert "got unexpected extra argument" in unmask("measure", "people.csv", "").error
    Path("ledger.json").write_text(json.dumps({"schema": f"unmask-ledger-{'9' * 5000}", "releases": []}))
    assert "must be what unmask ledger add wrote" in unmask("ledger", "list").error


def test_warnings_of_libraries_stay_off_the_terminal(tmp_path: Path):
    """They quote paths of this machine, and mean nothing on a command line; Python's users keep them."""
    code = (
        "import sys, warnings\n"
        "from unmask import cli\n"
        "def warn(*_):\n"
        "    warnings.warn('something of a library', UserWarning)\n"
        "    __import__('logging').getLogger('library').warning('something')\n"
        "    return 0\n"
        "cli.run = warn\n"
        "cli.main(['list'])\n"
    )
    for options, silent in (((), True), (("-W", "default"), False)):
        ran = subprocess.run(  # noqa: S603 - our own
            [sys.executable, *options, "-c", code],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        assert (ran.stderr == "") == silent
    with pytest.warns(UserWarning, match="of Python"):
        warnings.warn("of Python", UserWarning, stacklevel=1)


@pytest.mark.usefixtures("folder")
def test_rows_that_show_nothing_can_be_beside_a_population(unmask: Unmask):
    """Rows of `*` are suppressed people: no person is counted for them."""
    Path("rel.csv").write_text("age,zip,ill\n20,1,flu\n20,1,cold\n*,*,flu\n*,*,cold\n30,2,flu\n")
    Path("all.csv").write_text("age,zip\n20,1\n20,1\n20,1\n30,2\n40,3\n")
    ran = unmask("measure", "rel.csv", "-q", "age", "-q", "zip", "-s", "ill", "--population", "all.csv")
    assert ran.code == 0
    assert "3 rows in 2 groups, 2 suppressed" in ran.out


@pytest.mark.usefixtures("folder")
def test_an_epsilon_of_any_size_is_computed_with(unmask: Unmask):
    """E to its power overflows from 709 on; what is claimed of others' releases may be anything."""
    pytest.importorskip("opendp")
    Path("people.csv").write_text("age,ill\n" + "20,flu\n30,cold\n40,flu\n" * 5)
    options = ("-q", "age", "-s", "ill", "--order", "ill=flu,cold")
    counts = ("sanitize", "people.csv", "noisy-counts", *options, "--set", "cells=age=0,25,50")
    for extreme in ("1e308", "1e-300"):
        ran = unmask(*counts, "--set", f"epsilon={extreme}", "--out", "rel")
        assert ran.code == 2
        assert "epsilon must be a number between 1e-09 and 1e+09" in ran.error
    assert unmask(*counts, "--set", "epsilon=1", "--out", "rel").code == 0
    document = json.loads(Path("rel/release.json").read_text())
    for claimed in (800.0, 1e100):
        document["made_by"]["epsilon"] = claimed
        Path("rel/release.json").write_text(json.dumps(document))
        assert unmask("audit", "people.csv", "--release", "rel", *options, "--seed", "1").code == 0


@pytest.mark.usefixtures("folder")
def test_an_option_is_no_name_of_an_output(unmask: Unmask):
    """Where the name was forgotten, the next option is not written to."""
    ran = unmask("risk", "people.csv", *ROLES, "--json", "--json", "--html", "out.html")
    assert ran.code == 2
    assert "an output must be a file name; got the option '--json'. Write the name before it" in ran.error
    assert not Path("--json").exists()
    assert not Path("out.html").exists()
