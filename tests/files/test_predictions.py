"""What miners say, in a file: so that they can be run elsewhere."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from unmask.errors import InvalidInputError, OutputError
from unmask.files.predictions import read_predictions, write_predictions
from unmask.inference.miners.predictions import Predictions, Said

LABELS = ("[20, 30)", "=40", '50 "or" more')
"""A comma, what a spreadsheet would execute, and quotation marks."""


def said(*, numbers=False, held_out=False):
    """Return what two miners say of three rows, of which two look alike."""
    answers = [[0.1, -1e-3], [40.0, 1e9]] if numbers else [[1, 0], [2, 2]]
    kind: type = np.float64 if numbers else np.int32
    miners = tuple(Said(np.array(answer, kind)) for answer in answers)
    row_of = np.array([1, 0, 1], np.int32)
    return Predictions(("tree", "weka-j48"), ("trees", "trees"), row_of, miners, 2, 0 if numbers else 3, held_out)


@pytest.mark.parametrize("name", ["said.csv", "said.parquet"])
@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("held_out", [False, True])
def test_what_is_written_is_read(tmp_path, name, numbers, held_out):
    """To the last digit, whatever the labels look like; whether groups were held out stands in the header."""
    one, labels = said(numbers=numbers, held_out=held_out), () if numbers else LABELS
    write_predictions(one, tmp_path / name, labels=labels)
    two = read_predictions(tmp_path / name, 3, labels=labels, kinds={"tree": "trees"})
    assert two.names == one.names
    assert two.kinds == ("trees", "weka-j48")
    assert two.held_out == held_out
    assert np.array_equal(two.answers[:, two.row_of], one.answers[:, one.row_of])
    assert two.n_lines == 2


def test_a_file_by_hand_may_be_in_any_order(tmp_path):
    """Rows are numbered."""
    path = tmp_path / "said.csv"
    path.write_text("row,tree\n2,b\n0,a\n1,b\n")
    found = read_predictions(path, 3, labels=("a", "b"))
    assert found.answers[0][found.row_of].tolist() == [0, 1, 1]


def test_a_written_file_is_plain(tmp_path):
    """A line for each row, labels quoted where they must be."""
    write_predictions(said(), tmp_path / "said.csv", labels=LABELS)
    assert (tmp_path / "said.csv").read_text().splitlines()[:2] == [
        "row,tree,weka-j48",
        '0,"[20, 30)","50 ""or"" more"',
    ]
    with pytest.raises(OutputError):
        write_predictions(said(), tmp_path / "said.csv", labels=LABELS)


def written(tmp_path, text) -> Path:
    """Write a file by hand."""
    path: Path = tmp_path / "said.csv"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("row,tree\n0,a\n1,b\n", "each of 3 published rows once; got 2 lines"),
        ("row,tree\n0,a\n1,b\n1,b\n", "each of 3 published rows once"),
        ("row,tree\n0,a\nx,b\n1,b\n", "each of 3 published rows once"),
        ("row,tree\n0,a\n1,c\n2,b\n", "prediction of 'tree' must be one of a, b; got 'c'"),
        ("row,tree\n0,a\n1,\n2,b\n", "must predict every row; got nothing for 1"),
        ("tree\na\nb\nb\n", "must have a column 'row'"),
        ("row\n0\n1\n2\n", "must have a column 'row' and one for each miner"),
    ],
)
def test_a_file_that_does_not_fit_the_release_is_refused(tmp_path, text, why):
    """A row that is missing, that comes twice, a cell that the release does not have."""
    with pytest.raises(InvalidInputError, match=why):
        read_predictions(written(tmp_path, text), 3, labels=("a", "b"))


def test_text_is_no_number(tmp_path):
    """Without labels numbers are read."""
    with pytest.raises(InvalidInputError, match=r"got text\. Give labels for cells"):
        read_predictions(written(tmp_path, "row,tree\n0,a\n1,b\n"), 2)


def test_cells_need_their_labels(tmp_path):
    """One for each, and all different."""
    for labels in ((), ("a", "a", "b")):
        with pytest.raises(InvalidInputError, match="labels must be 3 different texts"):
            write_predictions(said(), tmp_path / "said.csv", labels=labels)
