"""Without an extra: one line that names it, or a part of the answer that is missing with its reason."""

from __future__ import annotations

import pytest

from unmask.cli import run

ROWS = "age,sex,ill\n" + "".join(f"{20 + i % 7},{'fm'[i % 2]},{'abc'[i % 3]}\n" for i in range(40))


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Return a table beside two releases of it, where no extra is installed."""
    path = tmp_path / "people.csv"
    path.write_text(ROWS)
    for name, sanitizer in (("release", ("anatomy", "--set", "l=2")), ("ranges", ("mondrian", "--set", "k=5"))):
        publish = ["sanitize", str(path), *sanitizer, "-q", "age", "-q", "sex", "-s", "ill"]
        assert run([*publish, "--out", str(tmp_path / name)]) == 0
    monkeypatch.setattr("unmask.runtime.extras.find_spec", lambda _: None)
    return path


@pytest.mark.parametrize(
    ("command", "extra"),
    [
        (["attack", "definetti", "--release", "release", "--set", "model=learned"], "miners"),
        (["attack", "fusion", "--release", "ranges", "-s", "age"], "miners"),
        (["study", "sramka-2010", "--quick"], "miners"),
        (["sanitize", "people.csv", "noisy-counts", "-q", "age", "-s", "ill", "--out", "counts"], "release"),
        (["measure", "postgresql://localhost/clinic", "--table", "visits"], "postgres"),
    ],
)
def test_a_command_that_needs_an_extra_names_it(table, command, extra, monkeypatch, capsys):
    """Exit code 2, and how to install it."""
    monkeypatch.chdir(table.parent)
    assert run(command) == 2
    error = capsys.readouterr().err
    assert f"the extra {extra}, which is not installed. Install it: pip install 'unmask[{extra}]'" in error


def test_a_page_has_its_numbers_without_charts(table, monkeypatch, capsys):
    """The exit code is that of the verdict; the page says what is missing, and so does the terminal, once."""
    monkeypatch.chdir(table.parent)
    audit = ["audit", "people.csv", "--release", "release", "-q", "age", "-q", "sex", "-s", "ill", "--seed", "1"]
    assert run([*audit, "--attack", "random-worlds", "--html", "page.html"]) == 0
    assert "pip install &#x27;unmask[charts]&#x27;" in (table.parent / "page.html").read_text()
    assert capsys.readouterr().err.count("charts are left out") <= 1  # printed by the program, not by its parts


def test_models_trained_on_a_release_are_unknown_without_miners(table, monkeypatch, capsys):
    """The other measures are there."""
    monkeypatch.chdir(table.parent)
    assert run(["compare", "release", "--original", "people.csv", "-q", "age", "-q", "sex", "-s", "ill"]) == 0
    compared = " ".join(capsys.readouterr().out.split())
    assert "it needs the extra miners" in compared
