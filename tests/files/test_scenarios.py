"""A file says what an intruder is after; a slip in it is said in one line."""

from __future__ import annotations

import pytest

from unmask.attacks.fusion.scenario import Scenario
from unmask.errors import InvalidInputError
from unmask.files.scenarios import read_scenario


def test_all_of_a_file_is_read(tmp_path):
    """Worths, and who matters."""
    path = tmp_path / "scenario.toml"
    path.write_text(
        "exact = 1\nnearer = 0.2\nwrong = -0.5\nsilent = -0.1\ncloser = 50\notherwise = 0\n[interest.job]\njudge = 5\n"
    )
    assert read_scenario(path) == Scenario(1, 0.2, -0.5, -0.1, 50, {"job": {"judge": 5}}, 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("exakt = 1", "Did you mean 'exact'"),
        ("exact = 'much'", "'exact' in scenario.toml must be"),
        ("exact = nan", "'exact' in scenario.toml must be a finite number"),
        ("exact = true", "'exact' in scenario.toml must be a number"),
        ("exact = 1\n[interest.job]\njudge = inf", "'interest.job.judge' in scenario.toml must be a finite number"),
        ("wrong = 1", "must ask for something"),
        ("exact =", "must be valid TOML"),
    ],
)
def test_errors_are_one_line(tmp_path, text, message):
    """Which key, and what was probably meant."""
    path = tmp_path / "scenario.toml"
    path.write_text(text)
    with pytest.raises(InvalidInputError, match=message):
        read_scenario(path)
