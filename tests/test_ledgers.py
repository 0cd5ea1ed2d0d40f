"""The ledger: what is taken down of a release, what becomes of it, and what is said of files that are not one."""

from __future__ import annotations

import datetime as dt
import json
import re
import shutil
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.stories import hospitals
from unmask import ledgers
from unmask.differential_privacy.budget import Budget
from unmask.errors import InvalidInputError, OutputError
from unmask.files.claiming import claimed
from unmask.files.person_hashes import HashedPeople, mark_of_key, people_of
from unmask.files.raw import Raw
from unmask.files.release_folder import write_release
from unmask.ledgers import Ledger, changing
from unmask.release import Provenance, Release

KEY = b"k" * 32


def released(name: str, folder: Path, **told: Any) -> Release:
    """Publish one of the two hospitals."""
    release = replace(hospitals()[name == "second"], name=name, provenance=Provenance("mondrian", **told))
    write_release(release, folder / name)
    return release


def patients(*keys: str) -> HashedPeople:
    """Return people as hashes."""
    return HashedPeople(*people_of(Raw.of({"id": keys})["id"], KEY), "id", mark_of_key(KEY))


@pytest.fixture
def book(tmp_path) -> Ledger:
    """Take two releases down: one by its place, with its people; the other as a copy."""
    first = released("first", tmp_path, parameters={"k": 2}, epsilon=0.5)
    second = released("second", tmp_path, epsilon=1.0, delta=1e-6)
    with changing(tmp_path / "book.json") as empty:
        one, _ = empty.with_release(first, tmp_path / "first", day=dt.date(2026, 3, 1), people=patients("a", "b"))
        two, _ = one.with_release(second, None)
        two.save()
    return Ledger.read(tmp_path / "book.json")


def test_what_is_written_is_read_again(book):
    """Names, days, how they were made, who is in them; the second lies in the ledger's own folder."""
    first, second = book.entries
    assert ("first", dt.date(2026, 3, 1), "first", False) == (first.name, first.date, first.path, first.embedded)
    assert Provenance("mondrian", {"k": 2}, epsilon=0.5) == first.provenance
    assert patients("b", "a").hashes.tolist() == book.people_of(first).hashes.tolist()
    assert re.fullmatch("book-files/releases/[0-9a-f]{32}", second.path)
    assert second.embedded
    assert book.people_of(second) is None
    assert book.release(second).same_content(hospitals()[1])


def test_only_its_owner_can_read_it(book):
    """The file, the hashes, the copy: 0600 and 0700."""
    everything = [book.file, book.folder, *book.folder.rglob("*")]
    assert {(p.is_dir(), stat.S_IMODE(p.stat().st_mode)) for p in everything} == {(False, 0o600), (True, 0o700)}


def test_what_becomes_of_a_release(book):
    """Unchanged, though its files were written anew; changed; gone."""
    first = book.entries[0]
    rows = book.place(first) / "rows.csv"
    head, *lines = rows.read_text().splitlines()
    rows.write_text("\r\n".join([head, *reversed(lines)]) + "\r\n")
    assert book.state(first) == "unchanged"
    rows.write_text("\n".join([head, *lines[1:]]) + "\n")
    assert (book.state(first), book.release(first)) == ("changed", None)
    (book.place(first) / "release.json").write_text("{")
    assert book.state(first) == "changed"
    shutil.rmtree(book.place(first))
    assert (book.state(first), book.release(first)) == ("gone", None)


@pytest.mark.usefixtures("book")
def test_ledger_and_releases_can_be_moved_together(tmp_path):
    """Paths are those that lead from the ledger to the release."""
    (tmp_path / "elsewhere").mkdir()
    for name in ("first", "book.json", "book-files"):
        (tmp_path / name).rename(tmp_path / "elsewhere" / name)
    moved = Ledger.read(tmp_path / "elsewhere" / "book.json")
    assert [moved.state(entry) for entry in moved.entries] == ["unchanged", "unchanged"]


def test_what_no_release_needs_any_more_is_pruned(book):
    """Hashes and copies of a release that was taken out stay until they are pruned; nothing else goes."""
    kept = [p for p in book.folder.rglob("*") if p.is_file()]
    empty = book.without(book.named("first")).without(book.named("second"))
    empty.save()
    assert kept == [p for p in book.folder.rglob("*") if p.is_file()]
    thesis = [book.folder / "thesis.npy", book.folder / "releases" / "thesis", book.folder / f"{'a' * 32}.npy"]
    for path in thesis:
        path.write_text("years of work")
    removed = empty.prune()
    assert {path.suffix for path in removed} == {"", ".npy"}
    assert sorted(thesis) == sorted(p for p in book.folder.rglob("*") if p.is_file())
    assert () == Ledger.read(book.file).entries
    assert (book.file.parent / "first").exists()  # what lies elsewhere is not ours


def test_a_copy_to_which_others_added_is_not_pruned(book):
    """A remark in the folder of a copy keeps all of it."""
    remark = book.place(book.named("second")) / "remark.txt"
    remark.write_text("mine")
    empty = book.without(book.named("second"))
    empty.save()
    assert empty.prune() == []
    assert remark.read_text() == "mine"


@pytest.mark.parametrize("name", ["book.toml", "copy.json"])
def test_two_ledgers_do_not_take_from_each_other(book, tmp_path, name):
    """One with the same stem, and a copy under another name: both keep their people and their copies of releases."""
    shutil.copy(book.file, tmp_path / name)
    other = Ledger.read(tmp_path / name)
    book.without(book.named("first")).without(book.named("second")).save()
    assert Ledger.read(book.file).prune() == []
    with changing(tmp_path / name) as again:
        third, _ = again.with_release(replace(hospitals()[0], name="third"), None, people=patients("c"))
        third.save()
    other = Ledger.read(tmp_path / name)
    assert [other.state(entry) for entry in other.entries] == ["unchanged"] * 3
    first = other.people_of(next(entry for entry in other.entries if entry.name == "first"))
    assert first is not None
    assert patients("a", "b").hashes.tolist() == first.hashes.tolist()
    assert Ledger.read(book.file).prune() == []


def test_a_release_is_known_by_what_it_shows(book):
    """Whatever it is called."""
    assert book.same_content(replace(hospitals()[0], name="x")) is book.entries[0]
    assert book.named("second") is book.entries[1]


def test_a_budget_is_kept_beside_what_was_told(tmp_path):
    """ε as told may be about a record that is there or is not; budgets are about one that is replaced, and add up."""
    told = replace(hospitals()[0], provenance=Provenance("x", epsilon=0.5, delta=1e-6))
    book, entry = Ledger(tmp_path / "book.json").with_release(told, None)
    book.save()
    assert (f"about {told.n_people:.0f}", "about 0") == (entry.people_text, replace(entry, people=-3.0).people_text)
    assert Budget(0.5, 1e-6) == Budget.of(told) == entry.budget == Ledger.read(book.file).entries[0].budget


@pytest.mark.parametrize("text", ["", "{", "[]", "17", '{"schema": "unmask-keep-1"}', '{"releases": []}', "\0\1\2"])
def test_a_file_that_is_no_ledger(tmp_path, text):
    """Or half of one: said in a line, and never written over."""
    (tmp_path / "book.json").write_text(text)
    words = r"'book\.json' must be what unmask ledger add wrote; it is damaged"
    with pytest.raises(InvalidInputError, match=words):
        Ledger.read(tmp_path / "book.json")
    with pytest.raises(InvalidInputError, match=words), changing(tmp_path / "book.json"):
        pass
    assert (tmp_path / "book.json").read_text() == text


def test_a_ledger_of_a_newer_version(book):
    """What this version does not know of, it cannot judge."""
    book.file.write_text(book.file.read_text().replace("unmask-ledger-1", "unmask-ledger-2"))
    with pytest.raises(InvalidInputError, match=r"it is of form 2\. A newer unmask wrote it"):
        Ledger.read(book.file)


@pytest.mark.parametrize(("change", "said"), [
    ({"epsilon": 1}, "key 'releases.0.epsilon' in book.json"), ({"content": None}, "content"),
    ({"people": "many"}, "people"),
    ({"shared": {"file": "../x.npy", "n": 1, "nameless": 0, "column": "id", "key": "0"}}, "file"),
])  # fmt: skip
def test_an_entry_that_cannot_be(book, change, said):
    """An unknown key, a missing one, a file outside of the ledger's folder."""
    document = json.loads(book.file.read_text())
    document["releases"][0] |= change
    book.file.write_text(json.dumps(document))
    with pytest.raises(InvalidInputError, match=said):
        Ledger.read(book.file)


def test_a_name_that_stands_there_twice(book):
    """Names are how releases are told apart."""
    document = json.loads(book.file.read_text())
    document["releases"][1]["name"] = "first"
    book.file.write_text(json.dumps(document))
    with pytest.raises(InvalidInputError, match="must name each release once"):
        Ledger.read(book.file)


def test_two_runs_cannot_write_at_once(book, monkeypatch):
    """The second waits a while, then says so; the ledger stays as it was."""
    monkeypatch.setattr(ledgers, "PATIENCE", 0.0)
    with (
        claimed(book.file.parent, patience=0),
        pytest.raises(OutputError, match="must not be in use by another run; it is locked"),
        changing(book.file),
    ):
        pass
    with changing(book.file) as free:
        assert len(free.entries) == 2


def test_a_ledger_in_a_folder_that_is_not_there(tmp_path):
    """No file is made without a request."""
    with pytest.raises(OutputError, match="must lie in a folder that exists"), changing(tmp_path / "no" / "book.json"):
        pass


def test_a_run_that_fails_leaves_the_ledger_as_it_was(book, monkeypatch):
    """Files of hashes are written first, the ledger last: at once or not at all."""
    before = book.file.read_bytes()

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ledgers, "write_file", fail)
    third = replace(hospitals()[0], name="third", n_suppressed=3)
    with pytest.raises(OSError, match="No space"), changing(book.file) as current:
        current.with_release(third, None, people=patients("c"))[0].save()
    assert before == book.file.read_bytes()
    assert len(Ledger.read(book.file).entries) == 2
