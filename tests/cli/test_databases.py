"""Tables of databases on the command line: the same answers as for files, and passwords nowhere."""

from __future__ import annotations

import csv
import shlex
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.conftest import MONDRIAN, ROLES, Unmask
from tests.postgres import ENCODED, PASSWORD, Server, server
from unmask.cli import _warn_of_passwords

COLUMNS = "id text, age int, sex text, zip text, job text, ill text"


@pytest.fixture
def database(table: Path) -> Path:
    """Put the small table into a SQLite file beside it, as `people`."""
    path = Path("clinic.db")
    with table.open(newline="") as file, closing(sqlite3.connect(path)) as connection, connection:
        _, *rows = csv.reader(file)
        connection.execute(f"create table people ({COLUMNS})")
        connection.executemany("insert into people values (?, ?, ?, ?, ?, ?)", rows)
    return path


@pytest.fixture(scope="module")
def postgres() -> Iterator[Server]:
    """Run a server for the tests of this file."""
    with server() as found:
        yield found


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize("data", [("sqlite:///clinic.db", "--table", "people"), ("sqlite:///clinic.db#people",)])
def test_every_command_that_takes_a_table_takes_one_of_a_database(unmask: Unmask, table, data):
    """By --table, or at the end of the DSN; the answer is that of the CSV file, to the letter."""
    for command in (
        ("audit", ..., *MONDRIAN),
        ("risk", ..., "--person-key", "id"),
        ("measure", ..., *ROLES),
        ("hierarchy", "age", ..., "--intervals", "5,10"),
    ):
        from_file = unmask(*(table if part is ... else part for part in command))
        place = command.index(...)
        from_database = unmask(*command[:place], *data, *command[place + 1 :])
        assert (from_database.code, from_database.out) == (from_file.code, from_file.out)
        assert from_file.code == 0


@pytest.mark.usefixtures("database")
def test_lists_of_people_come_from_databases_too(unmask: Unmask, table, release):
    """Dictionaries, populations, people and truth, originals: each says its own table or query behind a #."""
    all_people = "sqlite:///clinic.db#select * from people"
    for command in (
        ("risk", table, "--person-key", "id", "--dictionary", ...),
        ("measure", release, "--population", ...),
        ("attack", "random-worlds", "--release", release, "--people", ..., "--truth", ..., "--seed", 1),
        ("audit", "--release", release, "--people", ..., "--seed", 1, "--attack", "random-worlds"),
        ("compare", release, table, "--original", ..., *ROLES, "--seed", 1),
    ):
        from_file = unmask(*(table if part is ... else part for part in command))
        from_database = unmask(*("sqlite:///clinic.db#people" if part is ... else part for part in command))
        assert (from_database.code, from_database.out) == (from_file.code, from_file.out)
        assert unmask(*(all_people if part is ... else part for part in command)).code == from_file.code == 0
    assert unmask("ledger", "add", "sqlite:///clinic.db#people", *ROLES).error.endswith("it is a table. Add --embed")


@pytest.mark.usefixtures("database")
def test_two_dictionaries_of_one_database_are_told_apart(unmask: Unmask, table):
    """They are called as their tables, or as the database."""
    few = "sqlite:///clinic.db#select id, age from people where age < 30"
    ran = unmask("risk", table, "--person-key", "id", "--dictionary", "sqlite:///clinic.db#people", "--dictionary", few)
    assert ran.code == 0
    assert {"people", "clinic"} <= {line.split()[0] for line in ran.out.splitlines() if line and line[0] != " "}


@pytest.mark.usefixtures("database")
def test_roles_beside_the_file_of_a_database_are_found(unmask: Unmask):
    """As they are beside a table."""
    Path("roles.toml").write_text(
        '[columns]\nage = { role = "quasi-identifier" }\nill = { role = "sensitive" }\nid = { role = "person-key" }\n'
    )
    ran = unmask("audit", "sqlite:///clinic.db#people", "--sanitizer", "mondrian", "--set", "k=3", "--seed", "1")
    assert ran.code == 0
    assert "roles from roles.toml" in ran.err


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (("sqlite:///clinic.db",), "it has people. Write #NAME"),
        (("sqlite:///clinic.db", "--table", "poeple"), "Did you mean 'people'?"),
        (("sqlite:///clinic.db#people", "--table", "people"), "must be given once"),
        (("people.csv", "--table", "people"), "--table must come with a database"),
        (("sqlite:///clinic.db", "--table", "delete from people"), "must be one of people; got 'delete from people'"),
        (("sqlite:///clinic.db", "--table", "select x from people"), "no such column: x"),
        (("sqlite:///clinc.db#people",), "there is no such file. Did you mean 'clinic.db'?"),
        (("mysql://me:CANARY@host/db#people",), "must begin with sqlite:///, duckdb:/// or postgresql://"),
        (("sqlite:///clinic.db#people", "-q", "agee"), "Did you mean 'age'?"),
    ],
)
@pytest.mark.usefixtures("database")
def test_what_is_wrong_is_one_line_and_nothing_is_written(unmask: Unmask, data, expected):
    """Exit code 2, and the way out."""
    before = sorted(path.name for path in Path().iterdir())
    ran = unmask("sanitize", data[0], "mondrian", *data[1:], "--set", "k=3", *ROLES, "--out", "rel", "--keep", "k.json")
    assert ran.code == 2
    assert expected in ran.error
    assert "CANARY" not in ran.out + ran.err
    assert sorted(path.name for path in Path().iterdir()) == before


def test_passwords_are_nowhere(unmask: Unmask, postgres, table):
    """Screen, notes, page, numbers, release, what is kept back: looked through for the password."""
    postgres.empty()
    postgres.run(f"create table people ({COLUMNS})")
    with table.open(newline="") as file:
        _, *rows = csv.reader(file)
    postgres.copy("copy people from stdin", rows)
    dsn = postgres.dsn()
    written = ("--html", "r.html", "--json", "r.json", "--force")
    outputs = []
    for command in (
        ("audit", dsn, "--table", "people", *MONDRIAN, *written, "-v"),
        ("risk", dsn, "--table", "people", "--person-key", "id", "--dictionary", f"{dsn}#people", *written),
        ("measure", dsn, "--table", "people", *ROLES, "--population", f"{dsn}#people", "--json", "m.json", "--force"),
        ("sanitize", dsn, "anatomy", "--table", "people", "--set", "l=2", *ROLES, "--out", "rel", "--keep", "k.json"),
        ("compare", "rel", f"{dsn}#people", "--original", f"{dsn}#people", *ROLES, *written),
        ("attack", "linkage", "--release", "rel", "--people", f"{dsn}#people", "--seed", 1, "--json", "a.json"),
    ):
        ran = unmask(*command)
        assert ran.code == 0, ran.err
        outputs.append(ran.out + ran.err)
    for slip in (
        ("audit", dsn),
        ("audit", dsn, f"{dsn}#people"),
        ("audit", dsn, dsn, "--nothing"),
        (dsn,),
        ("sanitize", dsn, "anatomy", "--out", "x", *ROLES),
        ("audit", dsn, "--table", "people", *MONDRIAN, "--population", f"{dsn}#nobody"),
        ("ledger", "add", f"{dsn}#people", *ROLES),
        ("hierarchy", "age", f"{dsn}#people", "--intervals", dsn),
        ("audit", dsn, "--seed", dsn),
        ("risk", dsn, "--table", "people", "--prior", dsn, "--roles", dsn),
        ("audit", dsn.replace("owner:", "owner:x"), "--table", "people", *MONDRIAN),
        ("audit", dsn.replace("%3A", ":@"), "--table", "people", *MONDRIAN),
    ):
        ran = unmask(*slip)
        assert ran.code == 2, slip
        outputs.append(ran.out + ran.err)
    files = [file.read_text(errors="replace") for file in Path().rglob("*") if file.is_file() and file != table]
    for secret in (PASSWORD, ENCODED, "CANARY"):
        assert secret not in "\n".join([*outputs, *files])
    assert postgres.folder not in "\n".join(files)  # nor does a report tell where data lie


def test_a_database_that_breaks_off_is_the_machine(unmask: Unmask, postgres):
    """Exit code 5: the same command may well succeed later."""
    slow = postgres.dsn("select n as age, pg_sleep(9)::text as ill from generate_series(1, 9) as n")
    limited = slow.replace("?", "?options=-c%20statement_timeout%3D200&")
    ran = unmask("audit", limited, "--sanitizer", "mondrian", "--set", "k=3", "-q", "age", "-s", "ill", "--seed", "1")
    assert ran.code == 5
    assert "reading broke off (QueryCanceled, SQLSTATE 57014)" in ran.error


@pytest.mark.usefixtures("database")
def test_a_command_that_is_suggested_works_in_a_shell(unmask: Unmask):
    """A # begins a comment, and queries and names of files have spaces: all parts are quoted."""
    query = "select * from people"
    written = ("--out", "my release", "--keep", "what I keep.json")
    ran = unmask("sanitize", "sqlite:///clinic.db", "mondrian", "--table", query, "--set", "k=3", *ROLES, *written)
    assert ran.code == 0
    expected, command = ran.out.splitlines()[-1].split(": ", 1)
    assert expected == "Attack it before you hand it out"
    assert ["unmask", "audit", f"sqlite:///clinic.db#{query}"] == shlex.split(command)[:3]
    assert unmask(*shlex.split(command)[1:], "--seed", 1).code == 0


def test_a_command_that_is_suggested_asks_the_same_server_without_the_password(unmask: Unmask, postgres, monkeypatch):
    """Where the server is stands among the parameters of the DSN."""
    postgres.empty()
    postgres.run(
        f"create table people ({COLUMNS})",
        "insert into people select n, 20 + n % 9, 'F', '0', 'clerk', 'flu' from generate_series(1, 30) as n",
    )
    ran = unmask("sanitize", postgres.dsn(), "mondrian", "--table", "people", "--set", "k=3", *ROLES, "--out", "rel")
    assert ran.code == 0, ran.err
    command = shlex.split(ran.out.splitlines()[-1].split(": ", 1)[1])
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    assert f"postgresql://owner@/db?host={postgres.folder}#people" == command[2]
    assert unmask(*command[1:], "--seed", 1).code == 0


@pytest.mark.parametrize(
    ("arguments", "warned"),
    [
        (["measure", "postgresql://me:CANARY@host/db#people"], True),
        (["measure", "a.csv", "--population=postgresql://host/db?password=CANARY#people"], True),
        (["measure", "postgresql://me@host/db#people"], False),
        (["measure", "sqlite:///clinic.db#people"], False),
        (["measure", "env:CLINIC#people"], False),
        (["measure", "postgresql://me:CANARY@host/db#people", "--quiet"], False),
    ],
)
def test_a_password_among_the_arguments_is_noted(arguments, warned, capsys):
    """Where others can read it, and without repeating it."""
    _warn_of_passwords(arguments)
    noted = capsys.readouterr().err
    assert ("written env:NAME" in noted) is warned
    assert "CANARY" not in noted
