"""beliefs.csv: who, what about, which value, how sure."""

from __future__ import annotations

import stat

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unmask.arrays import Ragged
from unmask.beliefs import NOT_ATTACKED, About, Beliefs
from unmask.errors import InvalidInputError, OutputError
from unmask.files import beliefs as module
from unmask.files.beliefs import beliefs_frame, write_beliefs
from unmask.files.reading import read


def some(**changes: object) -> Beliefs:
    """Return beliefs of four people; the third was not attacked."""
    rows = Ragged.of(np.array([[1 / 3, 0.0, 2 / 3], [0.0, 1.0, 0.0]]))
    given = {"about": About.attribute("condition"), "values": ("AIDS", "=cold, bad", "flu"), "rows": rows}
    row_of = np.array([0, 1, NOT_ATTACKED, 0], np.int32)
    return Beliefs(**{"row_of": row_of, **given, **changes})  # type: ignore[arg-type]


def test_a_line_for_each_possible_value_of_each_person(tmp_path):
    """The story: no line for what is impossible, none for who was not attacked; the number is exact."""
    write_beliefs(some(), tmp_path / "beliefs.csv")
    assert (tmp_path / "beliefs.csv").read_text() == (
        "person,attribute,value,probability,error\n"
        "0,condition,AIDS,0.333333333333333,0\n"
        "0,condition,flu,0.666666666666667,0\n"
        '1,condition,"\'=cold, bad",1.0,0\n'
        "3,condition,AIDS,0.333333333333333,0\n"
        "3,condition,flu,0.666666666666667,0\n"
    )
    assert stat.S_IMODE((tmp_path / "beliefs.csv").stat().st_mode) == 0o600


def test_people_are_named_by_their_keys_and_errors_are_written(tmp_path):
    """Person keys instead of line numbers; Monte Carlo errors where the attack drew."""
    write_beliefs(some(error=np.array([0.01, 0.02, 0.0])), tmp_path / "b.csv", people=["Ann", "Bob, jr.", "Cid", "Dee"])
    lines = (tmp_path / "b.csv").read_text().splitlines()
    assert lines[1] == "Ann,condition,AIDS,0.333333333333333,0.01"
    assert lines[3].startswith('"Bob, jr.",condition')
    with pytest.raises(InvalidInputError, match="2 names for 4 targets"):
        write_beliefs(some(), tmp_path / "c.csv", people=["Ann", "Bob"])
    assert not (tmp_path / "c.csv").exists()


def test_rows_of_one_person_are_told_apart(tmp_path):
    """Ann's two rows have the lines of the list of people, also in the data frame; the file is replaced as ours."""
    people = ["Ann", "Bob", "Cid", "Ann"]
    for force in (False, True):
        write_beliefs([some(), some()], tmp_path / "b.csv", people=people, force=force)
    lines = (tmp_path / "b.csv").read_text().splitlines()
    assert lines[:4] == [
        "person,row,attribute,value,probability,error",
        "Ann,0,condition,AIDS,0.333333333333333,0",
        "Ann,0,condition,flu,0.666666666666667,0",
        'Bob,1,condition,"\'=cold, bad",1.0,0',
    ]
    assert lines[4].startswith("Ann,3,condition,AIDS")
    frame = beliefs_frame([some(), some()], people=people)
    assert ",".join(frame.column_names) == lines[0]
    assert frame["row"].to_pylist() == [int(line.split(",")[1]) for line in lines[1:]]


@given(names=st.lists(st.sampled_from("abcdef"), min_size=4, max_size=4))
def test_no_two_targets_have_the_same_lines(names):
    """Whatever the keys: person and row are of one target, and unique keys need no row."""
    frame = beliefs_frame([some()], people=names)
    key = [name for name in frame.column_names if name in {"person", "row"}]
    assert ("row" in key) is (len(set(names)) < 4)
    assert len({tuple(one.values()) for one in frame.select(key).to_pylist()}) == 3  # one of four was not attacked


def test_a_place_is_a_group_and_its_members_cannot_be_told_apart(tmp_path):
    """Linkage into a group of five names the right row with a fifth of the group's probability."""
    place = some(about=About.place("h1"), values=("0", "1", "2"), ways=np.array([5.0, 4.0, 2.0]))
    write_beliefs(place, tmp_path / "b.csv")
    lines = (tmp_path / "b.csv").read_text().splitlines()[1:]
    assert lines[:3] == ["0,@row:h1,0,0.0666666666666667,0", "0,@row:h1,2,0.166666666666667,0", "1,@row:h1,1,0.5,0"]


def test_many_people_are_written_in_blocks_and_read_back(tmp_path, monkeypatch):
    """The block's size changes nothing."""
    rows = Ragged.of(np.random.default_rng(0).dirichlet(np.ones(3), 7))
    row_of = np.random.default_rng(1).integers(0, 7, 100).astype(np.int32)
    write_beliefs(some(rows=rows, row_of=row_of), tmp_path / "one.csv")
    monkeypatch.setattr(module, "_BLOCK", 9)
    write_beliefs(some(rows=rows, row_of=row_of), tmp_path / "many.csv")
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "many.csv").read_bytes()
    raw = read(tmp_path / "one.csv")
    assert raw.n_rows == 300
    numbers = raw["probability"].numbers
    assert numbers is not None
    np.testing.assert_allclose(numbers[raw["probability"].codes].reshape(100, 3), rows.dense()[row_of], rtol=1e-14)


def test_an_existing_file_is_kept_unless_forced(tmp_path):
    """As everywhere."""
    write_beliefs(some(), tmp_path / "b.csv")
    with pytest.raises(OutputError, match="--force"):
        write_beliefs(some(), tmp_path / "b.csv")
    write_beliefs(some(), tmp_path / "b.csv", force=True)
