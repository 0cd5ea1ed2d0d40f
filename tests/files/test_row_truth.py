"""What is true of published rows: told in their order, or by the original table and what was kept back."""

from __future__ import annotations

import numpy as np
import pytest

from unmask.errors import InvalidInputError
from unmask.files.kept_back import RowMapping
from unmask.files.raw import Raw
from unmask.files.releases import generalized
from unmask.files.roles import Roles
from unmask.files.row_truth import RowTruth

PUBLISHED = {"age": ["40-49", "20-29", "40-49", "20-29"], "job": ["judge", "clerk", "boss", "cook"]}
"""A release sorts its rows; in the file they stand like this."""

READ = generalized(Raw.of(PUBLISHED), Roles.of(quasi=["age", "job"]))


def true_values(truth: RowTruth, name: str) -> dict[str, str]:
    """Return what is true of the row of each job."""
    (found, doubts), lines = truth.about(name), READ.row_of.tolist()
    assert () == doubts
    return {
        job: found.values[found.answer[row]] if found.answer[row] >= 0 else "?"
        for job, row in zip(PUBLISHED["job"], lines, strict=True)
    }


def test_lines_are_those_of_the_release_as_it_lies_there():
    """Not of its rows as sorted here; 41 and 41.0 are one number."""
    truth = RowTruth.of(Raw.of({"age": [41.0, 22, 45, 21]}), READ, None)
    assert true_values(truth, "age") == {"judge": "41", "clerk": "22", "boss": "45", "cook": "21"}


def test_what_was_kept_back_says_whose_row_is_whose():
    """Of five people of the table the second was suppressed; the first one's row is the last of the file."""
    kept = RowMapping(np.array([3, -1, 0, 2, 1]), 4)
    truth = RowTruth.of(Raw.of({"age": [21, 99, 41, 45, None]}), READ, kept)
    assert true_values(truth, "age") == {"judge": "41", "clerk": "?", "boss": "45", "cook": "21"}


@pytest.mark.parametrize(
    ("kept", "message"),
    [
        (None, "a line for each of the 4 published rows, in their order; it has 3. Or name what sanitize has kept"),
        (RowMapping(np.array([0, 1, 2, 3]), 4), r"is about 4 and 4\. Name the file that the same sanitize wrote"),
        (RowMapping(np.array([0, 1, 2]), 9), "is about 3 and 9"),
    ],
)
def test_what_is_about_other_rows_is_refused(kept, message):
    """By the number of lines."""
    with pytest.raises(InvalidInputError, match=message):
        RowTruth.of(Raw.of({"age": [21, 22, 23]}), READ, kept)


def test_rows_of_other_people_are_noticed():
    """The original table in its own order, without what was kept back: of most people a row says otherwise."""
    with pytest.raises(InvalidInputError, match=r"consistent with the published rows; 3 of 4 are not\. Put its lines"):
        RowTruth.of(Raw.of({"age": [21, 45, 41, 41]}), READ, None).about("age")
    with pytest.raises(InvalidInputError, match="must be consistent with the published rows; 4 of 4"):
        RowTruth.of(Raw.of({"job": ["cook", "judge", "thief", "clerk"]}), READ, None).about("job")
    assert true_values(RowTruth.of(Raw.of({"job": PUBLISHED["job"]}), READ, None), "job") == {
        job: job for job in PUBLISHED["job"]
    }


def test_few_misfits_are_said_and_more_are_refused():
    """A release of ranges is truthful: of forty rows two that do not fit are a doubt, three are too many."""
    published = generalized(Raw.of({"age": ["20-29"] * 40, "job": ["clerk"] * 40}), Roles.of(quasi=["age", "job"]))
    truth, doubts = RowTruth.of(Raw.of({"age": [33] * 2 + [22] * 38}, "true.csv"), published, None).about("age")
    assert truth.answer.size == 40
    assert ("column age of 'true.csv' contradicts 2 of 40 published rows",) == tuple(d.split(":")[0] for d in doubts)
    with pytest.raises(InvalidInputError, match="3 of 40 are not"):
        RowTruth.of(Raw.of({"age": [33] * 3 + [22] * 37}), published, None).about("age")


def test_a_missing_column_is_refused():
    """With those that are, and in which file."""
    with pytest.raises(
        InvalidInputError, match=r"column of 'true\.csv' with the truth must be one of years; got 'age'"
    ):
        RowTruth.of(Raw.of({"years": [41, 22, 45, 21]}, "true.csv"), READ, None).about("age")
