"""`unmask study`: the list, one screen, and a folder."""

from __future__ import annotations

import json
import re

from tests.report.test_translated import Brackets, outside
from unmask import wording
from unmask.cli import run

SMALL = ["study", "kifer-2009", "--set", "parts=tables", "--seed", "1"]


def test_without_a_name_the_studies_are_listed(capsys):
    """And nothing is run."""
    assert run(["study"]) == 0
    assert "kifer-2009" in capsys.readouterr().out


def test_a_study_is_told_on_one_screen(capsys):
    """Its title, how many figures agree, and the table that matters most."""
    assert run(SMALL) == 0
    screen = capsys.readouterr().out
    assert screen.startswith("Kifer. Attacks on privacy and deFinetti's theorem. SIGMOD 2009\n")
    assert "8 reproduced, 0 differ" in screen
    assert "100/101" in screen
    assert len(screen.splitlines()) <= 24


def test_a_folder_holds_everything(tmp_path, capsys):
    """Figures, all of the text, the tables; it is replaced only if told to, and files of others stay."""
    folder = tmp_path / "kifer"
    assert run([*SMALL, "--out", str(folder)]) == 0
    assert {file.name for file in folder.iterdir()} >= {"study.json", "study.txt", "figures.csv", "table-1.csv"}
    document = json.loads((folder / "study.json").read_text(encoding="utf-8"))
    assert document["schema"] == "unmask-study/1"
    assert document["settings"]["parts"] == "tables"
    assert run([*SMALL, "--out", str(folder)]) == 2
    assert "must not exist yet" in capsys.readouterr().err
    (folder / "mine.csv").write_text("a\n")
    assert run([*SMALL, "--out", str(folder), "--force"]) == 0
    assert (folder / "mine.csv").read_text() == "a\n"


def test_numbers_for_machines_alone(tmp_path, capsys):
    """`--json -` is the whole of standard output; a file gets the same."""
    assert run([*SMALL, "--json", "-"]) == 0
    printed = capsys.readouterr().out
    assert run([*SMALL, "--json", str(tmp_path / "study.json")]) == 0
    assert (tmp_path / "study.json").read_text(encoding="utf-8") == printed
    assert len(json.loads(printed)["figures"]) == 36


def test_what_there_is_not_is_one_line(capsys):
    """A study, or a setting; with what was probably meant."""
    assert run(["study", "kifer-2010"]) == 2
    assert "study must be one of" in capsys.readouterr().err
    assert run(["study", "kifer_2009", "--set", "part=tables"]) == 2
    assert "Did you mean 'parts'" in capsys.readouterr().err


def test_whose_miners_is_an_option(capsys):
    """`--miners` sets what a study of miners calls so; others have no such setting, and say so."""
    assert run(["study", "sramka-2010", "--miners", "oracle", "--seed", "1"]) != 0
    assert "oracle" in capsys.readouterr().err
    assert run([*SMALL, "--miners", "weka"]) != 0
    assert "miners" in capsys.readouterr().err


def test_the_screen_has_no_word_outside_of_messages(capsys):
    """But the paper and quotations of it, and what is typed."""
    token = wording._current.set(Brackets())
    code = run(["study", "cormode-2010", "--set", "parts=bound", "--seed", "1"])
    wording._current.reset(token)
    paper, *lines = capsys.readouterr().out.splitlines()
    assert (code, paper) == (0, "Cormode, Li, Li, Srivastava. The minimality attack. VLDB 2010")
    assert outside([re.sub(r'"[^"]*"', "", " ".join(lines))], {"out", "dir"}) == []
