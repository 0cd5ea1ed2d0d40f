"""PostgreSQL: who gets in, what is read, what cannot happen, and what is said where it goes wrong."""

from __future__ import annotations

import sys
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from tests.postgres import PASSWORD, Server
from unmask.errors import DatabaseError, InvalidInputError
from unmask.files.databases import postgresql
from unmask.files.reading import read

SECRETS = ("CANARY", PASSWORD, "pw%3A")


@pytest.fixture
def people(postgres: Server) -> Server:
    """A server with a few tables."""
    postgres.empty()
    postgres.run(
        "create table people (id text, zip text, n int)",
        "insert into people values ('a', '01234', 1), ('b', null, 2), ('CANARY', '5', 3)",
        "create schema audit",
        "create sequence numbers",
        'create view audit."Few, of many" as select * from people limit 1',
    )
    return postgres


def error(source: str, kind: type[Exception] = InvalidInputError) -> str:
    """Return what is said, in one line, where a source cannot be read: neither a cell nor a password."""
    with pytest.raises(kind, match=" must ") as caught:
        read(source)
    traces = "".join(traceback.format_exception(caught.value))  # with all that is behind the error
    assert not any(secret in traces for secret in SECRETS)
    return str(caught.value)


def test_tables_views_and_queries_are_read(people):
    """A schema goes before a dot; of schemas on the search path it may be left out."""
    names = ("people", "public.people", 'audit."Few, of many"', "audit.Few, of many")
    assert [3, 3, 1, 1] == [read(people.dsn(name)).n_rows for name in names]
    assert ["n"] == list(read(people.dsn("select n from people where n < 3 -- the first")).columns)
    assert 1 == read(people.dsn("select * from people where zip like '01%4' and id <> '%s'")).n_rows
    assert ["n"] == list(read(people.dsn("with x as (select * from people) select n from x;")).columns)


def test_the_password_may_come_from_where_it_does_for_all_programs_of_postgresql(people, monkeypatch, tmp_path):
    """PGPASSWORD, or a file of passwords; the DSN then holds none."""
    dsn = people.dsn("people", password="")
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "pgpass"))
    assert "no password supplied" in error(dsn)
    escaped = PASSWORD.replace(":", r"\:")
    (tmp_path / "pgpass").write_text(f"*:*:*:owner:{escaped}\n")
    (tmp_path / "pgpass").chmod(0o600)
    assert read(dsn).n_rows == 3
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "none"))
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    assert read(dsn).n_rows == 3


def test_a_service_or_a_variable_may_say_all_of_it(people, monkeypatch, tmp_path):
    """The command line then names a table and nothing else."""
    lines = ("[clinic]", f"host={people.folder}", "user=owner", "dbname=db", f"password={PASSWORD}")
    (tmp_path / "services").write_text("\n".join(lines) + "\n")
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
    assert read("postgresql:///?service=clinic#people").n_rows == 3
    monkeypatch.setenv("PGSERVICE", "clinic")
    assert read("postgresql:///#people").n_rows == 3
    monkeypatch.delenv("PGSERVICE")
    monkeypatch.setenv("CLINIC", people.dsn())
    assert read("env:CLINIC#people").n_rows == 3
    monkeypatch.setenv("CLINIC", people.dsn(password=":CANARYwrong"))  # noqa: S106
    assert "'env:CLINIC' must be a database that accepts the connection" in error("env:CLINIC#people")


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("", "it has people, audit.Few, of many. Write #NAME"),
        ("poeple", "must be one of people, audit.Few, of many; got 'poeple'. Did you mean 'people'?"),
        ("select nope from people", 'the database reports: column "nope" does not exist'),
        ("select 1; drop table people", "cannot insert multiple commands into a prepared statement"),
        ("select 1) to program 'touch CANARY' --", "syntax error"),
        ("select 1 /* and then", "unterminated"),
        ("with x as (delete from people returning id) select * from x", "must be allowed"),
        ("select * into stolen from people", "must be allowed"),
        ("select set_config('transaction_read_only', 'off', true) as x", "must be allowed"),
        ("select nextval('numbers') as x", "must be allowed, and fit all of its rows; it does not (ReadOnlySqlTrans"),
        ("select id::int as x from people", "fit all of its rows; it does not (InvalidTextRepresentation"),
        ("select array[1] as x", "column 'x' must hold numbers, text or dates; got _int4"),
        ("select 'x'::bytea as x", "got bytea"),
        ("select * from people where n > 9", "must have at least one row; it has none"),
        ("select n as a, n as a from people", "must be distinct; 'a' stands there twice"),
    ],
)
def test_what_cannot_be_read_is_one_line_with_the_way_out(people, wanted, message):
    """And nothing is written."""
    assert message in error(people.dsn(wanted))
    assert read(people.dsn("people")).n_rows == 3
    assert "stolen" not in error(people.dsn())


def test_what_a_function_writes_in_spite_of_it_is_undone(people):
    """Older servers let large objects be made while one only reads; nothing is ever committed."""
    with suppress(InvalidInputError):  # newer ones refuse
        read(people.dsn("select lo_create(0)::text as x"))
    assert read(people.dsn("select count(*) as n from pg_largeobject_metadata"))["n"].labels == ("0",)


def test_numbers_come_whole_however_the_server_would_round_them(people):
    """A role, a database or a session may have set that fewer digits are written."""
    few = people.dsn("select 0.1::float8 + 0.2::float8 as x").replace("?", "?options=-c%20extra_float_digits%3D-10&")
    assert read(few)["x"].labels == ("0.30000000000000004",)


def test_who_may_not_read_a_table_is_not_shown_it(people):
    """Tables that cannot be read are not among those that there are."""
    people.run(
        "drop role if exists guest",
        f"create role guest login password '{PASSWORD}'",
        "create table mine (x int)",
    )
    try:
        assert "it has no table" in error(people.dsn(user="guest"))
        assert "it does not (InsufficientPrivilege" in error(people.dsn("select * from mine", user="guest"))
    finally:
        people.run("drop table mine", "drop role guest")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"password": ":CANARY"},
            'must be a database that accepts the connection; password authentication failed for user "owner"',
        ),
        ({"database": "nobody"}, 'database "nobody" does not exist'),
        ({"user": "stranger"}, 'password authentication failed for user "stranger"'),
    ],
)
def test_a_door_that_stays_shut_says_why(people, change, message):
    """What the server says, and nothing of the password."""
    assert message in error(people.dsn("people", **change))


@pytest.mark.parametrize(
    "dsn",
    [
        "postgresql://me:CANARY@localhost:1/db#people",
        "postgresql://me:CANARY@localhost:1/db?password=CANARY&connect_timeout=1#people",
        "postgresql://me:CANARY%zz@localhost/db#people",
        "postgresql://me:1@localhost/db?passwort=CANARY#people",
        "postgresql://me@localhost/db?CANARY#people",
        "postgresql://localhost:1/db?host=localhost&port=CANARY#people",
    ],
)
def test_errors_of_an_absent_server_hold_no_secret(dsn):
    """Nor of a DSN that libpq does not understand: its own message would quote it."""
    pytest.importorskip("psycopg")
    error(dsn)


def test_a_server_that_breaks_off_is_the_machine(people):
    """Here by a limit of time; the command line then ends with 5."""
    dsn = people.dsn("select n, pg_sleep(30)::text as x from people")
    slow = dsn.replace("?", "?options=-c%20statement_timeout%3D200&")
    assert "must be readable to the end; reading broke off (QueryCanceled, SQLSTATE 57014)" in error(
        slow, DatabaseError
    )


@pytest.mark.parametrize(
    ("limit", "message"),
    [("statement_timeout", "QueryCanceled, SQLSTATE 57014"), ("lock_timeout", "LockNotAvailable, SQLSTATE 55P03")],
)
def test_a_limit_of_time_that_ends_before_the_query_is_understood_is_no_fault_of_the_query(people, limit, message):
    """The table is locked by another session: even planning the query has to wait."""
    import psycopg  # noqa: PLC0415

    patient = people.dsn("select n from people")
    with psycopg.connect(people.dsn()) as other:
        other.execute("lock table people in access exclusive mode")
        text = error(patient.replace("?", f"?options=-c%20{limit}%3D200&"), DatabaseError)
    assert f"must be readable to the end; reading broke off ({message})" in text


def test_a_connection_that_is_lost_before_the_query_is_understood_is_the_machine(people):
    """Here an administrator ends it while it waits for a lock."""
    import psycopg  # noqa: PLC0415

    ended = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'unmask' and query = %s"
    query = "select n from people"
    with psycopg.connect(people.dsn(), autocommit=True) as admin, psycopg.connect(people.dsn()) as other:
        other.execute("lock table people in access exclusive mode")
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(error, people.dsn(query), DatabaseError)
            while not running.done() and not admin.execute(ended, [query]).fetchall():
                time.sleep(0.05)
            assert "must be readable to the end; reading broke off (" in running.result()


def test_a_server_that_breaks_off_in_the_middle_does_so_too(people, monkeypatch):
    """Whatever has come until then is not taken for the whole."""
    monkeypatch.setattr(postgresql, "_BLOCK", 1 << 16)
    dsn = people.dsn("select 1 / (100000 - n) as x, repeat('a', 100) as y from generate_series(1, 200000) as n")
    assert "fit all of its rows; it does not (DivisionByZero, SQLSTATE 22012)" in error(dsn)


def test_cells_of_one_column_may_be_missing_and_rows_be_long(people, monkeypatch):
    """A line of nothing is a row, too; and a row longer than what Arrow takes at once is no defect."""
    people.run("create table one (x text)", "insert into one values (null), ('a'), (''), (null)")
    assert read(people.dsn("one"))["x"].codes.tolist() == [-1, 0, -1, -1]
    monkeypatch.setattr(postgresql, "_BLOCK", 1 << 16)
    assert read(people.dsn("select n, repeat('ab', 1000) || n as x from generate_series(1, 500) as n")).n_rows == 500
    assert "each of less than" in error(people.dsn("select repeat('ab', 200000) as x"), DatabaseError)


def test_without_the_extra_its_name_is_in_the_error(monkeypatch):
    """And how to have it."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    assert "pip install 'unmask[postgres]'" in error("postgresql://me@host/db#people")
