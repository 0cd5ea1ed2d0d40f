"""A policy file says what a release must keep; a slip in it is said in one line."""

import re
from pathlib import Path

import pytest

from unmask.errors import InvalidInputError
from unmask.files.policies import read_policy, tolerance


def written(folder: Path, text: str) -> Path:
    """Write a policy file."""
    path = folder / "policy.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_all_of_a_policy_is_read(tmp_path):
    """Limits, location and required attacks come through; a percentage is a share."""
    policy, file = read_policy(
        written(
            tmp_path,
            'recipient = "licensed researchers"\nnext_review = 2027-11-01\n'
            '[limits]\nmax_belief = 0.5\nexcess = 0.1\ntolerate = "1%"\nmax_risk = 0.09\nrequire = ["k=5"]\n'
            '[required]\nattacks = ["linkage"]\nlocation = "row"\n',
        )
    )

    assert (0.5, 0.1, 0.01, True, 0.09) == (
        policy.limits.max_belief,
        policy.limits.excess,
        policy.limits.tolerate,
        policy.limits.tolerate_is_share,
        policy.limits.max_risk,
    )
    assert ("row", ("linkage",)) == (policy.location, policy.required)
    assert (["k=5"], "licensed researchers") == (file.limits.require, file.recipient)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[limits]\nmax_beleif = 0.5\n", "Did you mean 'max_belief'?"),
        ("[limit]\nmax_belief = 0.5\n", "Did you mean 'limits'?"),
        ("[limits\n", "must be valid TOML"),
        ('[limits]\nmax_belief = "much"\n', "limits.max_belief"),
        ("[limits]\nexcess = 0.5\n", "excess must come with max-belief"),
        ("[limits]\nmax_belief = 1.5\n", "at most 1"),
        ('[required]\nlocation = "moon"\n', "required.location"),
        ("[limits]\nmax_belief = 0.5\ntolerate = -1\n", "'limits.tolerate' in policy.toml must be at least 0; got -1"),
        ("[limits]\nmax_belief = 0.5\ntolerate = [1]\n", "'limits.tolerate' in policy.toml must be a text or a number"),
        ("[limits]\ntolerate = 3\n", "tolerate in policy.toml must come with max_belief"),
    ],
)
def test_an_error_is_one_line(tmp_path, text, message):
    """The message names the key and, where something is close, what was probably meant."""
    with pytest.raises(InvalidInputError, match=re.escape(message)) as caught:
        read_policy(written(tmp_path, text))

    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "expected"), [("0.01", (0.01, True)), ("1%", (0.01, True)), ("25", (25.0, False)), (None, (0.0, True))]
)
def test_tolerance_is_a_share_or_a_number_of_people(text, expected):
    """Below one it is a share, a whole number is people, and a percentage is a share."""
    assert expected == tolerance(text)


@pytest.mark.parametrize("text", ["many", "2.5", "one%", "nan", "inf"])
def test_any_other_tolerance_is_refused(text):
    """Half a person cannot be tolerated."""
    with pytest.raises(InvalidInputError, match="tolerate must be"):
        tolerance(text)
