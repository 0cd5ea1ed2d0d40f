"""Reasoning about a release that a user has: six ways side by side, in fractions."""

from __future__ import annotations

import json

import pytest

from tests import stories
from tests.stories import write_kifer_table_6
from unmask.cli import run
from unmask.commands.reasoning import reason
from unmask.datasets.papers import kifer_table_6
from unmask.errors import InvalidInputError, ResourceError
from unmask.report.study import LINES
from unmask.schema import Missing
from unmask.table import Table


def smoking(n: int) -> dict[str, list[object]]:
    """Return n smokers with cancer and n others without; one smoker's value is lost."""
    cancer: list[object] = ["no"] * n + ["yes"] * (n - 1) + [None]
    return {"group": list(range(2 * n)), "smoker": [*"n" * n, *"y" * n], "cancer": cancer}


def test_the_last_smoker_by_six_ways_to_reason():
    """Table 1 of Kifer 2009, from a data frame: what is missing is what is asked for."""
    found = reason(smoking(100), quasi="smoker", sensitive="cancer")
    assert found.n_worlds == 2
    frame = found.to_frame().to_pylist()
    last = {one["reasoning"]: one["probability"] for one in frame if one["line"] == 199 and one["value"] == "yes"}
    assert [round(p, 4) for p in last.values()] == [0.5, 0.5, 0.5, 0.5, 0.9901, 0.9901]
    alone = {one["own_group_alone"] for one in frame if one["line"] == 199}
    assert alone == {0.5}


def test_fractions_are_told_as_fractions():
    """Table 6, as a release made here: 5/32 where one half is believed from the own group alone."""
    document = json.loads(reason(kifer_table_6().release).to_json())
    rows = [row for row in document["rows"] if row["beliefs"]["Naive Bayes"].get("Cancer") == "5/32"]
    assert len(rows) == 2
    for row in rows:
        assert row["shown"] == {"smoker": "n"}
        assert row["own_group_alone"]["Naive Bayes"]["Cancer"] == "1/2"
        assert row["beliefs"]["random worlds"]["Cancer"] == "1/2"


def test_the_screen_shows_first_whom_learning_moves_most():
    """One screen; groups where nothing is learned come last."""
    lines = str(reason(kifer_table_6().release)).splitlines()
    groups = [line for line in lines if line.startswith("smoker")]
    assert all("27/32" in line for line in groups[:4])
    assert not any("27/32" in line for line in groups[4:])
    assert len(lines) <= LINES
    assert max(map(len, lines)) <= 80


def test_where_everything_is_published_nothing_is_open():
    """Each row alone with its value."""
    table = {"group": [1, 2], "smoker": ["n", "y"], "cancer": ["no", "yes"]}
    assert "nothing to reason about" in str(reason(table, quasi="smoker", sensitive="cancer"))


def test_an_attribute_that_is_not_known_leaves_one_way_out():
    """Combinations need every attribute; Naive Bayes passes over what is missing."""
    columns: dict[str, list[str | None]] = {"smoker": ["n", None, "y", "n"], "ill": ["a", "b", "a", "b"]}
    table = Table.of(columns, quasi=["smoker"], sensitive=["ill"], missing=Missing.WILDCARD)
    found = reason(stories.exact(table, [0, 0, 1, 1]).release)
    assert "exchangeable" not in found.rows[0].beliefs
    assert "  -  " in str(found)


def test_a_large_table_is_refused_with_the_way_out():
    """Attacks take any size."""
    table = {"group": [1] * 20, "smoker": ["n", "y"] * 10, "ill": [f"i{i}" for i in range(20)]}
    with pytest.raises(ResourceError, match="random-worlds and definetti take any size"):
        reason(table, quasi="smoker", sensitive="ill")


def test_one_sensitive_attribute_is_asked_about():
    """Not two."""
    table = {"group": [1, 1], "smoker": ["n", "y"], "ill": ["a", "b"], "job": ["c", "d"]}
    with pytest.raises(InvalidInputError, match="must have one sensitive attribute; got 2"):
        reason(table, quasi="smoker", sensitive=["ill", "job"])


def test_the_command_line_says_the_same(tmp_path, monkeypatch, capsys):
    """From a bucketized release in two tables."""
    monkeypatch.chdir(tmp_path)
    write_kifer_table_6(tmp_path)
    assert run(["reason", "qit.csv,st.csv", "-q", "smoker"]) == 0
    assert "smoker n, group 6: None" in capsys.readouterr().out
    assert run(["reason", "qit.csv,st.csv", "-q", "smoker", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["worlds"] == 64
