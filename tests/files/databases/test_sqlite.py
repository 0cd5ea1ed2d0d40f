"""SQLite: what is read, what cannot happen, and what is said where it goes wrong."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.files.databases.said import error
from unmask.errors import DatabaseError
from unmask.files.databases import sqlite
from unmask.files.databases.dsn import Dsn
from unmask.files.reading import read

CHOSEN = "select zip, n from people where n < 3;"
FEW = "with few as (select * from people limit 2) select id from few -- the first"
ROWS = [("a", "01234", 1), ("b", None, 2), ("CANARY", "5", 3)]


@pytest.fixture
def people(written_sqlite) -> str:
    """A small file, as a DSN."""
    dsn: str = written_sqlite("id text, zip text, n int", ROWS)
    return dsn


def test_a_query_chooses_rows_and_columns(people):
    """It begins with select or with; a semicolon at its end does no harm."""
    assert ["zip", "n"] == list(read(f"{people}#{CHOSEN}").columns)
    assert 2 == read(f"{people}#{FEW}").n_rows


def test_names_of_tables_are_quoted_whatever_they_are(people):
    """A table may have any name, and is found by it; what it says is never run."""
    name = 'a"; drop table people --'
    with closing(sqlite3.connect(people.removeprefix("sqlite:///"))) as connection, connection:
        connection.execute('create view "a""; drop table people --" as select 1 as x')
    assert ["x"] == list(read(f"{people}#{name}").columns)
    assert read(f"{people}#main.people").n_rows == 3
    assert read(f'{people}#"people"').n_rows == 3
    assert "must be one of a\"; drop table people --, people; got 'people; drop'" in error(f"{people}#people; drop")


def test_a_table_that_is_called_as_a_query_begins_is_the_table(people):
    """What a database has is looked for first; a query that is none of its tables is a query."""
    with closing(sqlite3.connect(people.removeprefix("sqlite:///"))) as connection, connection:
        for name in ("with data", "select x"):
            connection.execute(f'create view "{name}" as select 1 as x')
    wanted = ("with data", "select x", "select id from people")
    assert [1, 1, 3] == [read(f"{people}#{one}").n_rows for one in wanted]


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("", "must come with a table, or a query that begins with select; it has people. Write #NAME"),
        ("#poeple", "must be one of people; got 'poeple'. Did you mean 'people'?"),
        ("#select nope from people", "the database reports: no such column: nope"),
        ("#select * from nobody", "the database reports: no such table: nobody"),
        ("#select * frm people", "syntax error"),
        ("#select 1; drop table people", "one statement at a time"),
        ("#with x as (select 1) delete from people", "not authorized"),
        ("#select writefile('x', '1')", "no such function: writefile"),
        ("#select load_extension('x.so')", "must be allowed, and fit all of its rows; it does not (SQLITE_ERROR)"),
        ("#select json_extract(id, '$') as x from people where n = 3", "fit all of its rows"),
        ("#select * from people where n > 9", "must have at least one row; it has none"),
        ("#select n as a, n as a from people", "column names of 'people' must be distinct; 'a' stands there twice"),
        ("#select x'00' as picture", "column 'picture' must hold numbers, text or dates; got bytes"),
    ],
)
def test_what_cannot_be_read_is_one_line_with_the_way_out(people, wanted, message):
    """And the file is as it was."""
    path = Path(people.removeprefix("sqlite:///"))
    before = path.read_bytes()
    assert message in error(people + wanted)
    assert path.read_bytes() == before
    assert [path.name] == [file.name for file in path.parent.iterdir()]


def test_nothing_can_be_written_even_without_the_authorizer(people):
    """The file itself is opened for reading only."""
    path = Path(people.removeprefix("sqlite:///"))
    opened = closing(sqlite._opened(Dsn.of(people), path))
    with opened as connection, pytest.raises(sqlite3.OperationalError, match="readonly"):
        connection.execute("delete from people")


def test_a_file_that_is_none_of_sqlite_is_refused(tmp_path, monkeypatch):
    """Missing, somewhere else, or of another kind."""
    (tmp_path / "people.db").write_text("id,zip\n" * 100)
    assert "the database reports: file is not a database" in error(f"sqlite:///{tmp_path}/people.db#people")
    assert "there is no such file. Did you mean 'people.db'?" in error(f"sqlite:///{tmp_path}/poeple.db#people")
    assert "it is a folder" in error(f"sqlite:///{tmp_path}#people")
    monkeypatch.chdir(tmp_path)
    three = f"sqlite://{tmp_path}/people.db#people"
    assert f"sqlite:///{tmp_path}/people.db is: four slashes in all" in error(three)


def test_text_that_is_no_utf8_is_not_quoted(people):
    """SQLite's own error shows the cell."""
    with closing(sqlite3.connect(people.removeprefix("sqlite:///"))) as connection, connection:
        connection.execute("insert into people values (cast(x'43414e415259ff' as text), '1', 1)")
    assert "fit all of its rows; it does not (text that is no UTF-8)" in error(f"{people}#people")


def test_a_locked_database_breaks_off(people, monkeypatch):
    """That is the machine's fault, and not that of who asks."""
    opened = sqlite._opened

    def impatient(*arguments: object) -> sqlite3.Connection:
        connection = opened(*arguments)  # type: ignore[arg-type]
        connection.execute("pragma busy_timeout = 0")
        return connection

    monkeypatch.setattr(sqlite, "_opened", impatient)
    with closing(sqlite3.connect(people.removeprefix("sqlite:///"))) as connection:
        connection.execute("begin exclusive")
        assert "must be readable" in error(f"{people}#people", DatabaseError)


def test_a_database_that_is_written_to_meanwhile_can_be_read(people):
    """In the mode of a journal that is written ahead, readers see what was there before."""
    with closing(sqlite3.connect(people.removeprefix("sqlite:///"))) as connection:
        connection.execute("pragma journal_mode = wal")
        connection.execute("delete from people")
        assert read(f"{people}#people").n_rows == 3
        connection.rollback()


def test_a_file_that_was_left_in_the_middle_of_a_change_says_so(people, tmp_path):
    """Its journal would first have to be played back, which is writing; nothing is wrong with what was asked."""
    path, copy = Path(people.removeprefix("sqlite:///")), tmp_path / "copy"
    copy.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("create table large as select zeroblob(9999) as x from people, people, people, people")
        connection.commit()
        connection.execute("pragma cache_size = 1")
        connection.execute("update large set x = randomblob(9999)")
        for file in (path, path.with_name("people.db-journal")):
            shutil.copy(file, copy)
    message_of_copy = error(f"sqlite:///{copy}/people.db#people", DatabaseError)
    assert (
        "it was left in the middle of a change, or its journal cannot be opened (SQLITE_READONLY_ROLLBACK)"
        in message_of_copy
    )
    assert "Let its own program open it once" in message_of_copy


def test_a_journal_that_cannot_be_opened_is_the_machine_too(people):
    """Here a folder stands in its place; most often nothing may be written where the file lies."""
    path = Path(people.removeprefix("sqlite:///"))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("pragma journal_mode = wal")
    path.with_name("people.db-wal").mkdir()
    assert "its journal cannot be opened (SQLITE_CANTOPEN" in error(f"{people}#people", DatabaseError)


@pytest.mark.parametrize("module", ["fts5(text)", "rtree(id, low, high)"])
def test_virtual_tables_are_not_read_and_called_so(people, module):
    """Their modules do more than read; what else is in the file can be read."""
    with closing(sqlite3.connect(people.removeprefix("sqlite:///"))) as connection:
        connection.execute(f"create virtual table boxes using {module}")
    for wanted in ("boxes", 'select * from "Boxes"'):
        assert "'boxes' must be an ordinary table; it is a virtual one" in error(f"{people}#{wanted}")
    assert read(f"{people}#people").n_rows == 3


def test_infinities_are_missing_and_the_word_for_one_is_a_word(written_sqlite):
    """Numbers of a column of any kind may be too large; what was written as text stays text."""
    raw = read(f"{written_sqlite('x, y', [(9e999, 'inf'), (-9e999, 'b'), (1.5, 2)])}#people")
    assert raw["x"].codes.tolist() == [-1, -1, 0]
    assert raw["y"].labels == ("2", "b", "inf")


def test_large_tables_are_read_in_blocks(written_sqlite, monkeypatch):
    """Kinds of cells may differ from block to block."""
    monkeypatch.setattr(sqlite, "_BLOCK", 2)
    raw = read(f"{written_sqlite('x', [(1,), (2,), ('a',), (None,), (2.5,)])}#people")
    assert raw["x"].labels == ("1", "2", "2.5", "a")
    assert raw["x"].codes.tolist() == [0, 1, 3, -1, 2]
