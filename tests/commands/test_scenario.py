"""`unmask attack fusion --scenario`: utility of predictions to an attacker."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import unmask
from tests.mined_here import mined_here
from unmask.attacks.fusion.scenario import EXACT, PARTIAL, Scenario
from unmask.cli import run
from unmask.commands.outcome.attack_result import Attacked
from unmask.errors import InvalidInputError
from unmask.files.kept_back import write_keep
from unmask.files.release_folder import write_release
from unmask.report import summary, to_html, to_json
from unmask.sanitizers.k_member import KMember
from unmask.sanitizers.laplace import Laplace
from unmask.sanitizers.microaggregation import Microaggregation
from unmask.table import Table

SHOWN = pd.DataFrame(
    {
        "age": ["20-29"] * 40 + ["40-49"] * 40 + ["20-49"] * 4,
        "job": ["clerk"] * 40 + ["judge"] * 42 + ["clerk"] * 2,
        "town": [f"t{row % 10}" for row in range(84)],
    }
)
"""Clerks are in their twenties, judges in their forties; of four people rows show hardly any age."""

TRUTH = pd.DataFrame({"age": [22] * 40 + [48] * 40 + [44, 22, 21, 28], "job": SHOWN["job"]})
"""One of the two judges whose age is hidden is 22."""

FINES = Scenario(nearer=0.2, wrong=-0.5)
FIFTH = Scenario(exact=1, nearer=0.2)


@pytest.fixture(autouse=True, scope="module")
def miners_here() -> Iterator[None]:
    """Start no process for any miner."""
    with mined_here():
        yield


def attacked(scenario: Any, truth: Any = TRUTH, **more: Any) -> Attacked:
    """Let two miners vote about the ages."""
    settings = {"miners": "naive-bayes, tree-of-five", "folds": 3, "rule": "paper"}
    asked: dict[str, Any] = {"quasi": ["age", "job", "town"], "sensitive": ["age"], "set": settings, "seed": 1}
    found: Attacked = unmask.attack("fusion", SHOWN, truth=truth, scenario=scenario, **{**asked, **more})
    return found


def number(found: Attacked, name: str) -> float | None:
    """Return one measure."""
    return found.report.scenes[0].results[0].get(name).value


# --- the story


def test_three_are_named_rightly_and_one_is_fined():
    """Three fifths, less a half: .1 of 84 fifths; both miners get as much, and name ten of thirty years."""
    found = attacked(FINES)
    assert number(found, "utility") == pytest.approx(0.1)
    assert number(found, "utility-ideal") == pytest.approx(84 / 5)
    assert number(found, "sigma-ideal") == pytest.approx(0.1 / 16.8)
    assert number(found, "sigma-best") == pytest.approx(1)
    assert number(found, "named-share") == pytest.approx(4 / 84)
    assert (10, 30) == (number(found, "named-size"), number(found, "shown-size"))
    assert found.report.scenes[0].results[0].outcome.best_miners == ("naive-bayes", "tree-of-five")


def test_a_judge_is_worth_five_clerks():
    """Of the judges one is right and one wrong: five times .2 - .5, and two fifths for the clerks."""
    found = attacked(Scenario(nearer=0.2, wrong=-0.5, interest={"job": {"judge": 5}}))
    assert number(found, "utility") == pytest.approx(5 * (0.2 - 0.5) + 0.4)
    assert number(found, "utility-ideal") == pytest.approx((5 * 42 + 42) / 5)
    assert number(found, "sigma-best") is None  # the best miner has lost as much
    only = attacked(Scenario(nearer=1, interest={"job": {"judge": 1}}, otherwise=0))
    assert (1, 42) == (number(only, "utility"), number(only, "utility-ideal"))


def test_what_is_endless_or_not_defined_says_why():
    """B on ranges: no miner is ever exact, and 44.5 is rounded to 45. In A a random value has no worth."""
    exact = attacked(EXACT, TRUTH.assign(age=[22] * 40 + [45] * 44)).report.scenes[0].results[0]
    assert exact.get("utility").value == 42
    assert exact.get("sigma-best").value is None
    assert exact.get("sigma-best").why.startswith("endless; arithmetic: miners answer cells")
    assert "none is nearer" in attacked(PARTIAL).report.scenes[0].results[0].get("sigma-guess").why


def test_beside_beliefs_stand_what_is_right_and_the_control():
    """The own groups of rows are known: predictions without them need no option."""
    result = attacked(FINES).report.scenes[0].results[0]
    right, control = result.get("accuracy").value, result.get("accuracy", control=True).value
    assert right is not None
    assert control is not None
    assert result.get("excess").value == pytest.approx(right - control)


# --- where it is written


def test_the_summary_the_page_and_the_numbers_tell_it():
    """The same four lines, rows of the table of measures, entries of the list of measures."""
    found = attacked(FINES)
    text = summary(found.report)
    assert "  by the scenario U = 0.1 of 16.8 for the truth, sigma_ideal 0.6 %" in text
    assert "  best miner 0.1 (naive-bayes, tree-of-five), sigma_best 100.0 %" in text
    assert "  guessing not defined, sigma_guess not defined: of two values" in text
    assert "  named of 4.8 % of the people, 10.0 of the 30.0 values shown on average" in text
    page = to_html(found.report)
    assert "worth of fused guesses (U)" in page
    assert "best miners: naive-bayes, tree-of-five" in page
    measures = {one["metric"]: one for one in json.loads(to_json(found.report))["attacks"][0]["measures"]}
    assert measures["utility"]["value"] == pytest.approx(0.1)
    assert measures["sigma-guess"]["why"]
    assert "by the scenario" not in summary(attacked(None).report)


def people(tmp_path: Path, sanitizer: Any) -> list[str]:
    """Publish sixty people, and return how the command is told of the release and of what is true."""
    rng = np.random.default_rng(3)
    columns = {"age": rng.integers(20, 60, 60).tolist(), "job": rng.choice(["judge", "clerk"], 60).tolist()}
    pd.DataFrame(columns).to_csv(tmp_path / "people.csv", index=False)
    made = sanitizer.sanitize(Table.of(columns, quasi=["age", "job"]), rng)
    write_release(made.release, tmp_path / "rows")
    write_keep(tmp_path / "keep.json", made)
    return [
        "attack", "fusion", "--release", str(tmp_path / "rows"), "-s", "age", "--seed", "1", "--set", "folds=2",
        "--truth", str(tmp_path / "people.csv"), "--keep", str(tmp_path / "keep.json"), "--no-progress",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("sanitizer", "miners"), [(KMember(5), "naive-bayes"), (Laplace(1.0, {"age": (20, 59, 1)}), "linear, mean")]
)
def test_a_custodian_has_the_table_and_what_was_kept_back(tmp_path, capsys, sanitizer, miners):
    """Ranges and noise; the page, the numbers and the screen."""
    (tmp_path / "scenario.toml").write_text("exact = 1\nnearer = 0.2\nwrong = -0.5\n[interest.job]\njudge = 5\n")
    wanted = ["--scenario", str(tmp_path / "scenario.toml"), "--set", f"miners={miners}"]
    files = ["--json", str(tmp_path / "r.json"), "--html", str(tmp_path / "r.html")]
    assert run([*people(tmp_path, sanitizer), *wanted, *files]) == 0
    assert "by the scenario U = " in capsys.readouterr().out
    assert "worth of fused guesses" in (tmp_path / "r.html").read_text()
    judges = int((pd.read_csv(tmp_path / "people.csv")["job"] == "judge").sum())
    measures = {
        one["metric"]: one["value"]
        for one in json.loads((tmp_path / "r.json").read_text())["attacks"][0]["measures"]
        if one["threshold"] is None
    }
    assert measures["utility-ideal"] == pytest.approx(5 * judges + 60 - judges)
    assert measures["utility"] <= measures["utility-ideal"]


def test_people_may_lie_outside_of_what_centroids_show(tmp_path, capsys):
    """The youngest is younger than the mean of the youngest group: no belief names that age, a guess may be nearer."""
    (tmp_path / "scenario.toml").write_text("exact = 1\nnearer = 0.2\nwrong = -0.5\n")
    wanted = ["--scenario", str(tmp_path / "scenario.toml"), "--set", "miners=linear, mean"]
    assert run([*people(tmp_path, Microaggregation(5)), *wanted]) == 0
    ran = capsys.readouterr()
    assert "by the scenario U = " in ran.out
    assert " of 60.0 for the truth" in ran.out
    assert re.search(r"[0-9]+ of 60 rows have a true age outside the numbers believed possible", ran.err)


def test_few_who_do_not_fit_are_said():
    """One of 84 was 30 where his row shows 20-29: the file may be about others."""
    found = attacked(FINES, TRUTH.assign(age=[30, *TRUTH["age"][1:]]))
    assert any("contradicts 1 of 84 published rows" in note for note in found.notes)


def test_what_is_endless_has_a_reason_where_sets_count_too():
    """The miner says no more than rows do, or is wrong; the middles of what rows show are right: 25 and 45."""
    truth = TRUTH.assign(age=[25] * 40 + [45] * 40 + [35] * 4)
    asked = attacked(FIFTH, truth, set={"miners": "majority", "folds": 3, "rule": "paper"})
    assert (80, 0) == (number(asked, "utility"), number(asked, "utility-best"))
    why = asked.report.scenes[0].results[0].get("sigma-best").why
    assert why == "endless; the best single miner gains nothing"


def test_by_line_there_is_a_control_in_python_too():
    """Of the judges, who come last in the file and first among sorted rows, it says that they are older than clerks."""
    found = attacked(FINES).beliefs[0]
    assert found.left_out is not None
    control = found.left_out([])
    assert control.values == found.values
    old = np.sum([control.probability(str(age)) for age in range(40, 50)], axis=0)
    assert old[:40].max() < old[40:80].min()


# --- slips


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("exakt = 1", "must be one of exact, nearer"),
        ("exact = nan", "'exact' in scenario.toml must be a finite number; got nan"),
        ("exact = 1\n[interest.jobs]\njudge = 5", "column of interest must be one of age, job; got 'jobs'"),
        ("exact = 1\n[interest.job]\njugde = 5", "value of job must be one of clerk, judge; got 'jugde'. Did you"),
        ("exact = 1\n[interest.age]\nold = 5", "value of age must be a number"),
        ("exact = 1\notherwise = 0\n[interest.age]\n220 = 5", "value of age must be a number of the column"),
    ],
)
def test_a_slip_is_one_line_before_anything_is_mined(tmp_path, capsys, text, expected):
    """And the exit code of bad input."""
    (tmp_path / "scenario.toml").write_text(text)
    assert run([*people(tmp_path, KMember(5)), "--scenario", str(tmp_path / "scenario.toml")]) == 2
    (line,) = [one for one in capsys.readouterr().err.splitlines() if one.startswith("error")]
    assert expected in line


def test_without_the_truth_nothing_is_worth_anything():
    """Nor with an attack that makes no guesses, nor with what was kept back of nothing."""
    with pytest.raises(InvalidInputError, match="must come with what is true of the published rows"):
        attacked(FINES, None)
    ill: dict[str, Any] = {"quasi": "job", "sensitive": "town", "truth": SHOWN, "seed": 1}
    with pytest.raises(InvalidInputError, match="random-worlds makes none"):
        unmask.attack("random-worlds", SHOWN[["job", "town"]], scenario=FINES, **ill)
    with pytest.raises(InvalidInputError, match=r"--keep must come with the table .* Write --truth"):
        attacked(None, None, keep="keep.json")
    with pytest.raises(InvalidInputError, match=r"about the published rows, and not .*\. Leave out --people"):
        attacked(FINES, people=SHOWN)
    with pytest.raises(
        InvalidInputError, match=r"without --people.* Leave out --people to attack the .* rows, or --keep"
    ):
        attacked(FINES, people=SHOWN, keep="keep.json")
    with pytest.raises(InvalidInputError, match=r"got age, which rows do not show\. .* as in -q age -s age"):
        attacked(FINES, quasi=["job", "town"])


def test_unknown_true_values_have_weight_0_and_impossible_ones_are_refused():
    """One of the judges has no age; no person is 120, whatever a noisy row shows."""
    truth = TRUTH.assign(age=[*TRUTH["age"][:81], None, *TRUTH["age"][82:]])
    found = attacked(FINES, truth)
    assert number(found, "utility") == pytest.approx(0.6)
    assert "rows whose true value is unknown: 1; they have weight 0" in found.notes
    with pytest.raises(InvalidInputError, match="something that rows may hide; rows without that: 1"):
        attacked(FINES, TRUTH.assign(age=[120, *TRUTH["age"][1:]]))


def test_what_is_true_of_rows_is_held_against_other_attacks_too():
    """Of sensitive values as of ages: line by line."""
    frame = pd.DataFrame({"age": ["20-29"] * 4, "ill": ["flu", "flu", "flu", "cold"]})
    found = unmask.attack("random-worlds", frame, quasi="age", sensitive="ill", truth=frame, seed=1)
    assert found.report.scenes[0].results[0].get("accuracy").value == 0.75
