"""The page on what a disclosure costs: its examples print what it says, and its file of weights can be read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from unmask.files.weights import read_weights

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "what-a-disclosure-costs.md"


def blocks(kind: str) -> list[str]:
    """Return the blocks of one language."""
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_the_examples_print_what_stands_beside_them(capsys):
    """All blocks in order; a comment after `print` begins with the numbers."""
    names: dict[str, object] = {}
    for block in blocks("python"):
        exec(compile(block, str(PAGE), "exec"), names)  # noqa: S102 - our own document
    printed = [float(number) for number in capsys.readouterr().out.split()]
    said = [float(number) for line in re.findall(r"print\(.*#(.*)", PAGE.read_text(encoding="utf-8"))
            for number in re.match(r"[\d. ]+", line.strip()).group().split()]  # type: ignore[union-attr]  # fmt: skip
    assert printed == pytest.approx(said)
    assert len(said) == 9


def test_the_weights_can_be_read(tmp_path):
    """As they stand there."""
    (text,) = blocks("toml")
    path = tmp_path / "weights.toml"
    path.write_text(text, encoding="utf-8")
    assert 3 == read_weights(path).values["diagnosis"]["HIV"]
