"""A file of weights says how bad each disclosure would be; a slip in it is said in one line."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from unmask.decision_risk.harm_weights import JointWeight
from unmask.errors import InvalidInputError
from unmask.files.weights import read_weights


def written(folder: Path, text: str) -> Path:
    """Write a file of weights."""
    path = folder / "weights.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_all_of_a_file_is_read(tmp_path):
    """A custodian writes numbers, and "never"."""
    found = read_weights(
        written(
            tmp_path,
            'form = "multiplicative"\ndefault = 0.1\nconstant = 1\nwrong = 0.5\n'
            '[attributes]\nzip = 0.3\nssn = "never"\n'
            "[values.diagnosis]\nHIV = 10\n"
            '[factors]\n"4711" = 2\n'
            '[people."4712"]\nzip = "never"\n'
            '[[together]]\nattributes = ["zip", "age"]\nweight = 3\n',
        )
    )

    assert {"zip": 0.3, "ssn": math.inf} == found.attributes
    assert ("multiplicative", 0.1, 1.0, 0.5) == (found.form, found.default, found.constant, found.wrong)
    assert ({"diagnosis": {"HIV": 10.0}}, {"4711": 2.0}) == (found.values, found.factors)
    assert ({"4712": {"zip": math.inf}}, (JointWeight(frozenset({"zip", "age"}), 3.0),)) == (
        found.people,
        found.together,
    )
    assert ("zip", "ssn", "diagnosis", "age") == found.named


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[atributes]\nzip = 1\n", "Did you mean 'attributes'?"),
        ("[attributes\n", "must be valid TOML"),
        ("[attributes]\nzip = -1\n", "attributes.zip"),
        ("[attributes]\nzip = nan\n", "a number of at least 0"),
        ('[attributes]\nzip = "high"\n', '"never"'),
        ("[attributes]\nzip = true\n", "attributes.zip"),
        ("default = " + "9" * 400, "below 10^308"),
        ("default = " + "[" * 2_000, "too deeply"),
        ('form = "aditive"\n', "Did you mean 'additive'?"),
        ('[[together]]\nattributes = ["zip"]\nweight = 1\n', "at least two"),
        ('[[together]]\nattributes = ["zip", "age"]\n', "must be given"),
    ],
)
def test_an_error_is_one_line(tmp_path, text, message):
    """The message names the key and, where something is close, what was probably meant."""
    with pytest.raises(InvalidInputError, match=re.escape(message)) as caught:
        read_weights(written(tmp_path, text))

    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text", ['[factors]\n"4711" = -2\n', '[people."4711"]\nzip = "much"\n', "[people]\n4711 = 3\n"]
)
def test_a_slip_in_a_persons_weight_does_not_name_the_person(tmp_path, text):
    """A log is a release, too."""
    with pytest.raises(InvalidInputError, match="of a person") as caught:
        read_weights(written(tmp_path, text))

    assert "4711" not in str(caught.value)


def test_no_file_is_an_error(tmp_path):
    """It is said which."""
    with pytest.raises(InvalidInputError, match=r"weights\.toml"):
        read_weights(tmp_path / "weights.toml")
