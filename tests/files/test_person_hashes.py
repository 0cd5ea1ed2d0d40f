"""People as keyed hashes: comparable without being known, and useless without the key."""

from __future__ import annotations

import hmac
import stat
from hashlib import sha256

import numpy as np
import pytest

from unmask.errors import InvalidInputError
from unmask.files.person_hashes import (
    HashedPeople,
    are_among,
    hashed,
    mark_of_key,
    overlap,
    people_of,
    read_hashes,
    read_key,
    write_hashes,
)
from unmask.files.raw import Raw, RawColumn

KEY, OTHER = b"k" * 32, b"o" * 32


def column(*keys: object) -> RawColumn:
    """Return a column of person keys."""
    return Raw.of({"id": list(keys)})["id"]


def people(*keys: object, key: bytes = KEY, name: str = "id") -> HashedPeople:
    """Return people as hashes."""
    return HashedPeople(*people_of(column(*keys), key), name, mark_of_key(key))


def test_a_person_is_the_first_64_bits_of_an_hmac():
    """Any owner of the key can compute it again."""
    expected = hmac.new(KEY, b"unmask person\0A-17", sha256).digest()[:8]
    assert [int.from_bytes(expected, "little")] == hashed(column("A-17"), KEY).tolist()


def test_people_are_sorted_and_once_each():
    """Neither the order of rows nor the number of a person's rows is kept."""
    found, nameless = people_of(column("b", "a", None, "b"), KEY)
    assert (2, 1) == (found.size, nameless)
    assert (found[1:] > found[:-1]).all()
    assert found.tolist() == people_of(column("a", "b"), KEY)[0].tolist()


@pytest.mark.parametrize(("one", "two", "same"), [
    (["A-17", "x"], [" A-17", "x"], True), ([17, 18], [17.0, 18.5], True), (["017", "x"], ["17", "x"], False),
    (["a", "x"], ["A", "x"], False), (["Jos\u00e9", "x"], ["Jose\u0301", "x"], True),
])  # fmt: skip
def test_which_spellings_are_one_person(one, two, same):
    """White space, .0 and how an accent is composed do not count; leading zeros and capitals do."""
    assert same == bool(np.isin(hashed(column(*one), KEY)[0], hashed(column(*two), KEY)))


def test_shared_people_are_counted_without_being_known():
    """Two of three are in both."""
    assert 2 == overlap(people("a", "b", "c"), people("c", "b", "z")).n
    rows = column("a", "b", None)
    assert [True, False, True] == are_among(rows, hashed(rows, KEY), people("a", "q").hashes).tolist()


@pytest.mark.parametrize(("theirs", "why"), [
    (None, "who is in them is not known"),
    (people("z", key=OTHER), "under different keys"),
    (people("z", name="patient"), "named differently: id, patient"),
    (people("z", None), "some rows have no person key"),
])  # fmt: skip
def test_an_empty_overlap_is_reported_only_where_it_is_known(theirs, why):
    """Other keys, other names of columns, rows without a name: then people may be shared after all."""
    found = overlap(people("a"), theirs)
    assert found.n is None
    assert found.possible
    assert why in found.why


def test_rows_without_a_key_leave_the_overlap_unknown():
    """Then those who are known to be in both are the least that can be."""
    found = overlap(people("a", "b"), people("a", None))
    assert (1, "some rows have no person key") == (found.n, found.why)


def test_empty_overlap():
    """Then two releases cannot be linked by person."""
    assert not overlap(people("a"), people("z")).possible


def test_the_mark_of_a_key_tells_keys_apart():
    """And is none of the hashes of people."""
    assert mark_of_key(KEY) != mark_of_key(OTHER)
    assert int(mark_of_key(KEY), 16) not in hashed(column("", "unmask key"), KEY).tolist()


def test_they_lie_in_a_file_for_the_owner_only(tmp_path):
    """Eight bytes a person, and nothing that can be run."""
    hashes = people("a", "b").hashes
    file = write_hashes(tmp_path, hashes)
    assert file == write_hashes(tmp_path, hashes)
    file.write_bytes(b"damaged")
    assert file == write_hashes(tmp_path, hashes)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.stat().st_size == 128 + 16
    assert hashes.tolist() == read_hashes(file, 2).tolist()


@pytest.mark.parametrize("damage", ["gone", "cut", "changed", "unsorted", "pickle", "text", "other number"])
def test_a_damaged_file_is_refused(tmp_path, damage):
    """It would count too few in both, which looks safe."""
    hashes = people("a", "b").hashes
    file = write_hashes(tmp_path, hashes)
    if damage == "gone":
        file.unlink()
    elif damage == "cut":
        file.write_bytes(file.read_bytes()[:-4])
    elif damage == "changed":
        np.save(file, hashes + 1)
    elif damage == "unsorted":
        np.save(file, hashes[::-1])
    elif damage == "pickle":
        np.save(file, np.array([{}, {}], object), allow_pickle=True)
    elif damage == "text":
        file.write_text("nothing")
    with pytest.raises(InvalidInputError, match="it is gone or damaged"):
        read_hashes(file, 3 if damage == "other number" else 2)


def test_a_key_that_is_too_short_is_refused(tmp_path):
    """An attacker who guesses the key can try all person keys; white space at its ends is no part of it."""
    (tmp_path / "key").write_text("swordfish\n")
    with pytest.raises(InvalidInputError, match=r"at least 32 random bytes; got 9 bytes\. Make one: openssl rand"):
        read_key(tmp_path / "key")
    (tmp_path / "key").write_text("0123456789abcdef" * 4 + "\n")
    assert read_key(tmp_path / "key") == b"0123456789abcdef" * 4
    with pytest.raises(InvalidInputError, match="there is no such file"):
        read_key(tmp_path / "kee")
